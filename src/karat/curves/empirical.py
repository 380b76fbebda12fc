"""The empirical ROC curve: all thresholds, DeLong's standard error, exact binomial points."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from karat.curves.area import DELONG, variance_of_area
from karat.curves.curve import RocCurve, below_chance, nobody
from karat.curves.fixed_point import rate_at_quantile, turned
from karat.curves.hull import Hull
from karat.curves.point import RocPoint, ThresholdAt, point_at, threshold_at_rate
from karat.curves.range_area import range_area
from karat.curves.rates import fraction, ranges
from karat.formulas import roc_counts
from karat.kernels.roc import curve_points
from karat.result import Estimate
from karat.sample.scored import Scored


class EmpiricalRoc(RocCurve):
    """TPF and FPF as shares of the cases at or above each score  (seeds/003).

    Points are joined by straight lines; scores that both classes share make them slanted. Every distinct
    score is a threshold; `drop_collinear()` keeps the corners only. Points and notes are worked out when they are
    first asked for: the AUC and its standard error need none of them.
    """

    method: ClassVar[str] = "empirical"
    _at: np.ndarray | None

    def __init__(self, data: Scored, at: np.ndarray | None = None) -> None:
        """`at` are the places of the points that are kept, among those of all distinct scores; None: all of them."""
        self.__dict__.update(data=data, _at=at)  # frozen, as every curve

    @classmethod
    def of(cls, data: Scored) -> EmpiricalRoc:
        return cls(data)

    def refitted(self, data: Scored) -> EmpiricalRoc:
        return EmpiricalRoc.of(data)

    # -- points ---------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(v + 1,) thresholds, high to low, and the positives and negatives at or above each."""
        if self._at is not None:
            values, tp, fp = self.all_points._counted
            return values[self._at], tp[self._at], fp[self._at]
        values, tp, fp = curve_points(self.data.scores, self.data.positive)
        values[0] = nobody(values[1])[0]
        return values, tp, fp

    @property
    def thresholds(self) -> np.ndarray:
        """From high to low: a case is called positive where score ≥ threshold. The first calls nobody positive."""
        return self._counted[0]

    @cached_property
    def fpf(self) -> np.ndarray:
        """False positive fraction at each threshold."""
        return self._fp / self.data.n0

    @cached_property
    def tpf(self) -> np.ndarray:
        """True positive fraction at each threshold."""
        return self._tp / self.data.n1

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know."""
        low, high = self.data.range
        same = ("All scores are the same: the curve is the diagonal and says nothing.",) if low == high else ()
        return (*nobody(high)[1], *same, *below_chance(self.data.area))

    @property
    def _tp(self) -> np.ndarray:
        return self._counted[1]

    @property
    def _fp(self) -> np.ndarray:
        return self._counted[2]

    @cached_property
    def places(self) -> np.ndarray:
        """(n,) which of the distinct scores, high to low, each case has."""
        values = self.all_points.thresholds[1:]
        return len(values) - 1 - np.searchsorted(values[::-1], self.data.scores)

    @cached_property
    def all_points(self) -> EmpiricalRoc:
        """This curve with every distinct score a threshold, whatever was dropped."""
        return self if self._at is None else EmpiricalRoc.of(self.data)

    # -- other curves ---------------------------------------------------------------------------

    def drop_collinear(self) -> EmpiricalRoc:
        """The same curve without the points on a straight line between two others."""
        at = np.flatnonzero(roc_counts.corners(self._tp, self._fp))
        return EmpiricalRoc(self.data, at if self._at is None else self._at[at])

    def hull(self) -> Hull:
        """The concave hull of the curve."""
        at = roc_counts.hull(self._tp, self._fp)
        area = roc_counts.twice_area(self._tp[at], self._fp[at]) / (2 * self.data.n1 * self.data.n0)
        return Hull(self.thresholds[at], self.fpf[at], self.tpf[at], area)

    # -- areas ----------------------------------------------------------------------------------

    @property
    def area(self) -> float:
        """Area under these points by trapezoids, in whole numbers until the last division; of all points together it
        is Mann–Whitney's AUC, which needs none of them."""
        if self._at is None:
            return self.data.area
        return roc_counts.twice_area(self._tp, self._fp) / (2 * self.data.n1 * self.data.n0)

    @cached_property
    def auc(self) -> Estimate:
        """Mann–Whitney's AUC, ties counting ½, with DeLong's standard error. Where few cases overlap its default
        interval takes Hanley and McNeil's, if that is the larger one, and a note says so (curves/area.py)."""
        return self.auc_with(DELONG)

    def auc_with(self, se: str) -> Estimate:
        """The AUC with another standard error.

        Parameters
        ----------
        se
            "delong"; "q1q2" (the variance of seeds/003 with Q1 and Q2 estimated from the cases); or
            "hanley-mcneil" (Q1 and Q2 from a model of the scores: larger than the truth for good rules, and to be
            trusted where so few cases overlap that DeLong's is too small).
        """
        value = self.data.delong[0] if se == DELONG else self.data.area
        return variance_of_area(self._area(value), self.data, se)

    def partial_auc(
        self,
        fpf: tuple[float, float] | None = None,
        tpf: tuple[float, float] | None = None,
        standardized: bool = False,
    ) -> Estimate:
        """Area over a range of FPF, or over a range of TPF, with its own standard error.

        Over FPF the area is ∫ ROC(t) dt, at most the length of the range; over TPF it is the area to the right
        of the curve, ∫ (1 − ROC⁻¹(u)) du. The standard error is that of the range (formulas/partial_auc.py),
        not of the whole AUC, and intervals take Student's quantile (curves/range_area.py).

        Parameters
        ----------
        fpf, tpf
            The range, e.g. fpf=(0, .1) or tpf=(.9, 1).
        standardized
            McClish's scale: ½ is chance and 1 is best.
        """
        axis, low, high = ranges(fpf, tpf)
        if axis == "tpf":  # with classes swapped and scores negated it is the FPF range (1 − high, 1 − low)
            return range_area(EmpiricalRoc.of(self.data.turned()), 1 - high, 1 - low, standardized, axis)
        return range_area(self.all_points, low, high, standardized, axis)

    # -- questions ------------------------------------------------------------------------------

    def __call__(self, fpf: Any) -> Any:
        # at a vertical step the upper end: the largest TPF at this FPF
        return np.interp(fpf, self.fpf, self.tpf)

    def rates_at(self, threshold: float) -> tuple[float, float]:
        if math.isnan(threshold):  # stands for calling nobody positive
            return 0.0, 0.0
        fpf, tpf = (1 - float(np.searchsorted(v, threshold, side="left")) / len(v) for v in self._ordered)
        return fpf, tpf

    @cached_property
    def _ordered(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of negatives and of positives from low to high."""
        return np.sort(self.data.down), np.sort(self.data.up)

    def at(self, threshold: float) -> RocPoint:
        """TPF and FPF of the decision score ≥ threshold, each a plain proportion with its interval."""
        return point_at(self.data, threshold)

    def tpf_at(self, fpf: float) -> Estimate:
        """TPF where the FPF is this, on the curve: the largest TPF of the thresholds with at most this FPF, and
        interpolated where both classes share a score, so that no single threshold has this FPF.

        The threshold is itself estimated (from the negatives), and the standard error knows: it is that of the
        ideal bootstrap, of all n^n resamples, which has a closed form (curves/fixed_point.py).
        """
        t = fraction("fpf", fpf)
        return rate_at_quantile(self.fpf, self.tpf, self.data.n1, self.data.n0, t, f"TPF at FPF = {t:g}")

    def fpf_at(self, tpf: float) -> Estimate:
        """FPF where the TPF is this, on the curve; as `tpf_at` with the axes exchanged."""
        u = fraction("tpf", tpf)
        # the curve turned about: 1 − TPF and 1 − FPF of the swapped classes
        x, y = (1 - self.tpf)[::-1], (1 - self.fpf)[::-1]
        out = rate_at_quantile(x, y, self.data.n0, self.data.n1, 1 - u, f"FPF at TPF = {u:g}")
        return turned(out)

    def threshold_at(self, *, fpf: float | None = None, tpf: float | None = None) -> ThresholdAt:
        """The threshold that has this FPF (or TPF) in the population, with an exact interval."""
        return threshold_at_rate(self.data, fpf=fpf, tpf=tpf)
