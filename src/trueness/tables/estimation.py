"""From a study design and a measure of its table to an Estimate: binomial where the measure is a plain share,
otherwise by the delta method. The one place that adds ½ to cells and chooses the interval of a measure."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueness.formulas import intervals, mover
from trueness.formulas.groups import DesignEffect, count_groups, group_factor, group_sums, sizes_by_class
from trueness.formulas.proportions import METHODS, UNDEFINED_AT_EDGE, ProportionMethod
from trueness.formulas.tables import delta_variance, gradient
from trueness.metrics.measure import Cells, Measure
from trueness.metrics.registry import measure_of
from trueness.result.estimate import Estimate
from trueness.result.grouped import in_groups, share_in_groups
from trueness.result.interval import LOG, LOGIT, MOVER, RULES, WILSON, EffectiveWilson, Interval, IntervalRule
from trueness.result.notes import Note
from trueness.result.words import BINOMIAL, DELTA, GROUPS, HALF_ADDED, Estimand, StandardError
from trueness.tables.study_designs import CaseControl, Cohort, Prevalence, Selected, StudyDesign
from trueness.typing import Array, Bools, Floats, Ints

ZERO_SE = 1e-12  # a smaller standard error is 0 up to rounding
POSITIVES = ((1, 0), (1, 1))  # the cells of the positive cases

PREVALENCE_UNKNOWN = Note("prevalence-unknown")

# the measures that `trueness.diagnose` shows; d[name] has every metric that is a function of a table
SHOWN = (
    "tpf", "fpf", "tnf", "fnf", "ppv", "npv", "dlr_positive", "dlr_negative", "odds_ratio", "accuracy", "error",
    "balanced_accuracy", "youden", "mcc", "kappa", "f1", "prevalence",
)  # fmt: skip

MEASURES: dict[str, Measure] = {name: measure_of(name) for name in SHOWN}


Limits = tuple[float, float]

# -- intervals -------------------------------------------------------------------------------------------------------
# The delta method assigns no variance to an empty cell, whatever weight a prevalence, a correction or a cost gives it. A
# share of 0 of 20 still has an interval, and `limits_from_parts` carries that interval over to the measure.


@dataclass(frozen=True, eq=False)
class OfDifference(IntervalRule):
    """The interval of shift + scale (first − second), from the intervals of the two (trueness.formulas.mover)."""

    first: Estimate
    second: Estimate
    correlation: float = 0.0
    shift: float = 0.0
    scale: float = 1.0
    name = MOVER
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        a, b = self.first, self.second
        low, high = mover.difference(a.value, a.ci(level), b.value, b.ci(level), self.correlation)
        return self.clipped(e, self.shift + self.scale * low, self.shift + self.scale * high, level)


@dataclass(frozen=True, eq=False)
class FromParts(IntervalRule):
    """The interval of a measure of independent shares, from the intervals of these shares."""

    design: StudyDesign
    measure: Measure
    shares_by: ProportionMethod
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        return self.clipped(e, *limits_from_parts(self.design, self.measure, self.shares_by, level), level)


@dataclass(frozen=True, eq=False)
class ReachesLimit(IntervalRule):
    """The interval of a ratio that is 0 or infinite in the observed table of a selected study; it reaches 0 or ∞."""

    design: StudyDesign
    near_zero: Measure  # the ratio, or its inverse, as a measure that is 0 in this table
    inverse: bool  # whether `near_zero` is the inverse
    shares_by: ProportionMethod  # interval of the shares that the design observes
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        _, most = limits_from_parts(self.design, self.near_zero, self.shares_by, level)
        low, high = LOG.limits(e, level)  # used where two shares are 0 (an odds ratio) and `most` is 0
        if self.inverse:
            return self.clipped(e, min(1 / most, e.value) if most else low, math.inf, level)
        return self.clipped(e, 0.0, max(most, e.value) if most else high, level)


def correlation(first: Estimate, second: Estimate, se: float) -> float:
    """Correlation of two estimates whose difference has this standard error; 0 where one does not vary."""
    if not first.se or not second.se:
        return 0.0
    return max(-1.0, min(1.0, (first.se**2 + second.se**2 - se**2) / (2 * first.se * second.se)))


def limits_from_parts(design: StudyDesign, measure: Measure, method: ProportionMethod, level: float) -> Limits:
    """Limits of a measure that is linear in every part, or of any measure where all parts have two shares."""
    return mover.together(_value(design, measure, _shares(design)), _moved(design, measure, method, level))


def _moved(design: StudyDesign, measure: Measure, method: ProportionMethod, level: float) -> Iterator[Limits]:
    """The measure with one part at its limits and the others as estimated."""
    shares = _shares(design)
    for k, part in enumerate(design.parts):
        if measure.linear:
            weights, grouped = _weights(design, measure, k)
            if len(weights) > 1:
                each = [_share_limits(x, part.sum(), method, level) for x in grouped]
                yield mover.mean(weights, grouped / part.sum(), np.array(each))
            continue
        low, high = (
            _value(design, measure, [*shares[:k], np.array([1 - r, r]), *shares[k + 1 :]])
            for r in _share_limits(part[1], part.sum(), method, level)
        )
        yield low, high
    for centre, variance in zip(design.rest, design.rest_variances, strict=True):  # logit ρ of a case-control study
        half = intervals.quantile(level) * math.sqrt(variance)
        low, high = (_value(design, measure, shares, np.array([centre + side * half])) for side in (-1, 1))
        yield low, high


def _weights(design: StudyDesign, measure: Measure, k: int) -> tuple[Floats, Array]:
    """A linear measure is Σ_j w_j p_j in part k: the distinct w, and the total count of the cells with each."""
    shares = _shares(design)
    if measure.slopes is not None and not isinstance(design, Selected):  # parts are the table, or its rows
        t = design.from_parts(shares, design.rest)
        rows = t.reshape(len(shares), -1)
        slopes = measure.slopes(t).reshape(rows.shape)[k] * rows[k].sum()
        found = _value(design, measure, shares) + slopes - slopes @ shares[k]
    else:
        corners = np.eye(len(shares[k]))
        found = np.array([_value(design, measure, [*shares[:k], corner, *shares[k + 1 :]]) for corner in corners])
    weights, which = np.unique(found.round(12), return_inverse=True)
    return weights, np.bincount(which.ravel(), weights=design.parts[k], minlength=len(weights))


def _shares(design: StudyDesign) -> list[Array]:
    return [part / part.sum() for part in design.parts]


def _value(design: StudyDesign, measure: Measure, shares: list[Array], rest: Array | None = None) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(measure.function(design.from_parts(shares, design.rest if rest is None else rest)))


def _share_limits(x: float, n: float, method: ProportionMethod, level: float) -> Limits:
    return METHODS["exact" if x in (0, n) and method in UNDEFINED_AT_EDGE else method](x, n, level)


# -- one measure of a table -----------------------------------------------------------------------------------------


def estimate_measure(design: StudyDesign, measure: Measure, interval: ProportionMethod = "wilson") -> Estimate:
    """One measure of a table; `interval` is that of plain proportions."""
    if measure.needs_prevalence and not design.knows_prevalence:
        return _made(design, measure, math.nan).noting(PREVALENCE_UNKNOWN)
    if measure.hits == POSITIVES and isinstance(design, CaseControl) and design.prevalence is not None:
        return _given_prevalence(design.prevalence, measure.name)
    if isinstance(design, Selected) and design.selects_none:
        of_all = Cohort(design.table, names=design.names)
        return estimate_measure(of_all, measure, interval).with_(method=design.name)
    if measure.given in design.plain:
        return _plain_share(design, measure, interval)
    if measure.of_rates and not isinstance(design, Selected):
        return _of_rates(design, measure, measure.of_rates, interval)
    if measure.ratio:
        return _ratio(design, measure, interval)
    return _bounded(design, measure, interval)


def _made(design: StudyDesign, measure: Measure, value: float, **more: Any) -> Estimate:
    at = design.at_prevalence
    estimand = "this rule" if at is None else f"this rule at a prevalence of {at:.4g}"
    return Estimate(value, metric=measure.name, method=design.name, estimand=estimand, **more)


def _plain_share(design: StudyDesign, measure: Measure, interval: ProportionMethod) -> Estimate:
    """A binomial proportion, se √(p(1 − p)/n)."""
    x, n = measure.trials(design.table)
    if n == 0:
        return _made(design, measure, math.nan).noting(empty_margin(design))
    p = x / n
    return _made(
        design,
        measure,
        p,
        se=math.sqrt(p * (1 - p) / n),
        se_method=BINOMIAL,
        bounds=(0.0, 1.0),
        interval=RULES[interval],
        cases=n,
        plain=True,
        provenance={"x": x, "n": n},
    )


def _bounded(design: StudyDesign, measure: Measure, interval: ProportionMethod) -> Estimate:
    """Any other measure with a finite range: delta method; limits from the shares that the design observes."""
    out = _by_delta(design, measure)
    if measure.by_class and not isinstance(design, Selected):  # linear in the decisions of each class
        design, measure = CaseControl(design.table), replace(measure, linear=True)
    two = design.counts.shape[1] == 2
    if math.isnan(out.value) or not (measure.linear or (two and not isinstance(design, Cohort))):
        return out
    if measure.given == "decision" and 0 < out.value < 1:
        # logit PPV = logit ρ + ln DLR+, logit NPV = logit(1 − ρ) − ln DLR−  (Mercaldo, Lau & Zhou 2007)
        return out.with_(interval=LOGIT)
    empty = design.has_empty_cell
    if measure.linear:  # a share that it depends on is 0
        empty = any((_weights(design, measure, k)[1] == 0).any() for k in range(len(design.parts)))
    if empty:
        out = _half_added_in_se(out, design, measure)
    return out.with_(interval=FromParts(design, measure, interval))


def _by_delta(design: StudyDesign, measure: Measure) -> Estimate:
    """Standard error by the delta method, Wilson's interval with an effective number of cases."""
    value = value_of(design, measure)
    if not math.isfinite(value):
        return _made(design, measure, math.nan).noting(empty_margin(design))
    se = se_of(design, measure)
    low, high = measure.bounds
    trials = effective_trials(design.halved(), measure)
    out = _made(
        design,
        measure,
        float(min(max(value, low), high)),
        se=se,
        se_method=DELTA,
        bounds=measure.bounds,
        interval=WILSON,
        cases=min(design.n, max(1, math.floor(trials))),
    )
    if measure.correlation and design.counts.shape[1] == 2:
        certain, out = design.has_empty_cell, out.with_(interval=EffectiveWilson(trials))
    else:
        certain = measure.averaged and _has_certain_class(design.table)
    return _half_added_in_se(out, design, measure) if certain or se < ZERO_SE else out


