"""Log-loss: minus the mean logarithm of the probability of what happened."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from karat.errors import InputError
from karat.metrics.metric import CaseLoss, Needs
from karat.typing import Floats

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample

LEAST = float(np.finfo(float).eps)  # a probability of 0 counts as this, as in scikit-learn


@dataclass(frozen=True, eq=False)
class LogLoss(CaseLoss):
    """Log-loss (cross-entropy): −ln of the probability of the true class, at most 36 for one case.

    A probability of 0 for what happened is an infinite loss; it counts as 2.2e−16, as in scikit-learn.
    """

    positive: int = 1
    n_classes: int = 2
    name: ClassVar[str] = "log_loss"
    needs: ClassVar[Needs] = "probabilities"

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, math.inf)

    def bind(self, sample: Sample) -> CaseLoss:
        # stored scores are of the positive class where it is known, else of the second one
        positive = 1 if sample.positive is None else sample.positive
        return replace(self.bind_priors(sample), positive=positive, n_classes=sample.n_classes)

    def losses(self, block: Block) -> Floats:
        if block.scores is None:
            raise InputError("The log-loss needs probabilities, and these Fits have no scores", param="metric")
        if self.n_classes == 2:
            p = np.where(block.codes == self.positive, block.scores, 1 - block.scores)
        else:
            p = block.scores[:, np.arange(len(block.codes)), block.codes]
        return np.asarray(-np.log(np.clip(p, LEAST, 1 - LEAST)))
