"""Sums over pairs (one case of each class) that a replicate left out: what the LPOB is made of.

Shapes: n1 positives, n2 negatives, b replicates. `out` is True where a case was left out of training. The scores are
needed once, to order the left-out cases of each replicate; the sums work on that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from karat.kernels.compiled import twin


class Orders(NamedTuple):
    """The left-out cases of b replicates by score. A case in the training set has no place: `none`."""

    order_up: np.ndarray  # (b, n1) the left-out positives from the lowest score to the highest, then `none`
    order_down: np.ndarray  # (b, n2) the left-out negatives; where scores are the same the first case is first
    less_up: np.ndarray  # (n1, b) left-out negatives that score less than this positive
    up_to_up: np.ndarray  # (n1, b) … less or the same
    less_down: np.ndarray  # (n2, b) left-out positives that score less than this negative
    up_to_down: np.ndarray  # (n2, b) … less or the same

    @property
    def none(self) -> int:
        return int(np.iinfo(self.order_up.dtype).max)


def psi(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """ψ_ij = 1, ½, 0 for up_i >, =, < down_j   (seeds/000, eq. 6b)."""
    return 0.5 * ((up[:, None] > down[None, :]).astype(float) + (up[:, None] >= down[None, :]))


def order_pairs(scores: np.ndarray, out: np.ndarray, positive: np.ndarray) -> Orders:
    """The order of the left-out cases of a block of replicates; scores and `out` (b, n), `positive` (n,)."""
    b, n1, n2 = len(scores), int(positive.sum()), int((~positive).sum())
    kind: Any = np.uint16 if max(n1, n2) < 65_535 else np.uint32
    shapes = ((b, n1), (b, n2), (n1, b), (n1, b), (n2, b), (n2, b))
    orders = Orders(*(np.full(shape, np.iinfo(kind).max, dtype=kind) for shape in shapes))
    fill_orders(scores, out, np.flatnonzero(positive), np.flatnonzero(~positive), orders)
    return orders


@twin
def fill_orders(scores: np.ndarray, out: np.ndarray, ups: np.ndarray, downs: np.ndarray, orders: Orders) -> None:
    """Scores and `out` are (b, n), `ups` and `downs` say which cases are positive and negative."""
    for b, (score, left_out) in enumerate(zip(scores, out, strict=True)):
        in_up, in_down = np.flatnonzero(left_out[ups]), np.flatnonzero(left_out[downs])
        up, down = score[ups[in_up]], score[downs[in_down]]
        by_up, by_down = np.argsort(up, kind="stable"), np.argsort(down, kind="stable")
        orders.order_up[b, : len(up)], orders.order_down[b, : len(down)] = in_up[by_up], in_down[by_down]
        orders.less_up[in_up, b] = np.searchsorted(down[by_down], up)
        orders.up_to_up[in_up, b] = np.searchsorted(down[by_down], up, side="right")
        orders.less_down[in_down, b] = np.searchsorted(up[by_up], down)
        orders.up_to_down[in_down, b] = np.searchsorted(up[by_up], down, side="right")


@twin
def left_out_together(out: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """(n1, n2) D_ij = Σ_b I_i I_j: whole numbers of four bytes, since tables of pairs are the largest there are."""
    return out[:, positive].T.astype(np.float32) @ out[:, ~positive].astype(np.float32)


@twin
def psi_sums_of(orders: Orders) -> np.ndarray:
    """(n1, n2) Σ_b I_i I_j ψ_ij of replicates whose left-out cases are ordered: whole and half numbers."""
    total = np.zeros((orders.order_up.shape[1], orders.order_down.shape[1]), np.float32)
    for b in range(len(orders.order_up)):
        block, psi_of = _left_out_pairs(orders, b)
        total[block] += psi_of
    return total


def _left_out_pairs(orders: Orders, b: int) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Which pairs a replicate left out, and ψ of each, from the place of its negative among those left out."""
    rows = np.flatnonzero(orders.less_up[:, b] != orders.none)
    cols = orders.order_down[b][orders.order_down[b] != orders.none]
    place, less, up_to = np.arange(len(cols))[None, :], orders.less_up[rows, b, None], orders.up_to_up[rows, b, None]
    return np.ix_(rows, cols), 0.5 * ((place < less).astype(float) + (place < up_to))


