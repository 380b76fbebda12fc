"""Measures of predicted probabilities as a whole: calibration, and how far probabilities tell the classes apart.

Each is a functional of the joint distribution of outcome and probability. Of resampled rules it is that of the averaged
distribution: a fold is too small for a calibration slope of its own. `at` gives the value and the influence function there,
of which estimators make the standard error (trueness.estimators.linearized).
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy import optimize, special
from scipy.stats import qmc

from trueness.formulas.calibration import (
    Form,
    Judged,
    LogisticFit,
    distance_form,
    log_odds_of,
    mean_difference,
    quantile_of,
)
from trueness.formulas.intervals import quantile
from trueness.metrics.metric import SCORES_READ, CaseLoss, SetMetric, positive_of_two, require_used, scores_of
from trueness.result.estimate import Estimate
from trueness.result.interval import LOG, WALD, WILSON, Interval, IntervalRule
from trueness.result.words import Named
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Bools, Floats

MEDIAN = 0.5
NARROW = 0.05  # half the window of shares around a quantile in which its influence function is averaged
DRAWS, PLACES, XTOL = 1024, 100, 1e-4  # of the interval of a distance: normal draws, probabilities, error of t


@dataclass(frozen=True, eq=False)
class At:
    """A functional at one distribution."""

    value: float
    form: Form  # its influence function
    interval: IntervalRule = WALD


@dataclass(frozen=True, eq=False)
class Functional(SetMetric):
    """A smooth functional of the distribution of outcome and predicted probability, of two classes."""

    positive: int = 1
    needs = "probabilities"
    of_regression = False  # whether it is a coefficient of a regression, with the sandwich variance
    of_doubt = False  # whether it means nothing of probabilities that leave no case in doubt

    def bound(self, sample: Sample) -> Self:
        return replace(self, positive=positive_of_two(sample, self.name))

    def of(self, judged: Judged) -> At | None:
        """The value and influence function there; None where it is undefined: a class has no cases, or a logistic
        regression has no maximum."""
        if not judged.both:
            return None
        found = self.at(judged)
        return found if math.isfinite(found.value) else None

    @abstractmethod
    def at(self, judged: Judged) -> At:
        """Where there are cases of both classes; a value of NaN where it is undefined."""

    def rows(self, block: Block, weights: Floats) -> Floats:
        y, out = block.codes == self.positive, np.full(len(weights), np.nan)
        scores = require_used(scores_of(block, self.name), weights > 0, self.name)
        for b, (p, w) in enumerate(zip(scores, weights, strict=True)):
            found = self.of(Judged.of(y, p, w))
            out[b] = np.nan if found is None else found.value
        return out


@dataclass(frozen=True, eq=False)
class InfluenceLoss(CaseLoss):
    """A mean over cases of an influence function: what a functional is close to at one distribution."""

    form: Form = lambda y, p: p
    positive: int = 1
    name = "linear form"
    needs = "probabilities"
    scores_read = SCORES_READ
    offset = True

    def losses(self, block: Block) -> Floats:
        return self.form(np.asarray(block.codes == self.positive), scores_of(block, self.name))


class Recalibration(Functional):
    """A coefficient of a logistic regression of the outcome on the log-odds of the probabilities."""

    higher_is_better = None
    of_regression = True
    of_doubt = True
    place = 0  # of the coefficient
    free_slope = True

    def at(self, judged: Judged) -> At:
        fit = judged.recalibrated if self.free_slope else judged.in_the_large
        return At(float(fit.coefficients[self.place]), _coefficient(fit, self.place))


class CalibrationIntercept(Recalibration):
    """Calibration intercept (calibration in the large): a of logit P(y = 1) = a + logit p, the slope fixed at 1; 0 is
    ideal, and below 0 probabilities are too high (Cox 1958; Steyerberg 2019)."""

    name = "calibration_intercept"
    title = "calibration intercept"
    aliases = "calibration in the large, CITL"
    free_slope = False


class CalibrationSlope(Recalibration):
    """Calibration slope: b of logit P(y = 1) = a + b logit p; 1 is ideal, and below 1 probabilities are too extreme, as
    those of an overfitted model are (Cox 1958)."""

    name = "calibration_slope"
    title = "calibration slope"
    aliases = "slope, spread of probabilities"
    place = 1


class RecalibrationIntercept(Recalibration):
    """a of logit P(y = 1) = a + b logit p with the slope b free: the intercept of rms::val.prob and validate. The
    `calibration_intercept` has the slope fixed at 1."""

    name = "recalibration_intercept"
    title = "intercept of the recalibration with a free slope"


def _coefficient(fit: LogisticFit, k: int) -> Form:
    """How cases move the intercept (0) or the slope (1)."""

    a, b = fit.coefficients

    def form(y: Bools, p: Floats) -> Floats:
        x = log_odds_of(p)
        return np.asarray((fit.inverse[k, 0] + fit.inverse[k, 1] * x) * (y - special.expit(a + b * x)))

    return form


class ObservedExpected(Functional):
    """Observed/expected ratio: the share of positives over the mean probability; 1 is ideal."""

    name = "o_e"
    title = "observed/expected ratio"
    aliases = "O/E, O:E ratio, observed to expected ratio, observed/expected"
    words = {"o_e": ("O/E", "observed/expected ratio")}
    higher_is_better = None
    of_doubt = True
    interval = LOG
    bounds = (0.0, math.inf)

    def at(self, judged: Judged) -> At:
        expected = float(judged.w @ judged.p)
        value = judged.prevalence / expected if expected > 0 else math.nan
        return At(value, lambda y, p: (y - value * p) / expected, LOG)


@dataclass(frozen=True, eq=False)
class OfDistance(IntervalRule):
    """The interval of a mean or quantile of |p − m(p)|, which is never below 0 and biased upwards: noise in the curve m is
    distance, too.

    Along the ray b_t = b₀ + t(b − b₀) from the coefficients b₀ of the diagonal (perfect calibration) through those of the
    curve, it holds every t under which the distance that was seen is between the α/2 and the 1 − α/2 quantile of its law,
    b normal around b_t. So 0 belongs to it wherever calibrated probabilities would look like this. The upper limit is at
    least value + z·se, and the lower one of a high quantile at least that of the median (ours; docs/calibration.md).
    """

    judged: Judged
    share: float | None  # of a quantile; None of the mean
    plain: float  # standard error of independent cases of one rule: that of the estimate may be larger
    name = Named("ray", "test-inversion")

    @cached_property
    def _law(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Probabilities (m,) with their basis (m, k), b₀, b and a root (k, k) of the covariance of b."""
        j, smooth = self.judged, self.judged.smooth
        order = np.argsort(j.p, kind="stable")
        share = np.cumsum(j.w[order]) - j.w[order] / 2
        p = np.interp((np.arange(PLACES) + 0.5) / PLACES, share, j.p[order])
        basis, b = smooth.basis(p), smooth.fit.coefficients
        start = np.zeros(len(b))
        start[min(1, len(b) - 1)] = 1.0 if len(b) > 1 else j.x[0]
        moves = (j.spline[1] * (j.y - j.curve)[:, None]) @ smooth.fit.inverse
        values, vectors = np.linalg.eigh((moves * j.w[:, None]).T @ moves / j.n)
        return p, basis, start, b, vectors * np.sqrt(np.maximum(values, 0))

    def _distance(self, p: Floats, eta: Floats) -> Floats:
        d = np.abs(special.expit(eta) - p)
        return np.asarray(d.mean(axis=-1) if self.share is None else np.quantile(d, self.share, axis=-1))

    def if_calibrated(self) -> float:
        """The mean of the distance for perfectly calibrated probabilities of one rule.

        The curve m(p) then has the standard error p(1 − p) √(x'I⁻¹x) by the information I = Σ p(1 − p) x x' of its logistic
        regression on x(p), and a normal variable the mean distance √(2/π) SD.
        """
        p, basis, _, _, _ = self._law
        w = p * (1 - p)
        information = self.judged.n * (basis * w[:, None]).T @ basis / len(p)
        with np.errstate(all="ignore"):  # probabilities that are all but 0 or 1 hold no information
            leverage = np.einsum("ij,jk,ik->i", basis, np.linalg.pinv(information), basis)
            spread = w * np.sqrt(np.maximum(leverage, 0))
        return float(math.sqrt(2 / math.pi) * np.mean(np.where(np.isfinite(spread), spread, 0.0)))

    def limits(self, e: Estimate, level: float) -> Interval:
        _, basis, _, b, root = self._law
        points = qmc.Sobol(len(b), seed=0).random(DRAWS).clip(1e-9, 1 - 1e-9)  # the same in every call
        scale = e.require_se() / self.plain if self.plain > 0 else 1.0
        noise = special.ndtri(points) @ (root * scale).T @ basis.T  # (DRAWS, m) of the log-odds of the curve
        low, high = self._end(noise, (1 + level) / 2), self._end(noise, (1 - level) / 2)
        if self.share is not None and self.share > MEDIAN:  # no smaller than the median, whose law has less noise
            low = max(low, replace(self, share=MEDIAN)._end(noise, (1 + level) / 2))
        above = e.value + quantile(level) * e.require_se()  # the ray need not be the direction of the truth
        return self.clipped(e, min(low, e.value), max(high, above), level)

    def _end(self, noise: Floats, tail: float) -> float:
        """The distance at the point of the ray at which the quantile of its law is what was seen."""
        p, basis, start, b, _ = self._law
        line, step = basis @ start, basis @ (b - start)
        seen = float(self._distance(p, basis @ b))

        def excess(t: float) -> float:
            return float(np.quantile(self._distance(p, line + t * step + noise), tail)) - seen

        if excess(0.0) >= 0:
            return 0.0
        low, high = 0.0, 2.0
        while excess(high) < 0 and high < 64:
            low, high = high, 2 * high
        t = high if excess(high) < 0 else float(optimize.brentq(excess, low, high, xtol=XTOL))
        return float(self._distance(p, line + t * step))


