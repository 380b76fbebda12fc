"""Simple bootstrap: every replicate tested on all cases."""

from __future__ import annotations

from karat.estimators.registry import MEAN, Undefined, estimator
from karat.estimators.replicates import mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits

NO_SE = Note("no-se-known", "No standard error is known for the simple bootstrap.", method="sb")


@estimator("sb", kinds={"bootstrap"}, se=("none", "quantile"), estimand=MEAN)
def sb(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over replicates of the metric on all cases, trained on or not (Yousef, ML Assessment, eqs. 30 and 53)."""
    values = replicate_values(fits, metric, "all")
    out = mean_of_replicates(values)
    return with_quantiles(out, values) if se == "quantile" else out.noting(NO_SE)
