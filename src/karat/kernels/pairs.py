"""Sums over pairs (one case of each class) that a replicate left out: what the LPOB is made of.

Shapes: b replicates, n1 positives, n2 negatives. Scores `up` (b, n1) and `down` (b, n2) are NaN where the case was in
the training set, so that every comparison with it is false. For each positive the replicates that left it out are
visited, and compared with a few hundred negatives at a time: contiguous arrays that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.kernels.jit import jit

WIDTH = 256  # negatives at a time
SUMS = {"reassoc", "contract"}  # sums may be added in the order that suits the processor's vectors


def pair_wins(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(n1, n2) Σ_b I_i I_j ψ_ij; whole and half numbers, exact in single precision."""
    won = np.zeros((up.shape[1], down.shape[1]), np.float32)
    up = _rows(up)
    for cols in _tiles(won):
        won[:, cols] = _wins(up, np.ascontiguousarray(down[:, cols]))
    return won


def pair_residuals(
    up: np.ndarray, down: np.ndarray, won: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of the residuals I_i I_j (ψ_ij − A_ij), A_ij = won_ij / D_ij, over the pairs of each replicate.

    Parameters
    ----------
    up, down : (b, n1) and (b, n2) arrays
    won, times : (n1, n2) arrays
        Σ_b I_i I_j ψ_ij and D_ij = Σ_b I_i I_j over all replicates, of which `up` and `down` may be a part.

    Returns
    -------
    rows, cols : (b, n1) and (b, n2) arrays
        Sums over the pairs of each case, residuals divided by D_ij − 1 (or 1).
    totals : (b,) array
        Sums over all pairs, residuals divided by D_ij.
    """
    rows, cols, totals = np.zeros(up.shape[::-1]), np.empty(down.shape), np.zeros(len(up))
    up = _rows(up)
    for at in _tiles(won):
        some, *tables = (np.ascontiguousarray(table[:, at]) for table in (down, won, times))
        cols[:, at] = _residuals(up, some, *tables, rows, totals)
    return rows.T, cols, totals


def residual_squares(
    contrast: list[tuple[float, np.ndarray, np.ndarray]],  # coefficient, up (b, n1), down (b, n2) of each rule
    mean: np.ndarray,  # (n1, n2) A_ij of the contrast
    times: np.ndarray,  # (n1, n2) D_ij
) -> float:
    """Σ_b Σ_ij ρ_ij², ρ_ij = I_i I_j (ψ_ij − A_ij)/(D_ij − 1), ψ_ij = Σ coefficient · ψ_ij of each rule."""
    coefficients = np.array([c for c, _, _ in contrast])
    ups, total = np.stack([_rows(up) for _, up, _ in contrast]), 0.0
    for at in _tiles(mean):
        downs = np.stack([down[:, at] for _, _, down in contrast])
        tables = (np.ascontiguousarray(table[:, at], dtype=float) for table in (mean, times))
        total += _squares(coefficients, ups, downs, *tables)
    return total


def _rows(up: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(up.T)


def _tiles(table: np.ndarray) -> Iterator[slice]:
    for start in range(0, table.shape[1], WIDTH):
        yield slice(start, min(start + WIDTH, table.shape[1]))


@jit
def _wins(up, down):
    """(n1, m) Σ_b ψ; `up` (n1, b), `down` (b, m). Two replicates at a time, so that the sums are read half as often."""
    (n1, b), m = up.shape, down.shape[1]
    out, total, which = np.empty((n1, m)), np.empty(m), np.empty(b + 1, np.int64)
    for i in range(n1):
        total[:] = 0.0
        left_out = 0
        for r in range(b):
            which[left_out] = r
            left_out += up[i, r] == up[i, r]
        for e in range(0, left_out, 2):
            first, u = down[which[e]], up[i, which[e]]
            second, v = (down[which[e + 1]], up[i, which[e + 1]]) if e + 1 < left_out else (first, np.nan)
            for j in range(m):
                one = 1.0 if first[j] < u else (0.5 if first[j] == u else 0.0)
                other = 1.0 if second[j] < v else (0.5 if second[j] == v else 0.0)
                total[j] += one + other
        out[i] = total
    return out


@jit(fastmath=SUMS)
def _residuals(up, down, won, times, rows, totals):
    """(b, m) sums over positives of the residuals over D − 1; adds to `rows` (n1, b) and `totals` (b,)."""
    (n1, b), m = up.shape, down.shape[1]
    cols = np.zeros((b, m))
    win, tie, loss, ratio = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for i in range(n1):
        for j in range(m):
            d = max(np.float64(times[i, j]), 1.0)
            mean, weight = won[i, j] / d, 1 / max(d - 1, 1.0)
            win[j], tie[j], loss[j] = (1 - mean) * weight, (0.5 - mean) * weight, -mean * weight
            ratio[j] = max(d - 1, 1.0) / d
        for r in range(b):
            u = up[i, r]
            if u == u:
                row, col = down[r], cols[r]
                total, exact = 0.0, 0.0
                for j in range(m):
                    s, above, same, below = row[j], win[j], tie[j], loss[j]  # read all: then the loop has no branches
                    rho = below if s > u else 0.0
                    rho = same if s == u else rho
                    rho = above if s < u else rho
                    col[j] += rho
                    total += rho
                    exact += rho * ratio[j]
                rows[i, r] += total
                totals[r] += exact
    return cols


@jit(fastmath=SUMS)
def _squares(coefficients, ups, downs, mean, times):
    """`ups` (rules, n1, b), `downs` (rules, b, m), `mean` and `times` (n1, m)."""
    rules, n1, b = ups.shape
    m = mean.shape[1]
    weight, value, total = np.empty(m), np.empty(m), 0.0
    for i in range(n1):
        for j in range(m):
            weight[j] = 1 / max(times[i, j] - 1, 1.0)
        for r in range(b):
            if np.isnan(ups[0, i, r]):
                continue
            for j in range(m):
                value[j] = -mean[i, j]
            for k in range(rules):
                u, row, half = ups[k, i, r], downs[k, r], coefficients[k] / 2
                for j in range(m):
                    value[j] += (half if row[j] < u else 0.0) + (half if row[j] <= u else 0.0)
            row, squares = downs[0, r], 0.0
            for j in range(m):
                rho = value[j] * weight[j] if row[j] == row[j] else 0.0
                squares += rho * rho
            total += squares
    return total
