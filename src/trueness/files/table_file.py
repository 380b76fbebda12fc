"""Tables from files: Parquet, or text with whatever separator, encoding, header and decimal mark it has. People rarely
know how a table was written, so it is told from the first lines; `csv.Sniffer` takes a decimal comma for the separator,
and a row of words for a header."""

import codecs
import csv
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pandas as pd

from trueness.errors import InputError, near
from trueness.files.numbers import with_numbers
from trueness.result.words import counted
from trueness.sample.labels import LARGEST_EXACT, listed
from trueness.typing import Bools

MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "?", "."]  # "None" may be a label
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": ""}
BLANKS = r"\s+"
EXACT = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
"""How pandas reads a number as Python does: before 3.1 it often took the next double."""
LINES = 200  # of the file that are looked at
MOST_TITLES = 10  # lines above the names of the columns, and below the last row
LEAST_COLUMNS = 3  # of a table, below which a line of one cell may be a row
ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NAMES = {"utf-8": "", "utf-8-sig": "", "utf-16": "UTF-16", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")

SEP_LINE = re.compile(r"\ufeff?\"?sep=.\"?[;,\t]*\r?\n", re.IGNORECASE)

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
    trailing: bool = False  # whether rows, but not the header, end in a separator
    above: int = 0  # lines above the table: sep=;, titles
    titles: tuple[str, ...] = ()  # lines above the names of the columns
    again: tuple[tuple[str, str], ...] = ()  # names of columns that came before, and what they are called instead

    @property
    def words(self) -> str:
        """What is unusual; "" for UTF-8 CSV with a header."""
        parts = [NAMES[self.encoding], SEPARATORS.get(self.separator, "blanks between columns")]
        parts.append("decimal commas" if self.decimal == "," else "")
        parts.append("commas between thousands" if self.thousands else "")
        if not self.header:
            last = f" to {self.columns[-1]}" if len(self.columns) > 1 else ""
            parts.append(f"no header, columns are called {self.columns[0]}{last}")
        parts += [f"title {title[:60]!r} skipped" for title in self.titles]
        parts += [f"another column {name!r} is called {own!r}" for name, own in self.again]
        return ", ".join(part for part in parts if part)


def format_of(sample: bytes, whole: bool = True, encoding: str | None = None) -> TextFormat:
    """The format of a file that begins with `sample`; an error where it is no text."""
    encoding = encoding or _encoding(sample, whole)
    text = sample.decode(encoding, errors="ignore")
    above = 1 if SEP_LINE.match(text) else 0  # which Excel writes and reads
    places = [k for k, line in enumerate(text.splitlines()) if k >= above and line.strip()]
    lines = [text.splitlines()[k] for k in places]
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
    titles = _titles(rows)
    if titles:
        above, rows = places[titles], rows[titles:]
    decimal, thousands = _marks(rows, separator)
    header = len(rows) < 2 or _has_header(rows, decimal)
    names = [name.strip() for name in rows[0]] if header else numbered(len(rows[0]))
    columns = _all_different(names)
    again = tuple((name, own) for name, own in zip(names, columns, strict=True) if name != own)
    wider = len(rows) > 1 and len(rows[1]) == len(rows[0]) + 1
    trailing = wider and not any(row[len(rows[0])].strip() for row in rows[1:] if len(row) > len(rows[0]))
    skipped = tuple(words for line in lines[:titles] if (words := line.strip(" \t\"';,|")))
    return TextFormat(
        encoding,
        separator,
        decimal,
        thousands,
        quote,
        header,
        columns,
        row_names=wider and not trailing,
        trailing=trailing,
        above=above,
        titles=skipped,
        again=again,
    )


def _titles(rows: Rows) -> int:
    """How many lines above the names of the columns are titles: they fill fewer fields than the others, and a line of
    names follows, above numbers or below a line of at most half as many fields. An error where none follows a title."""
    filled = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    widths = [len(cells) for cells in filled[1:]]
    usual = max(set(widths), key=widths.count) if len(widths) > 2 else 0
    if usual < 3:
        return 0
    for k in range(min(MOST_TITLES, len(rows) - 2) + 1):
        below = [cells for cells in filled[k + 1 :] if len(cells) == usual]
        names = len(filled[k]) == usual and not any(map(_is_number, filled[k]))
        above_numbers = names and bool(below) and any(_is_number(cell) for cell in below[0])
        if k and (above_numbers or (names and 2 * max(map(len, filled[:k])) <= usual)):
            return k
        if len(filled[k]) >= usual:
            break
    first = filled[0]
    alone = len(first) == 1 and not NUMBER.fullmatch(first[0])
    if alone or (first and first[0].startswith("#") and len(rows[0]) < usual - 1):
        problem = "The first line names no columns: it looks like a title"
        raise InputError(problem, got=repr(",".join(first)[:60]), fix="Remove the lines above the names of the columns")
    return 0


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.replace(",", ".")) is not None


