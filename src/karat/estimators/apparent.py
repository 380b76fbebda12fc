"""Apparent: the rule tested on the cases it was trained on."""

from __future__ import annotations

from karat.estimators.registry import RULE, Undefined, estimator
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits

NO_SE = Note(
    "no-se-apparent", "No standard error: the apparent value is optimistic, and an error bar would not show the bias."
)


@estimator(
    "apparent", kinds={"bootstrap", "cv", "nested", "holdout", "cv+bootstrap", "paired", "cv+halves"}, estimand=RULE
)
def apparent(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """The rule trained on all cases, tested on the same cases (Yousef, ML Assessment, eq. 27): optimistic."""
    return Estimate(apparent_value(fits, metric)).noting(NO_SE)


def apparent_value(fits: Fits, metric: Metric) -> float:
    """The metric of the rule trained on all cases, on all cases."""

    def compute() -> float:
        full = fits.full()
        return float(metric.rows(full, full.ones)[0])

    return fits.cached(("apparent", metric.key), compute)
