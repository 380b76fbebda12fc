"""Tables as CSV that a spreadsheet program does not take for formulas."""

from __future__ import annotations

import pandas as pd

BEGINS = tuple("=+-@\t\r\n＝＋－＠")  # of a formula, in one program or another


def defused(value: object) -> object:
    """A text that would be read as a formula, with an apostrophe before it; anything else, and numbers, as they are.

    Examples
    --------
    >>> defused("=1+1"), defused("-1.5"), defused("632+"), defused(-2)
    ("'=1+1", '-1.5', '632+', -2)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")  # pandas quotes line feeds, but not carriage returns
    if not value.startswith(BEGINS):
        return text
    try:
        float(value)
    except ValueError:
        return f"'{text}"
    return text


def csv_text(frame: pd.DataFrame, index: bool = False) -> str:
    """The frame as CSV; texts in cells and names are `defused`."""
    safe = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, frame.iloc[:, place].astype(object).map(defused))
    safe.columns = [defused(name) for name in frame.columns]
    if index and isinstance(frame.index, pd.MultiIndex):
        safe.index = frame.index.set_levels([level.map(defused) for level in frame.index.levels])
    elif index:
        safe.index = frame.index.map(defused)
    safe.index.names = [defused(name) for name in frame.index.names]
    return str(safe.to_csv(index=index))
