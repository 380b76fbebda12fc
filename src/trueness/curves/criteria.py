"""Criteria by which an operating point is chosen, and the point that each picks on a curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from trueness.checks import check_choice, cost_matrix, fraction
from trueness.curves.binormal import NormalRoc
from trueness.curves.curve import RocCurve
from trueness.curves.resampled import Points
from trueness.errors import InputError
from trueness.result import Note
from trueness.typing import Floats

Criterion = Literal["youden", "closest"]
Costs = npt.ArrayLike
Merit = Callable[[Floats, Floats], Floats]  # (fpf, tpf) → the measure
Pick = Callable[[Floats, Floats], tuple[int, bool]]

EQUAL_RATES = 1e-12  # rates this close are equal (means over folds are rounded)
FAR_SDS = 9.0  # Φ(−9) is 1e-19
REFINEMENTS = 8  # each narrows the place of the threshold by a factor of 32


@dataclass(frozen=True, eq=False)
class Rule:
    """How to choose among points of a curve that run from (0, 0) to (1, 1)."""

    words: str  # what is wanted
    measure: Merit  # (fpf, tpf) → the measure
    pick: Pick  # (fpf, tpf) → the place of the chosen point, and whether what was wanted can be attained
    larger_is_better: bool = True
    unmet: Note | None = None  # what to say where it cannot

    def merit(self, fpf: float, tpf: float) -> float:
        """The measure at one point."""
        return float(self.measure(np.asarray(fpf), np.asarray(tpf)))


def rule_for(
    criterion: str | None,
    tpf: float | None,
    fpf: float | None,
    costs: Costs | None,
    prevalence: float | None,
    share: float,
) -> tuple[Rule, Note | None]:
    """The one rule that was asked for, with a note; `share` is the share of positives among the cases."""
    asked = [criterion is not None, tpf is not None, fpf is not None, costs is not None or prevalence is not None]
    if sum(asked) > 1:
        raise InputError(
            "An operating point is chosen by one criterion",
            param="criterion",
            fix="Pass only one of criterion, tpf, fpf, or costs with prevalence",
        )
    if tpf is not None:
        return at_least_tpf(fraction("tpf", tpf)), None
    if fpf is not None:
        return at_most_fpf(fraction("fpf", fpf)), None
    if prevalence is not None:
        return least_cost(costs, fraction("prevalence", prevalence)), None
    if costs is not None:
        return least_cost(costs, share), Note(
            "prevalence-of-sample",
            (
                f"The prevalence is that of these cases, {share:.4g}. Pass {{prevalence=}} if that of the "
                "population differs."
            ),
            prevalence=share,
        )
    name = "youden" if criterion is None else criterion
    check_choice("criterion", name, NAMED, f"There is no criterion {criterion!r}")
    return NAMED[name], None


# Functions of the module and partial ones, so that what is chosen can be pickled.


def _first_best(merit: Merit, sign: int, fpf: Floats, tpf: Floats) -> tuple[int, bool]:
    """The first point, from strict to lax, where the merit is best."""
    values = sign * merit(fpf, tpf)
    return int(np.flatnonzero(values >= values.max() - EQUAL_RATES)[0]), True


def _youden(fpf: Floats, tpf: Floats) -> Floats:
    return tpf - fpf


def _distance(fpf: Floats, tpf: Floats) -> Floats:
    return np.hypot(fpf, 1 - tpf)


def _fpf(fpf: Floats, tpf: Floats) -> Floats:
    return fpf


def _tpf(fpf: Floats, tpf: Floats) -> Floats:
    return tpf


NAMED: dict[str, Rule] = {
    "youden": Rule("largest Youden index TPF − FPF", _youden, partial(_first_best, _youden, 1)),
    "closest": Rule("nearest to (0, 1)", _distance, partial(_first_best, _distance, -1), larger_is_better=False),
}


def at_least_tpf(wanted: float) -> Rule:
    """TPF at least this, the least FPF; of points with that FPF the largest TPF."""
    return Rule(f"TPF at least {wanted:g}", _fpf, partial(_pick_by_tpf, wanted), larger_is_better=False)


def _pick_by_tpf(wanted: float, fpf: Floats, tpf: Floats) -> tuple[int, bool]:
    first = int(np.argmax(tpf >= wanted - EQUAL_RATES))  # the last point, (1, 1), always has it
    return int(np.flatnonzero(fpf <= fpf[first] + EQUAL_RATES)[-1]), True


def at_most_fpf(wanted: float) -> Rule:
    """FPF at most this, the largest TPF; of points with that TPF the least FPF."""
    unmet = Note(
        "criterion-not-met",
        f"An FPF of at most {wanted:g} is attained only by labelling every case negative.",
        severity="warning",
        fpf=wanted,
    )
    return Rule(f"FPF at most {wanted:g}", _tpf, partial(_pick_by_fpf, wanted), unmet=unmet)


def _pick_by_fpf(wanted: float, fpf: Floats, tpf: Floats) -> tuple[int, bool]:
    allowed = np.flatnonzero(fpf <= wanted + EQUAL_RATES)
    if not allowed.size:  # points that do not begin at (0, 0)
        return 0, False
    at = int(np.flatnonzero(tpf >= tpf[allowed[-1]] - EQUAL_RATES)[0])
    return at, bool(tpf[at] > 0)


def least_cost(costs: Costs | None, prevalence: float) -> Rule:
    """Least expected cost, ρ(c10 (1 − TPF) + c11 TPF) + (1 − ρ)(c00 (1 − FPF) + c01 FPF) at prevalence ρ."""
    table = cost_matrix([[0, 1], [1, 0]] if costs is None else costs, 2)
    cost = partial(_cost, table, prevalence)
    words = f"least expected cost at prevalence {prevalence:.4g}"
    return Rule(words, cost, partial(_first_best, cost, -1), larger_is_better=False)


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


def picked(curve: RocCurve | Points, rule: Rule) -> Picked:
    """The point that the rule picks: among the points of the curve, or of a normal-theory curve anywhere on it."""
    if isinstance(curve, NormalRoc):
        return _anywhere(curve, rule)
    at, met = rule.pick(curve.fpf, curve.tpf)
    threshold, x, y = curve.thresholds[at], curve.fpf[at], curve.tpf[at]
    later = np.flatnonzero((curve.fpf[at:] > x) | (curve.tpf[at:] > y))
    next_score = curve.thresholds[at + later[0]] if later.size else -np.inf
    return Picked(float(threshold), float(x), float(y), float(next_score), met)


def _anywhere(curve: NormalRoc, rule: Rule) -> Picked:
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
