"""Cross-validation: K folds, repeated if asked; leave-one-out; nested, with folds left out in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.plans.plan import DrawnParts, DrawnPlan, folds_in_words, strata_of, units_of
from trueness.result.words import counted
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.typing import Array, Stratified

LEAST_REPEATS = 2  # of a cross-validation in limited time: one has hardly any standard error
LEAST_NESTED = 10


@dataclass(frozen=True)
class KFold(DrawnPlan):
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
    form: ClassVar[str] = "kfold:K or kfold:KxR (R repeats)"
    given: ClassVar[tuple[str, ...]] = ("n_folds", "repeats")
    least: ClassVar[Mapping[str, int]] = {"n_folds": 2, "repeats": 1}

    def longer(self, n: int, design: Design) -> KFold:
        return replace(self, repeats=self.repeats + n)

    def within(self, fits: int, sample: Sample) -> KFold:
        return replace(self, repeats=min(self.repeats, max(LEAST_REPEATS, fits // self.n_folds)))

    def in_words(self, n_fits: int | None = None) -> str:
        return folds_in_words(self.n_folds, self.repeats)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        rows = [deal(sample, self.n_folds, stratified, rng) for _ in range(self.repeats)]
        return {"folds": np.stack(rows)}


def deal(sample: Sample, n_folds: int, stratified: bool, rng: np.random.Generator) -> Array:
    """(n,) fold of each case: units are shuffled, then each goes to the fold that has fewest cases of its classes so far.

    Groups of one class are dealt class by class, those of the largest octave of sizes first. Groups that hold several
    classes are dealt together, those with the largest shares of a class first, so that folds keep the classes as far as
    groups allow.
    """
    unit, codes, sizes = units_of(sample)
    what = "case" if sample.groups is None else "group"
    fold = np.empty(len(codes), dtype=np.int32)
    total = np.zeros(n_folds, dtype=np.intp)
    held = np.zeros((len(codes), sample.n_classes))  # cases of each class in each unit
    if sample.groups is not None:
        np.add.at(held, (unit, sample.codes), 1)
    shares = held / np.maximum(sample.sizes, 1)
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
        shuffled = stratum[rng.permutation(len(stratum))]
        if sample.groups is not None:  # large groups first, or the last one would unbalance the folds
            first = sizes if sample.groups_are_pure else shares.max(axis=1)
            own = np.zeros((n_folds, sample.n_classes))  # of each fold, the share of each class that it has
            # in random order within an octave of sizes, or all repeats would be alike
            octave = np.floor(np.log2(first / first.max()))
            for u in shuffled[np.argsort(-octave[shuffled], kind="stable")]:
                k = np.lexsort((total, own @ shares[u]))[0]
                fold[u] = k
                own[k] += shares[u]
                total[k] += sizes[u]
        else:  # the same for units of size 1: in rounds, beginning with the smallest folds
            order = np.argsort(total, kind="stable")
            fold[shuffled] = order[np.arange(len(shuffled)) % n_folds]
            total += np.bincount(fold[shuffled], minlength=n_folds)
    return fold[unit]


@dataclass(frozen=True)
class LeaveOneOut(DrawnPlan):
    """Each case (or each group) is tested by the rule trained on all others (Yousef, ML Assessment, eq. 28)."""

    kind: ClassVar[Kind] = "cv"
    form: ClassVar[str] = "loo"

    def in_words(self, n_fits: int | None = None) -> str:
        return "leave-one-out cross-validation"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        unit, _, _ = units_of(sample)
        return {"folds": unit[None].astype(np.int32)}


@dataclass(frozen=True)
class NestedKFold(DrawnPlan):
    """K folds; each repeat has the K fits that leave one fold out and the K(K − 1)/2 that leave two out.

    The pairs estimate the mean squared error of cross-validation, which one pass of K-fold cannot.

    Parameters
    ----------
    n_folds : int, default 10
        Number of folds K, at least 3.
    repeats : int, default 20
        Number of partitions; the authors use 200, and 20 or more are needed for a stable answer.
    stratified : bool or "fixed", default True
        Spread the cases of each class evenly over the folds. "fixed" as in `Bootstrap`.

    References
    ----------
    Bates, Hastie & Tibshirani (2024), J. Am. Stat. Assoc. 119, 1434–1445, algorithm 1.
    """

    n_folds: int = 10
    repeats: int = 20
    stratified: Stratified = True
    kind: ClassVar[Kind] = "nested"
    form: ClassVar[str] = "nested:K or nested:KxR"
    given: ClassVar[tuple[str, ...]] = ("n_folds", "repeats")
    least: ClassVar[Mapping[str, int]] = {"n_folds": 3, "repeats": 1}

    @property
    def left_out(self) -> list[tuple[int, ...]]:
        """Folds left out by each fit of a repeat: singles first, then pairs."""
        k = range(self.n_folds)
        return [(a,) for a in k] + list(combinations(k, 2))

    def longer(self, n: int, design: Design) -> NestedKFold:
        return replace(self, repeats=self.repeats + n)

    def within(self, fits: int, sample: Sample) -> NestedKFold:
        return replace(self, repeats=min(self.repeats, max(LEAST_NESTED, fits // len(self.left_out))))

    def in_words(self, n_fits: int | None = None) -> str:
        return f"nested {folds_in_words(self.n_folds, self.repeats)}"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        rows = []
        for _ in range(self.repeats):
            fold = deal(sample, self.n_folds, stratified, rng)
            rows += [~np.isin(fold, out) for out in self.left_out]
        counts = np.stack(rows).astype(np.uint8)
        if (counts.sum(axis=1) == 0).any():
            raise InputError("Two folds hold all cases", param="n_folds", fix="Use more folds")
        return {"stored": counts, "repeat": np.repeat(np.arange(self.repeats), len(self.left_out))}
