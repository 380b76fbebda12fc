"""Counting draws."""

from __future__ import annotations

from karat.kernels.jit import jit


@jit
def count_draws(drawn, members, counts):
    """counts[r, members[drawn[r, k]]] += 1 for every draw k of row r.

    `drawn` (rows, m) uint32, `members` (n,) columns of `counts` (rows, columns) uint8.
    """
    for r in range(len(drawn)):
        for k in range(drawn.shape[1]):
            counts[r, members[drawn[r, k]]] += 1
