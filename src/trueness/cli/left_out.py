"""What assess and compare do with the left-out scores of models: choose the cheapest threshold, and write them to a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trueness.cli.output import say, write_and_say
from trueness.cli.roc import two_costs
from trueness.errors import InputError, TruenessError

if TYPE_CHECKING:
    from pathlib import Path

    from trueness.files.features import CaseTable
    from trueness.sample.fits import Fits
    from trueness.sample.sample import Sample

WRITTEN = ("row", "label", "score", "left_out", "groups")


def costs_of(text: str | None) -> list[list[float]] | None:
    """ "5,1" as costs[truth][decision], in the order negative, positive."""
    if text is None:
        return None
    missed, false = two_costs(text)
    return [[0.0, false], [missed, 0.0]]


def check_two_classes(sample: Sample, **options: object) -> None:
    """An error where an option needs a score of two classes, and there are none."""
    if sample.numbers is None and sample.n_classes == 2:
        return
    got = f"{sample.n_classes} classes" if sample.numbers is None else "numbers to predict"
    fix = "Name one of the classes, --positive, against all others" if sample.numbers is None else ""
    for param, value in options.items():
        if value is not None:
            raise InputError("This option needs two classes", param=param, got=got, fix=fix)


def write_scores(path: Path, fits: Mapping[str, Fits], cases: CaseTable) -> list[TruenessError]:
    """One row per case: `row` of the file (from 0), `label`, `score` (of several models a column each, by name), as a
    probability where it is known, `left_out` (what the rules of the scores are of, where they are several), `groups`, and
    the columns of subgroups. The errors of models without such scores."""
    import pandas as pd

    from trueness.result.notes import SEVERAL_RULES
    from trueness.result.shown import csv_text
    from trueness.sample.left_out import COLUMN, RULES

    scores: dict[str, pd.Series] = {}
    errors: list[TruenessError] = []
    beside: dict[str, object] = {}
    for name, each in fits.items():
        left = each.left_out()
        if left is None:
            fix = "Use another --plan, or a model with scores or probabilities"
            errors.append(InputError("There is no left-out score to write", fix=fix).of(f"{name}: --scores"))
            continue
        values = left.data.scores if left.probabilities is None else left.probabilities
        scores[name] = pd.Series(values, index=left.frame()["row"])
        if (kind := each.part(("cv",)).design.kind) in RULES:
            beside[COLUMN] = RULES[kind]
    if not scores:
        return errors
    beside |= {"groups": cases.groups} if cases.groups is not None else {}
    beside |= {f"by {name}" if name in (*WRITTEN, *scores) else name: labels for name, labels in cases.by.items()}
    named = {name if len(scores) > 1 else "score": values for name, values in scores.items()}
    table = pd.DataFrame({"label": cases.y, **named, **beside}).dropna(subset=list(named), how="all")
    table.insert(0, "row", table.index if cases.rows is None else cases.rows[table.index])
    write_and_say(path, csv_text(table))
    if COLUMN in table:
        say(str(SEVERAL_RULES))
    return errors
