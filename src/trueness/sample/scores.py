"""Scores: the one place where they are checked."""

from collections.abc import Iterable, Mapping
from numbers import Number

import numpy as np
import pandas as pd

from trueness.checks import real
from trueness.errors import InputError
from trueness.result.notes import Note, warn_of
from trueness.result.words import counted
from trueness.sample.labels import LARGEST_EXACT, array_of, check_same_length
from trueness.typing import Array, Bools, Floats

MANY_AT_ENDS = 0.02  # share of probabilities that are exactly 0 or 1
CLOSE_TO_END = 1e-6  # single precision rounds to 1 above 1 − 6e-8
ROWS_LOOKED_AT = 10  # rows of a table that tell whether its scores are labels

OF_CLASSES = (
    "One column, with y == its class, has a curve; one column per class is assessed by "
    "trueness.assess(trueness.Fits.from_arrays(y, None, scores)), whose plot_roc() draws each class against the rest"
)
CONSTANT = Note("constant-scores")


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
        columns = values.shape[1] if values.ndim == 2 else 0
        fix = "Pass the column of the positive class" if columns == 2 else OF_CLASSES if columns > 2 else ""
        if columns and hasattr(scores, "columns"):
            fix = f"{fix}; trueness.roc(y, dict(scores)) compares the columns"
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


def largest(scores: Array) -> Array:
    """(...) the place of the largest of scores (..., C), the first of several; −1 where one is NaN."""
    return np.where(np.isnan(scores).any(axis=-1), -1, scores.argmax(axis=-1)).astype(np.int16)


def numbers(values: object, param: str, name: str | None = None) -> Floats:
    """An array of floats; an error that names the first value that is not a number."""
    if isinstance(values, (str, Mapping)):
        column = f"Pass the column itself, e.g. data[{values!r}]"
        one = "Pass one of them; trueness.roc and trueness.comparisons.delong_many compare several by name"
        kind = "a name" if isinstance(values, str) else "several by name"
        fix = column if isinstance(values, str) else one
        raise InputError(
            f"{name or param} must be numbers, not {kind}",
            param=param,
            got=repr(list(values) if isinstance(values, Mapping) else values),
            fix=fix,
        )
    try:
        found = array_of(values)
        if found.dtype.kind in "mM":
            whole = found.astype(np.int64).astype(object)
            found = np.where(np.isnat(found), np.array(np.nan, dtype=object), whole)  # NaT would be a number
        floats = real(found)
    except OverflowError:
        raise InputError(f"{name or param}: a number is too large for double precision", param=param) from None
    except (TypeError, ValueError) as error:
        wrong = _not_a_number(values)
        problem, fix = (
            (wrong, "Pass numbers, high for the positive class") if wrong else (f"must be numbers ({error})", "")
        )
        raise InputError(f"{name or param}: {problem}", param=param, fix=fix) from None
    if isinstance(values, (list, tuple)) and (np.abs(floats) >= LARGEST_EXACT).any():
        found = np.array(values, dtype=object)  # NumPy may have rounded them already
    refuse_merged(found, floats, param, name)
    return floats


def refuse_merged(given: Array, floats: Floats, param: str, name: str | None = None) -> None:
    """An error where different numbers are equal as floats: large whole numbers, time stamps, decimals."""
    if given.dtype.kind == "O":
        exact = [v for v in given.ravel().tolist() if isinstance(v, Number) and v == v]
        different, kept = len(set(exact)), len(set(map(float, exact)))  # type: ignore[arg-type]
    elif given.dtype == np.longdouble or (given.dtype.kind in "iu" and (np.abs(floats) >= LARGEST_EXACT).any()):
        different, kept = len(np.unique(given)), len(np.unique(floats))
    else:
        return
    if kept < different:
        raise InputError(
            f"{name or param}: different numbers are equal in double precision",
            param=param,
            got=f"{different} different numbers, {kept} after rounding",
            fix="Pass ranks, e.g. numpy.unique(scores, return_inverse=True)[1], or subtract the smallest number first",
        )


def probabilities(p: Floats, param: str, fix: str) -> Floats:
    """The same, within [0, 1] where rounding left it; an error where a value is no probability."""
    outside = np.abs(p - 0.5) > 0.5 + CLOSE_TO_END
    if outside.any():
        first = p[outside][0]
        raise InputError(
            f"{param} must hold probabilities; {counted(int(outside.sum()), 'value is', 'values are')} outside [0, 1]",
            param=param,
            got=f"e.g. {first:.6g}",
            fix=f"Divide percentages by 100. {fix}" if 1 < first <= 100 else fix,
        )
    return p.clip(0, 1)


def refuse_nan(values: Floats, param: str, name: str | None = None, fix: str = "") -> None:
    """An error where a score is NaN."""
    missing = np.isnan(values)
    if missing.any():
        rows = np.any(missing.reshape(len(missing), -1), axis=1)
        raise InputError(
            f"{name or param}: {counted(int(missing.sum()), 'value is', 'values are')} NaN, {_first(rows)}",
            param=param,
            fix=fix or "Drop these cases or give them a score; ±inf is allowed, NaN is not",
        )


def notes_of_scores(scores: Array | None, probabilities: bool, given: bool = False) -> tuple[Note, ...]:
    """Notes about scores (F, n) of two classes, of a model or `given`: two values only, saturated probabilities."""
    if scores is None or scores.ndim != 2:
        return ()
    notes = (
        hard_labels_note(scores) if given else None,
        saturated_note(scores) if probabilities else None,
    )
    return tuple(note for note in notes if note is not None)


def look_like_probabilities(held: Floats | None, full: Floats | None = None) -> bool:
    """Whether there are scores, and all that are known are from 0 to 1."""
    parts = [part for part in (held, full) if part is not None]
    return held is not None and all(np.nanmin(p, initial=0) >= 0 and np.nanmax(p, initial=1) <= 1 for p in parts)


def warned(notes: Iterable[Note | None]) -> tuple[Note, ...]:
    """The notes that there are; warnings among them are issued."""
    found = tuple(note for note in notes if note is not None)
    warn_of(*found)
    return found


def saturated_note(probabilities: Array) -> Note | None:
    """A warning where many probabilities (F, n) have rounded to exactly 0 or 1; None otherwise.

    Shares of votes (trees, neighbours) are exactly 0 and 1, too, and tie because the model does not tell the cases
    apart; others of them are not close to 0 or 1.
    """
    some = np.asarray(probabilities[:ROWS_LOOKED_AT]).ravel()
    some = some[~np.isnan(some)]
    distance = np.minimum(some, 1 - some)
    ends = distance == 0
    number = int(ends.sum())
    if number < max(2, MANY_AT_ENDS * len(some)) or not (distance[~ends] < CLOSE_TO_END).any():
        return None
    share = number / len(some)
    return Note("saturated-probabilities", number=number, share=share)


def hard_labels_note(scores: Array | None) -> Note | None:
    """The note where scores (F, n) take two values only; None otherwise."""
    if scores is None:
        return None
    some = np.asarray(scores[:ROWS_LOOKED_AT]).ravel()
    some = some[~np.isnan(some)]
    if len(set(some[:3].tolist())) == 3 or len(some) < 3 or len(np.unique(some)) != 2:
        return None
    return Note("scores-look-like-labels")


def _not_a_number(values: object) -> str:
    """Which values are not numbers; "" where they have other faults."""
    if not isinstance(values, Iterable) or hasattr(values, "nnz") or getattr(values, "ndim", 1) != 1:
        return ""
    if isinstance(values, memoryview):  # which does not list what it holds
        values = np.asarray(values)
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
