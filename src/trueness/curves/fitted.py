"""Fitted ROC curves.

Binormal ones, ROC(t) = Φ(α + β Φ⁻¹(t)), by maximum likelihood on ranks or from means and SDs, and the semiparametric one:
one shape for both classes, estimated from the scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import special

from trueness.checks import fraction
from trueness.curves.common import (
    SCORES,
    Range,
    above_all,
    below_chance,
    fit_disagrees,
    infinite_top,
    kept,
    ranges,
)
from trueness.curves.curve import FittedRoc, RocCurve
from trueness.curves.empirical import CurvePoints, resampled_curves
from trueness.curves.rates import at_end, mcclish
from trueness.errors import UndefinedError
from trueness.formulas import binormal as likelihood
from trueness.formulas.roc import depth, height, partial_area
from trueness.kernels.auc import auc as mann_whitney
from trueness.kernels.auc import curve_counts
from trueness.result.estimate import Estimate
from trueness.result.interval import LOG
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import BOOTSTRAP, JACKKNIFE, Named, StandardError
from trueness.sample.scored import Scored
from trueness.typing import Floats


@dataclass(frozen=True, eq=False, repr=False)
class SmoothBinormal(FittedRoc):
    """ROC(t) = Φ(α + β Φ⁻¹(t)), with a covariance of α̂ and β̂: what both binormal fits share.

    Attributes
    ----------
    a, b : float
        α and β as numbers; `alpha` and `beta` are Estimates.
    covariance : ndarray of shape (2, 2)
        Of α̂ and β̂.
    """

    a: float
    b: float
    covariance: Floats
    se_method: ClassVar[StandardError]

    @property
    def alpha(self) -> Estimate:
        """α, the separation of the classes; a Wald interval by default."""
        return self._by_delta(self.a, np.array([1.0, 0.0]), "alpha", (-math.inf, math.inf))

    @property
    def beta(self) -> Estimate:
        """β = σ0/σ1 > 0; its default interval is one of ln β."""
        return self._by_delta(self.b, np.array([0.0, 1.0]), "beta", (0.0, math.inf)).with_(interval=LOG)

    @cached_property
    def auc(self) -> Estimate:
        """AUC = Φ(α/√(1 + β²)); its standard error by the delta method."""
        root = math.sqrt(1 + self.b**2)
        gradient = likelihood.density(self.a / root) * np.array([1 / root, -self.a * self.b / root**3])
        area = _area(self.a, self.b)
        return self._by_delta(area, gradient, "auc").noting(fit_disagrees(self.data, area))

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        return np.asarray(special.ndtr(self.a + self.b * special.ndtri(fpf)))

    def tpf_at(self, fpf: float) -> Estimate:
        t = fraction("fpf", fpf)
        z = float(special.ndtri(t))
        return self._rate(t, self.a + self.b * z, [1.0, z], f"TPF at FPF = {t:g}")

    def fpf_at(self, tpf: float) -> Estimate:
        u = fraction("tpf", tpf)
        w = (float(special.ndtri(u)) - self.a) / self.b
        return self._rate(u, w, [-1.0 / self.b, -w / self.b], f"FPF at TPF = {u:g}")

    def _rate(self, given: float, w: float, gradient: list[float], name: str) -> Estimate:
        """Φ(w), its standard error by the delta method; the two ends of every curve are known without data."""
        if given in (0.0, 1.0):
            return Estimate(given, se=0.0, metric=name, method=self.method, estimand=SCORES)
        return self._by_delta(float(special.ndtr(w)), likelihood.density(w) * np.array(gradient), name)

    def partial_auc(self, fpf: Range | None = None, tpf: Range | None = None, standardized: bool = False) -> Estimate:
        """Area over a range of FPF, or over a range of TPF, by quadrature; its standard error by the delta method."""
        axis, low, high = ranges(fpf, tpf, standardized)
        a, b, flip = self.a, self.b, np.eye(2)
        if axis == "tpf":  # turned: ROC'(t) = Φ(α/β + (1/β) Φ⁻¹(t)) over (1 − high, 1 − low)
            low, high = 1 - high, 1 - low
            flip = np.array([[1 / b, -a / b**2], [0.0, -1 / b**2]])
            a, b = a / b, 1 / b
        z, weights = _nodes(low, high, b)
        height = likelihood.density(a + b * z)
        value = float(weights @ special.ndtr(a + b * z))
        gradient = np.array([weights @ height, weights @ (z * height)]) @ flip
        out = self._by_delta(value, gradient, "partial auc", (0.0, high - low))
        return mcclish(out, low, high) if standardized else out

    def _by_delta(
        self, value: float, gradient: Floats, metric: str, bounds: tuple[float, float] = (0.0, 1.0)
    ) -> Estimate:
        """A function of α and β, its standard error by the delta method."""
        se = math.sqrt(float(gradient @ self.covariance @ gradient))
        return self._estimate(value, metric, bounds).with_(se=se, se_method=self.se_method)


@dataclass(frozen=True, eq=False, repr=False)
class BinormalRoc(SmoothBinormal):
    """The binormal curve by maximum likelihood on the order of the scores.

    Some monotone transformation, which need not be known, makes the scores of both classes normal, so exp(scores) gives
    the same curve. Ordinal ratings are their own categories (Dorfman & Alf 1969); continuous scores are
    cut wherever the class changes (Metz, Herman & Shen 1998). Thresholds are the lowest scores of the categories.
    """

    method: ClassVar[str] = Named("binormal", "the binormal curve", "dorfman_alf_1969", "metz_1998")
    assumption: ClassVar[str] = "; some monotone transformation makes the scores of both classes normal"
    se_method: ClassVar[StandardError] = StandardError("information", "the standard error of the information matrix")

    @classmethod
    def of(cls, data: Scored) -> BinormalRoc:
        values, tp, fp = curve_counts(data.scores, data.positive)
        up, down = (np.diff(np.append(0, counts))[::-1].astype(float) for counts in (tp, fp))
        begins = likelihood.truth_runs(up, down)
        up, down = np.add.reduceat(up, begins), np.add.reduceat(down, begins)
        if len(up) < 3:
            raise _no_curve(
                "Scores of perfectly separated classes, or of fewer than three categories, have no binormal curve"
            )
        try:
            a, b, cuts, covariance, reached = likelihood.fit(up, down)
        except np.linalg.LinAlgError:
            reached = False
        if not reached or not (np.isfinite(covariance).all() and np.linalg.eigvalsh(covariance)[0] > 0):
            raise _no_curve("The binormal likelihood has no maximum: too few categories contain both classes")
        edges = cuts[::-1]  # high to low
        return cls(
            data=data,
            thresholds=np.concatenate([[above_all(values[0])], values[::-1][begins][::-1]]),
            fpf=np.concatenate([[0.0], special.ndtr(-edges), [1.0]]),
            tpf=np.concatenate([[0.0], special.ndtr(a - b * edges), [1.0]]),
            notes=kept(infinite_top(values[0]), below_chance(_area(a, b))),
            a=a,
            b=b,
            covariance=covariance,
        )


def _no_curve(problem: str) -> UndefinedError:
    return UndefinedError(problem, param="method", fix="Use method='empirical'")


@dataclass(frozen=True, eq=False, repr=False)
class NormalRoc(SmoothBinormal):
    """Normal theory: the scores themselves are normal in both classes, α = (μ1 − μ0)/σ1 and β = σ0/σ1.

    SDs have the divisor n − 1. Only as good as the assumption: exp(scores) gives another curve.
    """

    method: ClassVar[str] = "normal"
    assumption: ClassVar[str] = "; scores normal in both classes"
    se_method: ClassVar[StandardError] = StandardError("normal theory")

    @classmethod
    def of(cls, data: Scored) -> NormalRoc:
        (m1, s1), (m0, s0) = moments(data, "normal")
        a, b = (m1 - m0) / s1, s0 / s1
        n1, n0 = data.n1, data.n0
        # Var of a mean is σ²/n and of an SD σ²/(2n), independent; the delta method gives the rest
        covariance = np.array(
            [
                [1 / n1 + b**2 / n0 + a**2 / (2 * n1), a * b / (2 * n1)],
                [a * b / (2 * n1), b**2 * (1 / (2 * n1) + 1 / (2 * n0))],
            ]
        )
        values = np.unique(data.scores)[::-1]
        return cls(
            data=data,
            thresholds=np.concatenate([[math.inf], values, [-math.inf]]),
            fpf=np.concatenate([[0.0], special.ndtr((m0 - values) / s0), [1.0]]),
            tpf=np.concatenate([[0.0], special.ndtr((m1 - values) / s1), [1.0]]),
            notes=kept(below_chance(_area(a, b))),
            a=a,
            b=b,
            covariance=covariance,
        )

    @cached_property
    def moments(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean and SD of the positives, and of the negatives."""
        return moments(self.data, self.method)

    def rates(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """FPF and TPF at each threshold."""
        (m1, s1), (m0, s0) = self.moments
        return special.ndtr((m0 - thresholds) / s0), special.ndtr((m1 - thresholds) / s1)

    def rates_at(self, threshold: float) -> tuple[float, float]:
        if math.isnan(threshold):
            return 0.0, 0.0
        fpf, tpf = self.rates(np.array([threshold]))
        return float(fpf[0]), float(tpf[0])


def moments(data: Scored, method: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and SD of the positives and of the negatives; an error where there is none."""
    if not np.isfinite(data.scores).all():
        raise _no_curve(f"The {method} curve needs means and SDs, which infinite scores do not have")
    each = []
    for values, name in ((data.up, "positive"), (data.down, "negative")):
        with np.errstate(all="ignore"):
            ordered = np.sort(values)  # sums in one order, whatever that of the cases
            mean, sd = float(ordered.mean()), float(ordered.std(ddof=min(1, len(values) - 1)))
        if np.ptp(values) == 0 or not (math.isfinite(mean) and 0 < sd < math.inf):
            raise _no_curve(f"The {method} curve needs the SD of the {name} scores, which is none")
        each.append((mean, sd))
    return each[0], each[1]


def _nodes(low: float, high: float, b: float) -> tuple[Floats, Floats]:
    """z and weights (m,) so that Σ w f(z) is ∫ f(z) φ(z) dz over the FPFs from `low` to `high`: 16 nodes of Gauss and
    Legendre in each step of length 1, or 1/β where the curve is steeper; |z| > 9 holds 1e-19 of φ."""
    ends = np.clip(special.ndtri([low, high]), -9, 9)
    steps = math.ceil(float(ends[1] - ends[0]) * min(max(1.0, b), 500.0)) or 1
    edges = np.linspace(ends[0], ends[1], steps + 1)
    half = (edges[1] - edges[0]) / 2
    nodes, weights = np.polynomial.legendre.leggauss(16)
    z = (edges[:-1, None] + half * (1 + nodes)).ravel()
    return z, half * np.tile(weights, steps) * likelihood.density(z)


def _area(a: float, b: float) -> float:
    return float(special.ndtr(a / math.sqrt(1 + b**2)))


N_RESAMPLES = 200  # of the bootstrap of a rate at one point
MAX_JACKKNIFE_GROUPS = 200  # per class: above this many cases they are left out in groups


@dataclass(frozen=True, eq=False, repr=False)
class SemiparametricRoc(FittedRoc):
    """Y1 = μ1 + σ1 ε and Y0 = μ0 + σ0 ε, ε of both classes from one distribution with survival function S:

        ROC(t) = S((μ0 − μ1)/σ1 + (σ0/σ1) S⁻¹(t)),   Ŝ from the pooled standardized scores.

    Means and SDs (divisor n − 1) are those of the classes. It is the empirical curve of two sets of N = n1 + n0
    constructed scores, μ1 + σ1 ε̂ and μ0 + σ0 ε̂, so its area is a Mann–Whitney statistic over N² pairs.
    """

    method: ClassVar[str] = Named("semiparametric", "the semiparametric curve")
    assumption: ClassVar[str] = "; scores of both classes of one shape, up to location and scale"

    @classmethod
    def of(cls, data: Scored) -> SemiparametricRoc:
        values, tp, fp = curve_counts(np.concatenate(_constructed(data)), np.arange(2 * data.n) < data.n)
        x, y = np.append(0, fp) / data.n, np.append(0, tp) / data.n
        return cls(data, np.append(math.inf, values), x, y, kept(below_chance(float(np.trapezoid(y, x)))))

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
        fewest, variance = min(self.data.n1, self.data.n0), 0.0
        if fewest < 3:
            return out.noting(Note("no-se-few-cases", cases=fewest, needed=3))
        everyone = [np.arange(self.data.n1), np.arange(self.data.n0)]
        for c, cases in enumerate(everyone):
            n, values = len(cases), []
            for part in np.array_split(np.random.default_rng(0).permutation(n), min(n, MAX_JACKKNIFE_GROUPS)):
                left = [*everyone[:c], np.delete(cases, part), *everyone[c + 1 :]]
                try:
                    values.append(statistic(self.data.rows(*left)))
                except UndefinedError:
                    return out.noting(NO_VARIANCE)
            variance += (len(values) - 1) * float(np.var(values))
        return out.with_(se=math.sqrt(variance), se_method=JACKKNIFE)

    def _resampled(self, out: Estimate, statistic: Callable[[CurvePoints | RocCurve], float]) -> Estimate:
        """SD over stratified resamples. A rate at one point is not a smooth function of the cases, so the
        jackknife is not valid for it. The seed is fixed: the same scores give the same number."""
        values = [statistic(c) for c in resampled_curves(self, np.random.default_rng(0), N_RESAMPLES)]
        return out.with_(se=float(np.std(values, ddof=1)), se_method=BOOTSTRAP)


def _area_of(data: Scored) -> float:
    return mann_whitney(*_constructed(data))


def _constructed(data: Scored) -> tuple[Floats, Floats]:
    """(N,) μ1 + σ1 ε̂ and μ0 + σ0 ε̂. In its own class a score is what it was, so that ties between the classes stay."""
    (m1, s1), (m0, s0) = moments(data, SemiparametricRoc.method)
    as_positive, as_negative = m1 + s1 * ((data.down - m0) / s0), m0 + s0 * ((data.up - m1) / s1)
    return np.concatenate([data.up, as_positive]), np.concatenate([as_negative, data.down])
