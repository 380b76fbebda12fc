"""Fits from the result of scikit-learn's cross_validate: its fitted estimators are asked, nothing is fitted again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trueness.errors import InputError
from trueness.sample.asked import RESPONSES, AnswerTable, answers, offers_of, response_of
from trueness.sample.design import Design
from trueness.sample.fits import Failure, Fits
from trueness.sample.sample import Sample
from trueness.sample.scores import notes_of_scores, warned
from trueness.sample.splits import design_of_splits
from trueness.typing import Features, Label, Labels

HOW = "Call cross_validate(..., return_estimator=True, return_indices=True)"


def fits_from_cv_results(
    cv_results: Mapping[str, Any],
    X: Features,
    y: Labels,
    *,
    positive: Label | None,
    groups: Labels | None,
    scores: str,
) -> Fits:
    """See `Fits.from_cv_results`."""
    rules, pairs = _read(cv_results)
    sample = Sample.of(y, X=X, positive=positive, groups=groups)
    design = design_of_splits(
        pairs, sample.labels_only(), f"cross_validate({len(pairs)} splits)", np.random.SeedSequence(0), "cv_results"
    )
    _check_length(design)
    common = set(RESPONSES).intersection(*(offers_of(rule) for rule in rules))
    response = response_of(common, scores, sample)
    table, failed = AnswerTable(design, sample, scored=response != "none"), []
    for f, rule in enumerate(rules):
        # as trueness.fit does: of folds the held-out cases alone, else all cases
        cases = None if design.folds is None else design.tested(f)
        try:
            table.put(f, *answers(rule, sample, cases, response))
        except Exception as error:  # also of estimators whose fit failed, with error_score=nan
            table.put(f, None, None)
            failed.append(Failure(f, f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"))
    if len(failed) == len(rules):
        raise InputError("No estimator of cv_results can score its test cases", param="X", reason=failed[0].error)
    notes = notes_of_scores(None if table.scores is None else table.scores[:], response == "predict_proba")
    return replace(table.fits(response, tuple(failed)), engine="cross_validate", notes=warned(notes))


def _check_length(design: Design) -> None:
    """An error where all splits are about the first m cases: X and y hold more than cross_validate was called with."""
    if design.folds is not None or design.n_fits == 1:
        return
    named = (design.rows(slice(None)) > 0) | design.tests()
    m = int(named.any(axis=0).sum())
    if m < design.n and named[:, :m].all():
        raise InputError(
            f"All splits are about the first {m} cases",
            param="X",
            got=f"{design.n} cases",
            fix="Pass the X and y that cross_validate was called with",
        )


def _read(cv_results: object) -> tuple[list[Any], list[tuple[object, object]]]:
    """The estimators and their (train, test)."""
    if not isinstance(cv_results, Mapping):
        raise InputError(
            "cv_results must be what cross_validate returns", param="cv_results", got=type(cv_results).__name__, fix=HOW
        )
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise InputError(f"cv_results has no {' and no '.join(missing)}", param="cv_results", fix=HOW)
    rules, indices = list(cv_results["estimator"]), cv_results["indices"]
    if not (len(rules) == len(indices["train"]) == len(indices["test"])):
        raise InputError("cv_results has different numbers of estimators and splits", param="cv_results")
    return rules, list(zip(indices["train"], indices["test"], strict=True))
