"""The estimators, and which serve a kind of design and a metric."""

from collections.abc import Container
from functools import cache

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.estimators.cv import cv, cv_loss, cv_pairs, cv_pooled, cv_pooled_loss
from trueness.estimators.cv_training import cv_training
from trueness.estimators.halves import conservative_z, half_samples
from trueness.estimators.holdout import (
    holdout_auc,
    holdout_average_precision,
    holdout_benefit,
    holdout_loss,
    holdout_set,
    holdout_table,
)
from trueness.estimators.linearized import LINEARIZED, holdout_functional, holdout_moments
from trueness.estimators.loob import loob, lpob
from trueness.estimators.method import WITHIN, Estimator
from trueness.estimators.nested_cv import nested_cv
from trueness.estimators.replicates import apparent, point632, point632plus, rb, sb, star
from trueness.estimators.set_metrics import conservative_z_set, cv_set, cv_training_set, half_samples_set
from trueness.metrics.measure import MeasureOfMeans
from trueness.metrics.metric import CaseLoss, Metric
from trueness.sample.design import Kind

ESTIMATORS: list[Estimator] = [
    apparent,
    *(holdout_loss, holdout_benefit, holdout_table, holdout_auc, holdout_average_precision, holdout_set),
    *(holdout_moments, holdout_functional),
    *(cv_loss, cv, cv_set, cv_pooled_loss, cv_pooled, cv_pairs),
    *(cv_training, cv_training_set),
    *(half_samples, half_samples_set, conservative_z, conservative_z_set),
    nested_cv,
    *(loob, lpob),
    *(sb, rb, star, point632, point632plus),
    *LINEARIZED,
]


def available(kind: Kind, metric: Metric) -> list[Estimator]:
    """Estimators for a kind of design and a metric, in the order of tables; of two with one name the special form."""
    return [*_serving(kind, type(metric), len(ESTIMATORS))]


@cache
def _serving(kind: Kind, metric: type[Metric], n: int) -> tuple[Estimator, ...]:
    serving: dict[str, Estimator] = {}
    for of in metric.__mro__:  # the nearest class that a method is declared for
        for e in ESTIMATORS:
            if of in e.metrics and not e.method.kinds.isdisjoint(WITHIN.get(kind, (kind,))):
                serving.setdefault(e.name, e)
    return tuple(sorted(serving.values(), key=lambda e: e.method.order))


def recommend(kind: Kind, metric: Metric, defined: Container[str] | None = None, some: bool = False) -> str:
    """Which number to report of a metric: that of the first recommended method that serves it, and where the estimates
    are known already, of the first that is `defined`. Of `some` of the cases, of which folds hold few and not equally
    many, a mean over cases is pooled, so that every case counts alike."""
    usable = {e.name for e in available(kind, metric)} if defined is None else defined
    for name in recommended(kind):
        if name in usable:
            return "cv_pooled" if some and name == "cv" and isinstance(metric, (CaseLoss, MeasureOfMeans)) else name
    fix = "Use plan=Bootstrap(1000) or plan=KFold(10, repeats=10), or metric='error'"
    raise InputError(f"A {kind} design has no estimate to report of {metric.name}", param="plan", fix=fix)


@cache
def recommended(kind: Kind) -> tuple[str, ...]:
    """The methods to report for a kind of design, the best first: with a standard error, in the order of tables."""
    known = [e for e in ESTIMATORS if kind in e.method.recommended]
    return tuple(dict.fromkeys(e.name for e in sorted(known, key=lambda e: (e.se[0] == "none", e.method.order))))


def find(method: str, kind: Kind, metric: Metric) -> Estimator:
    """The estimator of this name for this kind of design and this metric; an error lists those that are available."""
    usable = {e.name: e for e in available(kind, metric)}
    if is_one_of(method, usable):
        return usable[method]
    raise InputError(
        f"There is no method {method!r} of {metric.name!r} for these fits",
        param="method",
        got=f"a {kind} design",
        fix=f"Available: {', '.join(usable)}",
    )
