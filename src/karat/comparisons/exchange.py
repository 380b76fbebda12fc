"""The law of a difference of two curves when the two ranks of each case are exchanged at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from karat.formulas.curve_rows import curves_of_rows

BLOCK = 4_000_000  # cells of one block of exchanges


def exchanged(
    first: np.ndarray, second: np.ndarray, times: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Blocks (b, n) of what takes the place of the two rules' scores (Venkatraman & Begg 1996).

    Scores of two rules can be exchanged once they are ranks. Exchanged ranks that meet are put in random order;
    cases that one rule ties stay tied where both keep the rank of that rule.
    """
    values = [np.unique(s, return_inverse=True)[1] for s in (first, second)]  # (n,) which distinct value
    # mid-ranks, so that both rules use the same scale whatever they tie
    ranks = [np.cumsum(np.bincount(v))[v] - (np.bincount(v)[v] - 1) / 2 for v in values]
    step = max(1, BLOCK // len(first))
    for start in range(0, times, step):
        b = min(step, times - start)
        swap = rng.random((b, len(first))) < 0.5
        r1, r2 = (r + 0.25 * rng.random((b, v.max() + 1))[:, v] for r, v in zip(ranks, values, strict=True))
        yield np.where(swap, r2, r1), np.where(swap, r1, r2)


def exchange_p(
    up: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    measure: Callable[[np.ndarray, np.ndarray], np.ndarray],
    observed: float,
    alternative: str,
    times: int,
    rng: np.random.Generator,
) -> float:
    """(1 + #{exchanges with a difference at least as extreme}) / (1 + times): the observed one counts, so never 0."""
    beyond, slack = 0, 1e-12
    for a, b in exchanged(first, second, times, rng):
        d = measure(*curves_of_rows(a, up)) - measure(*curves_of_rows(b, up))
        if alternative == "two-sided":
            beyond += int((np.abs(d) >= abs(observed) - slack).sum())
        else:
            beyond += int((d <= observed + slack if alternative == "less" else d >= observed - slack).sum())
    return (1 + beyond) / (1 + times)
