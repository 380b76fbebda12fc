"""One operating point of given scores: the table of its decisions, and the threshold itself."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import stats

from trueness.checks import check_level
from trueness.curves.common import Axis
from trueness.formulas.groups import DesignEffect
from trueness.result.columns import Column, Columns
from trueness.result.interval import Interval
from trueness.result.notes import Note
from trueness.result.shown import Result
from trueness.sample.scored import Scored
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.study_designs import Cohort
from trueness.typing import Bools, Floats, Record


def table_of(data: Scored, called: Bools, level: float = 0.95) -> Diagnosis:
    """The table of these decisions, as `trueness.diagnose` has it."""
    cells = 2 * data.positive.astype(np.intp) + called
    table = Cohort(np.bincount(cells, minlength=4).reshape(2, 2))
    return Diagnosis(table, classes=data.classes, cells=cells, level=level, groups=data.groups)


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdAt(Result):
    """A threshold for a wanted FPF or TPF: a quantile of the scores of one class, with a distribution-free interval.

    Attributes
    ----------
    value : float
        The threshold; NaN, with a note, where every case would have to be labelled negative and +inf is among the
        scores.
    rate : {"fpf", "tpf"}
    wanted : float
    scores : ndarray
        Of the class, high to low.
    effect : DesignEffect, optional
        Of the wanted rate at this threshold, where cases come in groups.
    """

    value: float
    rate: Axis
    wanted: float
    scores: Floats
    notes: tuple[Note, ...] = ()
    effect: DesignEffect | None = None
    level: float = 0.95

    columns: ClassVar[Columns] = {
        "rate": Column("rate", "title"),
        "wanted": Column("wanted", "g"),
        "threshold": Column("threshold", ".6g"),
        "low": Column("low, {percent}", ".6g"),
        "high": Column("high, {percent}", ".6g"),
    }

    def ci(self, level: float = 0.95) -> Interval:
        """Order statistics that contain the population's threshold with at least this probability.

        The number of cases at or above the true threshold is binomial, so the l-th and u-th largest scores contain it
        where P[Bin < l] and P[Bin ≥ u] are at most (1 − level)/2 each. Where too few cases lie beyond it the limit is
        infinite. With groups the binomial has the effective number of cases, and ranks are stretched to n.
        """
        check_level(level)
        n, tail = len(self.scores), (1 - level) / 2
        trials = n if self.effect is None else max(1, int(n / self.effect.divisor(level)))
        law = stats.binom(trials, self.wanted)
        lower_rank = int(law.ppf(tail) * n / trials)  # P[Bin < rank] ≤ tail
        upper_rank = math.ceil((law.isf(tail) + 1) * n / trials)  # P[Bin ≥ rank] ≤ tail
        ranked = np.concatenate([[math.inf], self.scores, [-math.inf]])
        low, high = float(ranked[min(upper_rank, n + 1)]), float(ranked[max(lower_rank, 0)])
        return Interval(low, high, level=level, method="order statistics")

    def rows(self) -> list[Record]:
        low, high = self.ci(self.level)
        return [{"rate": self.rate, "wanted": self.wanted, "threshold": self.value, "low": low, "high": high}]
