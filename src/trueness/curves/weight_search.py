"""Operating points of several classes are class weights: their errors, and a greedy search for small maximal ones."""

from __future__ import annotations

import numpy as np

from trueness.typing import Floats, Ints

CELLS = 4_000_000  # products held at a time


def wrong_shares(
    weights: Floats,  # (P, C)
    outputs: Floats,  # (n, C), not negative
    codes: Ints,  # (n,)
    members: Floats,  # (R, n) rows of weights that sum to 1 over a set of cases
) -> Floats:
    """(P, R) weighted share of wrong decisions argmax_c w_c y_c of each set at each operating point (Paclík et al.
    2008, eq. 2)."""
    out = np.empty((len(weights), len(members)))
    step = max(1, CELLS // outputs.size)
    for start in range(0, len(weights), step):
        at = slice(start, start + step)
        decided = (weights[at, None, :] * outputs[None]).argmax(axis=2)  # (p, n)
        out[at] = (decided != codes).astype(float) @ members.T
    return out


def search(
    outputs: Floats,  # (n, C)
    codes: Ints,  # (n,)
    n_points: int,
    n_starts: int,
    n_steps: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Weights (P, C) with sum 1 and class errors (P, C) on these cases, the smallest maximal error first.

    From random weights, some greedy steps, each keeping the points with the smallest maximal class error (Paclík et
    al., section 4.3, which does not say how a step is made). Here every kept point is moved at random, on the log scale
    and half as far in each step, often enough to make `n_starts` candidates again. Of points with the same class errors
    one is kept, as long as others are left.
    """
    n_classes = outputs.shape[1]
    members = (codes == np.arange(n_classes)[:, None]) / np.bincount(codes, minlength=n_classes)[:, None]
    weights = rng.dirichlet(np.ones(n_classes), size=n_starts)
    weights = np.concatenate([np.full((1, n_classes), 1 / n_classes), weights])  # argmax of the outputs themselves
    errors = wrong_shares(weights, outputs, codes, members)
    weights, errors = _top(weights, errors, n_points)
    for step in range(n_steps):
        times = -(-n_starts // len(weights))
        moved = np.repeat(weights, times, axis=0) * np.exp(rng.normal(0, 0.5**step, (len(weights) * times, n_classes)))
        moved /= moved.sum(axis=1, keepdims=True)
        both = np.concatenate([weights, moved])
        weights, errors = _top(both, np.concatenate([errors, wrong_shares(moved, outputs, codes, members)]), n_points)
    return weights, errors


def _top(weights: Floats, errors: Floats, n_points: int) -> tuple[Floats, Floats]:
    """The points with the smallest maximal class error, then the smallest mean; different errors first."""
    order = np.lexsort([np.arange(len(errors)), errors.mean(axis=1).round(12), errors.max(axis=1).round(12)])
    _, first = np.unique(errors[order].round(12), axis=0, return_index=True)
    again = np.ones(len(order), dtype=bool)
    again[first] = False
    order = order[np.argsort(again, kind="stable")][:n_points]
    order = order[np.lexsort([order, errors[order].mean(axis=1).round(12), errors[order].max(axis=1).round(12)])]
    return weights[order], errors[order]
