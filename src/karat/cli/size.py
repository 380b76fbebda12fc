"""karat size: how many cases does a study need?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from karat.cli.checks import check_level


class What(StrEnum):
    """What the cases are for."""

    auc = "auc"
    proportion = "proportion"
    auc_difference = "auc-difference"
    error_difference = "error-difference"


BELONGS = {
    What.auc: {"half_width", "ratio"},
    What.proportion: {"half_width"},
    What.auc_difference: {"power", "correlation", "ratio", "pilot", "label", "score", "positive"},
    What.error_difference: {"power", "discordant", "pilot", "label", "score"},
}


def size(
    what: Annotated[What, typer.Argument(help="What the cases are for.")],
    value: Annotated[
        list[float] | None, typer.Option(help="What it is thought to be: one number, or two for a difference.")
    ] = None,
    half_width: Annotated[float | None, typer.Option(help="Half the length of the interval; 0.05 by default.")] = None,
    power: Annotated[float | None, typer.Option(help="Probability to find the difference; 0.8 by default.")] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Of the two rules' scores within a class; without it: two test sets.")
    ] = None,
    discordant: Annotated[
        float | None, typer.Option(help="Share of cases one rule gets wrong and the other right; without it: two sets.")
    ] = None,
    ratio: Annotated[float | None, typer.Option(help="Negatives for each positive; 1, or the pilot's.")] = None,
    pilot: Annotated[
        str | None, typer.Option(help="Table of a pilot: spread and correlation are taken from it.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of the pilot with the labels.")] = None,
    score: Annotated[list[str] | None, typer.Option(help="Two columns of the pilot: scores, or decisions.")] = None,
    positive: Annotated[str | None, typer.Option(help="The positive label of the pilot.")] = None,
    level: Annotated[float, typer.Option(help="Level of the interval, or 1 − α of the test.")] = 0.95,
) -> None:
    """How many cases for an interval of a given width, or to see a difference with a given power?

    \b
    karat size auc --value .8 --half-width .05
    karat size auc-difference --value .85 --value .8 --correlation .5 --power .9
    karat size error-difference --pilot pilot.csv --label y --score a --score b
    """
    from karat import comparisons as C

    check_level(level)
    given: dict[str, object] = {
        "half_width": half_width,
        "power": power,
        "correlation": correlation,
        "discordant": discordant,
    }
    given |= {"ratio": ratio, "pilot": pilot, "label": label, "score": score, "positive": positive}
    _check_options(what, [name for name, told in given.items() if told is not None])
    half_width, power = 0.05 if half_width is None else half_width, 0.8 if power is None else power
    if what in (What.auc, What.proportion):
        one = _numbers(value, 1)[0]
        if what is What.auc:
            answer = C.size_for_auc(one, half_width, ratio=1.0 if ratio is None else ratio, level=level)
        else:
            answer = C.size_for_proportion(one, half_width, level=level)
    else:
        first, second = _numbers(value, 2) if value else (None, None)
        study = _pilot(pilot, label, score)
        if what is What.auc_difference:
            answer = C.size_for_auc_difference(
                first, second, power, correlation, ratio, level=level, pilot=study, positive=positive
            )
        else:
            answer = C.size_for_error_difference(first, second, power, discordant, level=level, pilot=study)
    typer.echo(str(answer))


def _check_options(what: What, told: list[str]) -> None:
    """An option that has no say in this question is refused: the answer would look as if it had."""
    from karat.errors import InputError

    strangers = [name for name in told if name not in BELONGS[what]]
    if strangers:
        raise InputError(
            f"{what.value} does not depend on {' and '.join(_option(name) for name in strangers)}",
            fix=f"Its options are --value, --level, {', '.join(sorted(_option(name) for name in BELONGS[what]))}",
        )


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _numbers(value: list[float] | None, wanted: int) -> list[float]:
    from karat.errors import InputError

    if value is None or len(value) != wanted:
        raise InputError(
            f"{wanted} --value {'is' if wanted == 1 else 'are'} needed", got=f"{len(value or [])}: {value or 'none'}"
        )
    return value


def _pilot(pilot: str | None, label: str | None, score: list[str] | None) -> tuple | None:
    from karat.cli.data import column, read_table
    from karat.errors import InputError

    if pilot is None:
        if label or score:
            raise InputError("--label and --score belong to a --pilot", fix="Give --pilot FILE")
        return None
    if label is None or score is None or len(score) != 2:
        raise InputError(
            "a pilot needs --label COL and two --score COL", got=f"{label or 'no label'}, {score or 'no scores'}"
        )
    table = read_table(pilot)
    return column(table, label, "label"), column(table, score[0], "score"), column(table, score[1], "score")
