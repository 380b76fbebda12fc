"""karat roc: a file of labels and scores, the AUCs, the tests between them, and the curves as a picture."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.checks import check_level
from karat.cli.checks import PAGE, PICTURE, REPORT_HELP, check_different, check_output, write_and_say, write_pages
from karat.cli.names import BANDS, CRITERIA, DATA_HELP, UNITS_HELP
from karat.cli.questions import Answers, Questions
from karat.cli.spelling import spell
from karat.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from karat.curves.curve import RocCurve
    from karat.result import Estimate, Note
    from karat.result.table import Page, Table


def roc(
    scores: Annotated[str, typer.Argument(help=DATA_HELP)],
    label: Annotated[str, typer.Option(help="Column with the labels.")],
    score: Annotated[list[str], typer.Option(help="Column with scores, high for the positive class; repeatable.")],
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    groups: Annotated[str | None, typer.Option(help=UNITS_HELP)] = None,
    sensitivity_at: Annotated[
        list[float] | None, typer.Option(help="Sensitivity (TPF) at this specificity (1 − FPF); repeatable.")
    ] = None,
    specificity_at: Annotated[
        list[float] | None, typer.Option(help="Specificity (1 − FPF) at this sensitivity (TPF); repeatable.")
    ] = None,
    partial_auc: Annotated[
        str | None, typer.Option(help="Area over a range: specificity=0.9,1 (or fpf=0,0.1), or sensitivity=0.8,1.")
    ] = None,
    best: Annotated[
        str | None,
        typer.Option(
            help=f"Choose a threshold: {', '.join(CRITERIA)}, or at least this much, e.g. sensitivity=0.9, "
            "specificity=0.9."
        ),
    ] = None,
    band: Annotated[
        str | None, typer.Option(help=f"Confidence band in the picture and in JSON: {', '.join(BANDS)}.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the resamples of --best and --band.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Write the curves to this file, .png or .svg.")] = None,
    report: Annotated[Path | None, typer.Option(help=f"{REPORT_HELP}; several scores: one each.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
) -> None:
    """ROC curves: AUCs with intervals, DeLong's test between them, and the curves as a picture.

    \b
    karat roc scores.csv --label y --score a --score b --plot roc.png --band fixed-width
    karat roc scores.csv --label y --score a --groups patient --sensitivity-at 0.9 --best youden
    """
    from karat.cli.data import column, read_table, same_partition
    from karat.curves.roc import roc as curve_of
    from karat.result import Note
    from karat.result.table import as_text
    from karat.sample.score_file import is_large

    check_level(level)
    check_output("plot", plot, PICTURE)
    check_output("report", report, PAGE)
    check_output("json_file", json_file, data=scores)
    check_different("score", score)
    if label in score:
        raise InputError("A score is the column of the labels", param="score", got=label, fix="Name a column of scores")
    if groups is not None and groups in (label, *score):
        raise InputError("The groups are the labels or a score", param="groups", got=groups)
    if band is not None and plot is None and json_file is None:
        raise InputError("A band is drawn or written", param="band", fix="Add --plot FILE or --json FILE")
    questions = Questions.of(sensitivity_at, specificity_at, partial_auc, best, band, seed)
    if is_large(scores):
        from karat.cli.roc_blocks import roc_in_blocks

        asked: dict[str, object] = {"groups": groups, "sensitivity_at": sensitivity_at}
        asked |= {
            "specificity_at": specificity_at,
            "partial_auc": partial_auc,
            "best": best,
            "band": band,
            "plot": plot,
        }
        roc_in_blocks(scores, label, score, positive, level, report, json_file, asked)
        return
    table = read_table(scores)
    y = column(table, label, "label")
    units = None if groups is None else column(table, groups, "groups")
    curves: dict[str, RocCurve] = {}
    for name in score:
        values = column(table, name, "score")
        try:
            curves[name] = curve_of(y, values, positive=positive, groups=units)
        except InputError as error:
            raise (error.of(f"--score {name}") if error.param == "scores" else error) from None
    areas = {name: curve.auc for name, curve in curves.items()}
    for name in score:
        if same_partition(table[name], y):
            copied = Note("score-is-label", "Its two values match the label in every case; is this the label itself?")
            areas[name] = areas[name].noting(copied)
    answers = {name: Answers.to(questions, curve, level) for name, curve in curves.items()}
    tests = _tests(y, table, curves, positive, units)
    typer.echo(as_text(_page(next(iter(curves.values())), areas, answers, tests, level), spell))
    if plot is not None:
        _draw(curves, answers, plot, level)
    if report is not None:
        from karat.report.curve import roc_page

        write_pages(report, {name: roc_page(curve, level, name) for name, curve in curves.items()})
    if json_file is not None:
        found = {
            "auc": [{"score": name, **e.to_dict(level)} for name, e in areas.items()],
            "delong": [test.to_dict() for test in tests],
            **{"asked": [{"score": name, **row} for name, a in answers.items() for row in a.to_dicts()]},
            **{"band": [{"score": name, **a.band.to_dict()} for name, a in answers.items() if a.band is not None]},
        }
        write_and_say(json_file, json.dumps(found, indent=2, ensure_ascii=False))


@dataclass(frozen=True)
class PairTest:
    """DeLong's test of two scores; without a statistic where there is none, and a note says why."""

    scores: tuple[str, str]
    difference: float
    notes: tuple[Note, ...]
    se: float | None = None
    z: float | None = None
    p_value: float | None = None
    p_holm: float | None = None

    def to_dict(self) -> dict[str, object]:
        return {**vars(self), "scores": list(self.scores), "notes": [note.to_dict() for note in self.notes]}


