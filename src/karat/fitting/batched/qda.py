"""Quadratic discriminant analysis, as scikit-learn's svd solver gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import DIGITS, FAR, Features
from karat.fitting.batched.summands import DOUBLE, EXACT, Rules, Sums
from karat.kernels.discriminants import quadratic_weights
from karat.kernels.spd import spd_inverses


def engine(model: Any, table: Table) -> Batched | None:
    """Default parameters with any regularisation; behind a scaler for two classes only, without regularisation.

    A scaler shifts the log-determinants of all classes alike: it cancels in the margin of two classes, not in
    the decision values of several.
    """
    if type(model) is not QuadraticDiscriminantAnalysis:
        return None
    if not covered(model, solver="svd", shrinkage=None, priors=None, covariance_estimator=None):
        return None
    if table.scaled and (table.n_classes > 2 or model.reg_param != 0):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=True)
    return None if features is None else QDA(features, table.X, float(model.reg_param), model.tol, table.scaled)


@dataclass(frozen=True, eq=False)
class QDA:
    """δ_c = log π_c − ½ log|Σ_c| − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c), Σ_c with divisor n_c: one row of weights on Φ."""

    features: Features
    X: np.ndarray  # (n, p) the cases as they were given
    reg_param: float
    tol: float
    scaled: bool
    name: ClassVar[str] = "batched qda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.features.classes, self._rules)

    @cached_property
    def limit(self) -> float:
        """Of the square of the least share of variance: below it even double precision loses too much (see Rules)."""
        least, farthest = zip(*(c.form for c in self.features.classes), strict=True)
        return DOUBLE * max(farthest) * min(least) / EXACT

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        scores = self.features.scores
        *weights, good, _ = self.rules.of(counts)
        undecided = np.flatnonzero(~good)
        if len(weights) == 2:
            weights[1] -= weights[0]
            return Margins(scores(weights[1], out), undecided)
        return Margins(np.stack([scores(w) for w in weights], axis=2), undecided)

    def _rules(self, sums: Sums, _: np.ndarray) -> tuple[np.ndarray, ...]:
        """Weights of every class on Φ (1 + p + t, b), whether they can be trusted, and the least share of variance."""
        f = self.features
        sizes = np.stack([s[0] for s in sums])  # (C, b)
        units = self._units(sums)
        good = (sizes >= self.fewest).all(axis=0)
        least, weights = np.ones(sizes.shape[1]), []
        for s, c, centre in zip(sums, f.classes, f.centres, strict=True):
            w, diagonal, ok = quadratic_weights(s, centre, self.reg_param * f.scale**2, self.reg_param)
            # in scikit-learn's units: λ_min ≥ 1/trace(Σ⁻¹)
            good &= ok & ((diagonal * units**2).sum(axis=0) * self.tol * 1.01 < 1) & (np.abs(w[0]) < FAR)
            least = np.minimum(least, 1 / np.maximum((diagonal * c.squares[:, None]).max(axis=0), 1))
            w[0] += np.log(np.maximum(s[0], 1) / sizes.sum(axis=0)) + np.log(f.scale).sum()
            weights.append(w)
        return *weights, good & (least > DIGITS) & (least**2 > self.limit), least

    @property
    def fewest(self) -> int:
        """Cases of a class below which scikit-learn fails: it looks for as many singular values as features, also where
        regularisation would make up for them."""
        return max(self.features.p, 2)

    def leave_one_out(self) -> Margins:
        """Each class with all of its cases for the cases of the others, and without the case for its own."""
        f, n = self.features, len(self.features.x)
        units, decided = f.scale**2, np.ones(n, dtype=bool)
        if self.scaled:  # the variance of the features without the case
            units = ((f.x**2).sum(axis=0) - f.x**2) / (n - 1) - ((f.x.sum(axis=0) - f.x) / (n - 1)) ** 2
            decided = units.min(axis=1) > DIGITS
        X, values = np.ascontiguousarray(self.X[f.order]), np.empty((n, len(f.ends)))
        for c, (start, end) in enumerate(zip([0, *f.ends[:-1]], f.ends, strict=True)):
            values[:, c], good = self._left_out(X, slice(start, end), units)
            decided &= good
        return f.of_each_case(values, decided)

    def _left_out(self, X: np.ndarray, own: slice, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) log density, plus log π, of each case in the class of X[own], and whether it can be trusted.

        Without a case of its own the scatter is S − k d dᵀ and x − μ becomes k d, k = m/(m − 1), so that, regularised
        by r, Σ = A − κ d dᵀ with A = (1 − r) S/(m − 1) + r I and κ = (1 − r) k/(m − 1): Sherman and Morrison.
        """
        f, n, m, r = self.features, len(X), own.stop - own.start, self.reg_param
        k = m / (m - 1)
        kappa = (1 - r) * k / (m - 1)
        away = X - X[own].mean(axis=0)
        away -= away[own].mean(axis=0)  # what rounding took from the mean: another class may be very far away
        away *= f.scale
        scatter = away[own].T @ away[own]
        sigma = np.stack([(1 - r) * scatter / count + np.diag(r * f.scale**2) for count in (m, m - 1)])
        inverse, logdet, good = spd_inverses(sigma)
        diagonal = np.einsum("cpp->cp", inverse)
        a = away @ inverse[0]
        a[own] = away[own] @ inverse[1]
        form = np.einsum("ip,ip->i", a, away)  # dᵀ A⁻¹ d
        count, determinant, trace = np.full(n, float(m)), np.full(n, logdet[0]), np.zeros(n)
        count[own] -= 1
        trace += units @ diagonal[0]  # of Σ⁻¹ in scikit-learn's units: λ_min ≥ 1/trace
        units = units[own] if self.scaled else units
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 1 - kappa * form[own]
            form[own] *= k**2 / left
            determinant[own] = logdet[1] + np.log(left)
            trace[own] = units @ diagonal[1] + kappa / left * (a[own] ** 2 * units).sum(axis=1)
            values = np.log(count / (n - 1)) - 0.5 * (determinant + form) + np.log(f.scale).sum()
            decided = good.all() & (trace * self.tol * 1.01 < 1) & (count >= self.fewest)
        # what is lost when the case is taken out, and what collinear features lose, multiply
        lost = (diagonal * np.einsum("cpp->cp", sigma)).max()
        decided[own] &= (left > 1e-6 * lost) & (DOUBLE * np.sqrt(m) * form[own] * lost < EXACT * left)
        return values, decided & (lost * DIGITS < 1)

    def _units(self, sums: list[np.ndarray]) -> np.ndarray:
        """(p, 1) or (p, b): one unit of what scikit-learn sees, in units of x. Its tolerance is absolute there."""
        f = self.features
        if not self.scaled:
            return f.scale[:, None]
        n = np.sum([s[0] for s in sums], axis=0)
        first, second = np.zeros((f.p, len(n))), np.zeros((f.p, len(n)))
        squares = 1 + f.p + np.einsum("ii->i", f.pairs)
        for s, centre in zip(sums, f.centres[:, :, None], strict=True):  # x = centre + d
            first += s[1 : 1 + f.p] + centre * s[0]
            second += s[squares] + 2 * centre * s[1 : 1 + f.p] + centre**2 * s[0]
        return np.sqrt(np.maximum(second / n - (first / n) ** 2, 0))
