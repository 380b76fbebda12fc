"""Confidence bands around a ROC curve: pointwise and simultaneous."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special, stats

from trueness.checks import generator_of
from trueness.curves.common import kept, resamples_without_curve
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc, resampled_curves
from trueness.curves.fitted import SmoothBinormal
from trueness.curves.point import table_of
from trueness.errors import InputError
from trueness.figures.figure import Figure, Intervals, Line, Mark, Points, roc_panel
from trueness.figures.figure import band as shaded
from trueness.formulas.intervals import quantile, wilson
from trueness.formulas.roc import depth
from trueness.result.columns import filled
from trueness.result.interval import Interval
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result
from trueness.typing import Floats, Record, Rng

BandMethod = Literal["fixed-width", "kolmogorov", "working-hotelling", "binomial", "vertical", "bootstrap"]

GRID = np.unique(
    np.concatenate([np.linspace(0, 1, 201), special.ndtr(np.linspace(-3.5, 3.5, 57))])
)  # dense at both ends
MAX_CROSSES = 40  # more would hide each other
EQUAL_HEIGHTS = 1e-12  # TPFs of resamples this close are equal


@dataclass(frozen=True, eq=False, repr=False)
class Band(Result, Drawn):
    """Limits around a ROC curve.

    Attributes
    ----------
    method : str
    level : float
    simultaneous : bool
        True: the whole true curve lies inside with probability `level`. False: each point by itself does.
    fpf, tpf : ndarray
        The curve.
    low, high : ndarray
        Limits of the TPF at each FPF.
    thresholds, fpf_low, fpf_high : ndarray, optional
        Of the binomial band only: limits of the FPF at each threshold too.
    """

    method: str
    level: float
    simultaneous: bool
    fpf: Floats
    tpf: Floats
    low: Floats
    high: Floats
    thresholds: Floats | None = None
    fpf_low: Floats | None = None
    fpf_high: Floats | None = None
    notes: tuple[Note, ...] = ()

    heading = "{percent} {method} band"

    def at(self, fpf: float) -> Interval:
        """Limits of the TPF at this FPF (interpolated)."""
        if self.fpf_low is not None:
            raise InputError("The binomial band has limits at thresholds", param="method", fix="Use method='vertical'")
        low, high = (float(np.interp(fpf, self.fpf, side)) for side in (self.low, self.high))
        return Interval(low, high, level=self.level, method=self.method)

    def figure(self) -> Figure:
        """The curve and its band: shaded between its limits, or crosses at thresholds for the binomial band."""
        marks = [*self.marks("C0"), Line(self.fpf, self.tpf, color="C0", width=1.8)]
        return Figure("ROC curve with a band", (roc_panel(marks),))

    def marks(self, color: str) -> list[Mark]:
        """The band alone, with its name for the legend."""
        name = filled(self.heading, self)
        if self.fpf_low is None or self.fpf_high is None:
            return [shaded(self.fpf, self.low, self.high, name, color)]
        at = slice(None, None, max(1, len(self.fpf) // MAX_CROSSES))
        style: Record = {"color": color, "width": 0.8, "opacity": 0.6}
        return [
            Intervals(self.tpf[at], self.fpf_low[at], self.fpf_high[at], across=True, **style),
            Intervals(self.fpf[at], self.low[at], self.high[at], name, **style),
            Points(self.fpf[at], self.tpf[at], color=color, size=6),
        ]

    def frame(self) -> pd.DataFrame:
        """One row per point: `fpf`, `tpf`, `tpf_low`, `tpf_high`; the binomial band has `threshold`, `fpf_low` and
        `fpf_high` too."""
        table = {"threshold": self.thresholds, "fpf": self.fpf, "tpf": self.tpf, "tpf_low": self.low}
        table |= {"tpf_high": self.high, "fpf_low": self.fpf_low, "fpf_high": self.fpf_high}
        return pd.DataFrame({name: values for name, values in table.items() if values is not None})


def _fixed_width(curve: EmpiricalRoc, level: float, n_resamples: int, rng: Rng) -> Band:
    """The curve moved up and down a line of slope −√(n0/n1), by what contains `level` of the resampled curves
    (Campbell 1994; Macskassy, Provost & Rosset 2005).

    At least as far as each class by itself demands, 1 − (1 − √level)^(1/n): where the classes hardly overlap
    resamples hardly differ, and the width would be 0. With groups, whole groups are resampled, and n counts them.
    """
    n1, n0 = curve.data.n1, curve.data.n0
    s = math.sqrt(n0 / n1)
    lines = np.linspace(0, 1 + s, 401)  # s·FPF + TPF is constant on each; TPF − s·FPF says where on it the curve is
    place = np.interp(lines, s * curve.fpf + curve.tpf, curve.tpf - s * curve.fpf)
    generator = generator_of(rng)
    apart = [
        np.abs(np.interp(lines, s * r.fpf + r.tpf, r.tpf - s * r.fpf) - place).max()
        for r in resampled_curves(curve, generator, n_resamples)
    ]
    move = float(np.quantile(apart, level)) / 2
    least = [1 - (1 - math.sqrt(level)) ** (1 / n) for n in reversed(curve.data.independent)]
    return _moved(curve, max(move / s, least[0]), max(move, least[1]), "fixed-width", level)


def _kolmogorov(curve: EmpiricalRoc, level: float, *_: object) -> Band:
    """The curve moved by (∓d, ±e), d and e from Kolmogorov's exact distribution at √level each  (Campbell 1994).

    sup |FPF̂ − FPF| ≤ d and sup |TPF̂ − TPF| ≤ e hold together with probability ≥ level whatever the scores are
    distributed like, and then the true curve lies between the two moved ones. Safe, and wide.
    """
    each = math.sqrt(level)
    d, e = (float(stats.kstwo.ppf(each, n)) for n in (curve.data.n0, curve.data.n1))
    return _moved(curve, d, e, "kolmogorov", level)


def _moved(curve: EmpiricalRoc, d: float, e: float, name: str, level: float) -> Band:
    """Between the curve moved by (−d, +e) and by (+d, −e)."""
    at = np.unique(np.concatenate([GRID, (curve.fpf - d).clip(0, 1), (curve.fpf + d).clip(0, 1)]))
    high = np.minimum(curve(np.minimum(at + d, 1)) + e, 1)
    low = np.maximum(depth(curve.tpf, curve.fpf, at - d) - e, 0)  # at a vertical step its lower end: axes exchanged
    return Band(name, level, True, at, curve(at), low, high)


def _binomial(curve: EmpiricalRoc, level: float, *_: object) -> Band:
    """Wilson's interval of TPF and of FPF at each threshold, each by itself at this level."""
    if curve.data.groups is not None:
        points = [table_of(curve.data, curve.data.scores >= c) for c in curve.thresholds]
        fpf, tpf = (np.array([d[rate].ci(level) for d in points]) for rate in ("fpf", "tpf"))
    else:
        q = quantile(level)
        tpf = np.array([wilson(p, curve.data.n1, q) for p in curve.tpf])
        fpf = np.array([wilson(p, curve.data.n0, q) for p in curve.fpf])
    (low, high), (fpf_low, fpf_high) = tpf.T, fpf.T
    return Band("binomial", level, False, curve.fpf, curve.tpf, low, high, curve.thresholds, fpf_low, fpf_high)


