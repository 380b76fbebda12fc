"""The probabilities of training sets: how they change with the mass of a unit, which the influence functions
differentiate, and how likely a case or a pair is left out, so that advice holds before anything is fitted."""

import math
from typing import Protocol

import numpy as np
from scipy.special import digamma

from trueness.errors import UndefinedError
from trueness.result.words import counted
from trueness.sample.design import Design
from trueness.typing import Array, Bools, Floats

RISK = 1e-3  # of a case or pair that is never left out, after as many replicates as are advised


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


def chance(m: Floats, gone: int, ordered: bool) -> Floats:
    """Probability that `gone` given units of a stratum of m are not among the m drawn."""
    left = np.maximum(m - gone, 0)
    if ordered:
        return np.asarray((left / m) ** m)
    # the m − g others share m balls: C(2m − g − 1, m)/C(2m − 1, m)
    out = np.where(left > 0, 1.0, 0.0)
    for g in range(gone):
        out = out * np.maximum(m - 1 - g, 0) / np.maximum(2 * m - 1 - g, 1)
    return np.asarray(out)


def chance_of_case(design: Design) -> float:
    """That a replicate leaves out a case: the least over all cases."""
    return float(chance(np.bincount(design.strata).astype(float), 1, _ordered(design)).min())


def chance_of_pair(design: Design, up: Bools) -> float:
    """That a replicate leaves out a pair of one case among `up` and one other: the least over all pairs."""
    m, ordered = np.bincount(design.strata).astype(float), _ordered(design)
    alone = chance(m, 1, ordered)
    stratum = design.strata[design.units]
    of_up, of_down = (np.unique(stratum[of]) for of in (up, ~up))
    found = [float(alone[s] * alone[t]) for s in of_up for t in of_down if s != t]
    for s in np.intersect1d(of_up, of_down):
        units = [np.unique(design.units[of & (stratum == s)]) for of in (up, ~up)]
        apart = len(np.union1d(*units)) > 1  # otherwise all pairs are within one unit
        found.append(float(chance(m, 2, ordered)[s]) if apart else float(alone[s]))
    return min(found)


def _ordered(design: Design) -> bool:
    return bool(getattr(design.plan, "ordered", True))


def check_tested(design: Design) -> None:
    """An error where no case is ever left out, so that nothing can be estimated but the apparent performance."""
    for part in design.parts or (design,):
        if part.kind == "bootstrap" and part.never_tested.all():
            refuse_cases(part, np.zeros(part.n))


def refuse_cases(design: Design, times: Array) -> None:
    """An error where cases were never left out; `times` (m,) counts how often each was."""
    _refuse(design, times, "cases", "left out", chance_of_case(design))


def refuse_pairs(design: Design, times: Array, up: Bools) -> None:
    """An error where pairs of a case among `up` (n,) and one other were never left out together; `times` (n1, n2)."""
    _refuse(design, times, "pairs of cases", "left out together", chance_of_pair(design, up))


def _refuse(design: Design, times: Array, what: str, how: str, p: float) -> None:
    """p: the least chance of it in one replicate, where the draws of the replicates are known."""
    never = int((times == 0).sum())
    if not never:
        return
    given, folds = isinstance(design.plan, str), design.kind == "cv"
    n_draws = int(design.repeats().max()) + 1 if folds else design.n_fits
    if given or folds:  # as often as they were left out so far
        p = float(times.mean()) / n_draws
    was, they = ("was", "it was") if never == 1 else ("were", "they were")
    problem = f"{never} of {times.size} {what} {was} never {how}, so {they} never tested"
    name = "repeat" if folds else "replicate"
    if p == 0:
        unit = "case" if design.sample.groups is None else "group"
        least = int(np.bincount(design.strata).min())
        raise UndefinedError(
            problem,
            param="plan",
            got=f"{counted(n_draws, name)} of {counted(least, unit)}{' of a class' if design.stratified else ''}",
            fix=f"No number of {name}s changes that; use more {unit}s, or another plan",
        )
    enough = math.ceil(math.log(times.size / RISK) / -math.log1p(-min(p, 0.99)) / 50) * 50
    more = " (1000 or more to compare models)" if not folds else ""
    fix = f"Use about {enough} {name}s{more}, or undefined='skip'"
    raise UndefinedError(problem, param="plan", got=counted(n_draws, name), fix=fix)
