"""Decisions argmax_c w_c y_c at many weight vectors, and the errors they make."""

from __future__ import annotations

import numpy as np


def wrong_shares(
    weights: np.ndarray,  # (P, C)
    outputs: np.ndarray,  # (n, C), not negative
    codes: np.ndarray,  # (n,)
    members: np.ndarray,  # (R, n) rows of weights that sum to 1 over a set of cases
    cells: int = 4_000_000,
) -> np.ndarray:
    """(P, R) weighted share of wrong decisions of each set at each operating point  (seeds/002, eq. 2)."""
    out = np.empty((len(weights), len(members)))
    step = max(1, cells // outputs.size)
    for start in range(0, len(weights), step):
        at = slice(start, start + step)
        decided = (weights[at, None, :] * outputs[None]).argmax(axis=2)  # (p, n)
        out[at] = (decided != codes).astype(float) @ members.T
    return out
