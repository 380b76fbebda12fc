"""cv_pairs: the AUC over pairs that were tested together, the cross-validated LPOB."""

from __future__ import annotations

import math

import numpy as np

from karat.estimators.cv import EXPERIMENTAL, require_all_used, several_splits
from karat.estimators.influence.case_influence import variance
from karat.estimators.influence.draws import SuccessiveDraws
from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.loob import skipped_pairs
from karat.estimators.registry import FOLD_SETS, Undefined, estimator
from karat.metrics.auc import AUC
from karat.result import Estimate
from karat.result.note import Note
from karat.sample.fits import Fits

NO_SE = Note("no-se-one-pass", "No standard error: one pass of cross-validation tests each pair by one rule.")


def cv_pairs_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference over the pairs that were tested together."""
    require_all_used(a)
    return _finished(PairMeans.difference(a, b, metric, undefined, SuccessiveDraws()), a, se)


@estimator(
    "cv_pairs",
    kinds={"cv"},
    metrics=AUC,
    se=("influence", "influence-corrected"),
    estimand=FOLD_SETS,
    pairs=cv_pairs_difference,
)
def cv_pairs(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """A_ij = mean of ψ over the splits that tested both i and j; AUC = mean A_ij (docs/math.md, section 4).

    Each pair is scored by one rule at a time, so unlike cv_pooled it never compares scores of two rules.
    """
    require_all_used(fits)
    return _finished(PairMeans.over(fits, metric, undefined, SuccessiveDraws()), fits, se)


def _finished(means: PairMeans, fits: Fits, se: str | None) -> Estimate:
    """With notes, and without a standard error where there are no repeats."""
    out = _with_se(means, se).noting(skipped_pairs(means.skipped, "tested together"))
    if several_splits(fits):
        return out
    return out.with_(se=None, se_method=None, influence=None, mc_se=None, mc_influence=None).noting(NO_SE)


def _with_se(means: PairMeans, se: str | None) -> Estimate:
    influence, _ = means.influence()
    # folds of one repeat are drawn together, so repeats are the random unit
    monte_carlo = np.bincount(means.design.repeats()[means.keep], means.of_each_fit(drop=1)).astype(float)
    used = variance(means.design, influence)
    if se == "influence-corrected":
        first = means.first_order()
        used = first.total if first.total > 0 else first.tested
    return Estimate(
        means.value,
        se=math.sqrt(used),
        se_method=se or "influence",
        influence=influence,
        mc_influence=monte_carlo,
        mc_se=float(np.linalg.norm(monte_carlo)),
    ).noting(EXPERIMENTAL)
