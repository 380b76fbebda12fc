"""Choosing an operating point, and how sure the choice is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from karat.curves.curve import RocCurve
from karat.curves.empirical import EmpiricalRoc
from karat.curves.picking import picked
from karat.curves.point import proportion
from karat.curves.resampled import check_resamples, resampled_curves
from karat.curves.rules import CLOSE, Rule, rule_for
from karat.errors import InputError
from karat.formulas import mover
from karat.formulas.intervals import percentile
from karat.result import Interval
from karat.sample.seeds import seed_sequence

OF = ("threshold", "tpf", "fpf", "merit")
RATES = OF[1:]
_NO_REPLICATES, _NO_RATES = pd.DataFrame(columns=list(OF)), pd.DataFrame(columns=list(RATES))
EVERYBODY = "Everybody is called positive here: no other point of this curve serves the rule."


@dataclass(frozen=True, eq=False)
class Choice:
    """A chosen operating point.

    Attributes
    ----------
    criterion
        What it was chosen for, in words.
    threshold, tpf, fpf
        The point: decide positive where score ≥ threshold.
    merit
        What the criterion measures there: Youden's index, the distance to (0, 1), the expected cost, or the rate
        that was not bound.
    optimism
        How much better the merit looks on the cases it was chosen on than on others: the mean over resamples
        of (merit on the resample − merit of that threshold on all cases), both on the same kind of curve. None
        without resamples.
    rate_optimism
        How much higher the TPF and how much lower the FPF look, in the same way; 0 without resamples.
    replicates
        A row a resample: `threshold`, `tpf`, `fpf`, `merit` of the point chosen on it, and `next_score`, the
        next lower score: a threshold anywhere between the two decides the same.
    at_threshold
        Of fitted curves, a row a resample: `tpf`, `fpf`, `merit` of the chosen threshold on the resample's curve.
    """

    criterion: str
    threshold: float
    tpf: float
    fpf: float
    merit: float
    optimism: float | None = None
    replicates: pd.DataFrame = field(default_factory=_NO_REPLICATES.copy, repr=False)
    notes: tuple[str, ...] = ()
    curve: RocCurve | None = field(default=None, repr=False)
    rule: Rule | None = field(default=None, repr=False)
    at_threshold: pd.DataFrame = field(default_factory=_NO_RATES.copy, repr=False)
    rate_optimism: tuple[float, float] = (0.0, 0.0)

    def ci(self, what: str = "threshold", level: float = 0.95) -> Interval:
        """An interval of the threshold, or of what the chosen threshold does in the population.

        Parameters
        ----------
        what
            "threshold": percentiles over resamples, the choice would have fallen inside in `level` of them.
            "tpf", "fpf": the rate of the decision score ≥ threshold, Wilson's interval as `at(threshold)` has it,
            and longer by `rate_optimism` on the side of the worse, where there are resamples (the rates of points
            chosen on resamples are no such thing: with best(tpf=.9) none is below .9).
            "merit": from the intervals of the two rates (`kernels.mover`; Newcombe's for Youden's index), and
            longer by `optimism` on the side of the worse, where there are resamples.
            Of a fitted curve the rates are those of the curves fitted to resamples, at this threshold; where
            everybody or nobody is called positive on all of them, Wilson's.
        level
            Coverage asked for. Without resamples the point counts as given for the rates, although it was the best of
            many: the intervals of a weak rule then hold less often than they say (docs/roc.md).
        """
        if what not in OF:
            raise InputError(f"a choice has no {what!r}", fix=f"Choose one of {', '.join(OF)}")
        if not 0 < level < 1:
            raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
        if what != "threshold" and isinstance(self.curve, EmpiricalRoc):
            return self._of_rates(what, level, self.curve)
        if self.replicates.empty:
            raise InputError("the choice was made without resamples", fix="Call best(..., n_resamples=1000)")
        if what != "threshold" and self.curve is not None and np.ptp(self.at_threshold[what]) < CLOSE:
            return self._of_rates(what, level, self.curve)  # everybody, or nobody: resamples cannot say otherwise
        if what == "threshold":
            # any threshold from the next lower score up makes the same decisions: the interval begins there
            low, _ = _percentiles(self.replicates["next_score"].to_numpy(), level)
            _, high = _percentiles(self.replicates["threshold"].to_numpy(), level)
        else:
            low, high = _percentiles(self.at_threshold[what].to_numpy(), level)
        return Interval(low, high, level=level, method="percentile")

    def _of_rates(self, what: str, level: float, curve: RocCurve) -> Interval:
        """Wilson's of a rate, and of the merit what moving each rate to its limits makes of it."""
        assert self.rule is not None
        tpf, fpf = (
            proportion(name, p, n).ci(level)
            for name, p, n in (("tpf", self.tpf, curve.data.n1), ("fpf", self.fpf, curve.data.n0))
        )
        if what == "tpf":
            low = max(0.0, tpf.low - self.rate_optimism[0])
            return Interval(low, tpf.high, level=level, method=tpf.method, note=tpf.note)
        if what == "fpf":
            high = min(1.0, fpf.high + self.rate_optimism[1])
            return Interval(fpf.low, high, level=level, method=fpf.method, note=fpf.note)
        merit = self.rule.merit
        by_fpf = merit(fpf.low, self.tpf), merit(fpf.high, self.tpf)
        by_tpf = merit(self.fpf, tpf.low), merit(self.fpf, tpf.high)
        low, high = mover.together(self.merit, (by_fpf, by_tpf))
        too_good = max(self.optimism or 0.0, 0.0)
        low, high = (low - too_good, high) if self.rule.larger_is_better else (low, high + too_good)
        corners = [float(merit(x, y)) for x in (0.0, 1.0) for y in (0.0, 1.0)]  # no merit is outside them
        return Interval(max(float(low), min(corners)), min(float(high), max(corners)), level=level, method="mover")

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """A row for the threshold, the TPF, the FPF and the merit: `value`, `low`, `high`."""
        rows = []
        for what in OF:
            known = not self.replicates.empty or (what != "threshold" and isinstance(self.curve, EmpiricalRoc))
            limits = self.ci(what, level) if known else (None, None)
            rows.append({"of": what, "value": getattr(self, what), "low": limits[0], "high": limits[1]})
        return pd.DataFrame(rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, the point and the points chosen on resamples into matplotlib axes, and return them."""
        from karat.plots.choice import ChoiceDisplay

        return ChoiceDisplay(self).plot(ax)

    def __str__(self) -> str:
        return f"{self.criterion}: score ≥ {self.threshold:.6g}, TPF {self.tpf:.3f}, FPF {self.fpf:.3f}"


def _percentiles(values: np.ndarray, level: float) -> tuple[float, float]:
    """Percentiles that know ±inf (everybody or nobody is called positive): order statistics where there is one."""
    if np.isfinite(values).all():
        return percentile(values, level)
    ordered = np.sort(np.where(np.isnan(values), np.inf, values))
    low, high = np.floor((1 - level) / 2 * len(ordered)), np.ceil((1 + level) / 2 * len(ordered)) - 1
    return float(ordered[int(low)]), float(ordered[int(high)])


def choose(
    curve: RocCurve,
    criterion: str | None,
    *,
    tpf: float | None,
    fpf: float | None,
    costs: Any,
    prevalence: float | None,
    n_resamples: int,
    rng: Any,
) -> Choice:
    """The best point of the curve by one rule, and the same rule on resamples of the cases."""
    n_resamples = check_resamples(n_resamples, least=0)
    rule, notes = rule_for(criterion, tpf, fpf, costs, prevalence, curve.data.n1 / curve.data.n)
    point = picked(curve, rule)
    unmet = () if point.met else (rule.unmet,)
    everybody = (EVERYBODY,) if point.fpf > 1 - CLOSE else ()
    chosen = Choice(
        criterion=rule.words,
        threshold=point.threshold,
        tpf=point.tpf,
        fpf=point.fpf,
        merit=float(rule.merit(point.fpf, point.tpf)),
        curve=curve,
        rule=rule,
        notes=(*notes, *curve.notes, *unmet, *everybody),
    )
    if n_resamples == 0:
        return chosen
    return _with_replicates(chosen, curve, rule, n_resamples, np.random.default_rng(seed_sequence(rng)))


def _with_replicates(chosen: Choice, curve: RocCurve, rule: Rule, n: int, rng: np.random.Generator) -> Choice:
    rows, gaps, fixed, rates = [], [], [], []
    for resampled in resampled_curves(curve, rng, n):
        if resampled is None:
            continue
        point = picked(resampled, rule)
        merit = float(rule.merit(point.fpf, point.tpf))
        rows.append((point.threshold, point.tpf, point.fpf, merit, point.next_score))
        on_all = curve.rates_at(point.threshold)
        gaps.append(merit - float(rule.merit(*on_all)))
        rates.append((point.tpf - on_all[1], on_all[0] - point.fpf))
        if isinstance(resampled, RocCurve):
            f, t = resampled.rates_at(chosen.threshold)
            fixed.append((t, f, float(rule.merit(f, t))))
    if not rows:
        raise InputError("no resample has a curve of this kind", fix='Use method="empirical", or n_resamples=0')
    left = n - len(rows)
    note = f"{left} of {n} resamples have no {curve.method} curve and are left out." if left else ""
    return replace(
        chosen,
        optimism=float(np.mean(gaps)) * (1 if rule.larger_is_better else -1),
        rate_optimism=tuple(np.maximum(np.mean(rates, axis=0), 0.0).tolist()),
        replicates=pd.DataFrame(rows, columns=[*OF, "next_score"]),
        at_threshold=pd.DataFrame(fixed, columns=list(RATES)),
        notes=(*chosen.notes, *((note,) if note else ())),
    )