class Distance(Functional):
    """A mean or a quantile of |p − m(p)|, m the smooth calibration curve: logistic regression on restricted cubic splines of
    the log-odds with four knots. It is biased upwards, also above 0 for perfectly calibrated probabilities."""

    share: ClassVar[float | None] = None
    higher_is_better = False
    of_doubt = True
    bounds = (0.0, 1.0)

    def at(self, judged: Judged) -> At:
        value, window = float(judged.w @ judged.distances), (0.0, 1.0)
        if self.share is not None:
            value = float(quantile_of(judged.distances, judged.w, self.share, judged.by_distance))
            window = self.share - NARROW, self.share + NARROW
        if not math.isfinite(value):
            return At(math.nan, lambda y, p: p)
        form = distance_form(judged, window)
        plain = math.sqrt(float(judged.w @ form(judged.y, judged.p) ** 2) / judged.n)
        return At(value, form, OfDistance(judged, self.share, plain))


class ICI(Distance):
    """Integrated calibration index: the mean of |p − m(p)| (Austin & Steyerberg 2019), m by splines."""

    name = "ici"
    title = "integrated calibration index"
    aliases = "Eavg, mean absolute calibration error"


class E50(Distance):
    """Median of |p − m(p)| (Austin & Steyerberg 2019), m by splines."""

    name = "e50"
    title = "median distance from calibration"
    share = MEDIAN


