"""What a design rules out, found before the first fit: cases or pairs that are never left out, folds of one class."""

from __future__ import annotations

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.influence.draws import refuse_cases, refuse_pairs
from trueness.estimators.registry import find
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result.note import Note
from trueness.sample.design import Design

MAX_PRODUCTS = 2e10  # pairs × replicates that are counted beforehand; some seconds


def check_beforehand(design: Design, metric: Metric, method: str) -> None:
    """An error where this estimate cannot exist on this design, whatever the model; the same as after the fits."""
    kinds = find(method, design.kind, metric).kinds
    design = next((part for part in design.parts if part.kind in kinds and design.kind not in kinds), design)
    if design.parts:
        return
    if method == "loob" and isinstance(metric, CaseLoss):
        refuse_cases(design, design.tests().sum(axis=0)[metric.case_weights(design.sample) > 0])
    elif method in ("lpob", "cv_pairs") and isinstance(metric, AUC):
        _check_pairs(design, metric)
    elif method == "cv" and isinstance(metric, AUC):
        _check_folds(design, metric)


def no_standard_error(design: Design, metric: Metric, method: str) -> Note | None:
    """A warning where a comparison cannot be tested, because no standard error is known; None otherwise."""
    chosen = find(method, design.kind, metric)
    if chosen.se[0] != "none":
        return None
    return Note(
        "no-se-known",
        (
            f"No standard error is known for {metric.name} by {method}, so differences cannot be tested. "
            "Leave {plan=} and {method=} out: the default has one."
        ),
        "warning",
        metric=metric.name,
        method=method,
    )


def _check_pairs(design: Design, metric: AUC) -> None:
    left_out: np.ndarray | None = None
    for target in metric.targets:
        up = design.sample.codes == target
        if float(design.n_fits) * np.count_nonzero(up) * np.count_nonzero(~up) > MAX_PRODUCTS:
            continue
        left_out = design.tests().astype(np.float32) if left_out is None else left_out
        refuse_pairs(design, left_out[:, up].T @ left_out[:, ~up], up)


def _check_folds(design: Design, metric: AUC) -> None:
    """Every fold needs cases of both classes."""
    tests = design.tests()
    bad = np.zeros(len(tests), dtype=bool)
    for target in metric.targets:
        up = design.sample.codes == target
        bad |= ~(tests[:, up].any(axis=1) & tests[:, ~up].any(axis=1))
    if bad.any():
        raise UndefinedError(
            f"{int(bad.sum())} of {len(bad)} folds have no {metric.name}: a class is missing",
            param="plan",
            fix="Use the method cv_pooled, fewer folds, or {stratified=True}",
        )
