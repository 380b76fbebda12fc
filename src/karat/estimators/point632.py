"""The .632 estimator."""

from __future__ import annotations

from typing import TypeVar

from karat.estimators.registry import RULE, Undefined, estimator
from karat.estimators.replicates import LeftOut, jackknifed, replicate_values, with_quantiles
from karat.metrics.metric import Metric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits
from karat.typing import Floats

NO_SE = Note(
    "no-se-not-smooth", "No standard error: the weighted mean with the apparent value is not smooth in the cases."
)

Number = TypeVar("Number", float, Floats)


def weighted(apparent: float, left_out: Number) -> Number:
    """.368 apparent + .632 left-out (Efron 1983; Yousef, ML Assessment, eqs. 37 and 56)."""
    return 0.368 * apparent + 0.632 * left_out


@estimator("632", kinds={"bootstrap"}, se=("none", "quantile"), estimand=RULE)
def point632(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """.632: between the apparent value, which is optimistic, and the left-out one, which is pessimistic."""
    parts = LeftOut.of(fits, metric, undefined)
    out = jackknifed(weighted(parts.apparent, parts.value), 0.632 * parts.without, parts.notes)
    if se == "quantile":
        return with_quantiles(out, weighted(parts.apparent, replicate_values(fits, metric, "left out")))
    return out.noting(NO_SE)
