"""What a metric declares, and the two kinds: a loss of one case, and a measure of a set."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.result.digits import counted
from karat.result.interval_rules import WALD, WILSON, IntervalRule

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample


@dataclass(frozen=True, eq=False)
class Metric(ABC):
    """A measure of how good a rule is.

    Attributes
    ----------
    name
        Its name in tables and on the command line.
    arity
        1: a mean over cases; 2: a mean over pairs; 0: of the whole set.
    higher_is_better
        Direction; None where nobody has said (a function of the user's own).
    bounds
        Range; no interval leaves it.
    interval
        The interval that holds best for it.
    needs
        "predictions", "scores" or "probabilities".
    """

    name: ClassVar[str]
    arity: ClassVar[int] = 0
    higher_is_better: ClassVar[bool | None] = True
    interval: ClassVar[IntervalRule] = WALD
    needs: ClassVar[str] = "scores"

    @property
    def bounds(self) -> tuple[float, float]:
        return (-math.inf, math.inf)

    def bind(self, sample: Sample) -> Metric:
        """The metric for these classes (which is positive, how many there are)."""
        return self

    def speaking(self, sample: Sample) -> list[list[int]]:
        """Sets of classes whose cases speak for it: all together for a plain mean, each for itself otherwise."""
        return [list(range(sample.n_classes))]

    @abstractmethod
    def rows(self, block: Block, weights: np.ndarray) -> np.ndarray:
        """(b,) the metric of each rule over its weighted cases; NaN where it is undefined."""


class SetMetric(Metric):
    """A metric of a whole set of scores, without a per-case or per-pair form."""


@dataclass(frozen=True, eq=False)
class CaseLoss(Metric):
    """A loss of one case; the metric is its mean, plain or weighted by given class probabilities.

    `priors` (C,) are the weights P_c of Σ_c P_c · mean loss of class c  (seeds/000, eq. 1c); None is
    the plain mean over cases (eq. 4c).
    """

    priors: np.ndarray | None = None
    arity: ClassVar[int] = 1
    higher_is_better: ClassVar[bool | None] = False
    interval: ClassVar[IntervalRule] = WILSON

    @abstractmethod
    def losses(self, block: Block) -> np.ndarray:
        """(b, m) loss of each case under each rule; NaN where a rule said nothing."""

    @abstractmethod
    def mean_if(self, block: Block, code: int) -> float:
        """What the mean loss would be if every case were of this class."""

    def left_out_losses(self, block: Block) -> np.ndarray:
        """The losses (b, m), known wherever a case was left out."""
        return known(self.losses(block), block.left_out, self.name)

    def speaking(self, sample: Sample) -> list[list[int]]:
        return super().speaking(sample) if self.priors is None else [[c] for c in np.flatnonzero(self.priors).tolist()]

    def case_weights(self, sample: Sample) -> np.ndarray:
        """(n,) w_i with mean(w L) = the metric: 1, or P_c n / n_c."""
        if self.priors is None:
            return np.ones(sample.n)
        return (self.priors * sample.n / sample.sizes)[sample.codes]

    def rows(self, block: Block, weights: np.ndarray) -> np.ndarray:
        used = weights > 0
        losses = known(self.losses(block), used, self.name)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.priors is None:
                return (weights * losses).sum(axis=1) / weights.sum(axis=1)
            total = np.zeros(len(losses))
            for code in np.flatnonzero(self.priors):
                of = block.codes == code
                total += self.priors[code] * (weights * losses)[:, of].sum(axis=1) / weights[:, of].sum(axis=1)
            return total

    def no_information(self, sample: Sample, full: Block) -> float:
        """γ: the loss if labels and rule were independent, 1/n² Σ_i Σ_j L(y_i, rule(x_j))  (seeds/000, eq. 39)."""
        shares = sample.sizes / sample.n if self.priors is None else self.priors
        return float(sum(p * self.mean_if(full, c) for c, p in enumerate(shares) if p))

    def with_priors(self, priors: Any, sample: Sample) -> CaseLoss:
        shares = np.asarray(priors, dtype=float)
        if shares.shape != (sample.n_classes,) or (shares < 0).any() or not np.isclose(shares.sum(), 1):
            raise InputError(
                "priors must be one probability a class, with sum 1",
                got=priors,
                fix=f"Classes: {sample.classes.tolist()}",
            )
        if (shares[sample.sizes == 0] > 0).any():
            raise InputError("a class without cases has a prior", got=f"{priors} for {sample.sizes.tolist()} cases")
        return replace(self, priors=shares)


def in_order(priors: Any, sample: Sample) -> Any:
    """Priors given as negative, positive, in the order of the classes; several classes are in it already."""
    return priors[::-1] if sample.n_classes == 2 and sample.require_positive() == 0 else priors


def known(values: np.ndarray, used: np.ndarray, name: str) -> np.ndarray:
    """`values` with 0 where they are not used; an error where one is used and not known."""
    missing = np.isnan(values)
    if missing.any():
        refuse_missing(missing & used, name)
        values = np.where(missing, 0.0, values)
    return values


def refuse_missing(needed: np.ndarray, name: str) -> None:
    """An error where an answer is needed and missing."""
    if needed.any():
        raise InputError(
            f"{name} needs the answer of a rule that is not there (NaN, or never predicted)",
            got=counted(int(needed.sum()), "such case"),
            fix="In-bag cases are not needed by loob, star, 632, 632+ and lpob; other methods need every score",
        )
