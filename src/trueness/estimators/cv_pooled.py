"""cv_pooled and cv_pairs: means over all held-out cases, or pairs that were tested together, not over folds."""

from __future__ import annotations

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import (
    CASE_SE,
    EXPERIMENTAL,
    difference_of_folds,
    fold_values,
    mean_of_folds,
    nadeau_bengio,
    no_se,
    require_all_used,
    require_repeats,
    several_splits,
    with_case_se,
    with_influence,
)
from trueness.estimators.influence import Contrast, losses_of, paired
from trueness.estimators.influence.case_influence import CaseMeans
from trueness.estimators.influence.draws import SuccessiveDraws
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.loob import CORRECTED, OF_INFLUENCE, pairs_beforehand, skipped_pairs
from trueness.estimators.registry import Method, Undefined
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate
from trueness.result.digits import counted
from trueness.result.named import NADEAU_BENGIO, Estimand
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.typing import Floats

CV_POOLED = Method(
    "cv_pooled",
    "the pooled held-out scores",
    kinds={"cv"},
    estimand=Estimand.FOLD_SETS,
    order=80,
    not_within={"paired"},  # 15 splits do not test every case
)
CV_PAIRS = Method(
    "cv_pairs",
    "the pairs of cases that a split tested together",
    kinds={"cv"},
    estimand=Estimand.FOLD_SETS,
    order=90,
    not_within={"cv+bootstrap", "cv+halves", "paired"},  # ten repeats hardly test any pair
)
POOLED_SCORES = Note(
    "pooled-scores", "Scores of different rules are pooled; where their levels differ, the AUC is biased downwards."
)
ONE_PASS = Note("no-se-one-pass", "No standard error: one pass of cross-validation tests each pair by one rule.")
NO_SE_OF_POOLED = Note(
    "no-se-known",
    "No standard error is known for a metric of pooled scores. That of the folds' own values: {se='nadeau-bengio'}.",
    method="cv_pooled",
)


def mean_of_cases(fits: Fits, loss: CaseLoss, undefined: Undefined) -> float:
    """Mean over cases of their mean held-out loss."""
    pooled = fits.pooled()
    if pooled is None:
        never = int(fits.design.never_tested.sum())
        if never and undefined == "raise":
            raise UndefinedError(
                f"cv_pooled needs every case to be tested; {counted(never, 'case is', 'cases are')} never tested",
                param="method",
                fix="Use the method cv, more splits, or {undefined='skip'}",
            )
        return CaseMeans.over(fits.design, losses_of(fits, loss), loss, undefined).value
    losses = loss.losses(pooled).mean(axis=0)
    missing = int(np.isnan(losses).sum())
    if missing:
        raise UndefinedError(
            f"{counted(missing, 'case has', 'cases have')} no held-out score or prediction", param="scores"
        )
    return float((loss.case_weights(fits.sample) * losses).mean())


def pooled_values(fits: Fits, metric: Metric) -> Floats:
    """(R,) the metric of all held-out scores of each repeat."""
    pooled = fits.pooled()
    if pooled is None:
        raise UndefinedError(
            f"cv_pooled of the {metric.name} needs every case to be tested once per repeat",
            param="method",
            got=f"{len(fits.failed)} failed fits" if fits.failed else "splits that are not partitions",
            fix="Use the method cv, a KFold plan, or, for arrays, {repeat=}",
        )
    return metric.rows(pooled, pooled.ones)


def difference_of_cases(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference of the pooled means."""
    value = c.read(lambda fits, loss: mean_of_cases(fits, loss, undefined))
    return difference_of_folds(c, se=se, undefined=undefined, pooled_mean=value)


@CV_POOLED.on(CaseLoss, se=CASE_SE, pairs=paired(difference_of_cases))
def cv_pooled_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over cases of the held-out loss (Yousef, ML Assessment, eq. 28); equal to cv if folds have equal sizes."""
    # a fold may lack a class here: the pooled mean does not need it
    value = mean_of_cases(fits, loss, undefined)
    values = fold_values(fits, loss, "skip" if loss.priors is not None else undefined)
    out = mean_of_folds(values, fits.design.repeats(), value)
    return with_case_se(out, fits, loss, values, se)


@CV_POOLED.on(se=(NADEAU_BENGIO,))
def cv_pooled(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """The metric of all held-out scores of a repeat, averaged over repeats. It mixes scores of different rules."""
    values = pooled_values(fits, metric)
    out = mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None)
    out = out.noting(POOLED_SCORES if metric.arity == 2 else None)
    if se != NADEAU_BENGIO:
        return out.noting(NO_SE_OF_POOLED if several_splits(fits) else no_se(metric))
    require_repeats(fits)
    return nadeau_bengio(out, fold_values(fits, metric, undefined), fits)


def pairs_tested_together(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """With a standard error where there are repeats."""
    require_all_used(c.fits)
    means = PairMeans.over(c.fits, c.metric, undefined, SuccessiveDraws(), minus=c.other)
    out, skipped = Estimate(means.value), skipped_pairs(means.skipped, "tested together")
    if not several_splits(c.fits):
        return out.noting(EXPERIMENTAL, skipped, ONE_PASS)
    # folds of one repeat are drawn together, so repeats are the random unit
    mc = np.bincount(means.design.repeats()[means.keep], means.of_each_fit(drop=1)).astype(float)
    out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    return with_influence(out, means, se or OF_INFLUENCE).noting(skipped)


@CV_PAIRS.on(AUC, se=(OF_INFLUENCE, CORRECTED), pairs=paired(pairs_tested_together), beforehand=pairs_beforehand)
def cv_pairs(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """A_ij = mean of ψ over the splits that tested both i and j; AUC = mean A_ij (docs/math.md, section 4).

    Each pair is scored by one rule at a time, so unlike cv_pooled it never compares scores of two rules.
    """
    return pairs_tested_together(Contrast(fits, metric), se=se, undefined=undefined)
