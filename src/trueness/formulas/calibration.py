"""Predicted probabilities against what happened: logistic recalibration, a smooth calibration curve by restricted cubic
splines, isotonic regression, and how every case moves what is computed from them.

A case (y, p) moves a functional θ of the distribution of (y, p) by its influence function IF(y, p), whose mean is 0. For
a logistic regression of y on x with weights w (Σ w = 1), A = Σ w μ(1 − μ) x xᵀ and IF = A⁻¹ x (y − μ) (Huber 1967).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from trueness.typing import Bools, Floats, Ints

LEAST_ODDS = 1e-8  # probabilities of 0 and 1 count as this far from them, where a logarithm of odds is needed
KNOTS = (0.05, 0.35, 0.65, 0.95)  # quantiles of the log-odds at which the smooth curve bends (Harrell 2015, table 2.3)
MOST_STEPS, ENOUGH = 100, 1e-7  # a last Newton step of this size leaves an error of about its square
RIDGE = 1e-7  # of the spline coefficients, so that a curve without cases of one class at an end stays finite
SEPARATED = 1e3  # coefficients beyond it without a penalty: the classes are separated and there is no maximum

MOST_KEPT = 2**20  # probabilities whose basis is kept: 32 MiB

Form = Callable[[Bools, Floats], Floats]
"""A function of outcomes and probabilities, of any shape."""


def quantile_of(values: Floats, w: Floats, shares: float | tuple[float, ...], order: Ints | None = None) -> Floats:
    """Quantiles of weighted values, in this order where it is known; of equal weights those of `numpy.quantile`."""
    order = np.argsort(values) if order is None else order
    below = np.cumsum(w[order]) - w[order]
    return np.asarray(np.interp(shares, below / below[-1] if below[-1] > 0 else below, values[order]))


def log_odds_of(p: Floats) -> Floats:
    """ln p/(1 − p), of probabilities of 0 and 1 as of `LEAST_ODDS` and 1 − `LEAST_ODDS`."""
    return np.asarray(special.logit(np.clip(p, LEAST_ODDS, 1 - LEAST_ODDS)))


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A logistic regression by maximum likelihood."""

    coefficients: Floats  # (k,); NaN where there is no maximum
    inverse: Floats  # (k, k) A⁻¹

    @classmethod
    def of(
        cls,
        x: Floats,
        y: Bools,
        w: Floats,
        offset: Floats | float = 0.0,
        ridge: float = 0.0,
        start: Floats | None = None,
    ) -> LogisticFit:
        """Newton's method from a start, or from the coefficients 0, 1, 0, … of the diagonal; weights sum to 1. The likelihood
        is concave, so that a step goes too far where it falls at its end half as steeply as it rose at its start; it is then
        halved."""
        k = x.shape[1]
        b, penalty = (np.arange(k) == 1).astype(float), ridge * np.diag(np.arange(k) > 0)
        if start is not None and np.isfinite(start).all():
            b[: len(start)] = start
        nowhere = cls(np.full(k, np.nan), np.full((k, k), np.nan))
        if not 0 < float(w @ y) < 1:
            return nowhere

        def slope(b: Floats) -> tuple[Floats, Floats]:
            """P(y = 1) of every case, and the gradient of the log-likelihood."""
            mu = special.expit(x @ b + offset)
            return mu, x.T @ (w * (y - mu)) - penalty @ b

        mu, gradient = slope(b)
        for _ in range(MOST_STEPS):
            information = (x * (w * mu * (1 - mu))[:, None]).T @ x + penalty
            try:
                step = np.linalg.solve(information, gradient)
            except np.linalg.LinAlgError:
                break
            if np.abs(step).max() < ENOUGH * max(1.0, np.abs(b).max()):
                return cls(b + step, np.asarray(np.linalg.inv(information), dtype=float))
            size, rise = 1.0, float(gradient @ step)
            while float((new := slope(b + size * step))[1] @ step) < -rise / 2 and size > 1e-6:
                size /= 2
            b, (mu, gradient) = b + size * step, new
            if not ridge and np.abs(b).max() > SEPARATED:
                break
        return nowhere


