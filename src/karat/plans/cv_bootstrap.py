"""Cross-validation and a bootstrap on the same cases: what the default interval is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from karat.errors import InputError
from karat.plans.bootstrap import Bootstrap
from karat.plans.kfold import KFold
from karat.plans.plan import Drawn, Plan, strata_of, units_of, whole
from karat.sample.design import Design, Kind
from karat.sample.sample import Sample
from karat.sample.seeds import child, seed_sequence
from karat.typing import Stratified

if TYPE_CHECKING:
    from karat.typing import Labels, Rng


@dataclass(frozen=True)
class CvBootstrap(Plan):
    """Repeated K-fold cross-validation, whose mean estimates the rule trained on all cases, and a bootstrap, which
    tells how much that rule depends on its training cases.

    Parameters
    ----------
    n_folds : int, default 10
        K; at most the number of cases (or groups) in the smallest class.
    repeats : int, default 10
        Independent partitions, at least 2.
    n_resamples : int, optional
        Bootstrap replicates; max(100, 3√n) by default.
    stratified : bool or "fixed", default True
        Deal and draw the cases of each class separately.
        "fixed" does the same and says that the class sizes were fixed by design (a case-control study), so that the
        standard error of an error rate does not include their variation.

    Examples
    --------
    >>> import karat
    >>> karat.CvBootstrap().draw([0] * 30 + [1] * 30, rng=0).n_fits
    200
    """

    n_folds: int = 10
    repeats: int = 10
    n_resamples: int | None = None
    stratified: Stratified = True
    kind: ClassVar[Kind] = "cv+bootstrap"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("n_folds", self.n_folds, 2)
        whole("repeats", self.repeats, 2)
        if self.n_resamples is not None:
            whole("n_resamples", self.n_resamples, 2)

    def draw(self, y: Labels | Sample, groups: Labels | None = None, rng: Rng = None) -> Design:
        sample = Sample.of(y, groups=groups).labels_only()
        seed = seed_sequence(rng)
        cv, bootstrap = self._plans(sample)
        parts = tuple(plan.draw(sample, rng=child(seed, k)) for k, plan in enumerate((cv, bootstrap)))
        return Design(
            kind=self.kind,
            plan=self,
            sample=sample,
            stratified=parts[0].stratified,
            fixed_sizes=parts[0].fixed_sizes,
            seed=seed,
            notes=parts[0].notes,
            parts=parts,
        )

    def _plans(self, sample: Sample) -> tuple[KFold, Bootstrap]:
        _, codes, _ = units_of(sample)
        stratified = bool(self.stratified) and sample.groups_are_pure
        smallest = min(len(stratum) for stratum in strata_of(codes, stratified))
        if smallest < 2:
            what = "cases" if sample.groups is None else "groups"
            raise InputError(f"Cross-validation needs at least 2 {what} of each class", param="y", got=smallest)
        replicates = self.n_resamples or max(100, math.ceil(3 * math.sqrt(sample.n)))
        return KFold(min(self.n_folds, smallest), self.repeats, self.stratified), Bootstrap(replicates, self.stratified)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        raise AssertionError("draw() draws the two parts")
