"""Star: every replicate judged on the cases it left out."""

from __future__ import annotations

from karat.estimators.registry import MEAN, estimator
from karat.estimators.replicates import left_out, mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.sample.fits import Fits


@estimator("star", kinds={"bootstrap"}, se=("none", "quantile"), estimand=MEAN)
def star(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """Mean over replicates of the metric on the left-out cases  (seeds/000, eq. 51b and 54b).

    A replicate that leaves nothing out (or nothing of a class) is dropped; the divisor is the number kept.
    """
    values = replicate_values(fits, metric, left_out)
    out = mean_of_replicates(values, "no case, or a class without one,")
    if se == "quantile":
        return with_quantiles(out, values)
    return out.noting(
        "No standard error: star is not a smooth function of the cases; loob and lpob estimate the same with one."
    )
