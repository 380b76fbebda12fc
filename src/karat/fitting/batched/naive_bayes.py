"""Gaussian naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.naive_bayes import GaussianNB

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import DIGITS, FAR, Features
from karat.fitting.batched.summands import DOUBLE, EXACT, Rules, Sums
from karat.kernels.naive_bayes import naive_bayes_weights


def engine(model: Any, table: Table) -> Batched | None:
    """Priors from the sample; a scaler before it moves only the smoothing."""
    if type(model) is not GaussianNB or not covered(model, priors=None):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=False)
    return None if features is None else NaiveBayes(features, float(model.var_smoothing), table.scaled)


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """δ_c = log π_c − ½ Σ_j [log σ²_cj + (x_j − μ_cj)²/σ²_cj], σ² with divisor n_c plus the smoothing."""

    features: Features
    smoothing: float
    scaled: bool
    name: ClassVar[str] = "batched naive bayes"
    responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    def leave_one_out(self) -> Margins:
        """Each class with all of its cases for the cases of the others, and without the case for its own."""
        f, n = self.features, len(self.features.x)
        total = ((f.x**2).sum(axis=0) - f.x**2) / (n - 1) - ((f.x.sum(axis=0) - f.x) / (n - 1)) ** 2  # (n, p)
        if self.scaled:
            extra = self.smoothing * total
        else:
            extra = self.smoothing * (total / f.scale**2).max(axis=1, keepdims=True) * f.scale**2
        values, decided = np.empty((n, len(f.ends))), total.min(axis=1) > DIGITS
        for c, (start, end) in enumerate(zip([0, *f.ends[:-1]], f.ends, strict=True)):
            values[:, c], error = self._left_out(slice(start, end), f.centres[c], extra)
            decided &= error < EXACT
        return f.of_each_case(values, decided)

    def _left_out(self, own: slice, mean: np.ndarray, extra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) log density, plus log π, of each case in the class of x[own], and about what rounding takes from it."""
        x, m = self.features.x, own.stop - own.start
        away, count = x - mean, np.full(len(x), float(m))
        squares = (away[own] ** 2).sum(axis=0)  # (p,)
        variance = squares / m + extra
        # without the case Σ (x − μ)² falls by d² m/(m − 1), and x − μ becomes d m/(m − 1)
        variance[own] = (squares - away[own] ** 2 * m / (m - 1)) / (m - 1) + extra[own]
        away[own] *= m / (m - 1)
        count[own] -= 1
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = away / variance
            form = slope * away
            values = np.log(count / (len(x) - 1)) - 0.5 * (np.log(variance) + form).sum(axis=1)
            # what x − μ loses where the class is far from the middle, and Σ (x − μ)² where most of it was the case's
            error = np.abs(slope) @ np.abs(mean)
            error[own] += (form[own] / variance[own]) @ squares / np.sqrt(m)
        return values, DOUBLE * error

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.features.classes, self._rules)

    @cached_property
    def limit(self) -> float:
        """Of the square of the least share of variance: below it even double precision loses too much (see Rules)."""
        return DOUBLE * max(c.form[1] for c in self.features.classes) / EXACT

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        scores = self.features.scores
        weights, good, _ = self.rules.of(counts)
        undecided = np.flatnonzero(~good)
        if len(weights) == 2:
            return Margins(scores(weights[1] - weights[0], out), undecided)
        return Margins(np.stack([scores(w) for w in weights], axis=2), undecided)

    def _rules(self, of_classes: Sums, _: np.ndarray) -> tuple[np.ndarray, ...]:
        """Weights on [1, x, x²] (C, 1 + 2p, b), whether they can be trusted, and the least share of variance."""
        f, sums = self.features, np.stack(of_classes)
        weights, variance, total = naive_bayes_weights(sums, f.centres, f.scale**2, self.smoothing, self.scaled)
        good = (sums[:, 0] > 0).all(axis=0) & (total.min(axis=0) > 1e-12)
        good &= (np.abs(weights[:, 0]) < FAR).all(axis=0)
        # a variance far below that of the whole class has lost its digits
        squares = np.stack([np.maximum(c.squares, np.finfo(float).tiny) for c in f.classes])
        least = (variance / squares[:, :, None]).min(axis=(0, 1))
        return weights, good & (least > 1e-5) & (least**2 > self.limit), least
