"""Values of a metric in every replicate: what star, sb and rb are means of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from karat.errors import UndefinedError
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.interval_rules import RULES
from karat.sample.block import Block
from karat.sample.fits import Fits

Weights = Callable[[Block], np.ndarray]


def left_out(block: Block) -> np.ndarray:
    return block.left_out.astype(float)


def everyone(block: Block) -> np.ndarray:
    return block.ones


def as_drawn(block: Block) -> np.ndarray:
    return block.counts.astype(float)


def replicate_values(fits: Fits, metric: Metric, weights: Weights) -> np.ndarray:
    """(B,) of the fits that worked; NaN where the metric is undefined."""
    return np.concatenate([metric.rows(block, weights(block)) for block in fits.blocks()])


def mean_of_replicates(values: np.ndarray, what: str) -> Estimate:
    """Mean over replicates; those that cannot be evaluated (nothing left out) are dropped and counted."""
    kept = ~np.isnan(values)
    if not kept.any():
        raise UndefinedError(f"no replicate can be evaluated: {what}", got=counted(len(values), "replicate"))
    b = int(kept.sum())
    centred = np.where(kept, values - values[kept].mean(), 0.0)
    out = Estimate(float(values[kept].mean()), fold_sd=float(values[kept].std(ddof=1)) if b > 1 else None)
    if b > 1:
        mc = centred / np.sqrt(b * (b - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))  # SD / √B
    if b < len(values):
        lost = len(values) - b
        out = out.noting(f"{counted(lost, 'replicate')} left {what} and {'is' if lost == 1 else 'are'} dropped.")
    return out


QUANTILE_NOTE = (
    "The interval is of the values per replicate: it shows their spread, it is no confidence interval and has no "
    "coverage to speak of."
)


def with_quantiles(result: Estimate, values: np.ndarray) -> Estimate:
    """The interval that the slides suggest (seeds/003), with its caveat."""
    return result.with_(replicates=values[~np.isnan(values)], interval=RULES["quantile"]).noting(QUANTILE_NOTE)
