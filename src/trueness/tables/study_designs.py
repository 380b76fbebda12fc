"""Study designs: how a table was sampled, and so what its counts estimate and how much they vary.

A design holds θ, numbers that vary independently (`variances`), and maps them to the joint probabilities
P(truth, decision). A measure g of these has the standard error √Σ_k Var(θ_k) (∂g/∂θ_k)² (trueness.formulas.tables).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self, get_args

import numpy as np
from scipy import special

from trueness.checks import check_choice, check_open_share, number_array
from trueness.errors import InputError
from trueness.formulas.intervals import quantile
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval
from trueness.result.words import Named
from trueness.typing import Array, Floats

LEVEL_OF_BARE_LIMITS = 0.95
NAMES = ("negative", "positive")

PrevalenceLike = float | Sequence[float] | Floats | Estimate
"""A number, the two limits of a 95 % interval (or an Interval), an Estimate, or one share per class."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """P(class), one share per class in the order of the table, and the standard error of logit P(positive).

    Examples
    --------
    >>> Prevalence.of(0.1).shares
    array([0.9, 0.1])
    >>> round(float(Prevalence.of((0.05, 0.2)).shares[1]), 4)  # the midpoint on the logit scale
    0.1029
    """

    shares: Floats
    logit_se: float = 0.0

    @property
    def logit(self) -> float:
        return float(special.logit(self.shares[1]))

    @classmethod
    def of(cls, given: PrevalenceLike, n_classes: int = 2, param: str = "prevalence") -> Prevalence:
        """Check and build; `param` is the parameter that errors name."""
        if n_classes > 2:
            shares = number_array(param, given if not isinstance(given, Estimate) else ())
            if shares.shape != (n_classes,) or not (shares > 0).all() or not np.isclose(shares.sum(), 1):
                got = f"{given} for {n_classes} classes"
                raise InputError(f"{param} must have one share per class, with sum 1", param=param, got=got)
            return cls(shares)
        if isinstance(given, Estimate):
            p, se = given.value, given.se or 0.0
            check_open_share(param, p)
            if not 0 <= se < np.inf:
                raise InputError(f"The standard error of {param} must be finite and ≥ 0", param=param, got=se)
            return cls(np.array([1 - p, p]), se / (p * (1 - p)))
        ends = number_array(param, given)
        if ends.shape not in ((), (2,)):
            raise InputError(f"{param} must be a number or the two limits of an interval", param=param, got=repr(given))
        for end in ends.ravel().tolist():
            check_open_share(param, end)
        if not ends.ndim:
            return cls(np.array([1 - ends, ends]))
        low, high = special.logit(ends)
        if low > high:
            raise InputError(f"The lower limit of {param} exceeds the upper limit", param=param, got=given)
        # logit ρ is taken as normal, with this central interval
        level = given.level if isinstance(given, Interval) else LEVEL_OF_BARE_LIMITS
        p = float(special.expit((low + high) / 2))
        return cls(np.array([1 - p, p]), float(high - low) / (2 * quantile(level)))


DesignName = Literal["cohort", "case-control", "selected"]


@dataclass(frozen=True, eq=False)
class StudyDesign(ABC):
    """Counts (rows, C): one row per true class, then, in a selected design, the cases without a known truth; one
    column per decision.

    `plain` holds the conditions (`Measure.given`) under which a share of cells is a plain binomial proportion.
    """

    counts: Array
    names: tuple[str, ...] = field(default=NAMES, kw_only=True)  # of the classes
    name: ClassVar[Named]
    plain: ClassVar[frozenset[str]]

    @property
    def table(self) -> Array:
        """(C, C) counts of the cases whose truth is known."""
        return self.counts[: self.counts.shape[1]]

    @property
    def n(self) -> int:
        return round(float(self.counts.sum()))

    @property
    def knows_prevalence(self) -> bool:
        return True

    @property
    def at_prevalence(self) -> float | None:
        """That of the last class, where it was given."""
        return None

    @property
    def rest(self) -> Floats:
        """What θ holds besides the counts."""
        return np.empty(0)

    @property
    def rest_variances(self) -> Floats:
        return np.empty(0)

    @property
    def theta(self) -> Floats:
        return np.append(self.counts.astype(float), self.rest)

    @property
    def variances(self) -> Floats:
        """That of a count is as if Poisson: trueness.formulas.tables gives the reason."""
        return np.append(self.counts.astype(float), self.rest_variances)

    def joint(self, theta: Array) -> Array:
        """(..., C, C) joint probabilities, up to a factor, from (..., size of θ)."""
        counts = theta[..., : self.counts.size]
        return self.population(counts.reshape(*theta.shape[:-1], *self.counts.shape), theta[..., self.counts.size :])

    @abstractmethod
    def population(self, counts: Array, rest: Array) -> Array:
        """(..., C, C) joint probabilities, up to a factor, from counts (..., rows, C) and the rest of θ."""

    @property
    @abstractmethod
    def parts(self) -> list[Array]:
        """Counts of each of the independent multinomials that make up the table."""

    @abstractmethod
    def from_parts(self, shares: list[Array], rest: Array) -> Array:
        """(C, C) joint probabilities from the shares in each part."""

    def halved(self) -> Self:
        """The same design with ½ added to every cell (Haldane 1956, Anscombe 1956); with C classes 2/C², two cases in
        all."""
        more = np.zeros(self.counts.shape)
        more[: len(self.table)] = 2 / self.table.size
        return replace(self, counts=self.counts + more)

    @property
    def has_empty_cell(self) -> bool:
        return bool((self.table == 0).any())


@dataclass(frozen=True, eq=False)
class Cohort(StudyDesign):
    """Cases sampled from the population: all counts are multinomial."""

    name = Named("cohort", "the table of truth and decision")
    plain = frozenset({"truth", "decision", "nothing"})

    def population(self, counts: Array, rest: Array) -> Array:
        return counts

    @property
    def parts(self) -> list[Array]:
        return [self.counts.ravel()]

    def from_parts(self, shares: list[Array], rest: Array) -> Array:
        return shares[0].reshape(self.counts.shape)


@dataclass(frozen=True, eq=False)
class CaseControl(StudyDesign):
    """Fixed numbers of cases per class: the table carries no information about P(truth), which must be given.

    P(i, j) = ρ_i n_ij / n_i· (Popovici, Classification, "Case–control studies"). Without a prevalence ρ_i is 1/C, and
    measures that depend on it are undefined.
    """

    prevalence: Prevalence | None = None
    name = Named("case-control", "the table of truth and decision")
    plain = frozenset({"truth"})

    @property
    def knows_prevalence(self) -> bool:
        return self.prevalence is not None

    @property
    def at_prevalence(self) -> float | None:
        return None if self.prevalence is None else float(self.prevalence.shares[-1])

    @property
    def rest(self) -> Floats:
        """The logit of the prevalence, where that has a standard error."""
        return np.array([rho.logit for rho in (self.prevalence,) if rho and rho.logit_se])

    @property
    def rest_variances(self) -> Floats:
        return np.array([rho.logit_se**2 for rho in (self.prevalence,) if rho and rho.logit_se])

    def population(self, counts: Array, rest: Array) -> Array:
        joint: Array = counts / counts.sum(axis=-1, keepdims=True)  # P(decision | truth)
        if self.prevalence is None:
            return joint
        shares: Array = self.prevalence.shares
        if rest.shape[-1] > 0:
            odds = np.exp(rest[..., 0])
            shares = np.stack([1 / (1 + odds), odds / (1 + odds)], axis=-1)
        return np.asarray(joint * shares[..., None])

    @property
    def parts(self) -> list[Array]:
        """The decisions of each true class."""
        return list(self.counts)

    def from_parts(self, shares: list[Array], rest: Array) -> Array:
        return self.population(np.stack(shares), rest)


@dataclass(frozen=True, eq=False)
class Selected(StudyDesign):
    """A cohort in which the decision determined who was verified, so that the truth of the others is unknown.

    Assumes that among the cases with one decision those with a known truth are a random sample of all. Then
    P(i, j) = (m_j/n) v_ij/v_·j, with m_j cases decided j of which v_·j have a known truth (Begg & Greenes 1983,
    Biometrics 39). The last row of the counts holds m_j − v_·j, the cases of unknown truth.
    """

    name = Named("selected", "the table of truth and decision, corrected for who was verified", "begg_greenes_1983")
    plain = frozenset({"decision"})

    def population(self, counts: Array, rest: Array) -> Array:
        known = counts[..., :-1, :]
        return np.asarray(known / known.sum(axis=-2, keepdims=True) * counts.sum(axis=-2, keepdims=True))

    @property
    def selects_none(self) -> bool:
        """Whether all cases have the same decision: the verified are then a random sample of all, as in a cohort."""
        return int(np.count_nonzero(self.counts.sum(axis=0))) == 1

    @property
    def unverified(self) -> Array:
        """(C,) cases of each decision whose truth is unknown."""
        return np.asarray(self.counts[-1])

    @property
    def parts(self) -> list[Array]:
        """The decisions of all cases, and the truths of the verified ones with each decision."""
        return [self.counts.sum(axis=0), *self.table.T]

    def from_parts(self, shares: list[Array], rest: Array) -> Array:
        return np.stack(shares[1:], axis=1) * shares[0]


@dataclass(frozen=True, eq=False)
class Elsewhere(CaseControl):
    """A cohort whose rates of each class are carried to a population with another prevalence, which is given."""

    name = Named("cohort", "the table of truth and decision")


def study_design(name: DesignName, counts: Array, unknown: Array, prevalence: PrevalenceLike | None) -> StudyDesign:
    """The design of this name; an error where the other arguments do not belong to it."""
    check_choice("design", name, get_args(DesignName), f"There is no design {name!r}")
    if prevalence is not None and name == "selected":
        raise InputError("design='selected' estimates the prevalence", param="prevalence", got=repr(prevalence))
    if unknown.any() and name != "selected":
        raise InputError("Cases without a known truth belong to design='selected'", param="design", got=repr(name))
    if name == "selected":
        return Selected(np.vstack([counts, unknown]))
    rho = None if prevalence is None else Prevalence.of(prevalence, len(counts))
    if name == "case-control":
        return CaseControl(counts, rho)
    return Cohort(counts) if rho is None else Elsewhere(counts, rho)
