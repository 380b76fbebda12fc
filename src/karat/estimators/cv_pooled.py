"""cv_pooled: the held-out answers of all folds, put together."""

from __future__ import annotations

import numpy as np

from karat.errors import InputError, UndefinedError
from karat.estimators.cv import (
    CASE_SE,
    NO_SE,
    difference_of_folds,
    fold_values,
    mean_of_folds,
    nadeau_bengio,
    several_splits,
    with_case_se,
)
from karat.estimators.influence.case_influence import CaseMeans, losses_of
from karat.estimators.registry import MEAN, estimator
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.result.digits import counted
from karat.sample.fits import Fits


def mean_of_cases(fits: Fits, loss: CaseLoss, undefined: str) -> float:
    """Mean over cases of their mean held-out loss."""
    pooled = fits.pooled()
    if pooled is not None:
        losses = loss.losses(pooled).mean(axis=0)
        if np.isnan(losses).any():
            raise UndefinedError(f"{counted(int(np.isnan(losses).sum()), 'case has', 'cases have')} no held-out answer")
        return float((loss.case_weights(fits.sample) * losses).mean())
    return CaseMeans.over(fits.design, losses_of(fits, loss), loss, undefined).value


def pooled_values(fits: Fits, metric: Metric) -> np.ndarray:
    """(R,) the metric of all held-out answers of each repeat."""
    pooled = fits.pooled()
    if pooled is None:
        raise UndefinedError(
            f"cv_pooled of the {metric.name} needs every case to be tested once a repeat",
            got=f"{len(fits.failed)} failed fits" if fits.failed else "splits that are no partitions",
            fix='Use the method "cv", a KFold plan, or, for arrays, repeat=',
        )
    return metric.rows(pooled, pooled.ones)


def pooled_loss_difference(a: Fits, b: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    values = fold_values(a, loss, undefined) - fold_values(b, loss, undefined)
    value = mean_of_cases(a, loss, undefined) - mean_of_cases(b, loss, undefined)
    return difference_of_folds(a, b, loss, values, value, se)


@estimator("cv_pooled", kinds={"cv"}, metrics=CaseLoss, se=CASE_SE, estimand=MEAN, pairs=pooled_loss_difference)
def cv_pooled_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Mean over cases of the held-out loss; equal to cv where folds have equal sizes  (seeds/000, eq. 28)."""
    # a fold may lack a class here: the pooled mean does not need it
    value = mean_of_cases(fits, loss, undefined)
    values = fold_values(fits, loss, "skip" if loss.priors is not None else undefined)
    out = mean_of_folds(values, fits.design.repeats(), value)
    return with_case_se(out, fits, loss, values, se)


@estimator("cv_pooled", kinds={"cv"}, se=("nadeau-bengio",), estimand=MEAN)
def cv_pooled(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """The metric of all held-out scores of a repeat, averaged over repeats. It mixes scores of different rules."""
    values = pooled_values(fits, metric)
    out = mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None)
    if metric.arity == 2:
        out = out.noting("Scores of different rules are pooled: where folds differ in level the AUC is biased down.")
    if se == "nadeau-bengio":
        if not several_splits(fits):
            raise InputError("Nadeau and Bengio's standard error needs repeats", fix="Use KFold(k, repeats=10)")
        return nadeau_bengio(out, fold_values(fits, metric, undefined), fits)
    return out.noting(NO_SE)
