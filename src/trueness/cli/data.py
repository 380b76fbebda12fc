"""A table on the command line: what its columns are, which of them is the target, and what leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from trueness.cli.features import NAMED_AT_MOST, Features, features_of, features_of_model
from trueness.errors import InputError, setting
from trueness.files.table_file import column, read_and_describe, read_table
from trueness.result import Note
from trueness.result.digits import counted

if TYPE_CHECKING:
    from trueness.leaks.findings import Finding

__all__ = ["Cases", "column", "read_cases", "read_table", "same_partition", "split"]

MOST_CLASSES = 6  # whose sizes are listed
LEAVE_OUT = ("L001", "L003")  # checks whose advice is to leave a column out
DESCRIBED = ("unlabelled-rows", "columns-dropped")  # notes that the description of the table has already


@dataclass(frozen=True)
class Cases:
    """The cases of a table, and what was understood of it."""

    X: pd.DataFrame  # numbers and text, as models take them
    y: pd.Series  # labels
    groups: pd.Series | None  # of each case
    features: Features  # what the columns are, and what was left out
    words: str  # the rows and the target in one sentence
    notes: tuple[Note, ...]  # what the reader of a result should know about the table

    def described(self) -> str:
        """What was understood, in two or three lines."""
        return f"{self.words}\n{self.features.words}"

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes that `described` does not have."""
        return tuple(note for note in self.notes if note.code not in DESCRIBED)

    def checked(self) -> Cases:
        """The same cases, with leaks that the fast checks find among the notes, and the options that avoid them."""
        from trueness.leaks.check import check

        leaks = check(self.features.as_read, self.y, self.groups, fast=True).found
        return replace(self, notes=(*self.notes, *leaks, *self._advice(leaks)))

    def _advice(self, leaks: Sequence[Finding]) -> tuple[Note, ...]:
        """What to type to leave suspicious columns out, and to pass an identifier with repeated values as groups."""
        suspect = list(dict.fromkeys(str(c) for leak in leaks if leak.code in LEAVE_OUT for c in leak.columns))
        if not suspect:
            return ()
        drop = " ".join(setting("drop", name) for name in suspect[:NAMED_AT_MOST])
        said = f"These columns stay among the features unless they are dropped: {drop}."
        named = [str(c) for leak in leaks if leak.code == "L003" for c in leak.columns]
        repeated = [name for name in named if self.features.as_read[name].nunique() < len(self.y)]
        if repeated and self.groups is None:
            groups = setting("groups", repeated[0])
            said += f" {repeated[0]} has repeated values; where they name patients or sites: {groups}."
        return (Note("columns-to-drop", said, columns=suspect),)


def read_cases(
    source: str, target: str, groups: str | None = None, drop: Sequence[str] = (), fitted: object | None = None
) -> Cases:
    """Read a table. Rows without a label, and columns that no model can learn from or that are no features of a
    `fitted` one, are left out and named."""
    table, written = read_and_describe(source)
    X, y, group = split(table, target, groups, drop)
    known = y.notna().to_numpy()
    if not known.any():
        raise InputError("Every label is missing", param="target")
    unlabelled = int((~known).sum())
    X, y = X[known].reset_index(drop=True), y[known].reset_index(drop=True)
    group = None if group is None else group[known].reset_index(drop=True)
    features = features_of(X, drop) if fitted is None else features_of_model(X, fitted, drop)
    name = "Standard input" if source == "-" else source
    size = f"{counted(len(table), 'row')}, {counted(table.shape[1], 'column')}"
    words = f"{name}: {size}{f' ({written})' if written else ''}. Target {target}: {_sizes(y)}."
    notes = list(features.notes)
    if unlabelled:
        left_out = f"{counted(unlabelled, 'row')} without a label left out."
        notes.insert(0, Note("unlabelled-rows", left_out, rows=unlabelled))
        words += f" {left_out}"
    return Cases(features.X, y, group, features, words, tuple(notes))


def _sizes(y: pd.Series) -> str:
    """ "benign (458), malignant (241)"."""
    sizes = y.value_counts(sort=False)
    if len(sizes) > MOST_CLASSES:
        return f"{len(sizes)} different values"
    return ", ".join(f"{label} ({n})" for label, n in sizes.items())


def same_partition(feature: pd.Series, y: pd.Series) -> bool:
    """Whether a feature equals the target up to names (0/1 for no/yes)."""
    if feature.nunique() != y.nunique() or feature.isna().any():
        return False
    return len(pd.DataFrame({"feature": feature, "y": y}).drop_duplicates()) == int(y.nunique())


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
    if target in drop:
        raise InputError("The target cannot be dropped", param="drop", got=target)
    X = table.drop(columns=[c for c in dict.fromkeys((target, groups, *drop)) if c is not None])
    if X.shape[1] == 0:
        fix = "Name a table with more columns, or drop fewer ({drop=})" if drop else ""
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}", fix=fix)
    return X, y, group
