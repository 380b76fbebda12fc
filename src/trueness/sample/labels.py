"""Labels, numbers as targets, groups and the positive class: the one place where they are checked.

Every function that takes `y`, `predictions`, `positive` or `groups` uses these checks, so that the same mistake has the
same message everywhere. `param` is the name of the caller's parameter.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from trueness.checks import given_array
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.typing import Array, Floats, Ints

# Pairs of labels whose positive class needs no naming. For anything else a guess could be wrong: the alphabetically
# last of "sick" and "well" is "well", and the AUC would silently become 1 − AUC.
OBVIOUS_LABELS: tuple[set[object], ...] = ({0, 1}, {-1, 1}, {False, True})  # of which 1 is positive
ANSWERS = {
    True: {"yes", "y", "true", "1", "positive", "pos", "+", "present", "case"},
    False: {"no", "n", "false", "0", "negative", "neg", "-", "absent", "control"},
}
"""How yes and no are written."""

MANY_VALUES = 20  # more different whole numbers than this in a column of a file are numbers to predict
MANY_CLASSES = 10  # with more classes than this, integers of which many occur once are not labels
SHARE_OF_SINGLES = 0.1  # of the classes
LISTED = 5  # labels, cases or items that a message lists
LARGEST_EXACT = 2**53  # from here on neighbouring whole numbers are equal in double precision


def listed(values: Sequence[object] | Array, how: Callable[[object], str] = repr) -> str:
    """ "'a', 'b', 'c', 'd', 'e' and 12 more"."""
    more = f" and {len(values) - LISTED} more" * (len(values) > LISTED)
    return ", ".join(map(how, values[:LISTED])) + more


def column_array(values: object, param: str, wanted: str) -> Array:
    """One value per case, (n,), of one type; an error names `param`."""
    if isinstance(values, (list, tuple)) and any(isinstance(v, (str, bytes)) for v in values):
        values = np.array(values, dtype=object)  # or NumPy would turn numbers into texts and cut off NULs
    found = given_array(param, values, wanted)
    found = found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
    if found.ndim != 1:
        raise InputError(f"{param} must {wanted}", param=param, got=f"an array of shape {found.shape}")
    if not found.size:
        raise InputError("There are no cases", param=param, got=f"{param} with 0 rows")
    return found


def _refuse(bad: Array, param: str, what: str, fix: str = "Drop these cases") -> None:
    """An error that counts what is wrong and says where it begins."""
    if bad.any():
        got = f"{int(bad.sum())}, the first at row {int(bad.argmax())} (counting from 0)"
        raise InputError(f"{param} has {what}", param=param, got=got, fix=fix)


def label_array(y: object, param: str = "y", missing: str = "Drop these cases") -> Array:
    """One label per case: (n,) integers, booleans or strings. Whole floats become integers. Errors name `param`, and say
    what to do where some are `missing`."""
    labels = column_array(y, param, "have one label per case")
    if labels.dtype.kind in "cV":
        raise InputError(f"{param} holds no labels", param=param, got=f"an array of {labels.dtype}")
    if labels.dtype.kind not in "iub":
        _refuse(np.asarray(pd.isna(labels)), param, "missing labels", missing)
    if labels.dtype.kind == "f":
        labels = labels.astype(np.result_type(labels.dtype, np.float64), copy=False)  # the limit is no half float
        fractions = (labels != np.round(labels)) | (np.abs(labels) >= LARGEST_EXACT)
        if fractions.any():
            fix = "Use a regressor to predict a number, or pass labels (are y and the scores swapped?)"
            got = f"e.g. {float(labels[fractions][0])!r}"
            raise InputError(f"{param} holds numbers that are not labels", param=param, got=got, fix=fix)
        labels = labels.astype(np.int64)
    if labels.dtype.kind == "O":
        _require_one_type(labels, param, "labels")
        if not isinstance(labels[0], Hashable) or isinstance(labels[0], tuple):
            got = f"{type(labels[0]).__name__} objects, e.g. {labels[0]!r}"
            raise InputError(f"{param} must have one label per case", param=param, got=got, fix="Pass numbers or texts")
        given, labels = labels.tolist(), np.array(labels.tolist())
        changed = [label for label, kept in zip(given, labels.tolist(), strict=True) if label != kept]
        if changed:  # a NUL at the end of a text, or whole numbers that have no type in common
            got = f"{listed(changed)}, which NumPy does not keep"
            raise InputError(f"{param} holds labels that would be changed", param=param, got=got, fix="Rename them")
    return labels


def _require_one_type(values: Array, param: str, what: str) -> None:
    kinds = {type(v).__name__ for v in values.tolist()}
    if len(kinds) > 1:
        got = ", ".join(sorted(kinds))
        problem = f"{param} mixes {what} of different types"
        raise InputError(problem, param=param, got=got, fix="Convert them to one type")


def folded_label(text: object) -> object:
    """A text in one spelling."""
    return " ".join(text.casefold().split()) if isinstance(text, str) else text


def alike_labels(classes: Iterable[object]) -> list[str]:
    """Those that differ from another in upper and lower case or in blanks only, as yes and Yes do."""
    texts = [label for label in classes if isinstance(label, str)]
    words = Counter(map(folded_label, texts))
    return [text for text in texts if words[folded_label(text)] > 1]


def other_spellings(sizes: Mapping[object, int], least: int = 1) -> dict[str, str]:
    """The most frequent spelling for each other one that differs from it in case or blanks only.

    Parameters
    ----------
    sizes : mapping of object to int
        Number of cases of each label.
    least : int, default 1
        Number of different labels that must be left; where fewer would be, none is another spelling.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> other_spellings({"yes": 2, "Yes ": 1, "no": 1}), other_spellings({"a": 1, "A": 1}, least=2)
    ({'Yes ': 'yes'}, {})
    """
    if len(set(map(folded_label, sizes))) < least:
        return {}
    alike, spelled = alike_labels(sizes), dict[object, str]()  # of equally frequent ones the last, as yes of Yes
    for label in sorted(alike, key=lambda text: (sizes[text], text), reverse=True):
        spelled.setdefault(folded_label(label), " ".join(label.split()))
    return {label: spelled[folded_label(label)] for label in alike if label != spelled[folded_label(label)]}


def same_answers(classes: Iterable[object]) -> list[list[str]]:
    """Labels that look like several ways to write one answer: at least one of them is a word.

    >>> same_answers(["Yes", "No", "Y"]), same_answers(["1", "0", "no"]), same_answers(["T", "N", "F"])
    ([['Yes', 'Y']], [['0', 'no']], [])
    """
    texts = [label for label in classes if isinstance(label, str)]
    found = [{text: folded_label(text) for text in texts if folded_label(text) in words} for words in ANSWERS.values()]
    return [list(same) for same in found if len(set(same.values())) > 1 and any(len(str(w)) > 1 for w in same.values())]


def classes_of(labels: Array) -> tuple[Array, Ints]:
    """The different labels, sorted, and the index of each case's label among them.

    As `numpy.unique` with `return_inverse`, without a sort where there are two labels.

    >>> classes, codes = classes_of(np.array(["b", "a", "b"]))
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    first = labels[0]
    other = labels != first
    second = labels[int(other.argmax())]  # again the first where there is no other
    if first == second or not (other == (labels == second)).all():
        found, codes = np.unique(labels, return_inverse=True)
        return found, codes.astype(np.intp)
    found = np.sort(np.array([first, second], dtype=labels.dtype))
    return found, np.asarray(labels == found[1], dtype=np.intp)


