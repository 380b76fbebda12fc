"""Simple bootstrap: every replicate judged on all cases."""

from __future__ import annotations

from karat.estimators.registry import MEAN, estimator
from karat.estimators.replicates import everyone, mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.sample.fits import Fits


@estimator("sb", kinds={"bootstrap"}, se=("none", "quantile"), estimand=MEAN)
def sb(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """Mean over replicates of the metric on all cases, seen or not  (seeds/000, eq. 30 and 53)."""
    values = replicate_values(fits, metric, everyone)
    out = mean_of_replicates(values, "a metric undefined")
    if se == "quantile":
        return with_quantiles(out, values)
    return out.noting("No standard error: none is known for the simple bootstrap.")
