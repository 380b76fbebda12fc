"""trueness subgroups: a metric of scores or decisions in every group of a column, and over sites."""

from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.output import check_given, draw_and_say, show, write_files


def subgroups(
    scores: o.DataArgument,
    label: o.Target,
    by: Annotated[str, o.column("Column with the group of each case: sex, age band, site.")],
    score: Annotated[str | None, o.column("Column with scores, high for the positive class.")] = None,
    prediction: Annotated[str | None, o.column("Column with predicted labels, for metrics of decisions.")] = None,
    metric: Annotated[str, o.measured(f"{o.METRIC_HELP}.")] = "auc",
    threshold: Annotated[float | None, o.method("NUMBER", "Positive where score ≥ this, without --prediction.")] = None,
    sites: Annotated[
        bool,
        typer.Option("--sites", help="Random-effects mean, and what a new site may have.", rich_help_panel=o.METHOD),
    ] = False,
    positive: o.Positive = None,
    groups: o.Units = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """A metric in every group of cases, with intervals that hold together, and a test of equality.

    **Examples**

    - trueness subgroups scores.csv --label y --score s --by sex
    - trueness subgroups scores.csv --label y --score s --by site --sites --plot sites.png
    - trueness subgroups scores.csv --label y --prediction p --metric sensitivity --by age_band
    """
    from trueness.api.subgroups import subgroups as by_group
    from trueness.files.table_file import column, read_table

    check_given(scores)
    table = read_table(scores)
    found = by_group(
        column(table, label, "label"),
        None if score is None else column(table, score, "score"),
        metric,
        by=column(table, by, "by"),
        predictions=None if prediction is None else column(table, prediction, "prediction"),
        threshold=threshold,
        positive=positive,
        groups=None if groups is None else column(table, groups, "groups"),
        level=level,
    )
    result = found.sites() if sites else found
    show(result)
    if plot is not None:
        draw_and_say(result.plot(), plot)
    write_files(result, report, json_file, csv_file)
