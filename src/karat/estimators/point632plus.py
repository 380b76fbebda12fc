"""The .632+ estimator."""

from __future__ import annotations

from typing import Literal

import numpy as np

from karat.checks import is_one_of
from karat.errors import InputError
from karat.estimators.loob import loob
from karat.estimators.point632 import NO_SE, weighted
from karat.estimators.registry import RULE, Undefined, estimator
from karat.estimators.replicates import LeftOut, jackknifed, replicate_values, with_quantiles
from karat.metrics.auc import AUC, CHANCE
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits
from karat.typing import Floats

Rule = Literal["clipped", "printed"]

NOTHING_TO_SCALE = Note(
    "no-se-nothing-to-scale", "No standard error: LOOB is 0, so its standard error cannot be scaled."
)
SCALED = Note("scaled-se", "The standard error of LOOB, scaled: an approximation (Efron & Tibshirani 1997, section 5).")


def plus(apparent: float, left_out: Floats | float, gamma: float, rule: Rule) -> Floats:
    """.632+ from its parts, for an error (γ > apparent) or an AUC (γ = ½ < apparent).

    R' = (Err1' − app)/(γ − app),  Err1' = min(Err1, γ),
    .632+ = .632 + (Err1' − app) · .368·.632·R' / (1 − .368 R')

    Efron & Tibshirani (1997); Yousef, ML Assessment, eqs. 44–46 and 57.

    clipped: R' reaches 1 at γ and stays there, so a rule without information gets γ.
    printed: R' = 0 beyond γ, as Yousef prints it and as his table 2 was computed (.632+ jumps back to .632).
    """
    left_out = np.asarray(left_out, dtype=float)
    sign = 1.0 if gamma > apparent else -1.0  # which direction is worse
    span = gamma - apparent
    towards = sign * (left_out - apparent) > 0  # the left-out value is worse than the apparent one
    beyond = sign * (left_out - gamma) >= 0
    capped = np.where(beyond, gamma, left_out)
    r = np.where(towards, (capped - apparent) / span, 0.0) if span else np.zeros(left_out.shape)
    if rule == "printed":
        r = np.where(beyond, 0.0, r)
    return np.asarray(weighted(apparent, left_out) + (capped - apparent) * 0.368 * 0.632 * r / (1 - 0.368 * r))


@estimator(
    "632+",
    kinds={"bootstrap"},
    metrics=(CaseLoss, AUC),
    se=("none", "scaled", "quantile"),
    estimand=RULE,
    options=("rule",),
)
def point632plus(
    fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined, rule: Rule = "clipped"
) -> Estimate:
    """.632+: .632 with more weight on the left-out part, the more the rule overfits (Efron & Tibshirani 1997)."""
    if not is_one_of(rule, ("clipped", "printed")):
        raise InputError('rule must be "clipped" or "printed"', param="rule", got=repr(rule))
    parts = LeftOut.of(fits, metric, undefined)
    gamma = metric.no_information(fits.sample, fits.full()) if isinstance(metric, CaseLoss) else CHANCE
    worse = gamma > parts.apparent if not metric.higher_is_better else gamma < parts.apparent

    def of(left_out: Floats) -> Floats:
        # an apparent value no better than no information: R' = 0
        return plus(parts.apparent, left_out, gamma, rule) if worse else weighted(parts.apparent, left_out)

    values = of(np.append(parts.value, parts.without))  # the estimate, and what it is without each replicate
    out = jackknifed(float(values[0]), values[1:], parts.notes)
    if se == "quantile":
        return with_quantiles(out, of(replicate_values(fits, metric, "left out")))
    if se == "scaled":
        return _scaled(out, fits, metric, undefined)
    return out.noting(NO_SE)


def _scaled(out: Estimate, fits: Fits, metric: Metric, undefined: Undefined) -> Estimate:
    """se of LOOB times .632+ / LOOB (Efron & Tibshirani 1997, section 5)."""
    if not isinstance(metric, CaseLoss):
        raise InputError(
            'se="scaled" needs a loss of cases', param="se", fix="For an AUC use lpob, which has a standard error"
        )
    base = loob(fits, metric, se="influence-corrected", undefined=undefined)
    if base.se is None or base.value == 0:
        return out.noting(NOTHING_TO_SCALE)
    se = base.se * out.value / base.value
    return out.with_(se=se, se_method="scaled", interval=metric.interval).noting(SCALED)
