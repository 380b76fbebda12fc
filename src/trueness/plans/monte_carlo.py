"""Random splits: many (Monte-Carlo cross-validation), or one (a holdout)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from trueness.errors import InputError
from trueness.plans.plan import DrawnParts, Plan, strata_of, units_of
from trueness.result.words import counted
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.typing import Array, Stratified

LEAST_SPLITS = 20  # in limited time: 19 degrees of freedom, as two repeats of 10 folds have


@dataclass(frozen=True)
class MonteCarlo(Plan):
    """Random splits into a training and a test part.

    Parameters
    ----------
    n_splits : int, default 100
        Number of splits.
    test_size : float, default 0.2
        Share of the cases (with groups, of the groups) in the test part.
    stratified : bool or "fixed", default True
        Split each class separately. "fixed" as in `Bootstrap`.
    """

    n_splits: int = 100
    test_size: float = 0.2
    stratified: Stratified = True
    kind: ClassVar[Kind] = "cv"
    form: ClassVar[str] = "monte-carlo:N"
    given: ClassVar[tuple[str, ...]] = ("n_splits",)
    least: ClassVar[Mapping[str, int]] = {"n_splits": 1}

    def longer(self, n: int, design: Design) -> Self:
        return replace(self, n_splits=self.n_splits + n)

    def within(self, fits: int, sample: Sample) -> Self:
        return replace(self, n_splits=min(self.n_splits, max(LEAST_SPLITS, fits)))

    def in_words(self, n_fits: int | None = None) -> str:
        splits = counted(self.n_splits, "random split,", "random splits, each")
        return f"{splits} with {self.test_size:.0%} of the cases for testing"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        sizes = test_sizes(sample, self.test_size, stratified)
        return {"stored": split_counts(sample, self.n_splits, sizes, stratified, rng)}


def test_sizes(sample: Sample, test_size: float, stratified: bool) -> list[int]:
    """Units (cases or groups) of each stratum in a test part: the share, but at least one, and one left to train on."""
    sizes = []
    for stratum in strata_of(units_of(sample)[1], stratified):
        if len(stratum) < 2:
            raise InputError(
                "A class with a single group cannot be split",
                param="groups",
                fix="Use {stratified=False}, or more groups",
            )
        sizes.append(min(len(stratum) - 1, max(1, round(test_size * len(stratum)))))
    return sizes


def split_counts(
    sample: Sample, n_splits: int, sizes: Sequence[int], stratified: bool, rng: np.random.Generator
) -> Array:
    """(F, n) 1 = trained on, 0 = tested; `sizes` are the test units of each stratum."""
    unit, codes, _ = units_of(sample)
    trained = np.ones((n_splits, len(codes)), dtype=np.uint8)
    strata = list(zip(strata_of(codes, stratified), sizes, strict=True))
    for row in trained:  # split by split: more of them begin with fewer
        for stratum, n_test in strata:
            row[stratum[rng.permutation(len(stratum))[:n_test]]] = 0
    return trained[:, unit]


@dataclass(frozen=True)
class Holdout(Plan):
    """One split: the rule trained on one part is tested on the other.

    Parameters
    ----------
    test_size : float, default 0.3
        Share of the cases in the test part.
    stratified : bool or "fixed", default True
        Split each class separately. "fixed" as in `Bootstrap`.
    """

    test_size: float = 0.3
    stratified: Stratified = True
    kind: ClassVar[Kind] = "holdout"
    form: ClassVar[str] = "holdout:SHARE"
    given: ClassVar[tuple[str, ...]] = ("test_size",)

    def in_words(self, n_fits: int | None = None) -> str:
        return f"one random split, with {self.test_size:.0%} of the cases for testing"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        return {"stored": split_counts(sample, 1, test_sizes(sample, self.test_size, stratified), stratified, rng)}
