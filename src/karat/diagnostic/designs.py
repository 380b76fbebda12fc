"""Study designs: how a table came about, so what its counts say of the population and how much they vary.

Each has θ, numbers that vary independently (`variances`), and says what joint probabilities P(truth, decision)
they estimate. A measure g of these has the standard error √Σ_k Var(θ_k) (∂g/∂θ_k)²  (kernels.delta).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from karat.diagnostic.prevalence import Prevalence
from karat.errors import InputError
from karat.result.digits import counted


@dataclass(frozen=True, eq=False)
class StudyDesign(ABC):
    """Counts (rows, C): true classes, then, where a design has them, cases without a known truth; C decisions.

    `plain` are the conditions under which a share of cells is a plain binomial proportion (Measure.given).
    """

    counts: np.ndarray
    name: ClassVar[str]
    plain: ClassVar[frozenset[str]]

    @property
    def table(self) -> np.ndarray:
        """(C, C) counts of the cases whose truth is known."""
        return self.counts[: self.counts.shape[1]]

    @property
    def n(self) -> int:
        return round(float(self.counts.sum()))

    @property
    def knows_prevalence(self) -> bool:
        return True

    @property
    def theta(self) -> np.ndarray:
        return self.counts.astype(float).ravel()

    @property
    def variances(self) -> np.ndarray:
        return self.theta  # of a count, as if Poisson: kernels.delta says why

    def joint(self, theta: np.ndarray) -> np.ndarray:
        """(..., C, C) joint probabilities, up to a factor, from (..., size of θ)."""
        counts = theta[..., : self.counts.size]
        return self.population(counts.reshape(*theta.shape[:-1], *self.counts.shape), theta[..., self.counts.size :])

    @abstractmethod
    def population(self, counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """(..., C, C) joint probabilities, up to a factor, from counts (..., rows, C) and what else θ holds."""

    @property
    def rest(self) -> np.ndarray:
        """What θ holds beside the counts."""
        return self.theta[self.counts.size :]

    @property
    def rest_se(self) -> np.ndarray:
        return np.sqrt(self.variances[self.counts.size :])

    @property
    @abstractmethod
    def parts(self) -> list[np.ndarray]:
        """The independent multinomials of which the table consists: counts of each."""

    @abstractmethod
    def from_parts(self, shares: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
        """(C, C) joint probabilities from the shares in each part."""

    def with_counts(self, counts: np.ndarray) -> StudyDesign:
        return replace(self, counts=counts)

    def halved(self) -> StudyDesign:
        """The same with ½ added to every cell (Haldane 1956, Anscombe 1956); of C classes 2/C², two cases in all."""
        more = np.zeros(self.counts.shape)
        more[: self.counts.shape[1]] = 2 / self.counts.shape[1] ** 2
        return self.with_counts(self.counts + more)

    @property
    def has_empty_cell(self) -> bool:
        return bool((self.table == 0).any())


@dataclass(frozen=True, eq=False)
class Cohort(StudyDesign):
    """Cases drawn from the population as they come: all counts multinomial."""

    name: ClassVar[str] = "cohort"
    plain: ClassVar[frozenset[str]] = frozenset({"truth", "decision", "nothing"})

    def population(self, counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
        return counts

    @property
    def parts(self) -> list[np.ndarray]:
        return [self.counts.ravel()]

    def from_parts(self, shares: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
        return shares[0].reshape(self.counts.shape)


@dataclass(frozen=True, eq=False)
class CaseControl(StudyDesign):
    """So many cases of each class were chosen: P(truth) is no business of the table and must come from elsewhere.

    P(i, j) = ρ_i n_ij / n_i·   (seeds/003, case–control studies). Without a prevalence ρ_i is 1/C: what depends
    on it must not be asked for.
    """

    prevalence: Prevalence | None = None
    name: ClassVar[str] = "case-control"
    plain: ClassVar[frozenset[str]] = frozenset({"truth"})

    @property
    def knows_prevalence(self) -> bool:
        return self.prevalence is not None

    @property
    def theta(self) -> np.ndarray:
        return np.append(super().theta, [] if self._certain else [self.prevalence.logit])  # type: ignore[union-attr]

    @property
    def variances(self) -> np.ndarray:
        return np.append(
            super().theta,
            [] if self._certain else [self.prevalence.logit_se**2],  # type: ignore[union-attr]
        )

    @property
    def _certain(self) -> bool:
        return self.prevalence is None or self.prevalence.logit_se == 0

    def population(self, counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
        within = counts / counts.sum(axis=-1, keepdims=True)
        if self.prevalence is None:
            return within
        if rest.shape[-1] == 0:
            return within * self.prevalence.shares[:, None]
        odds = np.exp(rest[..., 0])
        shares = np.stack([1 / (1 + odds), odds / (1 + odds)], axis=-1)
        return within * shares[..., None]

    @property
    def parts(self) -> list[np.ndarray]:
        """The decisions of each true class."""
        return list(self.counts)

    def from_parts(self, shares: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
        return self.population(np.stack(shares), rest)


@dataclass(frozen=True, eq=False)
class Selected(StudyDesign):
    """A cohort whose truth is known only for some cases, chosen by the decision: cohort with selection.

    Among the cases with one decision those with a known truth are a fair sample of all (that, and nothing else,
    is assumed), so P(i, j) = (m_j/n) v_ij/v_·j, with m_j cases decided j of which v_·j have a known truth:
    Begg & Greenes (1983), Biometrics 39. Counts have a last row: m_j − v_·j, truth unknown.
    """

    name: ClassVar[str] = "selected"
    plain: ClassVar[frozenset[str]] = frozenset({"decision"})

    def population(self, counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
        known = counts[..., :-1, :]
        return known / known.sum(axis=-2, keepdims=True) * counts.sum(axis=-2, keepdims=True)

    @property
    def unverified(self) -> np.ndarray:
        """(C,) cases of each decision whose truth is not known."""
        return self.counts[-1]

    @property
    def parts(self) -> list[np.ndarray]:
        """The decisions of all cases, and the truths of the verified ones with each decision."""
        return [self.counts.sum(axis=0), *self.table.T]

    def from_parts(self, shares: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
        return np.stack(shares[1:], axis=1) * shares[0]


def study_design(name: str, counts: np.ndarray, unknown: np.ndarray, prevalence: Any) -> StudyDesign:
    """The design of this name; an error where what was given does not belong to it."""
    if name not in ("cohort", "case-control", "selected"):
        raise InputError('design must be "cohort", "case-control" or "selected"', got=repr(name))
    if prevalence is not None and name != "case-control":
        raise InputError(
            f"a prevalence was given, but a {name} study estimates it itself",
            got=f"prevalence={prevalence!r}",
            fix='Say design="case-control" to judge the table at this prevalence, or leave it out',
        )
    if unknown.any() and name != "selected":
        raise InputError(
            f"{counted(int(unknown.sum()), 'case has', 'cases have')} no known truth",
            fix='Say design="selected" if the decision chose who was verified, or drop them if it was accident',
        )
    if name == "selected":
        return Selected(np.vstack([counts, unknown]))
    if name == "case-control":
        return CaseControl(counts, None if prevalence is None else Prevalence.of(prevalence, len(counts)))
    return Cohort(counts)
