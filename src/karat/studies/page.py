"""A study on paper: tables as CSV, figures as PNG, and one self-contained page with ours beside the printed ones."""

from __future__ import annotations

import base64
import html
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from karat.errors import InputError
from karat.result.digits import places
from karat.studies.result import StudyResult

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: .6em 0 1.4em; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .18em .7em; text-align: right; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #888; } td.printed { color: #777; } .no { color: #b00; font-weight: bold; }
img { max-width: 100%; } code { background: #f3f3f3; padding: 0 .2em; } small { color: #777; }
"""


def write(result: StudyResult, out: Path) -> list[Path]:
    """Write everything into a folder; returns what was written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        return _write(result, out)
    except OSError as error:
        where = error.filename or out
        raise InputError(
            "the results cannot be written", got=f"{where}: {error.strerror}", fix="Give another folder"
        ) from None


def _write(result: StudyResult, out: Path) -> list[Path]:
    from karat.plots.picture import png

    written = []
    tables = dict(result.tables) | ({} if result.printed is None else {"printed": result.printed})
    for name, table in tables.items():
        path = out / f"{_file(name)}.csv"
        table.to_csv(path, index=not isinstance(table.index, pd.RangeIndex))
        written.append(path)
    images = []
    for picture in result.pictures:
        path = out / f"{_file(picture.name)}.png"
        images.append(png(picture))
        path.write_bytes(images[-1])
        written.append(path)
    checks = out / "checks.json"
    found = {
        "study": result.name,
        "settings": result.settings,
        "seconds": round(result.seconds, 1),
        "holds": bool(result.checks()),
        "claims": result.checks().frame().to_dict("records"),
    }
    checks.write_text(json.dumps(found, indent=2, default=str, ensure_ascii=False), encoding="utf-8")
    page = out / "index.html"
    page.write_text(as_html(result, images), encoding="utf-8")
    return [*written, checks, page]


def as_html(result: StudyResult, images: Iterable[bytes] = ()) -> str:
    """The page as text: no file but itself is needed to read it."""
    said = html.escape
    parts = [
        "<!doctype html><meta charset='utf-8'>",
        f"<title>{said(result.title)}</title><style>{_STYLE}</style>",
        f"<h1>{said(result.title)}</h1><p>{said(result.source)}. "
        + ", ".join(f"{said(str(k))} {said(str(v))}" for k, v in result.settings.items())
        + f"; {result.seconds:.1f} s.</p>",
    ]
    if result.claims:
        items = "".join(
            f"<li><span class='{'yes' if c.holds else 'no'}'>{'holds' if c.holds else 'fails'}</span>: {said(c.says)}"
            + (f" <small>({said(c.seen)})</small>" if c.seen else "")
            for c in result.claims
        )
        parts.append(f"<h2>What must hold</h2><ul>{items}</ul>")
    for i, (name, table) in enumerate(result.tables.items()):
        parts.append(f"<h2>{said(name[0].upper() + name[1:])}</h2>")
        parts.append(_table(table, result.printed if i == 0 else None))
    for image in images:
        parts.append(f"<img alt='' src='data:image/png;base64,{base64.b64encode(image).decode()}'>")
    parts += [f"<p>{said(note)}</p>" for note in result.notes]
    parts.append(
        "<p><small>Numbers after ± are Monte-Carlo errors: what other trials would change. Where the truth is "
        "seen on one test set, all trials share its error, and ± does not hold it. Grey numbers are the printed ones."
        "</small></p>"
    )
    return "\n".join(parts) + "\n"


def _table(table: pd.DataFrame, printed: pd.DataFrame | None) -> str:
    """Every number with its Monte-Carlo error, and the printed one right of it."""
    keys: list[str] = []
    if isinstance(table.index, pd.RangeIndex):
        keys = [c for c in table.columns if printed is not None and c in printed and not _numeric(table[c])]
        keys += [c for c in ("size",) if c in table and c not in keys]
    beside = _aligned(table, printed, keys)
    shown = [c for c in table.columns if not str(c).endswith("_mc")]
    head = "" if isinstance(table.index, pd.RangeIndex) else "<th></th>"
    for column in shown:
        head += f"<th>{html.escape(str(column))}</th>"
        if column in beside:
            head += "<th>printed</th>"
    lines = [f"<tr>{head}</tr>"]
    values = {column: table[column].tolist() for column in table.columns}  # a row would make floats of whole numbers
    for i, label in enumerate(table.index):
        cells = "" if isinstance(table.index, pd.RangeIndex) else f"<td>{html.escape(str(label))}</td>"
        for column in shown:
            errors = values.get(f"{column}_mc")
            cells += f"<td>{_cell(values[column][i], None if errors is None else errors[i])}</td>"
            if column in beside:
                cells += f"<td class='printed'>{_cell(beside[column][i], None)}</td>"
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _aligned(table: pd.DataFrame, printed: pd.DataFrame | None, keys: list[str]) -> dict[str, list[Any]]:
    """The printed numbers in the order of our rows; NaN where nothing is printed."""
    if printed is None or printed.empty:
        return {}
    if keys:
        found = table[keys].merge(printed, on=keys, how="left")
    elif isinstance(table.index, pd.RangeIndex):
        return {}
    else:
        found = printed.reindex(table.index)
    numbers = [c for c in found.columns if c not in keys and c in table.columns and not found[c].isna().all()]
    return {c: found[c].tolist() for c in numbers}


def _cell(value: Any, error: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        if error is None or not isinstance(error, float) or math.isnan(error) or error <= 0:
            return f"{value:.4g}" if abs(value) >= 10 or (value and abs(value) < 1e-3) else f"{value:.4f}"
        digits = max(places(error), 2)
        return f"{value:.{digits}f} <small>± {error:.{digits}f}</small>"
    return html.escape(str(value))


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_float_dtype(column)


def _file(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")
