"""trueness roc: a file of labels and scores, the AUCs, the tests between them, and the curves as a picture."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.names import BANDS, CRITERIA
from trueness.cli.output import draw_and_say, show, write_files, write_pages
from trueness.cli.questions import Answers, Questions
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from trueness.cli.roc_answer import RocAnswer
    from trueness.curves.curve import RocCurve
    from trueness.result import Estimate

asked = partial(o.option, "Questions")


def roc(
    scores: o.DataArgument,
    label: o.Target,
    score: Annotated[list[str], o.column("Column with scores, high for the positive class; repeatable.")],
    positive: o.Positive = None,
    groups: o.Units = None,
    sensitivity_at: Annotated[
        list[float] | None, asked("NUMBER", "Sensitivity (TPF) at this specificity (1 − FPF); repeatable.")
    ] = None,
    specificity_at: Annotated[
        list[float] | None, asked("NUMBER", "Specificity (1 − FPF) at this sensitivity (TPF); repeatable.")
    ] = None,
    partial_auc: Annotated[
        str | None, asked("RANGE", "Area over a range: specificity=0.9,1 (or fpf=0,0.1), or sensitivity=0.8,1.")
    ] = None,
    best: Annotated[
        str | None,
        asked(
            "RULE",
            f"Choose a threshold: {', '.join(CRITERIA)}, a metric to be best (f1, mcc, …), or at least this much, e.g. "
            "sensitivity=0.9, specificity=0.9.",
        ),
    ] = None,
    band: Annotated[
        str | None, asked("NAME", f"Confidence band in the picture and in JSON: {', '.join(BANDS)}.")
    ] = None,
    seed: Annotated[int | None, o.running("N", "Seed of the resamples of --best and --band.")] = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Reports = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """ROC curves: AUCs with intervals, DeLong's test between them, and the curves as a picture.

    **Examples**

    - trueness roc scores.csv --label y --score a --score b --plot roc.png --band fixed-width
    - trueness roc scores.csv --label y --score a --groups patient --sensitivity-at 0.9 --best youden
    """
    from trueness.files.score_file import is_large
    from trueness.files.table_file import column, read_table

    check_given(scores)
    _check_columns(label, score, groups)
    if band is not None and plot is None and json_file is None and format_ != o.Format.json:
        raise InputError("A band is drawn or written", param="band", fix="Add --plot FILE or --json FILE")
    questions = Questions.of(sensitivity_at, specificity_at, partial_auc, best, band, seed)
    if is_large(scores):
        from trueness.cli.roc_blocks import roc_in_blocks

        roc_in_blocks(scores, label, score, positive, level, report, json_file)
        return
    table = read_table(scores)
    y = column(table, label, "label")
    units = None if groups is None else column(table, groups, "groups")
    found = _answer(table, y, score, positive, units, questions, level)
    show(found)
    if plot is not None:
        from trueness.curves.curve import roc_figure

        bands = {name: a.band for name, a in found.answers.items() if a.band is not None}
        draw_and_say(roc_figure(found.curves, bands, level).draw(), plot)
    if report is not None:
        from trueness.report.pages import roc_page

        write_pages(report, {name: roc_page(curve, level, name) for name, curve in found.curves.items()})
    write_files(found, json_file=json_file, csv_file=csv_file)


def _check_columns(label: str, score: list[str], groups: str | None) -> None:
    check_different("score", score)
    if label in score:
        raise InputError("A score is the column of the labels", param="score", got=label, fix="Name a column of scores")
    if groups is not None and groups in (label, *score):
        raise InputError("The groups are the labels or a score", param="groups", got=groups)


def _answer(
    table: pd.DataFrame,
    y: pd.Series,
    score: list[str],
    positive: str | None,
    units: pd.Series | None,
    questions: Questions,
    level: float,
) -> RocAnswer:
    """The curve of every score, what was asked of it, and the tests between them."""
    from trueness.cli.roc_answer import RocAnswer, delong_tests
    from trueness.curves.roc import roc as curve_of
    from trueness.files.table_file import column

    curves: dict[str, RocCurve] = {}
    for name in score:
        values = column(table, name, "score")
        try:
            curves[name] = curve_of(y, values, positive=positive, groups=units)
        except InputError as error:
            raise (error.of(f"--score {name}") if error.param == "scores" else error) from None
    areas = {name: _area(curve, table[name], y) for name, curve in curves.items()}
    answers = {name: Answers.to(questions, curve, level) for name, curve in curves.items()}
    return RocAnswer(curves, areas, answers, delong_tests(y, table, curves, positive, units), level)


def _area(curve: RocCurve, values: pd.Series, y: pd.Series) -> Estimate:
    """The AUC, with a note where the score is the label itself."""
    from trueness.result import Note

    if not _same_partition(values, y):
        return curve.auc
    copied = Note("score-is-label", "Its two values match the label in every case; is this the label itself?")
    return curve.auc.noting(copied)


def _same_partition(score: pd.Series, y: pd.Series) -> bool:
    """Whether a score equals the target up to names (0/1 for no/yes)."""
    if score.nunique() != y.nunique() or score.isna().any():
        return False
    return bool((y.groupby(score.to_numpy()).nunique() == 1).all())
