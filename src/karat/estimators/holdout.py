"""Holdout: a rule judged on cases it never saw, once."""

from __future__ import annotations

import math

import numpy as np

from karat.errors import InputError
from karat.estimators.influence.case_influence import variance
from karat.estimators.registry import TRAINED, estimator
from karat.formulas.delong import delong_influence
from karat.metrics.auc import AUC
from karat.metrics.cost import Error
from karat.metrics.metric import CaseLoss, Metric, SetMetric
from karat.result import Estimate
from karat.sample.block import Block
from karat.sample.fits import Fits

FEW = 20  # test cases of a class: with fewer the normal quantiles of DeLong's intervals are too small
TINY = 1e-24  # a variance that is nothing but rounding


def the_test(fits: Fits, metric: Metric) -> tuple[Block, np.ndarray, float]:
    """The one test of these fits, its cases, and the metric."""
    if fits.n_fits != 1:
        raise InputError("a holdout has one fit", got=f"{fits.n_fits} fits", fix='Use plan="cv" and the method "cv"')
    block, cases = next(fits.tests()), fits.design.tested(0)
    value = float(metric.rows(block, block.ones)[0]) if len(cases) else math.nan
    if math.isnan(value):
        raise InputError(
            f"the test part cannot give the {metric.name}: it lacks a class", got=f"{len(cases)} test cases"
        )
    return block, cases, value


@estimator("holdout", kinds={"holdout"}, metrics=CaseLoss, se=("binomial",), estimand=TRAINED)
def holdout_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Mean loss of the test cases; its standard error is the plug-in one, √(p(1 − p)/n) for an error rate."""
    block, cases, value = the_test(fits, loss)
    losses = loss.losses(block)[0]
    influence = np.zeros(fits.sample.n)
    if loss.priors is None:
        influence[cases] = (losses - value) / len(cases)
    else:  # Σ_c P_c mean of class c
        for code in np.flatnonzero(loss.priors):
            of = block.codes == code
            influence[cases[of]] = loss.priors[code] * (losses[of] - losses[of].mean()) / of.sum()
    one_rate = isinstance(loss, Error) and (loss.priors is None or (loss.priors > 0).sum() == 1)
    return Estimate(
        value,
        se=math.sqrt(variance(fits.design, influence)),
        se_method="binomial",
        influence=influence,
        cases=fits.design.independent(loss.speaking(fits.sample), cases),
        plain=one_rate and fits.sample.groups is None,
    )


def auc_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: str) -> Estimate:
    """DeLong's difference of two AUCs of the same cases: normal quantiles, so that its p is that of `delong`."""
    first, second = (holdout_auc(f, metric, se=se, undefined=undefined) for f in (a, b))
    out = Estimate(first.value - second.value)
    if first.influence is None or second.influence is None:
        return out.noting(*first.notes, *second.notes)
    influence = first.influence - second.influence
    return out.with_(se=math.sqrt(variance(a.design, influence)), se_method="delong", influence=influence)


@estimator("holdout", kinds={"holdout"}, metrics=AUC, se=("delong",), estimand=TRAINED, pairs=auc_difference)
def holdout_auc(fits: Fits, metric: AUC, *, se: str | None, undefined: str) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over
    one against the rest, with the influence of every case summed over the parts. Quantiles are Student's where a
    class has fewer than 20 test cases."""
    block, cases, value = the_test(fits, metric)
    influence = np.zeros(fits.sample.n)
    for scores, positive in metric.parts(block):
        influence[cases] += delong_influence(scores[0], positive)[1] / len(metric.targets)
    speaking = fits.design.independent(metric.speaking(fits.sample), cases)
    out = Estimate(value, cases=speaking)
    if fits.sample.groups is not None:
        influence = _for_groups(influence, fits, cases)
    if np.isnan(influence).any():
        return out.noting("No standard error: a class has one test case, and one case has no variance.")
    spread = variance(fits.design, influence)
    silent = silent_class(influence, fits, value)
    if silent is not None:
        m = int((fits.sample.codes[cases] == silent).sum())
        return out.noting(
            f"No standard error: the {m} test cases of class {fits.sample.classes[silent]} all rank alike, so "
            "DeLong's formula takes their spread for 0, and so few cases cannot tell; test more of that class."
        )
    df = satterthwaite(influence, fits) if 0 < value < 1 and spread > 0 and speaking < FEW else None
    return out.with_(se=math.sqrt(spread), se_method="delong", influence=influence, df=df)


def parts_of(influence: np.ndarray, fits: Fits) -> tuple[np.ndarray, np.ndarray]:
    """(C,) each class's part of DeLong's variance, and its test cases."""
    cases, n_classes = fits.design.tested(0), fits.sample.n_classes
    codes = fits.sample.codes[cases]
    return np.bincount(codes, influence[cases] ** 2, minlength=n_classes), np.bincount(codes, minlength=n_classes)


def satterthwaite(influence: np.ndarray, fits: Fits) -> float | None:
    """df = V²/Σ_c V_c²/(n_c − 1): V is a sum of one sample variance a class, as Welch's is. None for groups."""
    if fits.sample.groups is not None:
        return None
    parts, sizes = parts_of(influence, fits)
    some = sizes > 1
    return float(parts.sum() ** 2 / (parts[some] ** 2 / (sizes[some] - 1)).sum())


def silent_class(influence: np.ndarray, fits: Fits, value: float) -> int | None:
    """The class whose test cases all rank alike, so that its part V_c is 0, where that may hide the larger part.

    Had one of its m cases ranked at the other end, it would be δ²/m², δ = max(AUC, 1 − AUC): no standard error
    where that is more than all that is seen. (An AUC of 0 or 1 has the exact interval of its own.)
    """
    if not 0 < value < 1 or fits.sample.groups is not None:
        return None
    parts, sizes = parts_of(influence, fits)
    hidden = np.where((parts < TINY) & (sizes > 0), (max(value, 1 - value) / np.maximum(sizes, 1)) ** 2, 0.0)
    worst = int(hidden.argmax())
    return worst if hidden[worst] > parts.sum() else None


def _for_groups(influence: np.ndarray, fits: Fits, cases: np.ndarray) -> np.ndarray:
    """DeLong's n/(n − 1) of each class counts cases; with groups it is G/(G − 1) of the groups (Obuchowski 1997)."""
    out, codes = influence.copy(), fits.sample.codes
    g = len(np.unique(fits.design.units[cases]))
    for code in np.unique(codes[cases]):
        of = cases[codes[cases] == code]
        out[of] *= math.sqrt((len(of) - 1) / len(of) * g / (g - 1))
    return out


@estimator("holdout", kinds={"holdout"}, metrics=SetMetric, estimand=TRAINED)
def holdout_set(fits: Fits, metric: SetMetric, *, se: str | None, undefined: str) -> Estimate:
    """Any other metric of the test cases, without a standard error."""
    return Estimate(the_test(fits, metric)[2]).noting(
        f"No standard error: none is known for {metric.name}; karat.statistics.bootstrap gives one of fixed scores."
    )
