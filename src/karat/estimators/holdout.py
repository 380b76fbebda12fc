"""Holdout: one rule tested on cases it was not trained on."""

from __future__ import annotations

import math

import numpy as np

from karat.errors import InputError, Setting
from karat.estimators.influence.case_influence import variance
from karat.estimators.registry import TRAINED, Undefined, estimator
from karat.kernels.delong import delong_influence
from karat.metrics.auc import AUC
from karat.metrics.cost import Error
from karat.metrics.metric import CaseLoss, Metric, SetMetric
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.block import Block
from karat.sample.fits import Fits
from karat.typing import Floats, Ints

MIN_CASES_FOR_NORMAL = 20  # test cases of a class: with fewer, normal quantiles make DeLong's intervals too short
ROUNDING = 1e-24  # a variance below this is rounding

ONE_CASE = Note("no-se-one-case", "No standard error: a class has only 1 test case, which has no variance.")


def the_test(fits: Fits, metric: Metric) -> tuple[Block, Ints, float]:
    """The one test set of these fits, its cases, and the value of the metric."""
    if fits.n_fits != 1:
        raise InputError(
            "A holdout has one fit",
            param="fits",
            got=f"{fits.n_fits} fits",
            fix=("Use ", Setting("plan", "cv"), " and ", Setting("method", "cv")),
        )
    block, cases = next(fits.tests()), fits.design.tested(0)
    value = float(metric.rows(block, block.ones)[0]) if len(cases) else math.nan
    if math.isnan(value):
        raise InputError(
            f"The test set has no {metric.name}: a class is missing", param="fits", got=f"{len(cases)} test cases"
        )
    return block, cases, value


@estimator("holdout", kinds={"holdout"}, metrics=CaseLoss, se=("binomial",), estimand=TRAINED)
def holdout_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean loss of the test cases; its standard error is the plug-in one, √(p(1 − p)/n) for an error rate."""
    block, cases, value = the_test(fits, loss)
    losses = loss.losses(block)[0]
    influence = np.zeros(fits.sample.n)
    weights = loss.class_weights
    if weights is None:
        influence[cases] = (losses - value) / len(cases)
    else:  # Σ_c P_c mean of class c
        for code in np.flatnonzero(weights):
            of = block.codes == code
            influence[cases[of]] = weights[code] * (losses[of] - losses[of].mean()) / of.sum()
    one_rate = isinstance(loss, Error) and (weights is None or np.count_nonzero(weights) == 1)
    return Estimate(
        value,
        se=math.sqrt(variance(fits.design, influence)),
        se_method="binomial",
        influence=influence,
        cases=fits.design.independent_units(loss.class_sets(fits.sample), cases),
        plain=one_rate and fits.sample.groups is None,
    )


def auc_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """DeLong's difference of two AUCs of the same cases: normal quantiles, so that its p is that of `delong`."""
    first, second = (holdout_auc(f, metric, se=se, undefined=undefined) for f in (a, b))
    out = Estimate(first.value - second.value)
    if first.influence is None or second.influence is None:
        return out.noting(*first.notes, *second.notes)
    influence = first.influence - second.influence
    return out.with_(se=math.sqrt(variance(a.design, influence)), se_method="delong", influence=influence)


@estimator("holdout", kinds={"holdout"}, metrics=AUC, se=("delong",), estimand=TRAINED, pairs=auc_difference)
def holdout_auc(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over
    one against the rest, with the influence of every case summed over the parts. Quantiles are Student's where a
    class has fewer than 20 test cases."""
    block, cases, value = the_test(fits, metric)
    influence = np.zeros(fits.sample.n)
    for scores, positive in metric.parts(block):
        influence[cases] += delong_influence(scores[0], positive)[1] / len(metric.targets)
    independent = fits.design.independent_units(metric.class_sets(fits.sample), cases)
    out = Estimate(value, cases=independent)
    if fits.sample.groups is not None:
        influence = _for_groups(influence, fits, cases)
    if np.isnan(influence).any():
        return out.noting(ONE_CASE)
    spread = variance(fits.design, influence)
    flat = class_without_spread(influence, fits, value)
    if flat is not None:
        m = int((fits.sample.codes[cases] == flat).sum())
        label = fits.sample.classes[flat].item()
        message = (
            f"No standard error: the {m} test cases of class {label} all have the same rank, so their variance in "
            "DeLong's formula is 0, and they are too few to rely on that. Test more cases of that class."
        )
        return out.noting(Note("no-se-equal-ranks", message, cases=m, label=label))
    df = satterthwaite(influence, fits) if 0 < value < 1 and spread > 0 and independent < MIN_CASES_FOR_NORMAL else None
    return out.with_(se=math.sqrt(spread), se_method="delong", influence=influence, df=df)


def parts_of(influence: Floats, fits: Fits) -> tuple[Floats, Ints]:
    """(C,) each class's part of DeLong's variance, and its test cases."""
    cases, n_classes = fits.design.tested(0), fits.sample.n_classes
    codes = fits.sample.codes[cases]
    parts = np.bincount(codes, influence[cases] ** 2, minlength=n_classes).astype(float)
    return parts, np.bincount(codes, minlength=n_classes)


def satterthwaite(influence: Floats, fits: Fits) -> float | None:
    """df = V²/Σ_c V_c²/(n_c − 1): V is a sum of one sample variance per class, like Welch's. None for groups."""
    if fits.sample.groups is not None:
        return None
    parts, sizes = parts_of(influence, fits)
    some = sizes > 1
    return float(parts.sum() ** 2 / (parts[some] ** 2 / (sizes[some] - 1)).sum())


def class_without_spread(influence: Floats, fits: Fits, value: float) -> int | None:
    """The class whose test cases all have the same rank, so that its part V_c is 0, if that may hide the larger part.

    If one of its m cases had ranked at the other end, V_c would be δ²/m², δ = max(AUC, 1 − AUC). There is no standard
    error where that exceeds the observed variance. (An AUC of 0 or 1 has an exact interval.)
    """
    if not 0 < value < 1 or fits.sample.groups is not None:
        return None
    parts, sizes = parts_of(influence, fits)
    hidden = np.where((parts < ROUNDING) & (sizes > 0), (max(value, 1 - value) / np.maximum(sizes, 1)) ** 2, 0.0)
    worst = int(hidden.argmax())
    return worst if hidden[worst] > parts.sum() else None


def _for_groups(influence: Floats, fits: Fits, cases: Ints) -> Floats:
    """DeLong's n/(n − 1) of each class counts cases; with groups it is G/(G − 1) of the groups (Obuchowski 1997)."""
    out, codes = influence.copy(), fits.sample.codes
    g = len(np.unique(fits.design.units[cases]))
    for code in np.unique(codes[cases]):
        of = cases[codes[cases] == code]
        out[of] *= math.sqrt((len(of) - 1) / len(of) * g / (g - 1))
    return out


@estimator("holdout", kinds={"holdout"}, metrics=SetMetric, estimand=TRAINED)
def holdout_set(fits: Fits, metric: SetMetric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Any other metric of the test cases, without a standard error."""
    message = f"No standard error is known for {metric.name}; karat.statistics.bootstrap gives one for fixed scores."
    return Estimate(the_test(fits, metric)[2]).noting(Note("no-se-known", message, metric=metric.name))
