"""L019: a number such as −999 stands for missing values."""

from collections.abc import Iterator

import numpy as np

from trueness.leaks.findings import Data, Finding, Name, leak_check, named
from trueness.typing import Floats

GAPS = (-99, -999, -9999, -99999, 999, 9999, 99999)
MIN_TIMES, MIN_OTHERS = 3, 10  # that the number stands in a column, and different other values
FAR = 0.25  # of the range of the other values, between them and an unusual code


@leak_check(L019="a number stands for missing values")
def codes_of_gaps(data: Data) -> Iterator[Finding]:
    """Columns with one such number several times, further from the other values than these are from each other."""
    found: dict[Name, int] = {}
    for k, name in enumerate(data.names):
        code = code_of_gaps(data.numbers[:, k])
        if code is not None:
            found[name] = code
    if found:
        columns = tuple(found)
        shown = ", ".join(map(str, dict.fromkeys(found.values())))
        yield Finding(
            "L019",
            f"Columns that hold {shown} several times, unlike other values: {named(columns)}. Mark it as missing if "
            "it stands for a missing value.",
            "warning",
            columns=columns,
            codes=list(found.values()),
        )


def code_of_gaps(values: Floats, times: int = MIN_TIMES) -> int | None:
    """The number that seems to stand for missing values, at least so many `times`: it is far outside the rest, or, if it is
    no usual code, the only negative number, and far below them.

    >>> code_of_gaps(np.array([*range(70, 90), -999, -999, -999]))
    -999
    >>> code_of_gaps(np.array([*range(70, 200), -9, -9, -9]))
    -9
    >>> code_of_gaps(np.array([*range(0, 900, 9), 999, 999, 999]))
    >>> code_of_gaps(np.array([*range(0, 900, 9), -1, -1, -1]))
    """
    usual = next((code for code in GAPS if _is_gap(values, code, times)), None)
    return _alone_below_zero(values, times) if usual is None else usual


def _alone_below_zero(values: Floats, times: int) -> int | None:
    """Any other whole number that is the only negative one, and far from the smallest of the others: at least `FAR`, and
    further than between any two in their lower half."""
    below = values[values < 0]
    if len(below) < max(times, MIN_TIMES) or below[0] != below.min() or below.min() != below.max():
        return None
    code, others = below[0], np.unique(values[np.isfinite(values) & (values >= 0)])
    if not np.isfinite(code) or code != np.round(code) or len(others) < MIN_OTHERS:
        return None
    gap, lower = others[0] - code, others[: len(others) // 2 + 1]
    far = gap >= FAR * np.ptp(others) and gap > np.diff(lower).max()
    return int(code) if far else None


def _is_gap(values: Floats, code: int, times: int) -> bool:
    if (values == code).sum() < times:
        return False
    others = np.unique(values[np.isfinite(values) & (values != code)])
    if len(others) < MIN_OTHERS:
        return False
    return bool(code < 0 <= others[0] or np.abs(others - code).min() > np.ptp(others))
