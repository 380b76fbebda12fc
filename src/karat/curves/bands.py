"""Confidence bands around a ROC curve: pointwise and simultaneous."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from karat.curves.binormal import SmoothBinormal
from karat.curves.curve import RocCurve
from karat.curves.empirical import EmpiricalRoc
from karat.curves.resampled import check_resamples, resampled_curves
from karat.errors import InputError
from karat.formulas.intervals import quantile, wilson
from karat.result import Interval
from karat.sample.seeds import seed_sequence

GRID = np.unique(
    np.concatenate([np.linspace(0, 1, 201), special.ndtr(np.linspace(-3.5, 3.5, 57))])
)  # dense at both ends
SHOWN = 0.1  # the FPF at which a band is printed


@dataclass(frozen=True, eq=False)
class Band:
    """Limits around a ROC curve.

    Attributes
    ----------
    simultaneous
        True: the whole true curve lies inside with probability `level`. False: each point by itself does.
    fpf, tpf
        The curve.
    low, high
        Limits of the TPF at each FPF.
    fpf_low, fpf_high, thresholds
        Of the binomial band only: limits of the FPF at each threshold too.
    """

    method: str
    level: float
    simultaneous: bool
    fpf: np.ndarray = field(repr=False)
    tpf: np.ndarray = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    thresholds: np.ndarray | None = field(default=None, repr=False)
    fpf_low: np.ndarray | None = field(default=None, repr=False)
    fpf_high: np.ndarray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is, in words."""
        return f"{100 * self.level:g} % {self.method} band, {'simultaneous' if self.simultaneous else 'pointwise'}"

    def __str__(self) -> str:
        if self.fpf_low is not None:
            return f"{self.name}: FPF and TPF at {len(self.fpf)} thresholds"
        low, high = self.at(SHOWN)
        return f"{self.name}: TPF {low:.3f} to {high:.3f} at FPF {SHOWN}"

    def at(self, fpf: float) -> Interval:
        """Limits of the TPF at this FPF (interpolated)."""
        if self.fpf_low is not None:
            raise InputError("the binomial band is about thresholds, not about a given FPF", fix='Use "vertical"')
        low, high = (float(np.interp(fpf, self.fpf, side)) for side in (self.low, self.high))
        return Interval(low, high, level=self.level, method=self.method)

    def frame(self) -> pd.DataFrame:
        """A row a point: `fpf`, `tpf`, `tpf_low`, `tpf_high`; the binomial band has `threshold`, `fpf_low` and
        `fpf_high` too."""
        columns: dict[str, Any] = {"fpf": self.fpf, "tpf": self.tpf, "tpf_low": self.low, "tpf_high": self.high}
        if self.thresholds is not None:
            columns = {"threshold": self.thresholds, **columns, "fpf_low": self.fpf_low, "fpf_high": self.fpf_high}
        return pd.DataFrame(columns)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the band into matplotlib axes (new ones where none are given) and return them."""
        from karat.plots.band import BandDisplay

        return BandDisplay(self).plot(ax, **style)


def band(curve: RocCurve, level: float, method: str | None, *, n_resamples: int, rng: Any) -> Band:
    """The band of this name for this curve; its default where none is named."""
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
    n_resamples = check_resamples(n_resamples, least=1)
    served = {name: build for name, kind, build in BANDS if isinstance(curve, kind)}
    name = next(iter(served)) if method is None else method
    if name not in served:
        raise InputError(
            f"there is no {name} band for the {curve.method} curve", fix=f"Choose one of {', '.join(served)}"
        )
    return served[name](curve, level, n_resamples=n_resamples, rng=rng)


def _fixed_width(curve: EmpiricalRoc, level: float, *, n_resamples: int, rng: Any) -> Band:
    """The curve moved up and down a line of slope −√(n0/n1), by what holds `level` of the resampled curves
    (Campbell 1994; Macskassy, Provost & Rosset 2005).

    At least as far as each class by itself demands, 1 − (1 − √level)^(1/n): where the classes hardly overlap
    resamples hardly differ, and the width would be 0 (ours).
    """
    n1, n0 = curve.data.n1, curve.data.n0
    s = math.sqrt(n0 / n1)
    lines = np.linspace(0, 1 + s, 401)  # s·FPF + TPF is constant on each; TPF − s·FPF says where on it the curve is
    place = np.interp(lines, s * curve.fpf + curve.tpf, curve.tpf - s * curve.fpf)
    generator = np.random.default_rng(seed_sequence(rng))
    apart = [
        np.abs(np.interp(lines, s * r.fpf + r.tpf, r.tpf - s * r.fpf) - place).max()
        for r in resampled_curves(curve, generator, n_resamples)
        if r is not None
    ]
    move = float(np.quantile(apart, level)) / 2
    least = [1 - (1 - math.sqrt(level)) ** (1 / n) for n in (n0, n1)]
    return _moved(curve, max(move / s, least[0]), max(move, least[1]), "fixed-width", level)


def _kolmogorov(curve: EmpiricalRoc, level: float, **_: Any) -> Band:
    """The curve moved by (∓d, ±e), d and e from Kolmogorov's exact distribution at √level each  (Campbell 1994).

    sup |FPF̂ − FPF| ≤ d and sup |TPF̂ − TPF| ≤ e hold together with probability ≥ level whatever the scores are
    distributed like, and then the true curve lies between the two moved ones. Safe, and wide.
    """
    each = math.sqrt(level)
    d, e = (_largest_gap(each, n) for n in (curve.data.n0, curve.data.n1))
    return _moved(curve, d, e, "kolmogorov", level)


@cache
def _largest_gap(level: float, n: int) -> float:
    """Kolmogorov's quantile: the largest gap between n cases' distribution and the true one."""
    return float(stats.kstwo.ppf(level, n))


def _moved(curve: EmpiricalRoc, d: float, e: float, name: str, level: float) -> Band:
    """Between the curve moved by (−d, +e) and by (+d, −e)."""
    at = np.unique(np.concatenate([GRID, (curve.fpf - d).clip(0, 1), (curve.fpf + d).clip(0, 1)]))
    high = np.minimum(curve(np.minimum(at + d, 1)) + e, 1)
    low = np.maximum(_lower_end(curve, at - d) - e, 0)
    return Band(name, level, True, at, curve(at), low, high)


def _lower_end(curve: EmpiricalRoc, fpf: np.ndarray) -> np.ndarray:
    """ROC(t), at a vertical step its lower end."""
    return 1 - np.interp(1 - fpf, (1 - curve.fpf)[::-1], (1 - curve.tpf)[::-1])


def _binomial(curve: EmpiricalRoc, level: float, **_: Any) -> Band:
    """Wilson's interval of TPF and of FPF at each threshold, each by itself at this level."""
    q = quantile(level)
    tpf = np.array([wilson(p, curve.data.n1, q) for p in curve.tpf])
    fpf = np.array([wilson(p, curve.data.n0, q) for p in curve.fpf])
    return Band(
        "binomial",
        level,
        False,
        curve.fpf,
        curve.tpf,
        tpf[:, 0],
        tpf[:, 1],
        thresholds=curve.thresholds,
        fpf_low=fpf[:, 0],
        fpf_high=fpf[:, 1],
    )


