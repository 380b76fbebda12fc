"""Choosing an operating point by a criterion, and how certain the choice is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import (
    check_choice,
    check_level,
    check_whole,
    cost_matrix,
    fraction,
    generator_of,
    refuse_turned_costs,
)
from trueness.curves.common import as_threshold, kept, resamples_without_curve, too_few_groups
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import CurvePoints, EmpiricalRoc, resampled_curves
from trueness.curves.fitted import NormalRoc
from trueness.curves.point import table_of
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, Mark, Points, roc_panel
from trueness.formulas import mover
from trueness.formulas.intervals import percentile
from trueness.metrics.measure import OfTable, TableFunction
from trueness.metrics.metric import Metric
from trueness.metrics.registry import canonical, measure_of, names, resolve
from trueness.result.columns import Column, Columns
from trueness.result.interval import Interval
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result
from trueness.result.words import significant, spoken
from trueness.typing import Bools, Floats, Record, Rng

Criterion = str | Metric  # "closest", or a metric that is a function of the table, by any of its names
Costs = npt.ArrayLike
Merit = Callable[[Floats, Floats], Floats]  # (fpf, tpf) → the measure

EQUAL_RATES = 1e-12  # rates this close are equal (means over folds are rounded)
FAR_SDS = 9.0  # Φ(−9) is 1e-19
REFINEMENTS = 8  # each narrows the place of the threshold by a factor of 32


def _youden(fpf: Floats, tpf: Floats) -> Floats:
    return tpf - fpf


def _distance(fpf: Floats, tpf: Floats) -> Floats:
    return np.hypot(fpf, 1 - tpf)


def _fpf(fpf: Floats, tpf: Floats) -> Floats:
    return fpf


def tpf_of(fpf: Floats, tpf: Floats) -> Floats:
    """A merit."""
    return tpf


def _everywhere(fpf: Floats, tpf: Floats) -> Bools:
    return np.ones(fpf.shape, dtype=bool)


def _enough(least: float, fpf: Floats, tpf: Floats) -> Bools:
    return tpf >= least - EQUAL_RATES  # the last point, (1, 1), always has it


def _few(most: float, fpf: Floats, tpf: Floats) -> Bools:
    return (fpf <= most + EQUAL_RATES) & (tpf > 0)


@dataclass(frozen=True, eq=False)
class ChoiceRule:
    """How to choose among points of a curve that run from (0, 0) to (1, 1); of functions of a module and partial ones, so
    that what is chosen can be pickled."""

    words: str  # what is wanted
    measure: Merit = _youden  # (fpf, tpf) → the measure
    sign: int = 1  # −1: small values are better
    allowed: Callable[[Floats, Floats], Bools] = _everywhere
    laxest: bool = False  # of equally good points the last, not the first
    unmet: Note | None = None  # what to say where no point is allowed

    def merit(self, fpf: float, tpf: float) -> float:
        """The measure at one point."""
        return float(self.measure(np.asarray(fpf), np.asarray(tpf)))

    def pick(self, fpf: Floats, tpf: Floats) -> tuple[int, bool]:
        """The place of the best point that is allowed, and whether there is one."""
        allowed = self.allowed(fpf, tpf)
        if not allowed.any():
            return 0, False
        values = np.nan_to_num(self.sign * self.measure(fpf, tpf), nan=-np.inf, posinf=np.inf)  # NaN: undefined there
        best = np.flatnonzero(allowed & (values >= values[allowed].max() - EQUAL_RATES))
        return int(best[-1 if self.laxest else 0]), True


def rule_for(
    criterion: Criterion | None,
    tpf: float | None,
    fpf: float | None,
    costs: Costs | None,
    prevalence: float | None,
    share: float,
    classes: Sequence[object],
) -> tuple[ChoiceRule, Note | None]:
    """The one rule that was asked for, with a note; `share` is the share of positives among the cases, `classes` are the
    labels in the order negative, positive."""
    by_cost = costs is not None or (prevalence is not None and criterion is None)
    if sum([criterion is not None, tpf is not None, fpf is not None, by_cost]) > 1:
        raise InputError(
            "An operating point is chosen by one criterion",
            param="criterion",
            fix="Pass only one of criterion, tpf, fpf, or costs; prevalence goes with costs or a criterion",
        )
    if tpf is not None:
        enough = partial(_enough, fraction("tpf", tpf))
        return ChoiceRule(f"TPF at least {tpf:g}", _fpf, -1, enough, laxest=True), None
    if fpf is not None:
        few, unmet = partial(_few, fraction("fpf", fpf)), Note("criterion-not-met", fpf=fpf)
        return ChoiceRule(f"FPF at most {fpf:g}", tpf_of, 1, few, unmet=unmet), None
    rho, depends = share if prevalence is None else fraction("prevalence", prevalence), True
    if by_cost:
        rule = least_cost(costs, rho, classes)
    else:
        rule, depends = best_of(criterion or "youden", rho, classes)
    if prevalence is None:
        return rule, Note("prevalence-of-sample", prevalence=share) if depends else None
    if not depends:
        problem = f"The choice by {criterion} does not depend on the prevalence"
        raise InputError(problem, param="prevalence", got=prevalence, fix="Omit it")
    return rule, None


def best_of(criterion: Criterion, prevalence: float, classes: Sequence[object]) -> tuple[ChoiceRule, bool]:
    """The best value of a metric of the table at this prevalence, and whether it depends on that."""
    known = canonical(criterion)
    if criterion == "closest" or known == "youden":
        closest = ChoiceRule("nearest to (0, 1)", _distance, -1)
        return ChoiceRule("largest Youden index TPF − FPF") if known else closest, False
    if not isinstance(criterion, Metric) and known is None:
        known_ones = ", ".join(["closest", *(n for n in names() if isinstance(resolve(n), OfTable))])
        raise InputError(f"There is no criterion {criterion!r}", param="criterion", fix=f"Choose one of {known_ones}")
    metric, measure = resolve(criterion), measure_of(criterion, classes, param="criterion")
    if metric.higher_is_better is None:
        raise InputError(f"{metric.name} is neither better high nor low", param="criterion")
    sign = 1 if metric.higher_is_better else -1
    merit = partial(_of_table, measure.function, prevalence)
    words = f"best {spoken(metric.name)}" + f" at prevalence {prevalence:.4g}" * measure.needs_prevalence
    return ChoiceRule(words, merit, sign), measure.needs_prevalence


def _of_table(function: TableFunction, prevalence: float, fpf: Floats, tpf: Floats) -> Floats:
    by_class = [[(1 - prevalence) * (1 - fpf), (1 - prevalence) * fpf], [prevalence * (1 - tpf), prevalence * tpf]]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(function(np.moveaxis(np.array(by_class), (0, 1), (-2, -1))))


def least_cost(costs: Costs | None, prevalence: float, classes: Sequence[object]) -> ChoiceRule:
    """Least expected cost, ρ(c10 (1 − TPF) + c11 TPF) + (1 − ρ)(c00 (1 − FPF) + c01 FPF) at prevalence ρ."""
    table = refuse_turned_costs(cost_matrix([[0, 1], [1, 0]] if costs is None else costs, 2, classes=classes))
    return ChoiceRule(f"least expected cost at prevalence {prevalence:.4g}", partial(_cost, table, prevalence), -1)


def _cost(table: Floats, prevalence: float, fpf: Floats, tpf: Floats) -> Floats:
    (c00, c01), (c10, c11) = table
    of_positives, of_negatives = c10 * (1 - tpf) + c11 * tpf, c00 * (1 - fpf) + c01 * fpf
    return np.asarray(prevalence * of_positives + (1 - prevalence) * of_negatives)


# -- on a curve ------------------------------------------------------------------------------------


class Picked(NamedTuple):
    """A point; `next_score` is the next lower threshold that decides otherwise."""

    threshold: float
    fpf: float
    tpf: float
    next_score: float
    met: bool


def picked(curve: RocCurve | CurvePoints, rule: ChoiceRule) -> Picked:
    """The point that the rule picks: among the points of the curve, or of a normal-theory curve anywhere on it."""
    if isinstance(curve, NormalRoc):
        return _anywhere(curve, rule)
    at, met = rule.pick(curve.fpf, curve.tpf)
    threshold, x, y = curve.thresholds[at], curve.fpf[at], curve.tpf[at]
    later = np.flatnonzero((curve.fpf[at:] > x) | (curve.tpf[at:] > y))
    next_score = curve.thresholds[at + later[0]] if later.size else -np.inf
    return Picked(float(threshold), float(x), float(y), float(next_score), met)


def _anywhere(curve: NormalRoc, rule: ChoiceRule) -> Picked:
    """Normal distributions have a point at every threshold: the rule picks one of many, then one of many between its
    neighbours, until the threshold is known to twelve digits (where a merit is flat at its best, to six)."""
    (m1, s1), (m0, s0) = curve.moments
    middle = np.linspace(max(m1 + FAR_SDS * s1, m0 + FAR_SDS * s0), min(m1 - FAR_SDS * s1, m0 - FAR_SDS * s0), 401)
    thresholds = np.concatenate([[np.inf], middle, [-np.inf]])
    for _ in range(REFINEMENTS):
        fpf, tpf = curve.rates(thresholds)
        at, met = rule.pick(fpf, tpf)
        out = Picked(float(thresholds[at]), float(fpf[at]), float(tpf[at]), float(thresholds[at]), met)
        around = thresholds[[max(at - 1, 0), min(at + 1, len(thresholds) - 1)]]
        if not np.isfinite(around).all():  # every case on one side
            break
        thresholds = np.linspace(around[0], around[1], 65)
    return out


Asked = Literal["threshold", "tpf", "fpf", "merit"]
ASKED: tuple[Asked, ...] = ("threshold", "tpf", "fpf", "merit")
ALL_POSITIVE = Note("all-positive")
ALL_NEGATIVE = Note("all-negative")
_NO_REPLICATES, _NO_RATES = pd.DataFrame(columns=list(ASKED)), pd.DataFrame(columns=list(ASKED[1:]))


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Result, Drawn):
    """A chosen operating point.

    Attributes
    ----------
    curve : RocCurve
        What it was chosen on.
    rule : ChoiceRule
        What it was chosen by.
    criterion : str
        The same in words.
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
    rule: ChoiceRule
    criterion: str
    threshold: float
    tpf: float
    fpf: float
    merit: float
    notes: tuple[Note, ...] = ()
    optimism: float | None = None
    rate_optimism: tuple[float, float] = (0.0, 0.0)
    replicates: pd.DataFrame = field(default_factory=_NO_REPLICATES.copy)
    at_threshold: pd.DataFrame = field(default_factory=_NO_RATES.copy)
    level: float = 0.95

    heading = "Operating point on the {method} ROC curve: {criterion}"
    template = "score ≥ {printed}: TPF {tpf:.3f}, FPF {fpf:.3f}"
    footnote = "Optimism of the merit (bootstrap): {optimism:.3g}, in its interval."
    columns: ClassVar[Columns] = {
        "of": Column("of"),
        "value": Column("value", ".4g"),
        "low": Column("low, {percent}", ".4g"),
        "high": Column("high, {percent}", ".4g"),
    }

    @property
    def method(self) -> str:
        """Of the curve."""
        return self.curve.method

    @property
    def printed(self) -> str:
        """The threshold in digits that make the same decisions."""
        scores = self.curve.data.scores
        return as_threshold(self.threshold, float(scores[scores < self.threshold].max(initial=-np.inf)))

    def ci(self, what: Asked = "threshold", level: float = 0.95) -> Interval:
        """An interval of the threshold, or of what the chosen threshold does in the population.

        Parameters
        ----------
        what : {"threshold", "tpf", "fpf", "merit"}
            "threshold": percentiles over resamples (scores, not between two), from above `low` up to and including `high`.
            A choice s decides as any threshold above the next lower score does, so `low` is the next lower score of the
            lowest choice: of the scores 1 to 5, limits 1 and 5 mean that 2 to 5 were chosen, and 1 was not.
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
        check_choice("what", what, ASKED, f"A choice has no {what!r}")
        check_level(level)
        if what != "threshold" and isinstance(self.curve, EmpiricalRoc):
            return self._of_rates(what, level)
        if self.replicates.empty:
            raise InputError(
                "The choice was made without resamples", param="n_resamples", fix="Call best with n_resamples=1000"
            )
        if what == "threshold":
            # any threshold above the next lower score makes the same decisions: the interval begins there
            scores = self.replicates[["next_score", "threshold"]].to_numpy()
            ordered = np.sort(np.where(np.isnan(scores), np.inf, scores), axis=0)  # NaN: all cases on one side
            first, last = math.floor((1 - level) / 2 * len(scores)), math.ceil((1 + level) / 2 * len(scores)) - 1
            return Interval(float(ordered[first, 0]), float(ordered[last, 1]), level=level, method="percentile")
        low, high = percentile(self.at_threshold[what].to_numpy(), level)
        if high - low < EQUAL_RATES:  # every case on one side in nearly all resamples
            return self._of_rates(what, level)
        return Interval(low, high, level=level, method="percentile")

    def _of_rates(self, what: str, level: float) -> Interval:
        """Wilson's of a rate, and of the merit what moving each rate to its limits makes of it."""
        data = self.curve.data
        d = table_of(data, data.scores >= self.threshold)  # nowhere where it is NaN
        fpf, tpf = d.fpf.ci(level), d.tpf.ci(level)
        if what == "tpf":
            return Interval(max(0.0, tpf.low - self.rate_optimism[0]), tpf.high, level=level, method=tpf.method)
        if what == "fpf":
            return Interval(fpf.low, min(1.0, fpf.high + self.rate_optimism[1]), level=level, method=fpf.method)
        merit = self.rule.merit
        by_fpf = merit(fpf.low, self.tpf), merit(fpf.high, self.tpf)
        by_tpf = merit(self.fpf, tpf.low), merit(self.fpf, tpf.high)
        low, high = mover.together(self.merit, (by_fpf, by_tpf))
        too_good = max(self.optimism or 0.0, 0.0)
        if self.rule.sign > 0:
            low -= too_good
        else:
            high += too_good
        corners = [merit(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]  # no merit is outside them
        return Interval(max(float(low), min(corners)), min(float(high), max(corners)), level=level, method="mover")

    def rows(self) -> list[Record]:
        """The threshold, the TPF and the FPF with their intervals, and the merit."""
        rows: list[Record] = []
        of_cases = isinstance(self.curve, EmpiricalRoc)
        for what in ASKED:
            row: Record = {"of": what, "value": getattr(self, what), "low": None, "high": None}
            if what != "merit" and (len(self.replicates) or (of_cases and what != "threshold")):
                row["low"], row["high"] = self.ci(what, self.level)
            rows.append(row)
        return rows

    def figure(self) -> Figure:
        """The curve, the chosen point, and the points chosen on resamples."""
        marks: list[Mark] = [Line(*self.curve.drawn(), color="C0", width=1.5)]
        again = self.replicates
        if len(again):
            label = f"chosen on {len(again)} resamples"
            marks.append(Points(again["fpf"], again["tpf"], label, color="C1", size=12, opacity=0.35))
        said = f"score ≥ {significant(self.threshold, 4)}, TPF {self.tpf:.3f}, FPF {self.fpf:.3f}"
        marks.append(Points([self.fpf], [self.tpf], f"{self.criterion}: {said}", "x", "ink", 80))
        return Figure("Chosen operating point", (roc_panel(marks),))


def choose(curve: RocCurve, rule: ChoiceRule, note: Note | None, n_resamples: int, rng: Rng) -> Choice:
    """The best point of the curve by the rule, which a note may belong to, and by the same rule on resamples."""
    check_whole("n_resamples", n_resamples, 0)
    if curve.data.groups is not None and min(curve.data.independent) < 2:
        raise InputError(
            "All cases of a class are in one group, so nothing shows how certain a choice is", param="groups"
        )
    point = picked(curve, rule)
    unmet = None if point.met else rule.unmet
    if point.fpf > 1 - EQUAL_RATES:
        unmet = ALL_POSITIVE
    elif unmet is None and point.tpf == point.fpf == 0:
        unmet = ALL_NEGATIVE
    chosen = Choice(
        curve=curve,
        rule=rule,
        criterion=rule.words,
        threshold=point.threshold,
        tpf=point.tpf,
        fpf=point.fpf,
        merit=rule.merit(point.fpf, point.tpf),
        notes=kept(note, *curve.notes, unmet, too_few_groups(curve.data)),
    )
    if n_resamples == 0:
        return chosen
    points, fixed = [], []
    for resampled in resampled_curves(curve, generator_of(rng), n_resamples):
        points.append(picked(resampled, rule))
        if isinstance(resampled, RocCurve):
            fpf, tpf = resampled.rates_at(chosen.threshold)
            fixed.append((tpf, fpf, rule.merit(fpf, tpf)))
    replicates = pd.DataFrame(points)
    replicates["merit"] = [rule.merit(p.fpf, p.tpf) for p in points]
    on_all = np.array([curve.rates_at(p.threshold) for p in points])
    gains = (replicates["tpf"] - on_all[:, 1]).mean(), (on_all[:, 0] - replicates["fpf"]).mean()
    gap = float(np.mean(replicates["merit"] - [rule.merit(*rates) for rates in on_all]))
    return replace(
        chosen,
        optimism=rule.sign * gap,
        rate_optimism=(max(float(gains[0]), 0.0), max(float(gains[1]), 0.0)),
        replicates=replicates[[*ASKED, "next_score"]],
        at_threshold=pd.DataFrame(fixed, columns=list(ASKED[1:])),
        notes=kept(*chosen.notes, resamples_without_curve(n_resamples - len(points), n_resamples)),
    )
