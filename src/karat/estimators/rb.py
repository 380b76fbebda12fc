"""Refined bootstrap: the apparent value, corrected by the optimism of the replicates."""

from __future__ import annotations

from karat.estimators.apparent import apparent_value
from karat.estimators.registry import RULE, estimator
from karat.estimators.replicates import as_drawn, everyone, mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.sample.fits import Fits


@estimator("rb", kinds={"bootstrap"}, se=("none", "quantile"), estimand=RULE)
def rb(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """apparent + mean over replicates of (metric on all cases − metric on its own)  (seeds/000, eq. 34 and 55)."""
    app = apparent_value(fits, metric)
    values = app + replicate_values(fits, metric, everyone) - replicate_values(fits, metric, as_drawn)
    out = mean_of_replicates(values, "a metric undefined")
    if se == "quantile":
        return with_quantiles(out, values)
    return out.noting("No standard error: none is known for the refined bootstrap.")
