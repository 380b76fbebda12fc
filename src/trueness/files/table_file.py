"""The one reader of tables, scores and logs: Parquet, JSON lines, or text with whatever separator, encoding, header and
decimal mark it has, packed by gzip or not, from a file or standard input. People rarely know how a table was written, so
it is told from the first lines: a sniffer takes a decimal comma for the separator, or a title for the header."""

import codecs
import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.numbers import ERRORS, PADDED, with_numbers
from trueness.sample.frame import column_of as column
from trueness.sample.labels import LARGEST_EXACT

__all__ = ["column", "read_and_describe", "read_table"]

MISSING = [
    "",
    "NA",
    "N/A",
    "n/a",
    "<NA>",
    "NaN",
    "nan",
    "null",
    "NULL",
    "?",
    ".",
    *ERRORS.split(),
]  # "None" may be a label
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
BLANKS = r"\s+"
EXACT = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
"""How pandas reads a number as Python does: before 3.1 it often took the next double."""
LINES = 200  # of the file that are looked at
MOST_TITLES = 10  # lines above the names of the columns, and below the last row
LEAST_COLUMNS = 3  # of a table, below which a line of one cell may be a row
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")
SEP_LINE = re.compile(r"\ufeff?\"?sep=.\"?[;,\t]*\r?\n", re.IGNORECASE)  # which Excel writes and reads

Rows = list[list[str]]


@dataclass(frozen=True)
class TextFormat:
    """How a text is read; what `pandas.read_csv` must know beside the columns are `options`."""

    encoding: str
    header: bool  # whether the first row names the columns
    columns: list[str]  # the names; x1, x2, … without a header
    padded: list[str]  # those with numbers that begin with 0, such as postal codes
    options: dict[str, Any]
    said: list[str]  # what is unusual


def format_of(sample: bytes, whole: bool = True, encoding: str = "") -> TextFormat:
    """The format of a file that begins with `sample`; an error where it is no text."""
    encoding = encoding or _encoding(sample, whole)
    text = sample.decode(encoding, errors="ignore")
    every = text.splitlines()
    places = [k for k, line in enumerate(every) if line.strip() and (k > 0 or not SEP_LINE.match(text))]
    if not places:
        raise InputError("The table is empty")
    if not whole:
        places = places[:-1] or places  # the last line is cut off
    places = places[:LINES]
    lines = [every[k] for k in places]
    begins, ends = r"(^|[\t;|,])", r"([\t;|,]|$)"  # of cells, with a mark inside
    quoted = (q for q in "\"'" if any(re.search(begins + q, line) and re.search(q + ends, line) for line in lines))
    quote = next(quoted, '"')
    limit = csv.field_size_limit(len(text) + 1)  # with another separator, a long line is one field
    try:
        separator, rows = _separated(lines, quote)
    finally:
        csv.field_size_limit(limit)
    titles = _titles(rows)
    rows = rows[titles:]
    decimal, thousands = _marks(rows[1:], separator)
    header = len(rows) < 2 or _has_header(rows, decimal)
    first, second = rows[0], [*rows, []][1]
    names = [name.strip() or f"Unnamed: {k}" for k, name in enumerate(first)]
    if not header:
        names = [f"x{k}" for k in range(1, len(first) + 1)]
    columns = list[str]()
    for name in names:  # those that come again get a number as pandas gives it
        own, k = name, 0
        while own in columns or (k and own in names):
            k += 1
            own = f"{name}.{k}"
        columns.append(own)
    wider = len(second) == len(first) + 1
    filled = any(row[len(first)].strip() for row in rows[1:] if len(row) > len(first))
    unusual = {
        encoding: not encoding.startswith("utf-8"),
        SEPARATORS.get(separator, "blanks between columns"): separator != ",",
        "decimal commas": decimal == ",",
        "commas between thousands": thousands is not None,
        f"no header, columns are called {names[0]}, …": not header,
        "titles skipped": titles > 0,
    }
    named = wider and filled  # rows begin with a field that the header does not name, as R writes them
    cells = zip_longest(columns, *(row[named:] for row in rows[1:]), fillvalue="")
    padded = [name for name, *of in cells if any(map(PADDED.fullmatch, of))]
    options = {
        "sep": separator,
        "decimal": decimal,
        "thousands": thousands,
        "quotechar": quote,
        "header": 0 if header else None,
        "names": [*[""] * named, *columns],
        "index_col": False if wider and not filled else None,  # rows, but not the header, end in a separator
        "skiprows": places[titles],
    }
    return TextFormat(
        encoding, header, columns, padded, options, [words for words, applies in unusual.items() if applies]
    )


