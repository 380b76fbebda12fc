"""Means over training sets from rules that all scored one independent test set. docs/two-sets.md has the estimands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trueness.estimators.registry import BOOTSTRAP_SETS
from trueness.formulas.two_sets import Components, Moments, case_moments, pair_moments
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate, Note
from trueness.result.interval import EXACT, WALD, IntervalRule
from trueness.sample.auc_estimate import FewOverlap
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Floats, Ints

TRAINING_SETS = "mean over training sets of this size"
TWO_SETS = "two-sets"

NO_VARIANCE = Note(
    "no-se-zero-variance", "No standard error: no test case and no training set makes a difference here.", "warning"
)


@dataclass(frozen=True, eq=False)
class Strata:
    """Parts of the test set whose sizes count as fixed, and their weights in the metric."""

    # positives and negatives for an AUC; all cases for a plain mean; the classes for a mean with given priors
    cases: tuple[Ints, ...]
    weights: Floats  # (S,) weights of a mean of losses

    @classmethod
    def of(cls, metric: AUC | CaseLoss, sample: Sample) -> Strata:
        """The strata of a metric that is bound to the test set."""
        if isinstance(metric, AUC):
            positive = sample.is_positive()
            return cls((np.flatnonzero(positive), np.flatnonzero(~positive)), np.ones(2))
        weights = metric.class_weights
        if weights is None:
            return cls((np.arange(sample.n),), np.ones(1))
        classes = np.flatnonzero(weights)
        return cls(tuple(np.flatnonzero(sample.codes == c) for c in classes), weights[classes])

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.cases))


def moments_of(metric: AUC | CaseLoss, strata: Strata, fits: Fits, minus: Fits | None = None) -> Moments:
    """The moments of the metric of these rules; with `minus`, of the difference to those of a second model."""
    if isinstance(metric, AUC):
        others = None if minus is None else _scores(minus)
        return pair_moments(_scores(fits), fits.sample.is_positive(), others)
    losses = _losses(metric, fits)
    return case_moments(losses if minus is None else losses - _losses(metric, minus), strata.cases, strata.weights)


def values_of(metric: Metric, fits: Fits) -> Floats:
    """(B,) the metric of each rule on the test set."""
    return np.concatenate([metric.rows(block, block.ones) for block in fits.blocks()])


def over_training_sets(fixed: Estimate, of: Components, default: IntervalRule, name: str) -> Estimate:
    """The metric of the rule as an estimate of the mean over training sets, which it estimates without bias.

    Its variance is training + testing; a training variance below 0 counts as 0. Where the testing variance is not
    positive, that of the rule itself stands in its place.
    """
    testing = of.testing if of.testing > 0 else (fixed.se or 0.0) ** 2
    out = _about_sets(fixed, of, default).with_(method="mean", estimand=TRAINING_SETS)
    return _with_variance(out, testing + max(of.training, 0.0)).noting(below_zero(of, name))


def over_bootstrap_sets(fixed: Estimate, values: Floats, of: Components, default: IntervalRule) -> Estimate:
    """The mean of the rules of bootstrap training sets.

    Given the training set, the B replicates are independent draws, so the variance is that of a mean over B training
    sets (`Components.of_mean`). The training set itself adds at most about the training variance.
    """
    spread = float(values.std(ddof=1))
    out = _about_sets(fixed, of, default).with_(
        value=float(values.mean()),
        method="bootstrap",
        estimand=BOOTSTRAP_SETS,
        mc_se=spread / math.sqrt(len(values)),
        fold_sd=spread,
        replicates=values,
    )
    return _with_variance(out, of.of_mean(len(values)) + max(of.training, 0.0))


def below_zero(of: Components, model: str) -> Note | None:
    """A warning where an estimated variance is below 0."""
    names = [name for name in ("training", "testing") if getattr(of, name) < 0]
    if not names:
        return None
    found = " and ".join(f"the {name} variance ({getattr(of, name):.1g})" for name in names)
    message = (
        f"{model}: the estimate of {found} is below 0. Estimates without bias can be, where the true variance is small "
        "or there are few test cases; the standard error of the mean over training sets counts it as 0."
    )
    return Note("negative-component", message, "warning", training=of.training, testing=of.testing)


def _about_sets(fixed: Estimate, of: Components, default: IntervalRule) -> Estimate:
    """An estimate with the range, cases and quantiles of the rule's, and the default interval of the metric.

    Where the interval of the rule takes Hanley and McNeil's standard error, the training variance is added to that.
    """
    interval = default
    if isinstance(fixed.interval, FewOverlap):
        model_se = math.hypot(fixed.interval.model_se, math.sqrt(max(of.training, 0.0)))
        interval = replace(fixed.interval, model_se=model_se)
    return fixed.with_(influence=None, plain=False, interval=interval, alternatives=(), notes=())


def _with_variance(out: Estimate, variance: float) -> Estimate:
    if variance > 0:
        return out.with_(se=math.sqrt(variance), se_method=TWO_SETS)
    at_end = out.value in out.bounds and out.cases is not None and out.interval is not WALD
    return out.with_(se=None, se_method=None, interval=EXACT if at_end else out.interval).noting(NO_VARIANCE)


def _scores(fits: Fits) -> Floats:
    found: Sequence[Floats] = [block.scores for block in fits.blocks() if block.scores is not None]
    return np.concatenate(found)


def _losses(metric: CaseLoss, fits: Fits) -> Floats:
    return np.concatenate([metric.losses(block) for block in fits.blocks()])
