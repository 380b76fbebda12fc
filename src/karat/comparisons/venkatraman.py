"""Venkatraman's permutation test: are two ROC curves the same, at every point (Venkatraman & Begg 1996)?"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.comparisons.delong import FIXED, auc_difference, defended
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.formulas.delong import delong_influence
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.test_result import TestResult

BLOCK = 4_000_000  # cells of one block of permutations


@comparison("scores", "Are two ROC curves the same at every point, on one test set?")
def venkatraman(
    y: Any, s1: Any, s2: Any, positive: Any = None, n_permutations: int = 2000, rng: Any = None
) -> TestResult:
    """Two curves of the same cases.

    With the cases ranked by each rule, e(k) = errors of rule 1 − errors of rule 2 when the k lowest
    are called negative; E = Σ_k |e(k)| is 0 only where the curves agree everywhere. If they do, a
    case's two ranks can be exchanged: each permutation exchanges them for a random half of the cases
    and ranks anew, ties at random.

    p = (1 + #{E* ≥ E}) / (1 + n_permutations): the observed one counts, so p is never 0.
    """
    whole("n_permutations", n_permutations, 1)
    up, first, second = scores_of(y, s1, s2, positive=positive)
    generator = generator_of(rng)
    order = generator.permutation(len(up))  # ties of the scores: one random order, the same for both rules
    sign = np.where(up[order], 1, -1)
    r1, r2 = (np.argsort(np.argsort(s[order], kind="stable"), kind="stable") for s in (first, second))
    observed = int(_distance(r1[None], r2[None], sign)[0])
    beyond, done = 0, 0
    step = max(1, BLOCK // len(up))
    while done < n_permutations:
        b = min(step, n_permutations - done)
        swap = generator.random((b, len(up))) < 0.5
        a, c = np.where(swap, r2, r1), np.where(swap, r1, r2)
        a, c = (_ranked(ranks, generator) for ranks in (a, c))
        beyond += int((_distance(a, c, sign) >= observed).sum())
        done += b
    same = observed == 0
    notes = ("The two rules rank the cases alike as far as the curves can tell.",) if same else ()
    return TestResult(
        "Venkatraman, paired",
        observed,
        1.0 if same else (1 + beyond) / (1 + n_permutations),
        difference=_auc(up, first, second),
        assumptions=(
            FIXED,
            "without a difference the two ranks of a case are exchangeable: the curves are the same, and so is "
            "how the rules share their errors.",
        ),
        notes=notes,
    )


def _distance(r1: np.ndarray, r2: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """(b,) Σ_k |e(k)|; FN(k) + FP(k) = n_neg + Σ_{rank ≤ k} (+1 for a positive, −1 for a negative)."""
    totals = []
    for ranks in (r1, r2):
        by_rank = np.empty(ranks.shape, dtype=np.int64)
        np.put_along_axis(by_rank, ranks, np.broadcast_to(sign, ranks.shape), axis=1)
        totals.append(np.cumsum(by_rank, axis=1))
    return np.abs(totals[0] - totals[1]).sum(axis=1)


def _ranked(ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(b, n) ranks 0…n−1 of values with ties, which are broken at random."""
    jittered = ranks + rng.random(ranks.shape) * 0.5
    return np.argsort(np.argsort(jittered, axis=1), axis=1)


def _auc(up: np.ndarray, first: np.ndarray, second: np.ndarray) -> Estimate:
    (a, ga), (b, gb) = delong_influence(first, up), delong_influence(second, up)
    return defended(auc_difference(a - b, ga - gb, up), np.array_equal(first, second))
