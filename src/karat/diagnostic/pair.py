"""The tables of two tests as one set of numbers that vary: one joint table where both saw the same cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from karat.diagnostic.designs import CaseControl, Selected, StudyDesign
from karat.errors import InputError
from karat.formulas import delta
from karat.result.digits import counted

Join = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class PairOfTables:
    """Counts of two tests.

    Attributes
    ----------
    design
        The study design of both; of its counts only the shape counts here.
    counts
        Paired: (rows, 2, 2) cases by truth, decision of the first test, decision of the second. Unpaired:
        (2, rows, 2) the two tables.
    """

    design: StudyDesign
    counts: np.ndarray
    paired: bool

    def tables(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., rows, 2) the table of each test."""
        if self.paired:
            return counts.sum(axis=-1), counts.sum(axis=-2)
        return counts[..., 0, :, :], counts[..., 1, :, :]

    @property
    def by_both(self) -> bool:
        """Whether the truth is known for cases chosen by the decisions of both tests, which both must then be used."""
        return self.paired and isinstance(self.design, Selected)

    def not_verified(self) -> list[tuple[int, int]]:
        """Pairs of decisions that occur, and none of whose cases has a known truth."""
        if not self.by_both:
            return []
        empty = (self.counts[:-1].sum(axis=0) == 0) & (self.counts[-1] > 0)
        return [(int(a), int(b)) for a, b in np.argwhere(empty)]

    def halved(self) -> PairOfTables:
        """½ more in every cell of both tables: ¼ in every cell of a joint one."""
        more = np.zeros(self.counts.shape)
        if self.paired:
            more[:2] = 0.25
        else:
            more[:, :2] = 0.5
        return replace(self, counts=self.counts + more)

    def values(self, function: delta.Function) -> tuple[float, float]:
        """The measure of each test."""
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (function(t) for t in self._joint(self._theta))
        return float(one), float(other)

    def se(self, function: delta.Function, join: Join) -> float:
        """Standard error of join(measure of the first, measure of the second), by the delta method."""

        def joined(theta: np.ndarray) -> np.ndarray:
            one, other = (function(t) for t in self._joint(theta))
            return join(one, other)

        slopes = delta.gradient(joined, self._theta)
        return math.sqrt(delta.variance(np.where(self._variances > 0, slopes, 0.0), self._variances))

    @property
    def _rest(self) -> np.ndarray:
        return self.design.theta[self.design.counts.size :]

    @property
    def _theta(self) -> np.ndarray:
        return np.concatenate([self.counts.astype(float).ravel(), self._rest])

    @property
    def _variances(self) -> np.ndarray:
        return np.concatenate([self.counts.astype(float).ravel(), self.design.variances[self.design.counts.size :]])

    def _joint(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = self.counts.size
        counts = theta[..., :size].reshape(*theta.shape[:-1], *self.counts.shape)
        rest = theta[..., size:]
        if self.by_both:
            return self.tables(_corrected(counts))
        one, other = self.tables(counts)
        return self.design.population(one, rest), self.design.population(other, rest)


def _corrected(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2, 2) truth, first, second: P(i, j, k) = (m_jk/n) v_ijk/v_·jk, as Begg & Greenes with both decisions."""
    known = counts[..., :-1, :, :]
    verified = known.sum(axis=-3, keepdims=True)
    return known / np.where(verified == 0, 1, verified) * counts.sum(axis=-3, keepdims=True)


def paired_tables(design: StudyDesign, first: np.ndarray, second: np.ndarray) -> PairOfTables:
    """From the cells (n,) in which each case stands in the two tables."""
    if len(first) != len(second):
        raise InputError(
            "paired tests decide on the same cases, and these have different numbers of them",
            got=f"{len(first)} and {len(second)} cases",
            fix="Say paired=False for two independent samples",
        )
    if (first // 2 != second // 2).any():  # the same row: truth, or truth not known
        raise InputError(
            "paired tests decide on the same cases, and the true classes of these differ",
            got=f"{counted(int((first // 2 != second // 2).sum()), 'case')} with different truths",
            fix="Bring the cases into one order, or say paired=False for two independent samples",
        )
    rows = len(design.counts)
    counts = np.bincount(first * 2 + second % 2, minlength=rows * 4).reshape(rows, 2, 2)
    return PairOfTables(design, counts, True)


def unpaired_tables(first: StudyDesign, second: StudyDesign) -> PairOfTables:
    return PairOfTables(first, np.stack([first.counts, second.counts]), False)


def check_one_design(first: StudyDesign, second: StudyDesign) -> None:
    if type(first) is not type(second):
        raise InputError("the two tests come from different designs", got=f"{first.name} and {second.name}")
    if isinstance(first, CaseControl) and isinstance(second, CaseControl):
        a, b = first.prevalence, second.prevalence
        if (a is None) != (b is None) or (
            a is not None and b is not None and (a.logit != b.logit or a.logit_se != b.logit_se)
        ):
            raise InputError("the two tests are judged at different prevalences", fix="Give both the same prevalence=")
