"""What the columns of a table are to a model: numbers, dates, text to encode, or nothing that it can learn from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.result import Note
from trueness.result.digits import counted

NAMED_AT_MOST = 8  # columns that a sentence lists
MIN_ROWS = 20  # fewer texts may all be different by chance
MOSTLY = 0.9  # share of the values: that are different in an identifier, or numbers in a column with a few words
ASKED = "as asked"
DAY = pd.Timedelta(days=1)
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T]\d.*)?")
DATE_FORMATS = {
    "ISO8601": "yyyy-mm-dd",
    "%Y/%m/%d": "yyyy/mm/dd",
    "%d.%m.%Y": "dd.mm.yyyy",
    "%m/%d/%Y": "mm/dd/yyyy",
    "%d/%m/%Y": "dd/mm/yyyy",
    "%d-%m-%Y": "dd-mm-yyyy",
}


class Dropped(NamedTuple):
    """A column that is no feature, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Features:
    """The features of a table."""

    X: pd.DataFrame  # for models: dates are numbers of days
    as_read: pd.DataFrame  # the same columns, with dates as dates
    dates: dict[str, str]  # how the dates of a column are written
    dropped: tuple[Dropped, ...]  # columns that were left out
    fitted: bool = False  # whether a fitted model says what it takes

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
            named = [f"{name} {how}" for name, how in self.dates.items()]
            parts.append(f"{len(dates)} dates as days ({listed(named)}){_missing(X[list(dates)], 'median')}")
        if text:
            values = sum(X[c].nunique() for c in text)
            coded = f"one-hot encoded into up to {values} columns"
            parts.append(f"{len(text)} text ({listed(text)}), {coded}{_missing(X[text], 'most frequent value')}")
        if self.fitted:
            parts = [f"{X.shape[1]}, as the model takes them ({listed([str(c) for c in X.columns])})"]
        said = f"Features: {'; '.join(parts)}."
        for why in dict.fromkeys(d.why for d in self.dropped):
            said += f" Dropped {listed([d.name for d in self.dropped if d.why == why])}: {why}."
        return said


def listed(names: Sequence[str]) -> str:
    """ "a, b, c", or the first few "… and 12 more"."""
    more = f" … and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
    return ", ".join(names[:NAMED_AT_MOST]) + more


def _missing(X: pd.DataFrame, filled_with: str) -> str:
    n = int(X.isna().to_numpy().sum())
    return f", {counted(n, 'missing value')} filled with the {filled_with}" if n else ""


def features_of(X: pd.DataFrame, asked: Sequence[str] = ()) -> Features:
    """The features among the columns of X; `asked` are those that the user dropped."""
    dropped = [Dropped(name, ASKED) for name in dict.fromkeys(asked)]
    as_read, dates = X.copy(), {}
    for name in X.columns:
        values = X[name]
        if why := _useless(values):
            dropped.append(Dropped(str(name), why))
            as_read = as_read.drop(columns=name)
        elif found := _dates(values):
            as_read[name], dates[str(name)] = found
    if as_read.shape[1] == 0:
        raise InputError("No column is left to learn from", got="; ".join(f"{d.name}: {d.why}" for d in dropped))
    model = as_read.copy()
    for name in as_read.columns[[pd.api.types.is_datetime64_any_dtype(t) for t in as_read.dtypes]]:
        dates.setdefault(str(name), "as stored")
        model[name] = (as_read[name] - pd.Timestamp(0, tz=as_read[name].dt.tz)) / DAY
    return Features(model, as_read, dates, tuple(dropped))


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
    return bool(pd.api.types.is_string_dtype(values) or values.dtype == object)


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
    if _is_text(values) and n >= MIN_ROWS and different >= MOSTLY * n and _dates(values) is None:
        numbers = float(pd.to_numeric(known, errors="coerce").notna().mean())
        return "" if numbers >= MOSTLY else "a different text in nearly every row"
    return ""


def _dates(values: pd.Series) -> tuple[pd.Series, str] | None:
    """A column of text as dates, and how they are written; None where it holds anything else."""
    if not _is_text(values):
        return None
    known = values.dropna()
    if known.empty or not all(isinstance(v, str) and DATE.fullmatch(v.strip()) for v in known.head(20)):
        return None
    for form, words in DATE_FORMATS.items():
        found = pd.to_datetime(known, format=form, errors="coerce", utc=form == "ISO8601")
        if found.notna().all():
            return found.dt.tz_localize(None).reindex(values.index), words
    return None
