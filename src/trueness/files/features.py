"""A table as cases: which column is the target, which the groups, and what the others are to a model: numbers, dates,
text to encode, or nothing that it can learn from. The one preparation of features of every command."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.numbers import numbers_among, with_numbers
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
    dropped : mapping of str to str
        Why columns are no features, by name.
    fitted : bool
        Whether a model takes the columns as they are.
    spelled : mapping
        By column, the spelling of values that differ in case or blanks only.
    """

    X: pd.DataFrame
    as_read: pd.DataFrame
    dates: Mapping[str, str]
    dropped: Mapping[str, str]
    fitted: bool = False
    spelled: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def again(self, X: pd.DataFrame) -> "Features":
        """The same features of a test set; an error where its columns are others."""
        known = {*map(str, self.X.columns), *self.useless}
        if different := sorted(known ^ {str(c) for c in X.columns}):
            raise InputError("The two tables have different columns", param="test", got=", ".join(different))
        for name in X.select_dtypes("number"):
            if name in self.X and _is_text(self.X[name]):  # postal codes, of which none begins with 0
                X = X.assign(**{name: X[name].map("{:.0f}".format, na_action="ignore")})
        return replace(self, X=self.of(X), as_read=X[list(self.X.columns)])

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The same features of another table: what is dropped and how dates are written was learned from the first. What is
        no date in a column of dates is missing."""
        return _prepared(table[list(self.X.columns)], self.spelled, self.dates)[1]

    @property
    def useless(self) -> list[str]:
        """What was left out without being asked."""
        return [name for name, why in self.dropped.items() if why != ASKED]

    @property
    def words(self) -> str:
        """What the features are, how they are encoded, and what was left out."""
        names = [str(c) for c in self.X.columns if str(c) not in self.dates]
        numbers = [name for name in names if pd.api.types.is_numeric_dtype(self.X[name])]
        text = [name for name in names if name not in numbers]
        dates = [f"{name} {form}".strip() for name, form in self.dates.items()]
        kinds = {"numeric": numbers, "dates as days": dates, "text": text}
        said = [f"{len(some)} {kind} ({listed(some)})" for kind, some in kinds.items() if some]
        gaps = int(self.X.isna().to_numpy().sum())
        said += [f"missing values, filled with the median or the most frequent value: {gaps}"] * (gaps > 0)
        said += [f"values of {name} that differ in case or blanks only count as one" for name in self.spelled]
        said += [f"dropped {_reasons(self.dropped)}"] * bool(self.dropped)
        return f"Features: {'; '.join(said)}."


def listed(names: Sequence[str]) -> str:
    """ "a, b, c", or the first few "… and 12 more"."""
    more = f" … and {len(names) - NAMED_AT_MOST} more" * (len(names) > NAMED_AT_MOST)
    return ", ".join(names[:NAMED_AT_MOST]) + more


def _reasons(dropped: Mapping[str, str]) -> str:
    """ "a, b: empty; c: one value only"."""
    whys = dict.fromkeys(dropped.values())
    return "; ".join(f"{listed([name for name in dropped if dropped[name] == why])}: {why}" for why in whys)


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
    dropped = dict.fromkeys(asked, ASKED) | useless
    kept = X[[name for name in X.columns if str(name) not in useless]]
    if kept.shape[1] == 0:
        raise InputError("No column is left to learn from", got=_reasons(dropped))
    dates = {str(name): form for name in kept.columns if (form := date_format(kept[name])) is not None}
    words = [str(c) for c in kept.columns if str(c) not in dates and _is_text(kept[c])]
    found = {name: other_spellings(kept[name].value_counts().to_dict()) for name in words}
    spelled = {name: others for name, others in found.items() if others}
    as_read, for_models = _prepared(kept, spelled, dates)
    return Features(for_models, as_read, dates, dropped, spelled=spelled)


def _prepared(
    X: pd.DataFrame, spelled: Mapping[str, Mapping[str, str]], dates: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """With dates as dates, and for models: dates as days, whole numbers of any size as floats."""
    as_read = X.replace(spelled)
    for name, form in dates.items():
        as_read[name] = as_dates(as_read[name], form) if form else as_read[name]
    X = as_read.copy()
    for name in dates:
        X[name] = (X[name] - pd.Timestamp(0, tz=X[name].dt.tz)) / DAY
    return as_read, X.astype({name: float for name in X.columns if are_whole(X[name])})


def features_of_model(X: pd.DataFrame, model: object, asked: Sequence[str] = ()) -> Features:
    """The columns that a fitted model was fitted on, in its order; all of them where it does not know their names."""
    names = [str(name) for name in getattr(model, "feature_names_in_", X.columns)]
    if missing := [name for name in names if name not in X.columns]:
        problem = "The table lacks features that the model was fitted on"
        raise InputError(problem, param="model_file", got=listed(missing))
    others = [str(name) for name in X.columns if name not in names]
    dropped = dict.fromkeys(asked, ASKED) | dict.fromkeys(others, "no feature of the model")
    return Features(X[names], X[names], {}, dropped, fitted=True)


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
    if numbers_among(known).mean() >= MOSTLY:
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
    about = ", ".join([f"{source}: {len(table)} rows, {table.shape[1]} columns", *filter(None, [written])])
    known = column(table, target, "target").notna()
    rows, notes = np.flatnonzero(known), list[Note]()
    if not len(rows):
        raise InputError("Every label is missing", param="target")
    if len(rows) < len(table):  # such as a line of units below the header, without which columns are numbers
        notes.append(Note("unlabelled-rows", rows=len(table) - len(rows)))
        table = with_numbers(table[known].reset_index(drop=True))[0]
    X, y, group = split(table, target, groups, drop)
    spelled = spellings(y) if like is None else spellings(like.y, y)
    y = y.replace(spelled)
    if spelled:
        notes.append(Note("labels-in-one-spelling", labels=list(spelled)))
    if like is not None:
        features = like.features.again(X)
    elif fitted is not None:
        features = features_of_model(X, fitted, drop)
    else:
        features = replace(features_of(X, drop, as_they_are), fitted=as_they_are)
    sizes = y.convert_dtypes().value_counts(sort=False)  # whole floats as integers
    each = ", ".join(f"{label} ({n})" for label, n in sizes.items())
    classes = each if len(sizes) <= MOST_CLASSES else f"{len(sizes)} different values"
    words = " ".join([f"{about}. Target {target}: {classes}.", *map(str, notes)])
    if features.useless:
        notes.append(Note("columns-dropped", columns=features.useless))
    only = features.X.iloc[:, 0]
    X = only if as_they_are and features.X.shape[1] == 1 and _is_text(only) else features.X
    subgroups = {name: column(table, name, "by") for name in by}
    return CaseTable(X, y, group, features, words, tuple(notes), subgroups, spelled, rows)


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


def spellings(y: pd.Series, predictions: pd.Series | None = None) -> dict[str, str]:
    """The spelling that counts of labels of a file that differ only in upper and lower case or in blanks, by each of the
    other ones: the most frequent. None where fewer than two classes would be left. Every command that reads labels from a
    file replaces them; predicted labels are spelled as the true ones are.

    >>> spellings(pd.Series(["yes", "Yes ", "no", "yes"]))
    {'Yes ': 'yes'}
    """
    more = {} if predictions is None else dict.fromkeys(predictions.dropna(), 0)
    return other_spellings(more | y.value_counts().to_dict(), least=2)


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
