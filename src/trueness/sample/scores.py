"""Scores: the one place where they are checked."""

import hashlib
from collections.abc import Mapping
from numbers import Number

import numpy as np

from trueness.checks import given_array
from trueness.errors import InputError
from trueness.result.notes import Note, warn_of
from trueness.sample.labels import LARGEST_EXACT, check_same_length
from trueness.typing import Array, Floats

MANY_AT_ENDS = 0.02  # share of probabilities that are exactly 0 or 1
CLOSE_TO_END = 1e-6  # single precision rounds to 1 above 1 − 6e-8
ROWS_LOOKED_AT = 10  # rows of a table that tell whether its scores are labels

CONSTANT = Note("constant-scores")


def hash_of(*columns: Array) -> str:
    """SHA-256 of labels, scores and groups of the same cases, in their order."""
    both = np.stack(columns, dtype=float, casting="unsafe")
    return "sha256:" + hashlib.sha256(both.tobytes()).hexdigest()[:32]


def score_array(scores: object, n: int, param: str = "scores") -> Floats:
    """One score per case: (n,) floats, a copy. ±inf is allowed, NaN is not.

    Errors name `param`, and the column where the scores are one of a pandas table.
    """
    column = getattr(scores, "name", None)
    name = param if column is None else f"score {column}"
    values = numbers(scores, param, name).copy()  # curves are computed later, and the caller may change the scores
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1:
        got = f"an array of shape {values.shape}"
        fix = (
            "Pass one column, e.g. that of the positive class; of several classes use Fits.from_arrays(y, None, scores)"
        )
        raise InputError(f"{name} must have one score per case", param=param, got=got, fix=fix)
    check_same_length(param, len(values), n, name)
    refuse_nan(values, param, name)
    return values


def score_table(scores: object, shape: tuple[int, ...], param: str = "scores", fix: str = "") -> Floats:
    """Scores of this shape. NaN is allowed: some tables use it for "not scored"."""
    table = numbers(scores, param)
    if table.shape != shape:
        raise InputError(f"{param} must have shape {shape}", param=param, got=f"shape {table.shape}", fix=fix)
    return table


def largest(scores: Array) -> Array:
    """(...) the place of the largest of scores (..., C), the first of several; −1 where one is NaN."""
    return np.where(np.isnan(scores).any(axis=-1), -1, scores.argmax(axis=-1)).astype(np.int16)


def numbers(values: object, param: str, name: str | None = None) -> Floats:
    """An array of floats; an error that names the first value that is not a number."""
    if isinstance(values, (str, Mapping)):
        got = repr(values if isinstance(values, str) else list(values))
        fix = "Pass the column itself; trueness.roc compares several by name"
        raise InputError(f"{name or param} must be numbers", param=param, got=got, fix=fix)
    try:
        found = given_array(param, values)
        if found.dtype.kind in "cmM":  # of complex numbers NumPy would take the real parts
            raise TypeError(f"they are of type {found.dtype}")
        floats = found.astype(float, copy=False)
    except OverflowError:
        raise InputError(f"{name or param}: a number is too large for double precision", param=param) from None
    except (TypeError, ValueError) as error:
        raise InputError(f"{name or param} must be numbers", param=param, reason=str(error)) from None
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
        got = f"e.g. {p[outside][0]:.6g}"
        fix = f"{fix}; divide percentages by 100"
        raise InputError(f"{param} must hold probabilities, from 0 to 1", param=param, got=got, fix=fix)
    return p.clip(0, 1)


def refuse_nan(values: Floats, param: str, name: str | None = None, fix: str = "") -> None:
    """An error where a score is NaN."""
    rows = np.isnan(values).reshape(len(values), -1).any(axis=1)
    if rows.any():
        got = f"{int(rows.sum())} rows with NaN, the first is row {int(rows.argmax())} (counting from 0)"
        fix = fix or "Drop these cases or give them a score; ±inf is allowed, NaN is not"
        raise InputError(f"{name or param} holds NaN", param=param, got=got, fix=fix)


def notes_of_scores(scores: Array | None, probabilities: bool, given: bool = False) -> tuple[Note, ...]:
    """Notes about scores (F, n) of two classes, of a model or `given`; warnings among them are issued.

    Scores with two values only look like labels. Many `probabilities` may have rounded to exactly 0 or 1; shares of
    votes (trees, neighbours) are so, too, because the model does not tell the cases apart, and others of them are not
    close to 0 or 1.
    """
    if scores is None or scores.ndim != 2:
        return ()
    some, notes = np.asarray(scores[:ROWS_LOOKED_AT]).ravel(), []
    some = some[~np.isnan(some)]
    if given and len(np.unique(some[:100])) <= 2 and len(np.unique(some)) == 2:
        notes.append(Note("scores-look-like-labels"))
    distance = np.minimum(some, 1 - some)
    number = int((distance == 0).sum())
    many = number >= max(2, MANY_AT_ENDS * len(some))
    if probabilities and many and (distance[distance > 0] < CLOSE_TO_END).any():
        notes.append(Note("saturated-probabilities", number=number, share=number / len(some)))
    warn_of(*notes)
    return tuple(notes)


def look_like_probabilities(held: Floats | None, full: Floats | None = None) -> bool:
    """Whether there are scores, and all that are known are from 0 to 1."""
    parts = [part for part in (held, full) if part is not None]
    return held is not None and all(np.nanmin(p, initial=0) >= 0 and np.nanmax(p, initial=1) <= 1 for p in parts)
