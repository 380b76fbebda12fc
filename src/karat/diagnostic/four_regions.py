"""Is a new test better than the current one? Four regions around the current test in the plane of (FPF, TPF)
(Popovici, Advanced Microarray Data Analysis, "A motivating example")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import pandas as pd

from karat.diagnostic.proportion import check_level
from karat.errors import InputError
from karat.result.shown import Drawn, Result
from karat.result.table import Page, Table

if TYPE_CHECKING:
    from karat.diagnostic.diagnosis import Diagnosis
    from karat.diagnostic.two_tests import TwoTests

Limits = tuple[float, float]
By = Literal["rates", "dlrs"]

BETTER_IN_FIRST, BETTER_IN_SECOND = "AB", "AC"  # A is better in both measures, D in none
SAME = "="  # the two points coincide


class Direction(NamedTuple):
    """How a measure of the new test, relative to the current one, counts."""

    name: str
    neutral: float  # a difference of 0, or a ratio of 1
    higher_is_better: bool

    def is_worse(self, value: float) -> bool:
        return value < self.neutral if self.higher_is_better else value > self.neutral


MEASURES_BY: dict[By, tuple[Direction, Direction]] = {
    "rates": (Direction("TPF", 0, True), Direction("FPF", 0, False)),  # new − current
    "dlrs": (Direction("DLR−", 1, False), Direction("DLR+", 1, True)),  # new / current
}


def describe(regions: str, by: By) -> str:
    """What these regions have in common: "better", or "TPF better, FPF not shown to differ".

    Examples
    --------
    >>> describe("A", "rates"), describe("AC", "rates"), describe("ABCD", "rates")
    ('better', 'TPF not shown to differ, FPF better', 'not shown to differ')
    """
    if regions == SAME:
        return "the same"
    states = []
    for better in (BETTER_IN_FIRST, BETTER_IN_SECOND):
        inside = [region in better for region in regions]
        states.append("better" if all(inside) else "not shown to differ" if any(inside) else "worse")
    if states[0] == states[1]:
        return states[0]
    return ", ".join(f"{measure.name} {state}" for measure, state in zip(MEASURES_BY[by], states, strict=True))


@dataclass(frozen=True)
class Placed:
    """Where the new test lies, by one pair of measures.

    Attributes
    ----------
    by : {"rates", "dlrs"}
        The measures: TPF and FPF, or DLR− and DLR+.
    region : str
        Region of the estimates: "A" better, "D" worse, "B" better in the first measure only, "C" better in the second
        only, "=" the same.
    reached : str
        All regions that the simultaneous intervals reach.
    limits : tuple of (float, float)
        These intervals: new − current of TPF and of FPF, or new / current of DLR− and of DLR+.
    """

    by: By
    region: str
    reached: str
    limits: tuple[Limits, Limits]

    @classmethod
    def of(cls, by: By, values: tuple[float, float], limits: tuple[Limits, Limits], same: bool) -> Placed:
        first, second = MEASURES_BY[by]
        region = _region(first.is_worse(values[0]), second.is_worse(values[1]))
        reached = {_region(first.is_worse(a), second.is_worse(b)) for a in limits[0] for b in limits[1]}
        return cls(by, SAME if same else region, "".join(sorted(reached)), limits)

    @property
    def sure(self) -> bool:
        """Whether the intervals reach no other region."""
        return self.reached == self.region

    @property
    def shown(self) -> str:
        """What the intervals show."""
        return describe(self.reached, self.by)

    @property
    def estimated(self) -> str:
        """What the estimates alone would say."""
        return describe(self.region, self.by)


def _region(worse_in_first: bool, worse_in_second: bool) -> str:
    return "ABCD"[2 * worse_in_first + worse_in_second]


@dataclass(frozen=True, eq=False, repr=False)
class FourRegions(Result, Drawn):
    """What `Diagnosis.four_regions` returns: the new test relative to the current one.

    Attributes
    ----------
    new, current : tuple of float
        (FPF, TPF) of the two tests.
    rates, dlrs : Placed
        Compared by TPF and FPF, and by the likelihood ratios.
    level : float
        Simultaneous level of the intervals.
    """

    new: tuple[float, float]
    current: tuple[float, float]
    rates: Placed
    dlrs: Placed
    level: float

    @classmethod
    def of_two(cls, both: TwoTests, level: float) -> FourRegions:
        """Around an estimated test."""
        check_level(level)
        (fpf, fpf0), (tpf, tpf0) = ([e.value for e in both.values(m)] for m in ("fpf", "tpf"))
        d_tpf, d_fpf = (both.difference(m) for m in ("tpf", "fpf"))
        minus, plus = (both.ratio(m) for m in ("dlr_negative", "dlr_positive"))
        root, bonferroni = _levels(level)
        new, current = (fpf, tpf), (fpf0, tpf0)
        return cls(
            new,
            current,
            Placed.of("rates", (d_tpf.value, d_fpf.value), (d_tpf.ci(root), d_fpf.ci(root)), new == current),
            Placed.of("dlrs", (minus.value, plus.value), (minus.ci(bonferroni), plus.ci(bonferroni)), new == current),
            level,
        )

    @classmethod
    def of_point(cls, test: Diagnosis, current: Sequence[float], level: float) -> FourRegions:
        """Around a known point (fpf, tpf)."""
        check_level(level)
        fpf0, tpf0 = _point(current)
        root, bonferroni = _levels(level)
        tpf, fpf, minus, plus = test.tpf, test.fpf, test.dlr_negative, test.dlr_positive
        minus0, plus0 = (1 - tpf0) / (1 - fpf0), tpf0 / fpf0
        differences = _minus(tpf.ci(root), tpf0), _minus(fpf.ci(root), fpf0)
        ratios = _over(minus.ci(bonferroni), minus0), _over(plus.ci(bonferroni), plus0)
        new = (fpf.value, tpf.value)
        return cls(
            new,
            (fpf0, tpf0),
            Placed.of("rates", (tpf.value - tpf0, fpf.value - fpf0), differences, new == (fpf0, tpf0)),
            Placed.of("dlrs", (minus.value / minus0, plus.value / plus0), ratios, new == (fpf0, tpf0)),
            level,
        )

    def page(self, level: float | None = None) -> Page:
        heads = ("new test, compared by", f"shown at {100 * self.level:g} %", "estimates alone")
        names = ("TPF and FPF", "likelihood ratios")
        rows = [(name, p.shown, p.estimated) for name, p in zip(names, (self.rates, self.dlrs), strict=True)]
        title = [
            f"{name} test: FPF {point[0]:.3f}, TPF {point[1]:.3f}"
            for name, point in (("New", self.new), ("Current", self.current))
        ]
        return Page("\n".join(title), tables=(Table.of(heads, rows),))

    def frame(self) -> pd.DataFrame:
        """One row per pair of measures: region of the estimates, regions that the intervals reach, both in words."""
        return pd.DataFrame(
            [
                {"by": p.by, "region": p.region, "reached": p.reached, "shown": p.shown, "estimated": p.estimated}
                for p in (self.rates, self.dlrs)
            ]
        )

    def to_dict(self) -> dict[str, object]:
        new, current = ({"fpf": fpf, "tpf": tpf} for fpf, tpf in (self.new, self.current))
        return {"new": new, "current": current, "level": self.level, "compared": self.frame().to_dict("records")}


def _levels(level: float) -> tuple[float, float]:
    """Levels of the single intervals: positives and negatives are different cases, so √level for TPF and FPF; the two
    likelihood ratios share cases, so Bonferroni for them."""
    return level**0.5, 1 - (1 - level) / 2


def _minus(limits: Limits, value: float) -> Limits:
    return limits[0] - value, limits[1] - value


def _over(limits: Limits, value: float) -> Limits:
    return limits[0] / value, limits[1] / value


def _point(current: Sequence[float]) -> tuple[float, float]:
    try:
        fpf, tpf = (float(v) for v in current)
    except (TypeError, ValueError):
        raise InputError(
            "The current test must be a Diagnosis or a point (fpf, tpf)", param="current", got=repr(current)
        ) from None
    if not (0 < fpf < 1 and 0 < tpf < 1):
        raise InputError(
            "The current test must be a point (fpf, tpf) inside the unit square", param="current", got=current
        )
    return fpf, tpf