def _half_added_in_se(out: Estimate, design: StudyDesign, measure: Measure) -> Estimate:
    """An empty cell adds nothing to the plug-in variance; it does to that of the table with two more cases."""
    if out.se_method != DELTA:  # it is that already
        return out
    plug_in = out.se if out.se and out.se >= ZERO_SE else 0.0
    se = se_of(design.halved(), measure)
    return out.with_(se=se, se_method=DELTA.plus(HALF_ADDED)).noting(Note("se-half-added", plug_in=plug_in))


def _has_certain_class(table: Array) -> bool:
    """Whether a class has no error or no success, so that it adds no variance to an average over classes."""
    right = np.diag(table)
    return bool(((right == 0) | (right == table.sum(axis=1)) | (right == table.sum(axis=0))).any())


def needs_half(design: StudyDesign, measure: Measure) -> bool:
    """Whether ½ is added to every cell: an empty cell makes the ratio 0 or infinite, or its standard error 0."""
    if not (measure.ratio and design.has_empty_cell):
        return False
    value = value_of(design, measure)
    return value == 0 or math.isinf(value) or se_of(design, measure) < ZERO_SE


def _ratio(design: StudyDesign, measure: Measure, interval: ProportionMethod) -> Estimate:
    raw = value_of(design, measure)
    if math.isnan(raw):  # 0/0: a margin is empty, which ½ cannot replace
        return _made(design, measure, raw).noting(empty_margin(design))
    half = needs_half(design, measure)
    used = design.halved() if half else design
    size = {"se": se_of(used, measure), "se_method": DELTA, "bounds": (0.0, math.inf), "interval": LOG}
    out = _made(design, measure, value_of(used, measure), **size)
    if half and isinstance(design, Selected) and not 0 < raw < math.inf:
        # ½ of a verified case stands for many unverified ones: the log-Wald interval may exclude 0 (or ∞) by far
        near_zero = measure
        if raw > 0:
            near_zero = replace(measure, function=lambda t: np.asarray(1 / measure.function(t)))
        rule = ReachesLimit(design, near_zero, inverse=raw > 0, shares_by=interval)
        out = out.with_(interval=rule, alternatives=(LOG,))
    return out.noting(Note("half-added", without=raw) if half else None)