@dataclass(frozen=True, eq=False)
class Spline:
    """The basis of restricted cubic splines of the log-odds: linear beyond the outer knots.

    Stone & Koo (1985); Harrell, Regression Modeling Strategies (2015), eq. 2.25, with his normalization.
    """

    knots: Floats  # two or more; of two it is a straight line, of one a constant

    @classmethod
    def of(cls, x: Floats, w: Floats) -> Spline:
        """Knots at quantiles of the weighted values; without those that coincide."""
        knots = quantile_of(x, w, KNOTS)
        if x.max() - x.min() <= 1e-12 * max(1.0, np.abs(x).max()):
            return cls(x[:1])
        different = np.unique(knots)
        return cls(different if len(different) == len(KNOTS) else np.array([x.min(), x.max()]))

    def basis(self, x: Floats) -> Floats:
        """(m, k) of values (m,): 1, x, and the curved terms."""
        t = self.knots
        if len(t) == 1:
            return np.ones((len(x), 1))
        columns, (before, last) = [np.ones_like(x), x], t[-2:]
        beyond = [np.maximum(x - knot, 0.0) for knot in t]
        cubes = [v * v * v for v in beyond]  # a power takes ten times as long
        for tj, cube in zip(t[:-2], cubes, strict=False):
            tail = cubes[-2] * (last - tj) - cubes[-1] * (before - tj)
            columns.append((cube - tail / (last - before)) / (last - t[0]) ** 2)
        return np.stack(columns).T  # products with columns that lie together are twice as fast


@dataclass(frozen=True, eq=False)
class Smooth:
    """The smooth calibration curve P(y = 1 | p), a logistic regression on splines of the log-odds of p."""

    spline: Spline
    fit: LogisticFit
    known: list[
        tuple[Floats, Floats]
    ]  # probabilities (m,), first those that it was fitted to, and the basis (m, k) at them

    def basis(self, p: Floats) -> Floats:
        """(m, k); that of the latest other probabilities is kept, as several measures read the same, unless it is large."""
        for at, basis in self.known:
            if p.size == at.size and np.array_equal(p.ravel(), at):
                return basis
        found = self.spline.basis(log_odds_of(p).ravel())
        self.known[1:] = [(p.ravel(), found)] if p.size <= MOST_KEPT else []
        return found

    def moves(self, y: Bools, p: Floats, along: Floats) -> Floats:
        """How cases of any shape move the coefficients, times a vector (k,): their pull on a linear form of them."""
        x = self.basis(p)
        curve = special.expit(x @ self.fit.coefficients).reshape(np.shape(p))
        return np.asarray((x @ (self.fit.inverse @ along)).reshape(np.shape(p)) * (y - curve))


