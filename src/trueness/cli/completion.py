"""What the shell completes: names of models, metrics and plans, and the columns of the table that was named."""

from __future__ import annotations

import os
from collections.abc import Iterable

import typer

from trueness.cli.names import METRICS, MODELS
from trueness.cli.plans import FORMS

TABLES = ("data", "scores", "train")  # what commands call the argument that names a table


def models(incomplete: str) -> list[str]:
    """Models that begin so."""
    return _beginning(MODELS, incomplete)


def metrics(incomplete: str) -> list[str]:
    """Metrics that begin so."""
    return _beginning(METRICS, incomplete)


def plans(incomplete: str) -> list[str]:
    """Plans that begin so."""
    return _beginning(FORMS, incomplete)


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of the table that is the first argument; none where it cannot be read."""
    from trueness.errors import TruenessError
    from trueness.files.table_file import column_names

    words = [ctx.params.get(name) for name in TABLES] + list(ctx.args)  # args: all, before the option has a value
    source = next((word for word in words if isinstance(word, str) and os.path.isfile(word)), "")
    try:
        return _beginning(column_names(source), incomplete)
    except (TruenessError, OSError):
        return []


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
