"""Help texts without braces around names and without a type beside flags, whatever the version of typer."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


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
    """A command of karat."""


class Group(_Plain, TyperGroup):
    """karat itself."""
