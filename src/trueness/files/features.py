"""A table as cases: which column is the target, which the groups, and what the others are to a model: numbers, dates,
text to encode, or nothing that it can learn from. The one preparation of features of every command."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.numbers import with_numbers
from trueness.files.table_file import column, read_and_describe
from trueness.result.notes import Note
from trueness.sample.labels import other_spellings
from trueness.typing import Ints

NAMED_AT_MOST = 8  # columns that a sentence lists
MIN_ROWS = 20  # fewer texts may all be different by chance
MOST_CLASSES = 6  # whose sizes are listed
MOSTLY = 0.9  # share of the values: that are different in an identifier, or numbers in a column with a few words
ASKED = "as asked"
WORDS_OF_A_TEXT = 6  # on average, in a column of sentences
SENTENCES = "sentences, which only a model of your own reads"
TEXTS = "a different text in nearly every row"
MOST_GROUPS = 12  # different numbers that are subgroups as they are
DAY = pd.Timedelta(days=1)
DATE = re.compile(r"\d{1,4}([-/.])(\d{1,2}|[A-Za-z]{3})\1\d{1,4}([ T]\d.*)?")
DATE_FORMATS = ("ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%d-%b-%Y")


class Dropped(NamedTuple):
    """A column that is no feature, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Features:
    """The features of a table, and how they were made of its columns.

    Attributes
    ----------
    X : DataFrame
        For models: numbers, text, and dates as numbers of days.
    as_read : DataFrame
        The same columns, with dates as dates.
    dates : mapping of str to str
        How the dates of a column are written (one of `DATE_FORMATS`); "" for those stored as dates.
    dropped : tuple of Dropped
        Columns that are no features, and why.
    fitted : bool
        Whether a model takes the columns as they are.
    spelled : mapping
        By column, the spelling of values that differ in case or blanks only.
    """

    X: pd.DataFrame
    as_read: pd.DataFrame
    dates: Mapping[str, str]
    dropped: tuple[Dropped, ...]
    fitted: bool = False
    spelled: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def again(self, X: pd.DataFrame) -> "Features":
        """The same features of a test set; an error where its columns are others."""
        known = {*map(str, self.X.columns), *(d.name for d in self.dropped if d.why != ASKED)}
        if different := sorted(known ^ {str(c) for c in X.columns}):
            raise InputError("The two tables have different columns", param="test", got=", ".join(different))
        return replace(self, X=self.of(X), as_read=X[list(self.X.columns)])

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The same features of another table: what is dropped and how dates are written was learned from the first.

        Parameters
        ----------
        table : DataFrame
            With the columns of the first table.

        Returns
        -------
        DataFrame
            With the columns of `X`. What is no date in a column of dates is missing.
        """
        alike = table[list(self.X.columns)].replace(self.spelled)
        return _in_days(_with_dates(alike, self.dates), self.dates)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out without being asked."""
        automatic = [d for d in self.dropped if d.why != ASKED]
        if not automatic:
            return ()
        return (Note("columns-dropped", columns=[d.name for d in automatic]),)

    @property
    def words(self) -> str:
        """What the features are, how they are encoded, and what was left out."""
        numbers = {str(c) for c in self.X.select_dtypes("number").columns} - {*self.dates}
        text = [str(c) for c in self.X.columns if str(c) not in {*numbers, *self.dates}]
        dates = [f"{name} {form}".strip() for name, form in self.dates.items()]
        kinds = {"numeric": sorted(numbers, key=list(self.X.columns).index), "dates as days": dates, "text": text}
        said = [f"{len(names)} {kind} ({listed(names)})" for kind, names in kinds.items() if names]
        gaps = int(self.X.isna().to_numpy().sum())
        said += [f"missing values, filled with the median or the most frequent value: {gaps}"] * (gaps > 0)
        said += [f"values of {name} that differ in case or blanks only count as one" for name in self.spelled]
        said += [f"dropped {_reasons(self.dropped)}"] * bool(self.dropped)
        return f"Features: {'; '.join(said)}."


def listed(names: Sequence[str]) -> str:
    """ "a, b, c", or the first few "… and 12 more"."""
    more = f" … and {len(names) - NAMED_AT_MOST} more" * (len(names) > NAMED_AT_MOST)
    return ", ".join(names[:NAMED_AT_MOST]) + more


def _reasons(dropped: Sequence[Dropped]) -> str:
    """ "a, b: empty; c: one value only"."""
    whys = dict.fromkeys(d.why for d in dropped)
    return "; ".join(f"{listed([d.name for d in dropped if d.why == why])}: {why}" for why in whys)


