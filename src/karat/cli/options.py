"""Options that several commands share: their help, their group in the help, and what the shell completes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli.completion import columns, metrics, models, plans
from karat.cli.names import METRIC_HELP, MODEL_HELP
from karat.cli.plans import HELP as PLAN_HELP

DATA, METHOD, OUTPUT, RUNNING = "Data", "Method", "Output", "Running"  # groups of the help

DATA_HELP = "Table: CSV or other text (also .gz), or Parquet; - reads standard input."
GROUPS_HELP = "Column with groups (patient, site); a group never stands on both sides."
UNITS_HELP = "Column with groups (patient, site); only whole groups count as independent."
REPORT_HELP = "Write a report, one .html file that needs no network"


class Format(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


DataArgument = Annotated[str, typer.Argument(help=DATA_HELP, metavar="FILE")]
Target = Annotated[
    str, typer.Option(help="Column with the labels.", metavar="COLUMN", autocompletion=columns, rich_help_panel=DATA)
]
Positive = Annotated[str | None, typer.Option(help="The positive label.", metavar="LABEL", rich_help_panel=DATA)]
Groups = Annotated[
    str | None, typer.Option(help=GROUPS_HELP, metavar="COLUMN", autocompletion=columns, rich_help_panel=DATA)
]
Units = Annotated[
    str | None, typer.Option(help=UNITS_HELP, metavar="COLUMN", autocompletion=columns, rich_help_panel=DATA)
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that is no feature; repeatable.", metavar="COLUMN", autocompletion=columns, rich_help_panel=DATA
    ),
]
Checks = Annotated[bool, typer.Option(help="Look for leaks in the data first (karat check).", rich_help_panel=DATA)]

Models = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{MODEL_HELP}; repeatable.",
        show_default="lda",
        metavar="MODEL",
        autocompletion=models,
        rich_help_panel=METHOD,
    ),
]
PlanWord = Annotated[
    str, typer.Option(help=f"{PLAN_HELP}.", metavar="PLAN", autocompletion=plans, rich_help_panel=METHOD)
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{METRIC_HELP}; repeatable.",
        show_default="error, auc",
        metavar="METRIC",
        autocompletion=metrics,
        rich_help_panel=METHOD,
    ),
]
Level = Annotated[float, typer.Option(help="Level of the intervals.", metavar="LEVEL", rich_help_panel=METHOD)]

FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", help=f"How to print the result: {', '.join(Format)}.", metavar="FORMAT", rich_help_panel=OUTPUT
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the result only: no remarks, no progress.", rich_help_panel=OUTPUT)
]
Report = Annotated[Path | None, typer.Option(metavar="FILE", help=f"{REPORT_HELP}.", rich_help_panel=OUTPUT)]
Reports = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help=f"{REPORT_HELP}; one each for several models or scores.", rich_help_panel=OUTPUT),
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the results to a file, as JSON.", rich_help_panel=OUTPUT),
]
CsvFile = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the table to a file, as CSV.", rich_help_panel=OUTPUT),
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a picture, .png or .svg.", rich_help_panel=OUTPUT)
]

Jobs = Annotated[
    int,
    typer.Option(
        metavar="N", help="Number of parallel workers (results do not depend on it).", rich_help_panel=RUNNING
    ),
]
FixedSeed = Annotated[
    int, typer.Option(metavar="N", help="Seed; the same seed gives the same numbers.", rich_help_panel=RUNNING)
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Seed; the same seed gives the same numbers.", rich_help_panel=RUNNING)
]
Store = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File that keeps finished fits; run again to go on.", rich_help_panel=RUNNING),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of a dask scheduler, e.g. tcp://host:8786.", rich_help_panel=RUNNING),
]
FitSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", help="Longest time of one fit; longer ones count as failed.", rich_help_panel=RUNNING
    ),
]