class E90(Distance):
    """90 % quantile of |p − m(p)| (Austin & Steyerberg 2019), m by splines."""

    name = "e90"
    title = "90 % quantile of the distance from calibration"
    share = 0.9


class DiscriminationSlope(Functional):
    """Discrimination slope: the mean probability of the positives less that of the negatives (Yates 1982)."""

    name = "discrimination_slope"
    title = "discrimination slope"
    aliases = "Yates slope, coefficient of discrimination, Tjur's R2"
    bounds = (-1.0, 1.0)

    def at(self, judged: Judged) -> At:
        share = judged.prevalence
        up = float(judged.w @ (judged.y * judged.p)) / share
        down = float(judged.w @ (~judged.y * judged.p)) / (1 - share)
        return At(up - down, lambda y, p: np.where(y, (p - up) / share, -(p - down) / (1 - share)), WILSON)


@dataclass(frozen=True, eq=False)
class OfRatio(IntervalRule):
    """Limits λ/n ≥ 0 of a gain (LR − df)/n: a likelihood ratio LR is close to a noncentral χ² of df with noncentrality λ
    (Wald 1943), 2 df + 4 λ its variance. Where the standard error is larger, as in groups, LR stands for fewer cases.
    A value below 0 is its own lower limit."""

    n: float
    df: int
    name = Named("noncentral-chi2", "noncentral χ² of the likelihood ratio")

    def limits(self, e: Estimate, level: float) -> Interval:
        lam = self.n * max(e.value, 0.0)
        scale = max(1.0, (self.n * e.require_se()) ** 2 / (2 * self.df + 4 * lam)) / self.n
        tails = np.array([1 + level, 1 - level]) / 2
        x = (lam + self.df) / (scale * self.n)
        low, high = special.chndtrinc(x, self.df, tails) * (special.chdtr(self.df, x) > tails) * scale
        return self.clipped(e, min(low, e.value), high, level)


