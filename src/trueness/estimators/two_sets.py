"""Means and variances over training sets and test sets, from B rules that all scored one independent test set.

Rules t and test set s are independent. With A(t, s) the metric of one rule on one test set,

    Var A = Var_t E_s[A | t] + E_t Var_s[A | t]      total = training + testing

(Yousef, Wagner & Loew 2006; Chen, Gallas & Yousef 2012). Both terms are linear in second moments of the kernel: means
of products of two kernel values that share the rule, the positive case, the negative case, or none. Their estimates are
averages over distinct indices, so with B independent training sets every term is unbiased. docs/two-sets.md has the
estimands.

With groups of test cases the group is the unit. The metric of a rule is the mean over the G groups of A + G Σ (influence of
the cases of a group), for an AUC to first order (DeLong's placements), and the moments are those of a mean of such values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueness.errors import UndefinedError
from trueness.kernels.auc import won_rows
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result.estimate import Estimate
from trueness.result.interval import EXACT, WALD, IntervalRule
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import Estimand, Named, StandardError
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.sample.scored import FewOverlap
from trueness.typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Components:
    """The two parts of the variance of a metric of one rule on one test set."""

    training: float  # Var_t of the true performance of the rule; an estimate may be negative
    testing: float  # E_t of the variance over test sets; an estimate may be negative
    # the part of `testing` that rules of other training sets share: the covariance of two rules on one test set
    shared: float

    @property
    def total(self) -> float:
        """Variance of the metric of one rule on one test set."""
        return self.training + self.testing

    def of_mean(self, rules: int) -> float:
        """Variance of the mean over this many independent training sets, all tested on one test set (Chen, Gallas &
        Yousef 2012): training/B + shared + (testing − shared)/B."""
        return self.shared + (self.training + self.testing - self.shared) / rules


@dataclass(frozen=True)
class PairMoments:
    """Second moments of the AUC's kernel ψ_ij, i positive, j negative, all indices distinct."""

    one: Floats  # (4,) M1 = E ψ_ij², M2 = E ψ_ij ψ_i'j, M3 = E ψ_ij ψ_ij', M4 = E ψ_ij ψ_i'j' of one rule
    two: Floats  # (4,) M5 … M8, the same with the two factors from two rules

    def components(self, sizes: Sequence[int]) -> Components:
        """The variance with `sizes` = (positives, negatives) in the test set."""
        n1, n0 = sizes
        shares = np.array([1.0, n1 - 1, n0 - 1, (n1 - 1) * (n0 - 1) - n1 * n0]) / (n1 * n0)  # c1, c2, c3, c4 − 1
        largest = float(self.one[0])
        return _components(
            float(self.one[3] - self.two[3]), float(shares @ self.one), float(shares @ self.two), largest
        )


@dataclass(frozen=True)
class CaseMoments:
    """Second moments of the loss L_i of a case, i ≠ i', for each stratum of the test set."""

    # (4, S) K1 = E L_i² and K2 = E L_i L_i' of one rule, K3 = E L_i(t) L_i(t') and K4 = E L_i(t) L_i'(t') of two
    of: Floats
    weights: Floats  # (S,) P_c: the metric is Σ_c P_c (mean loss of stratum c)
    across: float  # Σ P_c P_c' over c ≠ c' of the covariance over training sets of the means of two strata

    def components(self, sizes: Sequence[int]) -> Components:
        """The variance with `sizes` cases in the strata of the test set."""
        k1, k2, k3, k4 = self.of
        w, n = self.weights**2, np.asarray(sizes, dtype=float)
        testing, shared = float((w * (k1 - k2) / n).sum()), float((w * (k3 - k4) / n).sum())
        return _components(float(w @ (k2 - k4)) + self.across, testing, shared, float(w @ k1))


Moments = PairMoments | CaseMoments

ROUNDING = 1e-13  # a component below this share of the second moment is 0 but for rounding


def _components(training: float, testing: float, shared: float, moment: float) -> Components:
    return Components(*(0.0 if abs(part) <= ROUNDING * moment else part for part in (training, testing, shared)))


