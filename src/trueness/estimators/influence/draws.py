"""The probabilities of training sets: how they change with the mass of a unit, which the influence functions
differentiate."""

import numpy as np

from trueness.errors import UndefinedError
from trueness.sample.design import Design
from trueness.typing import Array, Bools, Floats


class BootstrapDraws:
    """Draws with replacement: d log g / dε = m (N − 1), m the units of the stratum (Efron & Tibshirani 1997)."""

    def weights(self, design: Design, counts: Array) -> Floats:
        """(b, U) from the counts (b, n): d log P(training set) / dε_u is, up to a constant, proportional to them."""
        drawn = counts if design.sample.groups is None else counts[:, design.first_of_unit]
        return drawn.astype(float)

    def expected(self, design: Design, counts: Array, gone: int) -> Floats:
        """(U,) mean weight of a unit where `gone` other units of its stratum were left out."""
        m = np.bincount(design.strata)[design.strata]
        return np.asarray(m / np.maximum(m - gone, 1))


class SuccessiveDraws:
    """Units of the training set drawn one after another without replacement (experimental).

    weight = κ ([u trained] − m/n), κ = (n/m) Σ_{r<m} 1/(n − r), with the n units and m trained ones of u's stratum.
    The constant m/n drops out of the influence only where all training sets have one size. See docs/appendix/math.md, section
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


Draws = BootstrapDraws | SuccessiveDraws


def check_tested(design: Design) -> None:
    """An error where no case is ever left out, so that nothing can be estimated but the apparent performance."""
    for part in design.parts or (design,):
        if part.kind == "bootstrap" and part.never_tested.all():
            refuse_cases(part, np.zeros(part.n))


def refuse_never(design: Design, never: Bools, times: Array, undefined: str) -> None:
    """An error where cases were never left out, unless they are skipped, or owe it to a fit that failed."""
    if undefined == "failed":
        never = never & design.never_tested
    if undefined != "skip" and never.any():
        refuse_cases(design, times)


def refuse_cases(design: Design, times: Array, what: str = "cases") -> None:
    """An error where cases, or pairs of cases, were never left out; `times` counts how often each was."""
    never = int((times == 0).sum())
    if never:
        raise UndefinedError(
            f"{never} of {times.size} {what} were never left out, so no rule can be tested on them",
            param="plan",
            got=str(design.plan),
            fix="Use more replicates or repeats, larger classes or groups, or undefined='skip'",
        )
