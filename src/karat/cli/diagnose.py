"""karat diagnose: a table of decisions, from four numbers or from a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.checks import check_level, check_output, write

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
    try:
        result = diagnose_table(
            *labels, **counts, interval=interval, design=design, prevalence=_numbers(prevalence), positive=positive
        )
    except InputError as error:
        raise InputError(_spoken(str(error), label, prediction)) from None
    text = {
        "text": lambda: result.text(level),
        "json": lambda: result.to_json(level=level),
        "latex": lambda: result.to_latex(level=level),
        "markdown": lambda: result.to_markdown(level=level),
    }[format_]()
    typer.echo(text.rstrip("\n"))
    if json_file is not None:
        write(json_file, result.to_json(level=level))  # in silence: standard output may be read by a program


def _spoken(message: str, label: str, prediction: str) -> str:
    """A message of `karat.diagnose` in the words of the command line."""
    for said, here in (
        ("Pass tp=, fn=, fp= and tn=, or y and predictions", "Use --tp, --fn, --fp and --tn, or name a file"),
        ("positive= and classes= belong to labels", "--positive belongs to labels"),
        ("Leave it out, or give y and predictions", "Leave it out, or name a file"),
        ("Pass classes= with all labels if it belongs to them", "Correct the file"),
        ("Pass classes= to name the others", "The file must hold cases of both"),
        ("or use diagnose(y == label, predictions == label) for", "or make columns of yes and no for"),
        ('Say design="selected"', "Use --design selected"),
        ('Say design="case-control"', "Use --design case-control"),
        ('design must be "cohort", "case-control" or "selected"', "--design must be cohort, case-control or selected"),
        ("Pass positive=", "Use --positive "),
        ("or positive=", "or --positive "),
        ("positive=", "--positive "),
        ("prevalence=", "--prevalence "),
        ("y and predictions", f"the columns {label!r} and {prediction!r}"),
        ("y has", f"the column {label!r} has"),
        ("y holds", f"the column {label!r} holds"),
        ("predictions has", f"the column {prediction!r} has"),
        ("predictions holds", f"the column {prediction!r} holds"),
    ):
        message = message.replace(said, here)
    return _COUNTS.sub(lambda m: f"--{m[0].replace('_', '-')}", message)


_COUNTS = re.compile(r"(?<!-)\b(?:unverified_positive|unverified_negative|(?:tp|fn|fp|tn)(?= must|[,.]))\b")


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
