"""Tests of two ROC curves by resampling: of the AUC, of a partial area, of the TPF at an FPF."""

import math
from collections.abc import Callable
from copy import deepcopy
from functools import partial

import numpy as np

from trueness.checks import check_whole, fraction, generator_of
from trueness.comparisons.auc_tests import by_difference, unpaired_difference
from trueness.comparisons.registry import SEPARATE_SETS, at_least_as_extreme, blocks, comparison
from trueness.curves.common import rate_range
from trueness.errors import InputError
from trueness.formulas.groups import DesignEffect, count_groups, sizes_by_class
from trueness.formulas.roc import curve_rows, depth, height, partial_area
from trueness.plans.bootstrap import bootstrap_counts
from trueness.result.estimate import Estimate
from trueness.result.grouped import in_groups
from trueness.result.joint import without_zero_se
from trueness.result.notes import Note, inherited
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import BOOTSTRAP, FIXED_RULES, GROUPS, INDEPENDENT_CASES, INDEPENDENT_GROUPS
from trueness.sample.answers import Answers
from trueness.typing import Alternative, Bools, Floats, Ints, Label, Labels, Rng, Scores


@comparison("scores", "Same curve everywhere?", "venkatraman_begg_1996")
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
    observed = float(_rank_distance(r1[None], r2[None], sign)[0])
    beyond = 0
    for b in blocks(n_permutations, len(up)):
        swap = generator.random((b, len(up))) < 0.5
        ranks = (np.where(swap, *pair) for pair in ((r2, r1), (r1, r2)))  # ties are broken at random
        a, c = (np.argsort(np.argsort(r + generator.random(r.shape) * 0.5, axis=1), axis=1) for r in ranks)
        beyond += int((_rank_distance(a, c, sign) >= observed).sum())
    p, notes = (1 + beyond) / (1 + n_permutations), (NO_DIFFERENCE,) * (observed == 0)
    about = rules.aucs().difference(), (FIXED_RULES, EXCHANGEABLE), notes
    return TestResult("Venkatraman, paired", observed, p, None, "two-sided", *about)


def _rank_distance(r1: Ints, r2: Ints, sign: Ints) -> Ints:
    """(b,) Σ_k |e(k)|; FN(k) + FP(k) = n_neg + Σ_{rank ≤ k} (+1 for a positive, −1 for a negative)."""
    totals = []
    for ranks in (r1, r2):
        by_rank = np.empty(ranks.shape, dtype=np.int64)
        np.put_along_axis(by_rank, ranks, np.broadcast_to(sign, ranks.shape), axis=1)
        totals.append(np.cumsum(by_rank, axis=1))
    return np.asarray(np.abs(totals[0] - totals[1]).sum(axis=1))


@comparison("two sets", "Same curve everywhere?", "venkatraman_2000")
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
    for y, s in ((y1, {"s1": s1}), (y2, {"s2": s2})):
        one = Answers.of_scores(y, s, positive)
        up, scores = one.up, one.values[0, 0]
        order = generator.permutation(len(up))  # ties in random order
        sets.append(up[order][np.argsort(scores[order], kind="stable")])  # (n,) the classes, lowest score first
    share = sum(int(up.sum()) for up in sets) / sum(len(up) for up in sets)
    observed = _curve_distance(sets, share)
    beyond = 0
    for _ in range(n_permutations):
        beyond += _curve_distance(_exchanged(sets, share, generator), share) >= observed - 1e-12
    same = observed < 1e-12 or (np.array_equal(y1, y2) and np.array_equal(s1, s2))
    p, notes = max((1 + beyond) / (1 + n_permutations), float(same)), (NO_DIFFERENCE,) * same
    exchanged = "cases of one class are exchangeable between the sets."
    about = (FIXED_RULES, INDEPENDENT_CASES, SEPARATE_SETS, exchanged), notes
    d = unpaired_difference(y1, s1, y2, s2, positive)
    return TestResult("Venkatraman, unpaired", observed, p, None, "two-sided", d, *about)


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


