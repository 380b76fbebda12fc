"""Leave-one-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueness.plans.plan import Drawn, Plan, units_of
from trueness.sample.design import Kind
from trueness.sample.sample import Sample


@dataclass(frozen=True)
class LeaveOneOut(Plan):
    """Each case (or each group) is tested by the rule trained on all others (Yousef, ML Assessment, eq. 28)."""

    kind: ClassVar[Kind] = "cv"

    def in_words(self, n_fits: int | None = None) -> str:
        return "leave-one-out cross-validation"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        unit, _, _ = units_of(sample)
        return {"folds": unit[None].astype(np.int32)}
