"""Measures of the order of scores: the AUC, of two classes and of several, and the average precision."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from trueness.checks import is_number
from trueness.errors import InputError
from trueness.formulas.pr import rectangles, step_influence
from trueness.formulas.roc import curve_rows, partial_area
from trueness.kernels.auc import weighted_auc_rows
from trueness.metrics.metric import Metric, SetMetric, require_used, scores_of
from trueness.result.interval import LOGIT
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Bools, Floats

CHANCE = 0.5  # the no-information AUC (Yousef, AUC: Nonparametric Estimators and Their Smoothness, lemma 1)


@dataclass(frozen=True, eq=False)
class AgainstRest(Metric):
    """A metric of the scores of one class against the rest; of several classes the unweighted mean.

    Attributes
    ----------
    targets : tuple of int
        Classes that are compared with the others; set by `bind`.
    """

    targets: tuple[int, ...] = ()
    interval = LOGIT

    def bound(self, sample: Sample) -> Self:
        """The positive class of two is the target; of several all that have cases."""
        if sample.n_classes == 2:
            return replace(self, targets=(sample.require_positive(),))
        return replace(self, targets=tuple(np.flatnonzero(sample.sizes).tolist()))

    def parts(self, block: Block) -> Iterator[tuple[Floats, Bools]]:
        """For each target class: scores (b, m), and which cases are positive (m,)."""
        scores = scores_of(block, self.name)
        for target in self.targets:
            yield scores if scores.ndim == 2 else scores[:, :, target], np.asarray(block.codes == target)

    def class_sets(self, sample: Sample) -> list[list[int]]:
        return [[c] for c in np.flatnonzero(sample.sizes).tolist()]

    def by_row(self, block: Block, weights: Floats, value: Callable[[Floats, Bools, Floats], float]) -> Floats:
        """(b,) the mean over target classes of a value of scores, which of the cases are positive, and weights."""
        each = []
        for scores, positive in self.parts(block):
            known = require_used(scores, weights > 0, self.name)
            each.append([value(s, positive, w) for s, w in zip(known, weights, strict=True)])
        return np.asarray(np.mean(each, axis=0))


class AUC(AgainstRest):
    """Area under the ROC curve, ties counting ½ (Yousef, ML Assessment, eq. 6).

    For several classes, the unweighted mean of one class against the rest. Where groups hold several classes, resampled
    rules are asked about pairs of cases of different groups: a new case comes from a new group.
    """

    name = "auc"
    title = "area under the ROC curve"
    aliases = "roc_auc, roc_auc_ovr, AUROC, c-statistic"
    words = {
        "roc_auc": ("ROC AUC", "ROC AUC"),
        "roc_auc_ovr": ("ROC AUC (one class against the rest)", "ROC AUC ovr"),
    }
    arity = 2
    bounds = (0.0, 1.0)

    def rows(self, block: Block, weights: Floats) -> Floats:
        each = [
            weighted_auc_rows(require_used(scores, weights > 0, self.name), positive, weights, block.apart)
            for scores, positive in self.parts(block)
        ]
        return np.asarray(np.mean(each, axis=0))


class AveragePrecision(AgainstRest, SetMetric):
    """Average precision: the mean over positives of the precision where cases with at least their score are called
    positive, 0 of scores of −∞; the area of `trueness.pr` by rectangles. Several classes: the mean of one against the rest.
    """

    name = "average_precision"
    title = "average precision"
    aliases = "AUPRC"
    bounds = (0.0, 1.0)

    def class_sets(self, sample: Sample) -> list[list[int]]:
        return [[c] for c in self.targets]  # at the end of the range the positives count

    def of_class_shares(self, sample: Sample) -> float:
        """That of scores that are all equal: the prevalence, of several classes its mean."""
        return float(sample.sizes[[*self.targets]].mean() / sample.n)

    def rows(self, block: Block, weights: Floats) -> Floats:
        return self.by_row(block, weights, _average)

    def influence(self, block: Block) -> Floats:
        """(m,) by how much each case moves the average precision of the one rule of a block; their sum is 0.

        With P_i the precision and N_i the number of cases at or above the score of positive i, AP = mean P_i and

            U_k = [y_k (P_k − AP) + Σ_{i positive, s_i ≤ s_k} (y_k − P_i)/N_i] / n1

        which is n⁻¹ times the derivative of AP with respect to the mass of case k (ours; docs/metrics.md).
        """
        return np.asarray(
            np.mean([step_influence(rectangles, scores[0], positive) for scores, positive in self.parts(block)], axis=0)
        )


@dataclass(frozen=True, eq=False)
class PartialAUC(AgainstRest, SetMetric):
    """Area under a part of the ROC curve, by trapezoids: ∫ TPF over a range of FPF, from 0 to the length of the range.

    Parameters
    ----------
    fpf : tuple of float, default (0, 0.2)
        The range of FPF (1 − specificity).

    Examples
    --------
    >>> PartialAUC(fpf=(0, 0.1)).bounds
    (0.0, 0.1)
    """

    fpf: tuple[float, float] = (0.0, 0.2)
    name = "partial_auc"

    def __post_init__(self) -> None:
        if len(self.fpf) != 2 or not all(map(is_number, self.fpf)) or not 0 <= self.fpf[0] < self.fpf[1] <= 1:
            raise InputError("fpf must be two increasing numbers from 0 to 1", param="fpf", got=self.fpf)
        super().__post_init__()

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, self.fpf[1] - self.fpf[0])

    def rows(self, block: Block, weights: Floats) -> Floats:
        def area(scores: Floats, positive: Bools, w: Floats) -> float:
            return float(partial_area(*curve_rows(scores, positive, w[None]), *self.fpf)[0])

        return self.by_row(block, weights, area)


def _average(scores: Floats, positive: Bools, weights: Floats) -> float:
    _, which = np.unique(-scores, return_inverse=True)
    of = weights * positive
    hits, n = (np.bincount(which, w).cumsum()[which] for w in (of, weights))  # with at least the score of each case
    precision = hits / np.where(n > 0, n, 1.0)
    return float((of * precision)[scores > -np.inf].sum() / of.sum()) if of.any() else np.nan
