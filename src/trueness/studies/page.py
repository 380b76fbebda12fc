"""A study on paper: tables of text with Monte Carlo errors and published numbers, and a folder with all of it."""

import base64
import math
from pathlib import Path

import pandas as pd

from trueness.checks import write_file
from trueness.errors import InputError, escape
from trueness.result.shown import Table, as_html, csv_text
from trueness.result.words import places, significant
from trueness.studies.result import StudyResult

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: .6em 0 1.4em; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .18em .7em; text-align: left; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #888; } caption { text-align: left; font-weight: bold; } img { max-width: 100%; }
"""


def table_of(table: pd.DataFrame, printed: pd.DataFrame | None, title: str, most_rows: int | None = None) -> Table:
    """A table of text with cells value(error) / published.

    Parameters
    ----------
    table : DataFrame
        Ours; columns <name>_mc are Monte Carlo errors.
    printed : DataFrame or None
        Published numbers, matched by index or by the columns that name a row.
    title : str
        Title of the table.
    most_rows : int, optional
        Rows to show; all by default.
    """
    shown = [str(c) for c in table.columns if not str(c).endswith("_mc")]
    named = not isinstance(table.index, pd.RangeIndex)
    beside = _published_beside(table, printed)
    values = {str(c): table[c].tolist() for c in table.columns}  # rows of a DataFrame would turn integers into floats
    n = len(table) if most_rows is None else min(most_rows, len(table))
    rows = []
    for i in range(n):
        cells = [str(table.index[i])] if named else []
        for column in shown:
            error = values[f"{column}_mc"][i] if f"{column}_mc" in values else None
            cells.append(_cell(values[column][i], error, beside[column][i] if column in beside else None))
        rows.append(cells)
    if n < len(table):
        title += f" (first {n} of {len(table)} rows; frame({title!r}) has all)"
    return Table([*([""] if named else []), *shown], rows, title)


def _published_beside(table: pd.DataFrame, printed: pd.DataFrame | None) -> dict[str, list[object]]:
    """The published numbers in the order of our rows; NaN where nothing is published."""
    if printed is None or printed.empty:
        return {}
    keys: list[str] = []
    if isinstance(table.index, pd.RangeIndex):
        keys = [c for c in table if c in printed and (c == "size" or not pd.api.types.is_float_dtype(table[c]))]
        if not keys:
            return {}
        found = table[keys].merge(printed, on=keys, how="left")
    else:
        found = printed.reindex(table.index)
    return {c: found[c].tolist() for c in found if c not in keys and c in table and not found[c].isna().all()}


def _cell(value: object, error: object, printed: object) -> str:
    """ "0.5910(29) / 0.5914": a value, its Monte Carlo error in units of the last digits, and the published value."""
    if not isinstance(value, float):
        return "" if value is None else str(value)
    if math.isnan(value):
        return ""
    if isinstance(error, float) and error > 1e-10:
        digits = places(error)
        text = f"{value:z.{digits}f}({round(error * 10**digits)})"
    else:
        text = _number(value)
    known = isinstance(printed, float) and not math.isnan(printed)
    return f"{text} / {_number(printed)}" if known and isinstance(printed, float) else text


def _number(value: float) -> str:
    return significant(value, 4) if abs(value) >= 10 or (value and abs(value) < 1e-3) else f"{value:z.4f}"


def write(result: StudyResult, out: Path) -> list[Path]:
    """Write everything into a folder and return the files."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        return _write(result, out)
    except OSError as error:
        raise InputError(
            "The results cannot be written",
            param="out",
            got=f"{error.filename or out}: {error.strerror}",
            fix="Pass another folder",
        ) from None


def _write(result: StudyResult, out: Path) -> list[Path]:
    written = []
    tables = dict(result.tables) | ({} if result.printed is None else {"printed": result.printed})
    for name, table in tables.items():
        written.append(out / f"{_file(name)}.csv")
        write_file(
            written[-1], csv_text(table if isinstance(table.index, pd.RangeIndex) else table.reset_index()), "out"
        )
    images = ""
    for picture in result.pictures:
        written.append(out / f"{_file(picture.name)}.png")
        image = picture.png()
        write_file(written[-1], image, "out")
        images += f"<img alt='' src='data:image/png;base64,{base64.b64encode(image).decode()}'>\n"
    written += [out / "study.json", out / "index.html"]
    result.to_json(written[-2])
    head = f"<!doctype html><meta charset='utf-8'><title>{escape(result.title)}</title><style>{STYLE}</style>"
    write_file(written[-1], f"{head}\n{as_html(result.full_page())}\n{images}", "out")
    return written


def _file(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")
