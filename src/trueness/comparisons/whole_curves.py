"""Venkatraman's permutation tests: are two ROC curves the same at every point?

Paired: Venkatraman & Begg (1996). Unpaired: Venkatraman (2000).
"""

import numpy as np

from trueness.checks import check_whole, generator_of
from trueness.comparisons.auc_tests import unpaired_difference
from trueness.comparisons.registry import FIXED_RULES, INDEPENDENT_CASES, SEPARATE_SETS, blocks, comparison
from trueness.result import Note, TestResult
from trueness.sample.answers import Answers
from trueness.typing import Bools, Floats, Ints, Label, Labels, Rng, Scores

SAME_CURVE = Note("same-curve", "The two empirical curves are the same, so the p-value is 1.")


@comparison("scores", "Are two ROC curves the same at every point, on one test set?", "venkatraman_begg_1996")
def venkatraman(
    y: Labels, s1: Scores, s2: Scores, *, positive: Label | None = None, n_permutations: int = 2000, rng: Rng = None
) -> TestResult:
    """Compare two ROC curves of the same cases.

    With the cases ranked by each rule, e(k) = errors of rule 1 − errors of rule 2 when the k lowest are called
    negative. E = Σ_k |e(k)| is 0 only where the curves agree everywhere. If they do, the two ranks of a case are
    exchangeable: each permutation exchanges them for a random half of the cases and ranks again, ties at random.
    p = (1 + #{E* ≥ E}) / (1 + n_permutations).

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    positive : label, optional
        The positive label.
    n_permutations : int, default 2000
        Number of random permutations.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    TestResult
    """
    check_whole("n_permutations", n_permutations, 1)
    rules, generator = Answers.of_scores(y, (s1, s2), positive), generator_of(rng)
    up = rules.up
    order = generator.permutation(len(up))  # ties of the scores: one random order, the same for both rules
    sign = np.where(up[order], 1, -1)
    r1, r2 = (np.argsort(np.argsort(s[order], kind="stable"), kind="stable") for s in rules.pair)
    observed = int(_rank_distance(r1[None], r2[None], sign)[0])
    beyond = 0
    for b in blocks(n_permutations, len(up)):
        swap = generator.random((b, len(up))) < 0.5
        a, c = np.where(swap, r2, r1), np.where(swap, r1, r2)
        a, c = (_ranked_again(ranks, generator) for ranks in (a, c))
        beyond += int((_rank_distance(a, c, sign) >= observed).sum())
    same = observed == 0
    exchangeable = (
        "without a difference the two ranks of a case are exchangeable: the curves are the same, and the rules share "
        "their errors alike."
    )
    return TestResult(
        "Venkatraman, paired",
        observed,
        1.0 if same else (1 + beyond) / (1 + n_permutations),
        difference=rules.aucs().difference(),
        assumptions=(FIXED_RULES, exchangeable),
        notes=(SAME_CURVE,) if same else (),
    )


def _rank_distance(r1: Ints, r2: Ints, sign: Ints) -> Ints:
    """(b,) Σ_k |e(k)|; FN(k) + FP(k) = n_neg + Σ_{rank ≤ k} (+1 for a positive, −1 for a negative)."""
    totals = []
    for ranks in (r1, r2):
        by_rank = np.empty(ranks.shape, dtype=np.int64)
        np.put_along_axis(by_rank, ranks, np.broadcast_to(sign, ranks.shape), axis=1)
        totals.append(np.cumsum(by_rank, axis=1))
    return np.asarray(np.abs(totals[0] - totals[1]).sum(axis=1))


def _ranked_again(ranks: Ints, rng: np.random.Generator) -> Ints:
    """(b, n) ranks 0…n−1 of values with ties, broken at random."""
    jittered = ranks + rng.random(ranks.shape) * 0.5
    return np.argsort(np.argsort(jittered, axis=1), axis=1)


