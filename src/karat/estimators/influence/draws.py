"""How a unit's mass moves the probability of a training set: what the influence functions differentiate."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from karat.sample.design import Design


class Draws(Protocol):
    """d log P(training set) / dε_u is, up to a constant, proportional to `weights`."""

    def weights(self, design: Design, counts: np.ndarray) -> np.ndarray:
        """(b, U) from the counts (b, n)."""
        ...

    def expected(self, design: Design, counts: np.ndarray, gone: int) -> np.ndarray:
        """(U,) or (b, U): mean weight of a unit where `gone` other units of its stratum were left out."""
        ...


class BootstrapDraws:
    """Draws with replacement: d log g / dε = m (N − 1), m the units of the stratum  (MATH 2.1)."""

    def weights(self, design: Design, counts: np.ndarray) -> np.ndarray:
        return counts[:, design.first_of_unit].astype(float)

    def expected(self, design: Design, counts: np.ndarray, gone: int) -> np.ndarray:
        m = np.bincount(design.strata)[design.strata]
        return m / np.maximum(m - gone, 1)


class SuccessiveDraws:
    """Units of the training set drawn one after another without replacement  (MATH 4.2, ours, experimental).

    weight = κ ([u trained] − m/n), κ = (n/m) Σ_{r<m} 1/(n − r), with the n units and m trained ones of u's stratum.
    The constant m/n drops out of the influence only where all training sets have one size.
    """

    def weights(self, design: Design, counts: np.ndarray) -> np.ndarray:
        kappa, share = self._kappa(design, counts)
        return kappa * (self._trained(design, counts) - share)

    def expected(self, design: Design, counts: np.ndarray, gone: int) -> np.ndarray:
        return np.zeros(1)

    def _trained(self, design: Design, counts: np.ndarray) -> np.ndarray:
        return counts[:, design.first_of_unit] > 0

    def _kappa(self, design: Design, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(b, U) κ and the share m/n, by stratum."""
        trained = self._trained(design, counts)
        kappa, share = np.empty(trained.shape), np.empty(trained.shape)
        for stratum in np.unique(design.strata):
            of = design.strata == stratum
            n, m = int(of.sum()), trained[:, of].sum(axis=1)
            harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(n, 0, -1.0))])  # h(m) = Σ_{r<m} 1/(n − r)
            with np.errstate(divide="ignore", invalid="ignore"):
                k = np.where(m > 0, n / m * harmonic[m], 0.0)
            kappa[:, of], share[:, of] = k[:, None], (m / n)[:, None]
        return kappa, share
