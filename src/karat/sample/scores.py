"""Scores: the one place where they are checked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from karat.errors import InputError, Text
from karat.result.digits import counted
from karat.result.note import Note
from karat.sample.labels import array_of, check_same_length
from karat.typing import Array, Bools, Floats

ROWS_LOOKED_AT = 10  # rows of a table that tell whether its scores are labels


def score_array(scores: object, n: int, param: str = "scores") -> Floats:
    """One score per case: (n,) floats, a copy. ±inf is allowed, NaN is not.

    Errors name `param`, and the column where the scores are one of a pandas table.
    """
    column = getattr(scores, "name", None)
    name = param if column is None else f"score {column}"
    values = numbers(scores, param, name).copy()  # curves are computed later, and the caller may change the scores
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        fix = "Pass the column of the positive class" if values.ndim == 2 and values.shape[1] == 2 else ""
        raise InputError(
            f"{name} must have one score per case", param=param, got=f"an array of shape {values.shape}", fix=fix
        )
    check_same_length(param, len(values), n, name)
    refuse_nan(values, param, name)
    return values


def score_table(scores: object, shape: tuple[int, ...], param: str = "scores") -> Floats:
    """Scores of this shape. NaN is allowed: some tables use it for "not scored"."""
    table = numbers(scores, param)
    if table.shape != shape:
        raise InputError(f"{param} must have shape {shape}", param=param, got=f"shape {table.shape}")
    return table


def numbers(values: object, param: str, name: str | None = None) -> Floats:
    """An array of floats; an error that names the first value that is not a number."""
    try:
        return np.asarray(array_of(values), dtype=float)
    except (TypeError, ValueError) as error:
        problem = _not_a_number(values) or f"must be numbers ({error})"
        raise InputError(f"{name or param}: {problem}", param=param) from None


def refuse_nan(values: Floats, param: str, name: str | None = None, fix: Text = "") -> None:
    """An error where a score is NaN."""
    missing = np.isnan(values)
    if missing.any():
        rows = np.any(missing.reshape(len(missing), -1), axis=1)
        raise InputError(
            f"{name or param}: {counted(int(missing.sum()), 'value is', 'values are')} NaN, {_first(rows)}",
            param=param,
            fix=fix or "Drop these cases or give them a score; ±inf is allowed, NaN is not",
        )


def hard_labels_note(scores: Array | None) -> Note | None:
    """A warning where scores (F, n) take two values only; None otherwise."""
    if scores is None:
        return None
    some = np.asarray(scores[:ROWS_LOOKED_AT]).ravel()
    some = some[~np.isnan(some)]
    if len(set(some[:3].tolist())) == 3 or len(some) < 3 or len(np.unique(some)) != 2:
        return None
    return Note(
        "scores-look-like-labels",
        "Scores take only two values and look like class labels; the ROC curve has a single point. Use the scores of "
        "decision_function or predict_proba.",
        "warning",
    )


def _not_a_number(values: object) -> str:
    """Which values are not numbers; "" where they have other faults."""
    if not isinstance(values, Iterable):
        return ""
    column = pd.Series(list(values), dtype=object)
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in column):
        return ""  # a table
    wrong = np.asarray(pd.to_numeric(column, errors="coerce").isna() & column.notna())
    if not wrong.any():
        return ""
    count = counted(int(wrong.sum()), "value is", "values are")
    return f"{count} not a number, {_first(wrong)}: {column[int(wrong.argmax())]!r}"


def _first(which: Bools | np.bool_) -> str:
    return f"the first at row {int(which.argmax())} (counting from 0)"