def pair_moments(scores: Floats, positive: Bools, minus: Floats | None = None) -> PairMoments:
    """M1 … M8 of the AUC of scores (B, n), one row per rule; of the difference from the AUC of a second model trained
    on the same B training sets, whose scores are `minus`, with the kernel ψ(scores) − ψ(minus).

    An UndefinedError with fewer than 2 rules, or fewer than 2 cases of a class: there is no pair of distinct indices.
    """
    n1, n0, rules = int(positive.sum()), int((~positive).sum()), len(scores)
    require_pairs(rules, min(n1, n0))
    models = [s for s in (scores, minus) if s is not None]
    down = [np.ascontiguousarray(s[:, ~positive]) for s in models]
    of_case, of_other, squares, squares_of_sum = np.empty((rules, n1)), np.zeros((rules, n0)), np.zeros(rules), 0.0
    for i, case in enumerate(np.flatnonzero(positive)):
        psi = _psi(models[0][:, case, None], down[0])
        if minus is not None:
            psi -= _psi(minus[:, case, None], down[1])
        of_case[:, i] = psi.sum(axis=1)
        of_other += psi
        squares += (psi**2).sum(axis=1)
        squares_of_sum += float((psi.sum(axis=0) ** 2).sum())
    each = np.stack(
        [squares, (of_other**2).sum(axis=1), (of_case**2).sum(axis=1), of_case.sum(axis=1) ** 2]
    )  # (4, B) sums of squares over pairs, negatives, positives and of the whole
    whole = np.array(
        [squares_of_sum, (of_other.sum(axis=0) ** 2).sum(), (of_case.sum(axis=0) ** 2).sum(), of_case.sum() ** 2]
    )  # the same of the kernel summed over rules: products of a rule with itself and with all others
    one, two = each.mean(axis=1), (whole - each.sum(axis=1)) / (rules * (rules - 1))
    return PairMoments(_distinct_pairs(one, n1, n0), _distinct_pairs(two, n1, n0))


def case_moments(losses: Floats, strata: Sequence[Ints], weights: Floats) -> CaseMoments:
    """K1 … K4 of a mean of losses (B, n), one row per rule; of a difference with losses that are differences.

    An iid test set is one stratum of weight 1 with all cases; where the sizes of the classes were fixed, they are the
    strata. An UndefinedError with fewer than 2 rules, or fewer than 2 cases in a stratum.
    """
    rules = len(losses)
    require_pairs(rules, min(map(len, strata)))
    pairs = rules * (rules - 1)
    of, means = np.empty((4, len(strata))), np.empty((len(strata), rules))
    for c, cases in enumerate(strata):
        some, n = losses[:, cases], len(cases)
        sums, squares, of_sum = some.sum(axis=1), (some**2).sum(axis=1), (some.sum(axis=0) ** 2).sum()
        of[0, c] = squares.mean() / n
        of[1, c] = (sums**2 - squares).mean() / (n * (n - 1))
        of[2, c] = (of_sum - squares.sum()) / (pairs * n)
        of[3, c] = (sums.sum() ** 2 - of_sum - (sums**2 - squares).sum()) / (pairs * n * (n - 1))
        means[c] = sums / n
    return CaseMoments(of, weights, _across(means * weights[:, None]))


def _across(means: Floats) -> float:
    """Σ_{c ≠ c'} of the covariance over rules of the weighted means (S, B) of two strata."""
    if len(means) == 1:
        return 0.0
    covariance = np.cov(means)  # same t − different t, with divisor B − 1
    return float(covariance.sum() - np.trace(covariance))


def _psi(up: Floats, down: Floats) -> Floats:
    """ψ = 1, ½, 0 where the positive scores higher, equal, lower."""
    return np.asarray((up > down) + 0.5 * (up == down))


def _distinct_pairs(sums: Floats, n1: int, n0: int) -> Floats:
    """Means over distinct indices from the sums that include equal ones, by inclusion and exclusion."""
    pairs, negatives, positives, whole = sums
    return np.array(
        [
            pairs / (n1 * n0),
            (negatives - pairs) / (n1 * (n1 - 1) * n0),
            (positives - pairs) / (n1 * n0 * (n0 - 1)),
            (whole - negatives - positives + pairs) / (n1 * (n1 - 1) * n0 * (n0 - 1)),
        ]
    )


def require_pairs(rules: int, cases: int) -> None:
    """An error with fewer than 2 rules, or fewer than 2 cases in the smallest class or stratum."""
    if rules < 2:
        raise UndefinedError(
            "The variance over training sets needs at least 2 training sets", param="plan", got=f"{rules}"
        )
    if cases < 2:
        raise UndefinedError(
            "The variance over test sets needs at least 2 test cases of each class", param="y_test", got=f"{cases}"
        )


TRAINING_SETS = "mean over training sets of this size"
MEAN = Named("mean", "its value on the test cases, as that of rules of other training sets", "yousef_2006", "chen_2012")
TWO_SETS = StandardError("two-sets", "a standard error that counts test and training cases")


@dataclass(frozen=True, eq=False)
class Strata:
    """Parts of the test set whose sizes count as fixed, and their weights in the metric."""

    # positives and negatives for an AUC; all cases for a plain mean; the classes for a mean with given priors; all groups
    cases: tuple[Ints, ...]
    weights: Floats  # (S,) weights of a mean of losses

    @classmethod
    def of(cls, metric: AUC | CaseLoss, sample: Sample) -> Strata:
        """The strata of a metric that is bound to the test set."""
        if sample.groups is not None:
            return cls((np.arange(int(sample.groups.max()) + 1),), np.ones(1))
        codes, weights = _parts(metric, sample)
        used = np.flatnonzero(weights)
        return cls(tuple(np.flatnonzero(codes == c) for c in used), weights[used])

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.cases))


