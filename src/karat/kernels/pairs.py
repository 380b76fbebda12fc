"""Sums over pairs (one case of each class) that a replicate left out: what the LPOB is made of.

Shapes: n1 positives, n2 negatives, b replicates. `out` is True where a case was left out of training. The scores are
needed once, to order the left-out cases of each replicate; the sums work on that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from karat.kernels.compiled import twin

FEW = 64


class Orders(NamedTuple):
    """How the left-out cases of b replicates are ordered by score. A case in the training set has no rank: `none`."""

    rank_up: np.ndarray  # (b, n1) left-out positives that score less than this one
    rank_down: np.ndarray  # (b, n2) left-out negatives that score less than this one
    less_up: np.ndarray  # (b, n1) left-out negatives that score less than this positive
    up_to_up: np.ndarray  # (b, n1) … less or the same
    less_down: np.ndarray  # (b, n2) left-out positives that score less than this negative
    up_to_down: np.ndarray  # (b, n2) … less or the same

    @property
    def none(self) -> int:
        return int(np.iinfo(self.rank_up.dtype).max)


def psi(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """ψ_ij = 1, ½, 0 for up_i >, =, < down_j   (seeds/000, eq. 6b)."""
    return 0.5 * ((up[:, None] > down[None, :]).astype(float) + (up[:, None] >= down[None, :]))


def order_pairs(scores: np.ndarray, out: np.ndarray, positive: np.ndarray) -> Orders:
    """The order of the left-out cases of a block of replicates; scores and `out` (b, n), `positive` (n,)."""
    b, n1, n2 = len(scores), int(positive.sum()), int((~positive).sum())
    kind: Any = np.uint16 if max(n1, n2) < 65_535 else np.uint32
    orders = Orders(
        *(np.full((b, m), np.iinfo(kind).max, dtype=kind) for m in (n1, n2)),
        *(np.zeros((b, m), dtype=kind) for m in (n1, n1, n2, n2)),
    )
    ups, downs = np.flatnonzero(positive), np.flatnonzero(~positive)
    for start in range(0, b, FEW):  # the classes are taken apart a few rows at a time: no second copy of the scores
        rows = slice(start, start + FEW)
        s, o = scores[rows], out[rows]
        few = Orders(*(table[rows] for table in orders))
        up, down, out_up, out_down = (np.take(of, cases, axis=1) for of in (s, o) for cases in (ups, downs))
        fill_orders(up, down, out_up, out_down, few)
    return orders


@twin
def fill_orders(up: np.ndarray, down: np.ndarray, out_up: np.ndarray, out_down: np.ndarray, orders: Orders) -> None:
    for b, (u, d, iu, id_) in enumerate(zip(up, down, out_up, out_down, strict=True)):
        ups, downs = np.sort(u[iu]), np.sort(d[id_])
        orders.rank_up[b, iu] = np.searchsorted(ups, u[iu])
        orders.rank_down[b, id_] = np.searchsorted(downs, d[id_])
        orders.less_up[b, iu] = np.searchsorted(downs, u[iu])
        orders.up_to_up[b, iu] = np.searchsorted(downs, u[iu], side="right")
        orders.less_down[b, id_] = np.searchsorted(ups, d[id_])
        orders.up_to_down[b, id_] = np.searchsorted(ups, d[id_], side="right")


@twin
def left_out_together(out_up: np.ndarray, out_down: np.ndarray) -> np.ndarray:
    """(n1, n2) D_ij = Σ_b I_i I_j."""
    return out_up.T.astype(float) @ out_down.astype(float)


@twin
def psi_sums_of(orders: Orders) -> np.ndarray:
    """(n1, n2) Σ_b I_i I_j ψ_ij of replicates whose left-out cases are ordered."""
    total = np.zeros((orders.rank_up.shape[1], orders.rank_down.shape[1]))
    for rank_up, rank, less, up_to in zip(
        orders.rank_up, orders.rank_down, orders.less_up, orders.up_to_up, strict=True
    ):
        rows, cols = np.flatnonzero(rank_up != orders.none), np.flatnonzero(rank != orders.none)
        total[np.ix_(rows, cols)] += _psi_of(rank[cols], less[rows], up_to[rows])
    return total


def _psi_of(rank: np.ndarray, less: np.ndarray, up_to: np.ndarray) -> np.ndarray:
    return 0.5 * ((rank[None, :] < less[:, None]).astype(float) + (rank[None, :] < up_to[:, None]))


@twin
def margins_of(orders: Orders, mean: np.ndarray, times: np.ndarray, drop: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column sums of ρ_bij = I_i I_j (ψ_ij − A_ij) / (D_ij − drop): (b, n1) and (b, n2).

    `mean` (n1, n2) is A_ij and `times` D_ij; the divisor is 1 at least.
    """
    weight = 1 / np.maximum(times - drop, 1)
    rows_out = np.zeros(orders.rank_up.shape)
    cols_out = np.zeros(orders.rank_down.shape)
    for b, (rank_up, rank, less, up_to) in enumerate(
        zip(orders.rank_up, orders.rank_down, orders.less_up, orders.up_to_up, strict=True)
    ):
        rows, cols = np.flatnonzero(rank_up != orders.none), np.flatnonzero(rank != orders.none)
        block = np.ix_(rows, cols)
        rho = (_psi_of(rank[cols], less[rows], up_to[rows]) - mean[block]) * weight[block]
        rows_out[b, rows] = rho.sum(axis=1)
        cols_out[b, cols] = rho.sum(axis=0)
    return rows_out, cols_out


@twin
def totals_of(orders: Orders, mean: np.ndarray, times: np.ndarray, drop: int) -> np.ndarray:
    """(b,) r_b = Σ_ij ρ_bij, without its margins."""
    return margins_of.reference(orders, mean, times, drop)[0].sum(axis=1)  # type: ignore[attr-defined]


@twin
def sweep_of(orders: Orders, mean: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the exact and the corrected variance need: `totals_of` with drop = 0, and `margins_of` with drop = 1."""
    totals = totals_of.reference(orders, mean, times, 0)  # type: ignore[attr-defined]
    return totals, *margins_of.reference(orders, mean, times, 1)  # type: ignore[attr-defined]


@twin
def noise_of(margins: np.ndarray, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
    """(m,) Σ_b Y_bk² for the m cases of one class, Y_bk = r_bk − r_b/m + (N_bk − m/(m − 1)) (r_b − r_bk)  (MATH 2.6).

    `margins` (b, m) are r_bk, `counts` (b, m) N_bk and `total` (b,) r_b.
    """
    m = margins.shape[1]
    y = margins - total[:, None] / m + (counts - m / max(m - 1, 1)) * (total[:, None] - margins)
    return (y**2).sum(axis=0)


@twin
def weighted_counts(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k, n) Σ_b w_kb N_b of counts (b, n) and weights (k, b)."""
    return weights @ counts.astype(float)
