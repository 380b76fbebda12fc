"""Venkatraman's permutation test of two ROC curves, each on a test set of its own (Venkatraman 2000)."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.comparisons.delong import CASES, FIXED, unpaired_difference
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.plans.plan import whole
from karat.result.test_result import TestResult


@comparison("two sets", "Are two ROC curves the same at every point, each on a test set of its own?")
def venkatraman_unpaired(
    y1: Any, s1: Any, y2: Any, s2: Any, positive: Any = None, n_permutations: int = 2000, rng: Any = None
) -> TestResult:
    """Two curves of different cases.

    With F and G the shares of a set's positives and negatives up to a threshold and π the share of positives in both
    sets together, p = π F + (1 − π) G is the share of all cases called negative there, e = π F + (1 − π)(1 − G) the
    share called wrongly. E = ∫ |e_1(p) − e_2(p)| dp, by trapezoids between the points of both, is 0 only where the
    curves agree. If they do, p is a scale that both sets share: cases of one class are exchanged between the sets by
    their p, each spread over its own step.

    p-value = (1 + #{E* ≥ E}) / (1 + n_permutations): the observed one counts, so it is never 0.

    R's pROC divides the positives of both sets by twice the size of the first, and exchanges ranks; both are the same
    where the sets have the same number of cases of each class, and not meant where they have not.
    """
    whole("n_permutations", n_permutations, 1)
    generator = generator_of(rng)
    sets = []
    for y, s, name in ((y1, s1, "s1"), (y2, s2, "s2")):
        up, scores = scores_of(y, s, positive=positive, names=(name,))
        order = generator.permutation(len(up))  # ties in random order
        sets.append(up[order][np.argsort(scores[order], kind="stable")])  # (n,) the classes, lowest score first
    share = sum(int(up.sum()) for up in sets) / sum(len(up) for up in sets)
    observed = _distance(*(_curve(up, share) for up in sets))
    beyond = 0
    for _ in range(n_permutations):
        beyond += _distance(*(_curve(up, share) for up in _exchanged(sets, share, generator))) >= observed - 1e-12
    given = ((np.asarray(y1), np.asarray(y2)), (np.asarray(s1), np.asarray(s2)))
    same = observed < 1e-12 or all(np.array_equal(a, b) for a, b in given)
    return TestResult(
        "Venkatraman, unpaired",
        observed,
        1.0 if same else (1 + beyond) / (1 + n_permutations),
        difference=unpaired_difference(y1, s1, y2, s2, positive),
        assumptions=(
            FIXED,
            CASES,
            "the two test sets have no case in common.",
            "on the common scale p cases of one class can be exchanged between the sets where the curves are the same.",
        ),
        notes=("The two curves are the same.",) if same else (),
    )


def _curve(up: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """(n,) p and e at every case of a set, whose classes are given lowest score first."""
    f, g = np.cumsum(up) / up.sum(), np.cumsum(~up) / (~up).sum()
    return share * f + (1 - share) * g, share * f + (1 - share) * (1 - g)


def _distance(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> float:
    """∫ |e_1 − e_2| dp by trapezoids, from where both curves have begun."""
    x = np.sort(np.concatenate([first[0], second[0]]))
    x = x[x >= max(first[0][0], second[0][0])]
    gap = np.abs(np.interp(x, *first) - np.interp(x, *second))
    return float(((gap[1:] + gap[:-1]) * np.diff(x)).sum() / 2)


def _exchanged(sets: list[np.ndarray], share: float, rng: np.random.Generator) -> list[np.ndarray]:
    """The classes of both sets in order, after cases of each class changed places at random."""
    places = []
    for up in sets:
        step = np.where(up, share / up.sum(), (1 - share) / (~up).sum())
        places.append(np.cumsum(step) - step * rng.random(len(up)))  # anywhere on the step of p that the case makes
    pools = [rng.permutation(np.concatenate([p[up == c] for p, up in zip(places, sets, strict=True)])) for c in (0, 1)]
    out, taken = [], [0, 0]
    for up in sets:
        values = np.empty(len(up))
        for c in (0, 1):
            m = int((up == c).sum())
            values[up == c] = pools[c][taken[c] : taken[c] + m]
            taken[c] += m
        out.append(up[np.argsort(values)])
    return out
