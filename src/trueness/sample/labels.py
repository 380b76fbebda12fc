"""Labels, numbers as targets, groups and the positive class: the one place where they are checked.

Every function that takes `y`, `predictions`, `positive` or `groups` uses these checks, so that the same mistake has the
same message everywhere. `param` is the name of the caller's parameter.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from trueness.checks import is_one_of, unmasked
from trueness.errors import InputError, near
from trueness.result.notes import Note
from trueness.result.words import counted
from trueness.typing import Array, Floats, Ints

# Pairs of labels whose positive class needs no naming. For anything else a guess could be wrong: the alphabetically
# last of "sick" and "well" is "well", and the AUC would silently become 1 − AUC.
OBVIOUS_LABELS: tuple[set[object], ...] = ({0, 1}, {-1, 1}, {False, True})  # of which 1 is positive
OBVIOUS_WORDS = {"absent": "present", "control": "case"}  # the positive one by the negative one, beside `ANSWERS`
NO_ANSWERS = {"t", "f"}  # as they may stand for tumour, female, …

MANY_VALUES = 20  # more different whole numbers than this in a column of a file are numbers to predict
MANY_CLASSES = 10  # with more classes than this, integers of which many occur once are not labels
SHARE_OF_SINGLES = 0.1  # of the classes
NAMED = 5  # labels, cases or items that a message lists
NEW_LABELS = "Every label must be among these classes: those that were given, or those of the training cases"
GIVE_LABELS = "Use a regressor to predict a number, or pass class labels (are y and the scores swapped?)"
PASS_PREDICTIONS = "Pass predicted labels; scores are for trueness.roc"


LARGEST_EXACT = 2**53  # from here on neighbouring whole numbers are equal in double precision


def array_of(values: object) -> Array:
    """What a list, NumPy, pandas, polars or pyarrow object holds, as a NumPy array."""
    own = hasattr(values, "to_numpy") and not type(values).__module__.startswith("pyarrow")  # which copies no texts
    return np.asarray(values.to_numpy() if own else unmasked(values))  # type: ignore[attr-defined]


def given_array(param: str, values: object, wanted: str = "be an array") -> Array:
    """As `array_of`, with an error that names `param` where the values make no array."""
    try:
        return array_of(values)
    except ValueError:  # lists of different lengths
        raise InputError(f"{param} must {wanted}", param=param, got=type(values).__name__) from None


def listed(values: Sequence[object] | Array, how: Callable[[object], str] = repr) -> str:
    """ "'a', 'b', 'c', 'd', 'e' and 12 more"."""
    more = f" and {len(values) - NAMED} more" if len(values) > NAMED else ""
    return ", ".join(map(how, values[:NAMED])) + more


def label_array(y: object, param: str = "y") -> Array:
    """One label per case: (n,) integers, booleans or strings. Whole floats become integers. Errors name `param`."""
    if isinstance(y, str):
        fix = f"Pass the column itself, e.g. X[{y!r}]"
        raise InputError(f"{param} must have one label per case", param=param, got=repr(y), fix=fix)
    labels = _unmerged(y, param, "have one label per case")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"{param} must have one label per case", param=param, got=f"an array of shape {labels.shape}")
    if not labels.size:
        raise InputError("There are no cases", param=param, got=f"{param} with 0 rows")
    if labels.dtype.kind not in "iub" and (missing := np.asarray(pd.isna(labels))).any():
        fix = "Drop these cases"
        if not missing.all():
            try:
                label_array(labels[~missing], param)
            except InputError as other:  # both mistakes at once
                fix += f". The others have a mistake, too: {other.message()}".rstrip(".")
        raise InputError(
            f"{param} has missing labels",
            param=param,
            got=f"the first at row {int(missing.argmax())}, counting from 0",
            fix=fix,
        )
    if labels.dtype.kind == "f":
        labels = labels.astype(np.result_type(labels.dtype, np.float64), copy=False)  # the limit is no half float
        fractions = (labels != np.round(labels)) | (np.abs(labels) >= LARGEST_EXACT)
        if fractions.any():
            example = float(labels[fractions][0])
            fix = PASS_PREDICTIONS if param == "predictions" else GIVE_LABELS
            raise InputError(
                f"{param} holds numbers that are not labels", param=param, got=f"e.g. {example!r}", fix=fix
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind in "cV":
        kind = "complex numbers" if labels.dtype.kind == "c" else "records"
        raise InputError(f"{param} holds {kind}, which are not labels", param=param)
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


def _unmerged(values: object, param: str, wanted: str) -> Array:
    """As `given_array`; a list with texts as objects, or NumPy would turn numbers into texts and cut off NULs."""
    if isinstance(values, (list, tuple)) and any(isinstance(v, (str, bytes)) for v in values):
        values = np.array(values, dtype=object)
    return given_array(param, values, wanted)


def _require_one_type(values: Array, param: str, what: str) -> None:
    kinds = {type(v) for v in values.tolist()}
    if len(kinds) > 1:
        names = ", ".join(sorted(k.__name__ for k in kinds))
        raise InputError(
            f"{param} mixes {what} of different types", param=param, got=names, fix="Convert them to one type"
        )


def folded_label(text: str) -> str:
    """The label in one spelling."""
    return " ".join(text.casefold().split())


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
    alike = alike_labels(sizes)
    if len({folded_label(label) if isinstance(label, str) else label for label in sizes}) < least:
        return {}
    spelled: dict[str, str] = {}  # of equally frequent ones the last in the alphabet, as yes of Yes
    for label in sorted(alike, key=lambda text: (sizes[text], text), reverse=True):
        spelled.setdefault(folded_label(label), " ".join(label.split()))
    return {label: spelled[folded_label(label)] for label in alike if label != spelled[folded_label(label)]}


def spelled_note(others: Mapping[str, str]) -> Note | None:
    """What counts as what, of `other_spellings`; None where every label has one spelling."""
    if not others:
        return None
    return Note("labels-in-one-spelling", labels=list(others))


ANSWERS = {
    True: {"yes", "y", "ja", "j", "oui", "si", "sí", "true", "t", "1", "positive", "pos", "+"},
    False: {"no", "n", "nein", "non", "false", "f", "0", "negative", "neg", "-"},
}
"""How yes and no are written."""


def same_answers(classes: Iterable[object]) -> list[list[str]]:
    """Labels that look like several ways to write one answer: at least one of them is a word.

    >>> same_answers(["Yes", "No", "Y"]), same_answers(["1", "0", "nein"]), same_answers(["T", "N", "F"])
    ([['Yes', 'Y']], [['0', 'nein']], [])
    """
    texts = [label for label in classes if isinstance(label, str)]
    found = [[text for text in texts if folded_label(text) in words] for words in ANSWERS.values()]
    return [
        same
        for same in found
        if len({folded_label(text) for text in same}) > 1 and any(len(folded_label(text)) > 1 for text in same)
    ]


def one_spelling(classes: Iterable[object]) -> str:
    """Advice where classes are too many because some are spelled differently; "" where none are."""
    classes = list(classes)
    alike = alike_labels(classes)
    if alike:
        return f"Write {listed(alike)} in one spelling: as they are, they count as different classes"
    same = same_answers(classes)
    also = " and ".join(listed(labels) for labels in same)
    return f"Write {also} in one way: they look like one answer, and count as different classes" if same else ""


def spelling_note(classes: Array) -> Note | None:
    """A warning where classes differ in upper and lower case or in blanks only; None otherwise."""
    alike = alike_labels(classes.tolist())
    if not alike:
        return None
    return Note("labels-differ-in-spelling", labels=alike)


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
    found = np.array([first, second] if first < second else [second, first], dtype=labels.dtype)
    return found, (other if found[1] == second else ~other).astype(np.intp)


def codes_among(
    labels: Array, classes: Sequence[object] | Array, param: str = "y", fix: str = NEW_LABELS, positive: object = None
) -> Ints:
    """(n,) the index of each label in `classes`; an error where it is not among them."""
    known = _list(classes)
    found, codes = classes_of(labels)
    unknown = [label for label in found.tolist() if label not in known]
    if unknown:
        if fix is NEW_LABELS and known == [0, 1] and len(unknown) == len(found) == 2:
            one = found.tolist()[1] if positive is None else positive
            out = "" if positive is None else ", and leave positive= out"
            was = f"({param} == {one!r}).astype(int)"
            fix = f"Pass {param} as the model was trained, e.g. {was} if {one!r} was 1{out}"
        raise InputError(
            f"{param} holds a label that is not among the classes",
            param=param,
            got=f"{listed(unknown)}; the classes are {known}",
            fix=fix,
        )
    return np.array([known.index(label) for label in found.tolist()], dtype=np.intp)[codes]


def require_two_labels(classes: Array, n: int) -> None:
    """An error where all cases have the same label."""
    if len(classes) < 2:
        raise InputError(
            "y has one class only; at least 2 are required", param="y", got=f"{classes.tolist()} for {n} cases"
        )


def require_two_cases_per_class(classes: Array, sizes: Ints) -> None:
    """An error where a class has a single case: it can either train or test, not both."""
    single = classes[sizes == 1].tolist()
    if not single:
        return
    many = len(single) >= SHARE_OF_SINGLES * len(classes) or np.median(sizes[sizes > 0]) <= 2
    if classes.dtype.kind in "iu" and len(classes) > MANY_CLASSES and many:
        raise InputError(
            "y looks like a number to predict, not like class labels",
            param="y",
            got=f"{len(classes)} different values in {sizes.sum()} cases, {len(single)} of them in a single case",
            fix=GIVE_LABELS,
        )
    which = f"Class {single[0]!r} has" if len(single) == 1 else f"{len(single)} classes ({listed(single)}) have"
    raise InputError(
        f"{which} only 1 case; at least 2 per class are required",
        param="y",
        fix="Collect more cases of such a class, or drop it",
    )


def positive_code(classes: Sequence[object] | Array, positive: object = None) -> int | None:
    """Index of the positive class; None where it was not given and the labels do not imply it.

    >>> [positive_code(labels) for labels in ([0, 1], ["Yes", "no"], ["FALSE", "TRUE"], ["neg", "pos"], ["T", "F"])]
    [1, 0, 1, 1, None]
    """
    labels = _list(classes)
    if positive is None:
        if set(labels) in OBVIOUS_LABELS:
            return labels.index(1)
        words = [folded_label(label) if isinstance(label, str) else label for label in labels]
        return next((k for k in (0, 1) if len(words) == 2 and _obvious(words[1 - k], words[k])), None)
    if len(labels) != 2:
        raise InputError(
            "A positive class needs exactly 2 classes",
            param="positive",
            got=f"{len(labels)} classes: {listed(labels)}",
            fix=one_spelling(labels) or "Leave positive= out",
        )
    text = str(positive).capitalize() if isinstance(labels[0], bool) else str(positive)  # "true" in a file is True
    matches = [i for i, label in enumerate(labels) if str(label) == text or _is(label, positive)]
    if not matches:
        raise InputError(
            "The positive label is not among the classes",
            param="positive",
            got=f"{positive!r}; the classes are {labels}",
            fix=near(str(positive), map(str, labels)).strip(),
        )
    if alike := one_spelling(labels):
        rest = labels[1 - matches[0]]
        raise InputError(
            "The other label looks like the positive one",
            param="positive",
            got=f"{positive!r}, beside {rest!r}",
            fix=alike,
        )
    return matches[0]


def _obvious(negative: object, positive: object) -> bool:
    """Whether two words are beyond doubt the negative and the positive one."""
    if not isinstance(negative, str) or not isinstance(positive, str) or NO_ANSWERS & {negative, positive}:
        return False
    return OBVIOUS_WORDS.get(negative) == positive or (negative in ANSWERS[False] and positive in ANSWERS[True])


def _is(label: object, positive: object) -> bool:
    try:
        return bool(label == positive)
    except (TypeError, ValueError):  # an array, or a missing value of pandas
        return False


def require_positive(classes: Sequence[object] | Array, code: int | None, to: str = "") -> int:
    """The index of the positive class; an error where it is not known, or where there are not two classes. `to` names
    what takes it, where the function that was called does not."""
    labels = _list(classes)
    if len(labels) != 2:
        raise InputError("Exactly two classes are required", param="y", got=f"{len(labels)}: {listed(labels)}")
    if code is None:
        a, b = labels
        raise InputError(
            f"Cannot infer the positive class from labels {a!r} and {b!r}",
            param="positive",
            fix=f"Pass positive={a!r} or positive={b!r}" + (to and f" to {to}"),
        )
    return code


def group_codes(groups: object, y: object, n: int, param: str = "groups") -> Ints | None:
    """(n,) the index of each case's group; None where no groups are given."""
    if groups is None:
        return None
    if isinstance(groups, str):
        fix = f"Pass the column itself, e.g. X[{groups!r}]"
        raise InputError(f"{param} must have one value per case", param=param, got=repr(groups), fix=fix)
    check_same_index(param, groups, "y", y)
    values = _unmerged(groups, param, "have one value per case")
    if values.ndim != 1:
        raise InputError(f"{param} must have one value per case", param=param, got=f"an array of shape {values.shape}")
    check_same_length(param, len(values), n)
    if pd.isna(values).any():
        raise InputError(
            f"{param} has missing values", param=param, fix="Give every case a group (its own if it is on its own)"
        )
    if values.dtype.kind == "O":
        _require_one_type(values, param, "values")
    if values.dtype.kind == "f" and (np.abs(values.astype(np.longdouble)) >= LARGEST_EXACT).any():
        got = f"e.g. {values[np.abs(values).argmax()]!r}, rounded to double precision"
        fix = "Pass them as integers or texts"
        raise InputError(f"{param} holds numbers too large to tell apart", param=param, got=got, fix=fix)
    try:
        codes = np.unique(values, return_inverse=True)[1]
    except TypeError:
        fix = "Pass numbers or texts"
        raise InputError(f"{param} holds values without an order", param=param, fix=fix) from None
    if codes.max() == 0:
        raise InputError(f"{param} has a single value; at least 2 groups are required", param=param)
    return codes.astype(np.intp)


