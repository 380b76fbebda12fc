"""Fits from arrays of another system, and from scikit-learn's cross_validate, whose fitted estimators are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import check_choice, given_array
from trueness.errors import InputError
from trueness.sample.asked import (
    RESPONSES,
    Answer,
    AnswerTable,
    answers,
    offers_of,
    response_of,
    task_of,
    with_log_odds,
)
from trueness.sample.design import Design, design_of_splits, kept_class_sizes
from trueness.sample.labels import Task, codes_among, label_array
from trueness.sample.left_out import check_threshold
from trueness.sample.sample import Sample
from trueness.sample.scores import (
    largest,
    look_like_probabilities,
    notes_of_scores,
    refuse_nan,
    score_table,
)
from trueness.typing import Array, Features, Floats, Label, Labels, Stratified

if TYPE_CHECKING:
    from trueness.sample.fits import Fits

KINDS = ("bootstrap", "cv", "holdout")


def _design(
    counts: Array, sample: Sample, plan: str | None, repeat: npt.ArrayLike | None, stratified: Stratified | None
) -> Design:
    kind: Any = plan
    repeats = None
    if repeat is not None:
        repeats = given_array("repeat", repeat)
        if repeats.shape != (len(counts),):
            got = f"shape {repeats.shape} for {len(counts)} fits"
            raise InputError("repeat must have one value per fit", param="repeat", got=got)
        repeats = np.unique(repeats, return_inverse=True)[1]
    if plan is None:  # the kind that such counts come from, where only one is possible
        if len(counts) == 1 and counts.max() <= 1:
            kind = "holdout"
        elif repeats is not None or (counts.max() <= 1 and (counts == 0).any(axis=1).all()):
            kind = "cv"
        elif counts.max() > 1 and (counts.sum(axis=1) == sample.n).all():
            kind = "bootstrap"
    check_choice("plan", kind, KINDS, "plan must say how the training sets were drawn")
    if kind != "holdout" and (counts.sum(axis=1) == 0).any():
        fix = "Use plan='holdout' for a test set"
        raise InputError(f"A row of counts is all 0, which is not possible in a {kind} plan", param="counts", fix=fix)
    if kind == "cv" and repeats is None and ((counts == 0).sum(axis=0) == 1).all():  # a partition
        repeats = np.zeros(len(counts), dtype=np.intp)
    design = Design(
        kind=kind,
        plan=f"arrays({kind})",
        sample=sample,
        stratified=kept_class_sizes(counts, sample, kind, stratified),
        fixed_sizes=stratified == "fixed",
        stored=counts,
        repeat=repeats,
        seed=np.random.SeedSequence(0),
    )
    for block in () if sample.groups is None else map(design.rows, design.slices()):
        if (block != block[:, design.first_of_unit][:, design.units]).any():
            problem = "A group is on both sides of a split, or its cases were drawn unequally often"
            raise InputError(problem, param="groups", fix="Draw whole groups, or leave groups= out")
    return design


def _scores(param: str, scores: npt.ArrayLike, shape: tuple[int, ...], sample: Sample) -> Floats:
    several = (*shape, sample.n_classes)
    scores = given_array(param, scores)
    if sample.n_classes == 2 and scores.shape == several:
        scores = scores[..., 1 if sample.positive is None else sample.positive]
    fix = "One score per class, or kind='regression' where y holds numbers"
    table = score_table(scores, shape, param) if sample.n_classes <= 2 else score_table(scores, several, param, fix)
    if np.isinf(table).any():
        fix = "Replace them, e.g. by the largest finite score"
        raise InputError(f"{param} has infinite values", param=param, fix=fix)
    return table


def _decided(
    param: str, predictions: npt.ArrayLike | None, scores: Floats | None, shape: tuple[int, ...], sample: Sample
) -> Array | None:
    """The predicted classes; without them, of several classes, those with the largest scores."""
    if predictions is None:
        return largest(scores) if scores is not None and sample.n_classes > 2 else None
    table = given_array(param, predictions)
    if table.shape != shape:
        raise InputError(f"{param} must have shape {shape}", param=param, got=f"shape {table.shape}")
    known, codes = ~np.asarray(pd.isna(table)), np.full(shape, -1, dtype=np.int16)
    if known.any():
        codes[known] = codes_among(label_array(table[known], param), sample.classes, param)
    return codes


class FromArrays:
    """Fits of another system, and those of scikit-learn's cross_validate."""

    @classmethod
    def from_arrays(
        cls: Any,
        y: Labels,
        counts: npt.ArrayLike | None,
        scores: npt.ArrayLike | None,
        full_scores: npt.ArrayLike | None = None,
        threshold: float | None = None,
        predictions: npt.ArrayLike | None = None,
        full_predictions: npt.ArrayLike | None = None,
        positive: Label | None = None,
        classes: Labels | None = None,
        plan: str | None = None,
        repeat: npt.ArrayLike | None = None,
        groups: Labels | None = None,
        stratified: Stratified | None = None,
        *,
        kind: Task = "classification",
    ) -> Fits:
        """Fits from the arrays of another training system.

        Parameters
        ----------
        y : array-like of shape (n,)
            Labels.
        counts : array-like of shape (F, n), or None
            How often case i entered training set f. None, or a row of zeros, is a separate test set.
        scores : array-like of shape (F, n) or (F, n, C), or None
            Score of rule f on case i, high for the positive class, or one score per class in the order of `classes`; of a
            test set also (n,) or (n, C). NaN means "not scored". None where there are only predictions.
        full_scores, full_predictions : array-like of shape (n,), optional
            Of the rule trained on all cases: for the apparent, refined, .632 and .632+ estimates.
        threshold : float, optional
            A case is predicted positive where score ≥ threshold; not needed with `predictions`.
        predictions : array-like of shape (F, n), optional
            Predicted labels. Without them each case of several classes is predicted to be of the class with the largest
            score.
        positive : label, optional
            The positive class; may be left out for labels 0/1, −1/1, no/yes and booleans.
        classes : sequence of labels, optional
            All classes, in the order of the scores; sorted by default.
        plan : {"bootstrap", "cv", "holdout"}, optional
            How the training sets were drawn; inferred from the counts where that is safe.
        repeat : array-like of shape (F,), optional
            Repeat that each fit of a repeated cross-validation belongs to.
        groups : array-like of shape (n,), optional
            Group of each case.
        stratified : bool or "fixed", optional
            Whether classes kept their sizes in the draws; inferred from the counts where that is safe. "fixed" where
            the study fixed them, so that they do not vary from sample to sample.
        kind : {"classification", "regression"}, default "classification"
            "regression" where y holds numbers and `scores` are the predicted numbers.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where arrays do not fit together; `error.param` names the parameter at fault.

        Examples
        --------
        >>> import trueness
        >>> test = trueness.Fits.from_arrays([0, 0, 1, 1, 1], [[0] * 5], [[0.1, 0.4, 0.3, 0.8, 0.9]], threshold=0.5)
        >>> print(trueness.estimate(test, "auc", "holdout"))
        auc holdout: 0.83 ± 0.24

        Probabilities of several classes, on a test set:

        >>> p = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.4, 0.5, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]
        >>> test = trueness.Fits.from_arrays(["a", "a", "b", "b", "c", "c"], None, p, classes=["a", "b", "c"])
        >>> print(trueness.estimate(test, "error", "holdout"))
        error holdout: 0.17 ± 0.15
        """
        counts = np.zeros(len(given_array("y", y)), dtype=np.uint8) if counts is None else given_array("counts", counts)
        scores = None if scores is None else given_array("scores", scores)
        predictions = None if predictions is None else given_array("predictions", predictions)
        if counts.ndim == 1:  # one fit, whose arrays may come without its own axis
            scores = scores[None] if scores is not None and scores.ndim and len(scores) == len(counts) > 1 else scores
            counts = counts[None]
            predictions = predictions if predictions is None or predictions.ndim > 1 else predictions[None]
        plain = counts.dtype.kind in "biuf" and np.isfinite(counts).all()
        if not plain or (counts != np.round(counts)).any() or (counts < 0).any():
            got = f"an array of {counts.dtype}"
            raise InputError("counts must be whole numbers from 0 on", param="counts", got=got)
        least = 1 + bool(counts.any())  # a separate test set may have one case of a class
        sample = Sample.of(y, positive=positive, groups=groups, classes=classes, least=least, kind=kind)
        if counts.ndim != 2 or counts.shape[1] != sample.n or counts.shape[0] == 0:
            got = f"shape {counts.shape} for {sample.n} cases"
            raise InputError("counts must have shape (n_fits, n_cases)", param="counts", got=got)
        table = counts if counts.dtype.kind in "iu" else counts.astype(np.int64)
        of_classes = {"threshold": threshold, "predictions": predictions, "full_predictions": full_predictions}
        for param, value in of_classes.items():
            if sample.numbers is not None and value is not None:
                fix = "Pass the predicted numbers as scores= and full_scores="
                raise InputError("A regression has no classes to decide for", param=param, fix=fix)
        if scores is None and predictions is None:
            raise InputError(
                "There are neither scores nor predictions", param="scores", fix="Pass scores=, predictions= or both"
            )
        held = None if scores is None else _scores("scores", scores, table.shape, sample)
        full = None if full_scores is None else _scores("full_scores", full_scores, (sample.n,), sample)
        if full is not None:
            refuse_nan(full, "full_scores", fix="The rule trained on all cases must score all of them")
        if threshold is not None:
            check_threshold(sample, threshold)
        fits: Fits = cls(
            design=_design(table, sample, plan, repeat, stratified),
            held=held,
            held_predictions=_decided("predictions", predictions, held, table.shape, sample),
            full_scores=full,
            full_predictions=_decided("full_predictions", full_predictions, full, (sample.n,), sample),
            threshold=threshold,
            probabilities=sample.numbers is None and look_like_probabilities(held, full),
        )
        return replace(fits, notes=notes_of_scores(held if sample.numbers is None else None, False, given=True))

    @classmethod
    def from_cv_results(
        cls: Any,
        cv_results: Mapping[str, Any],
        X: Features,
        y: Labels,
        positive: Label | None = None,
        groups: Labels | None = None,
        scores: Literal["auto", "decision_function", "predict_proba"] = "auto",
    ) -> Fits:
        """Fits from scikit-learn's `cross_validate(..., return_estimator=True, return_indices=True)`.

        The fitted estimators score the cases; nothing is fitted again. Numbers are those of `trueness.fit` on the same
        splits, to the last bit where the splits list training cases in order (those of `ShuffleSplit` are permuted,
        which changes rounding). There is no rule trained on all cases, so there is no apparent estimate.

        Parameters
        ----------
        cv_results : dict
            What `cross_validate` returned.
        X, y : array-like
            The features and labels that `cross_validate` was called with.
        positive : label, optional
            The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
        groups : array-like of shape (n,), optional
            Group of each case.
        scores : {"auto", "decision_function", "predict_proba"}, default "auto"
            Method of the estimators that gives scores, as in `trueness.fit`.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where estimators or indices are missing, or do not belong to X and y.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> r = cross_validate(GaussianNB(), X, y, cv=5, return_estimator=True, return_indices=True)
        >>> print(trueness.estimate(trueness.Fits.from_cv_results(r, X, y), "error", "cv"))
        error cv: 0.061 ± 0.010
        """
        if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= set(cv_results):
            fix = "Call cross_validate(..., return_estimator=True, return_indices=True)"
            raise InputError("cv_results needs estimator and indices", param="cv_results", fix=fix)
        rules, indices = list(cv_results["estimator"]), cv_results["indices"]
        if not (len(rules) == len(indices["train"]) == len(indices["test"])):
            raise InputError("cv_results has different numbers of estimators and splits", param="cv_results")
        pairs = list(zip(indices["train"], indices["test"], strict=True))
        sample = Sample.of(y, X=X, positive=positive, groups=groups, kind=task_of(rules))
        design = design_of_splits(
            pairs,
            replace(sample, X=None),
            f"cross_validate({len(pairs)} splits)",
            np.random.SeedSequence(0),
            "cv_results",
        )
        named = np.asarray(((design.rows(slice(None)) > 0) | design.tests()).any(axis=0))
        if design.folds is None and len(pairs) > 1 and named.argmin() and not named[named.argmin() :].any():
            fix = "Pass the X and y that cross_validate was called with"
            got = f"{design.n} cases"
            raise InputError(f"All splits are about the first {named.argmin()} cases", param="X", got=got, fix=fix)
        common = set(RESPONSES).intersection(*(offers_of(rule) for rule in rules))
        response = response_of(common, scores, sample)
        table = AnswerTable(design, sample, scored=response != "none")
        for f, rule in enumerate(rules):
            # as trueness.fit does: of folds the held-out cases alone, else all cases
            cases = None if design.folds is None else design.tested(f)
            try:
                table.put(f, Answer(*answers(rule, sample, cases, response)))
            except InputError:
                raise
            except Exception as error:  # also of estimators whose fit failed, with error_score=nan
                said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
                table.put(f, Answer(None, None, said))
        if len(table.failed) == len(rules):
            raise InputError("No estimator of cv_results can score its test cases", param="X", reason=table.failed[0])
        of_classes = None if table.scores is None or sample.numbers is not None else table.scores[:]
        notes = notes_of_scores(of_classes, response == "predict_proba")
        fits: Fits = replace(cls.of_table(table, response, "cross_validate"), notes=notes)
        return with_log_odds(fits, rules[0])
