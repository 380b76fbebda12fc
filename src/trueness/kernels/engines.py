"""Loops of the engines: neighbours in order of distance and how they vote, and inverses of many small matrices."""

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from trueness.kernels import jit

CHUNK = 2_000_000  # distances at a time
SWEPT_ROWS = 64  # of a matrix; larger ones are inverted by LAPACK
SPARE = 4  # candidates more than asked for: rounding may misplace some


def nearest(x: npt.NDArray[np.float64], m: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """(n, m) the m nearest cases of each row of x (n, p), itself first, and (n, m) their squared distances."""
    n = len(x)
    x = x - x.mean(axis=0)
    norms = np.einsum("np,np->n", x, x)
    order, squares = np.empty((n, m), dtype=np.intp), np.empty((n, m))
    candidates, step = min(m + SPARE, n), max(1, CHUNK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        near = x[rows] @ x.T  # |a − b|² − |a|² = |b|² − 2 a·b has the same order
        near *= -2
        near += norms
        _nearest(near, x, start, candidates, order[rows], squares[rows])
    return order, squares


@jit
def _nearest(near, x, start, candidates, order, squares):
    """Keep the least `candidates` of each row of `near`, in order; then the exact distances order them again."""
    m = order.shape[1]
    values, members = np.empty(candidates), np.empty(candidates, np.intp)
    for r in range(len(near)):
        size, worst = 0, np.inf
        row = near[r]
        for j in range(len(row)):
            if row[j] < worst or size < candidates:
                size = _insert(values, members, size, row[j], j)
                worst = values[size - 1] if size == candidates else np.inf
        found = members[:size].copy()
        size = 0
        for j in found:
            square = 0.0
            for f in range(x.shape[1]):
                square += (x[j, f] - x[start + r, f]) ** 2
            size = _insert(values, members, size, square, j)
        order[r], squares[r] = members[:m], values[:m]


@jit
def _insert(values, members, size, value, member):
    """Put a value in its place among `size` ascending ones; the last falls out where there is no room. The new size."""
    at = size if size < len(values) else size - 1
    while at > 0 and values[at - 1] > value:
        values[at], members[at] = values[at - 1], members[at - 1]
        at -= 1
    values[at], members[at] = value, member
    return min(size + 1, len(values))


@jit
def votes(counts, order, codes, worth, k, n_classes):
    """(n_classes, b, n) how many of the k nearest members of each training set are of each class, copies counted; the sum
    of what each is `worth` (n,), 1 for a vote, and of one class the target for a sum of targets.

    `counts` (n, b), at most k, says how often each case is in each training set, `order` (n, m) the nearest cases of
    each case. The second answer (b,) is whether k members were found for every case.
    """
    n, b = counts.shape
    found, enough = np.zeros((n_classes, b, n), worth.dtype), np.ones(b, np.bool_)
    mine, left = np.empty((n_classes, b), worth.dtype), np.empty(b, np.int16)
    for i in range(n):
        mine[:] = 0
        left[:] = k
        for j in order[i]:  # all training sets walk along the neighbours side by side
            there, votes_of, one = counts[j], mine[codes[j]], worth[j]
            most = np.int16(0)
            for r in range(b):
                taken = min(there[r], left[r])
                votes_of[r] += taken * one
                left[r] -= taken
                most = max(most, left[r])
            if most == 0:
                break
        enough &= left == 0
        found[:, :, i] = mine
    return found, enough


@jit
def votes_by_distance(away, beyond, counts, near, codes, worth, k, equal, found):
    """Adds to `found` (n_classes, b) the votes about one case where every training set has distances of its own.

    `away` (b, m) are the squared distances of the candidates `near` (m,); no other case is nearer than `beyond` (b,).
    `counts` (n, b), at most k; distances that differ by less than `equal`, relatively, are equal but for rounding.
    Returns (b,) whether k members were found, and no other case could be one of them.
    """
    b, m = away.shape
    sure = np.ones(b, np.bool_)
    values, members = np.empty(k + 1), np.empty(k + 1, np.intp)
    for r in range(b):
        size, worst = 0, np.inf
        for j in range(m):
            if counts[near[j], r] > 0 and away[r, j] < worst:
                size = _insert(values, members, size, away[r, j], near[j])
                worst = values[k] if size > k else np.inf
        left, at = k, 0
        while left > 0 and at < size:
            taken = min(counts[members[at], r], left)
            found[codes[members[at]], r] += taken * worth[members[at]]
            left -= taken
            at += 1
        following = min(values[at], beyond[r]) if at < size else beyond[r]
        sure[r] = left == 0 and values[at - 1] < following * (1 - equal)
    return sure


def inverses(matrices: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(b, p, p) inverses of symmetric matrices, NaN where one is not positive definite; and log-determinants.

    Sweeps take a quarter of the time of `np.linalg.inv` for some dozens of rows; larger ones go to LAPACK one by one,
    where one that is not positive definite does not stop the others either.
    """
    if matrices.shape[-1] <= SWEPT_ROWS:
        return _swept(matrices)
    out, log_determinants = np.full(matrices.shape, np.nan), np.full(len(matrices), np.nan)
    for b, matrix in enumerate(matrices):
        factor, wrong = lapack.dpotrf(matrix, lower=1)
        if wrong or not np.isfinite(factor[-1, -1]):
            continue
        lower, _ = lapack.dpotri(factor, lower=1)
        out[b] = np.tril(lower) + np.tril(lower, -1).T
        log_determinants[b] = 2 * np.log(np.diagonal(factor)).sum()
    return out, log_determinants


@jit
def _swept(matrices):
    """By sweeps (Gauss & Jordan)."""
    b, p, _ = matrices.shape
    out, log_determinants, row = matrices.copy(), np.zeros(b), np.empty(p)
    for r in range(b):
        a = out[r]
        for k in range(p):
            pivot = a[k, k]
            if not pivot > 0:
                a[:] = np.nan
                log_determinants[r] = np.nan
                break
            log_determinants[r] += np.log(pivot)
            for j in range(p):
                row[j] = a[k, j] / pivot
            for i in range(p):
                factor = a[i, k]
                for j in range(p):
                    a[i, j] -= factor * row[j]
                a[i, k] = -factor / pivot
            for j in range(p):
                a[k, j] = row[j]
            a[k, k] = 1 / pivot
    return out, log_determinants
