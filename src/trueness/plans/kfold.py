"""K-fold cross-validation, repeated if asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.plans.plan import Drawn, Plan, folds_in_words, strata_of, units_of
from trueness.result.digits import counted
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.typing import Array, Stratified


@dataclass(frozen=True)
class KFold(Plan):
    """Each case is tested once per repeat, by the rule trained on the other K − 1 folds.

    Parameters
    ----------
    n_folds : int, default 10
        Number of folds K.
    repeats : int, default 1
        Number of independent partitions; the standard errors of Nadeau and Bengio and of the influence function need
        at least two.
    stratified : bool or "fixed", default True
        Spread the cases of each class evenly over the folds. "fixed" as in `Bootstrap`.
    """

    n_folds: int = 10
    repeats: int = 1
    stratified: Stratified = True
    kind: ClassVar[Kind] = "cv"
    least: ClassVar[Mapping[str, int]] = {"n_folds": 2, "repeats": 1}

    def longer(self, n: int, design: Design) -> KFold:
        return replace(self, repeats=self.repeats + n)

    def in_words(self, n_fits: int | None = None) -> str:
        return folds_in_words(self.n_folds, self.repeats)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        rows = [deal(sample, self.n_folds, stratified, rng) for _ in range(self.repeats)]
        return {"folds": np.stack(rows)}


def deal(sample: Sample, n_folds: int, stratified: bool, rng: np.random.Generator) -> Array:
    """(n,) fold of each case: units are shuffled, then each goes to the smallest fold so far."""
    unit, codes, sizes = units_of(sample)
    what = "case" if sample.groups is None else "group"
    fold = np.empty(len(codes), dtype=np.int32)
    total = np.zeros(n_folds, dtype=np.intp)
    for stratum in strata_of(codes, stratified):
        if len(stratum) < n_folds:
            where = f"class {sample.classes.tolist()[codes[stratum[0]]]!r}" if stratified else "the sample"
            few = len(stratum) < 2
            raise InputError(
                f"There are more folds than {what}s of {where}",
                param="n_folds",
                got=f"{n_folds} folds for {counted(len(stratum), what)}",
                fix=f"Collect more {what}s" if few else f"Use at most {len(stratum)} folds",
            )
        own = np.zeros(n_folds, dtype=np.intp)
        shuffled = stratum[rng.permutation(len(stratum))]
        if sample.groups is not None:  # large groups first, or the last one would unbalance the folds
            shuffled = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
            for u in shuffled:
                k = np.lexsort((total, own))[0]
                fold[u] = k
                own[k] += sizes[u]
                total[k] += sizes[u]
        else:  # the same for units of size 1: in rounds, beginning with the smallest folds
            order = np.argsort(total, kind="stable")
            fold[shuffled] = order[np.arange(len(shuffled)) % n_folds]
            total += np.bincount(fold[shuffled], minlength=n_folds)
    return fold[unit]
