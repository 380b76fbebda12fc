"""A table as cases: which column is the target, which the groups, and what the others are to a model: numbers, dates,
text to encode, or nothing that it can learn from. The one preparation of features of every command."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.numbers import several_units, with_numbers
from trueness.files.table_file import column, read_and_describe
from trueness.result.notes import Note
from trueness.result.words import counted
from trueness.sample.labels import other_spellings, spelled_note
from trueness.typing import Ints

NAMED_AT_MOST = 8  # columns that a sentence lists
MANY_VALUES = 20  # of a text column, which is more than most categories have
MIN_ROWS = 20  # fewer texts may all be different by chance
MOST_CLASSES = 6  # whose sizes are listed
MOSTLY = 0.9  # share of the values: that are different in an identifier, or numbers in a column with a few words
ASKED = "as asked"
WORDS_OF_A_TEXT = 6  # on average, in a column of sentences
SENTENCES = "sentences, which only a model of your own reads (--model file:name): trueness help jobs/texts"
TEXTS = "a different text in nearly every row"
MOST_GROUPS = 12  # different numbers that are subgroups as they are
DAY = pd.Timedelta(days=1)
DATE = re.compile(r"\d{1,4}([-/.])(\d{1,2}|[A-Za-z]{3})\1\d{1,4}([ T]\d.*)?")
DATE_FORMATS = {
    "ISO8601": "yyyy-mm-dd",
    "%Y/%m/%d": "yyyy/mm/dd",
    "%d.%m.%Y": "dd.mm.yyyy",
    "%m/%d/%Y": "mm/dd/yyyy",
    "%d/%m/%Y": "dd/mm/yyyy",
    "%d-%m-%Y": "dd-mm-yyyy",
    "%d-%b-%Y": "dd-mon-yyyy",
}


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
        How the dates of a column are written (a key of `DATE_FORMATS`); "" for those stored as dates.
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
        why = "; ".join(f"{d.name} ({d.why})" for d in automatic)
        return (Note("columns-dropped", f"Dropped: {why}.", columns=[d.name for d in automatic]),) if automatic else ()

    @property
    def words(self) -> str:
        """What the features are, how they are encoded, and what was left out."""
        X, dates = self.X, set(self.dates)
        numbers = [str(c) for c in X.select_dtypes("number").columns if c not in dates]
        text = [str(c) for c in X.columns if str(c) not in {*numbers, *dates}]
        parts = []
        if numbers:
            parts.append(f"{len(numbers)} numeric ({listed(numbers)}){_missing(X[numbers], 'median')}")
        if dates:
            named = [f"{name} {DATE_FORMATS.get(form, 'as stored')}" for name, form in self.dates.items()]
            parts.append(f"{counted(len(dates), 'date')} as days ({listed(named)}){_missing(X[list(dates)], 'median')}")
        if text:
            values = {c: X[c].nunique() for c in text}
            many = [f"{c} has {n}" for c, n in values.items() if n > MANY_VALUES]
            coded = f"one-hot encoded into up to {sum(values.values())} columns{f' ({listed(many)})' if many else ''}"
            parts.append(f"{len(text)} text ({listed(text)}), {coded}{_missing(X[text], 'most frequent value')}")
        if self.fitted:
            parts = [f"{X.shape[1]}, as the model takes them ({listed([str(c) for c in X.columns])})"]
        said = f"Features: {'; '.join(parts)}."
        for name, others in self.spelled.items():
            said += (
                f" Of {name}, values that differ in case or blanks only count as one ({listed([*map(repr, others)])})."
            )
        for why in dict.fromkeys(d.why for d in self.dropped):
            said += f" Dropped {listed([d.name for d in self.dropped if d.why == why])}: {why}."
        return said


def listed(names: Sequence[str]) -> str:
    """ "a, b, c", or the first few "… and 12 more"."""
    more = f" … and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
    return ", ".join(names[:NAMED_AT_MOST]) + more


def _missing(X: pd.DataFrame, filled_with: str) -> str:
    n = int(X.isna().to_numpy().sum())
    return f", {counted(n, 'missing value')} filled with the {filled_with} (gaps are no feature)" if n else ""


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
    read = {name for name, why in useless.items() if texts and why == SENTENCES}
    if texts and not read and len(useless) == X.shape[1]:
        read = {name for name, why in useless.items() if why == TEXTS}
    useless = {name: why for name, why in useless.items() if name not in read}
    dropped = [Dropped(name, ASKED) for name in dict.fromkeys(asked)] + [Dropped(*each) for each in useless.items()]
    kept = X[[name for name in X.columns if str(name) not in useless]]
    if kept.shape[1] == 0:
        raise InputError("No column is left to learn from", got="; ".join(f"{d.name}: {d.why}" for d in dropped))
    dates = {str(name): form for name in kept.columns if (form := date_format(kept[name])) is not None}
    words = [str(c) for c in kept.columns if str(c) not in {*dates, *read} and _is_text(kept[c])]
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
    missing = [name for name in names if name not in X.columns]
    if missing:
        raise InputError(
            "The table has not all features that the model was fitted on",
            param="model_file",
            got=f"no {listed(missing)}",
        )
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
    if known.empty:
        return "empty"
    different = known.nunique()
    if different == 1:
        return "one value only"
    if pd.api.types.is_integer_dtype(values) and n >= MIN_ROWS and different == n:
        steps = np.diff(values.to_numpy())
        if (steps == 1).all() and values.iloc[0] in (0, 1):
            return "row numbers"
    if _is_text(values) and n >= MIN_ROWS and different >= MOSTLY * n and date_format(values) is None:
        numbers = float(pd.to_numeric(known, errors="coerce").notna().mean())
        if units := several_units(known.astype(str).tolist()):
            return f"numbers with several units ({listed(units)}): convert them to one"
        words = float(known.astype(str).str.count(r"\s+").mean()) + 1
        return "" if numbers >= MOSTLY else SENTENCES if words >= WORDS_OF_A_TEXT else TEXTS
    return ""


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
    """Text as dates of this format (a key of `DATE_FORMATS`); what is no such date is missing."""
    return pd.to_datetime(values, format=form, errors="coerce", utc=form == "ISO8601").dt.tz_localize(None)


def in_quarters(labels: pd.Series) -> pd.Series:
    """Many different numbers as four groups of about the same size, "20 to 45"; other labels as they are."""
    if not pd.api.types.is_numeric_dtype(labels) or labels.nunique() <= MOST_GROUPS:
        return labels
    quarters = pd.qcut(labels, 4, labels=False, duplicates="drop")
    ends = labels.groupby(quarters).agg(["min", "max"])
    names = {quarter: f"{low:g}" if low == high else f"{low:g} to {high:g}" for quarter, low, high in ends.itertuples()}
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
        Codes of missing values in this table, e.g. ("-999",).
    as_they_are : bool, default False
        Whether all models are the user's own, which take the columns as they are, sentences among them. A single column of
        texts is a Series.

    Returns
    -------
    CaseTable
        With `X`, `y` and `groups` for `trueness.assess`.

    Raises
    ------
    InputError
        Where the table cannot be read, lacks a column, has no label, or no feature.
    """

    def make(X: pd.DataFrame) -> Features:
        if fitted is not None:
            return features_of_model(X, fitted, drop)
        found = features_of(X, drop, as_they_are)
        return replace(found, fitted=True) if as_they_are else found

    cases = _cases(source, target, groups, drop, make, by, missing)
    if as_they_are and cases.X.shape[1] == 1 and _is_text(cases.X.iloc[:, 0]):
        return replace(cases, X=cases.X.iloc[:, 0])
    return cases


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
        problem = "The test set is the training set"
        raise InputError(problem, param="test", got=str(test), fix="Use trueness assess for one data set")
    first = read_cases(train, target, groups, drop, missing=missing)
    learned = first.features
    known = {*map(str, learned.X.columns), *(d.name for d in learned.dropped if d.why != ASKED)}

    def make(X: pd.DataFrame) -> Features:
        if different := sorted(known ^ {str(c) for c in X.columns}):
            raise InputError("The two tables have different columns", param="test", got=", ".join(different))
        return replace(learned, X=learned.of(X), as_read=X[list(learned.X.columns)])

    try:
        return first, _cases(test, target, groups, drop, make, missing=missing, spelled_as=first.y)
    except InputError as error:  # the first table was read: it has these columns
        if error.param in ("target", "groups", "drop"):
            error.of(f"The test set {test}")
        raise


