"""Is a new test better than the current one? Four regions around the current test in the plane of (FPF, TPF)
(Popovici, Classification, "A motivating example")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from trueness.checks import check_level
from trueness.errors import InputError
from trueness.figures import Area, Figure, Mark, Panel, Points, Text, roc_panel
from trueness.result.shown import Drawn, Page, Result, Table
from trueness.typing import Floats

if TYPE_CHECKING:
    from trueness.tables.diagnosis import Diagnosis
    from trueness.tables.two_tests import TwoTests

Limits = tuple[float, float]
By = Literal["rates", "dlrs"]

SAME = "="  # instead of a region, where the two points coincide


class Relative(NamedTuple):
    """A measure of the new test relative to the current one: a difference (neutral 0) or a ratio (neutral 1)."""

    name: str
    neutral: float
    higher_is_better: bool

    def is_worse(self, value: float) -> bool:
        return value < self.neutral if self.higher_is_better else value > self.neutral

    def side(self, better: bool) -> Limits:
        """Where the new test is better, or worse."""
        return (self.neutral, math.inf) if self.higher_is_better == better else (-math.inf, self.neutral)


MEASURES_BY: dict[By, tuple[Relative, Relative]] = {
    "rates": (Relative("TPF", 0, True), Relative("FPF", 0, False)),
    "dlrs": (Relative("DLR−", 1, False), Relative("DLR+", 1, True)),
}


@dataclass(frozen=True)
class Placed:
    """Where the new test lies, by TPF and FPF ("rates") or by DLR− and DLR+ ("dlrs").

    `region` is that of the estimates: "A" better, "D" worse, "B" better in the first measure only, "C" better in the
    second only. `reached` are all regions that the simultaneous intervals `limits` of the two measures reach.
    """

    by: By
    region: str
    reached: str
    limits: tuple[Limits, Limits]

    @classmethod
    def of(cls, by: By, values: tuple[float, float], limits: tuple[Limits, Limits], same: bool) -> Placed:
        first, second = MEASURES_BY[by]

        def region(a: float, b: float) -> str:
            return "ABCD"[2 * first.is_worse(a) + second.is_worse(b)]

        reached = {region(a, b) for a in limits[0] for b in limits[1]}
        return cls(by, SAME if same else region(*values), "".join(sorted(reached)), limits)

    @property
    def shown(self) -> str:
        """What the intervals show."""
        return describe(self.reached, self.by)

    @property
    def estimated(self) -> str:
        """What the estimates alone would show."""
        return describe(self.region, self.by)


def describe(regions: str, by: By) -> str:
    """What these regions have in common.

    Examples
    --------
    >>> describe("A", "rates"), describe("AC", "rates"), describe("ABCD", "rates")
    ('better', 'TPF not shown to differ, FPF better', 'not shown to differ')
    """
    if regions == SAME:
        return "the same"
    states = []
    for better_in in ("AB", "AC"):  # the first and the second measure
        better = [region in better_in for region in regions]
        states.append("better" if all(better) else "not shown to differ" if any(better) else "worse")
    if states[0] == states[1]:
        return states[0]
    return ", ".join(f"{measure.name} {state}" for measure, state in zip(MEASURES_BY[by], states, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class FourRegions(Result, Drawn):
    """The points (FPF, TPF) of a new and of the current test, and how they compare by rates and likelihood ratios."""

    new: tuple[float, float]
    current: tuple[float, float]
    rates: Placed
    dlrs: Placed
    level: float

    @classmethod
    def of_two(cls, both: TwoTests, level: float) -> FourRegions:
        """Around an estimated test."""
        root, bonferroni = _single_levels(level)
        (fpf, fpf0), (tpf, tpf0) = ([e.value for e in both.values(m)] for m in ("fpf", "tpf"))
        d_tpf, d_fpf = both.difference("tpf"), both.difference("fpf")
        minus, plus = both.ratio("dlr_negative"), both.ratio("dlr_positive")
        same = (fpf, tpf) == (fpf0, tpf0)
        rates = Placed.of("rates", (d_tpf.value, d_fpf.value), (d_tpf.ci(root), d_fpf.ci(root)), same)
        dlrs = Placed.of("dlrs", (minus.value, plus.value), (minus.ci(bonferroni), plus.ci(bonferroni)), same)
        return cls((fpf, tpf), (fpf0, tpf0), rates, dlrs, level)

    @classmethod
    def of_point(cls, test: Diagnosis, current: Sequence[float], level: float) -> FourRegions:
        """Around a known point (fpf, tpf)."""
        root, bonferroni = _single_levels(level)
        fpf0, tpf0 = _point(current)
        tpf, fpf, minus, plus = test.tpf, test.fpf, test.dlr_negative, test.dlr_positive
        minus0, plus0 = (1 - tpf0) / (1 - fpf0), tpf0 / fpf0
        new = (fpf.value, tpf.value)
        same = new == (fpf0, tpf0)
        differences = _minus(tpf.ci(root), tpf0), _minus(fpf.ci(root), fpf0)
        rates = Placed.of("rates", (tpf.value - tpf0, fpf.value - fpf0), differences, same)
        ratios = _over(minus.ci(bonferroni), minus0), _over(plus.ci(bonferroni), plus0)
        dlrs = Placed.of("dlrs", (minus.value / minus0, plus.value / plus0), ratios, same)
        return cls(new, (fpf0, tpf0), rates, dlrs, level)

    def figure(self) -> Figure:
        """Left the regions by TPF and FPF, right by the likelihood ratios, where regions B and C are smaller; green the
        new test is better, red worse. The blue area is where the intervals place the new test."""
        return Figure("Two tests", [self._panel(placed) for placed in (self.rates, self.dlrs)], size=(4.9, 4.9))

    def _panel(self, placed: Placed) -> Panel:
        marks: list[Mark] = []
        first, second = MEASURES_BY[placed.by]
        for region, color in zip("ABCD", ("C2", "soft", "soft", "accent"), strict=True):
            limits = first.side(region in "AB"), second.side(region in "AC")
            polygon = region_of(placed.by, limits, self.current)
            if len(polygon):
                marks.append(Area(polygon[:, 0], polygon[:, 1], color=color, opacity=0.2 if color != "soft" else 0.08))
                marks += self._name(describe(region, placed.by), polygon)
        reach = region_of(placed.by, placed.limits, self.current)
        marks += [Area(reach[:, 0], reach[:, 1], color="C0", opacity=0.25, edge=True)] if len(reach) else []
        for (x, y), name, marker, color in (
            (self.current, "current test", "o", "ink"),
            (self.new, "new test", "D", "C0"),
        ):
            marks.append(Points([x], [y], name, marker, color, 40))
        by = "TPF and FPF" if placed.by == "rates" else "likelihood ratios"
        how = f"at {100 * self.level:g} %; estimates alone: {placed.estimated}"
        return roc_panel(marks, title=f"By {by}: {placed.shown} ({how})")

    def _name(self, name: str, polygon: Floats) -> list[Mark]:
        """The name of a region at its deepest point that is away from both tests; none where there is no room."""
        x, y = (v.ravel() for v in np.meshgrid(*2 * [np.linspace(0.14, 0.86, 60)]))
        wide = 2.2  # words are wider than high
        depth = np.full(x.shape, math.inf)
        for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            length = math.hypot(x1 - x0, wide * (y1 - y0))
            if length > 0:  # corners run counter-clockwise
                depth = np.minimum(depth, ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length)
        for a, b in (self.current, self.new):
            depth[(abs(x - a) < 0.15) & (abs(y - b) < 0.06)] = -1
        best = int(depth.argmax())
        return [Text(x[best], y[best], name.replace(", ", ",\n"), color="soft")] if depth[best] > 0.06 else []

    def page(self, level: float | None = None) -> Page:
        heads = ("new test, compared by", f"shown at {100 * self.level:g} %", "estimates alone")
        rows = [("TPF and FPF", self.rates), ("likelihood ratios", self.dlrs)]
        points = (("New", self.new), ("Current", self.current))
        return Page(
            "\n".join(f"{name} test: FPF {fpf:.3f}, TPF {tpf:.3f}" for name, (fpf, tpf) in points),
            f"The new test, compared by TPF and FPF: {self.rates.shown}; by likelihood ratios: {self.dlrs.shown}.",
            tables=(Table.of(heads, [(by, p.shown, p.estimated) for by, p in rows]),),
        )

    def frame(self) -> pd.DataFrame:
        """One row per pair of measures: region of the estimates, regions that the intervals reach, both in words."""
        rows = [(p.by, p.region, p.reached, p.shown, p.estimated) for p in (self.rates, self.dlrs)]
        return pd.DataFrame(rows, columns=["by", "region", "reached", "shown", "estimated"])

    def to_dict(self) -> dict[str, object]:
        new, current = ({"fpf": fpf, "tpf": tpf} for fpf, tpf in (self.new, self.current))
        return {"new": new, "current": current, "level": self.level, "compared": self.frame().to_dict("records")}


def region_of(by: By, limits: tuple[Limits, Limits], current: tuple[float, float]) -> Floats:
    """Corners (k, 2), counter-clockwise, of the points (FPF, TPF) whose two measures lie within their limits."""
    fpf, tpf = current
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    for which, sides in enumerate(limits):
        for limit, sign in zip(sides, (-1.0, 1.0), strict=True):
            if not math.isfinite(limit):
                continue
            if by == "rates":
                a, b, c = ((0.0, 1.0, tpf + limit), (1.0, 0.0, fpf + limit))[which]
            elif which == 0:  # (1 − TPF) ≤ or ≥ limit · DLR− · (1 − FPF)
                a, b, c = (slope := limit * (1 - tpf) / (1 - fpf)), -1.0, slope - 1
            else:
                a, b, c = -limit * tpf / fpf, 1.0, 0.0
            corners = _cut(corners, sign * a, sign * b, sign * c)
    return corners


def _cut(corners: Floats, a: float, b: float, c: float) -> Floats:
    """The part of a convex polygon where a x + b y ≤ c."""
    beyond = corners @ np.array([a, b]) - c
    kept = []
    for k in range(len(corners)):
        here, there = beyond[k - 1], beyond[k]
        if (here > 0) != (there > 0):
            kept.append(corners[k - 1] + here / (here - there) * (corners[k] - corners[k - 1]))
        if there <= 0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)


def _single_levels(level: float) -> tuple[float, float]:
    """Levels of the single intervals: √level for TPF and FPF, which come from different cases; Bonferroni's for the
    likelihood ratios, which share cases."""
    check_level(level)
    return level**0.5, 1 - (1 - level) / 2


def _minus(limits: Limits, value: float) -> Limits:
    return limits[0] - value, limits[1] - value


def _over(limits: Limits, value: float) -> Limits:
    return limits[0] / value, limits[1] / value


def _point(current: Sequence[float]) -> tuple[float, float]:
    try:
        fpf, tpf = (float(v) for v in current)
    except (TypeError, ValueError):
        fpf = tpf = 0.0
    if not (0 < fpf < 1 and 0 < tpf < 1):
        raise InputError(
            "current must be a Diagnosis or a point (fpf, tpf) inside the unit square",
            param="current",
            got=repr(current),
        )
    return fpf, tpf
