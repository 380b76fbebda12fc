"""Numbers as targets: the one place where they are checked, and the rule by which a column of numbers is one."""

from typing import Literal

import numpy as np

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.result.words import Note, counted
from trueness.sample.labels import MANY_CLASSES, MANY_VALUES, array_of, given_array, listed
from trueness.typing import Array, Floats

Task = Literal["classification", "regression"]
"""What is predicted: a class, or a number."""

LARGEST_TARGET = 1e150  # squares of larger numbers overflow
SMALLEST_SPREAD = 1e-150  # squares of smaller ones are 0


def check_task(kind: object) -> None:
    """An error for anything but "classification" and "regression"."""
    if not is_one_of(kind, ("classification", "regression")):
        raise InputError('kind must be "classification" or "regression"', param="kind", got=repr(kind))


def target_array(y: object, least: int = 2, param: str = "y") -> Floats:
    """One finite number per case, (n,) floats; with `least` above 1 they must not all be equal."""
    values = given_array(param, y, "have one number per case")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        fix = "Predict one target at a time" if values.ndim == 2 else ""
        got = f"an array of shape {values.shape}"
        raise InputError(f"{param} must have one number per case", param=param, got=got, fix=fix)
    if not values.size:
        raise InputError("There are no cases", param=param, got=f"{param} with 0 rows")
    numbers = _floats(values, param)
    for bad, what in ((np.isnan(numbers), "missing value"), (np.isinf(numbers), "infinite value")):
        if bad.any():
            got = f"the first at row {int(bad.argmax())}, counting from 0"
            problem = f"{param} has {counted(int(bad.sum()), what)}"
            raise InputError(problem, param=param, got=got, fix="Drop these cases")
    spread = float(np.ptp(numbers / 2)) * 2
    if np.abs(numbers).max() > LARGEST_TARGET or 0 < spread < SMALLEST_SPREAD:
        got = f"from {numbers.min():.3g} to {numbers.max():.3g}"
        raise InputError(
            f"The squares of {param} leave double precision", param=param, got=got, fix="Rescale the target"
        )
    if least > 1 and spread == 0:
        raise InputError(
            f"All values of {param} are equal, so there is nothing to predict",
            param=param,
            got=f"{numbers[0]:g} for {counted(len(numbers), 'case')}",
        )
    return numbers


def _floats(values: Array, param: str) -> Floats:
    """As floats; an error for texts and anything else that is no number."""
    if values.dtype.kind in "biuf":
        return values.astype(float)
    fix = "Use a classifier, or pass numbers"
    try:
        if values.dtype.kind not in "O" or any(isinstance(v, (str, bytes)) for v in values.tolist()):
            raise TypeError
        return np.array([np.nan if v is None else v for v in values.tolist()], dtype=float)
    except (TypeError, ValueError):
        got = listed(np.unique(values.astype(str)).tolist())
        raise InputError(f"The model predicts numbers, and {param} holds none", param=param, got=got, fix=fix) from None


def two_values_note(numbers: Floats) -> Note | None:
    """A warning where a number to predict has two values, as classes have; None otherwise."""
    values = np.unique(numbers)
    if len(values) != 2:
        return None
    low, high = values.tolist()
    message = (
        f"The target has two values, {low:g} and {high:g}. If these are classes, use a classifier; its error rate and "
        "AUC say more than a squared error."
    )
    return Note("two-valued-target", message, "warning", values=(low, high))


def is_numeric(y: object) -> bool:
    """Whether y holds numbers that cannot be labels: fractions, or more than ten whole numbers of which most occur once
    or twice.

    >>> is_numeric([1.5, 2.0, 3.0]), is_numeric(range(100)), is_numeric([0, 1, 1, 0]), is_numeric(["a", "b"])
    (True, True, False, False)
    """
    values = _one_column(y)
    if values is None:
        return False
    if (values != np.round(values)).any():
        return True
    _, sizes = np.unique(values, return_counts=True)
    return len(sizes) > MANY_CLASSES and bool(np.median(sizes) <= 2)


def looks_numeric(y: object) -> bool:
    """The rule for a column of a file: numbers with fractions, or more than 20 different whole numbers, are a target to
    predict; anything else is labels.

    >>> looks_numeric([18, 90] * 30), looks_numeric([*range(18, 90)] * 9)
    (False, True)
    """
    values = _one_column(y)
    if values is None:
        return False
    return bool((values != np.round(values)).any()) or len(np.unique(values)) > MANY_VALUES


def _one_column(y: object) -> Floats | None:
    """The known numbers of y; None where it holds anything else."""
    try:
        values = array_of(y).reshape(-1)
    except ValueError:
        return None
    if values.dtype.kind == "O":
        known = [v for v in values.tolist() if v is not None]
        if not known or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known):
            return None
        try:
            values = np.array(known, dtype=float)
        except OverflowError:  # whole numbers beyond doubles
            return None
    if values.dtype.kind not in "iuf":
        return None
    numbers = values.astype(float)
    known_numbers = numbers[np.isfinite(numbers)]
    return known_numbers if len(known_numbers) else None
