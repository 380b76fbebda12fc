"""Star: every replicate tested on the cases it left out."""

from __future__ import annotations

from karat.estimators.registry import MEAN, Undefined, estimator
from karat.estimators.replicates import mean_of_replicates, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits

NO_SE = Note(
    "no-se-not-smooth",
    "No standard error: star is not a smooth function of the cases; loob and lpob estimate the same with one.",
    method="star",
)


@estimator("star", kinds={"bootstrap"}, se=("none", "quantile"), estimand=MEAN)
def star(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over replicates of the metric on the left-out cases (Yousef, ML Assessment, eqs. 51b and 54b).

    A replicate that leaves out nothing (or nothing of a class) is dropped; the divisor is the number kept.
    """
    values = replicate_values(fits, metric, "left out")
    out = mean_of_replicates(values)
    return with_quantiles(out, values) if se == "quantile" else out.noting(NO_SE)
