"""Losses of predicted probabilities: the Brier score and the log-loss; the net benefit of acting on them."""

import math
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from trueness.checks import check_open_share
from trueness.metrics.metric import SCORES_READ, CaseLoss, positive_of_two, scores_of
from trueness.result.interval import WILSON, LogOfLoss
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Floats

LEAST_PROBABILITY = float(np.finfo(float).eps)  # a probability of 0 counts as this, as in scikit-learn


@dataclass(frozen=True, eq=False)
class ProbabilityLoss(CaseLoss):
    """A loss of the probabilities of the classes."""

    positive: int = 1
    n_classes: int = 2
    needs = "probabilities"

    def bound(self, sample: Sample) -> Self:
        # stored scores are of the positive class where it is known, else of the second one
        positive = 1 if sample.positive is None else sample.positive
        return replace(self.bind_priors(sample), positive=positive, n_classes=sample.n_classes)

    def of_class_shares(self, sample: Sample) -> float:
        """The mean loss where the shares of the classes are the probabilities of every case."""
        shares = sample.sizes / sample.n
        known = shares[self.positive] if self.n_classes == 2 else shares
        scores = np.broadcast_to(known, (1, sample.n, *known.shape))
        block = Block(sample.codes, np.zeros((1, sample.n), np.uint8), scores, None, np.array([-1]))
        return float(self.rows(block, block.ones)[0])


class Brier(ProbabilityLoss):
    """Brier score: (p − y)² for two classes, Σ_c (p_c − [y = c])² for several (Brier 1950)."""

    name = "brier"
    title = "Brier score"
    aliases = "neg_brier_score, brier score"
    words = {"brier": ("Brier", "Brier score")}
    interval = WILSON

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, 1.0 if self.n_classes == 2 else 2.0)

    def losses(self, block: Block) -> Floats:
        p = scores_of(block, self.name)
        if self.n_classes == 2:
            return np.asarray((p - (block.codes == self.positive)) ** 2)
        return np.asarray(((p - np.eye(self.n_classes)[block.codes]) ** 2).sum(axis=2))


class LogLoss(ProbabilityLoss):
    """Log-loss (cross-entropy): −ln of the probability of the true class, at most 36 for one case.

    A probability of 0 for what happened is an infinite loss; it counts as 2.2e−16, as in scikit-learn.
    """

    name = "log_loss"
    title = "log-loss"
    aliases = "neg_log_loss, logloss, cross-entropy"
    bounds = (0.0, math.inf)

    interval = LogOfLoss(math.inf, most=-math.log(LEAST_PROBABILITY))  # none where all losses are 0

    def losses(self, block: Block) -> Floats:
        p = scores_of(block, self.name)
        if self.n_classes == 2:
            of_truth = np.where(block.codes == self.positive, p, 1 - p)
        else:
            of_truth = p[:, np.arange(len(block.codes)), block.codes]
        return np.asarray(-np.log(np.clip(of_truth, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)))


@dataclass(frozen=True, eq=False)
class NetBenefit(CaseLoss):
    """Net benefit of acting where the probability is at least t: TP/n − FP/n · t/(1 − t) (Vickers & Elkin 2006).

    Parameters
    ----------
    threshold : float, default 0.5
        t, above 0 and below 1: a false positive costs t/(1 − t) of what a true positive gains.
    prevalence : float, optional
        π of the population, where the cases do not have it (a case-control study): π TPF − (1 − π) FPF t/(1 − t).
    over : {"none", "all"}, default "none"
        Whether it is the gain over acting on no case, whose net benefit is 0, or over acting on all.

    Examples
    --------
    >>> import trueness
    >>> test = trueness.Fits.from_arrays([0, 0, 1, 1, 1], [[0] * 5], [[0.1, 0.4, 0.3, 0.8, 0.9]])
    >>> print(trueness.estimate(test, trueness.metrics.NetBenefit(threshold=0.2), "holdout"))
    net_benefit holdout: 0.55 ± 0.28
    """

    threshold: float = 0.5
    prevalence: float | None = None
    over: Literal["none", "all"] = "none"
    positive: int = 1
    name = "net_benefit"
    title = "net benefit"
    aliases = "NB, clinical utility"
    needs = "probabilities"
    higher_is_better = True
    scores_read = SCORES_READ

    def __post_init__(self) -> None:
        super().__post_init__()
        check_open_share("threshold", self.threshold)
        if self.prevalence is not None:
            check_open_share("prevalence", self.prevalence)
            if self.priors is None:
                object.__setattr__(self, "priors", (1 - self.prevalence, self.prevalence))

    @property
    def odds(self) -> float:
        """t/(1 − t)."""
        return self.threshold / (1 - self.threshold)

    @property
    def bounds(self) -> tuple[float, float]:
        most, least = 1.0, self.odds
        if self.prevalence is not None:
            most, least = self.prevalence, self.odds * (1 - self.prevalence)
        return (-most, least) if self.over == "all" else (-least, most)

    def bound(self, sample: Sample) -> Self:
        return replace(self.bind_priors(sample), positive=positive_of_two(sample, self.name))

    def losses(self, block: Block) -> Floats:
        p = scores_of(block, self.name)
        gain = np.where(block.codes == self.positive, 1.0, -self.odds)
        acted = (p >= self.threshold).astype(float) - (self.over == "all")
        return np.asarray(np.where(np.isnan(p), np.nan, acted * gain))