def means_of(won: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(n1, n2) A_ij = Σ_b I_i I_j ψ_ij / D_ij; 0 for a pair that was never left out together."""
    return np.divide(won, times, out=np.zeros(won.shape), where=times > 0, dtype=float)


@twin
def mean_sums(won: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sums of A_ij over rows and columns, (n1,) and (n2,), and how many pairs of each were ever left out together."""
    mean, defined = means_of(won, times), times > 0
    return mean.sum(axis=1), mean.sum(axis=0), defined.sum(axis=1), defined.sum(axis=0)


@twin
def margins_of(orders: Orders, won: np.ndarray, times: np.ndarray, drop: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column sums of ρ_bij = I_i I_j (ψ_ij − A_ij) / (D_ij − drop): (b, n1) and (b, n2).

    `won` (n1, n2) is Σ_b I_i I_j ψ_ij and `times` D_ij over all replicates; the divisor is 1 at least.
    """
    mean, weight = means_of(won, times), 1 / np.maximum(times.astype(float) - drop, 1)
    rows_out, cols_out = np.zeros(orders.order_up.shape), np.zeros(orders.order_down.shape)
    for b in range(len(orders.order_up)):
        block, psi_of = _left_out_pairs(orders, b)
        rho = (psi_of - mean[block]) * weight[block]
        rows_out[b, block[0][:, 0]], cols_out[b, block[1][0]] = rho.sum(axis=1), rho.sum(axis=0)
    return rows_out, cols_out


@twin
def totals_of(orders: Orders, won: np.ndarray, times: np.ndarray, drop: int) -> np.ndarray:
    """(b,) r_b = Σ_ij ρ_bij, without its margins."""
    return margins_of.reference(orders, won, times, drop)[0].sum(axis=1)  # type: ignore[attr-defined]


@twin
def sweep_of(orders: Orders, won: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the exact and the corrected variance need: `totals_of` with drop = 0, and `margins_of` with drop = 1."""
    totals = totals_of.reference(orders, won, times, 0)  # type: ignore[attr-defined]
    return totals, *margins_of.reference(orders, won, times, 1)  # type: ignore[attr-defined]


def noise_of(margins: np.ndarray, total: np.ndarray, counted: np.ndarray, squared: np.ndarray) -> np.ndarray:
    """(m,) Σ_b Y_bk² for the m cases of one class, Y_bk = r_bk − r_b/m + (N_bk − e) (r_b − r_bk)  (MATH 2.6).

    `margins` (b, m) are r_bk and `total` (b,) r_b; e = m/(m − 1). A case that trained has no residual, N_bk r_bk = 0,
    so Y_bk = (1 + e) r_bk + (N_bk − e − 1/m) r_b, and the counts N are needed in two sums alone: `counted` (m,) is
    Σ_b r_b² N_bk and `squared` Σ_b r_b² N_bk².
    """
    m = margins.shape[1]
    e = m / max(m - 1, 1)
    own, common = products_of(margins, total)
    f = e + 1 / m
    return (1 + e) ** 2 * own - 2 * (1 + e) * f * common + squared - 2 * f * counted + f**2 * (total @ total)


@twin
def products_of(margins: np.ndarray, total: np.ndarray) -> np.ndarray:
    """(2, m) Σ_b r_bk² and Σ_b r_bk r_b."""
    return np.stack([(margins**2).sum(axis=0), total @ margins])


@twin
def weighted_counts(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k, n) Σ_b w_kb N_b of counts (b, n) and weights (k, b)."""
    return weights @ counts.astype(float)


@twin
def weighted_squares(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n,) Σ_b w_b N_b² of counts (b, n) and weights (b,)."""
    return weights @ counts.astype(float) ** 2