def _of_rates(
    design: StudyDesign, measure: Measure, shift_and_scale: tuple[float, float], interval: ProportionMethod
) -> Estimate:
    """TPF − FPF, and (1 + TPF − FPF)/2: Newcombe's interval, from those of the two fractions."""
    out = _by_delta(design, measure)
    if math.isnan(out.value):
        return out
    if design.has_empty_cell:
        out = _half_added_in_se(out, design, measure)
    tpf, fpf = (estimate_measure(design, MEASURES[name], interval) for name in ("tpf", "fpf"))
    phi = correlation(tpf, fpf, se_of(design, MEASURES["youden"]))
    return out.with_(cases=None, interval=OfDifference(tpf, fpf, phi, *shift_and_scale))


def _given_prevalence(rho: Prevalence, name: str) -> Estimate:
    p = float(rho.shares[1])
    out = Estimate(p, metric=name, method=CaseControl.name, estimand=Estimand.GIVEN, bounds=(0.0, 1.0), interval=LOGIT)
    if rho.logit_se == 0:
        return out
    return out.with_(
        se=rho.logit_se * p * (1 - p), se_method=StandardError("given", "the standard error of the given prevalence")
    )


def value_of(design: StudyDesign, measure: Measure) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(measure.function(design.joint(design.theta)))


