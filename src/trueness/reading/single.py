"""One reader in one modality, and two readings compared: about these readers, on cases like these."""

import math
from collections.abc import Sequence

import numpy as np

from trueness.metrics.auc import AUC
from trueness.reading.merits import Merits
from trueness.result import Estimate
from trueness.result.paired import without_zero_se
from trueness.sample.auc_estimate import auc_of_scores
from trueness.sample.measured import Aucs
from trueness.sample.scored import Scored
from trueness.typing import Bools, Floats, Ints


def cases_of(merits: Merits, of: Ints | Sequence[int]) -> list[int]:
    """Cases of each class that these readings have, of classes that count."""
    read, up = merits.readings.read[of].any(axis=0) & merits.counted, merits.readings.up
    return [n for n in (int((read & up).sum()), int((read & ~up).sum())) if n]


def reading_estimate(merits: Merits, k: int) -> Estimate:
    """The figure of merit of one reader in one modality, about this reader; an AUC as `trueness.roc` has it."""
    readings, mine = merits.readings, merits.readings.read[k]
    if isinstance(merits.metric, AUC):
        out = auc_of_scores(Scored(readings.values[k, mine], readings.up[mine]))
        return out.with_(metric=merits.name, estimand="this reader")
    out = Estimate(
        float(merits.values[k]),
        se=math.sqrt(max(float(merits.covariance[k, k]), 0.0)),
        metric=merits.name,
        se_method=merits.se_method,
        bounds=merits.metric.bounds,
        interval=merits.metric.interval,
        cases=min(cases_of(merits, [k])),
        estimand="this reader",
    )
    return out


def reading_difference(merits: Merits, k: int, l: int) -> Estimate:
    """first − second of two readings, about these; of AUCs on the same cases DeLong's, as `trueness.roc` has it."""
    readings = merits.readings
    mine: Bools = readings.read[k]
    if isinstance(merits.metric, AUC) and np.array_equal(mine, readings.read[l]):
        up = readings.up[mine]
        both: list[list[tuple[Floats, Bools]]] = [[(readings.values[a, mine], up)] for a in (k, l)]
        return Aucs.over(both, up.astype(np.intp)).difference()
    c, (low, high) = merits.covariance, merits.metric.bounds
    out = Estimate(
        float(merits.values[k] - merits.values[l]),
        se=math.sqrt(max(float(c[k, k] + c[l, l] - 2 * c[k, l]), 0.0)),
        metric=f"{merits.name} difference",
        se_method=merits.se_method,
        bounds=(low - high, high - low),
        estimand="these two rules",
    )
    return without_zero_se(out, np.array_equal(readings.values[k], readings.values[l], equal_nan=True))
