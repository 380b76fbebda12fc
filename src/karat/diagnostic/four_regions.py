"""Is the new test better? Four regions around the current test in the plane of (FPF, TPF)  (seeds/003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from karat.diagnostic.proportion import check_level
from karat.errors import InputError

# (TPF better, FPF better), and (DLR− better, DLR+ better): B lies up and right of the current test in both planes
REGIONS = {
    (True, True): "A",
    (True, False): "B",
    (False, True): "C",
    (False, False): "D",
}
SAME = "="  # the two points coincide
MEANING = {
    "A": "better",
    "B": "finds more, and raises more false alarms",
    "C": "raises fewer false alarms, and finds less",
    "D": "worse",
    SAME: "the same",
}
DLR_MEANING = {
    "A": "better",
    "B": "a negative result says more, a positive one less",
    "C": "a positive result says more, a negative one less",
    "D": "worse",
    SAME: "the same",
}
# two regions are left: one thing is shown, the other is not
HALF_SHOWN = {
    "AB": "finds more; false alarms are not shown to differ",
    "CD": "finds less; false alarms are not shown to differ",
    "AC": "raises fewer false alarms; what it finds is not shown to differ",
    "BD": "raises more false alarms; what it finds is not shown to differ",
}
DLR_HALF_SHOWN = {
    "AB": "a negative result says more; a positive one is not shown to differ",
    "CD": "a negative result says less; a positive one is not shown to differ",
    "AC": "a positive result says more; a negative one is not shown to differ",
    "BD": "a positive result says less; a negative one is not shown to differ",
}


@dataclass(frozen=True)
class Placed:
    """Where the new test lies, by one pair of measures.

    Attributes
    ----------
    region
        Of the estimates: "A" better, "D" worse, "B" and "C" better in one thing and worse in the other, "=" the same.
    reached
        All regions that the simultaneous intervals of the two measures reach.
    finds, spares
        These intervals. By rates: new − current of TPF and of FPF. By likelihood ratios: new / current of DLR− and
        of DLR+.
    """

    by: str
    region: str
    reached: str
    level: float
    finds: tuple[float, float]
    spares: tuple[float, float]

    @property
    def sure(self) -> bool:
        """Whether the intervals reach no other region."""
        return self.reached == self.region

    @property
    def verdict(self) -> str:
        """What is shown, and then what the estimates alone would say."""
        meaning, half = (DLR_MEANING, DLR_HALF_SHOWN) if self.by == "dlrs" else (MEANING, HALF_SHOWN)
        at = f"at {100 * self.level:g} %"
        if self.sure:
            return f"{meaning[self.region]} (sure {at})"
        shown = half.get(self.reached, "not shown to differ")
        return f"{shown} ({at}; the estimates alone: {meaning[self.region]})"


@dataclass(frozen=True, eq=False)
class FourRegions:
    """The new test around the current one, by rates (TPF, FPF) and by likelihood ratios (DLR+, DLR−)."""

    new: tuple[float, float]  # fpf, tpf
    current: tuple[float, float]
    rates: Placed
    dlrs: Placed
    level: float

    def __str__(self) -> str:
        return "\n".join(
            [
                f"New test:     FPF {self.new[0]:.3f}, TPF {self.new[1]:.3f}",
                f"Current test: FPF {self.current[0]:.3f}, TPF {self.current[1]:.3f}",
                f"By rates, the new test:             {self.rates.verdict}",
                f"By likelihood ratios, the new test: {self.dlrs.verdict}",
            ]
        )

    def frame(self) -> pd.DataFrame:
        """A row a pair of measures: the region of the estimates, all regions in reach, the verdict."""
        rows = [
            {"by": p.by, "region": p.region, "reached": p.reached, "sure": p.sure, "verdict": p.verdict}
            for p in (self.rates, self.dlrs)
        ]
        return pd.DataFrame(rows)

    def plot(self, axes: Any = None) -> Any:
        """Two squares side by side; returns their axes."""
        from karat.plots.four_regions import FourRegionsDisplay

        return FourRegionsDisplay(self).plot(axes)


def four_regions(new: Any, current: Any, level: float, paired: bool) -> FourRegions:
    """See `Diagnosis.four_regions`."""
    check_level(level)
    # positives and negatives are different cases: √level each; the two ratios share cases: Bonferroni
    root, half = level**0.5, 1 - (1 - level) / 2
    if hasattr(current, "versus"):
        both = new.versus(current, paired)
        at, point = zip(*([e.value for e in both.values(m)] for m in ("fpf", "tpf")), strict=True)
        finds, alarms = (both.difference(m).ci(root) for m in ("tpf", "fpf"))
        plus, minus = (both.ratio(m).ci(half) for m in ("dlr_positive", "dlr_negative"))
        ratios = both.ratio("dlr_positive").value, both.ratio("dlr_negative").value
    else:
        at, point = (new.fpf.value, new.tpf.value), _point(current)
        fpf, tpf = point
        finds, alarms = _moved(new.tpf.ci(root), tpf), _moved(new.fpf.ci(root), fpf)
        dlrs = tpf / fpf, (1 - tpf) / (1 - fpf)
        plus, minus = (
            tuple(limit / dlr for limit in e.ci(half))
            for e, dlr in zip((new.dlr_positive, new.dlr_negative), dlrs, strict=True)
        )
        ratios = new.dlr_positive.value / dlrs[0], new.dlr_negative.value / dlrs[1]
    same = at == point
    rates = Placed(
        "rates",
        SAME if same else REGIONS[at[1] >= point[1], at[0] <= point[0]],
        _reached((finds[0] < 0, finds[1] >= 0), (alarms[1] > 0, alarms[0] <= 0)),
        level,
        (float(finds[0]), float(finds[1])),
        (float(alarms[0]), float(alarms[1])),
    )
    by_dlr = Placed(
        "dlrs",
        SAME if same else REGIONS[ratios[1] <= 1, ratios[0] >= 1],
        _reached((minus[1] > 1, minus[0] <= 1), (plus[0] < 1, plus[1] >= 1)),
        level,
        (float(minus[0]), float(minus[1])),
        (float(plus[0]), float(plus[1])),
    )
    return FourRegions(at, point, rates, by_dlr, level)


def _reached(first: tuple[bool, bool], second: tuple[bool, bool]) -> str:
    """Regions in reach: (may be worse, may be better) of the two measures."""
    return "".join(
        sorted(REGIONS[a, b] for a in (False, True) if first[a] for b in (False, True) if second[b])
    )  # fmt: skip


def _point(current: Any) -> tuple[float, float]:
    try:
        fpf, tpf = (float(v) for v in current)
    except (TypeError, ValueError):
        raise InputError("the current test must be a Diagnosis or a point (fpf, tpf)", got=repr(current)) from None
    if not (0 < fpf < 1 and 0 < tpf < 1):
        raise InputError("the current test must be a point (fpf, tpf) inside the unit square", got=current)
    return fpf, tpf


def _moved(limits: Any, by: float) -> tuple[float, float]:
    return limits[0] - by, limits[1] - by
