"""Bootstrap on a test set: the standard error of a difference of AUCs or of any measure, and the test by it."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy

import numpy as np

from trueness.checks import check_whole, generator_of
from trueness.comparisons.assumptions import FIXED_RULES, INDEPENDENT_CASES, INDEPENDENT_GROUPS
from trueness.comparisons.auc_tests import by_difference
from trueness.comparisons.inputs import blocks, check_alternative
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.groups import DesignEffect, count_groups, groups_by_class
from trueness.formulas.roc import curve_rows, partial_area
from trueness.plans.bootstrap import bootstrap_counts
from trueness.result import Estimate, TestResult
from trueness.result.grouped import in_groups
from trueness.result.named import BOOTSTRAP, GROUPS
from trueness.result.paired import without_zero_se
from trueness.sample.answers import Answers
from trueness.typing import Alternative, Bools, Floats, Ints, Label, Labels, Rng, Scores

NORMAL = "the difference is about normal over test sets of this size; its SD is that of {} stratified resamples."

Rows = Callable[[Floats, Floats], Floats]  # scores (n,), weights (b, n) → (b,)


@comparison("scores", "Do two rules have the same AUC, or any other measure, on one test set?")
def bootstrap(
    y: Labels,
    s1: Scores,
    s2: Scores,
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
    check_alternative(alternative)
    if statistic is not None and not callable(statistic):
        raise InputError(
            "statistic must be a function of labels and scores",
            param="statistic",
            got=repr(statistic),
            fix="Omit it for the AUC, or pass e.g. a function of sklearn.metrics",
        )
    rules = Answers.of_scores(y, (s1, s2), positive, groups)
    name = "auc" if statistic is None else str(getattr(statistic, "__name__", "statistic"))

    def rows(scores: Floats, weights: Floats) -> Floats:
        up = rules.up
        if statistic is None:
            return partial_area(*curve_rows(scores, up, weights))
        cases = (np.repeat(np.arange(len(up)), w) for w in weights.astype(int))
        return np.array([statistic(up[c].astype(int), scores[c]) for c in cases], dtype=float)

    largest = 1.0 if statistic is None else np.inf
    d = bootstrapped(rules, rows, name, largest, n_resamples, generator_of(rng))
    return by_difference(d, f"Bootstrap of the {name}", alternative, assumed(rules, NORMAL.format(n_resamples)))


def assumed(rules: Answers, law: str) -> tuple[str, ...]:
    """What a test by resampling assumes, `law` of the difference."""
    return FIXED_RULES, INDEPENDENT_CASES if rules.groups is None else INDEPENDENT_GROUPS, law


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
        if bad := int((~np.isfinite(drawn)).sum()):
            raise _undefined(name, bad, n_resamples)
        return float(drawn.std(ddof=1))

    if not math.isfinite(value):
        raise _undefined(name, 0, n_resamples)
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
    if groups is None:
        return without_zero_se(out, rules.identical)
    se = sd(kinds_of_groups(up, groups), groups, same)
    g = int(groups_by_class(groups, up.astype(np.intp)).min())
    effect = DesignEffect.of(se**2, out.require_se() ** 2, len(up), g)
    out = in_groups(out.with_(se=se, se_method=BOOTSTRAP.plus(GROUPS)), effect, count_groups(groups))
    return without_zero_se(out, rules.identical)


def kinds_of_groups(up: Bools, groups: Ints) -> list[Ints]:
    """Groups of positives alone, of negatives alone, and of both: drawn apart, a resample has cases of each class."""
    ups, downs = (np.bincount(groups[of], minlength=int(groups.max()) + 1) > 0 for of in (up, ~up))
    kinds = (np.flatnonzero(ups & ~downs), np.flatnonzero(downs & ~ups), np.flatnonzero(ups & downs))
    return [kind for kind in kinds if len(kind)]


def _undefined(name: str, bad: int, n_resamples: int) -> InputError:
    where = f"in {bad} of {n_resamples} resamples" if bad else "for these cases"
    return InputError(f"The {name} is undefined {where}", param="statistic", fix="Use another measure")
