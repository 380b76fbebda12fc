"""The .632+ estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import InputError
from karat.estimators.left_out import LeftOut, jackknifed
from karat.estimators.loob import loob
from karat.estimators.point632 import NO_SE, weighted
from karat.estimators.registry import RULE, estimator
from karat.estimators.replicates import with_quantiles
from karat.metrics.auc import AUC, CHANCE
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.sample.fits import Fits

RULES = ("clipped", "printed")


def plus(apparent: float, left_out: Any, gamma: float, rule: str) -> Any:
    """.632+ from its parts, for an error (γ > apparent) or an AUC (γ = ½ < apparent).

    R' = (Err1' − app)/(γ − app),  Err1' = min(Err1, γ),
    .632+ = .632 + (Err1' − app) · .368·.632·R' / (1 − .368 R')               (seeds/000, eq. 44–46, 57)

    clipped: R' reaches 1 at γ and stays there, so a rule without information gets γ.
    printed: R' = 0 beyond γ, as the seeds print it and as their table 2 was made (it jumps back to .632).
    """
    left_out = np.asarray(left_out, dtype=float)
    sign = 1.0 if gamma > apparent else -1.0  # which way is worse
    span = gamma - apparent
    towards = sign * (left_out - apparent) > 0  # the left-out value is worse than the apparent one
    beyond = sign * (left_out - gamma) >= 0
    capped = np.where(beyond, gamma, left_out)
    r = np.where(towards, (capped - apparent) / span, 0.0) if span else np.zeros(left_out.shape)
    if rule == "printed":
        r = np.where(beyond, 0.0, r)
    return weighted(apparent, left_out) + (capped - apparent) * 0.368 * 0.632 * r / (1 - 0.368 * r)


@estimator(
    "632+",
    kinds={"bootstrap"},
    metrics=(CaseLoss, AUC),
    se=("none", "scaled", "quantile"),
    estimand=RULE,
    options=("rule",),
)
def point632plus(fits: Fits, metric: Metric, *, se: str | None, undefined: str, rule: str = "clipped") -> Estimate:
    """.632+: .632 with more weight on the left-out part, the more the rule overfits (Efron & Tibshirani 1997)."""
    if rule not in RULES:
        raise InputError('rule must be "clipped" or "printed"', got=repr(rule))
    parts = LeftOut.of(fits, metric, undefined)
    gamma = metric.no_information(fits.sample, fits.full()) if isinstance(metric, CaseLoss) else CHANCE
    worse = gamma > parts.apparent if not metric.higher_is_better else gamma < parts.apparent

    def of(left_out: Any) -> Any:
        # an apparent value no better than no information at all: R' = 0 (ours)
        return plus(parts.apparent, left_out, gamma, rule) if worse else weighted(parts.apparent, left_out)

    values = of(np.append(parts.value, parts.without))  # the estimate, and what it is without each replicate
    out = jackknifed(float(values[0]), values[1:], parts.notes)
    if se == "quantile":
        return with_quantiles(out, of(parts.replicates))
    if se == "scaled":
        return _scaled(out, fits, metric, undefined)
    return out.noting(NO_SE)


def _scaled(out: Estimate, fits: Fits, metric: Metric, undefined: str) -> Estimate:
    """se of LOOB times .632+ / LOOB (Efron & Tibshirani 1997, section 5)."""
    if not isinstance(metric, CaseLoss):
        raise InputError('se="scaled" is for a loss of cases', fix="For an AUC use lpob, which has a standard error")
    base = loob(fits, metric, se="influence-corrected", undefined=undefined)
    if base.se is None or base.value == 0:
        return out.noting("No standard error: the leave-one-out bootstrap is 0 and cannot be scaled.")
    return out.with_(se=base.se * out.value / base.value, se_method="scaled", interval=metric.interval).noting(
        "Standard error of LOOB, scaled: an approximation of Efron and Tibshirani (1997)."
    )
