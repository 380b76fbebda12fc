"""Estimates of several groups or sites together: are they equal, what is their mean, how much do they differ?

Values are compared on a scale on which they are closer to normal and have no ends (`MetricScale`): the logit of a metric with
two limits (an AUC, a rate), the logarithm of one with a lower limit, else the metric itself.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import special

from trueness.formulas.intervals import quantile
from trueness.typing import Floats

MOST_STEPS = 10_000  # of the iteration to the REML estimate; it takes some tens
DRAWS, NORMALS = 100, 100  # points of the confidence distribution of τ², and of a normal distribution
HALVINGS = 60  # of an interval that holds a τ²


@dataclass(frozen=True)
class MetricScale:
    """The scale on which a metric with these bounds is averaged."""

    low: float
    high: float

    @property
    def name(self) -> str:
        if math.isfinite(self.low):
            return "logit" if math.isfinite(self.high) else "log"
        return "identity"

    def to(self, value: float) -> float:
        """From the metric to the scale."""
        if self.name == "identity":
            return value
        if self.name == "log":
            return math.log(value - self.low)
        return float(special.logit((value - self.low) / (self.high - self.low)))

    def back(self, x: float) -> float:
        """From the scale to the metric."""
        if self.name == "identity":
            return x
        if self.name == "log":
            return self.low + math.exp(x)
        return self.low + (self.high - self.low) * float(special.expit(x))

    def slope(self, value: float) -> float:
        """How much the scale moves with the metric at this value."""
        return 1.0 if self.name == "identity" else 1 / (value - self.low) + 1 / (self.high - value)


def f_tail(statistic: float, df: float, df2: float) -> float:
    """P(F ≥ statistic); χ²/df where df2 is infinite."""
    if math.isinf(df2):
        return float(special.chdtrc(df, df * statistic))
    return float(special.fdtrc(df, df2, statistic))


def welch(values: Floats, variances: Floats, df: Floats) -> tuple[float, float, float]:
    """Welch's (1951) F of equal means, of independent values whose variances have `df` degrees of freedom (∞: known).

        F = Σ w (y − ȳ)²/(k − 1) / (1 + 2 (k − 2) Λ/(k² − 1)),   Λ = Σ (1 − w/Σw)²/df,   df₂ = (k² − 1)/(3 Λ)

    Returns F, k − 1 and df₂.
    """
    k, w = len(values), 1 / variances
    mean = float((w * values).sum() / w.sum())
    q = float((w * (values - mean) ** 2).sum())
    lam = float(((1 - w / w.sum()) ** 2 / df).sum())
    df2 = (k**2 - 1) / (3 * lam) if lam > 0 else math.inf
    return q / (k - 1) / (1 + 2 * (k - 2) * lam / (k**2 - 1)), float(k - 1), df2


def hotelling(values: Floats, covariance: Floats, df: float) -> tuple[float, float, float]:
    """F of equal means of correlated values: T² = d' (C V C')⁻¹ d of the k − 1 differences d from the last value, with
    F = T² (ν − k + 2)/(ν (k − 1)) on k − 1 and ν − k + 2 degrees of freedom, ν those of the covariance (∞: known).
    """
    k = len(values)
    contrast = np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])
    d = contrast @ values
    t2 = float(d @ np.linalg.pinv(contrast @ covariance @ contrast.T) @ d)
    if math.isinf(df):
        return t2 / (k - 1), float(k - 1), math.inf
    df2 = max(df - k + 2, 1.0)
    return t2 * df2 / (df * (k - 1)), float(k - 1), df2


def pearson(hits: Floats, trials: Floats) -> tuple[float, float, float]:
    """Pearson's χ² of equal shares, as F with infinite df₂; 0 where all are 0 or all are 1."""
    k, p = len(hits), float(hits.sum() / trials.sum())
    if p in (0.0, 1.0):
        return 0.0, float(k - 1), math.inf
    q = float((trials * (hits / trials - p) ** 2).sum()) / (p * (1 - p))
    return q / (k - 1), float(k - 1), math.inf


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """Random effects y_i = μ + u_i + e_i, Var u = τ², Var e_i = v_i known."""

    mean: float  # μ
    se: float  # of μ: Hartung and Knapp's (2001), and at least that of known variances (Knapp & Hartung 2003)
    df: int  # k − 1
    tau2: float  # τ²
    i2: float  # I², the share of the variance that is between sites (Higgins & Thompson 2002)
    q: float  # Cochran's Q on k − 1 degrees of freedom
    p_value: float  # of Q
    values: Floats = field(repr=False)  # y
    variances: Floats = field(repr=False)  # v

    @property
    def tau2_high(self) -> float:
        """The upper end of the 95 % interval of τ², by Q profile (Viechtbauer 2007)."""
        return float(self._tau2_at(np.array([0.975]))[0])

    def prediction(self, level: float) -> tuple[float, float]:
        """Where the value of a new site lies: the quantiles of μ + τ Z − t se, in which τ² has its confidence distribution
        and μ and se follow from it (after Nagashima, Noma & Furukawa 2019).

        μ ± t √(τ² + se²) with the estimate of τ² (Higgins, Thompson & Spiegelhalter 2009) takes that for the truth, and is
        far too short where the estimate is 0 although sites differ.
        """
        from scipy.optimize import brentq

        tau2 = self._tau2_at((np.arange(DRAWS) + 0.5) / DRAWS)
        mean, q = self._spread(tau2)
        se = np.sqrt(np.maximum(q / self.df, 1.0) / (1 / (self.variances + tau2[:, None])).sum(axis=1))
        z = special.ndtri((np.arange(NORMALS) + 0.5) / NORMALS)
        z /= math.sqrt(float((z**2).mean()))
        sites = mean[:, None] + np.sqrt(tau2)[:, None] * z

        def missed(x: float, share: float) -> float:
            return float(special.stdtr(float(self.df), (x - sites) / se[:, None]).mean()) - share

        far = 1 + abs(quantile(1 - (1 - level) / DRAWS, self.df)) * float(se.max())
        ends = float(sites.min()) - far, float(sites.max()) + far
        low, high = (float(brentq(missed, *ends, args=(share,))) for share in ((1 - level) / 2, (1 + level) / 2))
        return low, high

    def _tau2_at(self, probability: Floats) -> Floats:
        """τ² below which the confidence distribution has these probabilities: Σ w (y − μ)² with w = 1/(v + τ²) is then the
        χ² quantile of 1 − probability; 0 where it is smaller already at τ² = 0."""
        wanted = special.chdtri(float(self.df), probability)  # this leaves `probability` above
        low = np.zeros(len(wanted))
        high = np.ptp(self.values) ** 2 * len(self.values) / wanted  # Σ (y − μ)²/τ² is smaller there
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = self._spread(middle)[1] > wanted
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.where(self._spread(np.zeros(1))[1] > wanted, low, 0.0)

    def _spread(self, tau2: Floats) -> tuple[Floats, Floats]:
        """μ and Σ w (y − μ)² at each τ²."""
        w = 1 / (self.variances + tau2[:, None])
        mean = (w * self.values).sum(axis=1) / w.sum(axis=1)
        return mean, (w * (self.values - mean[:, None]) ** 2).sum(axis=1)