def _cases(
    source: str | Path,
    target: str,
    groups: str | None,
    drop: Sequence[str],
    make: Callable[[pd.DataFrame], Features],
    by: Sequence[str] = (),
    missing: Sequence[str] = (),
    spelled_as: pd.Series | None = None,
) -> CaseTable:
    """The labelled rows of a table, with the features that `make` makes of the columns."""
    table, written = read_and_describe(str(source), missing)
    X, y, group = split(table, target, groups, drop)
    known = y.notna().to_numpy()
    subgroups = {name: column(table, name, "by")[known].reset_index(drop=True) for name in by}
    if not known.any():
        raise InputError("Every label is missing", param="target")
    X, y = X[known].reset_index(drop=True), y[known].reset_index(drop=True)
    if not known.all():  # such as a line of units below the header, without which columns are numbers
        X, said = with_numbers(X)
        written = ", ".join(part for part in (written, *said) if part)
    group = None if group is None else group[known].reset_index(drop=True)
    spelled = in_one_spelling(y) if spelled_as is None else in_one_spelling(spelled_as, y)
    y, spellings = spelled.y if spelled.predictions is None else spelled.predictions, spelled.note
    features, unlabelled = make(X), int((~known).sum())
    name = "Standard input" if str(source) == "-" else str(source)
    size = f"{counted(len(table), 'row')}, {counted(table.shape[1], 'column')}"
    words = f"{name}: {size}{f' ({written})' if written else ''}. Target {target}: {_sizes(y)}."
    notes = list(features.notes)
    if unlabelled:
        left_out = f"{counted(unlabelled, 'row')} without a label left out."
        notes.insert(0, Note("unlabelled-rows", left_out, rows=unlabelled))
        words += f" {left_out}"
    if spellings is not None:
        notes.insert(0, spellings)
        words += f" {spellings.message}"
    return CaseTable(
        features.X, y, group, features, words, tuple(notes), subgroups, spelled.others, np.flatnonzero(known)
    )


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
        return spelled_note(self.others)

    def of(self, label: str | None) -> str | None:
        """A label that the user names, as it is spelled here."""
        return label if label is None else self.others.get(label, label)


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
    >>> found.y.tolist(), str(found.note)
    (['yes', 'yes', 'no', 'yes'], "Labels 'Yes ' count as 'yes'.")
    """
    sizes = y.value_counts().to_dict()
    for label in [] if predictions is None else predictions.dropna().unique():
        sizes.setdefault(label, 0)  # the true labels say how they are spelled
    others = other_spellings(sizes, least=2)
    if not others:
        return OneSpelling(y, predictions, others)
    return OneSpelling(y.replace(others), None if predictions is None else predictions.replace(others), others)


def _sizes(y: pd.Series) -> str:
    """ "benign (458), malignant (241)"."""
    sizes = y.value_counts(sort=False)
    if len(sizes) > MOST_CLASSES:
        return f"{len(sizes)} different values"
    whole = {
        label: int(label) for label in sizes.index if isinstance(label, float) and label.is_integer()
    }  # as classes
    return ", ".join(f"{whole.get(label, label)} ({n})" for label, n in sizes.items())


def split(
    table: pd.DataFrame, target: str, groups: str | None, drop: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups of a table; columns to `drop` are no features, and errors name the parameter."""
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    if groups == target:
        raise InputError("The groups are the target", param="groups")
    for name in drop:
        column(table, name, "drop")
    if target in drop:
        raise InputError("The target cannot be dropped", param="drop", got=target)
    X = table.drop(columns=[c for c in dict.fromkeys((target, groups, *drop)) if c is not None])
    if X.shape[1] == 0:
        fix = "Name a table with more columns, or drop fewer (drop=)" if drop else ""
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}", fix=fix)
    return X, y, group
