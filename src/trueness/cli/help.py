"""Help texts without braces around names and without a type beside flags, whatever the version of typer."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from trueness.cli.completion import columns

MOST_LISTED = 20  # columns


class _Plain:
    """Usage without braces; flags without a type."""

    def get_params(self, ctx: object) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params

    def collect_usage_pieces(self, ctx: object) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class Command(_Plain, TyperCommand):
    """A command of trueness; where the name of a column is missing, it lists the columns of the table."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            known = columns(ctx, "") if getattr(error.param, "metavar", "") == "COLUMN" else []
            if known:
                listed = ", ".join(known[:MOST_LISTED])
                more = f", …, {known[-1]}" if len(known) > MOST_LISTED else ""  # the last is often the target
                error.message = f"Columns: {listed}{more}"
            raise


class Group(_Plain, TyperGroup):
    """trueness itself."""
