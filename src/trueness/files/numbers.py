"""Numbers as people write them: with units, per cent, marks between thousands, another decimal mark, words for gaps."""

import re

import numpy as np
import pandas as pd

from trueness.sample.labels import listed

MISSING_WORDS = {"none", "missing", "unknown", "k.a.", "n.a."}
ERRORS = (  # of spreadsheets, in English, German and French
    "#N/A #DIV/0! #VALUE! #REF! #NUM! #NULL! #NAME? #NV #WERT! #BEZUG! #ZAHL! #VALEUR! #NOMBRE! #NUL! #NOM?"
)
DASHES = re.compile(r"[-–—−]+")
CELL = re.compile(
    r"([$€£¥]?)\s*([+-]?(?:\d[\d.,\s'’]*\d|\d|[.,]\d+)(?:[eE][+-]?\d+)?)\s*([%‰°µA-Za-z$€£¥].*)?", re.DOTALL
)
SHARES = {"%": 100, "‰": 1000}
POINT, COMMA = r"\.", ","
BLANKS = r"[\s'’]"
POINTS = [(POINT, ""), (POINT, COMMA), (POINT, BLANKS)]  # marks of decimals and between thousands
COMMAS = [(COMMA, ""), (COMMA, POINT), (COMMA, BLANKS)]
STYLES = {".": POINTS + COMMAS, ",": COMMAS + POINTS}  # by the decimal mark of the rest of the file
WHOLE = re.compile(r"[+-]?\d+")
PADDED = re.compile(r"0\d{3,}")  # codes, such as postal ones, where all are as long
DIGITS = 15  # that a double holds, whatever they are
MEASURED = 3  # different numbers from which a word behind them is a unit, not a label


def numbers_of(column: pd.Series, decimal: str = ".") -> pd.Series | None:
    """The numbers of a column of text, where all its cells are written alike or missing; None where they are not.

    Parameters
    ----------
    column : Series
        Text, and NaN.
    decimal : {".", ","}
        The decimal mark of the rest of the file. The other mark stands between thousands where it can.

    Returns
    -------
    Series or None
        Floats; whole numbers of more than 15 digits, which doubles would merge, as Python's integers.

    Examples
    --------
    >>> numbers_of(pd.Series(["1.900", "950", "k.A."]), ",").tolist()
    [1900.0, 950.0, nan]
    """
    codes, texts = pd.factorize(column)
    cells = [str(text).strip() for text in texts]
    gaps = [bool(DASHES.fullmatch(cell)) or cell.casefold() in MISSING_WORDS for cell in cells]
    texts = [cell for cell, gap in zip(cells, gaps, strict=True) if not gap]
    parts = [part for cell in texts if (part := CELL.fullmatch(cell))]
    if len(parts) < max(len(texts), 1 + any(gaps)) or len({(part[1], part[3]) for part in parts}) > 1:
        return None
    written, unit = [part[2] for part in parts], parts[0][3] or ""
    style = next((style for style in STYLES[decimal] if all(map(_number(*style).fullmatch, written))), None)
    codes_of_digits = len({*map(len, written)}) == 1 and any(map(PADDED.fullmatch, written))
    if style is None or codes_of_digits or (unit and unit not in SHARES and len(parts) < MEASURED):
        return None
    plain = [re.sub(style[0], ".", re.sub(style[1], "", text)) for text in written]
    values = np.array(plain, dtype=float) / SHARES.get(unit, 1)
    if all(map(WHOLE.fullmatch, written)) and max(map(len, written)) > DIGITS and unit not in SHARES:
        values = np.array(list(map(int, written)), dtype=object)
    found = np.full(len(cells) + 1, np.nan, dtype=values.dtype)  # the last is that of NaN, whose code is −1
    found[:-1][~np.array(gaps)] = values
    return pd.Series(found[codes], index=column.index, name=column.name)


def numbers_among(texts: pd.Series) -> pd.Series:
    """Which texts are numbers, all written alike; none where they are not."""
    found = texts.astype(str).str.strip().str.fullmatch(CELL)
    return found & (numbers_of(texts[found]) is not None)


def _number(mark: str, between: str) -> re.Pattern[str]:
    plain = rf"[+-]?(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?"
    return re.compile(rf"{plain}|[+-]?[1-9]\d{{0,2}}({between}\d{{3}})+({mark}\d+)?")


def with_numbers(table: pd.DataFrame, decimal: str = ".") -> tuple[pd.DataFrame, list[str]]:
    """The table with the numbers of its text columns, and an example of each way in which they are written: "'-' read as
    nan in a, b"."""
    said: dict[str, list[str]] = {}
    for name in table.columns[[t.kind in "OTU" or pd.api.types.is_string_dtype(t) for t in table.dtypes]]:
        column, found = table[name], numbers_of(table[name], decimal)
        if found is not None:
            table[name] = found
            plain = pd.to_numeric(column, errors="coerce").astype(float)
            for at in np.flatnonzero((plain != found.astype(float)) & column.notna())[:1]:
                said.setdefault(f"{column.iloc[at]!r} read as {found.iloc[at]:g}", []).append(str(name))
    return table, [f"{how} in {listed(names, str)}" for how, names in said.items()]
