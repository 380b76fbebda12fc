"""Binormal ROC curves, ROC(t) = Φ(α + β Φ⁻¹(t)): fitted by maximum likelihood on ranks, or from means and SDs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import special

from karat.curves.curve import SCORES, RocCurve, below_chance, nobody
from karat.curves.fit_notes import far_from_cases
from karat.curves.rates import fraction, mcclish, ranges
from karat.errors import UndefinedError
from karat.formulas import binormal as kernel
from karat.kernels.roc import curve_counts
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.interval_rules import LOG
from karat.sample.scored import Scored


@dataclass(frozen=True, eq=False)
class SmoothBinormal(RocCurve):
    """ROC(t) = Φ(α + β Φ⁻¹(t)), with a covariance of α̂ and β̂: what both binormal fits share.

    Attributes
    ----------
    a, b
        α and β as numbers; `alpha` and `beta` are Estimates.
    covariance
        (2, 2) of α̂ and β̂.
    """

    a: float = math.nan
    b: float = math.nan
    covariance: np.ndarray = field(default_factory=lambda: np.full((2, 2), np.nan), repr=False)
    se_method: ClassVar[str]

    @property
    def alpha(self) -> Estimate:
        return self._estimate(self.a, np.array([1.0, 0.0]), metric="alpha")

    @property
    def beta(self) -> Estimate:
        """β = σ0/σ1 > 0; its default interval is one of ln β."""
        return self._estimate(self.b, np.array([0.0, 1.0]), metric="beta", bounds=(0.0, math.inf)).with_(interval=LOG)

    @cached_property
    def auc(self) -> Estimate:
        """AUC = Φ(α/√(1 + β²))  (seeds/003); its standard error by the delta method."""
        root = math.sqrt(1 + self.b**2)
        height = _density(self.a / root)
        gradient = height * np.array([1 / root, -self.a * self.b / root**3])
        out = self._area(float(special.ndtr(self.a / root)))
        out = out.noting(far_from_cases(self.data, out.value))
        return out.with_(se=self._se(gradient), se_method=self.se_method)

    def __call__(self, fpf: Any) -> Any:
        return special.ndtr(self.a + self.b * special.ndtri(fpf))

    def slope(self, fpf: Any) -> Any:
        """ROC'(t) = β φ(α + βz)/φ(z), z = Φ⁻¹(t): the likelihood ratio at the threshold that has this FPF."""
        z = special.ndtri(fpf)
        return self.b * np.exp((z**2 - (self.a + self.b * z) ** 2) / 2)

    def tpf_at(self, fpf: float) -> Estimate:
        t = fraction("fpf", fpf)
        if t in (0.0, 1.0):
            return self._exact(t, f"TPF at FPF = {t:g}")
        z = float(special.ndtri(t))
        w = self.a + self.b * z
        gradient = _density(w) * np.array([1.0, z])
        return self._estimate(float(special.ndtr(w)), gradient, metric=f"TPF at FPF = {t:g}", bounds=(0.0, 1.0))

    def fpf_at(self, tpf: float) -> Estimate:
        u = fraction("tpf", tpf)
        if u in (0.0, 1.0):
            return self._exact(u, f"FPF at TPF = {u:g}")
        w = (float(special.ndtri(u)) - self.a) / self.b
        gradient = _density(w) * np.array([-1.0, -w]) / self.b
        return self._estimate(float(special.ndtr(w)), gradient, metric=f"FPF at TPF = {u:g}", bounds=(0.0, 1.0))

    def partial_auc(
        self,
        fpf: tuple[float, float] | None = None,
        tpf: tuple[float, float] | None = None,
        standardized: bool = False,
    ) -> Estimate:
        """Area over a range of FPF, or over a range of TPF, by quadrature; its standard error by the delta method."""
        axis, low, high = ranges(fpf, tpf)
        a, b, flip = self.a, self.b, np.eye(2)
        if axis == "tpf":  # turned: ROC'(t) = Φ(α/β + (1/β) Φ⁻¹(t)) over (1 − high, 1 − low)
            low, high = 1 - high, 1 - low
            flip = np.array([[1 / b, -a / b**2], [0.0, -1 / b**2]])
            a, b = a / b, 1 / b
        z, weights = _nodes(low, high, b)
        height = np.exp(-0.5 * (a + b * z) ** 2) / math.sqrt(2 * math.pi)
        value = float(weights @ special.ndtr(a + b * z))
        gradient = np.array([weights @ height, weights @ (z * height)]) @ flip
        out = self._estimate(value, gradient, metric="partial auc", bounds=(0.0, high - low))
        return mcclish(out, low, high) if standardized else out

    def _se(self, gradient: np.ndarray) -> float:
        return math.sqrt(float(gradient @ self.covariance @ gradient))

    def _estimate(self, value: float, gradient: np.ndarray, **fields: Any) -> Estimate:
        """A function of α and β, its standard error by the delta method."""
        inside = "logit" if fields.get("bounds", (0, math.inf))[1] < math.inf else "wald"
        return Estimate(
            value,
            se=self._se(gradient),
            se_method=self.se_method,
            method=self.method,
            estimand=SCORES,
            interval=inside,
            cases=min(self.data.n1, self.data.n0),
            notes=self.notes,
            **fields,
        )

    def _exact(self, value: float, name: str) -> Estimate:
        """The two ends of every curve, known without data."""
        out = Estimate(value, se=0.0, metric=name, method=self.method, estimand=SCORES)
        return out.noting("The end of the curve: it is known without data.")