def _titles(rows: Rows) -> int:
    """How many lines above the names of the columns are titles: they fill fewer fields than the others, and a line of
    names follows, above numbers or below a line of at most half as many fields. An error where none follows a title."""
    filled = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    widths = [len(cells) for cells in filled]
    usual = max(widths[1:], key=widths[1:].count, default=0)
    if len(widths) < 4 or usual < LEAST_COLUMNS or widths[0] >= usual:
        return 0
    for k in range(1, min(MOST_TITLES, len(rows) - 2) + 1):
        if widths[k] == usual and not any(map(_is_number, filled[k])):
            below = next((cells for cells in filled[k + 1 :] if len(cells) == usual), [])
            if any(map(_is_number, below)) or 2 * max(widths[:k]) <= usual:
                return k
        if widths[k] >= usual:
            break
    first = " ".join(filled[0])
    if (widths[0] == 1 and not NUMBER.fullmatch(first)) or (first.startswith("#") and len(rows[0]) < usual - 1):
        problem = "The first line looks like a title, and no line names the columns"
        raise InputError(problem, got=repr(first[:60]), fix="Remove the lines above the table")
    return 0


def _is_number(cell: str, decimal: str = ",") -> bool:
    return NUMBER.fullmatch(cell.replace(decimal, ".")) is not None


def _encoding(sample: bytes, whole: bool) -> str:
    """By the byte-order mark; else UTF-8, or the code page of old Windows programs where it is not."""
    for mark, name in MARKS.items():
        if sample.startswith(mark):
            return name
    if any(byte < 9 or 13 < byte < 27 for byte in sample[:4096]):
        raise InputError("The file is not text", fix="Save the table as CSV, in UTF-8")
    for name in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(name)().decode(sample, final=whole)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"


def _separated(lines: list[str], quote: str) -> tuple[str, Rows]:
    """The separator by which rows agree best on the number of fields, and the fields. A decimal comma cuts rows of
    semicolons, too, but not their header: below titles, the fewest lines must differ from the rest."""
    best = 0.0, ",", [[line] for line in lines]
    for separator in SEPARATORS:
        rows = list(csv.reader(lines, delimiter=separator, quotechar=quote, skipinitialspace=True))
        widths = [len(row) for row in rows]
        common = max(set(widths), key=widths.count)
        others = [k + 1 for k, width in enumerate(widths[: MOST_TITLES + 1]) if width != common]
        head = max(others, default=0) % len(widths) * (widths[0] != common - 1 or common < 3)  # R names no row names
        even = 0.9**head * widths[head:].count(common) / len(widths[head:])
        if common > 1 and even > best[0]:
            best = even, separator, rows
    if best[0] == 0.0:
        rows = list(csv.reader(map(str.strip, lines), delimiter=" ", quotechar=quote, skipinitialspace=True))
        width = len(rows[-1])
        if width > 1 and len(rows[0]) >= width - 1 and all(len(row) == width for row in rows[1:]):
            return BLANKS, rows
    return best[1], best[2]


