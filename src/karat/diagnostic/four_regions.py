"""Is the new test better? Four regions around the current test in the plane of (FPF, TPF)  (seeds/003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from karat.errors import InputError

# (TPF better, FPF better), and (DLR− better, DLR+ better): B lies up and right of the current test in both planes
REGIONS = {
    (True, True): "A",
    (True, False): "B",
    (False, True): "C",
    (False, False): "D",
}
MEANING = {
    "A": "better",
    "B": "unclear: it finds more, and raises more false alarms",
    "C": "unclear: it raises fewer false alarms, and finds less",
    "D": "worse",
}
DLR_MEANING = {
    "A": "better",
    "B": "unclear: a negative result says more, a positive one less",
    "C": "unclear: a positive result says more, a negative one less",
    "D": "worse",
}


@dataclass(frozen=True)
class Placed:
    """Where the new test lies, by one pair of measures.

    Attributes
    ----------
    region
        "A" better, "D" worse, "B" and "C" unclear.
    reached
        All regions that the simultaneous intervals of the two measures reach.
    """

    by: str
    region: str
    reached: str
    level: float

    @property
    def sure(self) -> bool:
        """Whether the intervals reach no other region."""
        return self.reached == self.region

    @property
    def verdict(self) -> str:
        meaning = (DLR_MEANING if self.by == "dlrs" else MEANING)[self.region]
        if self.sure:
            return f"{meaning} (sure at {self.level:.0%})"
        others = " and ".join(r for r in self.reached if r != self.region)
        return f"{meaning} (at {self.level:.0%} the data do not exclude {others})"


@dataclass(frozen=True, eq=False)
class FourRegions:
    """The new test around the current one, by rates (TPF, FPF) and by likelihood ratios (DLR+, DLR−)."""

    new: Any
    current: tuple[float, float]  # fpf, tpf
    rates: Placed
    dlrs: Placed
    level: float

    def frame(self) -> pd.DataFrame:
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
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, do="Use e.g. level=0.95")
    # positives and negatives are different cases: √level each; the two ratios share cases: Bonferroni
    root, half = level**0.5, 1 - (1 - level) / 2
    if hasattr(current, "versus"):
        both = new.versus(current, paired)
        point = (current.fpf.value, current.tpf.value)
        finds, alarms = (both.difference(m).ci(root) for m in ("tpf", "fpf"))
        plus, minus = (both.ratio(m).ci(half) for m in ("dlr_positive", "dlr_negative"))
        ratios = both.ratio("dlr_positive").value, both.ratio("dlr_negative").value
    else:
        point = _point(current)
        fpf, tpf = point
        finds, alarms = _moved(new.tpf.ci(root), tpf), _moved(new.fpf.ci(root), fpf)
        dlrs = tpf / fpf, (1 - tpf) / (1 - fpf)
        plus, minus = (
            tuple(limit / dlr for limit in e.ci(half))
            for e, dlr in zip((new.dlr_positive, new.dlr_negative), dlrs, strict=True)
        )
        ratios = new.dlr_positive.value / dlrs[0], new.dlr_negative.value / dlrs[1]
    rates = Placed(
        "rates",
        REGIONS[new.tpf.value >= point[1], new.fpf.value <= point[0]],
        _reached((finds[0] < 0, finds[1] >= 0), (alarms[1] > 0, alarms[0] <= 0)),
        level,
    )
    by_dlr = Placed(
        "dlrs",
        REGIONS[ratios[1] <= 1, ratios[0] >= 1],
        _reached((minus[1] > 1, minus[0] <= 1), (plus[0] < 1, plus[1] >= 1)),
        level,
    )
    return FourRegions(new, point, rates, by_dlr, level)


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