def features_of(X: pd.DataFrame, asked: Sequence[str] = (), texts: bool = False) -> Features:
    """The features among the columns of a table.

    Parameters
    ----------
    X : DataFrame
        All columns but target and groups.
    asked : sequence of str, default ()
        Columns that the user dropped, which are named among the dropped ones.
    texts : bool, default False
        Whether the models read texts: columns of sentences are kept, and where nothing else is left other texts, too.

    Returns
    -------
    Features

    Raises
    ------
    InputError
        Where no column is left to learn from.
    """
    useless = {str(name): why for name in X.columns if (why := _useless(X[name]))}
    read = {SENTENCES} if SENTENCES in useless.values() else {TEXTS} if len(useless) == X.shape[1] else set()
    useless = {name: why for name, why in useless.items() if not (texts and why in read)}
    dropped = [Dropped(name, ASKED) for name in dict.fromkeys(asked)] + [Dropped(*each) for each in useless.items()]
    kept = X[[name for name in X.columns if str(name) not in useless]]
    if kept.shape[1] == 0:
        raise InputError("No column is left to learn from", got=_reasons(dropped))
    dates = {str(name): form for name in kept.columns if (form := date_format(kept[name])) is not None}
    words = [str(c) for c in kept.columns if str(c) not in dates and _is_text(kept[c])]
    found = {name: other_spellings(kept[name].value_counts().to_dict()) for name in words}
    spelled = {name: others for name, others in found.items() if others}
    as_read = _with_dates(kept.replace(spelled), dates)
    return Features(_in_days(as_read, dates), as_read, dates, tuple(dropped), spelled=spelled)


def _with_dates(X: pd.DataFrame, dates: Mapping[str, str]) -> pd.DataFrame:
    X = X.copy()
    for name, form in dates.items():
        X[name] = as_dates(X[name], form) if form else X[name]
    return X


def _in_days(X: pd.DataFrame, dates: Mapping[str, str]) -> pd.DataFrame:
    """For models: dates as days, whole numbers of any size as floats."""
    X = X.copy()
    for name in dates:
        X[name] = (X[name] - pd.Timestamp(0, tz=X[name].dt.tz)) / DAY
    return X.astype({name: float for name in X.columns if are_whole(X[name])})


def features_of_model(X: pd.DataFrame, model: object, asked: Sequence[str] = ()) -> Features:
    """The columns that a fitted model was fitted on, in its order; all of them where it does not know their names."""
    names = [str(name) for name in getattr(model, "feature_names_in_", X.columns)]
    if missing := [name for name in names if name not in X.columns]:
        problem = "The table lacks features that the model was fitted on"
        raise InputError(problem, param="model_file", got=listed(missing))
    others = [Dropped(str(name), "no feature of the model") for name in X.columns if name not in names]
    dropped = [*(Dropped(name, ASKED) for name in dict.fromkeys(asked)), *others]
    return Features(X[names], X[names], {}, tuple(dropped), fitted=True)


def _is_text(values: pd.Series) -> bool:
    return bool(pd.api.types.is_string_dtype(values) or values.dtype == object) and not are_whole(values)


def are_whole(values: pd.Series) -> bool:
    """Whether a column of objects holds whole numbers: those too long for other types."""
    return bool(values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "integer")


def _useless(values: pd.Series) -> str:
    """Why no model can learn from a column; "" where one can."""
    n, known = len(values), values.dropna()
    different = int(known.nunique())
    if different < 2:
        return ["empty", "one value only"][different]
    if n < MIN_ROWS:
        return ""
    if pd.api.types.is_integer_dtype(values) and values.iloc[0] in (0, 1) and (np.diff(values.to_numpy()) == 1).all():
        return "row numbers"
    if not _is_text(values) or different < MOSTLY * n or date_format(values) is not None:
        return ""
    if pd.to_numeric(known, errors="coerce").notna().mean() >= MOSTLY:
        return ""
    return SENTENCES if known.astype(str).str.count(r"\s+").mean() + 1 >= WORDS_OF_A_TEXT else TEXTS


def date_format(values: pd.Series) -> str | None:
    """How the dates of a column are written, "" where they are stored as dates; None where it holds anything else."""
    if pd.api.types.is_datetime64_any_dtype(values):
        return ""
    known = values.dropna()
    if not _is_text(values) or known.empty:
        return None
    if not all(isinstance(v, str) and DATE.fullmatch(v.strip()) for v in known.head(20)):
        return None
    return next((form for form in DATE_FORMATS if as_dates(known, form).notna().all()), None)


