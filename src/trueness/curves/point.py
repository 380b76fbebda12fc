"""One operating point of given scores: its rates, and the threshold itself."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import stats

from trueness.checks import check_level, fraction, is_number
from trueness.curves.common import SCORES, Axis, above_all, infinite_top, kept
from trueness.errors import InputError
from trueness.figures.figure import Figure, Points, box, roc_panel
from trueness.formulas import mover
from trueness.formulas.groups import DesignEffect, group_sums
from trueness.formulas.roc import count_within, snapped
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.grouped import OfEffectiveCases, few_groups, share_in_groups
from trueness.result.interval import WILSON, Interval, IntervalRule
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result
from trueness.result.words import BINOMIAL, EMPIRICAL, significant
from trueness.sample.scored import Scored
from trueness.typing import Bools, Floats, Record


@dataclass(frozen=True, repr=False)
class RocPoint(Result, Drawn):
    """What the decision score ≥ threshold does.

    Attributes
    ----------
    threshold : float
        Given, not estimated.
    tpf, fpf : Estimate
        Plain proportions, Wilson's interval by default.
    auc : Estimate
        Area of the curve through this one point, ½(1 + TPF − FPF), with an interval made of those of the two rates.
    """

    threshold: float
    tpf: Estimate
    fpf: Estimate
    auc: Estimate
    level: float = 0.95

    heading = "score ≥ {threshold:.6g}"
    columns: ClassVar[Columns] = {
        "threshold": Column(""),
        "metric": Column("rate"),
        "method": Column(""),
        "value": Column("value", "estimate"),
    }

    def rows(self) -> list[Record]:
        """TPF, FPF and the single-point AUC."""
        each = (self.tpf, self.fpf, self.auc)
        return [{"threshold": self.threshold, "metric": e.metric, "method": e.method, "value": e} for e in each]

    def joint_region(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """A rectangle that contains (FPF, TPF) with this probability: each side at √level."""
        check_level(level)
        each = math.sqrt(level)
        return self.fpf.ci(each), self.tpf.ci(each)

    def figure(self, level: float = 0.95) -> Figure:
        """A cross at (FPF, TPF) in its joint region; `plot(ax)` draws it over the axes of its curve."""
        x, y = self.fpf.value, self.tpf.value
        fpf, tpf = self.joint_region(level)
        region = box(fpf, tpf, label=f"{100 * level:g} % region of FPF and TPF", color="accent", opacity=0.25)
        cross = Points([x], [y], f"score ≥ {significant(self.threshold, 4)}", "x", "ink", 70)
        return Figure("Operating point", (roc_panel([region, cross]),))


@dataclass(frozen=True, eq=False)
class FromRates(IntervalRule):
    """The interval of ½(1 + TPF − FPF) from those of the two rates: it has length where a rate is 0 or 1.

    "mover" takes their mid-p intervals, which cover for very good rules and few cases, where Wilson's do not
    (docs/roc.md); "newcombe" takes Wilson's (Newcombe 1998, method 10).
    """

    name: str
    each: str
    tpf: Estimate
    fpf: Estimate
    correlation: float = 0.0

    def limits(self, e: Estimate, level: float) -> Interval:
        tpf, fpf = (rate.ci(level, self.each) for rate in (self.tpf, self.fpf))
        low, high = mover.difference(self.tpf.value, tpf, self.fpf.value, fpf, self.correlation)
        return self.clipped(e, 0.5 + low / 2, 0.5 + high / 2, level)


def point_at(data: Scored, threshold: float) -> RocPoint:
    """The rates of the decision score ≥ threshold."""
    if not is_number(threshold) or math.isnan(threshold):
        raise InputError("threshold must be a number", param="threshold", got=repr(threshold))
    fpf, tpf = rates_of(data, data.scores >= threshold)
    se, correlation = _se_of_half_difference(data, tpf, fpf)
    auc = Estimate(
        0.5 * (1 + tpf.value - fpf.value),
        se=se,
        se_method=tpf.se_method,
        df=None if tpf.df is None or fpf.df is None else min(tpf.df, fpf.df),
        metric="auc",
        method="single point",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=FromRates("mover", "mid-p", tpf, fpf, correlation),
        alternatives=(FromRates("newcombe", "wilson", tpf, fpf, correlation),),
        cases=min(data.independent),
    )
    return RocPoint(float(threshold), tpf, fpf, auc)


def rates_of(data: Scored, decided: Bools) -> tuple[Estimate, Estimate]:
    """FPF and TPF of these decisions, with groups by share_in_groups."""
    if data.groups is None:
        return proportion("fpf", decided[~data.positive]), proportion("tpf", decided[data.positive])
    described = {"method": EMPIRICAL, "estimand": SCORES}
    fpf, tpf = (
        share_in_groups(decided, data.groups, "wilson", of, metric=name, **described)
        for name, of in (("fpf", ~data.positive), ("tpf", data.positive))
    )
    return fpf, tpf


def _se_of_half_difference(data: Scored, tpf: Estimate, fpf: Estimate) -> tuple[float | None, float]:
    """Standard error of ½(TPF − FPF), and the correlation of the two, which only groups of both classes make."""
    if data.groups is None:
        return 0.5 * math.hypot(tpf.se or 0.0, fpf.se or 0.0), 0.0
    if tpf.influence is None or fpf.influence is None:
        return None, 0.0
    ups, downs = group_sums(np.stack([tpf.influence, fpf.influence]), data.groups)
    lengths = np.linalg.norm(ups) * np.linalg.norm(downs)
    return 0.5 * float(np.linalg.norm(ups - downs)), float(ups @ downs / lengths) if lengths > 0 else 0.0


def proportion(name: str, decided: Bools) -> Estimate:
    """The share of cases that are called positive."""
    n, p = len(decided), float(decided.mean())
    return Estimate(
        p,
        se=math.sqrt(p * (1 - p) / n),
        se_method=BINOMIAL,
        metric=name,
        method=EMPIRICAL,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=WILSON,
        cases=n,
        plain=True,
    )


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdAt(Result):
    """A threshold for a wanted FPF or TPF: a quantile of the scores of one class, with a distribution-free interval.

    Attributes
    ----------
    value : float
        The threshold; NaN, with a note, where every case would have to be labelled negative and +inf is among the
        scores.
    rate : {"fpf", "tpf"}
    wanted : float
    scores : ndarray
        Of the class, high to low.
    effect : DesignEffect, optional
        Of the wanted rate at this threshold, where cases come in groups.
    """

    value: float
    rate: Axis
    wanted: float
    scores: Floats
    notes: tuple[Note, ...] = ()
    effect: DesignEffect | None = None
    level: float = 0.95

    columns: ClassVar[Columns] = {
        "rate": Column("rate", "title"),
        "wanted": Column("wanted", "g"),
        "threshold": Column("threshold", ".6g"),
        "low": Column("low, {percent}", ".6g"),
        "high": Column("high, {percent}", ".6g"),
    }

    def ci(self, level: float = 0.95) -> Interval:
        """Order statistics that contain the population's threshold with at least this probability.

        The number of cases at or above the true threshold is binomial, so the l-th and u-th largest scores contain it
        where P[Bin < l] and P[Bin ≥ u] are at most (1 − level)/2 each. Where too few cases lie beyond it the limit is
        infinite. With groups the binomial has the effective number of cases, and ranks are stretched to n.
        """
        check_level(level)
        n, tail = len(self.scores), (1 - level) / 2
        trials = n if self.effect is None else max(1, int(n / self.effect.divisor(level)))
        law = stats.binom(trials, self.wanted)
        lower_rank = int(law.ppf(tail) * n / trials)  # P[Bin < rank] ≤ tail
        upper_rank = math.ceil((law.isf(tail) + 1) * n / trials)  # P[Bin ≥ rank] ≤ tail
        ranked = np.concatenate([[math.inf], self.scores, [-math.inf]])
        low, high = float(ranked[min(upper_rank, n + 1)]), float(ranked[max(lower_rank, 0)])
        return Interval(low, high, level=level, method="order statistics")

    def rows(self) -> list[Record]:
        low, high = self.ci(self.level)
        return [{"rate": self.rate, "wanted": self.wanted, "threshold": self.value, "low": low, "high": high}]


def threshold_at_rate(data: Scored, *, fpf: float | None, tpf: float | None) -> ThresholdAt:
    """The lowest threshold with at most this FPF, or the highest with at least this TPF."""
    top = float(data.scores.max())
    if (fpf is None) == (tpf is None):
        raise InputError("threshold_at needs either an FPF or a TPF", param="fpf", fix="Pass fpf=0.1 or tpf=0.9")
    if tpf is not None:
        rate: Axis = "tpf"
        scores = np.sort(data.up)[::-1]
        wanted = float(snapped(fraction("tpf", tpf), data.n1))
        k = -count_within(-wanted, data.n1)  # rounded up
        allowed = scores[k - 1 : k]
    else:
        rate, scores = "fpf", np.sort(data.down)[::-1]
        wanted = float(snapped(fraction("fpf", fpf), data.n0))
        k = count_within(wanted, data.n0)
        allowed = data.scores[data.scores > scores[k]] if k < data.n0 else data.scores
    value = float(allowed.min()) if len(allowed) else above_all(top)
    effect, notes = None, [infinite_top(top)] if math.isnan(value) else []
    if data.groups is not None:
        of = data.positive == (rate == "tpf")
        share = share_in_groups(data.scores >= value, data.groups, "wilson", of)
        assert isinstance(share.interval, OfEffectiveCases)
        effect = share.interval.effect
        notes.append(few_groups(effect.groups))
    return ThresholdAt(value, rate, wanted, scores, kept(*notes), effect)
