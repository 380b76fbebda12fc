"""cv: the mean of the values of the folds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from karat.errors import InputError, UndefinedError
from karat.estimators.influence.case_influence import CaseMeans, losses_of, variance
from karat.estimators.influence.draws import SuccessiveDraws
from karat.estimators.registry import MEAN, estimator
from karat.metrics.cost import Error
from karat.metrics.metric import CaseLoss, Metric
from karat.result import Estimate
from karat.result.interval_rules import RULES
from karat.sample.fits import Fits

EXPERIMENTAL = (
    "Experimental: the influence function of repeated cross-validation under successive sampling is karat's own "
    "construction, one of several possible ones; it can be too small, for an AUC above all."
)
NAIVE = "The standard error takes the tested cases for independent: it leaves out the training sets and is too small."
NO_SE = "No standard error: one pass of cross-validation has none for this metric; fold_sd is a spread, not an error."
CASE_SE = ("nadeau-bengio", "naive", "continuity", "influence", "influence-corrected")


def fold_values(fits: Fits, metric: Metric, undefined: str) -> np.ndarray:
    """(F,) the metric of each fold; NaN where it cannot be evaluated and that is allowed."""
    values = np.full(fits.n_fits, np.nan)
    folds = fits.design.folds
    pooled = fits.pooled() if folds is not None else None
    plain = metric if isinstance(metric, CaseLoss) and metric.priors is None else None
    if plain is not None and folds is not None and pooled is not None:  # all folds at once
        losses, k = plain.losses(pooled), fits.design.n_folds
        for r, (fold, row) in enumerate(zip(folds, losses, strict=True)):
            values[r * k : (r + 1) * k] = np.bincount(fold, row, minlength=k) / np.bincount(fold, minlength=k)
    else:
        for block in fits.tests():
            values[block.fits[0]] = metric.rows(block, block.ones)[0] if block.codes.size else np.nan
    bad = int(np.isnan(values).sum())
    if bad and (undefined == "raise" or bad == len(values)):
        raise UndefinedError(
            f"{bad} of {len(values)} folds cannot give the {metric.name}: a class is missing, or the fit failed",
            fix="Use cv_pooled or fewer folds, or estimate(..., undefined='skip')",
        )
    return values


def mean_of_folds(values: np.ndarray, repeats: np.ndarray, plain_mean: float | None = None) -> Estimate:
    """The mean, the spread over folds, and the Monte-Carlo error where there are repeats."""
    kept = ~np.isnan(values)
    value = float(values[kept].mean()) if plain_mean is None else plain_mean
    out = Estimate(value, fold_sd=float(values[kept].std(ddof=1)) if kept.sum() > 1 else None)
    each = np.array([values[kept & (repeats == r)].mean() for r in np.unique(repeats[kept])])
    if len(each) > 1:
        mc = (each - each.mean()) / math.sqrt(len(each) * (len(each) - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    return out


def skipped(values: np.ndarray) -> str:
    """A note where folds were skipped, else nothing."""
    bad = int(np.isnan(values).sum())
    return f"{bad} folds cannot be evaluated and are skipped." if bad else ""


def nadeau_bengio(out: Estimate, values: np.ndarray, fits: Fits) -> Estimate:
    """Var = (1/J + n_test/n_train) S², S² over the J folds of all repeats (Nadeau & Bengio 2003)."""
    kept = values[~np.isnan(values)]
    j = len(kept)
    tested = np.mean([len(fits.design.tested(f)) for f in range(min(fits.n_fits, 200))])
    ratio = tested / (fits.sample.n - tested)
    return out.with_(se=math.sqrt((1 / j + ratio) * kept.var(ddof=1)), se_method="nadeau-bengio", df=j - 1).noting(
        "Nadeau and Bengio's standard error assumes that any two splits are correlated by n_test/n: a convention."
    )


def several_splits(fits: Fits) -> bool:
    """Whether there is more than one pass over the cases."""
    return len(np.unique(fits.design.repeats()[fits.kept])) > 1


def naive_influence(fits: Fits, loss: CaseLoss) -> np.ndarray:
    """(n,) centred mean held-out loss of each case over n: what is left of the influence function in one pass."""
    pooled = fits.pooled()
    if pooled is None:
        means = CaseMeans.over(fits.design, losses_of(fits, loss), loss, "skip")
        return replace(means, by_class=loss.priors is not None).first_term()
    return CaseMeans.of_partition(fits.design, loss.losses(pooled), loss).first_term()


def fixed_classes(out: Estimate, fits: Fits, loss: CaseLoss) -> Estimate:
    """A note where stratified folds hide how much the class sizes themselves vary."""
    pooled = fits.pooled()
    if pooled is None or not fits.design.stratified:
        return out
    return CaseMeans.of_partition(fits.design, loss.losses(pooled), loss).note_fixed_classes(out)


def with_case_se(out: Estimate, fits: Fits, loss: CaseLoss, values: np.ndarray, se: str | None) -> Estimate:
    """The standard errors that cross-validation of a loss can have, each saying what it assumes."""
    if se is None:
        se = "nadeau-bengio" if several_splits(fits) else "naive"
    if se == "nadeau-bengio":
        if not several_splits(fits):
            raise InputError(
                "Nadeau and Bengio's standard error needs repeats", fix="Use KFold(k, repeats=10) or MonteCarlo"
            )
        return fixed_classes(nadeau_bengio(out, values, fits), fits, loss)
    if se == "continuity":
        if not isinstance(loss, Error) or loss.priors is not None:
            raise InputError('se="continuity" is for the error rate', got=loss.name)
        if fits.sample.groups is not None:
            raise InputError(
                'se="continuity" takes cases for independent, and these come in groups', fix='Use se="naive"'
            )
        n, p = fits.sample.n, out.value
        return out.with_(se=math.sqrt(p * (1 - p) / n), se_method=se, cases=n, interval=RULES["continuity"]).noting(
            "The slides' interval, E ± (0.5/n + z·se), takes the tested cases for independent of each other."
        )
    if se == "naive":
        influence = naive_influence(fits, loss)
        return out.with_(se=math.sqrt(variance(fits.design, influence)), se_method=se, influence=influence).noting(
            NAIVE
        )
    if not several_splits(fits):
        raise InputError(
            "one pass of cross-validation has no influence function: each case is judged by one rule",
            fix="Use KFold(k, repeats=10) or more",
        )
    means = CaseMeans.over(fits.design, losses_of(fits, loss), loss, "skip", SuccessiveDraws())
    influence, _ = means.influence()
    exact = variance(fits.design, influence)
    corrected = means.corrected_variance() if se == "influence-corrected" else exact
    return out.with_(se=math.sqrt(corrected if corrected > 0 else exact), se_method=se, influence=influence).noting(
        EXPERIMENTAL
    )


def cv_difference(a: Fits, b: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """Paired difference of the folds' values."""
    values = fold_values(a, metric, undefined) - fold_values(b, metric, undefined)
    return difference_of_folds(a, b, metric, values, None, se)