EXCHANGEABLE = "without a difference the two ranks of a case are exchangeable."
NORMAL = "the difference is about normal over test sets of this size."

Rows = Callable[[Floats, Floats], Floats]  # scores (n,), weights (b, n) → (b,)


@comparison("scores", "Same AUC, or any other measure?")
def bootstrap(
    y: Labels,
    s1: Scores,
    s2: Scores,
    *,
    statistic: Callable[[Ints, Floats], float] | None = None,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    rng: Rng = None,
    groups: Labels | None = None,
) -> TestResult:
    """z = (θ_1 − θ_2) / SD of the difference over resamples of the cases, drawn within each class.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    statistic : callable, optional
        f(y, scores) → float, with y 1 for positive and 0 for negative cases. The AUC by default.
    positive : label, optional
        The positive label.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For θ_1 − θ_2.
    n_resamples : int, default 2000
        Number of resamples, at least 100.
    rng : int, SeedSequence or Generator, optional
        Seed.
    groups : array-like of shape (n,), optional
        The group of each case, where only whole groups are independent: resamples are of whole groups, drawn within
        groups of positives, of negatives and of both; quantiles are Student's with G − 1 degrees of freedom, G the
        groups of the class with fewest.

    Returns
    -------
    TestResult
    """
    if statistic is not None and not callable(statistic):
        raise InputError("statistic must be f(y, scores)", param="statistic", got=repr(statistic))
    rules = Answers.of_scores(y, (s1, s2), positive, groups)
    name, largest = "auc", 1.0
    if statistic is not None:
        name, largest = getattr(statistic, "__name__", "statistic"), math.inf

    def rows(scores: Floats, weights: Floats) -> Floats:
        up = rules.up
        if statistic is None:
            return partial_area(*curve_rows(scores, up, weights))
        cases = (np.repeat(np.arange(len(up)), w) for w in weights.astype(int))
        return np.array([statistic(up[c].astype(int), scores[c]) for c in cases], dtype=float)

    d = bootstrapped(rules, rows, name, largest, n_resamples, generator_of(rng))
    return by_difference(d, f"Bootstrap of the {name}", alternative, (*_of_rules(rules), NORMAL))


def _of_rules(rules: Answers) -> tuple[str, str]:
    return FIXED_RULES, INDEPENDENT_CASES if rules.groups is None else INDEPENDENT_GROUPS


def bootstrapped(
    rules: Answers, rows: Rows, name: str, largest: float, n_resamples: int, rng: np.random.Generator
) -> Estimate:
    """The difference of a measure, at most `largest`, with its SD over resamples of the cases or groups as se."""
    check_whole("n_resamples", n_resamples, 100)
    up, groups, (first, second) = rules.up, rules.groups, rules.pair
    one = np.ones((1, len(up)))
    value = float(rows(first, one)[0]) - float(rows(second, one)[0])

    def sd(strata: list[Ints], units: Ints, rng: np.random.Generator) -> float:
        differences = []
        for b in blocks(n_resamples, len(up)):
            weights = np.empty((b, int(units.max()) + 1))
            for stratum in strata:
                weights[:, stratum] = bootstrap_counts(rng, len(stratum), b)
            drawn = weights[:, units]
            differences.append(rows(first, drawn) - rows(second, drawn))  # the same resamples for both rules
        drawn = np.concatenate(differences)
        if not np.isfinite([value, *drawn]).all():
            raise InputError(f"The {name} is undefined in some resamples", param="statistic", fix="Use another measure")
        return float(drawn.std(ddof=1))

    cases, same = np.arange(len(up)), deepcopy(rng)
    out = Estimate(
        value,
        se=sd([np.flatnonzero(up), np.flatnonzero(~up)], cases, rng),
        metric=f"{name} difference",
        se_method=BOOTSTRAP,
        estimand="these two rules",
        bounds=(-largest, largest),
        cases=int(min(up.sum(), (~up).sum())),
    )
    if groups is not None:
        # groups of positives alone, of negatives alone, and of both: drawn apart, a resample has cases of each class
        ups, downs = (np.bincount(groups[of], minlength=int(groups.max()) + 1) > 0 for of in (up, ~up))
        kinds = (np.flatnonzero(of) for of in (ups & ~downs, downs & ~ups, ups & downs))
        se = sd([kind for kind in kinds if len(kind)], groups, same)
        effect = DesignEffect.of(se**2, out.require_se() ** 2, len(up), *sizes_by_class(groups, up.astype(np.intp)))
        out = in_groups(out.with_(se=se, se_method=BOOTSTRAP.plus(GROUPS)), effect, count_groups(groups))
    return without_zero_se(out, rules.identical)


