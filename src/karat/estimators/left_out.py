"""The left-out part of .632 and .632+: LOOB for a loss of cases, star for everything else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.estimators.apparent import apparent_value
from karat.estimators.influence.case_influence import CaseMeans, losses_of, never_left_out
from karat.estimators.replicates import left_out, mean_of_replicates, replicate_values
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.sample.fits import Fits


@dataclass(frozen=True)
class LeftOut:
    """Err1 (or AUC*), the apparent value, and Err1 without each replicate in turn, for the jackknife."""

    fits: Fits
    metric: Metric
    value: float
    apparent: float
    without: np.ndarray  # (B,)
    notes: tuple[str, ...]

    @property
    def replicates(self) -> np.ndarray:
        """(B,) values per replicate."""
        return replicate_values(self.fits, self.metric, left_out)

    @classmethod
    def of(cls, fits: Fits, metric: Metric, undefined: str) -> LeftOut:
        notes: tuple[str, ...] = ()
        if isinstance(metric, CaseLoss):  # seeds/000, eq. 37 uses LOOB
            means = CaseMeans.over(fits.design, losses_of(fits, metric), metric, undefined)
            value, without = means.value, means.value - means.leave_replicate_out()
            notes = (never_left_out(means.skipped),) if means.skipped else ()
        else:  # eq. 56 uses star
            per_replicate = replicate_values(fits, metric, left_out)
            star = mean_of_replicates(per_replicate, "no case, or a class without one,")
            kept = per_replicate[~np.isnan(per_replicate)]
            value, notes = star.value, star.notes
            without = (kept.sum() - kept) / max(len(kept) - 1, 1)
        return cls(fits, metric, value, apparent_value(fits, metric), without, notes)


def jackknifed(value: float, without: np.ndarray, notes: tuple[str, ...]) -> Estimate:
    """The value with its Monte-Carlo error by the jackknife over replicates: √((B − 1)/B Σ (θ_(b) − mean)²)."""
    b = len(without)
    if b < 2:
        return Estimate(value, notes=notes)
    mc = (without.mean() - without) * math.sqrt((b - 1) / b)
    return Estimate(value, mc_se=float(np.linalg.norm(mc)), mc_influence=mc, notes=notes)
