"""A table on the command line: what its columns are, and which of them is the target."""

from __future__ import annotations

import pandas as pd

from karat.errors import InputError, Setting
from karat.result.note import Note, warn
from karat.sample.table_file import column, read_table

__all__ = ["column", "columns", "read_table", "same_partition", "split"]


def same_partition(feature: pd.Series, y: pd.Series) -> bool:
    """Whether a feature equals the target up to names (0/1 for no/yes)."""
    if feature.nunique() != y.nunique() or feature.isna().any():
        return False
    return len(pd.DataFrame({"feature": feature, "y": y}).drop_duplicates()) == int(y.nunique())


def columns(X: pd.DataFrame) -> str:
    """A line that lists the features; a warning where a column looks like an identifier or a misread number."""
    numbers = [str(c) for c in X.select_dtypes("number").columns]
    text = [c for c in X.columns if str(c) not in set(numbers)]
    for c in text:
        known = X[c].dropna().astype(str)
        as_numbers = pd.to_numeric(known, errors="coerce").notna()
        if 0.8 < as_numbers.mean() < 1:
            odd = known[~as_numbers].iloc[0]
            said = f"Column {c!r} is read as text because of values such as {odd!r}."
            warn(Note("text-column-numbers", said, "warning", column=str(c), value=odd))
        elif known.nunique() > max(20, 0.5 * len(known)):
            said = (
                f"Column {c!r} is text with {known.nunique()} different values in {len(known)} rows and looks like an "
            )
            fix = ("identifier or a date. Remove it, or use it as ", Setting("groups"), ".")
            warn(Note("text-column-many-values", (said, *fix), "warning", column=str(c), values=known.nunique()))
    parts = [f"{len(numbers)} numeric" + (f" ({', '.join(numbers)})" if 0 < len(numbers) <= 12 else "")]
    if text:
        parts.append(f"{len(text)} text ({', '.join(map(str, text[:12]))})")
    return f"Features: {'; '.join(parts)}"


def split(table: pd.DataFrame, target: str, groups: str | None) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups; a feature that equals the target is an error."""
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    if groups == target:
        raise InputError("The groups are the target", param="groups")
    X = table.drop(columns=[c for c in (target, groups) if c is not None])
    if X.shape[1] == 0:
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}")
    copies = [c for c in X.columns if same_partition(X[c], y)]
    if copies:
        raise InputError(
            f"Column {copies[0]!r} determines the target in every row",
            fix="Remove it; a model that sees the answer cannot be assessed",
        )
    return X, y, group
