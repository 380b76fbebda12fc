"""Random halves of the cases, each resampled on its own: two independent values of one estimate."""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from trueness.errors import InputError
from trueness.plans.plan import DrawnParts, DrawnPlan, strata_of, units_of
from trueness.plans.splits import LEAST_REPEATS, KFold, MonteCarlo, deal, split_counts, test_sizes
from trueness.sample.sample import Sample
from trueness.typing import Array, Ints, Stratified

LEAST_HALVINGS = 5  # in limited time: the degrees of freedom


@dataclass(frozen=True)
class Halves(DrawnPlan):
    """The part of `PairedSubsampling` and `CvHalves` that draws halves: training sets 0 … m − 1 belong to the first
    half of the first halving, the next m to the second half, and so on. Of an odd number of cases one is left aside.
    """

    halvings: int  # how often the cases are halved
    stratified: bool  # halve each class separately
    kind = "halves"
    words = "cross-validation within {halvings} halvings"

    @abstractmethod
    def _within(self, sample: Sample, half: Sample, stratified: bool, rng: np.random.Generator) -> Array:
        """(m, n/2) counts of the training sets of one half of the sample."""

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        stored, unused, (unit, codes, _) = [], [], units_of(sample)
        for _ in range(self.halvings):
            half_of = np.full(len(codes), -1)
            for stratum in strata_of(codes, stratified):  # as many units of each in both halves
                shuffled, size = stratum[rng.permutation(len(stratum))], len(stratum) // 2
                half_of[shuffled[:size]], half_of[shuffled[size : 2 * size]] = 0, 1
            for half in (0, 1):
                cases = np.flatnonzero(half_of[unit] == half)
                counts = self._within(sample, _part(sample, cases), stratified, rng)
                rows, others = np.zeros((len(counts), sample.n), np.uint8), np.ones((len(counts), sample.n), bool)
                rows[:, cases], others[:, cases] = counts, False
                stored.append(rows)
                unused.append(others)
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


def _part(sample: Sample, cases: Ints) -> Sample:
    """These cases alone, with the same classes."""
    groups = None if sample.groups is None else np.unique(sample.groups[cases], return_inverse=True)[1]
    return sample.rows(cases, groups)


@dataclass(frozen=True)
class CvHalves(DrawnPlan):
    """Repeated K-fold cross-validation, whose mean is the estimate; then cross-validation within both halves of
    randomly halved cases, whose difference tells how much that mean varies over samples. For the method `half_samples`,
    which has a standard error for every metric.

    Parameters
    ----------
    n_folds : int, default 10
        Folds of all cases.
    repeats : int, default 10
        Independent partitions of all cases, at least 2.
    halvings : int, default 20
        How often the cases are halved.
    inner_folds : int, default 5
        Folds of a half; every class needs twice as many cases (or groups).
    stratified : bool or "fixed", default True
        Deal and halve each class separately.

    Examples
    --------
    >>> import trueness
    >>> trueness.plans.CvHalves().draw([0] * 30 + [1] * 30, rng=0).n_fits
    300
    """

    n_folds: int = 10
    repeats: int = 10
    halvings: int = 20
    inner_folds: int = 5
    stratified: Stratified = True
    kind = "cv+halves"
    form = "cv+halves"
    words = "{n_folds}-fold cross-validation, {repeats} times, and {inner_folds}-fold in {halvings} halvings"
    least = {"n_folds": 2, "repeats": 2, "halvings": 2, "inner_folds": 2}

    def within(self, fits: int, sample: Sample) -> Self:
        folds, halving = self.n_folds * self.repeats, 2 * self.inner_folds
        share = fits / (folds + halving * self.halvings)
        repeats = min(self.repeats, max(LEAST_REPEATS, math.floor(share * self.repeats)))
        halvings = (fits - self.n_folds * repeats) // halving
        return replace(self, repeats=repeats, halvings=min(self.halvings, max(LEAST_HALVINGS, halvings)))

    def _plans(self, sample: Sample) -> tuple[KFold, FoldedHalves]:
        half = min(half_sizes(sample, bool(self.stratified)))
        if half < self.inner_folds:
            problem = "A half of the cases or groups of a class has fewer than the inner folds"
            got = f"{self.inner_folds} folds, a half of {half}"
            raise InputError(problem, param="inner_folds", got=got, fix="Use fewer inner folds")
        return (
            KFold(self.n_folds, self.repeats, self.stratified),
            FoldedHalves(self.halvings, bool(self.stratified), self.inner_folds),
        )


@dataclass(frozen=True)
class PairedSubsampling(DrawnPlan):
    """Random splits, whose mean is the estimate; then, `inner` times, random splits within two disjoint halves of the
    cases, whose difference tells how much that mean varies over samples. For the method `conservative_z`.

    The test parts of a half are as large as those of all cases, so its training sets are smaller.

    Parameters
    ----------
    n_splits : int, default 15
        Number of splits of all cases, and of each half.
    inner : int, default 10
        How often the cases are halved.
    test_size : float, default 0.1
        Share of all cases (with groups, of the groups) in a test part.
    stratified : bool or "fixed", default True
        Split and halve each class separately.

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52, 239–281, "conservative Z".

    Examples
    --------
    >>> import trueness
    >>> trueness.plans.PairedSubsampling().draw([0] * 30 + [1] * 30, rng=0).n_fits
    315
    """

    n_splits: int = 15
    inner: int = 10
    test_size: float = 0.1
    stratified: Stratified = True
    kind = "paired"
    form = "paired:NxH (N splits, H halvings)"
    words = "{n_splits} random splits, and as many in each half of {inner} halvings"
    given = ("n_splits", "inner")
    least = {"n_splits": 1, "inner": 1}

    def within(self, fits: int, sample: Sample) -> Self:
        inner = (fits - self.n_splits) // (2 * self.n_splits)
        return replace(self, inner=min(self.inner, max(LEAST_HALVINGS, inner)))

    def _plans(self, sample: Sample) -> tuple[MonteCarlo, SplitHalves]:
        stratified = self.stratified and sample.groups_are_pure
        halves = half_sizes(sample, stratified)
        for half, test in zip(halves, test_sizes(sample, self.test_size, stratified), strict=True):
            if half <= test:
                problem = "A half of the cases or groups of a class is too small for a test and a training part"
                got, fix = f"a half of {half}, a test part of {test}", "Use a smaller test_size"
                raise InputError(problem, param="test_size", got=got, fix=fix)
        return (
            MonteCarlo(self.n_splits, self.test_size, self.stratified),
            SplitHalves(self.inner, bool(self.stratified), self.n_splits, self.test_size),
        )
