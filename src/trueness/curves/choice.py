"""Choosing an operating point, and how certain the choice is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice, check_level, check_whole
from trueness.curves.criteria import EQUAL_RATES, Rule, picked
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.inputs import RATE_NAMES
from trueness.curves.notes import columns, kept, resamples_without_curve, too_few_groups
from trueness.curves.point import proportion, rates_of
from trueness.curves.resampled import resampled_curves
from trueness.errors import InputError
from trueness.formulas import mover
from trueness.formulas.intervals import percentile
from trueness.result import Interval, Note
from trueness.result.digits import significant
from trueness.result.shown import Drawn, Result
from trueness.result.table import Page, Table
from trueness.sample.seeds import generator_of
from trueness.typing import Floats, Record, Rng

Asked = Literal["threshold", "tpf", "fpf", "merit"]
ASKED: tuple[Asked, ...] = ("threshold", "tpf", "fpf", "merit")
ALL_POSITIVE = Note(
    "all-positive", "This threshold labels every case positive; no other point meets the criterion.", severity="warning"
)
_NO_REPLICATES, _NO_RATES = pd.DataFrame(columns=list(ASKED)), pd.DataFrame(columns=list(ASKED[1:]))


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Result, Drawn):
    """A chosen operating point.

    Attributes
    ----------
    curve : RocCurve
        What it was chosen on.
    rule : Rule
        What it was chosen by.
    threshold, tpf, fpf : float
        The point: decide positive where score ≥ threshold.
    merit : float
        What the criterion measures there: Youden's index, the distance to (0, 1), the expected cost, or the rate
        that was not fixed.
    optimism : float, optional
        How much better the merit looks on the cases it was chosen on than on others: the mean over resamples of
        (merit on the resample − merit of that threshold on all cases), both on the same kind of curve. None without
        resamples.
    rate_optimism : tuple of two floats
        How much higher the TPF and how much lower the FPF look, in the same way; 0 without resamples.
    replicates : DataFrame
        One row per resample: `threshold`, `tpf`, `fpf`, `merit` of the point chosen on it, and `next_score`, the next
        lower score: a threshold anywhere between the two decides the same.
    at_threshold : DataFrame
        Of fitted curves, one row per resample: `tpf`, `fpf`, `merit` of the chosen threshold on the resample's curve.
    """

    curve: RocCurve
    rule: Rule
    threshold: float
    tpf: float
    fpf: float
    merit: float
    notes: tuple[Note, ...] = ()
    optimism: float | None = None
    rate_optimism: tuple[float, float] = (0.0, 0.0)
    replicates: pd.DataFrame = field(default_factory=_NO_REPLICATES.copy)
    at_threshold: pd.DataFrame = field(default_factory=_NO_RATES.copy)

    @property
    def criterion(self) -> str:
        """What it was chosen for, in words."""
        return self.rule.words

    def ci(self, what: Asked | str = "threshold", level: float = 0.95) -> Interval:
        """An interval of the threshold, or of what the chosen threshold does in the population.

        Parameters
        ----------
        what : {"threshold", "tpf", "fpf", "merit"}, or "sensitivity", "specificity"
            "threshold": percentiles over resamples, the choice would have fallen inside in `level` of them.
            "tpf", "fpf": the rate of the decision score ≥ threshold, Wilson's interval as `at(threshold)` has it,
            extended by `rate_optimism` on the unfavourable side where there are resamples (rates of points chosen on
            resamples would not do: with best(tpf=.9) none is below .9).
            "merit": from the intervals of the two rates (MOVER; Newcombe's for Youden's index), extended by `optimism`
            on the unfavourable side where there are resamples.
            Of a fitted curve the rates are those of the curves fitted to resamples, at this threshold; where nearly
            all of them label every case positive, or every case negative, Wilson's.
        level : float, default 0.95
            Coverage asked for. Without resamples the point counts as given for the rates, although it was the best of
            many: the intervals of a weak rule then cover less often than they state (docs/roc.md).

        Returns
        -------
        Interval
        """
        name, turned = RATE_NAMES.get(what, (what, False))
        check_choice("what", name, ASKED, f"A choice has no {what!r}")
        check_level(level)
        low, high = found = self._interval(name, level)
        return Interval(1 - high, 1 - low, level=level, method=found.method, note=found.note) if turned else found

    def _interval(self, what: str, level: float) -> Interval:
        if what != "threshold" and isinstance(self.curve, EmpiricalRoc):
            return self._of_rates(what, level)
        if self.replicates.empty:
            raise InputError(
                "The choice was made without resamples", param="n_resamples", fix="Call best with {n_resamples=1000}"
            )
        if what == "threshold":
            # any threshold from the next lower score up makes the same decisions: the interval begins there
            low, _ = _percentiles(self.replicates["next_score"].to_numpy(), level)
            _, high = _percentiles(self.replicates["threshold"].to_numpy(), level)
        else:
            low, high = _percentiles(self.at_threshold[what].to_numpy(), level)
            if high - low < EQUAL_RATES:  # every case on one side in nearly all resamples
                return self._of_rates(what, level)
        return Interval(low, high, level=level, method="percentile")

    def _of_rates(self, what: str, level: float) -> Interval:
        """Wilson's of a rate, and of the merit what moving each rate to its limits makes of it."""
        data = self.curve.data
        if data.groups is None:
            rates = (proportion("fpf", self.fpf, data.n0), proportion("tpf", self.tpf, data.n1))
        else:
            rates = rates_of(data, data.scores >= self.threshold)  # nowhere where the threshold is NaN
        fpf, tpf = (e.ci(level) for e in rates)
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
        corners = [merit(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]  # no merit is outside them
        return Interval(max(float(low), min(corners)), min(float(high), max(corners)), level=level, method="mover")

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row each for the threshold, the TPF, the FPF and the merit: `of`, `value`, `low`, `high`."""
        rows = []
        for what in ASKED:
            known = not self.replicates.empty or (what != "threshold" and isinstance(self.curve, EmpiricalRoc))
            low, high = self.ci(what, level) if known else (None, None)
            rows.append({"of": what, "value": getattr(self, what), "low": low, "high": high})
        return pd.DataFrame(rows)

    def page(self, level: float | None = None) -> Page:
        level = level or 0.95
        table = self.frame(level)
        rows = [
            (str(row.of), significant(row.value, 4), "" if pd.isna(row.low) else _span(row.low, row.high))
            for row in table.itertuples()
        ]
        optimism = (
            ""
            if self.optimism is None
            else f"Optimism of the merit (bootstrap): {significant(self.optimism, 3)}, in its interval."
        )
        return Page(
            title=f"Operating point on the {self.curve.method} ROC curve: {self.criterion}",
            answer=f"score ≥ {significant(self.threshold, 6)}: TPF {self.tpf:.3f}, FPF {self.fpf:.3f}",
            tables=(Table.of(("of", "value", f"{100 * level:g} % interval"), rows),),
            notes=self.notes,
            footer=optimism,
        )

    def to_dict(self) -> Record:
        return {
            "criterion": self.criterion,
            "curve": self.curve.method,
            "estimates": columns(self.frame()),
            "level": 0.95,
            "optimism": self.optimism,
            "resamples": len(self.replicates),
            "notes": [note.to_dict() for note in self.notes],
        }


def _span(low: float, high: float) -> str:
    return f"{significant(low, 4)} to {significant(high, 4)}"


def _percentiles(values: Floats, level: float) -> tuple[float, float]:
    """Percentiles that allow ±inf (all cases on one side): order statistics where there is one."""
    if np.isfinite(values).all():
        return percentile(values, level)
    ordered = np.sort(np.where(np.isnan(values), np.inf, values))
    low, high = np.floor((1 - level) / 2 * len(ordered)), np.ceil((1 + level) / 2 * len(ordered)) - 1
    return float(ordered[int(low)]), float(ordered[int(high)])


def choose(curve: RocCurve, rule: Rule, note: Note | None, n_resamples: int, rng: Rng) -> Choice:
    """The best point of the curve by the rule, which a note may belong to, and by the same rule on resamples."""
    check_whole("n_resamples", n_resamples, 0)
    if curve.data.groups is not None and min(curve.data.independent) < 2:
        raise InputError(
            "All cases of a class are in one group, so nothing shows how certain a choice is", param="groups"
        )
    point = picked(curve, rule)
    unmet, all_positive = None if point.met else rule.unmet, ALL_POSITIVE if point.fpf > 1 - EQUAL_RATES else None
    chosen = Choice(
        curve=curve,
        rule=rule,
        threshold=point.threshold,
        tpf=point.tpf,
        fpf=point.fpf,
        merit=rule.merit(point.fpf, point.tpf),
        notes=kept(note, *curve.notes, unmet, all_positive, too_few_groups(curve.data)),
    )
    if n_resamples == 0:
        return chosen
    return _with_replicates(chosen, n_resamples, generator_of(rng))


def _with_replicates(chosen: Choice, n: int, rng: np.random.Generator) -> Choice:
    curve, rule = chosen.curve, chosen.rule
    rows, gaps, fixed, rates = [], [], [], []
    for resampled in resampled_curves(curve, rng, n):
        point = picked(resampled, rule)
        merit = rule.merit(point.fpf, point.tpf)
        rows.append((point.threshold, point.tpf, point.fpf, merit, point.next_score))
        on_all = curve.rates_at(point.threshold)
        gaps.append(merit - rule.merit(*on_all))
        rates.append((point.tpf - on_all[1], on_all[0] - point.fpf))
        if isinstance(resampled, RocCurve):
            f, t = resampled.rates_at(chosen.threshold)
            fixed.append((t, f, rule.merit(f, t)))
    tpf_gain, fpf_gain = np.maximum(np.mean(rates, axis=0), 0.0).tolist()
    return replace(
        chosen,
        optimism=float(np.mean(gaps)) * (1 if rule.larger_is_better else -1),
        rate_optimism=(tpf_gain, fpf_gain),
        replicates=pd.DataFrame(rows, columns=[*ASKED, "next_score"]),
        at_threshold=pd.DataFrame(fixed, columns=list(ASKED[1:])),
        notes=kept(*chosen.notes, resamples_without_curve(n - len(rows), n, curve.method)),
    )
