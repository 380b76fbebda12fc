"""From a study design and a measure of its table to an Estimate: binomial where the measure is a plain share,
otherwise by the delta method. The one place that adds ½ to cells and chooses the interval of a measure."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from trueness.formulas import delta
from trueness.formulas.proportions import ProportionMethod
from trueness.metrics.table import Measure, TableFunction
from trueness.result import Estimate, Note
from trueness.result.interval import LOG, LOGIT, RULES, WILSON, EffectiveWilson
from trueness.result.named import BINOMIAL, DELTA, HALF_ADDED, Estimand, StandardError
from trueness.tables.measures import MEASURES
from trueness.tables.study_designs import CaseControl, Cohort, Prevalence, Selected, StudyDesign
from trueness.tables.table_intervals import FromParts, OfDifference, ReachesLimit, correlation, has_empty_part
from trueness.typing import Array, Floats, Ints

ZERO_SE = 1e-12  # a smaller standard error is 0 up to rounding
NAMES = ("negative", "positive")
POSITIVES = ((1, 0), (1, 1))  # the cells of the positive cases

PREVALENCE_UNKNOWN = Note(
    "prevalence-unknown", "Undefined: a case-control study does not estimate the prevalence. Pass {prevalence=}."
)


def estimate_measure(
    design: StudyDesign, measure: Measure, interval: ProportionMethod = "wilson", names: tuple[str, ...] = NAMES
) -> Estimate:
    """One measure of a table; `interval` is that of plain proportions, `names` are those of the classes."""
    if measure.needs_prevalence and not design.knows_prevalence:
        return undefined(measure.name, design, PREVALENCE_UNKNOWN)
    if measure.hits == POSITIVES and isinstance(design, CaseControl) and design.prevalence is not None:
        return _given_prevalence(design.prevalence, measure.name)
    if isinstance(design, Selected) and design.selects_none:
        return estimate_measure(Cohort(design.table), measure, interval, names).with_(method=design.name)
    if measure.given in design.plain:
        return _plain_share(design, measure, interval, names)
    if measure.of_rates and not isinstance(design, Selected):
        return _of_rates(design, measure, measure.of_rates, interval)
    if measure.ratio:
        return _ratio(design, measure, interval)
    return _bounded(design, measure, interval, names)


def _plain_share(design: StudyDesign, measure: Measure, interval: ProportionMethod, names: tuple[str, ...]) -> Estimate:
    """A binomial proportion, se √(p(1 − p)/n)."""
    x, n = measure.trials(design.table)
    if n == 0:
        return undefined(measure.name, design, empty_margin(design, names))
    p = x / n
    return Estimate(
        p,
        se=math.sqrt(p * (1 - p) / n),
        se_method=BINOMIAL,
        metric=measure.name,
        method=design.name,
        estimand=_estimand(design),
        bounds=(0.0, 1.0),
        interval=RULES[interval],
        cases=n,
        plain=True,
        provenance={"x": x, "n": n},
    )


def _bounded(design: StudyDesign, measure: Measure, interval: ProportionMethod, names: tuple[str, ...]) -> Estimate:
    """Any other measure with a finite range: delta method; limits from the shares that the design observes."""
    out = _by_delta(design, measure, names)
    two = design.counts.shape[1] == 2
    if math.isnan(out.value) or not (measure.linear or (two and not isinstance(design, Cohort))):
        return out
    if measure.given == "decision" and 0 < out.value < 1:
        # logit PPV = logit ρ + ln DLR+, logit NPV = logit(1 − ρ) − ln DLR−  (Mercaldo, Lau & Zhou 2007)
        return out.with_(interval=LOGIT)
    if HALF_ADDED not in StandardError.of(out.se_method or "").parts and has_empty_part(design, measure):
        out = _half_added_in_se(out, design, measure)
    return out.with_(interval=FromParts(design, measure, interval))


def _by_delta(design: StudyDesign, measure: Measure, names: tuple[str, ...]) -> Estimate:
    """Standard error by the delta method, Wilson's interval with an effective number of cases."""
    value = value_of(design, measure.function)
    if not math.isfinite(value):
        return undefined(measure.name, design, empty_margin(design, names))
    se = se_of(design, measure.function)
    low, high = measure.bounds
    trials = effective_trials(design.halved(), measure)
    out = Estimate(
        float(min(max(value, low), high)),
        se=se,
        se_method=DELTA,
        metric=measure.name,
        method=design.name,
        estimand=_estimand(design),
        bounds=measure.bounds,
        interval=WILSON,
        cases=min(design.n, max(1, math.floor(trials))),
    )
    correlation_of_two = measure.correlation and design.counts.shape[1] == 2
    if (
        se < ZERO_SE
        or (correlation_of_two and design.has_empty_cell)
        or (measure.averaged and _has_certain_class(design.table))
    ):
        out = _half_added_in_se(out, design, measure)
    return out.with_(interval=EffectiveWilson(trials)) if correlation_of_two else out