class OfLikelihood(Functional):
    """A function of the mean log-likelihoods of the recalibrated, the given and a constant probability. The influence
    function of a mean at its maximum is that of the mean alone."""

    compared: ClassVar[tuple[int, int]]  # which of them is larger, and which smaller
    lost: ClassVar[int]  # subtracted over n

    def gains(self, judged: Judged) -> tuple[Form, Form, Form]:
        """2 ln-likelihood of one case: recalibrated, as given, and with the prevalence."""
        fit, base = judged.recalibrated, float(special.logit(judged.prevalence))

        def of(a: float, b: float) -> Form:
            def twice(y: Bools, p: Floats) -> Floats:
                eta = a + b * log_odds_of(p)
                return np.asarray(2 * (y * eta - np.logaddexp(0, eta)))

            return twice

        return of(*fit.coefficients), of(0.0, 1.0), of(base, 0.0)

    def at(self, judged: Judged) -> At:
        more, less = (self.gains(judged)[k] for k in self.compared)
        mean = float(judged.w @ (more(judged.y, judged.p) - less(judged.y, judged.p)))
        known = np.isfinite(judged.recalibrated.coefficients).all()
        value = mean - self.lost / judged.n if known else math.nan
        rule = OfRatio(judged.n, self.lost) if self.lost > 0 else WALD  # 0 where a model is within the other
        return At(value, lambda y, p: more(y, p) - less(y, p) - mean, rule)


class DiscriminationIndex(OfLikelihood):
    """D = (LR χ² − 1)/n of the recalibrated probabilities against the prevalence (Harrell 2015, section 10.8)."""

    name = "d_index"
    title = "discrimination index D"
    compared, lost = (0, 2), 1


class UnreliabilityIndex(OfLikelihood):
    """U = (LR χ² − 2)/n of the recalibrated probabilities against the given ones (Harrell 2015, section 10.8)."""

    name = "u_index"
    title = "unreliability index U"
    higher_is_better = False
    compared, lost = (0, 1), 2


class QualityIndex(OfLikelihood):
    """Q = D − U: the log-likelihood of the given probabilities against the prevalence (Harrell 2015, section 10.8)."""

    name = "q_index"
    title = "quality index Q"
    compared, lost = (1, 2), -1


class NagelkerkeR2(OfLikelihood):
    """Nagelkerke's R² of the recalibrated probabilities: (1 − e^{−LR/n})/(1 − e^{−L₀/n}), L₀ the deviance of the prevalence
    (Nagelkerke 1991)."""

    name = "nagelkerke_r2"
    title = "Nagelkerke's R²"
    words = {"nagelkerke_r2": ("Nagelkerke's R²", "Nagelkerke's R²")}
    bounds = (0.0, 1.0)

    def at(self, judged: Judged) -> At:
        recalibrated, _, null = self.gains(judged)
        own = null(judged.y, judged.p)
        gain, rest = (float(judged.w @ v) for v in (recalibrated(judged.y, judged.p) - own, -own))
        top, bottom = -math.expm1(-gain), -math.expm1(-rest)
        value = top / bottom

        def form(y: Bools, p: Floats) -> Floats:
            at_null = null(y, p)
            by_gain = (recalibrated(y, p) - at_null - gain) * math.exp(-gain) / bottom
            return np.asarray(by_gain - (-at_null - rest) * math.exp(-rest) * value / bottom)

        return At(value, form)


class Gini(Functional):
    """Gini's mean difference E|m − M| over pairs of different cases, m a function of a + b logit p (Harrell 2015, section
    10.8)."""

    @abstractmethod
    def link(self, eta: Floats) -> tuple[Floats, Floats]:
        """m and its derivative."""

    def at(self, judged: Judged) -> At:
        fit = judged.recalibrated
        a, b = fit.coefficients
        m, rise = self.link(a + b * judged.x)
        spread, each = mean_difference(m, judged.w)
        order = np.argsort(m, kind="stable")
        pull = np.empty_like(m)
        pull[order] = 2 * judged.w[order] * (2 * np.cumsum(judged.w[order]) - judged.w[order] - 1)  # ∂E|m − M|/∂m_i
        slopes = pull * rise
        by_a, by_b = float(slopes.sum()), float(slopes @ judged.x)
        unbiased = judged.n / max(judged.n - 1, 1)
        moves = _coefficient(fit, 0), _coefficient(fit, 1)

        def form(y: Bools, p: Floats) -> Floats:
            own = 2 * (np.interp(self.link(a + b * log_odds_of(p))[0], m[order], each[order]) - spread)
            return np.asarray((own + by_a * moves[0](y, p) + by_b * moves[1](y, p)) * unbiased)

        return At(spread * unbiased, form)


class GIndex(Gini):
    """g: Gini's mean difference of the recalibrated log-odds."""

    name = "g_index"
    title = "g-index"
    bounds = (0.0, math.inf)

    def link(self, eta: Floats) -> tuple[Floats, Floats]:
        return eta, np.ones_like(eta)


class GpIndex(Gini):
    """gp: Gini's mean difference of the recalibrated probabilities."""

    name = "gp_index"
    title = "gp-index"
    bounds = (0.0, 1.0)

    def link(self, eta: Floats) -> tuple[Floats, Floats]:
        m = np.asarray(special.expit(eta))
        return m, m * (1 - m)
