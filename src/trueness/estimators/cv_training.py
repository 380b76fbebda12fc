"""cv+training: cross-validation with an interval for the rule trained on all n cases. The default of `trueness.assess`.

The centre is the mean of repeated K-fold cross-validation. To first order its error is a sum over cases of what a case
does as a test case, a_i, and what it does as a training case, τ_i: a_i comes from the same cross-validation, τ_i from
the influence function of a bootstrap on the same cases. The variance is

    V = max(NB, b + 2 t, 0.9 h)

    NB = (1/J + n_test/n_train) S²       Nadeau & Bengio (2003), S² over the J fold values (for a loss plus the
                                         variance by the class sizes, which stratified folds do not show)
    b  = Σ β a²                          test cases alone (Bayle et al. 2020)
    t  = Σ β (τ² − ν)                    training cases alone, ν the noise of finitely many replicates
    h  = Σ β ((a + τ)² − ν)              both parts of a case together

with sums over cases (or groups), β = m/(m − 1) for the m units of a stratum. The first-order variance is h; b + 2 t
holds where the performance of the rule jumps with the training set and a and τ seem to cancel; NB sees part of what no
first-order form sees. The constants are calibrated by simulation, not derived (docs/default-interval.md).

Where t > b, or NB > 2 b, the rule depends strongly on its training cases, and a note says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trueness.estimators.cv import contrast_of_folds, fold_values, mean_of_folds, naive_influence, share_variance
from trueness.estimators.estimation import identical
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans, add_training, variance
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.registry import Method, Undefined
from trueness.formulas import intervals
from trueness.kernels.auc import placements
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate, Interval
from trueness.result.interval import FEW_ERRORS, OF_WILSON, WALD, IntervalRule, unit
from trueness.result.named import INDEPENDENT_CASES, Estimand, StandardError
from trueness.result.note import Note
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.typing import Floats, Ints

CV_TRAINING = Method(
    "cv+training",
    "the mean of the cross-validation",
    "nadeau_bengio_2003",
    "efron_tibshirani_1997",
    kinds={"cv+bootstrap"},
    estimand=Estimand.N_CASES,
    order=10,
    recommended={"cv+bootstrap"},
)
TEST_AND_TRAINING = StandardError(
    "cv+training",
    "a standard error that counts test and training cases",
    assumes=(
        INDEPENDENT_CASES,
        "the variance is the largest of three forms whose constants were calibrated by simulation, not derived "
        "(docs/default-interval.md).",
    ),
)
SE = (TEST_AND_TRAINING,)
UNSTABLE_FOLDS = 2.0
"""NB/b above which fold values differ by more than their test cases explain; with one and the same rule it is 1.2."""

TRAINING_DOMINATES = Note(
    "training-variance",
    "This rule depends strongly on which cases it was trained on: another sample of this size could give a very "
    "different one, and the interval may be too short.",
    "warning",
)


@dataclass(frozen=True, eq=False)
class WilsonOfTrials(IntervalRule):
    """Wilson's interval with the number of independent trials that would have this variance, p(1 − p)/V."""

    least: float  # p is held to [least, 1 − least] in that number: near the end of the range V says little
    units: float  # cases, or groups: at most so many trials where there are fewer than five errors (∞ for an AUC)
    cases: float  # cases, of which the errors are a share
    most: float  # trials at most
    name = OF_WILSON

    def trials(self, value: float, var: float) -> float:
        """The number of trials of a value on the unit interval with this variance."""
        p = min(max(value, self.least), 1 - self.least)
        n = min(p * (1 - p) / var, self.most) if var > 0 else self.most
        return min(n, self.units) if self.cases * min(value, 1 - value) < FEW_ERRORS else n

    def limits(self, e: Estimate, level: float) -> Interval:
        p, length = unit(e)
        trials = self.trials(p, (e.require_se() / length) ** 2)
        return self.scaled(e, intervals.wilson(p, trials, intervals.quantile(level, e.df)), level)