def _half_added_in_se(out: Estimate, design: StudyDesign, measure: Measure) -> Estimate:
    """An empty cell adds nothing to the plug-in variance; it does to that of the table with two more cases."""
    plug_in = out.se if out.se and out.se >= ZERO_SE else 0.0
    why = "0" if plug_in == 0 else "too small because a cell is empty"
    added = "½ added to every cell" if design.counts.shape[1] == 2 else "2 cases added, spread over all cells"
    message = f"The plug-in standard error is {why}; the standard error is that of the table with {added}."
    se = se_of(design.halved(), measure.function)
    return out.with_(se=se, se_method=DELTA.plus(HALF_ADDED)).noting(Note("se-half-added", message, plug_in=plug_in))


def _has_certain_class(table: Array) -> bool:
    """Whether a class has no error or no success, so that it adds no variance to an average over classes."""
    right = np.diag(table)
    return bool(((right == 0) | (right == table.sum(axis=1)) | (right == table.sum(axis=0))).any())


def needs_half(design: StudyDesign, measure: Measure) -> bool:
    """Whether ½ is added to every cell: an empty cell makes the ratio 0 or infinite, or its standard error 0."""
    if not (measure.ratio and design.has_empty_cell):
        return False
    value = value_of(design, measure.function)
    return value == 0 or math.isinf(value) or se_of(design, measure.function) < ZERO_SE


def _ratio(design: StudyDesign, measure: Measure, interval: ProportionMethod) -> Estimate:
    raw = value_of(design, measure.function)
    if math.isnan(raw):  # 0/0: a margin is empty, which ½ cannot replace
        return undefined(measure.name, design, empty_margin(design, NAMES))
    used = design.halved() if needs_half(design, measure) else design
    out = Estimate(
        value_of(used, measure.function),
        se=se_of(used, measure.function),
        se_method=DELTA,
        metric=measure.name,
        method=design.name,
        estimand=_estimand(design),
        bounds=(0.0, math.inf),
        interval=LOG,
    )
    if used is design:
        return out
    if not isinstance(design, Selected) or 0 < raw < math.inf:
        return out.noting(half_added(raw, "value, standard error and interval"))
    # ½ of a verified case stands for many unverified ones: the log-Wald interval may exclude 0 (or ∞) by far
    near_zero = measure if raw == 0 else replace(measure, function=partial(_inverse, measure.function))
    rule = ReachesLimit(design, near_zero, inverse=raw > 0, shares_by=interval)
    return out.with_(interval=rule, alternatives=(LOG,)).noting(
        half_added(raw, "value and standard error"),
        Note("interval-reaches-limit", "The interval reaches the ratio of the table without ½."),
    )


def half_added(raw: float, to: str) -> Note:
    """The note of a ratio whose table has an empty cell; `raw` is the ratio without ½."""
    without = "infinite" if math.isinf(raw) else f"{raw:.4g}"
    return Note(
        "half-added",
        f"A cell is empty, so ½ was added to every cell ({to}). Without it the ratio is {without}.",
        without="infinite" if math.isinf(raw) else raw,
    )


