"""K-fold cross-validation, repeated if asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.plans.plan import Plan, strata_of, units_of, whole
from karat.result.digits import counted
from karat.sample.sample import Sample


@dataclass(frozen=True)
class KFold(Plan):
    """Each case is tested once a repeat, by the rule trained on the other K − 1 folds.

    Parameters
    ----------
    n_folds
        K.
    repeats
        Independent partitions; the standard errors of Nadeau and Bengio and of the influence function
        need at least two.
    stratified
        Deal the cases of each class out evenly.
    """

    n_folds: int = 10
    repeats: int = 1
    stratified: bool = True
    kind: ClassVar[str] = "cv"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("n_folds", self.n_folds, 2)
        whole("repeats", self.repeats, 1)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> dict[str, Any]:
        rows = [deal(sample, self.n_folds, stratified, rng) for _ in range(self.repeats)]
        return {"folds": np.stack(rows)}


def deal(sample: Sample, n_folds: int, stratified: bool, rng: np.random.Generator) -> np.ndarray:
    """(n,) fold of each case: units shuffled, then dealt to the fold that has least so far."""
    unit, codes, sizes = units_of(sample)
    what = "case" if sample.groups is None else "group"
    fold = np.empty(len(codes), dtype=np.int32)
    total = np.zeros(n_folds, dtype=np.intp)
    for stratum in strata_of(codes, stratified):
        if len(stratum) < n_folds:
            where = f"class {sample.classes.tolist()[codes[stratum[0]]]!r}" if stratified else "the sample"
            raise InputError(
                f"{n_folds} folds are more than the {what}s of {where}",
                got=counted(len(stratum), what),
                fix=f"Use at most {len(stratum)} folds"
                if len(stratum) > 1
                else f"Collect more {what}s, or use no folds",
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
        else:  # the same, but all units have size 1: deal in rounds, beginning with the emptiest folds
            order = np.argsort(total, kind="stable")
            fold[shuffled] = order[np.arange(len(shuffled)) % n_folds]
            total += np.bincount(fold[shuffled], minlength=n_folds)
    return fold[unit]
