"""Nested cross-validation of Bates, Hastie and Tibshirani: folds left out singly and in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.plans.kfold import deal
from trueness.plans.plan import Drawn, Plan, folds_in_words
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.typing import Stratified


@dataclass(frozen=True)
class NestedKFold(Plan):
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
    least: ClassVar[Mapping[str, int]] = {"n_folds": 3, "repeats": 1}

    @property
    def left_out(self) -> list[tuple[int, ...]]:
        """Folds left out by each fit of a repeat: singles first, then pairs."""
        k = range(self.n_folds)
        return [(a,) for a in k] + list(combinations(k, 2))

    def longer(self, n: int, design: Design) -> NestedKFold:
        return replace(self, repeats=self.repeats + n)

    def in_words(self, n_fits: int | None = None) -> str:
        return f"nested {folds_in_words(self.n_folds, self.repeats)}"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        rows = []
        for _ in range(self.repeats):
            fold = deal(sample, self.n_folds, stratified, rng)
            rows += [~np.isin(fold, out) for out in self.left_out]
        counts = np.stack(rows).astype(np.uint8)
        if (counts.sum(axis=1) == 0).any():
            raise InputError("Two folds hold all cases", param="n_folds", fix="Use more folds")
        return {"stored": counts, "repeat": np.repeat(np.arange(self.repeats), len(self.left_out))}
