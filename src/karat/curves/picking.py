"""The point of a curve that a rule picks: among its points, or of a normal-theory curve anywhere on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from karat.curves.binormal import NormalRoc
from karat.curves.curve import RocCurve
from karat.curves.resampled import Points
from karat.curves.rules import Rule

FAR = 9.0  # SDs; Φ(−9) is 1e-19
ROUNDS = 8  # each narrows the place of the threshold by a factor of 32


class Picked(NamedTuple):
    """A point; `next_score` is the next lower threshold that decides otherwise."""

    threshold: float
    fpf: float
    tpf: float
    next_score: float
    met: bool


def picked(curve: RocCurve | Points, rule: Rule) -> Picked:
    """The point that the rule picks."""
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
    middle = np.linspace(max(m1 + FAR * s1, m0 + FAR * s0), min(m1 - FAR * s1, m0 - FAR * s0), 401)
    thresholds = np.concatenate([[np.inf], middle, [-np.inf]])
    for _ in range(ROUNDS):
        fpf, tpf = curve.rates(thresholds)
        at, met = rule.pick(fpf, tpf)
        out = Picked(float(thresholds[at]), float(fpf[at]), float(tpf[at]), float(thresholds[at]), met)
        around = thresholds[[max(at - 1, 0), min(at + 1, len(thresholds) - 1)]]
        if not np.isfinite(around).all():  # nobody or everybody
            break
        thresholds = np.linspace(around[0], around[1], 65)
    return out
