"""A table on the command line: what its columns are, which of them is the target, and what leaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import typer

from karat.cli.spelling import spell
from karat.errors import InputError
from karat.result.table import label
from karat.sample.table_file import column, read_table

if TYPE_CHECKING:
    from karat.hygiene.findings import Finding

__all__ = ["column", "columns", "findings_in", "read_table", "same_partition", "split"]


def same_partition(feature: pd.Series, y: pd.Series) -> bool:
    """Whether a feature equals the target up to names (0/1 for no/yes)."""
    if feature.nunique() != y.nunique() or feature.isna().any():
        return False
    return len(pd.DataFrame({"feature": feature, "y": y}).drop_duplicates()) == int(y.nunique())


def columns(X: pd.DataFrame) -> str:
    """A line that lists the features."""
    numbers = [str(c) for c in X.select_dtypes("number").columns]
    text = [str(c) for c in X.columns if str(c) not in set(numbers)]
    parts = [f"{len(numbers)} numeric" + (f" ({', '.join(numbers)})" if 0 < len(numbers) <= 12 else "")]
    if text:
        parts.append(f"{len(text)} text ({', '.join(text[:12])})")
    return f"Features: {'; '.join(parts)}"


def split(
    table: pd.DataFrame, target: str, groups: str | None, drop: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups; columns to `drop` are no features."""
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    if groups == target:
        raise InputError("The groups are the target", param="groups")
    for name in drop:
        column(table, name, "drop")
    X = table.drop(columns=[c for c in dict.fromkeys((target, groups, *drop)) if c is not None])
    if X.shape[1] == 0:
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}")
    return X, y, group


def findings_in(X: pd.DataFrame, y: pd.Series, group: pd.Series | None) -> tuple[Finding, ...]:
    """Leaks in the data by the fast checks, printed once for all models."""
    from karat.hygiene.check import check

    found = check(X, y, group, fast=True).found
    for finding in found:
        typer.echo(f"{label(finding)}: {finding.rendered(spell)}")
    return found
