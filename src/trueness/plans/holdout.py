"""Holdout: one random split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueness.plans.monte_carlo import split_counts, test_sizes
from trueness.plans.plan import Drawn, Plan
from trueness.sample.design import Kind
from trueness.sample.sample import Sample
from trueness.typing import Stratified


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

    def in_words(self, n_fits: int | None = None) -> str:
        return f"one random split, with {self.test_size:.0%} of the cases for testing"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        return {"stored": split_counts(sample, 1, test_sizes(sample, self.test_size, stratified), stratified, rng)}
