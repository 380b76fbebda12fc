"""From a study design and a function of its table to an Estimate: binomial where it is one, delta method elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from karat.diagnostic import by_parts
from karat.diagnostic.designs import CaseControl, Cohort, Selected, StudyDesign
from karat.diagnostic.estimates import EffectiveWilson, FromParts, OfDifference, ReachesLimit, correlation
from karat.diagnostic.measures import MEASURES, Measure
from karat.formulas import delta
from karat.result import Estimate
from karat.result.interval_rules import LOG, LOGIT, RULES, WILSON

HALF = "An empty cell leaves it without a value or an error: ½ was added to every cell"
NO_PREVALENCE = "A case-control study does not know the prevalence: it must be given (a number or an interval)."


def measured(design: StudyDesign, measure: Measure, interval: str, names: tuple[str, str]) -> Estimate:
    """One measure of a table of two classes; `interval` is that of plain proportions."""
    if measure.needs_prevalence and not design.knows_prevalence:
        return undefined(measure.name, design, NO_PREVALENCE)
    if measure.name == "prevalence" and isinstance(design, CaseControl):
        return _given(design)
    if isinstance(design, Selected) and (design.counts.sum(axis=0) == 0).any():
        # all cases have one decision, so it chose nobody: the verified are a fair sample of all
        return measured(Cohort(design.table), measure, interval, names).with_(method=design.name)
    if measure.given in design.plain:
        return plain(*measure.trials(design.table), measure.name, interval, design, why_undefined(design, names))
    if measure.name in ("youden", "balanced_accuracy") and not isinstance(design, Selected):
        return _youden(design, measure, interval, names)
    if measure.ratio:
        return _ratio(design, measure, interval, names)
    return shared(design, measure, interval, why_undefined(design, names))


def halves(design: StudyDesign, measure: Measure) -> bool:
    """Whether ½ goes into every cell: an empty one makes the ratio 0 or infinite, or leaves it no error at all."""
    if not (measure.ratio and design.has_empty_cell):
        return False
    value = value_of(design, measure.function)
    return value == 0 or math.isinf(value) or se_of(design, measure.function) < 1e-12


def plain(x: int, n: int, name: str, interval: str, design: StudyDesign, why: str) -> Estimate:
    """A binomial proportion, se √(p(1 − p)/n)."""
    if n == 0:
        return undefined(name, design, why)
    p = x / n
    return Estimate(
        p,
        se=math.sqrt(p * (1 - p) / n),
        se_method="binomial",
        metric=name,
        method=design.name,
        estimand=_estimand(design),
        bounds=(0.0, 1.0),
        interval=RULES[interval],
        cases=n,
        plain=True,
        provenance={"x": x, "n": n},
    )


def shared(design: StudyDesign, measure: Measure, interval: str, why: str) -> Estimate:
    """Any other measure with a finite range: delta method; limits from the shares that the design observes."""
    out = _delta(design, measure, why)
    two = design.counts.shape[1] == 2
    if math.isnan(out.value) or not (measure.linear or (two and not isinstance(design, Cohort))):
        return out
    if measure.given == "decision" and 0 < out.value < 1:
        # logit PPV = logit ρ + ln DLR+, logit NPV = logit(1 − ρ) − ln DLR−  (Mercaldo, Lau & Zhou 2007)
        return out.with_(interval=LOGIT)
    if out.se_method == "delta" and by_parts.has_empty_part(design, measure):
        out = _with_halves(out, design, measure, "too small where a cell is empty")
    return from_parts(out, design, measure, interval)


def from_parts(out: Estimate, design: StudyDesign, measure: Measure, interval: str) -> Estimate:
    """The estimate with limits from the independent parts of this design, in each of which the measure is linear."""
    return out.with_(interval=FromParts(design, measure, interval))


def _delta(design: StudyDesign, measure: Measure, why: str) -> Estimate:
    """Standard error by the delta method, Wilson with an effective number of cases."""
    value = value_of(design, measure.function)
    if not math.isfinite(value):
        return undefined(measure.name, design, why)
    se = se_of(design, measure.function)
    low, high = measure.bounds
    trials = effective_trials(design.halved(), measure)
    out = Estimate(
        float(min(max(value, low), high)),
        se=se,
        se_method="delta",
        metric=measure.name,
        method=design.name,
        estimand=_estimand(design),
        bounds=measure.bounds,
        interval=WILSON,
        cases=min(design.n, max(1, math.floor(trials))),
    )
    two = design.counts.shape[1] == 2
    if se < 1e-12:
        out = _with_halves(out, design, measure, "0")
    elif (two and measure.correlation and design.has_empty_cell) or (measure.averaged and _sure_of_a_class(design)):
        out = _with_halves(out, design, measure, "too small where a cell is empty")
    if two and measure.correlation:
        return out.with_(interval=EffectiveWilson(trials))
    return out


def _sure_of_a_class(design: StudyDesign) -> bool:
    """Whether a class of several has no error or no success, so that an average of classes has no variance from it."""
    right = np.diag(design.table)
    return bool(((right == 0) | (right == design.table.sum(axis=1)) | (right == design.table.sum(axis=0))).any())


def _with_halves(out: Estimate, design: StudyDesign, measure: Measure, why: str) -> Estimate:
    what = "½ more in every cell" if design.counts.shape[1] == 2 else "2 cases more, spread over all cells,"
    return out.with_(se=se_of(design.halved(), measure.function), se_method="delta, ½ added").noting(
        f"The plug-in standard error is {why}: that of the table with {what} is given."
    )


def _ratio(design: StudyDesign, measure: Measure, interval: str, names: tuple[str, str]) -> Estimate:
    raw = value_of(design, measure.function)
    if math.isnan(raw):  # 0/0: a margin is empty, and no ½ can tell what it would hold
        return undefined(measure.name, design, why_undefined(design, names))
    used = design.halved() if halves(design, measure) else design
    out = Estimate(
        value_of(used, measure.function),
        se=se_of(used, measure.function),
        se_method="delta",
        metric=measure.name,
        method=design.name,
        estimand=_estimand(design),
        bounds=(0.0, math.inf),
        interval=LOG,
    )
    if used is design:
        return out
    without = "infinite" if math.isinf(raw) else f"{raw:.4g}"
    if isinstance(design, Selected) and not 0 < raw < math.inf:
        # ½ of a verified case stands for many that are not: the log-Wald interval may be far from 0 (or ∞) and wrong
        near_zero = measure if raw == 0 else replace(measure, function=partial(_inverse, measure.function))
        rule = ReachesLimit(design, near_zero, inverse=raw > 0, shares_by=interval)
        return out.with_(interval=rule, alternatives=(LOG,)).noting(
            f"{HALF} (value and standard error); without it the ratio is {without}, and the interval reaches that."
        )
    return out.noting(f"{HALF} (value, standard error and interval); without it the ratio is {without}.")


def _youden(design: StudyDesign, measure: Measure, interval: str, names: tuple[str, str]) -> Estimate:
    """TPF − FPF, and (1 + TPF − FPF)/2: Newcombe's interval, from those of the two fractions."""
    tpf, fpf = (measured(design, MEASURES[name], interval, names) for name in ("tpf", "fpf"))
    base = _delta(design, measure, why_undefined(design, names))
    if math.isnan(base.value):
        return base
    if base.se_method == "delta" and design.has_empty_cell:
        base = _with_halves(base, design, measure, "too small where a cell is empty")
    half = measure.name == "balanced_accuracy"
    se = se_of(design, MEASURES["youden"].function)
    scale, shift = (0.5, 0.5) if half else (1.0, 0.0)
    return base.with_(cases=None, interval=OfDifference(tpf, fpf, correlation(tpf, fpf, se), scale, shift))


