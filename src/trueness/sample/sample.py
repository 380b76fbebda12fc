"""Sample: the cases, checked once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Number
from typing import ClassVar, get_args

import numpy as np
import pandas as pd

from trueness.checks import check_choice, check_whole
from trueness.errors import InputError, visible
from trueness.result.notes import Note, warn_of
from trueness.result.shown import Page, Shown
from trueness.result.words import listed
from trueness.sample.labels import (
    Task,
    alike_labels,
    check_same_index,
    check_same_length,
    classes_of,
    codes_among,
    group_codes,
    label_array,
    positive_code,
    require_cases,
    require_positive,
    target_array,
    two_values_note,
)
from trueness.sample.rows import taken
from trueness.typing import Array, Bools, Features, Floats, Ints, Label, Labels

TABLE = "Pass a NumPy array or a DataFrame with one row per case and one column per feature"


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Shown):
    """Cases with their labels, or with the numbers that are to be predicted.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Index of each case's class in `classes`; 0 for all where y holds numbers.
    classes : ndarray of shape (C,)
        The labels, sorted; the one word "numbers" where y holds numbers, which have no strata.
    positive : int or None
        Index of the positive class; None where it was not given and the labels do not imply it.
    groups : ndarray of shape (n,) or None
        Index of each case's group; None where every case is independent of the others.
    X : array, DataFrame, sparse matrix, texts or None
        The features, as given; None where only labels are known.
    numbers : ndarray of shape (n,) or None
        The target of each case in a regression; None for labels.
    target : str
        Name of the column of labels, where it has one.
    n, n_classes : int
        Number of cases, and of classes (C).
    sizes : ndarray of shape (C,)
        Number of cases per class.
    kind : {"classification", "regression"}
        Whether cases have classes, or numbers that are to be predicted.
    """

    _kept: ClassVar[bool] = False  # in the JSON of results

    codes: Ints
    classes: Array
    positive: int | None
    groups: Ints | None = None
    X: Features = field(default=None, repr=False)
    numbers: Floats | None = field(default=None, repr=False)
    target: str = field(default="", repr=False)
    n: int = field(init=False)
    n_classes: int = field(init=False)
    sizes: Ints = field(init=False)
    kind: Task = field(init=False)

    def __post_init__(self) -> None:
        n_classes = len(self.classes)
        vars(self).update(
            n=len(self.codes),
            n_classes=n_classes,
            sizes=np.bincount(self.codes, minlength=n_classes),
            kind="classification" if self.numbers is None else "regression",
        )

    def page(self, level: float | None = None) -> Page:
        """What it holds."""
        return Page(f"Sample of {self.described}")

    @classmethod
    def of(
        cls,
        y: Labels | Sample,
        *,
        X: Features = None,
        positive: Label | None = None,
        groups: Labels | None = None,
        classes: Labels | None = None,
        least: int = 2,
        kind: Task = "classification",
    ) -> Sample:
        """Check the data and build a sample.

        Parameters
        ----------
        y : array-like of shape (n,) or Sample
            Labels. A Sample has been checked; it takes features where it has none, and nothing that contradicts it.
        X : array-like, DataFrame or sparse matrix of shape (n, p), optional
            Features.
        positive : label, optional
            The positive class; needed by an AUC unless labels are 0/1, −1/1, no/yes or booleans.
        groups : array-like of shape (n,), optional
            Group of each case (patient, site).
        classes : sequence of labels, optional
            All classes, where some may have no cases here, or where their order matters.
        least : int, default 2
            Fewest cases per class: 1 for a test set, on which no rule is trained.
        kind : {"classification", "regression"}, default "classification"
            Whether y holds labels, or numbers that are to be predicted.

        Returns
        -------
        Sample

        Raises
        ------
        InputError
            Where the data cannot be used; `error.param` names the parameter at fault.

        Examples
        --------
        >>> sample = Sample.of(["sick", "well", "well", "sick"], positive="sick")
        >>> sample.classes.tolist(), sample.codes.tolist(), sample.positive
        (['sick', 'well'], [0, 1, 1, 0], 0)
        >>> Sample.of([1.5, 2.0, 4.5], kind="regression")
        <Sample of 3 cases, targets from 1.5 to 4.5>
        """
        check_choice("kind", kind, get_args(Task), "Unknown kind")
        if isinstance(y, Sample):
            units = group_codes(groups, None, y.n)
            if positive is not None and positive_code(y.classes, positive) != y.positive:
                raise InputError(
                    "y is a Sample with another positive class", param="positive", fix="Leave positive= out"
                )
            if units is not None and (y.groups is None or not np.array_equal(units, y.groups)):
                raise InputError("y is a Sample with other groups", param="groups", fix="Pass groups= to Sample.of")
            if X is None or X is y.X:
                return y
            if y.X is not None:
                raise InputError("y is a Sample with features of its own", param="X", fix="Leave X= out")
            return replace(y, X=_features(X, None, y.n))
        check_whole("least", least, 1)
        if kind == "regression":
            for param, given in (("positive", positive), ("classes", classes)):
                if given is not None:
                    fix = f"Use a classifier, or leave {param}= out to predict numbers"
                    raise InputError("Numbers to predict have no classes", param=param, got=repr(given), fix=fix)
            numbers = target_array(y, least)
            warn_of(two_values_note(numbers) if least > 1 else None)
            codes, units = np.zeros(len(numbers), dtype=np.intp), group_codes(groups, y, len(numbers))
            X = None if X is None else _features(X, y, len(numbers))
            return cls(codes, np.array(["numbers"]), None, units, X, numbers)
        labels = label_array(y)
        if X is not None:
            X = _features(X, y, len(labels))
        known, codes = classes_of(labels)
        if len(known) < 2:
            got = f"{known.tolist()} for {len(labels)} cases"
            raise InputError("y has one class only; at least 2 are required", param="y", got=got)
        if classes is not None:
            known = label_array(classes, "classes")
            if len(set(known.tolist())) < len(known):
                raise InputError("classes names a class twice", param="classes", got=known.tolist())
            codes = codes_among(labels, known)
        if alike := alike_labels(known.tolist()):
            warn_of(Note("labels-differ-in-spelling", labels=alike))
        if least > 1:
            require_cases(known, np.bincount(codes, minlength=len(known)))
        units, target = group_codes(groups, y, len(labels)), str(getattr(y, "name", None) or "")
        return cls(codes, known, positive_code(known, positive), units, X, target=target)

    @property
    def truth(self) -> Array:
        """(n,) what is to be predicted, as a model takes it: labels or numbers."""
        return np.asarray(self.classes[self.codes]) if self.numbers is None else self.numbers

    @cached_property
    def alike(self) -> Ints | None:
        """(n,) the first case with the same features as each; None where all differ (see `first_alike`)."""
        return first_alike(self.X)

    @cached_property
    def majority_error(self) -> float:
        """Error rate of always predicting the most frequent class."""
        return float(1 - self.sizes.max() / self.n)

    @cached_property
    def groups_are_pure(self) -> bool:
        """Whether every group has cases of one class only; True without groups."""
        if self.groups is None:
            return True
        pairs = np.unique(np.stack([self.groups, self.codes]), axis=1)
        return bool(pairs.shape[1] == self.groups.max() + 1)

    @property
    def cases_and_groups(self) -> str:
        """ "60 cases", or "60 cases in 12 groups"."""
        return f"{self.n} cases" + ("" if self.groups is None else f" in {int(self.groups.max()) + 1} groups")

    @property
    def described(self) -> str:
        """ "60 cases, 20 of class a and 40 of class b, positive a"; "60 cases, targets from 1.5 to 20"."""
        if self.numbers is not None:
            return f"{self.cases_and_groups}, targets from {self.numbers.min():.12g} to {self.numbers.max():.12g}"
        sizes = zip(self.classes.tolist(), self.sizes.tolist(), strict=True)
        known = "" if self.positive is None else f", positive {self.classes[self.positive]}"
        return f"{self.cases_and_groups}, {listed(f'{size} of class {label}' for label, size in sizes)}{known}"

    def __repr__(self) -> str:
        return visible(f"<Sample of {self.described}>")

    def is_positive(self) -> Bools:
        """(n,) which cases are positive; an error where the positive class is not known."""
        return np.asarray(self.codes == self.require_positive())

    def require_positive(self) -> int:
        """Index of the positive class; an error where it is not known."""
        return require_positive(self.classes) if self.positive is None else self.positive

    def rows(self, cases: Ints, groups: Ints | None) -> Sample:
        """Some of the cases, with the same classes, without their features; `groups` are theirs."""
        numbers = taken(self.numbers, cases)
        return Sample(self.codes[cases], self.classes, self.positive, groups, numbers=numbers)


def _features(X: Features, y: object, n: int) -> Features:
    """X, checked; a matrix or a list of rows of numbers as an array."""
    dtype = getattr(X, "dtype", None)
    listed = isinstance(X, (list, tuple))
    if hasattr(X, "tocsr"):
        X = X.tocsr()  # some sparse formats cannot be indexed by rows
    elif type(X).__module__.startswith("pyarrow") and hasattr(X, "to_pandas"):
        X = X.to_pandas()
    elif not listed and not getattr(X, "shape", ()):  # a number as an array has no axes
        raise InputError("X must have one row per case", param="X", got=repr(X), fix=TABLE)
    elif isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(float if X.dtype.kind in "biuf" else object), np.nan)
    elif isinstance(X, np.matrix):
        X = np.asarray(X)
    elif getattr(dtype, "names", None) is not None:
        raise InputError("X has fields in place of columns", param="X", got=f"dtype {dtype}", fix=TABLE)
    elif listed and any(isinstance(row, (list, tuple, np.ndarray, Number)) for row in X):
        try:
            X = np.asarray([np.asarray(row, dtype=float) for row in X])
        except (TypeError, ValueError):
            problem = "A list as X must hold rows of numbers, all of one length, or texts"
            raise InputError(problem, param="X", fix=TABLE) from None
    shape: tuple[int, ...] = X.shape if hasattr(X, "shape") else (len(X), 1)
    if (listed or len(shape) == 1) and not are_texts(X) and any(isinstance(text, str) for text in X):
        k, value = next((k, text) for k, text in enumerate(X) if not isinstance(text, str))
        fix = "Drop this case, or replace it by ''"
        raise InputError(f"Row {k} of X (counting from 0) is no text", param="X", got=repr(value), fix=fix)
    check_same_length("X", shape[0], n)
    if (len(shape) != 2 and not are_texts(X)) or 0 in shape:
        raise InputError("X has no features in columns", param="X", got=f"shape {shape}", fix=TABLE)
    name = getattr(y, "name", None)
    if isinstance(y, pd.Series) and isinstance(X, pd.DataFrame) and name is not None and name in X.columns:
        fix = "Drop it; if y is another variable, rename it"
        raise InputError("The target is also a feature", param="X", got=f"X has the column {name!r}", fix=fix)
    check_same_index("y", y, "X", X)
    return X


def first_alike(X: Features) -> Ints | None:
    """(n,) the first case with the same features as each case; None where all rows differ.

    Also None where rows cannot be compared: in sparse matrices (too slow), and tables with unhashable cells.

    >>> first_alike(np.array([[1, 2], [3, 4], [1, 2]]))
    array([0, 1, 0])
    >>> first_alike(np.eye(3)) is None
    True
    """
    if are_texts(X):
        frame = pd.DataFrame({0: [text.encode(errors="surrogatepass") for text in X]}, dtype=object)
    elif isinstance(X, np.ndarray):
        if X.dtype.kind == "f" and len(np.unique(X[:, 0])) == len(X):  # no two rows can be equal
            return None
        wide = np.result_type(X.dtype, np.float32) if X.dtype.kind == "f" else X.dtype.newbyteorder("=")
        frame = pd.DataFrame(X.astype(wide, copy=False))  # pandas groups neither half floats nor foreign byte orders
    elif isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_dict"):  # polars
        frame = pd.DataFrame(X.to_dict(as_series=False))
    else:
        return None
    try:
        rows = np.flatnonzero(frame.duplicated(keep=False))
        if not len(rows):
            return None
        columns = list(range(frame.shape[1]))  # names may not be unique
        groups = frame.iloc[rows].set_axis(columns, axis=1).groupby(columns, sort=False, dropna=False, observed=True)
        number = groups.ngroup().to_numpy()
    except (TypeError, NotImplementedError):
        return None
    first = np.arange(len(frame))
    first[rows] = rows[np.unique(number, return_index=True)[1][number]]
    return first


def are_texts(X: Features) -> bool:
    """Whether X holds one text per case: a list, an array, or a pandas or polars Series of strings."""
    one_dimensional = isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1
    return one_dimensional and len(X) > 0 and all(isinstance(text, str) for text in X)


def without_single_groups(sample: Sample) -> Sample:
    """The sample without groups where each of them holds one case."""
    single = sample.groups is not None and int(sample.groups.max()) + 1 == sample.n
    return replace(sample, groups=None) if single else sample
