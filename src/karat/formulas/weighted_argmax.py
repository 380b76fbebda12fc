"""Decisions argmax_c w_c y_c at many weight vectors, and their error rates."""

from __future__ import annotations

import numpy as np

from karat.typing import Floats, Ints

CELLS = 4_000_000  # products held at a time


def wrong_shares(
    weights: Floats,  # (P, C)
    outputs: Floats,  # (n, C), not negative
    codes: Ints,  # (n,)
    members: Floats,  # (R, n) rows of weights that sum to 1 over a set of cases
) -> Floats:
    """(P, R) weighted share of wrong decisions of each set at each operating point (Paclík et al. 2008, eq. 2)."""
    out = np.empty((len(weights), len(members)))
    step = max(1, CELLS // outputs.size)
    for start in range(0, len(weights), step):
        at = slice(start, start + step)
        decided = (weights[at, None, :] * outputs[None]).argmax(axis=2)  # (p, n)
        out[at] = (decided != codes).astype(float) @ members.T
    return out
