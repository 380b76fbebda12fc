"""Leave-one-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.plans.plan import Plan, units_of
from karat.sample.sample import Sample


@dataclass(frozen=True)
class LeaveOneOut(Plan):
    """Each case (or each group) is tested by the rule trained on all the others  (seeds/000, eq. 28)."""

    kind: ClassVar[str] = "cv"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> dict[str, Any]:
        unit, _, _ = units_of(sample)
        return {"folds": unit[None].astype(np.int32)}
