"""trueness calibration and trueness benefit: a file of labels and predicted probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from trueness.cli import options as o
from trueness.cli.output import check_different, check_given, draw_and_say, show, write_files
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Probabilities = Annotated[list[str], o.column("Column with the probability of the positive label; repeatable.")]


def calibration(
    scores: o.DataArgument,
    label: o.Target,
    score: Probabilities,
    positive: o.Positive = None,
    groups: o.Units = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Calibration of predicted probabilities: intercept, slope, O/E, ICI, Brier score; of two scores the differences.

    **Examples**

    - trueness calibration scores.csv --label y --score p --plot calibration.png
    - trueness calibration scores.csv --label y --score p1 --score p2 --groups patient
    """
    from trueness.probabilities.calibrated import Calibration
    from trueness.probabilities.calibrated import calibration as of

    check_given(scores)
    if len(score) > 2:
        raise InputError("Two scores can be compared at a time", param="score", got=", ".join(score))
    y, columns, units = _read(scores, label, score, groups)
    _require_two(y)
    found = [of(y, p, positive=positive, groups=units, level=level) for p in columns.values()]
    first = found[0]
    both = len(found) == 2
    for result in found if format_ == o.Format.text or not both else ():  # other programs read one result
        show(result)
    if both:
        first, second = found
        assert isinstance(first, Calibration)
        assert isinstance(second, Calibration)
        show(first.versus(second))
    if plot is not None:
        draw_and_say(first.figure().draw(), plot)
    write_files(first, report, json_file, csv_file)


def benefit(
    scores: o.DataArgument,
    label: o.Target,
    score: Probabilities,
    positive: o.Positive = None,
    groups: o.Units = None,
    prevalence: Annotated[
        float | None, o.data("NUMBER", "Prevalence of the population, for case-control data.")
    ] = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Decision curve: net benefit over thresholds of risk, and where a model is worth using.

    **Examples**

    - trueness benefit scores.csv --label y --score p --plot benefit.png
    - trueness benefit scores.csv --label y --score p1 --score p2 --prevalence 0.05
    """
    from trueness.probabilities.benefit import decision_curve

    check_given(scores)
    y, columns, units = _read(scores, label, score, groups)
    _require_two(y)
    found = decision_curve(y, columns, prevalence=prevalence, positive=positive, groups=units, level=level)
    show(found)
    if len(columns) == 2 and format_ == o.Format.text:  # other programs read one result
        show(found.difference(*columns))
    if plot is not None:
        draw_and_say(found.figure().draw(), plot)
    write_files(found, report, json_file, csv_file)


def _read(
    scores: str, label: str, score: list[str], groups: str | None
) -> tuple[pd.Series, dict[str, pd.Series], pd.Series | None]:
    """Labels, probabilities by name, and groups."""
    from trueness.files.table_file import column, read_table

    check_different("score", score)
    if label in score:
        raise InputError("A score is the column of the labels", param="score", got=label, fix="Name a column of scores")
    table = read_table(scores)
    units = None if groups is None else column(table, groups, "groups")
    return column(table, label, "label"), {name: column(table, name, "score") for name in score}, units


def _require_two(y: pd.Series) -> None:
    if y.nunique() > 2:
        fix = "Write a column that is 1 for one of them and 0 for the rest; trueness.calibration takes several"
        raise InputError("The labels have more than two values", param="y", got=f"{y.nunique()} values", fix=fix)
