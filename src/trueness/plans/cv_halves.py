"""Cross-validation of all cases, and of random halves of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trueness.errors import InputError
from trueness.plans.halves import FoldedHalves, half_sizes
from trueness.plans.kfold import KFold
from trueness.plans.plan import JoinedPlan, folds_in_words
from trueness.result.digits import counted
from trueness.sample.design import Kind
from trueness.sample.sample import Sample
from trueness.typing import Stratified


@dataclass(frozen=True)
class CvHalves(JoinedPlan):
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
    kind: ClassVar[Kind] = "cv+halves"
    least: ClassVar[Mapping[str, int]] = {"n_folds": 2, "repeats": 2, "halvings": 2, "inner_folds": 2}

    def in_words(self, n_fits: int | None = None) -> str:
        halvings = counted(self.halvings, "halving")
        return f"{folds_in_words(self.n_folds, self.repeats)}, and {self.inner_folds}-fold in {halvings}"

    def _plans(self, sample: Sample) -> tuple[KFold, FoldedHalves]:
        half = min(half_sizes(sample, bool(self.stratified)))
        if half < self.inner_folds:
            what = "case" if sample.groups is None else "group"
            where = "the smallest class" if self.stratified and sample.groups_are_pure else "the sample"
            raise InputError(
                f"There are more inner folds than {what}s in half of {where}",
                param="inner_folds",
                got=f"{self.inner_folds} folds for {counted(half, what)}",
                fix=f"Use at most {half} inner folds" if half > 1 else f"Collect more {what}s",
            )
        return (
            KFold(self.n_folds, self.repeats, self.stratified),
            FoldedHalves(self.halvings, bool(self.stratified), self.inner_folds),
        )
