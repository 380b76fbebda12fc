"""Study designs: how a table was sampled, and so what its counts estimate and how much they vary.

A design holds θ, numbers that vary independently (`variances`), and maps them to the joint probabilities
P(truth, decision). A measure g of these has the standard error √Σ_k Var(θ_k) (∂g/∂θ_k)² (trueness.formulas.delta).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from trueness.checks import check_choice
from trueness.errors import InputError
from trueness.result.digits import counted
from trueness.result.named import Named
from trueness.tables.prevalence import Prevalence, PrevalenceLike
from trueness.typing import Array, Floats

DesignName = Literal["cohort", "case-control", "selected"]


@dataclass(frozen=True, eq=False)
class StudyDesign(ABC):
    """Counts (rows, C): one row per true class, then, in a selected design, the cases without a known truth; one
    column per decision.

    `plain` holds the conditions (`Measure.given`) under which a share of cells is a plain binomial proportion.
    """

    counts: Array
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
        """That of a count is as if Poisson: trueness.formulas.delta gives the reason."""
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
        more[: self.counts.shape[1]] = 2 / self.counts.shape[1] ** 2
        return replace(self, counts=self.counts + more)

    @property
    def has_empty_cell(self) -> bool:
        return bool((self.table == 0).any())


@dataclass(frozen=True, eq=False)
class Cohort(StudyDesign):
    """Cases sampled from the population: all counts are multinomial."""

    name: ClassVar[Named] = Named("cohort", "the table of truth and decision")
    plain: ClassVar[frozenset[str]] = frozenset({"truth", "decision", "nothing"})

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
    name: ClassVar[Named] = Named("case-control", "the table of truth and decision")
    plain: ClassVar[frozenset[str]] = frozenset({"truth"})

    @property
    def knows_prevalence(self) -> bool:
        return self.prevalence is not None

    @property
    def rest(self) -> Floats:
        """The logit of the prevalence, where that has a standard error."""
        rho = self.prevalence
        return np.empty(0) if rho is None or rho.logit_se == 0 else np.array([rho.logit])

    @property
    def rest_variances(self) -> Floats:
        rho = self.prevalence
        return np.empty(0) if rho is None or rho.logit_se == 0 else np.array([rho.logit_se**2])

    def population(self, counts: Array, rest: Array) -> Array:
        joint: Array = counts / counts.sum(axis=-1, keepdims=True)  # P(decision | truth)
        if self.prevalence is None:
            return joint
        shares: Array = self.prevalence.shares
        if rest.shape[-1] > 0:
            odds = np.exp(rest[..., 0])
            shares = np.stack([1 / (1 + odds), odds / (1 + odds)], axis=-1)
        joint = joint * shares[..., None]
        return joint

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

    name: ClassVar[Named] = Named(
        "selected", "the table of truth and decision, corrected for who was verified", "begg_greenes_1983"
    )
    plain: ClassVar[frozenset[str]] = frozenset({"decision"})

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


def study_design(name: DesignName, counts: Array, unknown: Array, prevalence: PrevalenceLike | None) -> StudyDesign:
    """The design of this name; an error where the other arguments do not belong to it."""
    check_choice("design", name, get_args(DesignName), f"There is no design {name!r}")
    if prevalence is not None and name != "case-control":
        raise InputError(
            f"prevalence is only used with design='case-control'; a {name} study estimates it",
            param="prevalence",
            got=repr(prevalence),
            fix="Pass {design='case-control'} to use this prevalence, or omit it",
        )
    if unknown.any() and name != "selected":
        raise InputError(
            f"The truth of {counted(int(unknown.sum()), 'case')} is unknown",
            param="design",
            got=repr(name),
            fix="Pass {design='selected'} if the decision determined who was verified, or drop them",
        )
    if name == "selected":
        return Selected(np.vstack([counts, unknown]))
    if name == "case-control":
        return CaseControl(counts, None if prevalence is None else Prevalence.of(prevalence, len(counts)))
    return Cohort(counts)