def _inverse(function: TableFunction, t: Array) -> Array:
    return np.asarray(1 / function(t))


def _of_rates(
    design: StudyDesign, measure: Measure, shift_and_scale: tuple[float, float], interval: ProportionMethod
) -> Estimate:
    """TPF − FPF, and (1 + TPF − FPF)/2: Newcombe's interval, from those of the two fractions."""
    out = _by_delta(design, measure, NAMES)
    if math.isnan(out.value):
        return out
    if HALF_ADDED not in StandardError.of(out.se_method or "").parts and design.has_empty_cell:
        out = _half_added_in_se(out, design, measure)
    tpf, fpf = (estimate_measure(design, MEASURES[name], interval) for name in ("tpf", "fpf"))
    phi = correlation(tpf, fpf, se_of(design, MEASURES["youden"].function))
    return out.with_(cases=None, interval=OfDifference(tpf, fpf, phi, *shift_and_scale))


def _given_prevalence(rho: Prevalence, name: str) -> Estimate:
    p = float(rho.shares[1])
    out = Estimate(p, metric=name, method=CaseControl.name, estimand=Estimand.GIVEN, bounds=(0.0, 1.0), interval=LOGIT)
    if rho.logit_se == 0:
        return out.noting(Note("prevalence-given", "The prevalence was given as a number, not estimated."))
    return out.with_(
        se=rho.logit_se * p * (1 - p), se_method=StandardError("given", "the standard error of the given prevalence")
    )


def value_of(design: StudyDesign, function: TableFunction) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(function(design.joint(design.theta)))


def se_of(design: StudyDesign, function: TableFunction) -> float:
    return math.sqrt(delta.variance(slopes_of(design, function), design.variances))


def slopes_of(design: StudyDesign, function: TableFunction) -> Floats:
    """∂g/∂θ."""
    return delta.gradient(lambda theta: function(design.joint(theta)), design.theta, design.variances)


def effective_trials(design: StudyDesign, measure: Measure) -> float:
    """n_eff = p(1 − p)/se² of the measure moved to the unit interval."""
    low, high = measure.bounds
    p = (value_of(design, measure.function) - low) / (high - low)
    se = se_of(design, measure.function) / (high - low)
    return p * (1 - p) / se**2


def undefined(name: str, design: StudyDesign, why: Note) -> Estimate:
    return Estimate(math.nan, metric=name, method=design.name, estimand=_estimand(design)).noting(why)


def empty_margin(design: StudyDesign, names: tuple[str, ...]) -> Note:
    """Why a measure is 0/0; `names` are those of the classes."""
    truths, decisions = (
        [name for name, k in zip(names, design.table.sum(axis=axis), strict=True) if k == 0] for axis in (1, 0)
    )
    said = "no case decided {} has a known truth" if isinstance(design, Selected) else "no case was decided {}"
    reasons = [f"there is no {name} case" for name in truths] + [said.format(name) for name in decisions]
    why = " and ".join(reasons) or "0/0"
    return Note("empty-margin", f"Undefined: {why}.", truths=truths, decisions=decisions)


def _estimand(design: StudyDesign) -> str:
    if isinstance(design, CaseControl) and design.prevalence is not None:
        return f"this rule at a prevalence of {float(design.prevalence.shares[-1]):.4g}"
    return "this rule"


def with_influence(estimate: Estimate, design: StudyDesign, measure: Measure, cells: Ints | None) -> Estimate:
    """The estimate with one number per case, where `cells` (n,) holds the cell of each case.

    ∂g/∂n at the cell of each case has the standard error as its norm, so the standard error of a difference of two
    tests on the same cases follows from the difference of these.
    """
    exact = estimate.se_method in (BINOMIAL, DELTA) and not needs_half(design, measure)
    if cells is None or not exact or len(design.theta) != design.counts.size:
        return estimate
    found = slopes_of(design, measure.function)
    return estimate.with_(influence=found[cells]) if np.isfinite(found).all() else estimate
