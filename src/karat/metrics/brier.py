"""Brier score: mean squared distance of the probabilities from what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from karat.errors import InputError
from karat.metrics.metric import CaseLoss, Needs
from karat.result.interval import WILSON, IntervalRule
from karat.typing import Floats

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample


@dataclass(frozen=True, eq=False)
class Brier(CaseLoss):
    """Brier score: (p − y)² for two classes, Σ_c (p_c − [y = c])² for several (Brier 1950)."""

    positive: int = 1
    n_classes: int = 2
    name: ClassVar[str] = "brier"
    interval: ClassVar[IntervalRule] = WILSON
    needs: ClassVar[Needs] = "probabilities"

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, 1.0 if self.n_classes == 2 else 2.0)

    def bind(self, sample: Sample) -> CaseLoss:
        # stored scores are of the positive class where it is known, else of the second one
        positive = 1 if sample.positive is None else sample.positive
        return replace(self.bind_priors(sample), positive=positive, n_classes=sample.n_classes)

    def losses(self, block: Block) -> Floats:
        if block.scores is None:
            raise InputError("The Brier score needs probabilities, and these Fits have no scores", param="metric")
        if self.n_classes == 2:
            return np.asarray((block.scores - (block.codes == self.positive)) ** 2)
        return np.asarray(((block.scores - np.eye(self.n_classes)[block.codes]) ** 2).sum(axis=2))
