"""karat roc: a file of labels and scores, the AUCs, the tests between them, and the picture."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.checks import PICTURE, check_level, check_output, write_and_say


def roc(
    scores: Annotated[str, typer.Argument(help="CSV, TSV or Parquet file; - reads CSV from standard input.")],
    label: Annotated[str, typer.Option(help="Column with the labels.")],
    score: Annotated[
        list[str], typer.Option(help="Column with scores, high for the positive class; repeat for several.")
    ],
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Write the curves to this file, .png or .svg.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
) -> None:
    """ROC curves of scores: AUCs with intervals, DeLong's test between them, and the curves as a picture.

    karat roc scores.csv --label y --score a --score b --plot roc.png
    """
    from karat.cli.data import column, read_table, same_partition
    from karat.curves.roc import roc as curve_of
    from karat.errors import InputError
    from karat.result.digits import counted

    check_level(level)
    check_output("--plot", plot, PICTURE)
    check_output("--json", json_file, data=scores)
    twice = sorted({name for name in score if score.count(name) > 1})
    if twice:
        raise InputError("a score is asked for twice", got=", ".join(twice))
    if label in score:
        raise InputError("the label is asked for as a score", got=f"--score {label}", fix="Give a column of scores")
    table = read_table(scores)
    y = column(table, label, "label")
    curves = {name: curve_of(y, column(table, name, "score"), positive=positive) for name in score}
    areas = [_area(name, c, same_partition(table[name], y), level) for name, c in curves.items()]
    tests = _compared(y, table, curves, positive)
    first = next(iter(curves.values()))
    down, up = first.data.classes
    typer.echo(f"{counted(first.data.n1, 'positive')} ({up}), {counted(first.data.n0, 'negative')} ({down})\n")
    typer.echo("\n".join(_areas(areas, level)))
    if tests:
        typer.echo("\n" + "\n".join(_tests(tests)))
    for a in areas:
        for note in a["notes"]:
            typer.echo(f"\n{a['score']}: {note}")
    for t in tests:
        for note in t["notes"]:
            typer.echo(f"\n{' − '.join(t['scores'])}: {note}")
    if plot is not None:
        _draw(curves, plot, level)
    if json_file is not None:
        typer.echo()
        write_and_say(json_file, json.dumps({"auc": areas, "delong": tests}, indent=2, ensure_ascii=False))


def _area(name: str, curve: Any, is_label: bool, level: float) -> dict[str, Any]:
    """A row of the table; a score that is the label under other names gets a note."""
    row = {"score": name, **curve.auc.to_dict(level)}
    if is_label:
        row["notes"] = [*row["notes"], "Two values that tell the label in every case: is this the label itself?"]
    return row


def _compared(y: Any, table: Any, curves: dict[str, Any], positive: str | None) -> list[dict[str, Any]]:
    """DeLong's test of every pair of scores, with Holm's adjustment where there are several; a pair that has no test
    keeps its difference, and a note says why."""
    from karat.comparisons.delong import delong
    from karat.comparisons.holm import holm
    from karat.errors import InputError

    tests = []
    for a, b in combinations(curves, 2):
        apart = curves[a].auc.value - curves[b].auc.value
        blank = {"scores": [a, b], "difference": apart, "se": None, "z": None, "p_value": None}
        if min(curves[a].data.n1, curves[a].data.n0) == 1:
            tests.append({**blank, "notes": ["No test: a class has one case, and one case has no variance."]})
            continue
        try:
            result = delong(y, table[a], table[b], positive=positive)
        except InputError as error:  # the scores themselves are sound: their curves exist
            tests.append({**blank, "notes": [f"No test: {error.problem}."]})
            continue
        d = result.difference
        numbers = {
            "difference": None if d is None else d.value,
            "se": None if d is None else d.se,
            "z": result.statistic,
            "p_value": result.p_value,
        }
        finite = {k: v if v is not None and math.isfinite(v) else None for k, v in numbers.items()}
        tests.append({"scores": [a, b], **finite, "notes": [str(note) for note in result.notes]})
    known = [t for t in tests if t["p_value"] is not None]
    if len(known) > 1:
        for t in tests:
            t["p_holm"] = None
        for t, p in zip(known, holm([t["p_value"] for t in known]).tolist(), strict=True):
            t["p_holm"] = p
    return tests


def _areas(areas: list[dict[str, Any]], level: float) -> list[str]:
    from karat.result.digits import shown

    rows = [("score", "AUC", "se", f"{100 * level:g} % interval")]
    for a in areas:
        limits = "" if a["low"] is None else f"{shown(a['low'], a['se'])} to {shown(a['high'], a['se'])}"
        rows.append((a["score"], shown(a["value"], a["se"]), shown(a["se"], a["se"]), limits))
    return _aligned(rows)


def _tests(tests: list[dict[str, Any]]) -> list[str]:
    from karat.result.digits import shown

    adjusted = "p_holm" in tests[0]
    rows = [("DeLong's test", "difference", "se", "z", "p", *(["p (Holm)"] if adjusted else []))]
    for t in tests:
        a, b = t["scores"]
        z = "" if t["z"] is None else f"{t['z']:.3f}"
        tail = [_p(t["p_value"]), *([_p(t["p_holm"])] if adjusted else [])]
        rows.append((f"{a} − {b}", shown(t["difference"], t["se"]), shown(t["se"], t["se"]), z, *tail))
    return _aligned(rows)


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.4f}" if p >= 0.001 else f"{p:.2g}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]


def _draw(curves: dict[str, Any], path: Path, level: float) -> None:
    from karat.errors import InputError
    from karat.plots.axes import new_axes
    from karat.plots.roc import draw_curves

    ax = new_axes()
    draw_curves(curves, ax, level=level)
    try:
        ax.figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError("the picture cannot be written", got=f"{path}: {error.strerror}") from None
    typer.echo(f"\nWrote {path}")