def _parts(metric: AUC | CaseLoss, sample: Sample) -> tuple[Ints, Floats]:
    """(n,) the stratum of each case, positives and negatives for an AUC, and (S,) their weights in the metric."""
    if isinstance(metric, AUC):
        return (~sample.is_positive()).astype(np.intp), np.ones(2)
    weights = metric.class_weights
    return (np.zeros(sample.n, dtype=np.intp), np.ones(1)) if weights is None else (sample.codes, weights)


def moments_of(metric: AUC | CaseLoss, strata: Strata, fits: Fits, minus: Fits | None = None) -> Moments:
    """The moments of the metric of these rules; with `minus`, of the difference to those of a second model."""
    if isinstance(metric, AUC) and fits.sample.groups is None:
        others = None if minus is None else _scores(minus)
        return pair_moments(_scores(fits), fits.sample.is_positive(), others)
    of_groups = fits.sample.groups is not None
    values, *others_of = ((_of_groups if of_groups else _losses)(metric, f) for f in (fits, minus) if f is not None)
    return case_moments(values - others_of[0] if others_of else values, strata.cases, strata.weights)


def _of_groups(metric: AUC | CaseLoss, fits: Fits) -> Floats:
    """(B, G) a value of each group whose mean over groups is the metric of the rule."""
    sample, groups = fits.sample, fits.design.units
    n_groups, (codes, weights) = int(groups.max()) + 1, _parts(metric, sample)
    if isinstance(metric, AUC):
        scores = _scores(fits)
        won, _ = won_rows(scores, np.ones(scores.shape, bool), codes == 0)
        influence = won / np.bincount(codes)[1 - codes]
    else:
        influence = _losses(metric, fits)
    for c, weight in enumerate(weights):
        members = codes == c
        mean = influence[:, members].mean(axis=1, keepdims=True) if members.any() else 0.0
        influence[:, members] = weight * (influence[:, members] - mean) / max(1, members.sum())
    summed = np.stack([np.bincount(groups, row, n_groups) for row in influence])
    return np.asarray(values_of(metric, fits)[:, None] + n_groups * summed)


def values_of(metric: Metric, fits: Fits) -> Floats:
    """(B,) the metric of each rule on the test set."""
    return np.concatenate([metric.rows(block, block.ones) for block in fits.blocks()])


def over_training_sets(fixed: Estimate, of: Components, default: IntervalRule) -> Estimate:
    """The metric of the rule as an estimate of the mean over training sets, which it estimates without bias.

    Its variance is training + testing; a training variance below 0 counts as 0. Where the testing variance is not
    positive, that of the rule itself stands in its place.
    """
    testing = of.testing if of.testing > 0 else (fixed.se or 0.0) ** 2
    variance = testing + max(of.training, 0.0)
    out = _about_sets(fixed, of, default, variance, method=MEAN, estimand=TRAINING_SETS)
    below_zero = Note("negative-component", training=of.training, testing=of.testing)
    return out.noting(below_zero if min(of.training, of.testing) < 0 else None)


def over_bootstrap_sets(fixed: Estimate, values: Floats, of: Components, default: IntervalRule) -> Estimate:
    """The mean of the rules of bootstrap training sets.

    Given the training set, the B replicates are independent draws, so the variance is that of a mean over B training
    sets (`Components.of_mean`). The training set itself adds at most about the training variance.
    """
    spread = float(values.std(ddof=1))
    return _about_sets(
        fixed,
        of,
        default,
        of.of_mean(len(values)) + max(of.training, 0.0),
        value=float(values.mean()),
        method="bootstrap",
        estimand=Estimand.BOOTSTRAP_SETS,
        mc_se=spread / math.sqrt(len(values)),
        fold_sd=spread,
        replicates=values,
    )


def _about_sets(fixed: Estimate, of: Components, default: IntervalRule, variance: float, **changes: object) -> Estimate:
    """An estimate with the range, cases and quantiles of the rule's, and the default interval of the metric.

    Where the interval of the rule takes Hanley and McNeil's standard error, the training variance is added to that.
    """
    interval = default
    if isinstance(fixed.interval, FewOverlap):
        model_se = math.hypot(fixed.interval.model_se, math.sqrt(max(of.training, 0.0)))
        interval = replace(fixed.interval, model_se=model_se)
    out = fixed.with_(influence=None, plain=False, interval=interval, alternatives=(), notes=(), **changes)
    if variance > 0:
        return out.with_(se=math.sqrt(variance), se_method=TWO_SETS)
    at_end = out.value in out.bounds and out.cases is not None and out.interval is not WALD
    return out.with_(se=None, se_method=None, interval=EXACT if at_end else out.interval).noting(NO_VARIANCE)


def _scores(fits: Fits) -> Floats:
    found: Sequence[Floats] = [block.scores for block in fits.blocks() if block.scores is not None]
    return np.concatenate(found)


def _losses(metric: Any, fits: Fits) -> Floats:
    return np.concatenate([metric.losses(block) for block in fits.blocks()])
