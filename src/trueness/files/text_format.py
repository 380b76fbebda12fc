"""How a table was written as text: encoding, separator, header, decimal mark. People rarely know, so it is told from
the first lines; `csv.Sniffer` takes a decimal comma for the separator, and a row of words for a header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from trueness.errors import InputError

MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "?", "."]  # "None" may be a label
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": ""}
BLANKS = r"\s+"
EXACT = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
"""How pandas reads a number as Python does: before 3.1 it often took the next double."""
LINES = 200  # of the file that are looked at
ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NAMES = {"utf-8": "", "utf-8-sig": "", "utf-16": "UTF-16", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")

Rows = list[list[str]]


@dataclass(frozen=True)
class TextFormat:
    """What `pandas.read_csv` must know."""

    encoding: str  # this and the next four as pandas takes them
    separator: str
    decimal: str
    thousands: str | None
    quote: str
    header: bool  # whether the first row names the columns
    columns: list[str]  # the names; x1, x2, … without a header
    row_names: bool  # whether rows begin with a field that the header does not name, as R writes them

    @property
    def words(self) -> str:
        """What is unusual; "" for UTF-8 CSV with a header."""
        parts = [NAMES[self.encoding], SEPARATORS.get(self.separator, "blanks between columns")]
        parts.append("decimal commas" if self.decimal == "," else "")
        parts.append("commas between thousands" if self.thousands else "")
        if not self.header:
            last = f" to {self.columns[-1]}" if len(self.columns) > 1 else ""
            parts.append(f"no header, columns are called {self.columns[0]}{last}")
        return ", ".join(part for part in parts if part)


def format_of(sample: bytes, whole: bool = True, encoding: str | None = None) -> TextFormat:
    """The format of a file that begins with `sample`; an error where it is no text or two columns have one name."""
    encoding = encoding or _encoding(sample, whole)
    text = sample.decode(encoding, errors="ignore")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError("The table is empty")
    if not whole and len(lines) > 1:
        lines = lines[:-1]  # cut off
    lines = lines[:LINES]
    quote = "'" if _quoted_by(lines, "'") and not _quoted_by(lines, '"') else '"'
    limit = csv.field_size_limit(len(text) + 1)  # with another separator, a long line is one field
    try:
        separator, rows = _separated(lines, quote)
    finally:
        csv.field_size_limit(limit)
    decimal, thousands = _marks(rows, separator)
    header = len(rows) < 2 or _has_header(rows, decimal)
    names = [name.strip() for name in rows[0]] if header else numbered(len(rows[0]))
    twice = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if twice:
        raise InputError("Two columns have the same name", got=", ".join(map(repr, twice)), fix="Rename one of them")
    row_names = len(rows) > 1 and len(rows[1]) == len(rows[0]) + 1
    return TextFormat(encoding, separator, decimal, thousands, quote, header, names, row_names)


def _encoding(sample: bytes, whole: bool) -> str:
    """By the byte-order mark; else UTF-8, or the code page of old Windows programs where it is not."""
    for mark, name in ENCODINGS.items():
        if sample.startswith(mark) and (name != "utf-16" or b"\x00\x00" not in sample[:64]):
            return name
    if any(byte < 9 or 13 < byte < 27 for byte in sample[:4096]):
        raise InputError("The file is not text", got="control characters", fix="Save the table as CSV, in UTF-8")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        sample.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


def _quoted_by(lines: Sequence[str], quote: str) -> bool:
    """Whether cells begin and end with this mark."""
    begins = re.compile(rf"(^|[\t;|,]){quote}")
    ends = re.compile(rf"{quote}([\t;|,]|$)")
    return any(begins.search(line) and ends.search(line) for line in lines)


def _separated(lines: list[str], quote: str) -> tuple[str, Rows]:
    """The separator that gives every line the same number of fields, and the fields."""
    best = 0.0, ",", [[line] for line in lines]
    for separator in SEPARATORS:
        text = "\n".join(lines)
        reader = csv.reader(io.StringIO(text), delimiter=separator, quotechar=quote, skipinitialspace=True)
        rows = [row for row in reader if row]
        widths = [len(row) for row in rows]
        common = max(set(widths), key=widths.count)
        if common == 1:
            continue
        even = sum(width == common for width in widths) / len(widths)
        if widths[0] not in (common, common - 1):  # R leaves out the head of row names
            even /= 2
        if even > best[0]:
            best = even, separator, rows
    if best[0] == 0.0:
        stripped = (line.strip() for line in lines)
        rows = list(csv.reader(stripped, delimiter=" ", quotechar=quote, skipinitialspace=True))
        if len(rows[-1]) > 1 and len(rows[0]) >= len(rows[-1]) - 1 and len({len(row) for row in rows[1:]}) == 1:
            return BLANKS, rows
    return best[1], best[2]


def _marks(rows: Rows, separator: str) -> tuple[str, str | None]:
    """The decimal mark and the mark between thousands: 1,234 is a large number where commas separate the columns."""
    cells = [cell.strip() for row in rows[1:] for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell) or THOUSANDS.fullmatch(cell)]
    if commas and separator != ";" and all(map(THOUSANDS.fullmatch, commas)):
        return ".", ","
    points = sum(DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if len(commas) > points else ".", None


def numbered(n: int) -> list[str]:
    """The names of columns without a header."""
    return [f"x{k}" for k in range(1, n + 1)]


def _has_header(rows: Rows, decimal: str) -> bool:
    """Whether the first row names columns.

    It does where a column of numbers has a word on top. Else it does where its numbers could be names (1, 2, …, or
    different whole numbers that do not come again, like years), and most of its words do not come again below.
    """
    first, body = [cell.strip() for cell in rows[0]], rows[1:]
    if len(body[0]) == len(first) + 1:
        return True  # row names without a head
    columns = [
        [row[k].strip() for row in body if k < len(row) and row[k].strip() not in MISSING] for k in range(len(first))
    ]

    def number(cell: str) -> bool:
        return NUMBER.fullmatch(cell.replace(",", ".") if decimal == "," else cell) is not None

    numeric = [bool(cells) and all(map(number, cells)) for cells in columns]
    if any(is_number and not number(top) and top not in MISSING for is_number, top in zip(numeric, first, strict=True)):
        return True
    if [*map(str, range(len(first)))] == first or [*map(str, range(1, len(first) + 1))] == first:
        return True
    tops = [top for is_number, top in zip(numeric, first, strict=True) if is_number]
    again = [top in cells for top, cells in zip(first, columns, strict=True)]
    if tops and not (len(set(tops)) == len(tops) and all(top.isdigit() for top in tops)):
        return False
    if any(came for came, is_number in zip(again, numeric, strict=True) if is_number):
        return False
    words = [came for came, is_number in zip(again, numeric, strict=True) if not is_number]
    return not words or 2 * sum(words) < len(words)
