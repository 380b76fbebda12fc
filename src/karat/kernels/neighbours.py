"""Neighbours in order of distance, and how they vote under many training sets."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin

CHUNK = 1_000_000  # distances at a time
SPARE = 8  # candidates more than asked for: single precision may order near ones wrongly


def nearest(X: np.ndarray, m: int) -> np.ndarray | None:
    """(n, m) the m nearest cases of each case, itself first; None where two distances in reach are equal.

    Single precision finds some more than m candidates, double precision orders them.
    """
    n, p = X.shape
    x = X - X.mean(axis=0)
    x /= np.sqrt((x**2).sum(axis=1).max()) or 1.0  # no norm above 1
    single = x.astype(np.float32)
    squares = np.einsum("np,np->n", x, x).astype(np.float32)
    order, gaps = np.empty((n, m), dtype=np.int32), np.empty(n)
    step = max(1, CHUNK // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        near = single[rows] @ single.T  # |a − b|² − |a|² = |b|² − 2 a·b, which orders the cases alike
        near *= -2
        near += squares
        # of a sum of p products of numbers up to 1, and of the two last steps
        error = (p + 8) * np.finfo(np.float32).eps
        if not order_candidates(near, x, start, min(m + SPARE, n), error, order[rows], gaps[rows]):
            return None
    return order if (gaps > 1e-9).all() else None


@twin
def order_candidates(
    near: np.ndarray,  # (r, n) |b|² − 2 a·b in single precision
    x: np.ndarray,  # (n, p)
    start: int,  # the first case of these rows
    candidates: int,
    error: float,
    order: np.ndarray,  # (r, m) to be filled
    gaps: np.ndarray,  # (r,) least gap between two neighbouring distances, relative; to be filled
) -> bool:
    """Whether the m nearest of every row are certain; otherwise distances are equal as far as can be seen."""
    n, m = len(x), order.shape[1]
    for r, row in enumerate(near):
        own = x[start + r]
        few = candidates
        while True:
            some = np.argpartition(row, few - 1)[:few] if few < n else np.arange(n)
            exact = ((x[some] - own) ** 2).sum(axis=1)
            by = np.argsort(exact, kind="stable")
            exact, some = exact[by], some[by]
            beyond = np.inf if few == n else row[some].max() + float(own @ own) - 2 * error
            if few == n or exact[m - 1] < beyond:
                break
            few = min(4 * few, n)
        order[r] = some[:m]
        reach = exact[: min(m + 1, len(exact))]
        gaps[r] = np.min(np.diff(reach) / np.maximum(reach[1:], 1e-300), initial=np.inf)
    return True


@twin
def votes(
    counts: np.ndarray,  # (b, n) unsigned
    order: np.ndarray,  # (n, m)
    codes: np.ndarray,  # (n,)
    k: int,
    n_classes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(C, b, n) how many of the k nearest members of each training set are of each class, copies counted; and (b,)
    whether k were found for every case."""
    found = np.zeros((n_classes, len(counts), len(codes)), dtype=np.uint8 if k < 256 else np.uint32)
    enough = np.ones(len(counts), dtype=bool)
    classes = codes[order]
    for b, row in enumerate(counts.astype(np.int64)):
        there = row[order]  # (n, m)
        reached = np.cumsum(there, axis=1)
        taken = np.clip(k - (reached - there), 0, there)
        enough[b] = bool((reached[:, -1] >= k).all())
        for c in range(n_classes):
            found[c, b] = (taken * (classes == c)).sum(axis=1)
    return found, enough
