"""trueness diagnose: a table of decisions, from four numbers or from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_given
from trueness.cli.names import INTERVALS
from trueness.cli.output import show
from trueness.errors import InputError

if TYPE_CHECKING:
    from trueness.typing import Record


def diagnose(
    data: Annotated[str | None, typer.Argument(help=f"Labels and predictions. {o.DATA_HELP}")] = None,
    tp: Annotated[int | None, o.plain("N", "True positives.")] = None,
    fn: Annotated[int | None, o.plain("N", "False negatives.")] = None,
    fp: Annotated[int | None, o.plain("N", "False positives.")] = None,
    tn: Annotated[int | None, o.plain("N", "True negatives.")] = None,
    label: Annotated[str, o.column("Column with the true labels.")] = "y",
    prediction: Annotated[str, o.column("Column with the predictions.")] = "prediction",
    positive: o.Positive = None,
    groups: o.Units = None,
    interval: Annotated[str, o.plain("NAME", f"One of {', '.join(INTERVALS)}.")] = "wilson",
    design: Annotated[str, o.plain("NAME", "cohort, case-control or selected.")] = "cohort",
    prevalence: Annotated[
        str | None, o.plain("NUMBER", "In a case-control study: 0.1, or the limits of its 95 % interval, 0.05,0.2.")
    ] = None,
    unverified_positive: Annotated[
        int | None, o.plain("N", "Selected design: cases decided positive whose truth is unknown.")
    ] = None,
    unverified_negative: Annotated[
        int | None, o.plain("N", "Selected design: cases decided negative whose truth is unknown.")
    ] = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    json_file: o.JsonFile = None,
) -> None:
    """Measures of a table of true and decided classes, with standard errors and intervals.

    **Examples**

    - trueness diagnose --tp 10 --fn 5 --fp 24 --tn 61
    - trueness diagnose decisions.csv --label truth --prediction test --positive sick --groups patient
    """
    from trueness.files.table_file import column, read_table
    from trueness.tables.diagnose import diagnose as diagnose_table

    check_given(data)
    given: Record = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    given |= {"unverified_positive": unverified_positive, "unverified_negative": unverified_negative}
    if data is not None:
        counts = [name for name, value in given.items() if value is not None]
        if counts:
            raise InputError("Give either a file or counts, not both", param=counts[0], got=f"{data} and counts")
        if label == prediction:
            raise InputError("Labels and predictions are the same column", param="prediction")
        table = read_table(data)
        given = {"y": column(table, label, "label"), "predictions": column(table, prediction, "prediction")}
        if groups is not None:
            if groups in (label, prediction):
                raise InputError("The groups are the labels or the predictions", param="groups")
            given["groups"] = column(table, groups, "groups")
    elif groups is not None:
        raise InputError("Counts do not tell the groups of the cases", param="groups", fix="Name a file of cases")
    elif all(value is None for value in given.values()):
        raise InputError("Give four counts or a file", fix="Use --tp, --fn, --fp and --tn, or name a file")
    options: Record = {"interval": interval, "design": design, "positive": positive, "level": level}
    result = diagnose_table(**given, **options, prevalence=_prevalence(prevalence))
    show(result)
    if json_file is not None:
        result.to_json(json_file)  # without a message: a program may read standard output


def _prevalence(text: str | None) -> float | list[float] | None:
    """A number, or several with commas between."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        problem = "prevalence must be a number, or two numbers with a comma between them"
        raise InputError(problem, param="prevalence", got=repr(text)) from None
    return numbers[0] if len(numbers) == 1 else numbers
