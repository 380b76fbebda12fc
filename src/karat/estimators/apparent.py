"""Apparent: the rule judged on the cases it was trained on."""

from __future__ import annotations

from karat.estimators.registry import RULE, estimator
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.sample.fits import Fits


@estimator("apparent", kinds={"bootstrap", "cv", "nested", "holdout"}, estimand=RULE)
def apparent(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """The rule trained on all cases, tested on the same cases  (seeds/000, eq. 27): far too good."""
    return Estimate(apparent_value(fits, metric)).noting(
        "No standard error: the apparent value is biased, and an error bar would hide that."
    )


def apparent_value(fits: Fits, metric: Metric) -> float:
    full = fits.full()
    return float(metric.rows(full, full.ones)[0])