def se_of(design: StudyDesign, measure: Measure) -> float:
    return math.sqrt(delta_variance(slopes_of(design, measure), design.variances))


def slopes_of(design: StudyDesign, measure: Measure) -> Floats:
    """∂g/∂θ."""
    if measure.slopes is not None and isinstance(design, Cohort):
        return np.where(design.variances > 0, measure.slopes(design.table).ravel(), 0.0)
    return gradient(lambda theta: measure.function(design.joint(theta)), design.theta, design.variances)


def effective_trials(design: StudyDesign, measure: Measure) -> float:
    """n_eff = p(1 − p)/se² of the measure moved to the unit interval."""
    low, high = measure.bounds
    p = (value_of(design, measure) - low) / (high - low)
    return p * (1 - p) / (se_of(design, measure) / (high - low)) ** 2


def empty_margin(design: StudyDesign) -> Note:
    """Why a measure is 0/0."""
    truths, decisions = (
        [name for name, k in zip(design.names, design.table.sum(axis=axis), strict=True) if k == 0] for axis in (1, 0)
    )
    return Note("empty-margin", missing=[*truths, *decisions], truths=truths, decisions=decisions)


def with_influence(estimate: Estimate, design: StudyDesign, measure: Measure, cells: Ints | None) -> Estimate:
    """The estimate with one number per case, where `cells` (n,) holds the cell of each case.

    ∂g/∂n at the cell of each case has the standard error as its norm, so the standard error of a difference of two
    tests on the same cases follows from the difference of these.
    """
    exact = estimate.se_method in (BINOMIAL, DELTA) and not needs_half(design, measure)
    if cells is None or not exact or len(design.theta) != design.counts.size:
        return estimate
    found = slopes_of(design, measure)
    return estimate.with_(influence=found[cells]) if np.isfinite(found).all() else estimate


# -- cases in groups -------------------------------------------------------------------------------------------------
# The influence of the cases is summed within groups, which gives the standard error and the design effect; the interval
# is that of independent cases, of the table divided by the design effect (Rao & Scott 1992; docs/groups.md).


