"""Paired subsampling of Nadeau and Bengio: random splits of all cases, and of disjoint halves of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trueness.errors import InputError
from trueness.plans.halves import SplitHalves, half_sizes
from trueness.plans.monte_carlo import MonteCarlo, test_sizes
from trueness.plans.plan import JoinedPlan
from trueness.result.digits import counted
from trueness.sample.design import Kind
from trueness.sample.sample import Sample
from trueness.typing import Stratified


@dataclass(frozen=True)
class PairedSubsampling(JoinedPlan):
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
    kind: ClassVar[Kind] = "paired"
    least: ClassVar[Mapping[str, int]] = {"n_splits": 1, "inner": 1}

    def in_words(self, n_fits: int | None = None) -> str:
        return f"{self.n_splits} random splits, and as many in each half of {counted(self.inner, 'halving')}"

    def _plans(self, sample: Sample) -> tuple[MonteCarlo, SplitHalves]:
        stratified = self.stratified and sample.groups_are_pure
        halves = half_sizes(sample, stratified)
        for half, test in zip(halves, test_sizes(sample, self.test_size, stratified), strict=True):
            if half <= test:
                what = "case" if sample.groups is None else "group"
                where = "the sample" if not stratified else "a class"
                raise InputError(
                    f"Half of {where} is too small for a test part of {counted(test, what)} and a training part",
                    param="test_size",
                    got=f"{counted(half, what)} in the half",
                    fix="Use a smaller test_size" if half > 1 else f"Collect more {what}s, or use KFold or Bootstrap",
                )
        return (
            MonteCarlo(self.n_splits, self.test_size, self.stratified),
            SplitHalves(self.inner, bool(self.stratified), self.n_splits, self.test_size),
        )
