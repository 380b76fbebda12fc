"""The tables of two tests as one set of numbers that vary: one joint table where both tests saw the same cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from trueness.errors import InputError
from trueness.formulas import delta
from trueness.metrics.table import TableFunction
from trueness.result.digits import counted
from trueness.tables.study_designs import CaseControl, Selected, StudyDesign
from trueness.typing import Array, Ints

Join = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class PairOfTables:
    """Counts of two tests."""

    design: StudyDesign  # the study design of both; only the shape of its counts is used
    # paired: (rows, 2, 2) cases by truth, decision of the first test, decision of the second. Unpaired: (2, rows, 2)
    # the two tables.
    counts: Array
    paired: bool

    @classmethod
    def of_cases(cls, design: StudyDesign, first: Ints, second: Ints) -> PairOfTables:
        """Paired, from the cells (n,) of each case in the two tables."""
        if len(first) != len(second):
            raise InputError(
                "Paired tests need the same cases, and the numbers of cases differ",
                param="paired",
                got=f"{len(first)} and {len(second)} cases",
                fix="Use paired=False for two independent samples",
            )
        differ = int((first // 2 != second // 2).sum())  # rows of the tables: truth, or truth not known
        if differ:
            raise InputError(
                "Paired tests need the same cases, and the true classes differ",
                param="paired",
                got=f"{counted(differ, 'case')} with different truths",
                fix="Sort the cases alike, or use paired=False for two independent samples",
            )
        rows = len(design.counts)
        counts = np.bincount(first * 2 + second % 2, minlength=rows * 4).reshape(rows, 2, 2)
        return cls(design, counts, True)

    @classmethod
    def of_samples(cls, first: StudyDesign, second: StudyDesign) -> PairOfTables:
        """Two independent samples."""
        return cls(first, np.stack([first.counts, second.counts]), False)

    @property
    def by_both(self) -> bool:
        """Whether the decisions of both tests determined who was verified, so that both enter the correction."""
        return self.paired and isinstance(self.design, Selected)

    def not_verified(self) -> list[tuple[int, int]]:
        """Pairs of decisions that occur but have no case with a known truth."""
        if not self.by_both:
            return []
        empty = (self.counts[:-1].sum(axis=0) == 0) & (self.counts[-1] > 0)
        return [(int(a), int(b)) for a, b in np.argwhere(empty)]

    def halved(self) -> PairOfTables:
        """½ added to every cell of both tables: ¼ to every cell of a joint one."""
        more = np.zeros(self.counts.shape)
        if self.paired:
            more[:2] = 0.25
        else:
            more[:, :2] = 0.5
        return replace(self, counts=self.counts + more)

    def values(self, function: TableFunction) -> tuple[float, float]:
        """The measure of each test."""
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (function(t) for t in self._joint(np.append(self.counts.astype(float), self.design.rest)))
        return float(one), float(other)

    def se(self, function: TableFunction, join: Join) -> float:
        """Standard error of join(measure of the first, measure of the second), by the delta method."""

        def joined(theta: Array) -> Array:
            one, other = (function(t) for t in self._joint(theta))
            return join(one, other)

        counts = self.counts.astype(float)
        theta, variances = np.append(counts, self.design.rest), np.append(counts, self.design.rest_variances)
        return math.sqrt(delta.variance(delta.gradient(joined, theta, variances), variances))

    def _joint(self, theta: Array) -> tuple[Array, Array]:
        size = self.counts.size
        counts = theta[..., :size].reshape(*theta.shape[:-1], *self.counts.shape)
        rest = theta[..., size:]
        if self.by_both:
            return self._tables(_corrected(counts))
        one, other = self._tables(counts)
        return self.design.population(one, rest), self.design.population(other, rest)

    def _tables(self, counts: Array) -> tuple[Array, Array]:
        """(..., rows, 2) the table of each test."""
        if self.paired:
            return counts.sum(axis=-1), counts.sum(axis=-2)
        return counts[..., 0, :, :], counts[..., 1, :, :]


def _corrected(counts: Array) -> Array:
    """(..., 2, 2, 2) truth, first, second: P(i, j, k) = (m_jk/n) v_ijk/v_·jk, Begg & Greenes with both decisions."""
    known = counts[..., :-1, :, :]
    verified = known.sum(axis=-3, keepdims=True)
    return np.asarray(known / np.where(verified == 0, 1, verified) * counts.sum(axis=-3, keepdims=True))


def check_same_design(first: StudyDesign, second: StudyDesign) -> None:
    """An error where two tests come from different designs or were given different prevalences."""
    if type(first) is not type(second):
        raise InputError("The two tests have different designs", param="design", got=f"{first.name} and {second.name}")
    if isinstance(first, CaseControl) and isinstance(second, CaseControl):
        a, b = ((p.logit, p.logit_se) if p is not None else None for p in (first.prevalence, second.prevalence))
        if a != b:
            raise InputError(
                "The two tests have different prevalences", param="prevalence", fix="Pass the same prevalence to both"
            )