@dataclass(frozen=True, eq=False)
class Judged:
    """Outcomes and predicted probabilities of some cases, with weights that sum to 1; what is fitted to them is kept."""

    y: Bools  # (m,)
    p: Floats  # (m,)
    w: Floats  # (m,)
    n: float  # number of cases that they stand for

    @classmethod
    def of(cls, y: Bools, p: Floats, w: Floats | None = None, n: float | None = None) -> Judged:
        """Of n cases, by default as many as the weights sum to."""
        w = np.ones(len(p)) if w is None else w
        used = w > 0
        if not used.all():
            y, p, w = y[used], p[used], w[used]
        total = float(w.sum())
        return cls(y, p, w / total if total else w, total if n is None else n)

    @property
    def both(self) -> bool:
        """Whether there are cases of both classes."""
        return bool(self.y.any() and not self.y.all())

    @property
    def beyond_doubt(self) -> bool:
        """Whether the probabilities leave less than one of the cases in doubt, and no case contradicts them: then nothing
        shows whether they are right, and standard errors would be those of residuals that are all 0."""
        doubt, seen = self.w @ (self.p * (1 - self.p)), self.w @ (self.y - self.p) ** 2
        return bool(self.n * max(doubt, seen) < 1)

    @cached_property
    def x(self) -> Floats:
        """Log-odds."""
        return log_odds_of(self.p)

    @cached_property
    def prevalence(self) -> float:
        return float(self.w @ self.y)

    @cached_property
    def recalibrated(self) -> LogisticFit:
        """Intercept and slope of y on the log-odds (Cox 1958)."""
        if self.x.max() == self.x.min():
            return LogisticFit(np.full(2, np.nan), np.full((2, 2), np.nan))
        return LogisticFit.of(np.stack([np.ones_like(self.x), self.x]).T, self.y, self.w)

    @cached_property
    def in_the_large(self) -> LogisticFit:
        """The intercept alone, the slope fixed at 1."""
        fit = LogisticFit.of(np.ones((len(self.x), 1)), self.y, self.w, offset=self.x)
        return LogisticFit(np.append(fit.coefficients, 1.0), np.diag([fit.inverse[0, 0], 0.0]))

    @cached_property
    def spline(self) -> tuple[Spline, Floats]:
        """Of the log-odds, and its basis (m, k) at them."""
        spline = Spline.of(self.x, self.w)
        return spline, spline.basis(self.x)

    @cached_property
    def smooth(self) -> Smooth:
        spline, basis = self.spline
        line = self.recalibrated.coefficients[: basis.shape[1]]
        return Smooth(spline, LogisticFit.of(basis, self.y, self.w, ridge=RIDGE, start=line), [(self.p, basis)])

    @cached_property
    def curve(self) -> Floats:
        """(m,) the smooth curve at p."""
        return np.asarray(special.expit(self.spline[1] @ self.smooth.fit.coefficients))

    @cached_property
    def isotonic(self) -> Floats:
        """(m,) the isotonic regression of y on p, by pooling adjacent violators; equal p have equal values."""
        from scipy.optimize import isotonic_regression

        where = np.unique(self.p, return_inverse=True)[1]
        weight = np.bincount(where, self.w)
        means = np.bincount(where, self.w * self.y) / weight
        return np.asarray(isotonic_regression(means, weights=weight).x)[where]

    @cached_property
    def distances(self) -> Floats:
        """(m,) |p − smooth curve at p|; 0 below what the odds of probabilities of 0 and 1 are taken as."""
        found = np.abs(self.p - self.curve)
        return np.where(found < LEAST_ODDS, 0.0, found)

    @cached_property
    def by_distance(self) -> Ints:
        """(m,) cases in the order of their distances."""
        return np.argsort(self.distances)


def distance_form(judged: Judged, window: tuple[float, float]) -> Form:
    """How cases move a mean of the ordered distances |p − m(p)| between two shares: all of them (ICI), or those next to
    a quantile (E50, E90).

    A case moves it by its own distance, ∫ J(F(u)) du up to it, less the mean, and by its pull on the curve,
    Σ_j w_j J_j sign_j m_j(1 − m_j) x_jᵀ A⁻¹ x (y − m), J = 1/(b − a) between the shares a and b.
    """
    smooth, d, w, order = judged.smooth, judged.distances, judged.w, judged.by_distance
    share = np.cumsum(w[order]) - w[order] / 2
    used = np.flatnonzero((share >= window[0]) & (share <= window[1]))
    if not len(used):
        used = np.array([int(np.abs(share - sum(window) / 2).argmin())])
    each = np.zeros_like(d)
    each[order[used]] = j = 1 / float(w[order[used]].sum())
    low, high = d[order[used[0] - 1]] if used[0] else 0.0, d[order[used[-1]]]
    own_mean = float(w @ np.clip(d, low, high))
    pull = (w * each * (d > 0) * np.sign(judged.curve - judged.p) * judged.curve * (1 - judged.curve)) @ judged.spline[
        1
    ]
    weights = smooth.fit.inverse @ pull

    def form(y: Bools, p: Floats) -> Floats:
        x = smooth.basis(p)
        curve = special.expit(x @ smooth.fit.coefficients).reshape(p.shape)
        own = j * (np.clip(np.abs(p - curve), low, high) - own_mean)  # ∫ J(F(u)) du up to the distance, less its mean
        return np.asarray(own + (x @ weights).reshape(p.shape) * (y - curve))

    return form


def mean_difference(x: Floats, w: Floats) -> tuple[float, Floats]:
    """Gini's mean difference E|X − X'| of weighted values, and E|x_i − X| of each."""
    order = np.argsort(x, kind="stable")
    s, v = x[order], w[order]
    below, mass = np.cumsum(v * s) - v * s, np.cumsum(v) - v
    each = np.empty_like(x)
    each[order] = s * mass - below + (float(v @ s) - below - v * s) - s * (1 - mass - v)
    return float(w @ each), each
