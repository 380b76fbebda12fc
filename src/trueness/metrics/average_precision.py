"""Average precision: the mean over positives of the precision at their score."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from trueness.metrics.auc import AgainstRest
from trueness.metrics.metric import SetMetric, require_used
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Bools, Floats


class AveragePrecision(AgainstRest, SetMetric):
    """Average precision: the mean over positives of the precision where cases with at least their score are called
    positive; the area of `trueness.pr` by rectangles. Several classes: the mean of one against the rest.
    """

    name: ClassVar[str] = "average_precision"
    title: ClassVar[str] = "average precision"
    aliases: ClassVar[str] = "AUPRC"
    called_in_errors: ClassVar[str] = "average precision"

    def class_sets(self, sample: Sample) -> list[list[int]]:
        return [[c] for c in self.targets]  # at the end of the range the positives count

    def rows(self, block: Block, weights: Floats) -> Floats:
        each = []
        for scores, positive in self.parts(block):
            known = require_used(scores, weights > 0, self.name)
            each.append([_average(s, positive, w) for s, w in zip(known, weights, strict=True)])
        return np.asarray(np.mean(each, axis=0))

    def influence(self, block: Block) -> Floats:
        """(m,) by how much each case moves the average precision of the one rule of a block; their sum is 0.

        With P_i the precision and N_i the number of cases at or above the score of positive i, AP = mean P_i and

            U_k = [y_k (P_k − AP) + Σ_{i positive, s_i ≤ s_k} (y_k − P_i)/N_i] / n1

        which is n⁻¹ times the derivative of AP with respect to the mass of case k (ours; docs/metrics.md).
        """
        return np.asarray(np.mean([_moves(scores[0], positive) for scores, positive in self.parts(block)], axis=0))


def _above(scores: Floats, positive: Bools, weights: Floats) -> tuple[Floats, Floats]:
    """(m,) weight of the positives, and of all cases, with at least the score of each case."""
    _, which = np.unique(-scores, return_inverse=True)
    hits, all_ = (np.bincount(which, w).cumsum()[which] for w in (weights * positive, weights))
    return hits, all_


def _average(scores: Floats, positive: Bools, weights: Floats) -> float:
    hits, n = _above(scores, positive, weights)
    of = weights * positive
    return float((of * hits / np.where(n > 0, n, 1.0)).sum() / of.sum()) if of.any() else np.nan


def _moves(scores: Floats, positive: Bools) -> Floats:
    hits, n = _above(scores, positive, np.ones(len(scores)))
    precision = hits / n
    order, which = np.unique(scores, return_inverse=True)  # sums over positives at or below each score
    below, spent = (
        np.bincount(which, w, minlength=len(order)).cumsum()[which] for w in (positive / n, positive * precision / n)
    )
    mean = precision[positive].mean()
    return np.asarray((positive * (precision - mean) + positive * below - spent) / positive.sum())
