"""Rates at given rates (TPF at an FPF) and areas over ranges of an empirical ROC curve, whose threshold is estimated too."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import optimize, special

from trueness.curves.common import (
    MIN_BEYOND_FOR_LIMIT,
    MIN_IN_RANGE,
    MIN_IN_RANGE_FOR_LIMIT,
    ROUNDED_AREA,
    SCORES,
    few_beyond,
)
from trueness.formulas.groups import (
    DesignEffect,
    count_groups,
    group_factor,
    group_sizes,
    group_sums,
    sizes_by_class,
    variance_of_mean,
)
from trueness.formulas.intervals import quantile
from trueness.formulas.roc import RATE_TOLERANCE, count_within, height, partial_area, partial_components, snapped
from trueness.result.estimate import Estimate
from trueness.result.grouped import in_groups
from trueness.result.interval import LOGIT, Interval, IntervalRule, Wilson
from trueness.result.notes import NO_VARIANCE
from trueness.result.words import DELONG, DELTA, EMPIRICAL, GROUPS, Named, StandardError
from trueness.sample.scored import ONE_CASE, delong_of_groups
from trueness.sample.scores import CONSTANT
from trueness.typing import Floats

if TYPE_CHECKING:
    from trueness.curves.empirical import EmpiricalRoc


NEGLIGIBLE = 1e-14  # probability of a place of the threshold that is left out of sums
MAX_NODES = 400  # of the sums over the counts of a tied score, each way; beyond it every second, third, … count is used
ROUNDED_MEAN = 1e-12  # a mean rate this close to 0 or 1 is 0 or 1


@dataclass(frozen=True, eq=False)
class HarrellDavis(IntervalRule):
    """The interval of a rate where another rate is given: it averages over where the threshold may lie."""

    # the rate at each place where the threshold may lie, and Harrell and Davis' weight of that place
    rates: Floats = field(repr=False)
    weights: Floats = field(repr=False)
    cases: float  # cases behind the rate
    open_end: float | None  # 0 or 1 where the data cannot exclude a rate as far as that: the interval reaches it
    name = Named(
        "harrell-davis",
        "Wilson's, averaged over where the threshold may lie",
        "harrell_davis_1982",
        "wilson_1927",
    )

    def turned(self) -> HarrellDavis:
        """The rule for 1 − the rate."""
        end = None if self.open_end is None else 1 - self.open_end
        return HarrellDavis(1 - self.rates, self.weights, self.cases, end)

    def limits(self, e: Estimate, level: float) -> Interval:
        """Limits p where Σ_j w_j Φ((p − r_j)/√(p(1 − p)/n)) is (1 − level)/2 and (1 + level)/2.

        With one place j it is Wilson's interval. The sum falls as the r_j rise and as weight moves to larger ones,
        so the limits rise with the rate that is given (Wilson's with an effective n does not near 0 and 1).
        """
        tail = (1 - level) / 2
        ends = (e.value,) if self.open_end is None else (e.value, self.open_end)
        low, high = self._lower(tail), 1 - self.turned()._lower(tail)
        return self.clipped(e, min(low, *ends), max(high, *ends), level)

    def _lower(self, tail: float) -> float:
        def below(p: float) -> float:
            z = (p - self.rates) * math.sqrt(self.cases / (p * (1 - p)))
            return float(self.weights @ special.ndtr(z)) - tail

        ends = (1e-12, 1 - 1e-12)
        if below(ends[0]) >= 0:
            return 0.0
        return 1.0 if below(ends[1]) <= 0 else float(optimize.brentq(below, *ends, xtol=1e-10))


def rate_at_rate(fpf: Floats, tpf: Floats, n1: int, n0: int, t: float, name: str) -> Estimate:
    """TPF of an empirical curve at FPF t, with the standard error of the ideal bootstrap.

    The threshold is a quantile of the negatives and varies with them. Mean and variance of the TPF over all
    n1^n1·n0^n0 resamples have a closed form (`rate_moments`): no resample is drawn and no density is estimated
    (the textbook form is ROC'(t)² t(1 − t)/n0 for the threshold's part; Pepe 2003, section 5.2).

    The interval takes the weights of Harrell & Davis (1982) instead, those of a Beta(t(n0 + 1), (1 − t)(n0 + 1)):
    the (k + 1)-th largest of n0 negatives has an FPF of (k + 1)/(n0 + 1) on average, which is more than t, and for
    small t an interval around that TPF misses too often (docs/roc.md). Where t·n0 < 2 it reaches 0: with t·n0 = 2 all
    negatives lie below the threshold with a probability of e⁻² = .14, and none of them shows how high it lies.
    """
    t = float(snapped(t, n0))
    value = float(height(fpf, tpf, t))
    moments = rate_moments(fpf, tpf, n1, n0, t)
    out = Estimate(
        value,
        se=math.sqrt(moments.sampling + moments.threshold),
        se_method=StandardError("ideal bootstrap", "the standard deviation over all bootstrap resamples"),
        metric=name,
        method=EMPIRICAL,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=interval_rule(fpf, tpf, n1, n0, t, value, moments),
        cases=n1,
    )
    return out.noting(few_beyond(t, n0, MIN_BEYOND_FOR_LIMIT, MIN_BEYOND_FOR_LIMIT))


class RateMoments(NamedTuple):
    """Mean of the rate over all resamples, and the two parts of its variance."""

    mean: float
    sampling: float
    threshold: float


def rate_moments(fpf: Floats, tpf: Floats, n1: int, n0: int, t: float) -> RateMoments:
    """Mean and variance of the TPF at FPF t over all resamples of the cases of each class, ties kept.

    A resample puts the threshold into the score g (t lies between the FPFs above and at g) with probability
        P_g = P[Bin(n0, F_g) > k] − P[Bin(n0, F_{g−1}) > k],   k = ⌊t·n0⌋,
    F_g the share of negatives at or above score g. Where both classes have score g, the curve is a slanted line there,
    and the TPF is A + s·B: A and B are the shares of positives above and at g, and s = (t·n0 − N_{<g})/N_g the share of
    the line, with N_{<g} and N_g the negatives above and at g in the resample. Given the negatives, A and B are
    multinomial, so that with a, b their expectations
        E = Σ_g P_g a + E[s] b,   Var = Var(a + s b) + Σ_g E[a + s² b − (a + s b)²]/n1.
    """
    k = count_within(t, n0)
    if k >= n0:  # every case may be called positive
        return RateMoments(1.0, 0.0, 0.0)
    reach = 9 * math.sqrt((k + 1) * (1 - k / n0)) + 30  # cases; the threshold of no resample lies further away
    first, last = np.searchsorted(fpf, [(k - reach) / n0, (k + 1 + reach) / n0])
    first = max(first - 1, 0)
    # P[Bin(n0, F) > k] at both ends of each score
    chance = np.diff(special.betainc(k + 1, n0 - k, fpf[first : last + 1]))
    at = first + np.flatnonzero(chance > NEGLIGIBLE)
    p, a, b = chance[at - first], tpf[at], tpf[at + 1] - tpf[at]
    s, s2 = np.zeros(len(at)), np.zeros(len(at))
    log_factorial = special.gammaln(np.arange(n0 + 1) + 1.0) if (b > 0).any() else np.empty(0)
    for i in np.flatnonzero(b > 0):
        shares = _line_shares(fpf[at[i]], fpf[at[i] + 1], n0, k, t * n0, log_factorial)
        s[i], s2[i] = p[i] * shares[0], p[i] * shares[1]
    mean = float((p * a + s * b).sum())
    if mean < ROUNDED_MEAN or mean > 1 - ROUNDED_MEAN:  # the rate is 0 in all resamples, or 1
        return RateMoments(float(mean > 0.5), 0.0, 0.0)
    square = float((p * a**2 + 2 * s * a * b + s2 * b**2).sum())
    sampling = max(float((p * a + s2 * b).sum()) - square, 0.0) / n1
    return RateMoments(mean, sampling, max(square - mean**2, 0.0))


def _line_shares(above: float, to: float, n0: int, k: int, wanted: float, log_factorial: Floats) -> tuple[float, float]:
    """E[s] and E[s²] given that the threshold lies in this score, s = (wanted − i)/m: of n0 negatives i lie above the
    score and m at it in a resample, i ≤ k < i + m, with trinomial probabilities."""
    i, m = _likely(n0, above), _likely(n0, to - above)
    i, m = i[i <= k], m[m > 0]
    rest = n0 - i[:, None] - m
    inside = (i[:, None] + m > k) & (rest >= 0)
    if not inside.any():
        return 0.0, 0.0
    rest = np.where(inside, rest, 0)
    first = special.xlogy(i, above) - log_factorial[i]
    logs = first[:, None] + special.xlogy(m, to - above) - log_factorial[m]
    logs = np.where(inside, logs + special.xlogy(rest, max(1 - to, 0.0)) - log_factorial[rest], -np.inf)
    weights = np.exp(logs - logs.max())
    s = (wanted - i[:, None]) / m
    total = weights.sum()
    return float((weights * s).sum() / total), float((weights * s**2).sum() / total)


def _likely(n: int, p: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Counts that Bin(n, p) takes, without the improbable ones; evenly thinned where they are many."""
    reach = 9 * math.sqrt(n * p * (1 - p)) + 12
    low, high = max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach))
    return np.arange(low, high + 1, max(1, (high - low) // MAX_NODES), dtype=np.int64)


def interval_rule(
    fpf: Floats, tpf: Floats, n1: int, n0: int, t: float, value: float, moments: RateMoments
) -> HarrellDavis:
    """Harrell and Davis' places of the threshold with their weights.

    Tied scores are first taken as in random order, which makes the rate vary more than the interpolated one does. The
    places are then drawn together around the value, and n1 is raised, by the ratios of the two variances to those of
    random order; without ties both ratios are 1.
    """
    k, first, weights = count_within(t, n0), 0, np.ones(1)

    def in_random_order(first: int, n: int) -> Floats:
        """(n,) TPF where the threshold is the (first + i + 1)-th largest negative."""
        return np.interp((np.arange(first, first + n) + 0.5) / n0, fpf, tpf)  # flat around here unless scores are tied

    if 0 < t < 1:  # Harrell and Davis' weights
        reach = int(12 * math.sqrt(n0 * t * (1 - t))) + 30
        first, last = max(0, int(t * n0) - reach), min(n0, int(t * n0) + 1 + reach)
        edges = special.betainc(t * (n0 + 1), (1 - t) * (n0 + 1), np.arange(first, last + 1) / n0)
        weights = np.diff(edges) / (edges[-1] - edges[0])
    rates = in_random_order(first, len(weights)) if t < 1 else np.ones(1)  # 1: every case may be called positive
    cases = float(n1)
    shared = (np.diff(fpf) > 0) & (np.diff(tpf) > 0)  # a slanted line: both classes have cases with one score
    if k < n0 and (shared & (fpf[1:] >= first / n0) & (fpf[:-1] <= (first + len(weights)) / n0)).any():
        reach = int(12 * math.sqrt((k + 1) * (1 - k / n0))) + 30  # binomial tails beyond it are below 1e-16
        first, last = max(0, k - reach), min(n0, k + 1 + reach)
        chances = np.diff(special.betainc(k + 1, n0 - k, np.arange(first, last + 1) / n0))  # of a resample's threshold
        ordered = in_random_order(first, len(chances))
        mean, sampling = float(chances @ ordered), float(chances @ (ordered * (1 - ordered))) / n1
        threshold = float(chances @ (ordered - mean) ** 2)
        if threshold > 0:
            rates = value + math.sqrt(min(moments.threshold / threshold, 1.0)) * (rates - value)
        if moments.sampling > 0:
            cases = n1 * max(sampling / moments.sampling, 1.0)
    open_end = 0.0 if t * n0 < MIN_BEYOND_FOR_LIMIT - RATE_TOLERANCE * n0 else None
    return HarrellDavis(rates, weights, cases, open_end)


ROUNDING = 1e-12  # a standard error below it is 0
WINDOW = quantile(0.95)  # standard errors of the FPF, each way, over which the slope of the curve is taken


@dataclass(frozen=True, eq=False)
class WilsonToEnd(Wilson):
    """Wilson's interval with the number of trials that has this standard error; it reaches `open_end` where the data
    cannot exclude a rate as far as that."""

    open_end: float | None

    def turned(self) -> WilsonToEnd:
        """The rule for 1 − the rate."""
        return WilsonToEnd(None if self.open_end is None else 1 - self.open_end)

    def limits(self, e: Estimate, level: float) -> Interval:
        found = super().limits(e, level)
        if self.open_end is None:
            return found
        low, high = min(found.low, self.open_end), max(found.high, self.open_end)
        return Interval(low, high, level=level, method=found.method, note=found.note)


def rate_in_groups(curve: EmpiricalRoc, t: float, name: str) -> Estimate:
    """TPF at FPF t with a standard error by the delta method, its influence summed within groups.

    With h_i the share of case i that is called positive at FPF t (1 above the threshold, 0 below it, between them at a
    score that both classes share), the TPF moves by (h_i − TPF)/n1 with a positive and by −ROC'(t) (h_i − t)/n0 with a
    negative, which moves the threshold (Pepe 2003, section 5.2). ROC'(t) is the slope of the curve between t ± 1.96
    standard errors of the FPF at a fixed threshold, as Woodruff (1952) has it for a quantile.
    """
    data = curve.data
    groups, up = data.groups, data.positive
    assert groups is not None
    low, high = curve.fpf[:-1], curve.fpf[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(high > low, (t - low) / (high - low), t + RATE_TOLERANCE >= low)
    h = np.where(np.abs(t - high) <= RATE_TOLERANCE, 1.0, share).clip(0.0, 1.0)[curve.places]
    value = float(h[up].mean())
    variance_fpf = variance_of_mean(h[~up], groups[~up])
    effect_fpf = DesignEffect.of(variance_fpf, t * (1 - t) / max(data.n0 - 1, 1), data.n0, group_sizes(groups[~up]))
    half = max(WINDOW * math.sqrt(max(variance_fpf, 0.0)), 1 / data.n0)  # at least one case each way
    ends = np.clip([t - half, t + half], 0.0, 1.0)
    slope = float(np.diff(curve(ends))[0] / (ends[1] - ends[0]))
    influence = np.where(up, (h - value) / data.n1, -slope * (h - t) / data.n0)
    variance_alone = float((influence**2).sum())
    influence *= np.sqrt(group_factor(groups, up))
    variance = float((group_sums(influence, groups) ** 2).sum())
    if variance < ROUNDING**2 and ROUNDING < value < 1 - ROUNDING:  # at the ends Wilson's interval knows what to do
        return Estimate(value, metric=name, method=EMPIRICAL, estimand=SCORES, bounds=(0.0, 1.0)).noting(NO_VARIANCE)
    effective = max(1, round(data.n0 / max(1.0, effect_fpf.value)))
    note = few_beyond(t, effective, MIN_BEYOND_FOR_LIMIT, MIN_BEYOND_FOR_LIMIT)
    out = Estimate(
        value,
        se=math.sqrt(variance),
        se_method=DELTA.plus(GROUPS),
        influence=influence,
        metric=name,
        method=EMPIRICAL,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=WilsonToEnd(None if note is None else 0.0),
    )
    effect = DesignEffect.of(variance, variance_alone, data.n, *sizes_by_class(groups, up.astype(int)))
    return in_groups(out, effect, count_groups(groups)).noting(note)


def turned(e: Estimate) -> Estimate:
    """1 − the rate, of `rate_in_groups` or `rate_at_rate`."""
    rule = e.interval.turned() if isinstance(e.interval, (HarrellDavis, WilsonToEnd)) else e.interval
    return e.with_(value=1 - e.value, influence=None if e.influence is None else -e.influence, interval=rule)


@dataclass(frozen=True, eq=False)
class LogitOfRange(IntervalRule):
    """The logit interval of a partial area, never shorter than that of an area without an error: few cases in the
    range may all but agree.
    """

    # fewer than three negatives are expected in the range: the data cannot exclude a small area, and the interval
    # reaches the lower end
    open_end: bool
    name = "logit"

    def limits(self, e: Estimate, level: float) -> Interval:
        found = LOGIT.limits(e, level)
        low, high = found
        bottom, top = e.bounds
        if e.value > (bottom + top) / 2:
            low = min(low, LOGIT.limits(e.with_(value=top, se=0.0), level).low)
        else:
            high = max(high, LOGIT.limits(e.with_(value=bottom, se=0.0), level).high)
        return Interval(bottom if self.open_end else low, high, level=level, method=found.method, note=found.note)


def partial_area_of(curve: EmpiricalRoc, low: float, high: float, standardized: bool) -> Estimate:
    """Area under a curve, FPF from `low` to `high`."""
    data = curve.data
    low, high = snapped((low, high), data.n0).tolist()
    value = at_end(float(partial_area(curve.fpf, curve.tpf, low, high)), (0.0, high - low))
    out = Estimate(
        value,
        metric="partial auc",
        method=curve.method,
        estimand=SCORES,
        bounds=(0.0, high - low),
        cases=max(1, min(data.n1, count_within(high - low, data.n0))),  # only the negatives in the range count
    )
    if min(data.n1, data.n0) == 1:
        out = out.noting(ONE_CASE)
    elif data.range[0] == data.range[1]:
        out = out.noting(CONSTANT)
    else:
        out = _with_se(out, curve, low, high)
    effect = max(1.0, out.provenance.get("design_effect") or 1.0)  # of groups: so many cases count as one
    beyond = few_beyond(high, round(data.n0 / effect), MIN_IN_RANGE_FOR_LIMIT, MIN_IN_RANGE)
    open_end = beyond is not None and bool(beyond.data["open_end"])
    out = out.with_(interval=LogitOfRange(open_end)).noting(beyond)
    return mcclish(out, low, high) if standardized else out


def _with_se(out: Estimate, curve: EmpiricalRoc, low: float, high: float) -> Estimate:
    """DeLong's standard error of the range, with Satterthwaite's degrees of freedom:

        df = (V1 + V0)² / (V1²/(n1 − 1) + V0²/(n0·high − 1)),

    V1 and V0 the parts of the positives and of the negatives. Negatives below the range all contribute the same, so
    that only the n0·high in it show how much they vary (docs/roc.md has the coverage).
    """
    data = curve.data
    v10, v01 = partial_components(curve.fpf, curve.tpf, low, high)
    g = np.where(data.positive, v10[curve.places], v01[curve.places])
    for of, m in ((data.positive, data.n1), (~data.positive, data.n0)):
        g[of] = (g[of] - g[of].mean()) / math.sqrt(m * (m - 1))
    g[np.abs(g) < ROUNDED_AREA] = 0.0
    ups, downs = (float(g[of] @ g[of]) for of in (data.positive, ~data.positive))
    df = None
    if ups + downs > 0:
        df = (ups + downs) ** 2 / (ups**2 / (data.n1 - 1) + downs**2 / max(data.n0 * high - 1, 1.0))
    if data.groups is None:
        return out.with_(se=float(np.linalg.norm(g)), se_method=DELONG, influence=g, df=df)
    grouped = delong_of_groups(out, g, data.positive.astype(np.intp), data.groups)
    few = [d for d in (df, grouped.df) if d is not None]
    return grouped.with_(cases=min(out.cases or 1, grouped.cases or 1), df=min(few, default=None))


def at_end(value: float, bounds: tuple[float, float]) -> float:
    """The value; an end of its range where it is that but for rounding."""
    for bound in bounds:
        value = bound if abs(value - bound) < ROUNDED_AREA else value
    return value


def mcclish(area: Estimate, low: float, high: float) -> Estimate:
    """½ (1 + (A − A_chance)/(A_best − A_chance)): ½ is chance and 1 is best, in any range (McClish 1989).

    `low` and `high` are in the terms of an FPF range: the diagonal covers (high² − low²)/2 of high − low.
    """
    best, chance = high - low, (high**2 - low**2) / 2
    scale = 0.5 / (best - chance)

    def standard(value: float) -> float:
        return 0.5 + scale * (value - chance)

    return area.with_(
        value=at_end(standard(area.value), (standard(0.0), 1.0)),
        se=None if area.se is None else area.se * scale,
        influence=None if area.influence is None else area.influence * scale,
        bounds=(standard(0.0), 1.0),
        metric="standardized partial auc",
    )