def _vertical(curve: EmpiricalRoc, level: float, *_: object) -> Band:
    """The interval of `tpf_at` at each FPF."""
    limits = [curve.tpf_at(t).ci(level) if t < 1 else (1.0, 1.0) for t in GRID]
    low, high = np.array(limits).T
    return Band("vertical", level, False, GRID, curve(GRID), low, high)


def _vertical_smooth(curve: SmoothBinormal, level: float, *_: object) -> Band:
    """α + βz ± z_level·se on the probit scale, at each FPF."""
    return _probit_band(curve, level, quantile(level), "vertical", simultaneous=False)


def _working_hotelling(curve: SmoothBinormal, level: float, *_: object) -> Band:
    """α + βz ± √(2 F(level; 2, n − 2))·se(α + βz) for all z at once, brought back by Φ  (Working & Hotelling 1929; Ma &
    Hall 1993, who have χ²₂ for 2F)."""
    df = curve.data.n - 2
    width = math.sqrt(df * ((1 - level) ** (-2 / df) - 1))  # 2F(level; 2, df)
    return _probit_band(curve, level, width, "working-hotelling", simultaneous=True)


def _probit_band(curve: SmoothBinormal, level: float, q: float, name: str, *, simultaneous: bool) -> Band:
    z = special.ndtri(GRID[1:-1])
    covariance = curve.covariance
    se = np.sqrt(covariance[0, 0] + 2 * z * covariance[0, 1] + z**2 * covariance[1, 1])
    middle = curve.a + curve.b * z
    low, high = (np.concatenate([[0.0], special.ndtr(middle + s * q * se), [1.0]]) for s in (-1, 1))
    return Band(name, level, simultaneous, GRID, np.append(0.0, curve(GRID[1:])), low, high)


def _bootstrap(curve: RocCurve, level: float, n_resamples: int, rng: Rng) -> Band:
    """Percentiles of the TPF at each FPF over stratified resamples of the cases, each with its own curve. Where all
    resamples agree (the classes do not overlap there) the limits are those of `tpf_at`."""
    generator = generator_of(rng)
    heights = np.array([c(GRID) for c in resampled_curves(curve, generator, n_resamples)])
    low, high = np.quantile(heights, [(1 - level) / 2, (1 + level) / 2], axis=0)
    failed = resamples_without_curve(n_resamples - len(heights), n_resamples)
    agreed = np.flatnonzero((np.ptp(heights, axis=0) < EQUAL_HEIGHTS) & (GRID < 1))
    of_cases = isinstance(curve, EmpiricalRoc)
    if agreed.size and of_cases:
        low[agreed], high[agreed] = np.array([curve.tpf_at(t).ci(level) for t in GRID[agreed]]).T
    # every fitted curve begins at (0, 0)
    agree = Note("resamples-agree", points=agreed.size, of=len(GRID)) if agreed.size > (not of_cases) else None
    return Band("bootstrap", level, False, GRID, curve(GRID), low, high, notes=kept(failed, agree))


Builder = Callable[[Any, float, int, Rng], Band]

# the curves each band serves, and how it is made; a curve's default is the first that serves it
BANDS: tuple[tuple[str, type[RocCurve], Builder], ...] = (
    ("fixed-width", EmpiricalRoc, _fixed_width),
    ("kolmogorov", EmpiricalRoc, _kolmogorov),
    ("working-hotelling", SmoothBinormal, _working_hotelling),
    ("binomial", EmpiricalRoc, _binomial),
    ("vertical", EmpiricalRoc, _vertical),
    ("vertical", SmoothBinormal, _vertical_smooth),
    ("bootstrap", RocCurve, _bootstrap),
)