MIN_CASES_FOR_NORMAL = 20  # cases that determine the part: below it p comes from exchanged ranks
MIN_CASES_FOR_SE = 5  # likewise: below it the bootstrap SD is no standard error (docs/comparison.md)
Measure = Callable[[Floats, Floats], Floats]  # FPF and TPF (b, points) of b curves → (b,)


def of_curves(rate: Callable[[Floats, Floats, float], Floats], at: float, fpf: Floats, tpf: Floats) -> Floats:
    """(b,) the rate of each of b curves there."""
    return np.array([rate(f, t, at) for f, t in zip(fpf, tpf, strict=True)])


@comparison("scores", "Same TPF at an FPF?")
def at_fpf(
    y: Labels,
    s1: Scores,
    s2: Scores,
    fpf: float,
    *,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    rng: Rng = None,
    groups: Labels | None = None,
) -> TestResult:
    """Compare the TPFs of the two empirical curves (points joined by lines) at one FPF.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    fpf : float
        Where the curves are compared.
    positive : label, optional
        The positive label.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For TPF_1 − TPF_2.
    n_resamples : int, default 2000
        Number of resamples, or of exchanges.
    rng : int, SeedSequence or Generator, optional
        Seed.
    groups : array-like of shape (n,), optional
        The group of each case, where only whole groups are independent: whole groups are resampled or exchanged, and
        groups are counted in the place of cases. Quantiles are Student's with G − 1 degrees of freedom, G the groups of
        the class with fewest.

    Returns
    -------
    TestResult

    See Also
    --------
    partial_auc : How the p-value is computed.
    """
    at, rules = fraction("fpf", fpf), Answers.of_scores(y, (s1, s2), positive, groups)
    name, share = f"tpf at fpf {at:g}", min(at, 1 - at)
    measure = partial(of_curves, height, at)
    return _test(rules, name, measure, 1.0, ~rules.up, share, alternative, n_resamples, rng)


@comparison("scores", "Same FPF at a TPF?")
def at_tpf(
    y: Labels,
    s1: Scores,
    s2: Scores,
    tpf: float,
    *,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    rng: Rng = None,
    groups: Labels | None = None,
) -> TestResult:
    """Compare the FPFs of the two empirical curves (points joined by lines) at one TPF.

    Parameters
    ----------
    y, s1, s2, positive, n_resamples, rng, groups
        As in `at_fpf`.
    tpf : float
        Where the curves are compared.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For FPF_1 − FPF_2.

    Returns
    -------
    TestResult
    """
    at, rules = fraction("tpf", tpf), Answers.of_scores(y, (s1, s2), positive, groups)
    name, share = f"fpf at tpf {at:g}", min(at, 1 - at)
    measure = partial(of_curves, depth, at)
    return _test(rules, name, measure, 1.0, rules.up, share, alternative, n_resamples, rng)