def codes_among(labels: Array, classes: Sequence[object] | Array, param: str = "y", fix: str = "") -> Ints:
    """(n,) the index of each label in `classes`; an error where it is not among them."""
    known = np.asarray(classes).tolist()
    found, codes = classes_of(labels)
    if unknown := [label for label in found.tolist() if label not in known]:
        got = f"{listed(unknown)}; the classes are {known}"
        raise InputError(f"{param} holds a label that is not among the classes", param=param, got=got, fix=fix)
    return np.array([known.index(label) for label in found.tolist()], dtype=np.intp)[codes]


def require_cases(classes: Array, sizes: Ints) -> None:
    """An error where a class has a single case: it can either train or test, not both."""
    single = classes[sizes == 1].tolist()
    if not single:
        return
    many = len(single) >= SHARE_OF_SINGLES * len(classes) or np.median(sizes[sizes > 0]) <= 2
    problem, fix = "At least 2 cases per class are required", "Collect more cases of these classes, or drop them"
    if classes.dtype.kind in "iu" and len(classes) > MANY_CLASSES and many:
        problem = "y looks like a number to predict, not like class labels"
        fix = "Use a regressor, or pass class labels"
    raise InputError(problem, param="y", got=f"only 1 case of {listed(single)}", fix=fix)


