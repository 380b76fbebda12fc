"""K005: the cases have an order in time, and the class changes along it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.hygiene.data import Data
from karat.hygiene.findings import Finding, named
from karat.hygiene.leaks.identifiers import MIN_ROWS, association, identifiers
from karat.hygiene.registry import ALPHA, check_for

FIX = (
    "Random splits train on the future of the cases that they test. If the model is to predict later cases, test it on "
    "later ones; in Python, plan=TimeSeriesSplit() does so."
)
MIN_VALUES = 10  # fewer different values in ascending order may be a sorted category


@check_for("K005")
def drift(data: Data) -> Iterator[Finding]:
    """Dates, and columns by which the rows are sorted, with a change of the class along them."""
    if len(data.rows) < MIN_ROWS:
        return
    dated = tuple(n for n, v in data.dates.items() if association(v, data.codes) * data.n_columns < ALPHA)
    if dated:
        yield Finding(
            "K005",
            f"The class changes with time (c{named(dated)[1:]}). {FIX}",
            "warning",
            columns=dated,
        )
    skipped = set(identifiers(data))
    before, after = data.numbers[:-1], data.numbers[1:]
    in_order = tuple(
        data.names[k]
        for k in np.flatnonzero((before <= after).all(axis=0) | (before >= after).all(axis=0))
        if data.names[k] not in skipped
        and len(np.unique(data.numbers[:, k])) >= MIN_VALUES
        and association(data.numbers[:, k], data.codes) * data.n_columns < ALPHA
    )
    if in_order:
        yield Finding(
            "K005",
            f"The rows are sorted by c{named(in_order)[1:]}, and the class changes along it. If that is time: {FIX}",
            "info",
            columns=in_order,
        )