@comparison("scores", "Same partial AUC?")
def partial_auc(
    y: Labels,
    s1: Scores,
    s2: Scores,
    *,
    fpf: tuple[float, float] = (0.0, 0.1),
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    rng: Rng = None,
    groups: Labels | None = None,
) -> TestResult:
    """Compare the areas under the two empirical curves between two FPFs.

    With 20 or more negatives within the range, z = difference / SD over `n_resamples` stratified resamples. With fewer,
    the normal approximation rejects true nulls too often. The difference is then referred to its distribution when the
    two ranks of each case are exchanged with probability ½, as in `venkatraman`:
    p = (1 + #{at least as extreme}) / (1 + n_resamples). With fewer than 5 no standard error is given either.

    Parameters
    ----------
    y, s1, s2, positive, n_resamples, rng, groups
        As in `at_fpf`.
    fpf : tuple of float, default (0, 0.1)
        The range.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For area_1 − area_2.

    Returns
    -------
    TestResult
    """
    low, high = rate_range("fpf", fpf)
    rules, size = Answers.of_scores(y, (s1, s2), positive, groups), high - low
    name, area = f"partial auc ({low:g} to {high:g})", lambda f, t: partial_area(f, t, low, high)
    return _test(rules, name, area, size, ~rules.up, size, alternative, n_resamples, rng)


def _test(
    rules: Answers,
    name: str,
    measure: Measure,
    largest: float,
    of: Bools,
    share: float,
    alternative: Alternative,
    n_resamples: int,
    rng: Rng,
) -> TestResult:
    """The test of a measure that a `share` of the cases (or groups) `of` one class determines, and its `largest`
    difference."""
    generator, units = generator_of(rng), np.arange(len(of)) if rules.groups is None else rules.groups
    cases = share * len(np.unique(units[of]))  # independent ones
    rows: Rows = lambda scores, weights: measure(*curve_rows(scores, rules.up, weights))  # noqa: E731
    d = bootstrapped(rules, rows, name, largest, n_resamples, generator)
    if cases >= MIN_CASES_FOR_NORMAL:
        return by_difference(d, f"Bootstrap of the {name}", alternative, (*_of_rules(rules), NORMAL))
    p = max(exchange_p(rules, measure, d.value, alternative, n_resamples, generator), float(rules.identical))
    if cases < MIN_CASES_FOR_SE and d.se:
        d = d.with_(se=None).noting(Note("no-se-few-cases", cases=cases, needed=MIN_CASES_FOR_SE))
    notes = (Note("exchange-p-value", cases=cases, exchanges=n_resamples), *inherited(d.notes, "data", "test"))
    title = f"Exchange of the {name}"
    return TestResult(title, d.value, p, None, alternative, d, (*_of_rules(rules), EXCHANGEABLE), notes)


def exchange_p(
    rules: Answers, measure: Measure, observed: float, alternative: Alternative, times: int, rng: np.random.Generator
) -> float:
    """(1 + #{exchanges at least as extreme}) / (1 + times): the observed difference counts, so p is never 0.

    Scores of two rules are exchangeable once they are ranks (Venkatraman & Begg 1996); those of a group are exchanged
    together. Exchanged ranks that meet are put in random order; cases that one rule ties stay tied where both keep the rank
    of that rule.
    """
    n, beyond, one = len(rules.up), 0, np.ones((1, len(rules.up)))
    units = np.arange(n) if rules.groups is None else rules.groups
    values = [np.unique(s, return_inverse=True)[1] for s in rules.pair]  # (n,) which distinct value
    # mid-ranks, so that both rules have the same scale whatever they tie
    ranks = [np.cumsum(np.bincount(v))[v] - (np.bincount(v)[v] - 1) / 2 for v in values]
    for b in blocks(times, n):
        swap = (rng.random((b, int(units.max()) + 1)) < 0.5)[:, units]
        r1, r2 = (r + 0.25 * rng.random((b, v.max() + 1))[:, v] for r, v in zip(ranks, values, strict=True))
        drawn = (np.where(swap, *pair) for pair in ((r2, r1), (r1, r2)))
        first, second = (np.concatenate([measure(*curve_rows(s, rules.up, one)) for s in scores]) for scores in drawn)
        beyond += int(at_least_as_extreme(first - second, observed, alternative, 1e-12).sum())
    return (1 + beyond) / (1 + times)
