"""K009: columns that were standardized on all rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from karat.hygiene.data import Data
from karat.hygiene.findings import Finding, named
from karat.hygiene.leaks.identifiers import MIN_ROWS
from karat.hygiene.registry import check_for

TOLERANCE = 1e-3  # of a standard error; mean and SD of a sample are both within it of 0 and 1 in about 1 of 10⁶ columns


@check_for("K009")
def standardized(data: Data) -> Iterator[Finding]:
    """Columns with a mean of 0 and a standard deviation of 1 over all rows."""
    n = len(data.rows)
    if n < MIN_ROWS or n < data.sample.n or not data.names:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without values
        mean, sd = np.nanmean(data.numbers, axis=0), np.nanstd(data.numbers, axis=0)
        near = TOLERANCE / np.sqrt(n)
        one = (np.abs(sd - 1) < near) | (np.abs(sd * np.sqrt(n / (n - 1)) - 1) < near)
    columns = tuple(data.names[k] for k in np.flatnonzero((np.abs(mean) < near) & one))
    if columns:
        yield Finding(
            "K009",
            f"{named(columns)} look{'s' if len(columns) == 1 else ''} standardized on all rows (mean 0, SD 1), test "
            "cases included. That alone hardly changes an estimate, but imputation or selection of features done at "
            "the same time would. Put all preprocessing into a Pipeline.",
            "info",
            columns=columns,
        )
