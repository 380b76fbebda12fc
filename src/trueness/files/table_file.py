"""Tables from files: Parquet, or text with whatever separator, encoding, header and decimal mark it has."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import pandas as pd

from trueness.errors import InputError, near
from trueness.files.text_format import EXACT, MISSING, TextFormat, format_of, numbered

SAMPLE = 1 << 18  # bytes by which the format of a file is told
LONGEST_HEADER = 1 << 26  # bytes of a first line
MOST_LISTED = 20  # columns in an error
GZIP = b"\x1f\x8b"
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


def read_and_describe(source: str) -> tuple[pd.DataFrame, str]:
    """The table, and what is unusual about its file: "semicolons, decimal commas"; "" for plain CSV."""
    if source == "-":
        return _text(_standard_input(), "standard input")
    path = Path(source)
    with _readable(source):
        if not path.exists():
            names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            raise InputError("There is no such file", got=source, fix=near(path.name, names).strip())
        if path.is_dir():
            raise InputError("This is a folder, not a file", got=source, fix="Name a file in it")
        if path.suffix.lower() in (".parquet", ".pq"):
            return _parquet(path), ""
        if path.suffix.lower() in OTHER_FORMATS:
            kind = OTHER_FORMATS[path.suffix.lower()]
            raise InputError(f"This is {kind}, not a table of text", got=source, fix="Save it as CSV")
        with _opened(path) as file:
            return _text(file, source)


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
        raise InputError("The table cannot be read", got=f"{path}: {error}") from None


def _beginning(file: IO[bytes], name: object) -> bytes:
    """By which the format is told."""
    sample = file.read(SAMPLE)
    if b"\n" not in sample:
        sample += file.readline(LONGEST_HEADER)
    if not sample.strip():
        raise InputError("The table is empty", got=str(name))
    file.seek(0)
    return sample


def _options(f: TextFormat) -> dict[str, Any]:
    """What pandas must know of a format."""
    return {
        "sep": f.separator,
        "decimal": f.decimal,
        "thousands": f.thousands,
        "quotechar": f.quote,
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


def _standard_input() -> IO[bytes]:
    raw = getattr(sys.stdin, "buffer", None)
    return io.BytesIO(raw.read() if raw is not None else sys.stdin.read().encode())


def _opened(path: Path) -> IO[bytes]:
    """The bytes of a file; those inside of a .gz file."""
    file = path.open("rb")
    if file.read(len(GZIP)) == GZIP:
        import gzip

        file.close()
        return cast("IO[bytes]", gzip.open(path))
    file.seek(0)
    return file


def _text(file: IO[bytes], name: str) -> tuple[pd.DataFrame, str]:
    sample = _beginning(file, name)
    found = format_of(sample, whole=len(sample) < SAMPLE)
    try:
        return _parsed(file, found, name), found.words
    except UnicodeDecodeError as error:  # a character after the sample tells that it is not UTF-8
        if not found.encoding.startswith("utf-8"):
            raise InputError("The file is not text", got=f"{name}: {error.reason}", fix="Save it as CSV") from None
        file.seek(0)
        found = format_of(sample, encoding="cp1252")
        return _parsed(file, found, name), found.words


def _parsed(file: IO[bytes], f: TextFormat, name: str) -> pd.DataFrame:
    text = io.TextIOWrapper(file, encoding=f.encoding, newline="")
    try:
        table = pd.read_csv(text, header=0 if f.header else None, names=None if f.header else f.columns, **_options(f))
    except UnicodeDecodeError:
        raise
    except (pd.errors.ParserError, ValueError) as error:
        raise InputError("The table cannot be read", got=f"{name}: {error}") from None
    finally:
        text.detach()  # the file is closed by those who opened it, or read again
    if isinstance(table.index, pd.MultiIndex):
        raise InputError(
            "The rows have more fields than the header", got=f"{name}: {table.index.nlevels} more", fix="Name them all"
        )
    if table.empty:
        raise InputError("The table has a header but no rows", got=name)
    table.columns = [str(c).strip() for c in table.columns]
    return table.reset_index(drop=True)  # row names without a head, as R writes them


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError:
        raise InputError("Parquet files need pyarrow", fix="Run pip install pyarrow") from None
    except (OSError, ValueError) as error:
        raise InputError("The Parquet file cannot be read", got=f"{path}: {error}") from None
    if table.empty:
        raise InputError("The table has no rows", got=str(path))
    for name in table.columns[[isinstance(t, pd.api.extensions.ExtensionDtype) for t in table.dtypes]]:
        if pd.api.types.is_bool_dtype(table[name]) or pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype("float64")  # NA becomes NaN, which is imputed
    return table


def column(table: pd.DataFrame, name: str, param: str) -> pd.Series:
    """One column of a table; an error of the option `param` lists the columns where there is no such one."""
    if not isinstance(name, str) or name not in table.columns:
        known = [str(c) for c in table.columns]
        listed = ", ".join(map(repr, known[:MOST_LISTED]))
        more = f", … and {len(known) - MOST_LISTED} more; the last is {known[-1]!r}" if len(known) > MOST_LISTED else ""
        if known == numbered(len(known)):
            more += ". Columns of a file without a header are called x1, x2, … in their order"
        raise InputError(f"There is no column {name!r}", param=param, fix=f"{near(name, known)}Columns: {listed}{more}")
    return table[name]