@dataclass(frozen=True, eq=False)
class OfEffectiveTable(IntervalRule):
    """The interval that the measure has in the table divided by its design effect."""

    design: StudyDesign
    measure: Measure
    shares_by: ProportionMethod
    effect: DesignEffect
    name = "groups"

    def limits(self, e: Estimate, level: float) -> Interval:
        smaller = replace(self.design, counts=self.design.counts / self.effect.divisor(level))
        found = estimate_measure(smaller, self.measure, self.shares_by).interval.limits(e, level)
        low, high = min(found.low, e.value), max(found.high, e.value)  # the value may have ½ added to another table
        return Interval(low, high, level=level, method=found.method, note=found.note)


def estimate_in_groups(
    design: StudyDesign, measure: Measure, interval: ProportionMethod, cells: Ints, groups: Ints
) -> Estimate:
    """One measure of a table; `cells` (n,) is the cell of each case, `groups` (n,) its group."""
    e = estimate_measure(design, measure, interval)
    if math.isnan(e.value) or e.se is None or e.estimand is Estimand.GIVEN:
        return e
    n_classes = design.counts.shape[1]
    if isinstance(design, Selected) and design.selects_none:
        known = cells < design.table.size
        of_all = Cohort(design.table, names=design.names)
        found = estimate_in_groups(of_all, measure, interval, cells[known], groups[known])
        return found.with_(method=design.name, influence=None)
    if measure.given in design.plain:
        of, hits = (within(cells, where, n_classes) for where in (measure.out_of, measure.hits))
        described = {"metric": measure.name, "method": design.name, "estimand": e.estimand}
        return share_in_groups(hits, groups, interval, of, **described)
    slopes = slopes_of(design, measure)
    influence = slopes[cells]
    of_rest = float((design.rest_variances * slopes[design.counts.size :] ** 2).sum())  # of a given prevalence
    truth = cells // n_classes
    by_class = not measure.needs_prevalence or isinstance(design, CaseControl)
    scaled = influence * np.sqrt(group_factor(groups, truth if by_class else None))
    variance, independent = (float((v**2).sum()) for v in (group_sums(scaled, groups), influence))
    n, known = len(cells), truth < n_classes
    sizes = sizes_by_class(groups[known], truth[known])
    if not ZERO_SE**2 < independent < math.inf:  # no errors, or a ratio that is infinite without ½: nothing to compare
        variance = independent = 0.0
    effect = DesignEffect.of(variance, n / max(n - 1, 1) * independent, n, *sizes)
    exact = e.se_method == DELTA and not needs_half(design, measure) and variance > 0
    se = math.sqrt(variance + of_rest) if exact else e.se * math.sqrt(effect.value)
    out = in_groups(
        e.with_(se=se, se_method=StandardError.of(e.se_method or "").plus(GROUPS)), effect, count_groups(groups)
    )
    if effect.groups > 1:
        out = out.with_(influence=scaled if exact and of_rest == 0 else None)
    if measure.of_rates and not isinstance(design, Selected):
        return out.with_(interval=_of_two_shares(design, measure.of_rates, interval, cells, groups))
    return out.with_(interval=OfEffectiveTable(design, measure, interval, effect))


def _of_two_shares(
    design: StudyDesign, shift_and_scale: tuple[float, float], interval: ProportionMethod, cells: Ints, groups: Ints
) -> OfDifference:
    """From the intervals of TPF and FPF, correlated where groups have cases of both classes."""
    tpf, fpf = (estimate_in_groups(design, MEASURES[name], interval, cells, groups) for name in ("tpf", "fpf"))
    return OfDifference(tpf, fpf, correlation_in_groups(tpf, fpf, groups), *shift_and_scale)


def correlation_in_groups(a: Estimate, b: Estimate, groups: Ints) -> float:
    """Correlation of two estimates of the same groups; 0 where one does not vary."""
    if a.influence is None or b.influence is None or not a.se or not b.se:
        return 0.0
    one, other = group_sums(np.stack([a.influence, b.influence]), groups)
    return max(-1.0, min(1.0, float(one @ other) / (a.se * b.se)))


def within(cells: Ints, of: Cells, n_classes: int) -> Bools:
    """Which cases are in one of these cells."""
    return np.isin(cells, [n_classes * row + column for row, column in of])
