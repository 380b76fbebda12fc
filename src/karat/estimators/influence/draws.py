"""How the probability of a training set changes with the mass of a unit: what the influence functions differentiate."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import digamma

from karat.sample.design import Design
from karat.typing import Array, Floats


class Draws(Protocol):
    """d log P(training set) / dε_u is, up to a constant, proportional to `weights`."""

    def weights(self, design: Design, counts: Array) -> Floats:
        """(b, U) from the counts (b, n)."""
        ...

    def expected(self, design: Design, counts: Array, gone: int) -> Floats:
        """(U,) or (b, U): mean weight of a unit where `gone` other units of its stratum were left out."""
        ...


class BootstrapDraws:
    """Draws with replacement: d log g / dε = m (N − 1), m the units of the stratum (Efron & Tibshirani 1997)."""

    def weights(self, design: Design, counts: Array) -> Floats:
        drawn = counts if design.sample.groups is None else counts[:, design.first_of_unit]
        return drawn.astype(float)

    def expected(self, design: Design, counts: Array, gone: int) -> Floats:
        m = np.bincount(design.strata)[design.strata]
        return np.asarray(m / np.maximum(m - gone, 1))


class MultisetDraws:
    """Every multiset of m units equally likely: Pólya's urn that begins with one ball per unit,
    P(N) ∝ Π Γ(α + N)/(Γ(α) N!) with α = 1. A unit of mass f has α = m f (units that are alike add up), so that

        d log P / dε_u = m (H(N_u) − mean of H over the stratum),   H(N) = 1 + 1/2 + … + 1/N.

    The weight N of ordered draws would count the training term about twice: Var N is 2(m − 1)/(m + 1) here, not
    1 − 1/m.
    """

    def weights(self, design: Design, counts: Array) -> Floats:
        drawn = counts[:, design.first_of_unit]
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(drawn.max(initial=0)) + 1))])
        out: Floats = harmonic[drawn]
        within = np.eye(design.strata.max() + 1)[design.strata]  # (U, strata)
        return np.asarray(out - (out @ (within / within.sum(axis=0)))[:, design.strata])

    def expected(self, design: Design, counts: Array, gone: int) -> Floats:
        """E H(N) = ψ(2m − g) − ψ(m − g) of the m − g units that are left, less their share of the mean."""
        m = np.bincount(design.strata)[design.strata]
        left = np.maximum(m - gone, 1)
        return np.asarray((1 - left / m) * (digamma(m + left) - digamma(left)))


def draws_of(design: Design) -> Draws:
    """How a bootstrap drew its training sets; arrays count as ordered draws."""
    return BootstrapDraws() if getattr(design.plan, "ordered", True) else MultisetDraws()


class SuccessiveDraws:
    """Units of the training set drawn one after another without replacement (experimental).

    weight = κ ([u trained] − m/n), κ = (n/m) Σ_{r<m} 1/(n − r), with the n units and m trained ones of u's stratum.
    The constant m/n drops out of the influence only where all training sets have one size. See docs/math.md, section
    "Cross-validation".
    """

    def weights(self, design: Design, counts: Array) -> Floats:
        trained = counts[:, design.first_of_unit] > 0
        out = np.empty(trained.shape)
        for stratum in np.unique(design.strata):
            of = design.strata == stratum
            n, m = int(of.sum()), trained[:, of].sum(axis=1)
            harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(n, 0, -1.0))])  # h(m) = Σ_{r<m} 1/(n − r)
            kappa = np.where(m > 0, n / np.maximum(m, 1) * harmonic[m], 0.0)
            out[:, of] = kappa[:, None] * (trained[:, of] - (m / n)[:, None])
        return out

    def expected(self, design: Design, counts: Array, gone: int) -> Floats:
        return np.zeros(1)
