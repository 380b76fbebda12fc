"""L006: rows are copies of others."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from trueness.leaks.copies import beyond_chance
from trueness.leaks.findings import Data, Finding, as_frame, leak_check

MANY_COPIES = 0.01  # share of the rows
ROWS_NAMED = 3


@leak_check(L006="rows are copies of other rows")
def duplicates(data: Data) -> Iterator[Finding]:
    """Rows that are equal in all columns but those that number them, more often than the values of the columns explain."""
    sample = data.sample
    frame = as_frame(sample.X)
    if frame is not None and 0 < len(data.identifiers) < frame.shape[1]:
        sample = replace(sample, X=frame.drop(columns=data.identifiers))
    if sample.alike is None:
        return
    groups = np.arange(sample.n) if sample.groups is None else sample.groups
    if not beyond_chance(sample.X, sample.codes, sample.alike, within=sample.groups):
        return
    kinds = len(np.unique(sample.alike))
    copies = len(np.unique(np.stack([sample.alike, groups]), axis=1).T) - kinds
    labelled = np.unique(np.stack([sample.alike, sample.codes]), axis=1).shape[1] - kinds
    again = np.flatnonzero((sample.alike != np.arange(sample.n)) & (groups != groups[sample.alike]))
    pairs = [(int(k), int(sample.alike[k])) for k in again[:ROWS_NAMED]]
    which = ", ".join(f"row {k} that of row {first}" for k, first in pairs)
    yield Finding(
        "L006",
        f"Rows that are copies of another row, more than such values agree by chance: {copies} of {sample.n}, "
        f"{labelled} of them with another label (counting from 0, {which}, …). Copies on both sides of a split make "
        "a model look too good, those in a test set intervals too short. Keep one of them if they are one case, "
        "else pass groups=.",
        "warning" if copies > MANY_COPIES * sample.n else "info",  # fewer hardly move an estimate
        copies=copies,
        cases=sample.n,
        other_label=labelled,
        rows=pairs,
    )
