"""apparent, sb, rb and star: rules tested on the cases they were trained on, on all, and on those they left out; .632 and
.632+ lie between the apparent value, which is optimistic, and the left-out one, which is pessimistic."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np

from trueness.checks import is_one_of
from trueness.errors import InputError, UndefinedError
from trueness.estimators.cv import mean_of_folds
from trueness.estimators.influence import Contrast
from trueness.estimators.loob import CORRECTED, case_means, loob, skipped
from trueness.estimators.method import ANY, Method
from trueness.metrics.auc import AUC, CHANCE
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result.estimate import Estimate
from trueness.result.interval import QUANTILES, RULES
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import Estimand, StandardError, counted
from trueness.sample.fits import Fits
from trueness.typing import Floats

APPARENT = Method("apparent", "its value on the training cases", kinds=ANY, estimand=Estimand.RULE, order=40)
SB = Method(
    "sb",
    "the mean over bootstrap replicates on all cases",
    "yousef_assessment",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=100,
)
RB = Method("rb", "the refined bootstrap", "yousef_assessment", kinds={"bootstrap"}, estimand=Estimand.RULE, order=110)
STAR = Method(
    "star",
    "the mean over bootstrap replicates",
    "yousef_auc",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=140,
    recommended={"bootstrap"},
)
NO_SE_OF_METHOD = Note("no-se-method")
NO_SE_OF_STAR = Note("no-se-not-smooth")

Cases = Literal["left out", "all", "as drawn"]
"""Which cases a replicate is tested on: those it left out, all once, or its own training set."""


@APPARENT.on()
def apparent(c: Contrast) -> Estimate:
    """The rule trained on all cases, tested on the same cases (Yousef, ML Assessment, eq. 27): optimistic."""
    value, metric = apparent_value(c.fits, c.metric), c.metric
    if math.isnan(value):
        raise UndefinedError(
            f"{metric.name} of the rule trained on all cases is undefined: {metric.undefined_where}", param="metric"
        )
    return Estimate(value).noting(NO_SE_OF_METHOD)


def apparent_value(fits: Fits, metric: Metric) -> float:
    """The metric of the rule trained on all cases, on all cases."""

    def compute() -> float:
        full = fits.full()
        return float(metric.rows(full, full.ones)[0])

    return fits.cached(("apparent", metric.key), compute)


def replicate_values(fits: Fits, metric: Metric, cases: Cases) -> Floats:
    """(B,) the metric of each fit that did not fail; NaN where it is undefined."""

    def compute() -> Floats:
        values = []
        for block in fits.blocks():
            weights = {"all": block.ones, "left out": block.left_out, "as drawn": block.counts}[cases]
            values.append(metric.rows(block, weights.astype(float)))
        return np.concatenate(values)

    return fits.cached(("replicates", metric.key, cases), compute)


def mean_of_replicates(values: Floats) -> Estimate:
    """Mean over replicates; those without a value are dropped, with a note.

    A replicate has no value where it has no test case, or none of a class that the metric needs.
    """
    kept = ~np.isnan(values)
    if not kept.any():
        raise UndefinedError(
            "The metric is undefined in every replicate: test cases lack a class, or targets or predictions are all equal",
            param="plan",
            got=counted(len(values), "replicate"),
        )
    out, dropped = mean_of_folds(values[kept], np.arange(kept.sum())), int((~kept).sum())
    if out.mc_influence is not None:
        mc = np.zeros(len(values))
        mc[kept] = out.mc_influence
        out = out.with_(mc_influence=mc)
    return out.noting(Note("replicates-dropped", dropped=dropped, of=len(values)) if dropped else None)


def with_quantiles(result: Estimate, values: Floats) -> Estimate:
    """With the interval of quantiles of the values per replicate."""
    return result.with_(replicates=values[~np.isnan(values)], interval=RULES["quantile"]).noting(QUANTILES)


def _averaged(values: Floats, se: str | None, no_se: Note) -> Estimate:
    out = mean_of_replicates(values)
    return with_quantiles(out, values) if se == "quantile" else out.noting(no_se)


@SB.on(se=("none", "quantile"))
def sb(c: Contrast) -> Estimate:
    """Mean over replicates of the metric on all cases, trained on or not (Yousef, ML Assessment, eqs. 30 and 53)."""
    return _averaged(replicate_values(c.fits, c.metric, "all"), c.se, NO_SE_OF_METHOD)


@RB.on(se=("none", "quantile"))
def rb(c: Contrast) -> Estimate:
    """apparent + mean over replicates of (metric on all cases − metric on the replicate's own training set).

    Yousef, ML Assessment, eqs. 34 and 55.
    """
    optimism = replicate_values(c.fits, c.metric, "as drawn")
    values = apparent_value(c.fits, c.metric) + replicate_values(c.fits, c.metric, "all") - optimism
    return _averaged(values, c.se, NO_SE_OF_METHOD)


@STAR.on(se=("none", "quantile"))
def star(c: Contrast) -> Estimate:
    """Mean over replicates of the metric on the left-out cases (Yousef, ML Assessment, eqs. 51b and 54b).

    A replicate that leaves out nothing (or nothing of a class) is dropped; the divisor is the number kept.
    """
    return _averaged(replicate_values(c.fits, c.metric, "left out"), c.se, NO_SE_OF_STAR)


Number = TypeVar("Number", float, Floats)
Rule = Literal["clipped", "printed"]

POINT632 = Method(
    "632", "the .632 bootstrap", "efron_tibshirani_1993", kinds={"bootstrap"}, estimand=Estimand.RULE, order=120
)
POINT632PLUS = Method(
    "632+", "the .632+ bootstrap", "efron_tibshirani_1997", kinds={"bootstrap"}, estimand=Estimand.RULE, order=130
)
OF_LOOB = StandardError("scaled", "the standard error of the leave-one-out bootstrap, scaled")


def left_out_value(c: Contrast) -> tuple[float, Floats, tuple[Note | None, ...]]:
    """Err1 (or AUC*), the same without each replicate in turn (B,), and notes: by LOOB for a loss of cases (Yousef, ML
    Assessment, eq. 37), by star otherwise (eq. 56)."""
    if isinstance(c.metric, CaseLoss):
        means = case_means(c)
        return means.value, means.value - means.leave_replicate_out(), (skipped("cases", means.skipped),)
    values = replicate_values(c.fits, c.metric, "left out")
    mean, kept = mean_of_replicates(values), values[~np.isnan(values)]
    return mean.value, (kept.sum() - kept) / max(len(kept) - 1, 1), mean.notes


def jackknifed(value: float, without: Floats, notes: tuple[Note | None, ...]) -> Estimate:
    """The value with its Monte-Carlo error by the jackknife over replicates: √((B − 1)/B Σ (θ_(b) − mean)²)."""
    out, b = Estimate(value).noting(*notes), len(without)
    if b < 2:
        return out
    mc = (without.mean() - without) * math.sqrt((b - 1) / b)
    return out.with_(mc_se=float(np.linalg.norm(mc)), mc_influence=mc)


def weighted(apparent: float, left_out: Number) -> Number:
    """.368 apparent + .632 left-out (Efron 1983; Yousef, ML Assessment, eqs. 37 and 56)."""
    return 0.368 * apparent + 0.632 * left_out


@POINT632.on(se=("none", "quantile"))
def point632(c: Contrast) -> Estimate:
    """.632: between the apparent value, which is optimistic, and the left-out one, which is pessimistic. The weights are
    the shares of cases in and out of a replicate of ordered draws."""
    (left_out, without, notes), apparent = left_out_value(c), apparent_value(c.fits, c.metric)
    out = jackknifed(weighted(apparent, left_out), 0.632 * without, notes)
    if c.se == "quantile":
        return with_quantiles(out, weighted(apparent, replicate_values(c.fits, c.metric, "left out")))
    return out.noting(NO_SE_OF_STAR)


def plus(apparent: float, left_out: Floats | float, gamma: float, rule: Rule) -> Floats:
    """.632+ from its parts, for an error (γ > apparent) or an AUC (γ = ½ < apparent).

    R' = (Err1' − app)/(γ − app),  Err1' = min(Err1, γ),
    .632+ = .632 + (Err1' − app) · .368·.632·R' / (1 − .368 R')

    Efron & Tibshirani (1997); Yousef, ML Assessment, eqs. 44–46 and 57.

    clipped: R' reaches 1 at γ and stays there, so a rule with Err1 = γ gets γ.
    printed: R' = 0 beyond γ, as Yousef prints it and as his table 2 was computed (.632+ jumps back to .632).
    """
    left_out = np.asarray(left_out, dtype=float)
    sign = 1.0 if gamma > apparent else -1.0  # which direction is worse
    span = gamma - apparent
    towards = sign * (left_out - apparent) > 0  # the left-out value is worse than the apparent one
    beyond = sign * (left_out - gamma) >= 0
    capped = np.where(beyond, gamma, left_out)
    r = np.where(towards, (capped - apparent) / (span or 1.0), 0.0)
    if rule == "printed":
        r = np.where(beyond, 0.0, r)
    return np.asarray(weighted(apparent, left_out) + (capped - apparent) * 0.368 * 0.632 * r / (1 - 0.368 * r))


@POINT632PLUS.on(CaseLoss, AUC, se=("none", OF_LOOB, "quantile"), options=("rule",))
def point632plus(c: Contrast, rule: Rule = "clipped") -> Estimate:
    """.632+: .632 with more weight on the left-out part, the more the rule overfits (Efron & Tibshirani 1997). "scaled" is
    se of LOOB times .632+ / LOOB (section 5)."""
    if not is_one_of(rule, ("clipped", "printed")):
        raise InputError('rule must be "clipped" or "printed"', param="rule", got=repr(rule))
    fits, metric = c.fits, c.metric
    (value, without, notes), apparent = left_out_value(c), apparent_value(fits, metric)
    gamma = metric.no_information(fits.sample, fits.full()) if isinstance(metric, CaseLoss) else CHANCE
    worse = gamma > apparent if not metric.higher_is_better else gamma < apparent

    def of(left_out: Floats) -> Floats:
        # an apparent value no better than no information: R' = 0
        return plus(apparent, left_out, gamma, rule) if worse else weighted(apparent, left_out)

    values = of(np.append(value, without))  # the estimate, and what it is without each replicate
    out = jackknifed(float(values[0]), values[1:], notes)
    if c.se == "quantile":
        return with_quantiles(out, of(replicate_values(fits, metric, "left out")))
    if c.se != "scaled":
        return out.noting(NO_SE_OF_STAR)
    if not isinstance(metric, CaseLoss):
        raise InputError(
            'se="scaled" needs a loss of cases', param="se", fix="For an AUC use lpob, which has a standard error"
        )
    base = loob(replace(c, se=CORRECTED))
    if base.se is None or base.value == 0:
        return out.noting(NO_VARIANCE)
    se = base.se * out.value / base.value
    return out.with_(se=se, se_method=OF_LOOB, interval=metric.interval)
