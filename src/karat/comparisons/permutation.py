"""Paired permutation: the mean difference under all exchanges of the two models within a pair."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.comparisons.inputs import generator_of, paired_values
from karat.comparisons.paired_t import INDEPENDENT, PAIRED
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.test_result import TestResult

EXACT_UP_TO = 16  # pairs that differ: 2^16 sign patterns are all looked at
BLOCK = 4_000_000


@comparison("values", "Do two models do equally well on average? By exchanging them within pairs")
def permutation(
    e1: Any, e2: Any, alternative: str = "two-sided", n_permutations: int = 10_000, rng: Any = None
) -> TestResult:
    """Mean difference against its law when each pair is exchanged or not with probability ½.

    The pairs may be data sets (a value each) or the cases of one test set (a loss each). All exchanges
    are looked at up to 16 pairs that differ; beyond, a random choice, and
    p = (1 + #{at least as extreme}) / (1 + n_permutations): the observed one counts, so p is never 0.
    """
    check_alternative(alternative)
    whole("n_permutations", n_permutations, 1)
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    m = len(moved)
    notes: tuple[str, ...]
    if m == 0:
        p, notes = 1.0, ("The two have no difference at all.",)
    elif m <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)  # the first row is the observed one
        p, notes = float(_extreme(signs @ moved, moved, alternative).mean()), (f"All 2^{m} exchanges.",)
    else:
        generator, beyond, done = generator_of(rng), 0, 0
        while done < n_permutations:
            b = min(max(1, BLOCK // m), n_permutations - done)
            signs = np.where(generator.random((b, m)) < 0.5, -1.0, 1.0)
            beyond += int(_extreme(signs @ moved, moved, alternative).sum())
            done += b
        p, notes = (1 + beyond) / (1 + n_permutations), (f"{n_permutations} random exchanges.",)
    return TestResult(
        "Paired permutation",
        float(x.mean()),
        p,
        alternative=alternative,
        difference=Estimate(float(x.mean()), metric="mean difference").noting(
            "No standard error: the test needs none."
        ),
        assumptions=(PAIRED, INDEPENDENT, "without a difference the two models are exchangeable within a pair."),
        notes=notes,
    )


def _extreme(sums: np.ndarray, moved: np.ndarray, alternative: str) -> np.ndarray:
    """Which sums are at least as extreme as the observed one; equal up to rounding counts."""
    observed, slack = moved.sum(), 1e-12 * np.abs(moved).sum()
    if alternative == "two-sided":
        return np.abs(sums) >= abs(observed) - slack
    return sums <= observed + slack if alternative == "less" else sums >= observed - slack
