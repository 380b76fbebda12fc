"""AUC: the probability that a positive case scores higher than a negative one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from trueness.errors import InputError
from trueness.kernels.auc import weighted_auc_rows
from trueness.metrics.metric import Metric, require_used
from trueness.result.interval import LOGIT, IntervalRule
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
    called_in_errors: ClassVar[str]
    interval: ClassVar[IntervalRule] = LOGIT

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, 1.0)

    def bind(self, sample: Sample) -> Self:
        """The positive class of two is the target; of several all that have cases."""
        if sample.n_classes == 2:
            return replace(self, targets=(sample.require_positive(),))
        return replace(self, targets=tuple(np.flatnonzero(sample.sizes).tolist()))

    def parts(self, block: Block) -> Iterator[tuple[Floats, Bools]]:
        """For each target class: scores (b, m), and which cases are positive (m,)."""
        if block.scores is None:
            raise InputError(
                f"The {self.called_in_errors} needs scores, and this model predicts labels only",
                param="metric",
                fix="Use a model with decision_function or predict_proba, or another metric",
            )
        for target in self.targets:
            scores = block.scores if block.scores.ndim == 2 else block.scores[:, :, target]
            yield scores, np.asarray(block.codes == target)


class AUC(AgainstRest):
    """Area under the ROC curve, ties counting ½ (Yousef, ML Assessment, eq. 6).

    For several classes, the unweighted mean of one class against the rest.
    """

    name: ClassVar[str] = "auc"
    title: ClassVar[str] = "area under the ROC curve"
    aliases: ClassVar[str] = "roc_auc, roc_auc_ovr, AUROC, c-statistic, concordance"
    words: ClassVar[Mapping[str, tuple[str, str]]] = {
        "roc_auc": ("ROC AUC", "roc auc"),
        "roc_auc_ovr": ("ROC AUC (one class against the rest)", "roc auc ovr"),
    }
    called_in_errors: ClassVar[str] = "AUC"
    arity: ClassVar[int] = 2

    def class_sets(self, sample: Sample) -> list[list[int]]:
        return [[c] for c in range(sample.n_classes) if sample.sizes[c]]

    def rows(self, block: Block, weights: Floats) -> Floats:
        each = [
            weighted_auc_rows(require_used(scores, weights > 0, self.name), positive, weights)
            for scores, positive in self.parts(block)
        ]
        return np.asarray(np.mean(each, axis=0))