@dataclass(frozen=True, eq=False)
class Terms:
    """What the variance is made of, and the centre."""

    design: Design  # of the cross-validation
    metric: Metric
    values: Floats  # (J,) fold values
    test: Floats  # (n,) a_i, scaled so that the centre moves by it
    training: Floats  # (U,) τ of each unit
    noise: Floats  # (U,) ν of each unit
    strata: Ints  # (U,) stratum within which the bootstrap drew each unit
    shares: float  # variance by the class sizes, which stratified folds do not show

    @property
    def folds(self) -> int:
        """J, the fold values that exist."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    def variances(self) -> dict[str, float]:
        """NB, b, t and h."""
        design, strata = self.design, self.strata
        m = np.bincount(strata)[strata]
        beta = m / np.maximum(m - 1, 1)
        a = design.unit_sums(self.test)
        tested = np.mean([len(design.tested(f)) for f in range(design.n_folds)])
        ratio = tested / (design.n - tested)
        return {
            "nadeau_bengio": float((1 / self.folds + ratio) * np.nanvar(self.values, ddof=1)) + self.shares,
            "test": float((beta * a**2).sum()),
            "training": max(0.0, float((beta * (self.training**2 - self.noise)).sum())),
            "together": max(0.0, float((beta * ((a + self.training) ** 2 - self.noise)).sum())),
        }

    def estimate(self) -> Estimate:
        """Centre and standard error, without an interval rule."""
        v = self.variances()
        total = max(v["nadeau_bengio"], v["test"] + 2 * v["training"], 0.9 * v["together"])
        influence = add_training(self.design, self.test, self.training)
        norm = math.sqrt(variance(self.design, influence))
        se = math.sqrt(total)
        out = mean_of_folds(self.values, self.design.repeats()).with_(
            se=se,
            se_method=TEST_AND_TRAINING,
            df=(self.folds if self.design.sample.groups is None else min(self.folds, self.design.n_units)) - 1,
            influence=influence * (se / norm) if norm > 0 else influence,
            provenance={"variance": v},
        )
        return out.noting(TRAINING_DOMINATES) if v["training"] > v["test"] > 0 else out

    def few_errors(self, value: float) -> bool:
        """Whether the value, as a share of the smallest class, is within five cases of an end of its range."""
        low, high = self.metric.bounds
        p = (value - low) / (high - low) if math.isfinite(high) else 0.5
        return int(self.design.sample.sizes.min()) * min(p, 1 - p) < FEW_ERRORS


def trials_rule(design: Design, metric: Metric) -> IntervalRule:
    """Wilson's interval, with the cases that this metric rests on; Wald's where the range is infinite."""
    if not all(map(math.isfinite, metric.bounds)):
        return WALD
    class_sets, sample = metric.class_sets(design.sample), design.sample
    fewest = design.independent_units(class_sets)
    cases = min(int(sample.sizes[classes].sum()) for classes in class_sets)  # cases of one group may be independent
    if isinstance(metric, AUC):
        return WilsonOfTrials(1 / (4 * (fewest + 1)), math.inf, math.inf, 4 / (1 / cases + 1 / (sample.n - cases)))
    return WilsonOfTrials(0.5 / fewest, fewest, cases, 4 * cases)


def terms_of(c: Contrast, undefined: Undefined) -> Terms:
    """Of a loss or an AUC."""
    cv, bootstrap = c.part(0), c.part(1)
    values, strata = contrast_of_folds(cv, undefined), bootstrap.fits.design.strata
    means: CaseMeans | PairMeans
    if isinstance(c.metric, CaseLoss):
        test = cv.read(naive_influence)
        means = CaseMeans.over(bootstrap.fits.design, bootstrap.losses(), c.metric, "skip")
    else:
        test = cv.read(placement_influence)
        means = PairMeans.over(bootstrap.fits, c.metric, "skip", minus=bootstrap.other)
    training, noise = means.training_part()
    return Terms(cv.fits.design, c.metric, values, test, training, noise, strata, share_variance(cv))


def placement_influence(cv: Fits, metric: AUC) -> Floats:
    """(n,) a_k: the mean placement of each case among the other class of its test fold, centred within its class and
    divided by the size of the class; of several classes the mean of one against the rest."""
    sample, total, times = cv.sample, np.zeros((len(metric.targets), cv.sample.n)), np.zeros(cv.sample.n)
    for block in cv.tests():
        cases = cv.design.tested(int(block.fits[0]))
        times[cases] += 1
        for of_part, (scores, positive) in zip(total, metric.parts(block), strict=True):
            up, down = scores[0, positive], scores[0, ~positive]
            if len(up) and len(down):
                of_part[cases[positive]] += placements(up, down)
                of_part[cases[~positive]] += 1 - placements(down, up)
    out = np.zeros(sample.n)
    for target, placed in zip(metric.targets, total / np.maximum(times, 1), strict=True):
        positive = sample.codes == target
        within = sample.codes if cv.design.stratified else positive.astype(np.intp)
        sizes = np.bincount(within)
        centres = np.bincount(within, placed) / np.maximum(sizes, 1)
        of_class = np.where(positive, positive.sum(), (~positive).sum())
        out += (placed - centres[within]) / of_class / len(metric.targets)
    return out


def cv_training_difference(a: Fits, b: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference: fold values, placements and residuals are subtracted before anything is squared.

    Rules that agree on nearly all cases have a floor: half a case for a loss, of the class that a rate is about; a
    quarter of a case of the smaller class where an AUC is within half a case of the end of its range.
    """
    terms = terms_of(Contrast(a, metric, b), undefined)
    out, least = terms.estimate(), 0.0
    if isinstance(metric, AUC):
        rule = trials_rule(terms.design, metric)
        assert isinstance(rule, WilsonOfTrials)
        each = [float(np.nanmean(fold_values(fits.parts[0], metric, undefined))) for fits in (a, b)]
        least = rule.least if min(min(p, 1 - p) for p in each) < 2 * rule.least else 0.0
    elif all(map(math.isfinite, metric.bounds)):
        low, high = metric.bounds
        least = (high - low) / (2 * terms.design.independent_units(metric.class_sets(terms.design.sample)))
    return with_least_se(out, least, a, b)


def with_least_se(out: Estimate, least: float, a: Fits, b: Fits) -> Estimate:
    """With this standard error at least, unless the two rules score every case alike."""
    return out if identical(a, b) else out.with_(se=max(out.require_se(), least))


@CV_TRAINING.on(CaseLoss, se=SE, pairs=cv_training_difference)
@CV_TRAINING.on(AUC, se=SE, pairs=cv_training_difference, sums_over_pairs=True)
def cv_training(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Repeated cross-validation with an interval for the rule trained on all n cases."""
    terms = terms_of(Contrast(fits, metric), undefined)
    out = terms.estimate().with_(interval=trials_rule(terms.design, metric))
    v = out.provenance["variance"]
    unstable = v["nadeau_bengio"] > UNSTABLE_FOLDS * v["test"] and not terms.few_errors(out.value)
    return out.noting(TRAINING_DOMINATES) if unstable else out