def _vertical(curve: EmpiricalRoc, level: float, **_: Any) -> Band:
    """The interval of `tpf_at` at each FPF."""
    limits = [curve.tpf_at(t).ci(level) if t < 1 else (1.0, 1.0) for t in GRID]
    low, high = np.array(limits).T
    return Band("vertical", level, False, GRID, curve(GRID), low, high)


def _vertical_smooth(curve: SmoothBinormal, level: float, **_: Any) -> Band:
    """α + βz ± z_level·se on the probit scale, at each FPF."""
    return _probit_band(curve, level, quantile(level), "vertical", simultaneous=False)


def _working_hotelling(curve: SmoothBinormal, level: float, **_: Any) -> Band:
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


def _bootstrap(curve: RocCurve, level: float, *, n_resamples: int, rng: Any) -> Band:
    """Percentiles of the TPF at each FPF over stratified resamples of the cases, each with its own curve. Where all
    resamples agree (the classes do not overlap there) they say nothing, and the limits are those of `tpf_at`."""
    generator = np.random.default_rng(seed_sequence(rng))
    heights, failed = [], 0
    for resampled in resampled_curves(curve, generator, n_resamples):
        if resampled is None:
            failed += 1
        else:
            heights.append(resampled(GRID))
    if not heights:
        raise InputError("no resample has a curve of this kind", fix='Use method="empirical"')
    low, high = np.quantile(heights, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lost = "has no {} curve and is" if failed == 1 else "have no {} curve and are"
    notes = [f"{failed} of {n_resamples} resamples {lost.format(curve.method)} left out."] if failed else []
    agreed = np.flatnonzero((np.ptp(heights, axis=0) < 1e-12) & (GRID < 1))
    if agreed.size and isinstance(curve, EmpiricalRoc):
        low[agreed], high[agreed] = np.array([curve.tpf_at(t).ci(level) for t in GRID[agreed]]).T
        notes.append(f"At {agreed.size} of {len(GRID)} FPFs all resamples agree: the limits there are those of tpf_at.")
    elif agreed.size > 1:  # every curve begins at (0, 0)
        notes.append(f"At {agreed.size} of {len(GRID)} FPFs all resamples agree, and the band has no length there.")
    return Band("bootstrap", level, False, GRID, curve(GRID), low, high, notes=tuple(notes))


# the curves each band serves, and how it is made; a curve's default is the first that serves it
BANDS: tuple[tuple[str, type[RocCurve], Callable[..., Band]], ...] = (
    ("fixed-width", EmpiricalRoc, _fixed_width),
    ("kolmogorov", EmpiricalRoc, _kolmogorov),
    ("working-hotelling", SmoothBinormal, _working_hotelling),
    ("binomial", EmpiricalRoc, _binomial),
    ("vertical", EmpiricalRoc, _vertical),
    ("vertical", SmoothBinormal, _vertical_smooth),
    ("bootstrap", RocCurve, _bootstrap),
)