def _all_different(names: Sequence[str]) -> list[str]:
    """Names of columns; those that come again get a number as pandas gives it.

    >>> _all_different(["a", "b", "a", "a", "a.1", ""])
    ['a', 'b', 'a.2', 'a.3', 'a.1', '']
    """
    found: list[str] = []
    for name in names:
        own, k = name, 0
        while name and (own in found or (k and own in names)):
            k += 1
            own = f"{name}.{k}"
        found.append(own)
    return found


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
    """The separator by which rows agree best on the number of fields, and the fields. A decimal comma cuts rows of
    semicolons, too, but not their header: below titles, the fewest lines must differ from the rest."""
    best = 0.0, ",", [[line] for line in lines]
    for separator in SEPARATORS:
        text = "\n".join(lines)
        reader = csv.reader(io.StringIO(text), delimiter=separator, quotechar=quote, skipinitialspace=True)
        rows = [row for row in reader if row]
        widths = [len(row) for row in rows]
        common = max(set(widths), key=widths.count)
        if common == 1:
            continue
        head = _lines_above(widths, common)
        even = 0.9**head * sum(width == common for width in widths[head:]) / len(widths[head:])
        if even > best[0]:
            best = even, separator, rows
    if best[0] == 0.0:
        stripped = (line.strip() for line in lines)
        rows = list(csv.reader(stripped, delimiter=" ", quotechar=quote, skipinitialspace=True))
        if len(rows[-1]) > 1 and len(rows[0]) >= len(rows[-1]) - 1 and len({len(row) for row in rows[1:]}) == 1:
            return BLANKS, rows
    return best[1], best[2]


def _lines_above(widths: Sequence[int], common: int) -> int:
    """How many of the first lines have another number of fields; R leaves out the head of row names.

    >>> _lines_above([1, 3, 3, 3], 3), _lines_above([2, 3, 3], 3), _lines_above([2, 1, 2, 2], 2)
    (1, 0, 2)
    """
    if widths[0] == common - 1 > 1:
        return 0
    odd = [k for k, width in enumerate(widths[: MOST_TITLES + 1]) if width != common]
    return odd[-1] + 1 if odd and odd[-1] + 1 < len(widths) else 0