def positive_code(classes: Sequence[object] | Array, positive: object = None) -> int | None:
    """Index of the positive class; None where it was not given and the labels do not imply it.

    >>> [positive_code(labels) for labels in ([0, 1], ["Yes", "no"], ["FALSE", "TRUE"], ["neg", "pos"], ["T", "F"])]
    [1, 0, 1, 1, None]
    """
    labels = np.asarray(classes).tolist()
    if positive is None:
        if set(labels) in OBVIOUS_LABELS:
            return int(labels.index(1))
        pairs = [(0, 1), (1, 0)] if len(labels) == 2 else []
        words = [[folded_label(label) in ANSWERS[side] for label in labels] for side in (False, True)]
        return next((up for down, up in pairs if words[False][down] and words[True][up]), None)
    if len(labels) != 2:
        got = f"{len(labels)} classes: {listed(labels)}"
        raise InputError("A positive class needs exactly 2 classes", param="positive", got=got)
    text = str(positive).capitalize() if isinstance(labels[0], bool) else str(positive)  # "true" in a file is True
    scalar = np.isscalar(positive)  # an array, or a missing value of pandas, equals no label
    matches = [k for k, label in enumerate(labels) if str(label) == text or (scalar and label == positive)]
    if not matches:
        got = f"{positive!r}; the classes are {labels}"
        raise InputError("The positive label is not among the classes", param="positive", got=got)
    return matches[0]


def require_positive(classes: Sequence[object] | Array, positive: object = None) -> int:
    """The index of the positive class; an error where it is not known, or where there are not two classes."""
    code, labels = positive_code(classes, positive), np.asarray(classes).tolist()
    if len(labels) != 2:
        raise InputError("Exactly two classes are required", param="y", got=f"{len(labels)}: {listed(labels)}")
    if code is None:
        a, b = labels
        fix = f"Pass positive={a!r} or positive={b!r}"
        raise InputError(f"Cannot infer the positive class from labels {a!r} and {b!r}", param="positive", fix=fix)
    return code


def group_codes(groups: object, y: object, n: int, param: str = "groups") -> Ints | None:
    """(n,) the index of each case's group; None where no groups are given."""
    if groups is None:
        return None
    check_same_index(param, groups, "y", y)
    values = column_array(groups, param, "have one value per case")
    check_same_length(param, len(values), n)
    _refuse(np.asarray(pd.isna(values)), param, "missing values")
    if values.dtype.kind == "O":
        _require_one_type(values, param, "values")
    if values.dtype.kind == "f" and (np.abs(values.astype(np.longdouble)) >= LARGEST_EXACT).any():
        got = f"e.g. {values[np.abs(values).argmax()]!r}, rounded to double precision"
        fix = "Pass them as integers or texts"
        raise InputError(f"{param} holds numbers too large to tell apart", param=param, got=got, fix=fix)
    try:
        codes = np.unique(values, return_inverse=True)[1]
    except TypeError:
        raise InputError(f"{param} must hold numbers or texts", param=param) from None
    if codes.max() == 0:
        raise InputError(f"{param} has a single value; at least 2 groups are required", param=param)
    return codes.astype(np.intp)


def check_same_length(param: str, length: int, n: int, name: str | None = None) -> None:
    """An error unless a parameter has one row per label."""
    if length != n:
        got = f"{n} labels and {length} rows"
        raise InputError(f"y and {name or param} have different lengths", param=param, got=got)