def as_dates(values: pd.Series, form: str) -> pd.Series:
    """Text as dates of this format (one of `DATE_FORMATS`); what is no such date is missing."""
    return pd.to_datetime(values, format=form, errors="coerce", utc=form == "ISO8601").dt.tz_localize(None)


def in_quarters(labels: pd.Series) -> pd.Series:
    """Many different numbers as four groups of about the same size, "20 to 45"; other labels as they are."""
    if not pd.api.types.is_numeric_dtype(labels) or labels.nunique() <= MOST_GROUPS:
        return labels
    quarters = pd.qcut(labels, 4, labels=False, duplicates="drop")
    ends = labels.groupby(quarters).agg(["min", "max"])
    names = {quarter: f"{low:g} to {high:g}" for quarter, low, high in ends.itertuples()}
    ordered = pd.CategoricalDtype(list(dict.fromkeys(names.values())), ordered=True)
    return quarters.map(names).astype(ordered).rename(labels.name)


@dataclass(frozen=True)
class CaseTable:
    """The cases of a table, and what was understood of it.

    Attributes
    ----------
    X : DataFrame or Series
        Features, as models take them; a Series of texts where there is nothing else.
    y : Series
        Labels.
    groups : Series, optional
        Group of each case.
    features : Features
        What the columns are, and what was left out.
    words : str
        The rows and the target in one sentence.
    notes : tuple of Note
        What the reader of a result should know about the table.
    by : mapping of str to Series
        Columns with subgroups, whether features or not.
    spelled : mapping of str to str
        The spelling of labels that counts, by each of the other ones in the file.
    rows : ndarray of int, optional
        The rows of the file (from 0) that the cases are.
    """

    X: pd.DataFrame
    y: pd.Series
    groups: pd.Series | None
    features: Features
    words: str
    notes: tuple[Note, ...]
    by: Mapping[str, pd.Series] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    rows: Ints | None = None

    def described(self) -> str:
        """What was understood, in two or three lines."""
        return f"{self.words}\n{self.features.words}"


def read_cases(
    source: str | Path,
    target: str,
    groups: str | None = None,
    drop: Sequence[str] = (),
    fitted: object | None = None,
    by: Sequence[str] = (),
    missing: Sequence[str] = (),
    as_they_are: bool = False,
    like: CaseTable | None = None,
) -> CaseTable:
    """Read a table of cases, as the commands do.

    Rows without a label, and columns that no model can learn from (empty, constant, row numbers, a different text in
    nearly every row) or that are no features of a `fitted` model, are left out and named. Dates become days.

    Parameters
    ----------
    source : path
        CSV or other text, or Parquet; "-" reads standard input.
    target : str
        Column with the labels.
    groups : str, optional
        Column with groups.
    drop : sequence of str, default ()
        Columns that are no features.
    fitted : estimator, optional
        A fitted model, which takes the features that it was fitted on, as they are.
    by : sequence of str, default ()
        Columns with subgroups. They stay features unless they are dropped.
    missing : sequence of str, default ()
        Codes of missing values in this table, e.g. -999.
    as_they_are : bool, default False
        Whether all models are the user's own, which take the columns as they are, sentences among them. A single column of
        texts is a Series.
    like : CaseTable, optional
        The training set, for a test set: what is a feature, and how labels are spelled, was learned from it.

    Returns
    -------
    CaseTable
        With `X`, `y` and `groups` for `trueness.assess`.

    Raises
    ------
    InputError
        Where the table cannot be read, lacks a column, has no label, or no feature.
    """
    table, written = read_and_describe(source, missing)
    X, y, group = split(table, target, groups, drop)
    subgroups = {name: column(table, name, "by") for name in by}
    size = f"{len(table)} rows, {table.shape[1]} columns"
    rows = np.flatnonzero(y.notna())
    notes: tuple[Note, ...] = ()
    if not len(rows):
        raise InputError("Every label is missing", param="target")
    if len(rows) < len(y):  # such as a line of units below the header, without which columns are numbers
        notes = (Note("unlabelled-rows", rows=len(y) - len(rows)),)
        X, y, group = _at(rows, X), _at(rows, y), None if group is None else _at(rows, group)
        X = with_numbers(X)[0]
        subgroups = {name: _at(rows, labels) for name, labels in subgroups.items()}
    spelled = in_one_spelling(y) if like is None else in_one_spelling(like.y, y)
    y = y.replace(spelled.others)
    notes += tuple(note for note in [spelled.note] if note)
    if like is not None:
        features = like.features.again(X)
    elif fitted is not None:
        features = features_of_model(X, fitted, drop)
    else:
        features = replace(features_of(X, drop, as_they_are), fitted=as_they_are)
    about = ", ".join([f"{source}: {size}", *filter(None, [written])])
    words = " ".join([f"{about}. Target {target}: {_sizes(y)}.", *map(str, notes)])
    only = features.X.iloc[:, 0]
    single = as_they_are and features.X.shape[1] == 1 and _is_text(only)
    X = only if single else features.X
    return CaseTable(X, y, group, features, words, notes + features.notes, subgroups, spelled.others, rows)


