"""One operating point of given scores: its rates, and the threshold itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from karat.curves.curve import SCORES, nobody
from karat.curves.rates import fraction
from karat.errors import InputError
from karat.formulas import mover
from karat.result import Estimate, Interval
from karat.result.digits import shown
from karat.result.interval_rules import WILSON, IntervalRule
from karat.sample.scored import Scored


@dataclass(frozen=True)
class RocPoint:
    """What the decision score ≥ threshold does.

    Attributes
    ----------
    tpf, fpf
        Plain proportions, Wilson's interval by default.
    auc
        Area of the curve through this one point, ½(1 + TPF − FPF)  (seeds/003), with an interval made of those of the
        two rates.
    """

    threshold: float
    tpf: Estimate
    fpf: Estimate
    auc: Estimate

    def __str__(self) -> str:
        rates = ", ".join(f"{name} {_with_limits(e)}" for name, e in (("TPF", self.tpf), ("FPF", self.fpf)))
        return f"score ≥ {self.threshold:.6g}: {rates}"

    def joint_region(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """A rectangle that holds (FPF, TPF) with this probability: each side at √level  (seeds/003)."""
        each = math.sqrt(level)
        return self.fpf.ci(each), self.tpf.ci(each)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Three rows: TPF, FPF and the single-point AUC."""
        return pd.DataFrame([{"threshold": self.threshold, **e.row(level)} for e in (self.tpf, self.fpf, self.auc)])

    def plot(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw the point and its joint region into matplotlib axes (new ones where none are given), and return
        them."""
        from karat.plots.point import PointDisplay

        return PointDisplay(self, level).plot(ax)


def _with_limits(e: Estimate, level: float = 0.95) -> str:
    low, high = e.ci(level)
    return f"{shown(e.value, e.se)} ({100 * level:g} %: {shown(low, e.se)} to {shown(high, e.se)})"


@dataclass(frozen=True, eq=False)
class FromRates(IntervalRule):
    """The interval of ½(1 + TPF − FPF) from those of the two rates: it has length where a rate is 0 or 1.

    "mover" takes their mid-p intervals, which hold for very good rules and few cases, where Wilson's do not
    (docs/roc.md); "newcombe" takes Wilson's (Newcombe 1998, method 10).
    """

    name: str
    each: str
    tpf: Estimate
    fpf: Estimate

    def limits(self, e: Estimate, level: float) -> Interval:
        tpf, fpf = (rate.ci(level, self.each) for rate in (self.tpf, self.fpf))
        low, high = mover.difference(self.tpf.value, tpf, self.fpf.value, fpf)
        return self.clipped(e, 0.5 + low / 2, 0.5 + high / 2, level)


def point_at(data: Scored, threshold: float) -> RocPoint:
    if not isinstance(threshold, (int, float, np.number)) or math.isnan(threshold):
        raise InputError("threshold must be a number", got=repr(threshold))
    tpf = proportion("tpf", float(np.mean(data.up >= threshold)), data.n1)
    fpf = proportion("fpf", float(np.mean(data.down >= threshold)), data.n0)
    auc = Estimate(
        0.5 * (1 + tpf.value - fpf.value),
        se=0.5 * math.hypot(tpf.se or 0.0, fpf.se or 0.0),
        se_method="binomial",
        metric="auc",
        method="single point",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=FromRates("mover", "mid-p", tpf, fpf),
        alternatives=(FromRates("newcombe", "wilson", tpf, fpf),),
        cases=min(data.n1, data.n0),
    )
    return RocPoint(float(threshold), tpf, fpf, auc)


def proportion(name: str, p: float, n: int) -> Estimate:
    return Estimate(
        p,
        se=math.sqrt(p * (1 - p) / n),
        se_method="binomial",
        metric=name,
        method="empirical",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=WILSON,
        cases=n,
        plain=True,
    )


@dataclass(frozen=True, eq=False)
class ThresholdAt:
    """A threshold for a wanted FPF or TPF: a quantile of one class's scores, with a distribution-free interval.

    NaN, with a note, where only calling nobody positive would do and +inf is among the scores.
    """

    value: float
    rate: str
    wanted: float
    scores: np.ndarray = field(repr=False)  # of the class, high to low
    notes: tuple[str, ...] = ()

    def ci(self, level: float = 0.95) -> Interval:
        """Order statistics that hold the population's threshold with at least this probability.

        The number of cases at or above the true threshold is binomial, so the l-th and u-th largest score hold it
        where P[Bin < l] and P[Bin ≥ u] are at most (1 − level)/2 each. Where too few cases lie beyond it the
        limit is infinite: the data cannot say.
        """
        if not 0 < level < 1:
            raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
        n, tail = len(self.scores), (1 - level) / 2
        lower_rank = int(stats.binom.ppf(tail, n, self.wanted))  # P[Bin < rank] ≤ tail
        upper_rank = int(stats.binom.isf(tail, n, self.wanted)) + 1  # P[Bin ≥ rank] ≤ tail
        high = math.inf if lower_rank < 1 else float(self.scores[lower_rank - 1])
        low = -math.inf if upper_rank > n else float(self.scores[upper_rank - 1])
        return Interval(low, high, level=level, method="order statistics")

    def __str__(self) -> str:
        what = f"{self.rate.upper()} {self.wanted:g}"
        if math.isnan(self.value):
            return f"{what}: no threshold does, only calling nobody positive"
        low, high = self.ci()
        return f"{what}: score ≥ {self.value:.6g} (95 %: {low:.6g} to {high:.6g})"

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row: `rate`, `wanted`, `threshold`, `low`, `high`."""
        return pd.DataFrame([self.row(level)])

    def plot(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw the rate at every threshold, the wanted one and the threshold's interval into matplotlib axes, and
        return them."""
        from karat.plots.threshold import ThresholdDisplay

        return ThresholdDisplay(self, level).plot(ax)

    def row(self, level: float = 0.95) -> dict[str, Any]:
        low, high = self.ci(level)
        return {"rate": self.rate, "wanted": self.wanted, "threshold": self.value, "low": low, "high": high}


def threshold_at_rate(data: Scored, *, fpf: float | None, tpf: float | None) -> ThresholdAt:
    if (fpf is None) == (tpf is None):
        raise InputError("a threshold belongs to an FPF or to a TPF", fix="Give fpf=.1, or tpf=.9")
    strictest, notes = nobody(float(data.scores.max()))
    if fpf is not None:
        wanted, scores, rate = fraction("fpf", fpf), np.sort(data.down)[::-1], "fpf"
        # the lowest threshold with FPF at most this: the lowest score above the (k + 1)-th largest negative
        k = math.floor(wanted * data.n0 + 1e-9)
        above = np.array([]) if k >= data.n0 else data.scores[data.scores > scores[k]]
        value = float(data.scores.min()) if k >= data.n0 else float(above.min()) if above.size else strictest
    else:
        assert tpf is not None
        wanted, scores, rate = fraction("tpf", tpf), np.sort(data.up)[::-1], "tpf"
        k = math.ceil(wanted * data.n1 - 1e-9)
        value = strictest if k < 1 else float(scores[k - 1])
    return ThresholdAt(value, rate, wanted, scores, notes if math.isnan(value) else ())
