"""Holdout: one random split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.plans.monte_carlo import check_share, split_counts
from karat.plans.plan import Plan
from karat.sample.sample import Sample


@dataclass(frozen=True)
class Holdout(Plan):
    """One split: the rule trained on one part is tested on the other.

    Parameters
    ----------
    test_size
        Share of the cases that test.
    stratified
        Split each class by itself.
    """

    test_size: float = 0.3
    stratified: bool = True
    kind: ClassVar[str] = "holdout"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.test_size)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> dict[str, Any]:
        return {"stored": split_counts(sample, 1, self.test_size, stratified, rng)}