def check_same_index(param: str, values: object, other_param: str, other: object) -> None:
    """An error where two pandas objects have different indexes: their rows may not belong together."""
    frames = (pd.Series, pd.DataFrame)
    if isinstance(values, frames) and isinstance(other, frames) and not values.index.equals(other.index):
        raise InputError(
            f"{param} and {other_param} have different indexes, so their rows may not belong together",
            param=param,
            fix=f"Align them ({param} = {param}.loc[{other_param}.index]), or pass {param}.to_numpy() if the order is "
            "right",
        )


Task = Literal["classification", "regression"]
"""What is predicted: a class, or a number."""

LARGEST_TARGET = 1e70  # the variance of the squares of larger numbers overflows
SMALLEST_SPREAD = 1e-70  # that of smaller ones is 0


def target_array(y: object, least: int = 2, param: str = "y") -> Floats:
    """One finite number per case, (n,) floats; with `least` above 1 they must not all be equal."""
    values = column_array(y, param, "have one number per case")
    try:
        if values.dtype.kind not in "biufO" or any(isinstance(v, (str, bytes)) for v in values.tolist()):
            raise TypeError
        numbers = values.astype(float)  # None is NaN
    except (TypeError, ValueError):
        got = listed(np.unique(values.astype(str)).tolist())
        fix = f"Use a classifier, or pass numbers, e.g. {param}.astype(float)"
        raise InputError(f"The model predicts numbers, and {param} holds none", param=param, got=got, fix=fix) from None
    _refuse(np.isnan(numbers), param, "missing values")
    _refuse(np.isinf(numbers), param, "infinite values")
    spread, got = float(np.ptp(numbers / 2)) * 2, f"from {numbers.min():.3g} to {numbers.max():.3g}"
    if np.abs(numbers).max() > LARGEST_TARGET or 0 < spread < SMALLEST_SPREAD:
        problem = f"Squared errors of {param} and their variance leave double precision"
        raise InputError(problem, param=param, got=got, fix="Rescale the target")
    if least > 1 and spread == 0:
        raise InputError(f"All values of {param} are equal, so there is nothing to predict", param=param, got=got)
    return numbers


def two_values_note(numbers: Floats) -> Note | None:
    """A warning where a number to predict has two values, as classes have; None otherwise."""
    values = np.unique(numbers)
    return Note("two-valued-target", values=tuple(values.tolist())) if len(values) == 2 else None


def is_numeric(y: object) -> bool:
    """Whether y holds numbers that cannot be labels: fractions, or more than ten whole numbers of which most occur once
    or twice.

    >>> is_numeric([1.5, 2.0, 3.0]), is_numeric(range(100)), is_numeric([0, 1, 1, 0]), is_numeric(["a", "b"])
    (True, True, False, False)
    """
    values, sizes = np.unique(_known_numbers(y), return_counts=True)
    return bool((values != np.round(values)).any()) or (len(sizes) > MANY_CLASSES and bool(np.median(sizes) <= 2))


def looks_numeric(y: object) -> bool:
    """The rule for a column of a file: numbers with fractions, or more than 20 different whole numbers, are a target to
    predict; anything else is labels.

    >>> looks_numeric([18, 90] * 30), looks_numeric([*range(18, 90)] * 9)
    (False, True)
    """
    values = np.unique(_known_numbers(y))
    return bool((values != np.round(values)).any()) or len(values) > MANY_VALUES


def _known_numbers(y: object) -> Floats:
    """The finite numbers of y; none where it holds anything else."""
    try:
        values = given_array("y", y).reshape(-1)
        known = [v for v in values.tolist() if v is not None] if values.dtype.kind == "O" else []
        if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known):
            values = np.array(known, dtype=float) if known else values
        numbers = values.astype(float) if values.dtype.kind in "iuf" else np.empty(0)
    except (ValueError, OverflowError):  # lists of different lengths; whole numbers beyond doubles
        return np.empty(0)
    return np.asarray(numbers[np.isfinite(numbers)])
