"""Refined bootstrap: the apparent value, corrected by the optimism of the replicates."""

from __future__ import annotations

from karat.estimators.apparent import apparent_value
from karat.estimators.registry import RULE, Undefined, estimator
from karat.estimators.replicates import mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits

NO_SE = Note("no-se-known", "No standard error is known for the refined bootstrap.", method="rb")


@estimator("rb", kinds={"bootstrap"}, se=("none", "quantile"), estimand=RULE)
def rb(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """apparent + mean over replicates of (metric on all cases − metric on the replicate's own training set).

    Yousef, ML Assessment, eqs. 34 and 55.
    """
    optimism = replicate_values(fits, metric, "as drawn")
    values = apparent_value(fits, metric) + replicate_values(fits, metric, "all") - optimism
    out = mean_of_replicates(values)
    return with_quantiles(out, values) if se == "quantile" else out.noting(NO_SE)
