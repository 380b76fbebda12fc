"""Neighbours in order of distance, and how they vote under many training sets."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin

CHUNK = 2_000_000  # distances at a time


def nearest(X: np.ndarray, m: int) -> np.ndarray | None:
    """(n, m) the m nearest cases of each case, itself first; None where two distances in reach are equal."""
    n = len(X)
    x = X - X.mean(axis=0)
    squares = (x**2).sum(axis=1)
    order = np.empty((n, m), dtype=np.int32)
    step = max(1, CHUNK // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        distance = squares[rows, None] - 2 * x[rows] @ x.T + squares[None, :]
        some = np.argpartition(distance, min(m, n - 1), axis=1)[:, : min(m + 1, n)]
        # the exact distances of the few that matter: the products above lose digits
        exact = ((X[some] - X[rows, None, :]) ** 2).sum(axis=2)
        by = np.argsort(exact, axis=1, kind="stable")
        exact, some = np.take_along_axis(exact, by, axis=1), np.take_along_axis(some, by, axis=1)
        gap = np.diff(exact, axis=1)
        if (gap <= 1e-9 * exact[:, 1:]).any():
            return None
        order[rows] = some[:, :m]
    return order


@twin
def votes(
    counts: np.ndarray,  # (b, n) unsigned
    order: np.ndarray,  # (n, m)
    codes: np.ndarray,  # (n,)
    k: int,
    n_classes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(b, n, C) how many of the k nearest members of each training set are of each class, copies counted; and (b,)
    whether k were found for every case."""
    found = np.zeros((len(counts), len(codes), n_classes))
    enough = np.ones(len(counts), dtype=bool)
    classes = codes[order]
    for b, row in enumerate(counts.astype(np.int64)):
        there = row[order]  # (n, m)
        reached = np.cumsum(there, axis=1)
        taken = np.clip(k - (reached - there), 0, there)
        enough[b] = bool((reached[:, -1] >= k).all())
        for c in range(n_classes):
            found[b, :, c] = (taken * (classes == c)).sum(axis=1)
    return found, enough
