"""Values of a metric per replicate (what star, sb and rb are means of), and the left-out part of .632 and .632+."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from karat.errors import Setting, UndefinedError
from karat.estimators.apparent import apparent_value
from karat.estimators.loob import case_means, skipped_cases
from karat.estimators.registry import Undefined
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.interval import QUANTILES, RULES
from karat.result.note import Note
from karat.sample.block import Block
from karat.sample.fits import Fits
from karat.typing import Floats

Cases = Literal["left out", "all", "as drawn"]
"""Which cases a replicate is tested on: those it left out, all once, or its own training set."""


def replicate_values(fits: Fits, metric: Metric, cases: Cases) -> Floats:
    """(B,) the metric of each fit that did not fail; NaN where it is undefined."""
    return fits.cached(
        ("replicates", metric.key, cases),
        lambda: np.concatenate([metric.rows(block, _weights(block, cases)) for block in fits.blocks()]),
    )


def _weights(block: Block, cases: Cases) -> Floats:
    if cases == "all":
        return block.ones
    return block.left_out.astype(float) if cases == "left out" else block.counts.astype(float)


def mean_of_replicates(values: Floats) -> Estimate:
    """Mean over replicates; those without a value are dropped, with a note.

    A replicate has no value where it has no test case, or none of a class that the metric needs.
    """
    kept = ~np.isnan(values)
    if not kept.any():
        raise UndefinedError(
            "No replicate has test cases of every class that the metric needs",
            param="plan",
            got=counted(len(values), "replicate"),
        )
    b = int(kept.sum())
    mean = float(values[kept].mean())
    out = Estimate(mean, fold_sd=float(values[kept].std(ddof=1)) if b > 1 else None)
    if b > 1:
        mc = np.where(kept, values - mean, 0.0) / np.sqrt(b * (b - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))  # SD / √B
    dropped = len(values) - b
    if dropped:
        are = "is" if dropped == 1 else "are"
        message = f"{counted(dropped, 'replicate')} with no test case, or none of a class, {are} dropped."
        out = out.noting(Note("replicates-dropped", message, dropped=dropped, of=len(values)))
    return out


def with_quantiles(result: Estimate, values: Floats) -> Estimate:
    """With the interval of quantiles of the values per replicate."""
    return result.with_(replicates=values[~np.isnan(values)], interval=RULES["quantile"]).noting(QUANTILES)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Err1 (or AUC*), the apparent value, and Err1 without each replicate in turn, for the jackknife."""

    value: float
    apparent: float
    without: Floats  # (B,)
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, fits: Fits, metric: Metric, undefined: Undefined) -> LeftOut:
        """By LOOB for a loss of cases (Yousef, ML Assessment, eq. 37), by star otherwise (eq. 56).

        The weights of its two parts are the shares of cases in and out of a replicate of ordered draws.
        """
        if not getattr(fits.design.plan, "ordered", True):
            raise UndefinedError(
                "The weights .632 and .368 belong to ordered draws; a multiset holds about half of the cases",
                param="ordered",
                fix=("Use ", Setting("ordered", True)),
            )
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
