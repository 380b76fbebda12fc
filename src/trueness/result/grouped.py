"""Estimates of cases that come in groups: shares with an effective number of cases, and what a reader is told."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueness.formulas.groups import DesignEffect, group_factor, group_sizes, variance_of_mean
from trueness.formulas.proportions import METHODS, UNDEFINED_AT_EDGE
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import GROUPED_SHARE
from trueness.typing import Array, Bools, Record

MIN_GROUPS = 30  # with fewer, the standard error itself is uncertain by more than 13 %, 1/√(2(G − 1))
VERY_FEW_GROUPS = 10  # with fewer, it says little


def few_groups(groups: int) -> Note | None:
    """Where the standard error rests on few groups."""
    if groups >= MIN_GROUPS:
        return None
    return Note("very-" * (groups < VERY_FEW_GROUPS) + "few-groups", groups=groups, needed=MIN_GROUPS)


def in_groups(e: Estimate, effect: DesignEffect, groups: int | None = None) -> Estimate:
    """The estimate with the degrees of freedom of its groups and its notes; no standard error where there is one group.

    `groups` is the number of all groups, where only some of them count for the degrees of freedom.
    """
    if effect.groups < 2:
        notes = tuple(note for note in e.notes if note.code != "se-half-added")
        e = e.with_(se=None, se_method=None, influence=None, df=None, notes=notes)
    else:
        e = e.with_(df=effect.df)
    groups = effect.groups if groups is None else groups
    about: Record = {"groups": groups, "design_effect": effect.value if effect.known else None}
    e = e.with_(cases=effect.groups, tested=effect.cases, provenance={**e.provenance, **about})
    return e.noting(few_groups(effect.groups), Note("groups", cases=effect.cases, **about))


@dataclass(frozen=True, eq=False)
class OfEffectiveCases(IntervalRule):
    """An interval of a proportion, with the effective number of cases of its design effect (Rao & Scott 1992; Korn &
    Graubard 1998). At 0 and 1 every group counts as one case."""

    name: str
    effect: DesignEffect

    def limits(self, e: Estimate, level: float) -> Interval:
        trials = self.effect.cases / self.effect.divisor(level)
        at_end = e.value in (0, 1)
        method = "exact" if at_end and self.name in UNDEFINED_AT_EDGE else self.name
        x = e.value * trials if not at_end else (trials if e.value else 0.0)
        return Interval(*METHODS[method](x, trials, level), level=level, method=method)


class OfGroupsAlike(OfEffectiveCases):
    """The same where all groups have one value, so that there is no standard error: a group counts as one case."""

    needs_se = False


def share_in_groups(hits: Array, groups: Array, interval: str, of: Bools | None = None, **described: Any) -> Estimate:
    """The share of hits (n,) among the cases `of`, with the standard error of the ratio estimator over groups."""
    of = np.ones(len(hits), dtype=bool) if of is None else of
    values, units = hits[of].astype(float), groups[of]
    n, p = len(values), float(values.mean())
    variance = variance_of_mean(values, units)
    effect = DesignEffect.of(variance, p * (1 - p) / max(n - 1, 1), n, group_sizes(units))
    influence = np.zeros(len(hits))
    influence[of] = (values - p) / n * np.sqrt(group_factor(units))
    out = Estimate(
        p,
        se=math.sqrt(variance),
        se_method=GROUPED_SHARE,
        influence=influence,
        bounds=(0.0, 1.0),
        interval=OfEffectiveCases(interval, effect),
        alternatives=tuple(OfEffectiveCases(name, effect) for name in METHODS),
        provenance={"x": int(values.sum()), "n": n},
        **described,
    )
    if variance == 0 and 0 < p < 1:
        rule = OfGroupsAlike(interval, effect)
        out = out.with_(se=None, se_method=None, influence=None, interval=rule).noting(NO_VARIANCE)
    return in_groups(out, effect)
