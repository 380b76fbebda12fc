"""Nested cross-validation of Bates, Hastie and Tibshirani."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans
from trueness.estimators.method import Method
from trueness.formulas.groups import variance_of_mean
from trueness.metrics.metric import CaseLoss
from trueness.plans.splits import NestedKFold
from trueness.result.estimate import Estimate
from trueness.result.interval import WALD
from trueness.result.words import CLASS_SIZES, Estimand, StandardError
from trueness.sample.fits import Fits
from trueness.typing import Floats, Ints

NESTED_CV = Method(
    "nested_cv",
    "nested cross-validation",
    "bates_2024",
    kinds={"nested"},
    estimand=Estimand.N_CASES,
    order=60,
    recommended={"nested"},
)
NESTED = StandardError("nested", "the standard error of nested cross-validation", "bates_2024")

FoldLosses = dict[tuple[int, ...], dict[int, Floats]]
"""{folds left out: {fold: losses of its cases}}."""


@NESTED_CV.on(CaseLoss, se=(NESTED,))
def nested_cv(c: Contrast) -> Estimate:
    """Cross-validation with an estimate of its own mean squared error (Bates, Hastie & Tibshirani 2024, algorithm 1).

    For each outer fold k: e_in = losses of the other folds j by rules that saw neither j nor k,
    e_out = losses of fold k by the rule that saw all but k;
    a = (mean e_in − mean e_out)², b = var(e_out)/n_k,  MSE of K − 1 folds = mean(a − b),
    se² = (K − 1)/K · MSE, held between the naive se² and K times it;
    value = mean e_in − (1 + ((K − 2)/K)^1.5) (mean e_in − mean e_out).
    Stratified folds do not vary with the class sizes: b is then the variance within classes, and what random class
    sizes add is added to se².
    """
    fits, loss = c.fits, c.metric
    if fits.failed and c.undefined == "raise":
        raise UndefinedError(
            "Nested cross-validation needs every fit",
            param="fits",
            got=f"{len(fits.failed)} failed",
            fix="Use undefined='failed' to leave these out",
        )
    if loss.priors is not None:
        raise UndefinedError(
            "Nested cross-validation needs a plain mean over cases",
            param="metric",
            got=f"{loss.name} with class weights",
        )
    plan = cast(NestedKFold, fits.design.plan)
    k, left_out = plan.n_folds, plan.left_out
    a_minus_b, inner, outer, all_losses, clustering = [], [], [], [], []
    design, of_cases, times = fits.design, np.zeros(fits.sample.n), np.zeros(fits.sample.n)
    by_class = design.stratified and not design.fixed_sizes  # then folds do not vary with the class sizes
    for fold_losses, cases in _repeats(fits, loss, left_out):
        for fold in range(k):
            inner_fits = [(j, tuple(sorted((fold, j)))) for j in range(k) if j != fold]
            e_in = [fold_losses[out][j] for j, out in inner_fits if out in fold_losses]
            if (fold,) not in fold_losses or not e_in:  # these fits failed
                continue
            e_out, inside = fold_losses[(fold,)][fold], np.concatenate(e_in)
            of_cases[cases[fold]] += e_out / plan.repeats
            times[cases[fold]] += 1
            units = design.units[cases[fold]]
            clustering.append((_of_mean(e_out, units), e_out.var(ddof=1) / len(e_out)))
            around = e_out
            if by_class:  # losses minus the mean of their class
                codes = fits.sample.codes[cases[fold]]
                around = e_out - (np.bincount(codes, e_out) / np.maximum(np.bincount(codes), 1))[codes]
            a_minus_b.append((inside.mean() - e_out.mean()) ** 2 - _of_mean(around, units))
            inner.append(inside.mean())
            outer.append((e_out.mean(), len(e_out)))
            all_losses.append(inside)
    if len(outer) < 2:
        raise UndefinedError("Nested cross-validation needs two folds whose fits did not fail", param="fits")
    means, sizes = np.array(outer).T
    n, raw, plain = fits.sample.n, float(np.mean(inner)), float(np.average(means, weights=sizes))
    value = raw - (1 + ((k - 2) / k) ** 1.5) * (raw - plain)
    shares = 0.0
    if by_class:  # what random class sizes add, from the mean loss of each case that was tested
        of_class = CaseMeans.of_partition(design, of_cases[None] * (plan.repeats / np.maximum(times, 1)), loss)
        shares = replace(of_class, weights=np.where(times > 0, of_class.weights, 0.0)).share_variance()
    naive = np.concatenate(all_losses).std(ddof=1) / math.sqrt(n)
    if fits.sample.groups is not None:  # errors within a group are correlated
        by_groups, by_cases = np.mean(clustering, axis=0)
        naive *= math.sqrt(by_groups / by_cases) if by_cases > 0 else 1.0
    mse = math.sqrt(max(0.0, float(np.mean(a_minus_b))) * (k - 1) / k + shares)
    low, high = loss.bounds
    return Estimate(
        float(np.clip(value, low, high)),
        se=float(np.clip(mse, naive, naive * math.sqrt(k))),
        se_method=NESTED.plus(CLASS_SIZES) if by_class else NESTED,
        fold_sd=float(means.std(ddof=1)),
        interval=WALD,
    )


def _of_mean(losses: Floats, units: Ints) -> float:
    """Variance of the mean of a fold; 0 where it holds a single group."""
    return float(np.nan_to_num(variance_of_mean(losses, units)))


def _repeats(fits: Fits, loss: CaseLoss, left_out: list[tuple[int, ...]]) -> Iterator[tuple[FoldLosses, list[Ints]]]:
    """For each repeat: the losses of the fits that did not fail, and the cases of each fold."""
    blocks = fits.tests()
    for start in range(0, fits.n_fits, len(left_out)):
        current: FoldLosses = {}
        fold = np.empty(fits.sample.n, dtype=int)
        for f, out in enumerate(left_out, start):
            cases = fits.design.tested(f)
            if len(out) == 1:
                fold[cases] = out[0]
            if not fits.kept[f]:
                continue
            losses = loss.losses(next(blocks))[0]
            if np.isnan(losses).any():
                raise InputError("Nested cross-validation needs every held-out score or prediction", param="scores")
            current[out] = {k: losses[fold[cases] == k] for k in out}
        yield current, [np.flatnonzero(fold == k) for k in range(fold.max() + 1)]
