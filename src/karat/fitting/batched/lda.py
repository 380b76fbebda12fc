"""Linear discriminant analysis, as scikit-learn's svd solver gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import DIGITS, FAR, Features, diagonal_places
from karat.fitting.batched.summands import DOUBLE, EXACT, FEW, ROUGH, Rules, Summands, Sums
from karat.kernels.discriminants import lda_factors, solve_factored
from karat.kernels.spd import spd_inverses
from karat.kernels.two_class_lda import two_class_rules

NOTHING = 1e-7  # SD within classes of a feature, in units of its spread, below which rounding is too much of it
MANY = 24  # features from which on summing in 3 digits and refining is cheaper than summing in 5
ROWS = 64  # training sets that are refined together: they stay in the cache


def engine(model: Any, table: Table) -> Batched | None:
    """Default parameters; a StandardScaler before it changes nothing, since the rule is affine invariant."""
    if type(model) is not LinearDiscriminantAnalysis:
        return None
    if not covered(model, solver="svd", shrinkage=None, priors=None, n_components=None, covariance_estimator=None):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=True)
    if features is None:
        return None
    found = LDA(features, model.tol)
    return found if found.least > found.enough else None


@dataclass(frozen=True, eq=False)
class LDA:
    """δ_c = log π_c + (x − x̄)ᵀ Σ⁻¹ (μ_c − x̄) − ½ (μ_c − x̄)ᵀ Σ⁻¹ (μ_c − x̄), Σ the pooled covariance with divisor n."""

    features: Features
    tol: float
    name: ClassVar[str] = "batched lda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    @cached_property
    def sigma(self) -> np.ndarray:
        """(p, p) the covariance within classes of all cases."""
        d = self.features.centred[1]
        return d.T @ d / len(d)

    @cached_property
    def least(self) -> float:
        """The least eigenvalue of the correlation matrix within classes; 0 where a feature is constant there."""
        sd = np.sqrt(np.diagonal(self.sigma))
        varies = (sd > NOTHING).all()
        return float(np.linalg.eigvalsh(self.sigma / np.outer(sd, sd))[0]) if varies else 0.0

    @property
    def enough(self) -> float:
        """The least eigenvalue of a correlation matrix that is answered: scikit-learn drops what is below tol², and
        room of 100, at least DIGITS, keeps the scores exact to 1e-8."""
        return max(100 * self.tol**2, DIGITS)

    @cached_property
    def white(self) -> White:
        return White.of(self)

    @cached_property
    def limit(self) -> float:
        """Of the square of the share of its variance that an axis keeps, given those before it: below it even double
        precision loses too much (see Rules)."""
        return DOUBLE * max(float((c.d**2).sum(axis=1).max()) for c in self.white.classes) / EXACT

    def _trusted(
        self, of_classes: Sums, factor: np.ndarray, bound: np.ndarray, good: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(b,) which of the good rules are scikit-learn's, and exact; and the least pivot of Σ."""
        least = factor[diagonal_places(self.features.p)].min(axis=0) ** 2
        return good & self._full_rank(factor, bound, good) & self._keeps(of_classes, factor, least), least

    def _keeps(self, of_classes: Sums, factor: np.ndarray, least: np.ndarray) -> np.ndarray:
        """(b,) whether every axis keeps enough of its mean square in the training set: U_kk²/(Σ N d_k²/n), Σ = UᵀU.

        The means of the classes are taken off, and then what other axes explain: digits are lost with both. Asked only
        where the least pivot is small: the mean square of all cases is 1, that of no training set 30 times as large.
        """
        keeps = np.ones(len(least), dtype=bool)
        small = np.flatnonzero(least < 30 * np.sqrt(self.limit))
        if len(small):
            diagonal = diagonal_places(self.features.p)[:, None]
            n = np.sum([s[0, small] for s in of_classes], axis=0)
            squares = np.sum([s[1 + self.features.p + diagonal, small] for s in of_classes], axis=0) / n
            share = factor[diagonal, small] ** 2 / np.maximum(squares, np.finfo(float).tiny)
            keeps[small] = share.min(axis=0) ** 2 > self.limit
        return keeps

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.white.classes, self._rules)

    @cached_property
    def many(self) -> Rules:
        """Rules of many training sets: products of many features are summed roughly, and two classes refined."""
        if len(self.features.ends) == 2 and self.features.p >= MANY:
            rough = Rules(self.white.classes, self._refined_rules, (ROUGH,))
            if rough.fixed:
                return rough
        return self.rules

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        weights, good, _ = (self.many if len(counts) >= FEW else self.rules).of(counts)
        undecided = np.flatnonzero(~good)
        if len(weights) == 1:
            return Margins(np.matmul(weights[0].T, self.white.cases, out=out), undecided)
        return Margins(np.stack([w.T @ self.white.cases for w in weights], axis=2), undecided)

    def _rules(self, of_classes: Sums, _: np.ndarray) -> tuple[np.ndarray, ...]:
        """Weights on 1 and the cases (C or 1, 1 + p, b), whether they can be trusted, and the least pivot of Σ."""
        p, centres = self.features.p, self.white.centres
        if len(of_classes) == 2:
            weights, factor, bound, good = two_class_rules(of_classes[0], of_classes[1], centres)
            return weights[None], *self._trusted(of_classes, factor, bound, good)
        sizes, sums = np.stack([s[0] for s in of_classes]), np.stack([s[1 : 1 + p] for s in of_classes])
        factor, bound, good = lda_factors(sizes, sums, np.sum([s[1 + p :] for s in of_classes], axis=0))
        good, least = self._trusted(of_classes, factor, bound, good)
        share = np.log(np.maximum(sizes, 1) / sizes.sum(axis=0))  # (C, b) log π
        means = sums / np.maximum(sizes, 1)[:, None] + centres[:, :, None]  # (C, p, b)
        centre = (np.exp(share)[:, None] * means).sum(axis=0)  # (p, b) x̄
        means -= centre
        coef = solve_factored(factor, means)
        good &= self._spans(np.exp(share), means, coef)
        constant = share - (coef * (0.5 * means + centre)).sum(axis=1)
        good &= (np.abs(constant) < FAR).all(axis=0)
        return np.concatenate([constant[:, None], coef], axis=1), good, least

    def _refined_rules(self, of_classes: Sums, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        """`_rules` of two classes whose products were summed roughly."""
        p, (first, second) = self.features.p, of_classes
        weights, factor, bound, good = two_class_rules(first, second, self.white.centres)
        good, least = self._trusted(of_classes, factor, bound, good)
        sizes, sums = np.stack([first[0], second[0]]), np.stack([first[1 : 1 + p], second[1 : 1 + p]])
        means = sums / np.maximum(sizes, 1)[:, None] + self.white.centres[:, :, None]  # (2, p, b)
        coef, settled = self._refined(weights[None, 1:], counts, factor, sizes, sums, means)
        least[~settled] = 0
        share = np.log(np.maximum(sizes[1], 1) / np.maximum(sizes[0], 1))
        constant = share - 0.5 * (coef[0] * (means[0] + means[1])).sum(axis=0)
        return np.concatenate([constant[None], coef[0]])[None], good, least

    def _full_rank(self, factor: np.ndarray, bound: np.ndarray, good: np.ndarray) -> np.ndarray:
        """(b,) whether scikit-learn drops no direction within classes, with room to spare.

        It scales by the SD within classes and drops singular values ≤ tol: the eigenvalues of the correlation matrix
        must be above tol². A whitened Σ = A has λ_min(corr) ≥ λ_min(A)/λ_max(A) · λ_min(corr of all cases). A feature
        that hardly varies within the classes of a training set is left to scikit-learn.
        """
        sure = bound * self.least > self.enough
        ask = np.flatnonzero(good & ~sure)
        for start in range(0, len(ask), ROWS):
            rows = ask[start : start + ROWS]
            sure[rows] = self._all_directions(factor[:, rows])
        return sure

    def _all_directions(self, factor: np.ndarray) -> np.ndarray:
        """`_full_rank` of a few training sets (t, k): λ_min ≥ 1/trace(corr⁻¹), and where that is not enough λ_min."""
        upper = np.zeros((factor.shape[1], self.features.p, self.features.p))
        upper[:, *np.triu_indices(self.features.p)] = factor.T
        root = upper @ self.white.root.T
        sigma = root.transpose(0, 2, 1) @ root
        variance = np.diagonal(sigma, axis1=1, axis2=2)
        varies = np.all(variance > DIGITS * np.diagonal(self.sigma), axis=1)
        sd = np.sqrt(np.where(varies[:, None], variance, 1.0))
        correlation = sigma / (sd[:, :, None] * sd[:, None, :])
        inverse, _, good = spd_inverses(correlation)
        sure = varies & good & (np.trace(inverse, axis1=1, axis2=2) * self.enough < 1)
        ask = varies & ~sure
        sure[ask] = np.linalg.eigvalsh(correlation[ask])[:, 0] > self.enough
        return sure

    def _refined(
        self,
        coef: np.ndarray,  # (1, p, b)
        counts: np.ndarray,
        factor: np.ndarray,
        sizes: np.ndarray,
        sums: np.ndarray,
        means: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Iterative refinement: Σ was summed roughly, the residual of Σ w = μ_1 − μ_0 is in double precision.

        Every step multiplies the error by some ρ: the first one's size is about ρ itself, later ones' ratio is.
        What is left after a step is ρ · step.
        """
        d, n = self.white.d, sizes.sum(axis=0)
        delta = sums / np.maximum(sizes, 1)[:, None]
        settled, last = np.zeros(len(counts), dtype=bool), np.ones(len(counts))
        image, room = np.empty_like(coef[0]), np.empty((min(ROWS, len(counts)), d.shape[1]))
        for _ in range(4):
            for start in range(0, len(counts), ROWS):
                rows = slice(start, start + ROWS)
                along = np.matmul(coef[0, :, rows].T, d, out=room[: len(counts[rows])])  # (b, n) d · w
                along *= counts[rows]
                image[:, rows] = d @ along.T  # (p, b) Σ N d (d · w)
            image -= (sizes[:, None] * delta * (delta * coef).sum(axis=1, keepdims=True)).sum(axis=0)
            step = solve_factored(factor, (means[1] - means[0] - image / n)[None])
            coef = coef + step
            with np.errstate(invalid="ignore", divide="ignore"):
                size = np.abs(step).max(axis=(0, 1)) / np.abs(coef).max(axis=(0, 1))
                settled |= size**2 / last < 1e-9
            last = np.maximum(size, 1e-300)
            if settled.all():
                break
        return coef, settled

    def leave_one_out(self) -> Margins:
        """Sherman and Morrison: the scatter without case i is S − k d dᵀ, d = x − μ_c, k = n_c/(n_c − 1)."""
        f, n = self.features, len(self.features.x)
        (size, mean), d, own = self.features.centred
        k = size[own] / (size[own] - 1)
        scatter = d.T @ d
        inverse, _, good = spd_inverses(scatter[None])
        inverse = inverse[0]
        ad = d @ inverse  # rows A d
        left = 1 - k * (ad * d).sum(axis=1)  # 1 − k dᵀ A d
        sd = np.sqrt(np.diagonal(scatter))
        with np.errstate(divide="ignore", invalid="ignore"):  # a class of one case, or one that all the spread is of
            trace = (np.diagonal(inverse) * sd**2).sum() + (k / left) * ((ad * sd) ** 2).sum(axis=1)
        # what is lost when the case is taken out, and what collinear features lose, multiply
        lost = (np.diagonal(inverse) * sd**2).max()
        decided = good[0] & (left > 1e-6 * lost) & (trace * self.enough < 1) & (size[own] > 1)
        # class means and shares without the case; x̄ likewise
        means = np.repeat(mean[None], n, axis=0)  # (n, C, p)
        means[np.arange(n), own] -= d / (size[own] - 1)[:, None]
        counts = np.repeat(size[None], n, axis=0)
        counts[np.arange(n), own] -= 1
        share = counts / (n - 1)
        centre = (share[:, :, None] * means).sum(axis=1)
        means -= centre[:, None, :]
        x = f.x - centre

        def form(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            """aᵀ Σ⁻¹ b of every case, Σ = (S − k d dᵀ)/(n − 1)."""
            plain = ((a @ inverse) * b).sum(axis=1)
            return (n - 1) * (plain + k / left * (a * ad).sum(axis=1) * (ad * b).sum(axis=1))

        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.stack(
                [np.log(share[:, c]) + form(x, m) - 0.5 * form(m, m) for c, m in enumerate(means.transpose(1, 0, 2))],
                axis=1,
            )
            if len(size) > 2:
                coef = (n - 1) * means @ inverse
                decided &= self._spans(share.T, means.transpose(1, 2, 0), coef.transpose(1, 2, 0))
        return f.of_each_case(values, decided)

    def _spans(self, share: np.ndarray, means: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """(b,) whether no direction between the class means is so small that scikit-learn drops it.

        `share` (C, b) π, `means` (C, p, b) μ_c − x̄, `coef` Σ⁻¹ of those.
        """
        c, p, _ = means.shape
        if c == 2:
            return np.ones(means.shape[2], dtype=bool)
        between = np.einsum("cpb,dpb->bcd", np.sqrt(share)[:, None] * means, np.sqrt(share)[:, None] * coef)
        values = np.linalg.eigvalsh(np.nan_to_num(between))[:, ::-1][:, : min(c - 1, p)]
        return values[:, -1] > 4 * self.tol**2 * values[:, 0]


@dataclass(frozen=True, eq=False)
class White:
    """The cases where the pooled covariance of all of them is the identity: no training set is far from that, so
    Σ is well conditioned."""

    classes: list[Summands]
    centres: np.ndarray  # (C, p)
    cases: np.ndarray  # (1 + p, n) 1 and the cases in their own order
    d: np.ndarray  # (p, n) the cases in their own order, each from the mean of its class
    root: np.ndarray  # (p, p) lower: the covariance in units of x is root · rootᵀ

    @classmethod
    def of(cls, lda: LDA) -> White:
        features = lda.features
        root = np.linalg.cholesky(lda.sigma)
        back = np.linalg.inv(root)  # well conditioned, or there would be no engine
        d = features.centred[1] @ back.T
        cases = np.ones((1 + features.p, len(d)))
        np.matmul(back, features.x[features.back].T, out=cases[1:])
        own_order = np.ascontiguousarray(d[features.back].T)
        return cls(features.summands(d), features.centres @ back.T, cases, own_order, root)
