"""The semiparametric location-scale ROC curve: one shape for both classes, estimated from the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from trueness.checks import fraction
from trueness.curves.binormal import moments
from trueness.curves.curve import FittedRoc
from trueness.curves.inputs import Range, ranges
from trueness.curves.notes import below_chance, few_values, fit_disagrees, kept
from trueness.curves.partial_area import at_end, mcclish
from trueness.errors import UndefinedError
from trueness.formulas.roc import depth, height, partial_area
from trueness.kernels.auc import auc as mann_whitney
from trueness.kernels.score_counts import curve_counts
from trueness.result import Estimate, Note
from trueness.result.named import BOOTSTRAP, JACKKNIFE, Named
from trueness.sample.scored import Scored
from trueness.typing import Floats

N_RESAMPLES = 200  # of the bootstrap of a rate at one point
MAX_JACKKNIFE_GROUPS = 200  # per class: above this many cases they are left out in groups
CONSTANT_CLASS = Note(
    "no-se-constant-class",
    "No standard error: without one of its cases a class has equal scores and no SD.",
    severity="warning",
)


@dataclass(frozen=True, eq=False, repr=False)
class SemiparametricRoc(FittedRoc):
    """Y1 = μ1 + σ1 ε and Y0 = μ0 + σ0 ε, ε of both classes from one distribution with survival function S:

        ROC(t) = S((μ0 − μ1)/σ1 + (σ0/σ1) S⁻¹(t)),   Ŝ from the pooled standardized scores.

    Means and SDs (divisor n − 1) are those of the classes. It is the empirical curve of two sets of N = n1 + n0
    constructed scores, μ1 + σ1 ε̂ and μ0 + σ0 ε̂, so its area is a Mann–Whitney statistic over N² pairs.
    """

    location: tuple[float, float]  # μ1, μ0
    scale: tuple[float, float]  # σ1, σ0
    method: ClassVar[str] = Named("semiparametric", "the semiparametric curve")
    assumption: ClassVar[str] = "; scores of both classes of one shape, up to location and scale"

    @classmethod
    def of(cls, data: Scored) -> SemiparametricRoc:
        (m1, s1), (m0, s0) = moments(data, "semiparametric")
        n = data.n1 + data.n0
        values, tp, fp = curve_counts(np.concatenate(_constructed(data)), np.arange(2 * n) < n)
        x, y = np.append(0, fp) / n, np.append(0, tp) / n
        return cls(
            data=data,
            thresholds=np.concatenate([[math.inf], values]),
            fpf=x,
            tpf=y,
            notes=kept(few_values(data), below_chance(float(np.trapezoid(y, x)))),
            location=(m1, m0),
            scale=(s1, s0),
        )

    @cached_property
    def auc(self) -> Estimate:
        """Area under the curve; its standard error by the jackknife within classes."""
        out = self._estimate(_area_of(self.data), "auc")
        return self._jackknifed(out.noting(fit_disagrees(self.data, out.value)), _area_of)

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        return height(self.fpf, self.tpf, fpf)

    def tpf_at(self, fpf: float) -> Estimate:
        t = fraction("fpf", fpf)
        out = self._estimate(float(self(t)), f"TPF at FPF = {t:g}")
        return self._resampled(out, lambda c: float(c(t)))

    def fpf_at(self, tpf: float) -> Estimate:
        u = fraction("tpf", tpf)
        out = self._estimate(float(depth(self.fpf, self.tpf, u)), f"FPF at TPF = {u:g}")
        return self._resampled(out, lambda c: float(depth(c.fpf, c.tpf, u)))

    def partial_auc(self, fpf: Range | None = None, tpf: Range | None = None, standardized: bool = False) -> Estimate:
        """Area over a range of FPF, or over a range of TPF; its standard error by the jackknife."""
        axis, low, high = ranges(fpf, tpf, standardized)
        if axis == "tpf":
            low, high = 1 - high, 1 - low

        def area(data: Scored) -> float:
            c = SemiparametricRoc.of(data if axis == "fpf" else data.turned())
            return float(partial_area(c.fpf, c.tpf, low, high))

        value = at_end(area(self.data), (0.0, high - low))
        out = self._jackknifed(self._estimate(value, "partial auc", (0.0, high - low)), area)
        return mcclish(out, low, high) if standardized else out

    def _jackknifed(self, out: Estimate, statistic: Callable[[Scored], float]) -> Estimate:
        """Var = Σ_c (g − 1)/g Σ (θ_(k) − θ̄)², over the g cases (or groups of cases) of each class left out in turn."""
        n1, n0 = self.data.n1, self.data.n0
        if n1 < 3 or n0 < 3:
            message = "No standard error: the jackknife needs at least 3 cases of each class."
            return out.noting(Note("no-se-few-cases", message, "warning", positives=n1, negatives=n0))
        variance = 0.0
        everyone = (np.arange(n1), np.arange(n0))
        for c, n in enumerate((n1, n0)):
            parts = np.array_split(np.random.default_rng(0).permutation(n), min(n, MAX_JACKKNIFE_GROUPS))
            values = []
            for part in parts:
                kept = [np.delete(cases, part) if i == c else cases for i, cases in enumerate(everyone)]
                try:
                    values.append(statistic(self.data.rows(*kept)))
                except UndefinedError:
                    return out.noting(CONSTANT_CLASS)
            variance += (len(parts) - 1) * float(np.var(values))
        return out.with_(se=math.sqrt(variance), se_method=JACKKNIFE)

    def _resampled(self, out: Estimate, statistic: Callable[[SemiparametricRoc], float]) -> Estimate:
        """SD over stratified resamples. A rate at one point is not a smooth function of the cases, so the
        jackknife is not valid for it. The seed is fixed: the same scores give the same number."""
        rng = np.random.default_rng(0)
        n1, n0 = self.data.n1, self.data.n0
        values = []
        for _ in range(N_RESAMPLES):
            drawn = self.data.rows(rng.integers(0, n1, n1), rng.integers(0, n0, n0))
            if np.ptp(drawn.up) > 0 and np.ptp(drawn.down) > 0:
                values.append(statistic(SemiparametricRoc.of(drawn)))
        return out.with_(se=float(np.std(values, ddof=1)), se_method=BOOTSTRAP)


def _area_of(data: Scored) -> float:
    return mann_whitney(*_constructed(data))


def _constructed(data: Scored) -> tuple[Floats, Floats]:
    """(N,) μ1 + σ1 ε̂ and μ0 + σ0 ε̂. In its own class a score is what it was, so that ties between the classes stay."""
    (m1, s1), (m0, s0) = moments(data, SemiparametricRoc.method)
    as_positive, as_negative = m1 + s1 * ((data.down - m0) / s0), m0 + s0 * ((data.up - m1) / s1)
    return np.concatenate([data.up, as_positive]), np.concatenate([as_negative, data.down])