def difference_of_folds(
    a: Fits, b: Fits, metric: Metric, values: np.ndarray, value: float | None, se: str | None
) -> Estimate:
    """Nadeau and Bengio's standard error of the paired differences where there are repeats."""
    out = mean_of_folds(values, a.design.repeats(), value)
    if se in (None, "nadeau-bengio") and several_splits(a):
        return nadeau_bengio(out, values, a)
    if isinstance(metric, CaseLoss) and se in (None, "naive"):
        influence = naive_influence(a, metric) - naive_influence(b, metric)
        return out.with_(se=math.sqrt(variance(a.design, influence)), se_method="naive", influence=influence).noting(
            NAIVE
        )
    return out.noting(
        NO_SE if se is None else f"No standard error {se!r} of a difference; repeats give Nadeau and Bengio's."
    )


@estimator("cv", kinds={"cv"}, metrics=CaseLoss, se=CASE_SE, estimand=MEAN, pairs=cv_difference)
def cv_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Mean over folds of the fold's mean loss (seeds/003)."""
    values = fold_values(fits, loss, undefined)
    out = mean_of_folds(values, fits.design.repeats()).noting(skipped(values))
    return with_case_se(out, fits, loss, values, se)


@estimator("cv", kinds={"cv"}, se=("nadeau-bengio",), estimand=MEAN, pairs=cv_difference)
def cv(fits: Fits, metric: Metric, *, se: str | None, undefined: str) -> Estimate:
    """Mean over folds of the fold's own value, e.g. of the AUCs within folds."""
    values = fold_values(fits, metric, undefined)
    out = mean_of_folds(values, fits.design.repeats()).noting(skipped(values))
    if several_splits(fits):
        return nadeau_bengio(out, values, fits)
    if se is not None:
        raise InputError(
            "Nadeau and Bengio's standard error needs repeats", fix="Use KFold(k, repeats=10) or MonteCarlo"
        )
    return out.noting(NO_SE)