@dataclass(frozen=True, eq=False)
class BinormalRoc(SmoothBinormal):
    """The binormal curve by maximum likelihood on the order of the scores.

    Some monotone transformation makes the scores of both classes normal; which one is not asked, so exp(scores)
    gives the same curve. Ordinal ratings are their own categories (Dorfman & Alf 1969); continuous scores are
    cut wherever the class changes (Metz, Herman & Shen 1998). Thresholds are the lowest scores of the categories.
    """

    method: ClassVar[str] = "binormal"
    se_method: ClassVar[str] = "information"

    @classmethod
    def of(cls, data: Scored) -> BinormalRoc:
        values, tp, fp = curve_counts(data.scores, data.positive)
        up, down = (np.diff(np.append(0, counts))[::-1].astype(float) for counts in (tp, fp))
        begins = kernel.truth_runs(up, down)
        up, down = np.add.reduceat(up, begins), np.add.reduceat(down, begins)
        _check_overlap(up, down)
        try:
            a, b, cuts, covariance, reached = kernel.fit(up, down)
        except np.linalg.LinAlgError:
            reached = False
        if not reached or not (np.isfinite(covariance).all() and np.linalg.eigvalsh(covariance)[0] > 0):
            raise UndefinedError(
                "the binormal likelihood has no maximum here: the data are degenerate (too few categories mix the "
                "classes)",
                got=f"{len(up)} categories of {data.n1} positives and {data.n0} negatives",
                fix='Use method="empirical"',
            )
        edges = cuts[::-1]  # high to low
        first, notes = nobody(values[0])
        return cls(
            data=data,
            thresholds=np.concatenate([[first], values[::-1][begins][::-1]]),
            fpf=np.concatenate([[0.0], special.ndtr(-edges), [1.0]]),
            tpf=np.concatenate([[0.0], special.ndtr(a - b * edges), [1.0]]),
            notes=(*notes, *below_chance(float(special.ndtr(a)))),  # Φ(α/√(1 + β²)) < ½ where α < 0
            a=a,
            b=b,
            covariance=covariance,
        )

    def refitted(self, data: Scored) -> BinormalRoc:
        return BinormalRoc.of(data)


