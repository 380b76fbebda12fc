"""Choosing an operating point, and how sure the choice is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.curves.resampled import resampled_curves
from karat.curves.rules import Rule, rule_for
from karat.errors import InputError
from karat.kernels.intervals import percentile
from karat.result import Interval
from karat.sample.seeds import seed_sequence

if TYPE_CHECKING:
    from karat.curves.curve import RocCurve

OF = ("threshold", "tpf", "fpf", "merit")


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
        of (merit on the resample − merit of that threshold on all cases). None without resamples.
    replicates
        A row a resample: `threshold`, `tpf`, `fpf`, `merit` of the point chosen on it, and `next_score`, the
        next lower score: a threshold anywhere between the two decides the same.
    """

    criterion: str
    threshold: float
    tpf: float
    fpf: float
    merit: float
    optimism: float | None = None
    replicates: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(OF)), repr=False)
    notes: tuple[str, ...] = ()
    curve: RocCurve | None = field(default=None, repr=False)

    def ci(self, what: str = "threshold", level: float = 0.95) -> Interval:
        """Percentiles over the resamples: the choice would have fallen inside in `level` of them."""
        if what not in OF:
            raise InputError(f"a choice has no {what!r}", do=f"Choose one of {', '.join(OF)}")
        if self.replicates.empty:
            raise InputError("the choice was made without resamples", do="Call best(..., n_resamples=1000)")
        # any threshold from the next lower score up makes the same decisions: the interval begins there
        below = "next_score" if what == "threshold" else what
        low, _ = _percentiles(self.replicates[below].to_numpy(), level)
        _, high = _percentiles(self.replicates[what].to_numpy(), level)
        return Interval(low, high, level=level, method="percentile")

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """A row for the threshold, the TPF, the FPF and the merit: `value`, `low`, `high`."""
        rows = []
        for what in OF:
            limits = (None, None) if self.replicates.empty else self.ci(what, level)
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
    rule, notes = rule_for(criterion, tpf, fpf, costs, prevalence, curve.data.n1 / curve.data.n)
    at, met = rule.pick(curve.fpf, curve.tpf)
    chosen = Choice(
        criterion=rule.words,
        threshold=float(curve.thresholds[at]),
        tpf=float(curve.tpf[at]),
        fpf=float(curve.fpf[at]),
        merit=float(rule.merit(curve.fpf[at], curve.tpf[at])),
        curve=curve,
        notes=(*notes, *curve.notes, *(() if met else (rule.unmet,))),
    )
    if n_resamples == 0:
        return chosen
    return _with_replicates(chosen, curve, rule, n_resamples, np.random.default_rng(seed_sequence(rng)))


def _with_replicates(chosen: Choice, curve: RocCurve, rule: Rule, n: int, rng: np.random.Generator) -> Choice:
    rows, gaps = [], []
    up, down = np.sort(curve.data.up), np.sort(curve.data.down)
    for resampled in resampled_curves(curve, rng, n):
        if resampled is None:
            continue
        at, _ = rule.pick(resampled.fpf, resampled.tpf)
        threshold, x, y = resampled.thresholds[at], resampled.fpf[at], resampled.tpf[at]
        merit = float(rule.merit(x, y))
        later = np.flatnonzero((resampled.fpf[at:] > x) | (resampled.tpf[at:] > y))
        next_score = resampled.thresholds[at + later[0]] if later.size else -np.inf
        rows.append((threshold, y, x, merit, next_score))
        above = [1 - np.searchsorted(values, threshold, side="left") / len(values) for values in (down, up)]
        gaps.append(merit - float(rule.merit(*above)))
    if not rows:
        raise InputError("no resample has a curve of this kind", do='Use method="empirical", or n_resamples=0')
    left = n - len(rows)
    note = f"{left} of {n} resamples have no {curve.method} curve and are left out." if left else ""
    return replace(
        chosen,
        optimism=float(np.mean(gaps)) * (1 if rule.larger_is_better else -1),
        replicates=pd.DataFrame(rows, columns=[*OF, "next_score"]),
        notes=(*chosen.notes, *((note,) if note else ())),
    )