def _marks(rows: Rows, separator: str) -> tuple[str, str | None]:
    """The decimal mark and the mark between thousands: 1,234 is a large number where commas separate the columns."""
    cells = [cell.strip() for row in rows[1:] for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell) or THOUSANDS.fullmatch(cell)]
    if commas and all(map(THOUSANDS.fullmatch, commas)) and (separator != ";" or _in_thousands(rows[1:])):
        return ".", ","
    points = sum(DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if len(commas) > points else ".", None


def _in_thousands(rows: Rows) -> bool:
    """Whether columns with commas have whole numbers from 100 to 999 besides, and none of more digits."""
    for cells in zip(*rows, strict=False):
        others = [
            cell.strip() for cell in cells if not THOUSANDS.fullmatch(cell.strip()) and cell.strip() not in MISSING
        ]
        if len(others) < len(cells) and not (
            all(re.fullmatch(r"[+-]?\d{1,3}", cell) for cell in others) and any(len(cell) >= 3 for cell in others)
        ):
            return False
    return True


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

    def cells_of(rows: Rows) -> Rows:
        return [[row[k].strip() for row in rows if k < len(row) and row[k].strip() not in MISSING] for k in places]

    places = range(len(first))
    columns = cells_of(body)

    def number(cell: str) -> bool:
        return NUMBER.fullmatch(cell.replace(",", ".") if decimal == "," else cell) is not None

    others = cells_of([row for row in body if row != rows[0]])  # it comes again where files were joined
    numeric = [bool(cells) and all(map(number, cells)) for cells in others]
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


SAMPLE = 1 << 18  # bytes by which the format of a file is told
LONGEST_HEADER = 1 << 26  # bytes of a first line
MOST_LISTED = 20  # columns in an error
MOST_UNPACKED = 100  # times the size of a packed file; text and numbers pack 3 to 30 times
LEAST_REFUSED = 1 << 30  # bytes; less never fills a memory
JSON_LINES = (".jsonl", ".ndjson")
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
OTHER_FORMATS = {
    ".xlsx": "an Excel file",
    ".xls": "an Excel file",
    ".ods": "a spreadsheet",
    ".sav": "an SPSS file",
    ".dta": "a Stata file",
    ".rds": "an R file",
    ".rdata": "an R file",
    ".json": "a JSON file",
    ".zip": "a zip archive",
}


def read_table(source: str) -> pd.DataFrame:
    """The table of a text or Parquet file, or of text from standard input ("-")."""
    return read_and_describe(source)[0]


def read_and_describe(source: str, missing: Sequence[str] = ()) -> tuple[pd.DataFrame, str]:
    """The table, and what is unusual about its file: "semicolons, decimal commas"; "" for plain CSV. Cells that hold one
    of the codes `missing` are missing, beside those that are in every file."""
    if source == "-":
        with _readable("standard input"):
            given = _standard_input()
            packed = len(given)
            if given.startswith(PARQUET):
                return _without_codes(read_parquet(io.BytesIO(given), "standard input", packed), missing)
            with _unpacked(io.BytesIO(given), "standard input", packed) as file:
                return _text(file, "standard input", missing)
    path = Path(source)
    with _readable(source):
        if not path.exists():
            names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            one = "One table is read at a time: join the files, with a column that says which rows are from which"
            fix = one if set("*?[") & set(path.name) else near(path.name, names).strip()
            raise InputError("There is no such file", got=source, fix=fix)
        if path.is_dir():
            raise InputError("This is a folder, not a file", got=source, fix="Name a file in it")
        if path.suffix.lower() in (".parquet", ".pq"):
            return _without_codes(read_parquet(path, path, path.stat().st_size), missing)
        if any(end.lower() in JSON_LINES for end in path.suffixes[-2:]):
            with _opened(path) as file:
                rows = json_rows(file.read().decode("utf-8-sig", errors="replace"), path)
            return _without_codes(pd.DataFrame(rows), missing)
        if path.suffix.lower() in OTHER_FORMATS:
            kind = OTHER_FORMATS[path.suffix.lower()]
            with path.open("rb") as file:
                begins = file.read(2)
            if path.suffix.lower() in (".xlsx", ".xls", ".ods") and begins not in (b"PK", b"\xd0\xcf"):
                raise InputError(f"This is called {kind} but is none", got=source, fix="If it is text, name it .csv")
            raise InputError(f"This is {kind}, not a table of text", got=source, fix="Save it as CSV")
        with _opened(path) as file:
            return _text(file, source, missing)


def json_rows(text: str, path: Path) -> list[dict[str, Any]]:
    """JSON objects, one per line or in one array."""
    rows: list[dict[str, Any]] = []
    if text.lstrip().startswith("[{") or text.lstrip().startswith("[\n"):
        with suppress(ValueError, RecursionError):
            whole = json.loads(text)  # one array
            if isinstance(whole, list) and whole and all(isinstance(row, dict) for row in whole):
                return whole
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # also of numbers of more than 4300 digits, and 1000s of brackets
            got = f"{path}, line {number}: {getattr(error, 'msg', error)}"
            raise InputError("The file is not one JSON object per line", got=got) from None
        if not isinstance(row, dict):
            raise InputError("The file is not one JSON object per line", got=f"{path}, line {number}")
        rows.append(row)
    if not rows:
        raise InputError("The file is empty", got=str(path))
    return rows


@contextmanager
def _readable(name: object) -> Iterator[None]:
    """An error of the command line where a file cannot be read."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("The file cannot be read", got=f"{name}: {reason}") from None


def text_blocks(path: Path, texts: Sequence[str], others: Sequence[str], rows: int) -> Iterator[pd.DataFrame]:
    """Two or more columns of a text file, some rows at a time; `texts` as they are written."""
    try:
        with _readable(path), _opened(path) as file:
            sample = _beginning(file, path)
            f = format_of(sample, whole=len(sample) < SAMPLE)
            for name, param in (*((name, "label") for name in texts), *((name, "score") for name in others)):
                column(pd.DataFrame(columns=f.columns), name, param)
            wanted = [*texts, *others]
            names = [name if name in wanted else f"\0{k}" for k, name in enumerate([*[""] * f.row_names, *f.columns])]
            with pd.read_csv(
                io.TextIOWrapper(file, encoding=f.encoding, newline=""),
                header=0 if f.header else None,
                names=names,  # and all columns: of some alone, pandas reads the first fields of a row that has more
                dtype=dict.fromkeys(texts, str),  # blocks of one type, whatever each holds
                chunksize=max(1, rows * len(wanted) // max(len(names), len(wanted))),
                **_options(f),
            ) as reader:
                for block in reader:
                    if not isinstance(block.index, pd.RangeIndex):  # pandas took the first fields for row names
                        raise InputError("Rows have more fields than the header", got=f"{path}, from its first row")
                    yield block[wanted]
    except UnicodeDecodeError as error:
        raise InputError("The file is not text", got=f"{path}: {error.reason}", fix="Save it as UTF-8 CSV") from None
    except pd.errors.ParserError as error:
        raise _unreadable(error, path) from None


FIELDS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
OPEN_QUOTE = re.compile(r"EOF inside string starting at row (\d+)")


def _unreadable(error: Exception, name: object) -> InputError:
    """What is wrong with a text that pandas cannot parse."""
    if found := FIELDS.search(str(error)):
        columns, line, fields = found.groups()
        return InputError(
            "A row has more fields than the header",
            got=f"{name}, line {line}: {fields} fields, where the header has {columns}",
            fix="Correct that line (a text with the separator in it needs quotes); delete lines above the names of the "
            "columns, and remarks below the table",
        )
    if found := OPEN_QUOTE.search(str(error)):
        return InputError(
            "A quotation mark is opened and not closed",
            got=f"{name}, row {int(found[1])} below the header or near it",
            fix="Close it or delete it: up to the next one, all lines count as one text",
        )
    return InputError("The table cannot be read", got=f"{name}: {error}", fix="Save it as CSV, in UTF-8")


def _beginning(file: IO[bytes], name: object) -> bytes:
    """By which the format is told."""
    sample = file.read(SAMPLE)
    if b"\n" not in sample:
        sample += file.readline(LONGEST_HEADER)
        if len(sample) >= LONGEST_HEADER and not sample.endswith(b"\n"):
            got = f"{name}: no line ends within {LONGEST_HEADER >> 20} MiB"
            raise InputError("The first line is too long", got=got, fix="Save the table as CSV, one line per case")
    if not sample.strip():
        raise InputError("The table is empty", got=str(name))
    _check_no_other(sample, name)
    file.seek(0)
    return sample


def _check_no_other(sample: bytes, name: object) -> None:
    """An error where a file called a table of text is one of a spreadsheet, or packed."""
    if sample.startswith(b"PK\x03\x04"):
        kind = (
            "an Excel file" if b"xl/" in sample else "a spreadsheet" if b"opendocument" in sample else "a zip archive"
        )
    elif sample.startswith(b"\xd0\xcf\x11\xe0"):
        kind = "an Excel file"
    else:
        return
    fix = "Unpack it" if "zip" in kind else "Open it there and save it as CSV: renaming the file does not convert it"
    raise InputError(f"This is {kind}, not a table of text", got=str(name), fix=fix)


def _options(f: TextFormat) -> dict[str, Any]:
    """What pandas must know of a format."""
    return {
        "sep": f.separator,
        "decimal": f.decimal,
        "thousands": f.thousands,
        "quotechar": f.quote,
        "index_col": False if f.trailing else None,
        "skiprows": f.above,
        "skipinitialspace": True,
        "keep_default_na": False,
        "na_values": MISSING,
        "low_memory": False,
        **EXACT,
    }


def column_names(source: str) -> list[str]:
    """The columns of a text file, by its first lines."""
    with _opened(Path(source)) as file:
        return format_of(file.read(SAMPLE)).columns


def _standard_input() -> bytes:
    raw = getattr(sys.stdin, "buffer", None)
    return raw.read() if raw is not None else sys.stdin.read().encode()


def _opened(path: Path) -> IO[bytes]:
    """The bytes of a file; those inside of a .gz file, as far as `check_unpacked` allows."""
    return _unpacked(path.open("rb"), path, path.stat().st_size)


def _unpacked(file: IO[bytes], name: object, packed: int) -> IO[bytes]:
    """The bytes of a file of `packed` bytes; those inside where it is a .gz file."""
    begins = file.read(len(GZIP))
    file.seek(0)
    if begins != GZIP:
        return file
    import gzip

    class Unpacked(gzip.GzipFile):
        def read1(self, size: int = -1) -> bytes:
            check_unpacked(self.tell(), name, packed)
            return super().read1(size)

        def close(self) -> None:
            super().close()
            file.close()

    return cast("IO[bytes]", Unpacked(fileobj=file))


def check_unpacked(size: int, name: object, packed: int) -> None:
    """An error where so many bytes come out of a packed file that it may be made to fill the memory."""
    if size > max(LEAST_REFUSED, MOST_UNPACKED * packed):
        raise InputError(
            f"The file unpacks to more than {MOST_UNPACKED} times its size",
            got=f"{name}: {packed / 1e6:.3g} MB, unpacked at least {size / 1e9:.3g} GB",
            fix="If that is right, unpack it first, or pass a DataFrame in Python",
        )


def _without_codes(table: pd.DataFrame, codes: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """The table with gaps where it has the codes, and what is said of them."""
    if not codes:
        return table, ""
    numbers = [float(code) for code in codes if NUMBER.fullmatch(code)]
    found = table.isin([*codes, *numbers])
    return table.mask(found), _said_of_codes(found, codes)


def _said_of_codes(found: pd.DataFrame, codes: Sequence[str]) -> str:
    """What was read as missing, from (n, columns) where the codes are: "12 values '-9' read as missing in lwt"."""
    columns, shown = [str(name) for name in found.columns[found.any()]], ", ".join(map(repr, codes))
    if not columns:
        return f"no value {shown}"
    return f"{counted(int(found.to_numpy().sum()), 'value')} {shown} read as missing in {listed(columns, str)}"


def _text(file: IO[bytes], name: str, missing: Sequence[str]) -> tuple[pd.DataFrame, str]:
    sample = _beginning(file, name)
    found = format_of(sample, whole=len(sample) < SAMPLE)
    try:
        table, skipped = _parsed(file, found, name, missing)
    except UnicodeDecodeError as error:  # a character after the sample tells that it is not UTF-8
        if not found.encoding.startswith("utf-8"):
            raise InputError("The file is not text", got=f"{name}: {error.reason}", fix="Save it as CSV") from None
        file.seek(0)
        found = format_of(sample, encoding="cp1252")
        table, skipped = _parsed(file, found, name, missing)
    table, said = with_numbers(table, found.decimal)
    return table, ", ".join(part for part in (found.words, *skipped, *said) if part)


def _parsed(file: IO[bytes], f: TextFormat, name: str, missing: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """The table, and what is said of lines that are no rows."""
    text = io.TextIOWrapper(file, encoding=f.encoding, newline="")
    options = _options(f) | {"na_values": [*MISSING, *missing], "names": None if f.header else f.columns}
    options["header"] = 0 if f.header else None

    def read(**more: Any) -> pd.DataFrame:
        text.seek(0)
        return pd.read_csv(text, **options, **more)

    plain = None
    try:
        table = read()
        below = _remarks(table)
        if below:  # without them, columns may be numbers
            options["nrows"] = len(table) - len(below)
            table = read()
        merged = [name for name in table.select_dtypes("float") if (table[name].abs() >= LARGEST_EXACT).any()]
        if merged:  # whole numbers beside gaps, as of identifiers; what other numbers are is told from their texts
            table[merged] = read(dtype=dict.fromkeys(merged, str))[merged]
        if missing:
            options["na_values"] = MISSING
            plain = read()
    except UnicodeDecodeError:
        raise
    except InputError:
        raise
    except MemoryError:
        raise InputError("The table does not fit into memory", got=name) from None
    except (pd.errors.ParserError, ValueError) as error:
        raise _unreadable(error, name) from None
    finally:
        text.detach()  # the file is closed by those who opened it, or read again
    if isinstance(table.index, pd.MultiIndex):
        raise InputError(
            "The rows have more fields than the header", got=f"{name}: {table.index.nlevels} more", fix="Name them all"
        )
    if table.empty:
        raise InputError("The table has a header but no rows", got=name)
    table.columns = _all_different([str(c).strip() for c in table.columns])
    coded = (
        [] if plain is None else [_said_of_codes(table.isna() & plain.notna().set_axis(table.columns, axis=1), missing)]
    )
    again = _headers(table) if f.header else np.zeros(len(table), dtype=bool)
    if again.any():
        table = table[~again]
    skipped = [*coded, *(f"line {remark[:60]!r} below the table skipped" for remark in below)]
    if again.any():
        skipped.append(f"{counted(int(again.sum()), 'line')} with the names of the columns again skipped")
    return table.reset_index(drop=True), skipped  # row names without a head, as R writes them


def _headers(table: pd.DataFrame) -> Bools:
    """(n,) whether a row holds the names of the columns, as where files were joined."""
    texts = [str(c) for c in table.columns if table[c].dtype == object or pd.api.types.is_string_dtype(table[c])]
    if len(texts) < table.shape[1]:  # a column of numbers holds no name
        return np.zeros(len(table), dtype=bool)
    return np.asarray(np.all([(table[c].astype(str).str.strip() == c).to_numpy() for c in texts], axis=0))


def _remarks(table: pd.DataFrame) -> list[str]:
    """The last lines that are no rows: words in the first column, and nothing in the others."""
    if table.shape[1] < LEAST_COLUMNS or not isinstance(table.index, pd.RangeIndex):
        return []
    last = table.iloc[-MOST_TITLES - 1 :]
    words = [isinstance(cell, str) and not _is_number(cell.strip()) for cell in last.iloc[:, 0]]
    alone = last.iloc[:, 1:].isna().to_numpy().all(axis=1) & np.array(words, dtype=bool)
    k = int(alone[::-1].cumprod().sum())
    return last.iloc[-k:, 0].tolist() if 0 < k < len(last) else []


def read_parquet(file: Path | IO[bytes], name: object, packed: int) -> pd.DataFrame:
    """The table of a Parquet file of `packed` bytes, where it is not much larger."""
    try:
        from pyarrow.parquet import read_metadata

        about = read_metadata(file)
        check_unpacked(8 * about.num_rows * about.num_columns, name, packed)
        table = pd.read_parquet(file)
    except ImportError:
        raise InputError("Parquet files need pyarrow", fix="Run pip install pyarrow") from None
    except MemoryError:
        raise InputError("The table does not fit into memory", got=str(name)) from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError("The Parquet file cannot be read", got=f"{name}: {error}") from None
    if table.empty:
        raise InputError("The table has no rows", got=str(name))
    return with_plain_numbers(table)


def with_plain_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers and booleans of extension types as floats: NA becomes NaN, which is imputed."""
    for name in table.columns[[isinstance(t, pd.api.extensions.ExtensionDtype) for t in table.dtypes]]:
        if pd.api.types.is_bool_dtype(table[name]) or pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype("float64")
    return table


def without_gaps(table: pd.DataFrame, named: Mapping[str, str], drop: bool, advice: Mapping[str, str]) -> pd.DataFrame:
    """The rows that have a value in all named columns (option by column); an error where some have none and `drop` does
    not leave them out, with more `advice` by option."""
    gaps = {name: table[name].isna().to_numpy() for name in named if name in table.columns}
    if drop:
        kept = ~np.logical_or.reduce(list(gaps.values())) if gaps else np.ones(len(table), dtype=bool)
        return table[kept].reset_index(drop=True)
    for name, missing in gaps.items():
        if missing.any():
            raise InputError(
                f"{counted(int(missing.sum()), 'row has', 'rows have')} no value in column {name!r}",
                param=named[name],
                got=f"the first gap in row {int(missing.argmax()) + 1} below the header",
                fix="Add drop_missing= to leave such rows out, or fill the gaps in the file"
                + advice.get(named[name], ""),
            )
    return table


def column(table: pd.DataFrame, name: str, param: str) -> pd.Series:
    """One column of a table; an error of the option `param` lists the columns where there is no such one."""
    if not isinstance(name, str) or name not in table.columns:
        known = [str(c) for c in table.columns]
        listed = ", ".join(map(repr, known[:MOST_LISTED]))
        more = f", … and {len(known) - MOST_LISTED} more; the last is {known[-1]!r}" if len(known) > MOST_LISTED else ""
        if known == numbered(len(known)):
            more += ". Columns of a file without a header are called x1, x2, … in their order"
        parts = [part.strip() for part in str(name).split(",")]
        several = len(parts) > 1 and set(parts) <= set(known)
        hint = f"One column at a time: {' '.join(f'{param}={p!r}' for p in parts)}. " if several else near(name, known)
        raise InputError(f"There is no column {name!r}", param=param, fix=f"{hint}Columns: {listed}{more}")
    return table[name]
