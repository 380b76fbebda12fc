"""AUCs of several classes with standard errors: Hand and Till's M, and one against the rest."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from karat.curves.curve import SCORES
from karat.errors import InputError
from karat.formulas.delong import delong_influence
from karat.result import Estimate
from karat.result.interval_rules import LOGIT
from karat.sample.sample import Sample


def hand_till(y: Any, scores: Any, classes: Any = None) -> Estimate:
    """M = 2/(C(C − 1)) Σ_{i<j} ½ (A(i|j) + A(j|i)), A(i|j) the AUC of output i for class i against class j
    (Hand & Till 2001).

    The standard error is DeLong's, carried through: each AUC is a sum of one contribution a case, and so is M.

    Parameters
    ----------
    y
        (n,) labels.
    scores
        (n, C) outputs, columns in the order of `classes`.
    classes
        The labels in the order of the columns; None: sorted.

    Examples
    --------
    >>> from karat.curves.multiclass_auc import hand_till
    >>> outputs = [[3, 1, 0], [2, 2, 0], [1, 2, 1], [2, 3, 1], [0, 1, 3], [0, 2, 2]]
    >>> print(hand_till(["a", "a", "b", "b", "c", "c"], outputs))
    auc hand-till: 0.938 ± 0.051
    """
    return hand_till_of(*_checked(y, scores, classes))


def one_against_rest(y: Any, scores: Any, classes: Any = None) -> Estimate:
    """Unweighted mean over classes of the AUC of output c for class c against all others, with its standard error."""
    return one_against_rest_of(*_checked(y, scores, classes))


def hand_till_of(scores: np.ndarray, codes: np.ndarray) -> Estimate:
    n_classes = scores.shape[1]
    pairs = list(combinations(range(n_classes), 2))
    values, influence = [], np.zeros(len(codes))
    for i, j in pairs:
        cases = np.flatnonzero((codes == i) | (codes == j))
        for target in (i, j):
            value, g = delong_influence(scores[cases, target], codes[cases] == target)
            values.append(value)
            influence[cases] += g / (2 * len(pairs))
    return _estimate(values, influence, codes, "hand-till")


def one_against_rest_of(scores: np.ndarray, codes: np.ndarray) -> Estimate:
    n_classes = scores.shape[1]
    values, influence = [], np.zeros(len(codes))
    for target in range(n_classes):
        value, g = delong_influence(np.ascontiguousarray(scores[:, target]), codes == target)
        values.append(value)
        influence += g / n_classes
    return _estimate(values, influence, codes, "one against rest")


def _estimate(values: list[float], influence: np.ndarray, codes: np.ndarray, method: str) -> Estimate:
    out = Estimate(
        float(np.mean(values)),
        metric="auc",
        method=method,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=LOGIT,
        cases=int(np.bincount(codes).min()),
    )
    if np.isnan(influence).any():
        return out.noting("No standard error: a class has one case, and one case has no variance.")
    return out.with_(se=float(np.linalg.norm(influence)), se_method="delong", influence=influence)


def _checked(y: Any, scores: Any, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    sample = Sample.of(y, classes=classes)
    table = np.asarray(scores.to_numpy() if hasattr(scores, "to_numpy") else scores, dtype=float)
    if table.shape != (sample.n, sample.n_classes):
        raise InputError(
            "scores must have a row a case and a column a class",
            got=f"shape {table.shape} for {sample.n} cases of {sample.n_classes} classes",
        )
    missing = int(np.isnan(table).sum())
    if missing:
        what = "1 score is NaN" if missing == 1 else f"{missing} scores are NaN"
        raise InputError(what, fix="±inf is a legal score, NaN is none")
    return table, sample.codes
