"""Compiled twin of karat.kernels.neighbours."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def votes(counts, order, codes, k, n_classes):  # type: ignore[no-untyped-def]
    b, n = counts.shape
    m = order.shape[1]
    found = np.zeros((b, n, n_classes))
    enough = np.ones(b, dtype=np.bool_)
    for r in range(b):
        row = counts[r]
        for i in range(n):
            left = k
            for j in range(m):
                other = order[i, j]
                copies = row[other]
                if copies > 0:
                    taken = copies if copies < left else left
                    found[r, i, codes[other]] += taken
                    left -= taken
                    if left == 0:
                        break
            if left > 0:
                enough[r] = False
    return found, enough
