"""Numbers as people write them: with units, per cent, marks between thousands, another decimal mark, words for gaps."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

MISSING_WORDS = {
    "none",
    "missing",
    "unknown",
    "k.a.",
    "n.a.",
    "#div/0!",
    "#value!",
    "#ref!",
    "#num!",
    "#null!",
    "#name?",
}
DASHES = re.compile(r"[-–—−]+")
CELL = re.compile(
    r"([$€£¥]?)\s*([+-]?(?:\d[\d.,\s]*\d|\d|[.,]\d+)(?:[eE][+-]?\d+)?)\s*([%‰°µA-Za-z$€£¥].*)?", re.DOTALL
)
SHARES = {"%": 100, "‰": 1000}
BLANK = r"\s"
OTHER = {".": ",", ",": "."}
WORDS = {".": "points", ",": "commas", BLANK: "blanks"}
WHOLE = re.compile(r"[+-]?\d+")
DIGITS = 15  # that a double holds, whatever they are
MEASURED = 3  # different numbers from which a word behind them is a unit, not a label


class Numbers(NamedTuple):
    """Numbers of a column of text, and how they were written: what is said of it."""

    values: pd.Series
    how: tuple[str, ...]


def numbers_of(column: pd.Series, decimal: str = ".") -> Numbers | None:
    """The numbers of a column of text, where all its cells are written alike or missing; None where they are not.

    Parameters
    ----------
    column : Series
        Text, and NaN.
    decimal : {".", ","}
        The decimal mark of the rest of the file. The other mark stands between thousands where it can.

    Returns
    -------
    Numbers or None
        Floats; whole numbers of more than 15 digits, which doubles would merge, as Python's integers.

    Examples
    --------
    >>> numbers_of(pd.Series(["1.900", "950", "k.A."]), ",")
    Numbers(values=0    1900.0
    1     950.0
    2       NaN
    dtype: float64, how=("'k.A.' read as missing", 'points between thousands'))
    """
    codes, texts = pd.factorize(column)
    cells = [text.strip() if isinstance(text, str) else "" for text in texts]
    gaps = [cell for cell in cells if DASHES.fullmatch(cell) or cell.casefold() in MISSING_WORDS]
    if len(cells) - len(gaps) < (2 if gaps else 1):
        return None
    how = [f"{gap!r} read as missing" for gap in dict.fromkeys(gaps)]
    parts: list[re.Match[str]] = []
    for cell in cells:
        if cell not in gaps:
            part = CELL.fullmatch(cell)
            if part is None or (parts and (part[1], part[3]) != (parts[0][1], parts[0][3])):
                return None
            parts.append(part)
    written = [part[2] for part in parts]
    unit, currency = parts[0][3] or "", parts[0][1]
    style = _style(written, decimal)
    if style is None or (unit and unit not in SHARES and len(parts) < MEASURED):
        return None
    mark, between = style
    values = np.array([_value(text, mark, between) for text in written]) / SHARES.get(unit, 1)
    if unit in SHARES:
        how.append(f"{unit} read as shares (1 {unit} is {1 / SHARES[unit]:g})")
    elif unit or currency:
        how.append(f"{(unit or currency)!r} beside numbers left out")
    if between:
        how.append(f"{WORDS[between]} between thousands")
    if mark != decimal and any(mark in text for text in written):
        how.append(f"decimal {WORDS[mark]}")
    if all(map(WHOLE.fullmatch, written)) and max(map(len, written)) > DIGITS and unit not in SHARES:
        values = np.array([int(text) for text in written], dtype=object)
    found = np.full(len(cells) + 1, np.nan, dtype=values.dtype)  # the last is that of NaN, whose code is −1
    found[[k for k, cell in enumerate(cells) if cell not in gaps]] = values
    return Numbers(pd.Series(found[codes], index=column.index, name=column.name), tuple(how))


MOST_UNITS, LEAST_NUMBERS = 4, 10  # different ones, of a measurement in several units
WITH_UNITS = 0.8  # share of the texts


def several_units(texts: Sequence[str]) -> list[str]:
    """The units behind the numbers of a column, the commonest first, where there are several; none for other texts.

    >>> several_units([*(f"{k}.5 kg" for k in range(60, 90)), "121 lb", "140 lb"]), several_units(["1a", "2b", "2a"])
    (['kg', 'lb'], [])
    """
    parts = [part for text in texts if (part := CELL.fullmatch(text.strip())) is not None]
    if len(parts) < WITH_UNITS * len(texts) or len({part[2] for part in parts}) < LEAST_NUMBERS:
        return []
    units = [unit for unit, _ in Counter(part[3] or part[1] for part in parts).most_common()]
    return units if 1 < len(units) <= MOST_UNITS else []


def _style(written: Sequence[str], decimal: str) -> tuple[str, str] | None:
    """The decimal mark and the mark between thousands ("" for none) with which all of these are numbers."""
    for mark in (decimal, OTHER[decimal]):
        for between in ("", OTHER[mark], BLANK):
            number = re.compile(_pattern(mark, between))
            if all(map(number.fullmatch, written)):
                return mark, between
    return None


def _pattern(mark: str, between: str) -> str:
    d = re.escape(mark)
    plain = rf"[+-]?(\d+({d}\d*)?|{d}\d+)([eE][+-]?\d+)?"
    return (
        rf"{plain}|[+-]?[1-9]\d{{0,2}}({between if between == BLANK else re.escape(between)}\d{{3}})+({d}\d+)?"
        if between
        else plain
    )


def _value(text: str, mark: str, between: str) -> float:
    if between:
        text = re.sub(between if between == BLANK else re.escape(between), "", text)
    return float(text.replace(mark, "."))


def with_numbers(table: pd.DataFrame, decimal: str = ".") -> tuple[pd.DataFrame, list[str]]:
    """The table with the numbers of its text columns, and what is said of them: "'-' read as missing in 13 columns"."""
    said: dict[str, list[str]] = {}
    for name in table.columns:
        column = table[name]
        if pd.api.types.is_string_dtype(column) or column.dtype == object:
            found = numbers_of(column, decimal)
            if found is not None:
                table[name] = found.values
                for how in found.how:
                    said.setdefault(how, []).append(str(name))
    return table, [
        f"{how} in {names[0] if len(names) == 1 else f'{len(names)} columns'}" for how, names in said.items()
    ]
