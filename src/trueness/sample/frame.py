"""Fits from a table with one row per prediction, as caret, mlr3 and tidymodels export it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.sample.design import Design, design_of_splits, passes_of
from trueness.sample.labels import Task, codes_among, label_array
from trueness.sample.sample import Sample
from trueness.sample.scores import largest, look_like_probabilities, notes_of_scores, numbers, refuse_nan
from trueness.typing import Array, Floats, Ints, Label

if TYPE_CHECKING:
    from trueness.sample.fits import Fits

ASSUMED = Note("training-sets-assumed")


def as_pandas(frame: object) -> pd.DataFrame:
    if hasattr(frame, "to_dict") and not isinstance(frame, (pd.DataFrame, pd.Series)):  # polars
        frame = pd.DataFrame(frame.to_dict(as_series=False))
    if not isinstance(frame, pd.DataFrame):
        raise InputError("frame must be a DataFrame", param="frame", got=type(frame).__name__)
    if not len(frame):
        raise InputError("frame has no rows", param="frame")
    return frame


def column_of(frame: pd.DataFrame, name: object, param: str) -> pd.Series:
    if not isinstance(name, Hashable) or name not in frame.columns:
        fix = f"Columns: {', '.join(map(str, frame.columns))}"
        raise InputError(f"There is no column {name!r}", param=param, fix=fix)
    found = frame[name]
    if isinstance(found, pd.DataFrame):
        raise InputError(f"frame has {found.shape[1]} columns {name!r}", param=param, fix="Give them different names")
    return found


def complete_column(frame: pd.DataFrame, name: object, param: str) -> pd.Series:
    """A column without gaps."""
    column = column_of(frame, name, param)
    missing = column.isna().to_numpy()
    if missing.any():
        got = f"{int(missing.sum())}, the first at row {int(missing.argmax())} (counting from 0)"
        raise InputError(f"Column {name!r} has missing values", param=param, got=got)
    return column


def _rules(frame: pd.DataFrame, which: Ints, fold: str | None, repeat: str | None) -> tuple[Ints, Ints]:
    """(rows,) the rule behind each row, in an order in which passes over the cases follow each other where there are
    such; and (F,) the repeat of each rule."""
    if fold is None and repeat is None:
        return np.zeros(len(frame), dtype=np.intp), np.zeros(1, dtype=np.intp)
    of_fold, names = np.zeros(len(frame), dtype=np.intp), np.array([""], dtype=object)
    if fold is not None:
        of_fold, names = pd.factorize(complete_column(frame, fold, "fold").to_numpy(), sort=True)
    if repeat is not None:
        of_repeat, _ = pd.factorize(complete_column(frame, repeat, "repeat").to_numpy(), sort=True)
        pairs, rule = np.unique(np.stack([of_repeat, of_fold]), axis=1, return_inverse=True)
        return np.asarray(rule).ravel(), pairs[0]
    alone = np.full(len(names), -1, dtype=np.intp)  # splits without repeats
    passes = passes_of(_tested(which, of_fold, len(names)))
    if passes is None:  # caret writes Fold01.Rep1: sort by the repeat, then by the fold
        place = np.argsort(sorted(range(len(names)), key=lambda k: str(names[k]).split(".")[::-1]))
        moved = passes_of(_tested(which, place[of_fold], len(names)))
        if moved is not None:
            return place[of_fold], moved
    return of_fold, alone if passes is None else passes


def _tested(which: Ints, rule: Ints, n_rules: int) -> Array:
    tests = np.zeros((n_rules, which.max() + 1), dtype=bool)
    tests[rule, which] = True
    return tests


def _scores(frame: pd.DataFrame, score: object, sample: Sample) -> Floats:
    """(rows,) the scores of the positive class, or (rows, C) of several classes."""
    names: list[object] = [score]
    if isinstance(score, Mapping):
        names = [score.get(label) for label in sample.classes.tolist()]
    if None in names or (sample.n_classes > 2 and len(names) == 1):
        fix = 'Pass {label: column, ...}, e.g. {"yes": "prob.yes", "no": "prob.no"}'
        raise InputError("Each class needs a score column", param="score", got=repr(score), fix=fix)
    if len(names) == 2:
        names = [names[1 if sample.positive is None else sample.positive]]
    values = np.stack([numbers(column_of(frame, name, "score"), "score", f"column {name}") for name in names], axis=-1)
    refuse_nan(values, "score")
    if np.isinf(values).any():
        raise InputError("score has infinite values", param="score", fix="Replace them by the largest finite score")
    return values if sample.n_classes > 2 else values[:, 0]


def _design(which: Ints, rule: Ints, order: Ints, sample: Sample) -> Design:
    seed = np.random.SeedSequence(0)
    if len(order) == 1:
        counts = np.zeros((1, sample.n), dtype=np.uint8)
        return Design("holdout", "frame(holdout)", sample, False, stored=counts, seed=seed)
    tests = _tested(which, rule, len(order))
    if (whole := tests.all(axis=1)).any():
        fix = "Pass fold= and repeat= if folds have the same names in every repeat"
        got = f"{int(whole.sum())} of {len(order)}"
        raise InputError("A fold tests every case, so that none is left to train on", param="fold", got=got, fix=fix)
    made = design_of_splits([(~row, row) for row in tests], sample, "frame(cv)", seed, "fold")
    made = replace(made, notes=(*made.notes, ASSUMED))
    # of incomplete repeats the table still tells which folds belong together
    return made if made.folds is not None or (order < 0).any() else replace(made, repeat=order)


class FromFrame:
    """Fits of a table of another program."""

    @classmethod
    def from_frame(
        cls: Any,
        frame: pd.DataFrame,
        case: str,
        truth: str,
        score: str | Mapping[Label, str] | None = None,
        prediction: str | None = None,
        fold: str | None = None,
        repeat: str | None = None,
        group: str | None = None,
        positive: Label | None = None,
        threshold: float | None = None,
        *,
        kind: Task = "classification",
    ) -> Fits:
        """Fits from a table with one row per prediction, as caret, mlr3, tidymodels and others export it.

        Without `fold` and `repeat` the table is a test set. With them every row is a held-out case of a
        cross-validation, and each training set is assumed to hold all cases that it does not test.

        Parameters
        ----------
        frame : DataFrame
            pandas or polars; the rows of one model.
        case, truth : str
            Columns of the identifier of the case (caret: rowIndex, mlr3: row_ids, tidymodels: .row) and of its label.
        score : str or mapping of label to str, optional
            Column of the score of the positive class; or one column per class, as {label: column}.
        prediction : str, optional
            Column of the predicted label. Without it each case of several classes is predicted to be of the class with the
            largest score.
        fold : str, optional
            Column of the fold or split (caret: Resample, mlr3: iteration, tidymodels: id2, or id without repeats).
        repeat : str, optional
            Column of the repeat (tidymodels: id). Not needed where the values of `fold` differ between repeats.
        group : str, optional
            Column of the group of the case (patient, site).
        positive : label, optional
            The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
        threshold : float, optional
            A case is predicted positive where score ≥ threshold; not needed with `prediction`.
        kind : {"classification", "regression"}, default "classification"
            "regression" where `truth` holds numbers and `score` the predicted numbers.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where rows repeat a case within a fold, contradict each other, or columns are missing; `error.param` names
            the parameter.

        Examples
        --------
        >>> import trueness, pandas as pd
        >>> frame = pd.DataFrame({"rowIndex": [1, 2, 3, 4, 5, 6], "obs": list("yynnny"), "Resample": list("112221"),
        ...                       "pred": list("ynnnyy"), "y": [0.9, 0.4, 0.2, 0.3, 0.6, 0.8]})
        >>> fits = trueness.Fits.from_frame(frame, case="rowIndex", truth="obs", score="y", prediction="pred",
        ...                              fold="Resample", positive="y")
        >>> print(trueness.estimate(fits, "error", "cv"))
        error cv: 0.33 ± 0.19
        """
        frame = as_pandas(frame)
        if kind == "regression":
            score, prediction = score or prediction, None  # what other programs call the predicted number
            if threshold is not None or not isinstance(score, str):
                fix = "Pass the column of the predicted number as score="
                raise InputError("A regression has one predicted number per row", param="score", fix=fix)
        if score is None and prediction is None:
            raise InputError(
                "There are neither scores nor predictions", param="score", fix="Pass score= or prediction="
            )
        # in sorted order: tables of two models number their cases alike
        which, cases = pd.factorize(complete_column(frame, case, "case").to_numpy(), sort=True)
        of_case = np.unique(which, return_index=True)[1]  # (n,) a row of each case
        rule, order = _rules(frame, which, fold, repeat)
        twice = pd.DataFrame({"case": which, "rule": rule}).duplicated().to_numpy()
        if twice.any():
            got = f"case {cases[which[twice.argmax()]]!r} at row {twice.argmax()}, counting from 0"
            fix = "Keep the rows of one model (of one set of tuning parameters), and pass fold= and repeat="
            raise InputError("Rows repeat a case within one fold", param="frame", got=got, fix=fix)

        def one_per_case(name: str, param: str) -> Array:
            values = complete_column(frame, name, param).to_numpy()
            differs = values != values[of_case][which]
            if differs.any():
                got = f"row {differs.argmax()} (counting from 0)"
                raise InputError(f"Rows of one case have different values in column {name!r}", param=param, got=got)
            return np.asarray(values[of_case])

        labels, groups = one_per_case(truth, "truth"), None if group is None else one_per_case(group, "group")
        sample = Sample.of(labels, positive=positive, groups=groups, least=1 if len(order) == 1 else 2, kind=kind)
        design = _design(which, rule, order, sample)
        if not any(list(cases) == list(range(first, first + len(cases))) for first in (0, 1)):  # no row numbers
            names = repr([str(name) for name in cases]).encode()
            design = replace(design, names=hashlib.blake2b(names, digest_size=16).hexdigest())
        row = rule if design.folds is None else rule // design.n_folds
        shape = (design.n_fits if design.folds is None else len(design.folds), sample.n)
        held = None if score is None else np.full((*shape, sample.n_classes)[: 2 + (sample.n_classes > 2)], np.nan)
        if held is not None:
            held[row, which] = _scores(frame, score, sample)
        predicted: Array | None = None
        if prediction is not None:
            said = label_array(column_of(frame, prediction, "prediction"), "prediction")
            predicted = np.full(shape, -1, dtype=np.int16)
            predicted[row, which] = codes_among(said, sample.classes, "prediction", fix="")
        elif held is not None and sample.n_classes > 2:
            predicted = largest(held)
        fits: Fits = cls(
            design=design,
            held=held,
            held_predictions=predicted,
            threshold=threshold,
            probabilities=sample.numbers is None and look_like_probabilities(held),
            engine="frame",
            notes=notes_of_scores(held if sample.numbers is None else None, probabilities=False, given=True),
        )
        return fits
