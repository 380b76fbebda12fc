"""Losses of predicted probabilities: the Brier score and the log-loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.metrics.metric import CaseLoss, Needs
from trueness.result.interval import WILSON, IntervalRule
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Floats

LEAST_PROBABILITY = float(np.finfo(float).eps)  # a probability of 0 counts as this, as in scikit-learn


@dataclass(frozen=True, eq=False)
class ProbabilityLoss(CaseLoss):
    """A loss of the probabilities of the classes."""

    positive: int = 1
    n_classes: int = 2
    needs: ClassVar[Needs] = "probabilities"

    def bind(self, sample: Sample) -> CaseLoss:
        # stored scores are of the positive class where it is known, else of the second one
        positive = 1 if sample.positive is None else sample.positive
        return replace(self.bind_priors(sample), positive=positive, n_classes=sample.n_classes)

    def probabilities(self, block: Block) -> Floats:
        """(b, m) of the positive class, or (b, m, C) of all."""
        if block.scores is None:
            raise InputError(f"{self.name} needs probabilities, and these Fits have no scores", param="metric")
        return block.scores


class Brier(ProbabilityLoss):
    """Brier score: (p − y)² for two classes, Σ_c (p_c − [y = c])² for several (Brier 1950)."""

    name: ClassVar[str] = "brier"
    title: ClassVar[str] = "Brier score"
    aliases: ClassVar[str] = "neg_brier_score, brier score"
    words: ClassVar[Mapping[str, tuple[str, str]]] = {"brier": ("Brier", "Brier score")}
    interval: ClassVar[IntervalRule] = WILSON

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, 1.0 if self.n_classes == 2 else 2.0)

    def losses(self, block: Block) -> Floats:
        p = self.probabilities(block)
        if self.n_classes == 2:
            return np.asarray((p - (block.codes == self.positive)) ** 2)
        return np.asarray(((p - np.eye(self.n_classes)[block.codes]) ** 2).sum(axis=2))


class LogLoss(ProbabilityLoss):
    """Log-loss (cross-entropy): −ln of the probability of the true class, at most 36 for one case.

    A probability of 0 for what happened is an infinite loss; it counts as 2.2e−16, as in scikit-learn.
    """

    name: ClassVar[str] = "log_loss"
    title: ClassVar[str] = "log-loss"
    aliases: ClassVar[str] = "neg_log_loss, cross-entropy, log-loss"

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, math.inf)

    def losses(self, block: Block) -> Floats:
        p = self.probabilities(block)
        if self.n_classes == 2:
            of_truth = np.where(block.codes == self.positive, p, 1 - p)
        else:
            of_truth = p[:, np.arange(len(block.codes)), block.codes]
        return np.asarray(-np.log(np.clip(of_truth, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)))
