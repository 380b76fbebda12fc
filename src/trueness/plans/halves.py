"""Random halves of the cases, each resampled on its own: two independent values of one estimate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.plans.kfold import deal
from trueness.plans.monte_carlo import split_counts, test_sizes
from trueness.plans.plan import Drawn, Plan, strata_of, units_of
from trueness.sample.design import Kind
from trueness.sample.sample import Sample
from trueness.typing import Array, Ints


@dataclass(frozen=True)
class Halves(Plan):
    """The part of `PairedSubsampling` and `CvHalves` that draws halves: training sets 0 … m − 1 belong to the first
    half of the first halving, the next m to the second half, and so on. Of an odd number of cases one is left aside.
    """

    halvings: int  # how often the cases are halved
    stratified: bool  # halve each class separately
    kind: ClassVar[Kind] = "halves"

    @abstractmethod
    def _within(self, sample: Sample, half: Sample, stratified: bool, rng: np.random.Generator) -> Array:
        """(m, n/2) counts of the training sets of one half of the sample."""

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        stored, unused = [], []
        for _ in range(self.halvings):
            for cases in _halve(sample, stratified, rng):
                counts = self._within(sample, _part(sample, cases), stratified, rng)
                rows, others = np.zeros((len(counts), sample.n), np.uint8), np.ones((len(counts), sample.n), bool)
                rows[:, cases], others[:, cases] = counts, False
                stored.append(rows)
                unused.append(others)
        _require_all_classes(sample, np.concatenate(stored))
        repeat = np.repeat(np.arange(len(stored)), [len(rows) for rows in stored])
        return {"stored": np.concatenate(stored), "repeat": repeat, "unused": np.concatenate(unused)}


@dataclass(frozen=True)
class SplitHalves(Halves):
    """Random splits of each half, with test parts as large as `test_size` of all cases."""

    n_splits: int
    test_size: float

    def _within(self, sample: Sample, half: Sample, stratified: bool, rng: np.random.Generator) -> Array:
        return split_counts(half, self.n_splits, test_sizes(sample, self.test_size, stratified), stratified, rng)


@dataclass(frozen=True)
class FoldedHalves(Halves):
    """K folds of each half."""

    n_folds: int

    def _within(self, sample: Sample, half: Sample, stratified: bool, rng: np.random.Generator) -> Array:
        fold = deal(half, self.n_folds, stratified, rng)
        return np.asarray(fold != np.arange(self.n_folds)[:, None], dtype=np.uint8)


def half_sizes(sample: Sample, stratified: bool) -> list[int]:
    """Units (cases or groups) of each stratum in a half."""
    strata = strata_of(units_of(sample)[1], stratified and sample.groups_are_pure)
    return [len(stratum) // 2 for stratum in strata]


def _halve(sample: Sample, stratified: bool, rng: np.random.Generator) -> Iterator[Ints]:
    """The cases of two disjoint halves, of the same number of units in each stratum."""
    unit, codes, _ = units_of(sample)
    half_of = np.full(len(codes), -1)
    for stratum in strata_of(codes, stratified):
        shuffled, size = stratum[rng.permutation(len(stratum))], len(stratum) // 2
        half_of[shuffled[:size]], half_of[shuffled[size : 2 * size]] = 0, 1
    for half in (0, 1):
        yield np.flatnonzero(half_of[unit] == half)


def _part(sample: Sample, cases: Ints) -> Sample:
    """These cases alone, with the same classes."""
    groups = None if sample.groups is None else np.unique(sample.groups[cases], return_inverse=True)[1]
    return Sample(sample.codes[cases], sample.classes, sample.positive, groups)


def _require_all_classes(sample: Sample, counts: Array) -> None:
    for code in np.flatnonzero(sample.sizes).tolist():
        missing = int((counts[:, sample.codes == code].sum(axis=1) == 0).sum())
        if missing:
            raise InputError(
                f"Training sets within halves have no case of class {sample.classes.tolist()[code]!r}",
                param="plan",
                got=f"{missing} of {len(counts)} training sets",
                fix="Use {stratified=True}, pure groups, or KFold(10, repeats=10)",
            )
