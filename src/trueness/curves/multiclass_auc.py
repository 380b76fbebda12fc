"""AUCs of several classes with standard errors: Hand and Till's M, and one against the rest."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from trueness.curves.notes import SCORES
from trueness.formulas.auc import delong_influence
from trueness.result import Estimate
from trueness.result.interval import LOGIT
from trueness.sample.auc_estimate import auc_of_influence
from trueness.sample.labels import check_same_index
from trueness.sample.sample import Sample
from trueness.sample.scores import refuse_nan, score_table
from trueness.typing import Floats, Ints, Labels, Scores


def hand_till(y: Labels, scores: Scores, classes: Labels | None = None) -> Estimate:
    """M = 2/(C(C − 1)) Σ_{i<j} ½ (A(i|j) + A(j|i)), A(i|j) the AUC of output i for class i against class j
    (Hand & Till 2001).

    The standard error follows from DeLong's: each AUC is a sum of one contribution per case, and so is M.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    scores : array-like of shape (n, C)
        Outputs, columns in the order of `classes`.
    classes : array-like of shape (C,), optional
        The labels in the order of the columns; sorted by default.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from trueness.curves.multiclass_auc import hand_till
    >>> outputs = [[3, 1, 0], [2, 2, 0], [1, 2, 1], [2, 3, 1], [0, 1, 3], [0, 2, 2]]
    >>> print(hand_till(["a", "a", "b", "b", "c", "c"], outputs))
    auc hand-till: 0.938 ± 0.051
    """
    return hand_till_of(*_checked(y, scores, classes))


def one_against_rest(y: Labels, scores: Scores, classes: Labels | None = None) -> Estimate:
    """Unweighted mean over classes of the AUC of output c for class c against all others, with its standard error."""
    return one_against_rest_of(*_checked(y, scores, classes))


def hand_till_of(scores: Floats, codes: Ints) -> Estimate:
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


def one_against_rest_of(scores: Floats, codes: Ints) -> Estimate:
    n_classes = scores.shape[1]
    values, influence = [], np.zeros(len(codes))
    for target in range(n_classes):
        value, g = delong_influence(np.ascontiguousarray(scores[:, target]), codes == target)
        values.append(value)
        influence += g / n_classes
    return _estimate(values, influence, codes, "one against rest")


def _estimate(values: list[float], influence: Floats, codes: Ints, method: str) -> Estimate:
    out = Estimate(
        float(np.mean(values)),
        metric="auc",
        method=method,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=LOGIT,
        cases=int(np.bincount(codes).min()),
    )
    return auc_of_influence(out, influence, codes)


def _checked(y: Labels, scores: Scores, classes: Labels | None) -> tuple[Floats, Ints]:
    sample = Sample.of(y, classes=classes)
    table = score_table(scores, (sample.n, sample.n_classes))
    refuse_nan(table, "scores")
    check_same_index("scores", scores, "y", y)
    return table, sample.codes
