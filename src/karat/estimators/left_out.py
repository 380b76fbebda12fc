"""The left-out part of .632 and .632+: LOOB for a loss of cases, star for everything else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.estimators.apparent import apparent_value
from karat.estimators.loob import case_means, skipped_cases
from karat.estimators.registry import Undefined
from karat.estimators.replicates import mean_of_replicates, replicate_values
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits
from karat.typing import Floats


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Err1 (or AUC*), the apparent value, and Err1 without each replicate in turn, for the jackknife."""

    value: float
    apparent: float
    without: Floats  # (B,)
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, fits: Fits, metric: Metric, undefined: Undefined) -> LeftOut:
        """By LOOB for a loss of cases (Yousef, ML Assessment, eq. 37), by star otherwise (eq. 56)."""
        return fits.cached(("left out", metric.key, undefined), lambda: cls._of(fits, metric, undefined))

    @classmethod
    def _of(cls, fits: Fits, metric: Metric, undefined: Undefined) -> LeftOut:
        apparent = apparent_value(fits, metric)
        if isinstance(metric, CaseLoss):
            means = case_means(fits, metric, undefined)
            skipped = skipped_cases(means.skipped)
            without = means.value - means.leave_replicate_out()
            return cls(means.value, apparent, without, () if skipped is None else (skipped,))
        values = replicate_values(fits, metric, "left out")
        star = mean_of_replicates(values)
        kept = values[~np.isnan(values)]
        return cls(star.value, apparent, (kept.sum() - kept) / max(len(kept) - 1, 1), star.notes)


def jackknifed(value: float, without: Floats, notes: tuple[Note, ...]) -> Estimate:
    """The value with its Monte-Carlo error by the jackknife over replicates: √((B − 1)/B Σ (θ_(b) − mean)²)."""
    b = len(without)
    if b < 2:
        return Estimate(value, notes=notes)
    mc = (without.mean() - without) * math.sqrt((b - 1) / b)
    return Estimate(value, mc_se=float(np.linalg.norm(mc)), mc_influence=mc, notes=notes)