def _at(rows: Ints, values: Any) -> Any:
    return values.iloc[rows].reset_index(drop=True)


def read_two(
    train: str | Path,
    test: str | Path,
    target: str,
    groups: str | None = None,
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
) -> tuple[CaseTable, CaseTable]:
    """Read a training table and an independent test table; what is a feature is learned from the training table.

    Parameters
    ----------
    train, test : path
        Two tables with the same columns.
    target, groups, drop, missing
        As in `read_cases`.

    Returns
    -------
    tuple of CaseTable
        Training set and test set.

    Raises
    ------
    InputError
        As in `read_cases`, or where the columns differ or both are one file.
    """
    if str(train) == str(test):
        raise InputError("The test set is the training set", param="test", got=str(test))
    first = read_cases(train, target, groups, drop, missing=missing)
    try:
        return first, read_cases(test, target, groups, drop, missing=missing, like=first)
    except InputError as error:
        raise error.of(f"The test set {test}") from None


class OneSpelling(NamedTuple):
    """Labels of a file in one spelling.

    Attributes
    ----------
    y : Series
        The labels.
    predictions : Series or None
        Predicted labels.
    others : mapping of str to str
        The spelling that counts, by each of the other ones.
    """

    y: pd.Series
    predictions: pd.Series | None
    others: Mapping[str, str]

    @property
    def note(self) -> Note | None:
        """What counts as what; None where every label has one spelling."""
        return Note("labels-in-one-spelling", labels=list(self.others)) if self.others else None

    def of(self, label: str | None) -> str | None:
        """A label that the user names, as it is spelled here."""
        return self.others.get(label or "", label)


def in_one_spelling(y: pd.Series, predictions: pd.Series | None = None) -> OneSpelling:
    """Labels of a file that differ only in upper and lower case or in blanks, in the most frequent spelling.

    As they are where fewer than two classes would be left. Every command that reads labels from a file does this.

    Parameters
    ----------
    y : Series
        Labels.
    predictions : Series, optional
        Predicted labels of the same cases, which are spelled as the labels are.

    Returns
    -------
    OneSpelling

    Examples
    --------
    >>> found = in_one_spelling(pd.Series(["yes", "Yes ", "no", "yes"]))
    >>> found.y.tolist(), found.others
    (['yes', 'yes', 'no', 'yes'], {'Yes ': 'yes'})
    """
    sizes = y.value_counts().to_dict()
    if predictions is None:
        others = other_spellings(sizes, least=2)
        return OneSpelling(y.replace(others), None, others)
    others = other_spellings(dict.fromkeys(predictions.dropna(), 0) | sizes, least=2)  # the true labels say how
    return OneSpelling(y.replace(others), predictions.replace(others), others)


def _sizes(y: pd.Series) -> str:
    """ "benign (458), malignant (241)"."""
    sizes = y.convert_dtypes().value_counts(sort=False)  # whole floats as integers
    if len(sizes) > MOST_CLASSES:
        return f"{len(sizes)} different values"
    return ", ".join(f"{label} ({n})" for label, n in sizes.items())


def split(
    table: pd.DataFrame, target: str, groups: str | None, drop: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups of a table; columns to `drop` are no features, and errors name the parameter."""
    nested = [c for c in table.select_dtypes(object) if table[c].map(lambda v: isinstance(v, (list, dict))).any()]
    if nested:
        raise InputError("Columns hold lists or objects, not values", got=listed(nested), fix="Use one value per cell")
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    for name, param in ((groups, "groups"), *((name, "drop") for name in drop)):
        if name is not None:
            column(table, name, param)
        if name == target:
            raise InputError("This column is the target", param=param, got=target)
    X = table.drop(columns=[c for c in {target, groups, *drop} if c is not None])
    if X.shape[1] == 0:
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}")
    return X, y, group