def _check_overlap(up: np.ndarray, down: np.ndarray) -> None:
    """Three categories are needed for α and β, and classes that do not overlap put no limit to α."""
    if len(up) == 1:
        raise UndefinedError(
            "all scores are the same: a binormal curve cannot be fitted", fix='Use method="empirical", which says ½'
        )
    if len(up) == 2 and (up == 0).any() and (down == 0).any():
        raise UndefinedError(
            "the classes are perfectly separated: the binormal likelihood grows without end",
            fix='Use method="empirical"; its AUC is 1 (or 0) with an exact interval',
        )
    if len(up) == 2:
        raise UndefinedError(
            "the scores have two values only, one operating point: it cannot give both α and β",
            fix='Use method="empirical"',
        )


@dataclass(frozen=True, eq=False)
class NormalRoc(SmoothBinormal):
    """Normal theory: the scores themselves are normal in both classes, α = (μ1 − μ0)/σ1 and β = σ0/σ1  (seeds/003).

    SDs have the divisor n − 1. Only as good as the assumption: exp(scores) gives another curve.
    """

    method: ClassVar[str] = "normal"
    se_method: ClassVar[str] = "normal theory"

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
            notes=below_chance(float(special.ndtr(a))),
            a=a,
            b=b,
            covariance=covariance,
        )

    @cached_property
    def moments(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean and SD of the positives, and of the negatives."""
        return moments(self.data, self.method)

    def rates(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """FPF and TPF at each threshold."""
        (m1, s1), (m0, s0) = self.moments
        return special.ndtr((m0 - thresholds) / s0), special.ndtr((m1 - thresholds) / s1)

    def rates_at(self, threshold: float) -> tuple[float, float]:
        if math.isnan(threshold):
            return 0.0, 0.0
        fpf, tpf = self.rates(np.array([threshold]))
        return float(fpf[0]), float(tpf[0])

    def refitted(self, data: Scored) -> NormalRoc:
        return NormalRoc.of(data)


def moments(data: Scored, method: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and SD of the positives and of the negatives; an error where there is none."""
    if not np.isfinite(data.scores).all():
        raise UndefinedError(
            f"the {method} curve is made of means and SDs, which infinite scores do not have",
            got=counted(int((~np.isfinite(data.scores)).sum()), "infinite score"),
            fix='Use method="empirical" or "binormal", which know the order only',
        )
    each = []
    for values, name in ((data.up, "positive"), (data.down, "negative")):
        if len(values) < 2 or np.ptp(values) == 0:
            raise UndefinedError(
                f"the {method} curve needs the SD of the {name} scores",
                got=f"{len(values)} case" + ("s, all with the same score" if len(values) > 1 else ""),
                fix='Use method="empirical"',
            )
        with np.errstate(over="ignore", invalid="ignore"):
            mean, sd = float(values.mean()), float(values.std(ddof=1))
        if not (math.isfinite(mean) and 0 < sd < math.inf):
            raise UndefinedError(
                f"the SD of the {name} scores, which the {method} curve needs, cannot be held by a number",
                got=f"{sd:g}, from scores between {values.min():g} and {values.max():g}",
                fix="Rescale the scores, or take their logarithms",
            )
        each.append((mean, sd))
    return each[0], each[1]


def _nodes(low: float, high: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """z and weights (m,) so that Σ w f(z) is ∫ f(z) φ(z) dz over the FPFs from `low` to `high`: 16 nodes of Gauss and
    Legendre in each step of length 1, or 1/β where the curve is steeper; |z| > 9 holds 1e-19 of φ."""
    ends = np.clip(special.ndtri([low, high]), -9, 9)
    steps = math.ceil(float(ends[1] - ends[0]) * min(max(1.0, b), 500.0)) or 1
    edges = np.linspace(ends[0], ends[1], steps + 1)
    half = (edges[1] - edges[0]) / 2
    nodes, weights = np.polynomial.legendre.leggauss(16)
    z = (edges[:-1, None] + half * (1 + nodes)).ravel()
    return z, half * np.tile(weights, steps) * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
