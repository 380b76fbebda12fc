"""L019: a number such as −999 stands for missing values."""

from collections.abc import Iterator

import numpy as np

from trueness.leaks.findings import Data, Finding, leak_check, named
from trueness.typing import Floats

GAPS = (-99, -999, -9999, -99999, 999, 9999, 99999)
MIN_TIMES, MIN_OTHERS = 3, 10  # that the number stands in a column, and different other values
FAR = 0.25  # of the range of the other values, between them and an unusual code


@leak_check(L019="a number stands for missing values")
def codes_of_gaps(data: Data) -> Iterator[Finding]:
    """Columns with one such number several times, further from the other values than these are from each other."""
    codes = dict(zip(data.names, map(code_of_gaps, data.numbers.T), strict=True))
    found = {name: code for name, code in codes.items() if code is not None}
    if found:
        shown = ", ".join(map(str, dict.fromkeys(found.values())))
        yield Finding(
            "L019",
            f"Columns that hold {shown} several times, unlike other values: {named(found)}. Mark it as missing if "
            "it stands for a missing value.",
            "warning",
            columns=tuple(found),
            codes=list(found.values()),
        )


def code_of_gaps(values: Floats, times: int = MIN_TIMES) -> int | None:
    """The number that seems to stand for missing values, at least so many `times`: it is far outside the rest, or any other
    whole number that is the only negative one, and far from the smallest of the others: at least `FAR`, and further than
    between any two in their lower half.

    >>> code_of_gaps(np.array([*range(70, 90), -999, -999, -999]))
    -999
    >>> code_of_gaps(np.array([*range(70, 200), -9, -9, -9]))
    -9
    >>> code_of_gaps(np.array([*range(0, 900, 9), 999, 999, 999]))
    >>> code_of_gaps(np.array([*range(0, 900, 9), -1, -1, -1]))
    """
    for code in GAPS:
        if (values == code).sum() >= times:
            others = np.unique(values[np.isfinite(values) & (values != code)])
            usual = len(others) >= MIN_OTHERS
            if usual and (code < 0 <= others[0] or np.abs(others - code).min() > np.ptp(others)):
                return code
    below = values[values < 0]
    if len(below) < max(times, MIN_TIMES) or np.ptp(below) != 0 or below[0] != np.round(below[0]):
        return None
    others = np.unique(values[np.isfinite(values) & (values >= 0)])
    if len(others) < MIN_OTHERS:
        return None
    gap, lower = others[0] - below[0], others[: len(others) // 2 + 1]
    return int(below[0]) if gap >= FAR * np.ptp(others) and gap > np.diff(lower).max() else None
