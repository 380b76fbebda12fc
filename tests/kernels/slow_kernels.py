"""The slow, obvious version of every compiled kernel of AUC, ROC and pairs."""

from __future__ import annotations

import numpy as np


def psi(up, down):
    """ψ_ij = 1, ½, 0 for up_i >, =, < down_j (Yousef, ML Assessment, eq. 6b); 0 where one of them is NaN."""
    return 0.5 * ((up[:, None] > down[None, :]).astype(float) + (up[:, None] >= down[None, :]))


def placements(values, reference):
    ordered = np.sort(reference)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return (below + up_to) / (2 * len(reference))


def auc(up, down):
    ordered = np.sort(down)
    twice = sum(int(np.searchsorted(ordered, up, side=side).sum()) for side in ("left", "right"))
    return twice / (2 * len(up) * len(down))


def auc_rows(scores, positive):
    return np.array([auc(row[positive], row[~positive]) for row in scores])


def weighted_auc_rows(scores, positive, weights):
    """AUC_b = Σ_ij w_i w_j ψ(s_i, s_j) / Σ_ij w_i w_j."""
    out = []
    for row, weight in zip(scores, weights, strict=True):
        up, down = weight[positive].astype(float), weight[~positive].astype(float)
        total = up.sum() * down.sum()
        out.append(up @ psi(row[positive], row[~positive]) @ down / total if total > 0 else np.nan)
    return np.array(out)


def delong_influence(scores, positive):
    up, down = scores[positive], scores[~positive]
    v10, v01, g = placements(up, down), 1 - placements(down, up), np.empty(len(scores))
    for of, v in ((positive, v10), (~positive, v01)):
        m = len(v)
        g[of] = (v - v10.mean()) / np.sqrt(m * (m - 1)) if m > 1 else np.nan
    return v10.mean(), g


def curve_counts(scores, positive):
    order = np.argsort(scores)[::-1]
    ordered = scores[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)  # of each run of ties
    tp = np.cumsum(positive[order], dtype=np.int64)[last]
    return ordered[last], tp, last + 1 - tp


def pair_sums(up, down, mean=None, times=None):
    """ψ, the pairs that were left out, their sums over replicates and the residuals ρ, all (b, n1, n2) or (n1, n2)."""
    both = ~np.isnan(up)[:, :, None] & ~np.isnan(down)[:, None, :]
    values = np.stack([psi(u, d) for u, d in zip(up, down, strict=True)])
    won, times = (both * values).sum(axis=0), both.sum(axis=0)
    residuals = both * (values - won / np.maximum(times, 1))
    return won, times, residuals
