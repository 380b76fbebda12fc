"""karat diagnose: a table of decisions, from four numbers or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.checks import check_level, check_output, write
from karat.errors import Setting

FORMATS = ("text", "json", "latex", "markdown")


def diagnose(
    data: Annotated[
        str | None, typer.Argument(help="CSV, TSV or Parquet file with labels and predictions; - reads CSV from stdin.")
    ] = None,
    tp: Annotated[int | None, typer.Option(help="True positives.")] = None,
    fn: Annotated[int | None, typer.Option(help="False negatives.")] = None,
    fp: Annotated[int | None, typer.Option(help="False positives.")] = None,
    tn: Annotated[int | None, typer.Option(help="True negatives.")] = None,
    label: Annotated[str, typer.Option(help="Column with the true labels.")] = "y",
    prediction: Annotated[str, typer.Option(help="Column with the predictions.")] = "prediction",
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    interval: Annotated[
        str,
        typer.Option(
            help="wald, wilson, exact, agresti-coull, jeffreys, uniform, logit, cloglog, likelihood or mid-p."
        ),
    ] = "wilson",
    design: Annotated[str, typer.Option(help="cohort, case-control or selected.")] = "cohort",
    prevalence: Annotated[
        str | None, typer.Option(help="Of a case-control study: 0.1, or the limits of its 95 % interval, 0.05,0.2.")
    ] = None,
    unverified_positive: Annotated[
        int | None, typer.Option(help="Selected design: decided positive, truth unknown.")
    ] = None,
    unverified_negative: Annotated[
        int | None, typer.Option(help="Selected design: decided negative, truth unknown.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    format_: Annotated[str, typer.Option("--format", help="text, json, latex or markdown.")] = "text",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON as well.")] = None,
) -> None:
    """What does a table of true and decided classes say, and how sure are we?

    \b
    Four numbers, or a file:
    karat diagnose --tp 10 --fn 5 --fp 24 --tn 61
    karat diagnose decisions.csv --label truth --prediction test --positive sick
    """
    from karat.cli.data import column, read_table
    from karat.diagnostic.diagnose import diagnose as diagnose_table
    from karat.errors import InputError

    if format_ not in FORMATS:
        raise InputError(f"there is no format {format_!r}", fix=f"Choose one of {', '.join(FORMATS)}")
    check_level(level)
    check_output("--json", json_file, data=data)
    counts: dict[str, Any] = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    counts |= {"unverified_positive": unverified_positive, "unverified_negative": unverified_negative}
    labels: tuple[Any, ...] = ()
    if data is not None:
        given = [f"--{name.replace('_', '-')}" for name, value in counts.items() if value is not None]
        if given:
            raise InputError("give either a file or counts, not both", got=f"{data} and {', '.join(given)}")
        if label == prediction:
            raise InputError(
                "the labels and the predictions are one column, which always agrees with itself",
                got=f"--label {label} --prediction {prediction}",
                fix="Name the column with the decisions",
            )
        table = read_table(data)
        labels = (column(table, label, "label"), column(table, prediction, "prediction"))
    options: dict[str, Any] = {"interval": interval, "design": design, "positive": positive, "level": level}
    options |= {"prevalence": _numbers(prevalence), **{name: k for name, k in counts.items() if k is not None}}
    try:
        result = diagnose_table(*labels, **options)
    except InputError as error:
        raise InputError(error.rendered(_option), param=error.param) from None
    text = {
        "text": lambda: result.text(_option),
        "json": result.to_json,
        "latex": result.to_latex,
        "markdown": result.to_markdown,
    }[format_]()
    typer.echo(text.rstrip("\n"))
    if json_file is not None:
        write(json_file, result.to_json())  # in silence: standard output may be read by a program


def _option(setting: Setting) -> str:
    """A parameter as an option of this command."""
    name = {"y": "label", "predictions": "prediction"}.get(setting.param, setting.param).replace("_", "-")
    return f"--{name}" if setting.value is None else f"--{name} {setting.value}"


def _numbers(text: str | None) -> Any:
    """A number, or several with commas between."""
    from karat.errors import InputError

    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("the prevalence must be a number, or two with a comma between", got=repr(text)) from None
    return numbers[0] if len(numbers) == 1 else numbers
