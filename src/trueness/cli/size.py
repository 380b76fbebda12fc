"""trueness size: how many cases a study needs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_given
from trueness.cli.output import show
from trueness.cli.spelling import given
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


class What(StrEnum):
    """What the cases are for."""

    auc = "auc"
    proportion = "proportion"
    auc_difference = "auc-difference"
    error_difference = "error-difference"


PILOT = "--pilot FILE --label COL --score COL --score COL"

OPTIONS = ("half_width", "power", "correlation", "discordant", "ratio", "pilot", "label", "score", "positive")
BELONGS = {
    What.auc: {"half_width", "ratio"},
    What.proportion: {"half_width"},
    What.auc_difference: {"power", "correlation", "ratio", "pilot", "label", "score", "positive"},
    What.error_difference: {"power", "discordant", "pilot", "label", "score"},
}


def size(
    what: Annotated[What, typer.Argument(help="What the cases are for.")],
    value: Annotated[
        list[float] | None, o.plain("NUMBER", "Expected value: one number, or two for a difference.")
    ] = None,
    half_width: Annotated[float | None, o.plain("NUMBER", "Half the length of the interval. [default: 0.05]")] = None,
    power: Annotated[float | None, o.plain("NUMBER", "Probability of detecting the difference. [default: 0.8]")] = None,
    correlation: Annotated[
        float | None, o.plain("NUMBER", "Correlation of the two scores within a class; without it, two test sets.")
    ] = None,
    discordant: Annotated[
        float | None, o.plain("SHARE", "Share of cases that only one rule gets right; without it, two test sets.")
    ] = None,
    ratio: Annotated[
        float | None, o.plain("NUMBER", "Negatives per positive. [default: 1, or that of the pilot]")
    ] = None,
    pilot: Annotated[str | None, o.plain("FILE", "Table of a pilot study, for spread and correlation.")] = None,
    label: Annotated[str | None, o.plain("COLUMN", "Column of the pilot with the labels.")] = None,
    score: Annotated[list[str] | None, o.plain("COLUMN", "Two columns of the pilot, scores or decisions.")] = None,
    positive: Annotated[str | None, o.plain("LABEL", "The positive label of the pilot.")] = None,
    level: Annotated[float, o.plain("LEVEL", "Level of the interval, or 1 − α of the test.")] = 0.95,
    format_: o.FormatOption = o.Format.text,
) -> None:
    """Number of cases for an interval of a given width, or to detect a difference with a given power.

    **Examples**

    - trueness size auc --value .8 --half-width .05
    - trueness size auc-difference --value .85 --value .8 --correlation .5 --power .9
    - trueness size error-difference --pilot pilot.csv --label y --score a --score b
    """
    from trueness import comparisons as C

    check_given()
    _check_options(what)
    half_width, power = 0.05 if half_width is None else half_width, 0.8 if power is None else power
    if what in (What.auc, What.proportion):
        one = _numbers(value, 1)[0]
        if what is What.auc:
            answer = C.size_for_auc(one, half_width, ratio=1.0 if ratio is None else ratio, level=level)
        else:
            answer = C.size_for_proportion(one, half_width, level=level)
    else:
        if not value and pilot is None and not (label or score):
            raise InputError("2 values are needed", param="value", fix=f"Use --value twice, or a pilot study: {PILOT}")
        first, second = _numbers(value, 2) if value else (None, None)
        study = _pilot(pilot, label, score)
        if what is What.auc_difference:
            answer = C.size_for_auc_difference(
                first, second, power, correlation, ratio, level=level, pilot=study, positive=positive
            )
        else:
            answer = C.size_for_error_difference(first, second, power, discordant, level=level, pilot=study)
    show(answer)


def _check_options(what: What) -> None:
    """An error for an option that does not affect the answer, which would look as if it did."""
    unused = [name for name in OPTIONS if name not in BELONGS[what] and given(name) is not None]
    if unused:
        known = ["--value", "--level", *(f"--{name.replace('_', '-')}" for name in sorted(BELONGS[what]))]
        raise InputError(
            f"The size for {what.value} does not depend on this option", param=unused[0], fix=f"Use {', '.join(known)}"
        )


def _numbers(value: list[float] | None, wanted: int) -> list[float]:
    if value is None or len(value) != wanted:
        raise InputError(
            "1 value is needed" if wanted == 1 else f"{wanted} values are needed",
            param="value",
            got=f"{len(value or [])}",
        )
    return value


def _pilot(
    pilot: str | None, label: str | None, score: list[str] | None
) -> tuple[pd.Series, pd.Series, pd.Series] | None:
    from trueness.files.table_file import column, read_table

    if pilot is None:
        if label or score:
            raise InputError(
                "This option belongs to a pilot study", param="label" if label else "score", fix="Use --pilot FILE"
            )
        return None
    if label is None or score is None or len(score) != 2:
        raise InputError("A pilot study needs a label column and two score columns", param="pilot", fix=f"Use {PILOT}")
    table = read_table(pilot)
    return column(table, label, "label"), column(table, score[0], "score"), column(table, score[1], "score")