def random_effects(values: Floats, variances: Floats, method: str = "reml") -> Heterogeneity:
    """The mean of several sites, and how much they differ; two sites or more.

    τ² is DerSimonian and Laird's (1986, eq. 8) for method "dl", or the restricted maximum likelihood estimate, by the
    fixed point τ² = Σ w² ((y − μ)² − v)/Σ w² + 1/Σ w with w = 1/(v + τ²) (Viechtbauer 2005, eq. 6).

    The variance of μ is max(1, q)/Σ w with q = Σ w (y − μ)²/(k − 1). Hartung and Knapp's q/Σ w is smaller than that of a
    single true value where sites happen to be more alike than their errors make them (Knapp & Hartung 2003; Röver, Knapp
    & Friede 2015).
    """
    k, w = len(values), 1 / variances
    fixed = float((w * values).sum() / w.sum())
    q = float((w * (values - fixed) ** 2).sum())
    tau2 = max(0.0, (q - (k - 1)) / float(w.sum() - (w**2).sum() / w.sum()))
    if method == "reml":
        tau2 = _reml(values, variances, tau2)
    w = 1 / (variances + tau2)
    mean = float((w * values).sum() / w.sum())
    spread = float((w * (values - mean) ** 2).sum()) / (k - 1)
    w0 = 1 / variances
    typical = (k - 1) * float(w0.sum()) / float(w0.sum() ** 2 - (w0**2).sum())  # Higgins & Thompson (2002), eq. 9
    se = math.sqrt(max(1.0, spread) / float(w.sum()))
    p = float(special.chdtrc(k - 1, q))
    return Heterogeneity(mean, se, k - 1, tau2, tau2 / (tau2 + typical), q, p, values, variances)


def _reml(values: Floats, variances: Floats, tau2: float) -> float:
    for _ in range(MOST_STEPS):
        w = 1 / (variances + tau2)
        mean = float((w * values).sum() / w.sum())
        moved = float((w**2 * ((values - mean) ** 2 - variances)).sum() / (w**2).sum()) + 1 / float(w.sum())
        moved = max(0.0, moved)
        if abs(moved - tau2) <= 1e-12 * (1 + tau2):
            return moved
        tau2 = moved
    return tau2