def _marks(rows: Rows, separator: str) -> tuple[str, str | None]:
    """The decimal mark and the mark between thousands: 1,234 is a large number where commas separate the columns."""
    cells = [cell.strip() for row in rows for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell) or THOUSANDS.fullmatch(cell)]
    if commas and all(map(THOUSANDS.fullmatch, commas)) and (separator != ";" or _in_thousands(rows)):
        return ".", ","
    points = sum(DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    return (",", None) if len(commas) > points else (".", None)


def _in_thousands(rows: Rows) -> bool:
    """Whether columns with commas have whole numbers from 100 to 999 besides, and none of more digits."""
    for one in zip(*rows, strict=False):
        cells = {cell.strip().lstrip("+-") for cell in one} - {*MISSING}
        others = {cell for cell in cells if not THOUSANDS.fullmatch(cell)}
        digits = [len(cell) * cell.isdigit() for cell in others]
        if len(others) < len(cells) and not (min(digits, default=0) and max(digits) == 3):
            return False
    return True


def _has_header(rows: Rows, decimal: str) -> bool:
    """Whether the first row names columns.

    It does where a column of numbers has a word on top. Else it does where its numbers could be names (1, 2, …, or
    different whole numbers that do not come again, like years), and most of its words do not come again below.
    """
    first, body = [cell.strip() for cell in rows[0]], rows[1:]
    if len(body[0]) == len(first) + 1:
        return True  # row names without a head
    digits = [str(k) for k in range(len(first) + 1)]
    if first in (digits[:-1], digits[1:]):
        return True
    tops: list[str] = []
    words: list[bool] = []
    again = False
    for top, cells in zip(first, zip_longest(*body, fillvalue=""), strict=False):
        known = {cell.strip() for cell in cells} - {*MISSING}
        below = known - {top}  # it comes again where files were joined
        if not below or not all(_is_number(cell, decimal) for cell in below):
            words.append(top in known)
        elif _is_number(top, decimal):
            tops.append(top)
            again |= top in known
        elif top not in MISSING:
            return True
    if again or len({*tops}) < len(tops) or not all(map(str.isdigit, tops)):
        return False
    return not words or 2 * sum(words) < len(words)


SAMPLE = 1 << 18  # bytes by which the format of a file is told
LONGEST_HEADER = 1 << 26  # bytes of a first line
MOST_UNPACKED = 100  # times the size of a packed file; text and numbers pack 3 to 30 times
LEAST_REFUSED = 1 << 30  # bytes; less never fills a memory
JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")  # how objects, one per line or in an array, begin
JSON_FILES, PARQUET_FILES = {".json", ".jsonl", ".ndjson"}, {".parquet", ".pq"}
GZIP, PARQUET, OTHERS = b"\x1f\x8b", b"PAR1", (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # how files of these kinds begin


def read_table(source: str | Path) -> pd.DataFrame:
    """The table of a text, Parquet or JSON file, or of standard input ("-")."""
    return read_and_describe(source)[0]


def read_and_describe(source: str | Path, missing: Sequence[str] = ()) -> tuple[pd.DataFrame, str]:
    """The table, and what is unusual about its file: "semicolons, decimal commas"; "" for plain CSV. Cells that hold one
    of the codes `missing` are missing, beside those that are in every file."""
    ends, said = [end.lower() for end in Path(source).suffixes[-2:]], ""
    with opened(source) as file:
        begins = file.read(SAMPLE)
        file.seek(0)
        if begins.startswith(PARQUET) or not PARQUET_FILES.isdisjoint(ends):
            with parquet_file(file, source) as parquet:
                table = with_plain_numbers(parquet.read().to_pandas())
        elif JSON.match(begins) or not JSON_FILES.isdisjoint(ends):
            text = "".join(io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace"))
            table = pd.DataFrame(json_rows(text, source))
        else:
            sample = _beginning(file, source)
            try:
                table, said = _table(file, format_of(*sample), source, missing)
            except UnicodeDecodeError:  # a character after the sample tells that it is not UTF-8
                table, said = _table(file, format_of(*sample, "cp1252"), source, missing)
    if table.empty:
        raise InputError("The table has no rows", got=str(source))
    if missing:
        table = table.mask(table.isin([*missing, *(float(code) for code in missing if NUMBER.fullmatch(code))]))
    return table, said


@contextmanager
def opened(source: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, those inside where it is packed by gzip, as far as `check_unpacked` allows."""
    try:
        with io.BytesIO(sys.stdin.buffer.read()) if source == "-" else Path(source).open("rb") as file:
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if not packed:
                yield file
                return

            class Unpacked(gzip.GzipFile):
                def read1(self, size_: int = -1) -> bytes:
                    check_unpacked(self.tell(), source, size)
                    return super().read1(size_)

            with Unpacked(fileobj=file) as inside:
                yield cast("IO[bytes]", inside)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("The file cannot be read", got=f"{source}: {reason}") from None


def check_unpacked(size: int, name: object, packed: int) -> None:
    """An error where so many bytes come out of a packed file that it may be made to fill the memory."""
    if size > max(LEAST_REFUSED, MOST_UNPACKED * packed):
        raise InputError(
            f"The file unpacks to more than {MOST_UNPACKED} times its size",
            got=f"{name}: {packed / 1e6:.3g} MB, unpacked at least {size / 1e9:.3g} GB",
            fix="If that is right, unpack it first",
        )


@contextmanager
def parquet_file(file: IO[bytes], name: object) -> Iterator[Any]:
    """A `pyarrow.parquet.ParquetFile` whose table is not much larger than the file."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError("Parquet files need pyarrow", fix="Run pip install pyarrow") from None
    try:
        with ParquetFile(file) as parquet:
            about = parquet.metadata
            check_unpacked(8 * about.num_rows * about.num_columns, name, file.seek(0, io.SEEK_END))
            yield parquet
    except ArrowException as error:
        raise InputError("The Parquet file cannot be read", got=f"{name}: {error}") from None


def json_rows(text: str, name: object) -> list[dict[str, Any]]:
    """JSON objects, one per line or in one array."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):  # also of numbers of more than 4300 digits, and 1000s of brackets
        rows = []
        for k, line in enumerate(text.splitlines(), 1):
            try:
                rows += [json.loads(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:
                got = f"{name}, line {k}: {error}"
                raise InputError("The file is not one JSON object per line", got=got) from None
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError("The file holds no JSON objects, one per line or in an array", got=str(name))
    return rows


def text_blocks(path: Path, label: str, score: str, rows: int) -> Iterator[pd.DataFrame]:
    """Two columns of a text file, some rows at a time; labels as they are written."""
    with opened(path) as file:
        f = format_of(*_beginning(file, path))
        check_columns(f.columns, label, score)
        size = max(1, 2 * rows // max(len(f.columns), 2))
        for block in _parsed(file, f, path, dtype={label: str}, chunksize=size):
            yield block[[label, score]]


def check_columns(names: Sequence[str], label: str, score: str) -> None:
    """An error where a column is not among the names."""
    empty = pd.DataFrame(columns=list(names))
    column(empty, label, "label")
    column(empty, score, "score")


def _beginning(file: IO[bytes], name: object) -> tuple[bytes, bool]:
    """By which the format is told, and whether it is all of the file."""
    sample = file.read(SAMPLE)
    whole = len(sample) < SAMPLE
    if b"\n" not in sample:
        sample += file.readline(LONGEST_HEADER)
    if b"\n" not in sample and len(sample) >= LONGEST_HEADER:
        raise InputError("The first line is too long", got=str(name), fix="Save the table as CSV, one line per case")
    if sample.startswith(OTHERS):
        problem = "This is a spreadsheet (Excel) or an archive, not a table of text"
        raise InputError(problem, got=str(name), fix="Save it as CSV, or unpack it")
    if not sample.strip():
        raise InputError("The table is empty", got=str(name))
    file.seek(0)
    return sample, whole


def _table(file: IO[bytes], f: TextFormat, name: object, missing: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """The table, and what is unusual. The last lines are no rows where they have words in the first column and nothing in
    the others; nor are rows that hold the names of the columns, as where files were joined."""
    more: dict[str, Any] = {"na_values": [*MISSING, *missing]}
    table = next(_parsed(file, f, name, **more))
    last = table.iloc[-MOST_TITLES - 1 :]
    words = [isinstance(cell, str) and not _is_number(cell.strip()) for cell in last.iloc[:, 0]]
    alone = last.iloc[:, 1:].isna().to_numpy().all(axis=1) & np.array(words, dtype=bool)
    k = int(alone[::-1].cumprod().sum())
    below = last.iloc[len(last) - k :, 0].tolist() if table.shape[1] >= LEAST_COLUMNS and k < len(last) else []
    if below:  # without them, columns may be numbers
        more["nrows"] = len(table) - k
        table = next(_parsed(file, f, name, **more))
    large = (each for each in table.select_dtypes("float") if (table[each].abs() >= LARGEST_EXACT).any())
    merged = [*{*large, *f.padded}]
    if merged:  # whole numbers beside gaps, as of identifiers; what other numbers are is told from their texts
        table[merged] = next(_parsed(file, f, name, dtype=dict.fromkeys(merged, str), **more))[merged]
    if f.header and not table.select_dtypes(["number", "bool"]).shape[1]:  # a column of numbers holds no name
        names = table.astype(str).apply(lambda cells: cells.str.strip() == cells.name).all(axis=1)
        table = table[~names].reset_index(drop=True)
    table, read = with_numbers(table, f.options["decimal"])
    return table, ", ".join([*f.said, *(f"line {line[:60]!r} below the table skipped" for line in below), *read])


def _parsed(file: IO[bytes], f: TextFormat, name: object, **more: Any) -> Iterator[pd.DataFrame]:
    """The table, or blocks of `chunksize` rows."""
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=f.encoding, newline="")
    try:
        found = pd.read_csv(
            text,
            skipinitialspace=True,
            keep_default_na=False,
            low_memory=False,
            **{"na_values": MISSING, **EXACT, **f.options, **more},
        )
        for block in [found] if isinstance(found, pd.DataFrame) else found:
            if not isinstance(block.index, pd.RangeIndex):  # pandas took the first fields for row names
                raise InputError("The rows have more fields than the header", got=str(name))
            yield block[f.columns]
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError(
            "The table cannot be read",
            got=f"{name}: {str(error).rpartition('C error: ')[2]}",
            fix="Correct that line: a text with the separator in it needs quotes, and a quotation mark a second one",
        ) from None
    finally:
        text.detach()  # the file is closed by those who opened it, or read again


def with_plain_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers and booleans of extension types as floats: NA becomes NaN, which is imputed."""
    extension = {name: t for name, t in table.dtypes.items() if isinstance(t, pd.api.extensions.ExtensionDtype)}
    return table.astype({name: float for name, t in extension.items() if t.kind in "biuf"})