def _tests(
    y: pd.Series,
    table: pd.DataFrame,
    curves: dict[str, RocCurve],
    positive: str | None,
    groups: pd.Series | None,
) -> list[PairTest]:
    """DeLong's test of every pair, with Holm's adjustment where there are several."""
    from karat.comparisons.delong import delong
    from karat.comparisons.holm import holm
    from karat.result import Note

    tests = []
    for a, b in combinations(curves, 2):
        gap = curves[a].auc.value - curves[b].auc.value
        if min(curves[a].data.n1, curves[a].data.n0) == 1:
            why = Note("no-test-one-case", "No test: a class has only 1 case, which has no variance.")
            tests.append(PairTest((a, b), gap, (why,)))
            continue
        try:
            result = delong(y, table[a], table[b], positive=positive, groups=groups)
        except InputError as error:  # each score has a curve, so it is the test that does not exist
            tests.append(PairTest((a, b), gap, (Note("no-test", f"No test: {error.problem}."),)))
            continue
        se = None if result.difference is None else _finite(result.difference.se)
        tests.append(PairTest((a, b), gap, result.notes, se, _finite(result.statistic), result.p_value))
    known = [t.p_value for t in tests if t.p_value is not None]
    if len(known) < 2:
        return tests
    adjusted = iter(holm(known).tolist())
    return [t if t.p_value is None else replace(t, p_holm=next(adjusted)) for t in tests]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _page(
    curve: RocCurve, areas: dict[str, Estimate], answers: dict[str, Answers], tests: list[PairTest], level: float
) -> Page:
    from karat.result.digits import between, counted, shown
    from karat.result.table import Page, Table

    down, up = curve.data.classes
    rows = []
    for name, e in areas.items():
        row = e.row(level)
        rows.append((name, shown(e.value, e.se), shown(e.se, e.se), between(row["low"], row["high"], e.se)))
    tables = [Table.of(("score", "AUC", "se", f"{level:.0%} interval"), rows)]
    asked = [(name, *row) for name, a in answers.items() for row in a.rows()]
    if asked:
        tables.append(Table.of(("score", "asked", "value", "se", f"{level:.0%} interval"), asked))
    if tests:
        tables.append(_test_table(tests, "t" if curve.data.groups is not None else "z"))
    notes = [note.about(name) for name, e in areas.items() for note in e.notes]
    notes += [note.about(name) for name, a in answers.items() for note in a.notes if note not in areas[name].notes]
    notes += [note.about(" − ".join(t.scores)) for t in tests for note in t.notes]
    title = f"{counted(curve.data.n1, 'positive')} ({up}), {counted(curve.data.n0, 'negative')} ({down})"
    return Page(title, tables=tuple(tables), notes=tuple(notes))


def _test_table(tests: list[PairTest], statistic: str) -> Table:
    from karat.result.digits import shown
    from karat.result.table import Table
    from karat.result.test_result import rounded_p

    adjusted = any(t.p_holm is not None for t in tests)
    heads = ("DeLong's test", "difference", "se", statistic, "p", *(("p (Holm)",) if adjusted else ()))
    rows = []
    for t in tests:
        p = ["" if p is None else rounded_p(p) for p in (t.p_value, t.p_holm)]
        z = "" if t.z is None else f"{t.z:.3f}"
        cells = (" − ".join(t.scores), shown(t.difference, t.se), shown(t.se, t.se), z, *p[: 2 if adjusted else 1])
        rows.append(cells)
    return Table.of(heads, rows)


def _draw(curves: dict[str, RocCurve], answers: dict[str, Answers], path: Path, level: float) -> None:
    from karat.plots.axes import new_axes
    from karat.plots.roc import draw_curves

    ax = new_axes()
    draw_curves(curves, ax, bands={n: a.band for n, a in answers.items() if a.band is not None}, level=level)
    figure = ax.get_figure(root=True)
    assert figure is not None
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}", param="plot") from None
    typer.echo(f"Wrote {path}")