def _inverse(function: delta.Function, t: np.ndarray) -> np.ndarray:
    return 1 / function(t)


def _given(design: CaseControl) -> Estimate:
    rho = design.prevalence
    assert rho is not None
    p = float(rho.shares[1])
    out = Estimate(p, metric="prevalence", method=design.name, estimand="given", bounds=(0.0, 1.0), interval=LOGIT)
    if rho.logit_se == 0:
        return out.noting("The prevalence was given as a number, not estimated.")
    return out.with_(se=rho.logit_se * p * (1 - p), se_method="given")


def value_of(design: StudyDesign, function: delta.Function) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(function(design.joint(design.theta)))


def se_of(design: StudyDesign, function: delta.Function) -> float:
    return math.sqrt(delta.variance(slopes(design, function), design.variances))


def slopes(design: StudyDesign, function: delta.Function) -> np.ndarray:
    """∂g/∂θ; 0 for a cell without cases where g has no derivative, since its variance is 0 as well."""
    found = delta.gradient(lambda theta: function(design.joint(theta)), design.theta)
    return np.where(design.variances > 0, found, 0.0)


def effective_trials(design: StudyDesign, measure: Measure) -> float:
    """n_eff = p(1 − p)/se² of the measure moved to the unit interval."""
    low, high = measure.bounds
    p = (value_of(design, measure.function) - low) / (high - low)
    se = se_of(design, measure.function) / (high - low)
    return p * (1 - p) / se**2


def undefined(name: str, design: StudyDesign, why: str) -> Estimate:
    return Estimate(math.nan, metric=name, method=design.name, estimand=_estimand(design)).noting(why)


def why_undefined(design: StudyDesign, names: tuple[str, ...]) -> str:
    """The empty margins in words."""
    table = design.table
    no_case = [f"there is no {name} case" for name, k in zip(names, table.sum(axis=1), strict=True) if k == 0]
    said = (
        "of the cases decided {} none has a known truth" if isinstance(design, Selected) else "no case was decided {}"
    )
    never = [said.format(name) for name, k in zip(names, table.sum(axis=0), strict=True) if k == 0]
    reasons = no_case + never
    return "Undefined: " + (", and ".join(reasons) if reasons else "0/0 in its formula") + "."


def _estimand(design: StudyDesign) -> str:
    if isinstance(design, CaseControl) and design.prevalence is not None:
        return f"this rule at a prevalence of {float(design.prevalence.shares[-1]):.4g}"
    return "this rule"


def with_influence(estimate: Estimate, design: StudyDesign, measure: Measure, cells: np.ndarray | None) -> Estimate:
    """The estimate with one number a case, where `cells` (n,) says in which cell each case stands.

    The norm of ∂g/∂n, taken at every case's cell, is the standard error: differences of two tests of the same
    cases follow from differences of these.
    """
    exact = estimate.se_method in ("binomial", "delta") and HALF not in " ".join(estimate.notes)
    if cells is None or not exact or len(design.theta) != design.counts.size:
        return estimate
    found = slopes(design, measure.function)
    return replace(estimate, influence=found[cells]) if np.isfinite(found).all() else estimate
