"""Paired permutation test: the mean difference under exchanges of the two models within a pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from trueness.checks import check_whole, generator_of
from trueness.comparisons.assumptions import INDEPENDENT_PAIRS, PAIRED_VALUES
from trueness.comparisons.inputs import blocks, check_alternative, paired_values
from trueness.comparisons.p_values import at_least_as_extreme
from trueness.comparisons.registry import comparison
from trueness.result import Estimate, Note
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.typing import Alternative, Array, Bools, Rng

MAX_PAIRS_FOR_EXACT = 16  # pairs that differ: all 2^16 sign patterns are enumerated


@comparison("values", "Do two models do equally well on average? By exchanging them within pairs")
def permutation(
    e1: npt.ArrayLike,
    e2: npt.ArrayLike,
    alternative: Alternative = "two-sided",
    n_permutations: int = 10_000,
    rng: Rng = None,
) -> TestResult:
    """Mean difference, referred to its distribution when each pair is exchanged with probability ½.

    The pairs may be data sets (one value each) or the cases of one test set (one loss each). Up to 16 pairs that
    differ, all exchanges are enumerated. Beyond, p = (1 + #{at least as extreme}) / (1 + n_permutations).

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Values of the two models.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "less": the values of the first model are smaller.
    n_permutations : int, default 10000
        Number of random exchanges, where not all are enumerated.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    TestResult
    """
    check_alternative(alternative)
    check_whole("n_permutations", n_permutations, 1)
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    m = len(moved)

    def extreme(signs: Array) -> Bools:
        return at_least_as_extreme(signs @ moved, moved.sum(), alternative, 1e-12 * np.abs(moved).sum())

    if m == 0:
        p, note = 1.0, NO_DIFFERENCE
    elif m <= MAX_PAIRS_FOR_EXACT:
        signs = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)  # the first row is the observed one
        p, note = float(extreme(signs).mean()), Note("exchanges", f"All 2^{m} exchanges.", count=2**m, all=True)
    else:
        generator, beyond = generator_of(rng), 0
        for b in blocks(n_permutations, m):
            beyond += int(extreme(np.where(generator.random((b, m)) < 0.5, -1.0, 1.0)).sum())
        p = (1 + beyond) / (1 + n_permutations)
        note = Note("exchanges", f"{n_permutations} random exchanges.", count=n_permutations, all=False)
    no_se = Note("no-se-method", "No standard error: the permutation test does not use one.")
    d = Estimate(float(x.mean()), metric="mean difference").noting(no_se)
    assumptions = (PAIRED_VALUES, INDEPENDENT_PAIRS, "the models are exchangeable within a pair without a difference.")
    return TestResult("Paired permutation", d.value, p, None, alternative, d, assumptions, (note,))
