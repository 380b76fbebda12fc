"""The .632 estimator."""

from __future__ import annotations

from typing import Any

from karat.estimators.left_out import LeftOut, jackknifed
from karat.estimators.registry import RULE, estimator
from karat.estimators.replicates import with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.sample.fits import Fits

NO_SE = "No standard error: the weighted mean with the apparent value is not smooth in the cases."


def weighted(apparent: float, left_out: Any) -> Any:
    """.368 apparent + .632 left-out  (seeds/000, eq. 37 and 56)."""
    return 0.368 * apparent + 0.632 * left_out


@estimator("632", kinds={"bootstrap"}, se=("none", "quantile"), estimand=RULE)
def point632(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """.632: between the apparent value, too good, and the left-out one, too bad."""
    parts = LeftOut.of(fits, metric, undefined)
    out = jackknifed(weighted(parts.apparent, parts.value), 0.632 * parts.without, parts.notes)
    if se == "quantile":
        return with_quantiles(out, weighted(parts.apparent, parts.replicates))
    return out.noting(NO_SE)
