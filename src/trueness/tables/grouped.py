"""Measures of a table whose cases come in groups: one policy for all of them.

The influence of the cases is summed within groups, which gives the standard error and the design effect; the interval
is that of independent cases, of the table divided by the design effect (Rao & Scott 1992; docs/groups.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from trueness.formulas.groups import DesignEffect, count_groups, group_factor, group_sums, groups_by_class
from trueness.formulas.proportions import ProportionMethod
from trueness.metrics.table import Cells, Measure
from trueness.result import Estimate, Interval, IntervalRule
from trueness.result.grouped import in_groups, share_in_groups
from trueness.result.named import DELTA, GROUPS, Estimand, StandardError
from trueness.tables.estimation import ZERO_SE, estimate_measure, needs_half, slopes_of
from trueness.tables.measures import MEASURES
from trueness.tables.study_designs import CaseControl, Cohort, Selected, StudyDesign
from trueness.tables.table_intervals import OfDifference
from trueness.typing import Bools, Floats, Ints


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
        found = estimate_in_groups(Cohort(design.table), measure, interval, cells[known], groups[known])
        return found.with_(method=design.name, influence=None)
    if measure.given in design.plain:
        of, hits = (within(cells, where, n_classes) for where in (measure.out_of, measure.hits))
        described = {"metric": measure.name, "method": design.name, "estimand": e.estimand}
        return share_in_groups(hits, groups, interval, of, **described)
    slopes = slopes_of(design, measure.function)
    influence = slopes[cells]
    of_rest = float((design.rest_variances * slopes[design.counts.size :] ** 2).sum())  # of a given prevalence
    truth = cells // n_classes
    by_class = not measure.needs_prevalence or isinstance(design, CaseControl)
    scaled = _scaled(influence, truth, groups, by_class)
    variance, independent = (float((v**2).sum()) for v in (group_sums(scaled, groups), influence))
    n, known = len(cells), truth < n_classes
    g = int(groups_by_class(groups[known], truth[known]).min())
    if not ZERO_SE**2 < independent < math.inf:  # no errors, or a ratio that is infinite without ½: nothing to compare
        variance = independent = 0.0
    effect = DesignEffect.of(variance, n / max(n - 1, 1) * independent, n, g)
    exact = e.se_method == DELTA and not needs_half(design, measure) and variance > 0
    se = math.sqrt(variance + of_rest) if exact else e.se * math.sqrt(effect.value)
    out = in_groups(
        e.with_(se=se, se_method=StandardError.of(e.se_method or "").plus(GROUPS)), effect, count_groups(groups)
    )
    if g > 1:
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


def se_in_groups(a: Estimate, b: Estimate, groups: Ints, weights: tuple[float, float]) -> float | None:
    """Standard error of w_1 a − w_2 b of the same groups; None where it is 0 or an influence is not known."""
    if a.influence is None or b.influence is None:
        return None
    se = float(np.linalg.norm(group_sums(weights[0] * a.influence - weights[1] * b.influence, groups)))
    return se if se >= ZERO_SE else None


def within(cells: Ints, of: Cells, n_classes: int) -> Bools:
    """Which cases are in one of these cells."""
    return np.isin(cells, [n_classes * row + column for row, column in of])


def _scaled(influence: Floats, truth: Ints, groups: Ints, by_class: bool) -> Floats:
    """√(G/(G − 1)) times the influence, G the groups of each class where classes are estimated apart."""
    if not by_class:
        return influence * math.sqrt(group_factor(groups))
    out = influence.copy()
    for row in np.unique(truth):
        out[truth == row] *= math.sqrt(group_factor(groups[truth == row]))
    return out