@comparison("two sets", "Are two ROC curves the same at every point, each on its own test set?", "venkatraman_2000")
def venkatraman_unpaired(
    y1: Labels,
    s1: Scores,
    y2: Labels,
    s2: Scores,
    *,
    positive: Label | None = None,
    n_permutations: int = 2000,
    rng: Rng = None,
) -> TestResult:
    """Compare two ROC curves of different cases.

    Let F and G be the shares of a set's positives and negatives up to a threshold, and π the share of positives in
    both sets together. p = π F + (1 − π) G is the share of cases called negative there, e = π F + (1 − π)(1 − G) the
    share misclassified. E = ∫ |e_1(p) − e_2(p)| dp, by trapezoids between the points of both curves, is 0 only where
    the curves agree. If they do, cases of one class are exchanged between the sets by their p, each spread over its own
    step. p-value = (1 + #{E* ≥ E}) / (1 + n_permutations).

    Parameters
    ----------
    y1, s1 : array-like of shape (n_1,)
        Labels and scores of the first test set.
    y2, s2 : array-like of shape (n_2,)
        Labels and scores of the second test set.
    positive : label, optional
        The positive label of both sets.
    n_permutations, rng
        As in `venkatraman`.

    Returns
    -------
    TestResult

    Notes
    -----
    R's pROC divides the positives of both sets by twice the size of the first, and exchanges ranks. Both agree with
    this test where the sets have equal class sizes.
    """
    check_whole("n_permutations", n_permutations, 1)
    generator = generator_of(rng)
    sets = []
    for y, s, name in ((y1, s1, "s1"), (y2, s2, "s2")):
        one = Answers.of_scores(y, {name: s}, positive)
        up, scores = one.up, one.values[0, 0]
        order = generator.permutation(len(up))  # ties in random order
        sets.append(up[order][np.argsort(scores[order], kind="stable")])  # (n,) the classes, lowest score first
    share = sum(int(up.sum()) for up in sets) / sum(len(up) for up in sets)
    observed = _curve_distance(sets, share)
    beyond = 0
    for _ in range(n_permutations):
        beyond += _curve_distance(_exchanged(sets, share, generator), share) >= observed - 1e-12
    given = ((np.asarray(y1), np.asarray(y2)), (np.asarray(s1), np.asarray(s2)))
    same = observed < 1e-12 or all(np.array_equal(a, b) for a, b in given)
    exchangeable = (
        "cases of one class are exchangeable between the sets on the common scale p if the curves are the same."
    )
    return TestResult(
        "Venkatraman, unpaired",
        observed,
        1.0 if same else (1 + beyond) / (1 + n_permutations),
        difference=unpaired_difference(y1, s1, y2, s2, positive),
        assumptions=(FIXED_RULES, INDEPENDENT_CASES, SEPARATE_SETS, exchangeable),
        notes=(SAME_CURVE,) if same else (),
    )


def _curve_distance(sets: list[Bools], share: float) -> float:
    """∫ |e_1 − e_2| dp by trapezoids, from where both curves have begun."""
    (p1, e1), (p2, e2) = (_error_curve(up, share) for up in sets)
    x = np.sort(np.concatenate([p1, p2]))
    x = x[x >= max(p1[0], p2[0])]
    gap = np.abs(np.interp(x, p1, e1) - np.interp(x, p2, e2))
    return float(((gap[1:] + gap[:-1]) * np.diff(x)).sum() / 2)


def _error_curve(up: Bools, share: float) -> tuple[Floats, Floats]:
    """(n,) p and e at every case of a set, whose classes are given lowest score first."""
    f, g = np.cumsum(up) / up.sum(), np.cumsum(~up) / (~up).sum()
    return share * f + (1 - share) * g, share * f + (1 - share) * (1 - g)


def _exchanged(sets: list[Bools], share: float, rng: np.random.Generator) -> list[Bools]:
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