def check_same_length(param: str, length: int, n: int, name: str | None = None) -> None:
    """An error unless a parameter has one row per label."""
    if length != n:
        raise InputError(
            f"y and {name or param} have different lengths", param=param, got=f"{n} labels and {length} rows"
        )


def check_same_index(param: str, values: object, other_param: str, other: object) -> None:
    """An error where two pandas objects have different indexes: their rows may not belong together."""
    if not isinstance(values, (pd.Series, pd.DataFrame)) or not isinstance(other, (pd.Series, pd.DataFrame)):
        return
    if not values.index.equals(other.index):
        raise InputError(
            f"{param} and {other_param} have different indexes, so their rows may not belong together",
            param=param,
            fix=f"Align them ({param} = {param}.loc[{other_param}.index]), or pass {param}.to_numpy() if the order is "
            "right",
        )


def _list(classes: Sequence[object] | Array) -> list[object]:
    return classes.tolist() if isinstance(classes, np.ndarray) else list(classes)


Task = Literal["classification", "regression"]
"""What is predicted: a class, or a number."""

LARGEST_TARGET = 1e70  # the variance of the squares of larger numbers overflows
SMALLEST_SPREAD = 1e-70  # that of smaller ones is 0


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
            f"Squared errors of {param} and their variance leave double precision",
            param=param,
            got=got,
            fix="Rescale the target",
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
    if values.dtype.kind in "mM":
        fix = "Pass numbers, e.g. days since a date"
    try:
        if values.dtype.kind not in "O" or any(isinstance(v, (str, bytes)) for v in values.tolist()):
            raise TypeError
        return np.array([np.nan if v is None else v for v in values.tolist()], dtype=float)
    except (TypeError, ValueError):
        if np.isfinite(pd.to_numeric(pd.Series(values.astype(str)), errors="coerce")).all():
            fix = f"Convert the texts: {param}.astype(float)"
        got = listed(np.unique(values.astype(str)).tolist())
        raise InputError(f"The model predicts numbers, and {param} holds none", param=param, got=got, fix=fix) from None


def two_values_note(numbers: Floats) -> Note | None:
    """A warning where a number to predict has two values, as classes have; None otherwise."""
    values = np.unique(numbers)
    if len(values) != 2:
        return None
    low, high = values.tolist()
    return Note("two-valued-target", values=(low, high))


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
