"""Metrics of a set of scores under cross-validation: average precision, a TPF at an FPF, a part of an area, any f(y, score).

A test fold is too small a set: with 24 positives it holds two or three, and the average precision of so few is far too
large. The value is therefore the metric of all held-out scores of a repetition, averaged over repetitions. Its variance is

    V = b · V'/b'

    b      which cases it is tested on: the norm of the influence function of the pooled scores where the metric has one
           (average precision; at least θ(1 − θ)/n₁ of n₁ positives, Boyd, Eng & Page 2013), else the variance over
           bootstrap resamples of the held-out cases with their scores fixed; times m/(m − 1) for the m units of the
           smallest class
    V'/b'  what training adds: the variance b' + t' of the AUC of the same fits (Nadeau and Bengio's where there is no
           bootstrap), over that of its test cases alone (of the error rate where there are no scores, of the mean absolute
           error where numbers are predicted)

with Student's quantile of m − 1 degrees of freedom, and logit limits where the range is known. The factor V'/b' stands in
for a training part of the metric's own, which was tried: influence values of each replicate's left-out cases are too
few and give too little, those at the pooled scores too much where scores of different fits have other scales
(docs/appendix/default-interval.md).

Pooling compares scores of different rules. Where they cannot be compared, the pooled AUC is below the mean of the folds'
own; then scores are replaced by their ranks within folds, if the metric depends on their order alone, and a note says so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.stats import rankdata

from trueness.checks import child
from trueness.errors import InputError, UndefinedError
from trueness.estimators.cv import (
    CV,
    ONE_PASS,
    HeldOut,
    cv,
    fold_values,
    held_out,
    mean_of_folds,
    nadeau_bengio,
    naive_influence,
    several_splits,
    share_variance,
    values_of_folds,
)
from trueness.estimators.cv_training import CV_TRAINING, TEST_AND_TRAINING, placement_influence, trained
from trueness.estimators.halves import (
    CONSERVATIVE_SE,
    CONSERVATIVE_Z,
    HALF_SAMPLES,
    HALF_SE,
    OF_HALF_THE_CASES,
    differences_of,
    se_of_halves,
    with_halves,
)
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.method import Undefined
from trueness.metrics.auc import AUC, AveragePrecision
from trueness.metrics.cost import Error
from trueness.metrics.metric import Metric, SetMetric
from trueness.metrics.numbers import MAE
from trueness.plans.bootstrap import bootstrap_counts
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT
from trueness.result.notes import Note
from trueness.result.words import NADEAU_BENGIO, Estimand, StandardError
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.typing import Floats, Ints

RESAMPLES = 200  # of the held-out cases; no rule is trained again
REPEATS = 3  # repetitions that are resampled: they differ little
RESAMPLED = 5  # spawn key of these draws
APART = 0.75  # standard errors by which the pooled AUC is below that of the folds where scores cannot be pooled
POOLED = StandardError("pooled scores", "of the pooled scores")


def comparable(fits: Fits, metric: Metric, undefined: Undefined) -> tuple[list[HeldOut], Note | None]:
    """The held-out answers; where the pooled AUC is lower than the mean of the folds' AUCs by more than `APART` standard
    errors a note, and ranks within folds, between 0 and 1, instead of scores if the metric depends on their order alone."""
    held, sample = held_out(fits, undefined), fits.sample
    block = held[0].block
    if block.scores is None or sample.kind == "regression":
        return held, None
    auc = AUC().bind(sample)
    folds = fits.cached(("folds", auc.key), lambda: values_of_folds(fits, auc))
    if np.count_nonzero(~np.isnan(folds)) < 2:
        return held, None
    within = float(np.nanmean(folds))
    pooled = float(np.mean([auc.rows(h.block, h.block.ones)[0] for h in held]))
    if within - pooled <= max(APART * nadeau_bengio(Estimate(within), folds, fits).require_se(), 1e-9):
        return held, None
    by_order = replace(block, scores=rankdata(block.scores, axis=1))
    ranked = bool(np.isclose(metric.rows(block, block.ones), metric.rows(by_order, block.ones)).all())
    for k, h in enumerate(held if ranked else []):
        scores = np.array(h.block.scores)
        for f in np.unique(h.fold):
            of = h.fold == f
            scores[0, of] = (rankdata(scores[0, of], axis=0) - 0.5) / of.sum()
        held[k] = replace(h, block=replace(h.block, scores=scores))
    return held, Note("scores-not-comparable", pooled=pooled, within=within, ranked=ranked)


def known_of(fits: Fits, metric: Metric, undefined: Undefined) -> tuple[list[HeldOut], Note | None]:
    """As `comparable`; made once of these fits."""
    return fits.cached(("set", metric.key, undefined), lambda: comparable(fits, metric, undefined))


def values_held(held: list[HeldOut], fits: Fits, metric: Metric) -> Floats:
    """(R,) the metric of each repetition; NaN where it is undefined, or all fits failed."""
    out = np.full(int(fits.design.repeats.max()) + 1, np.nan)
    for h in held:
        out[h.repeat] = metric.rows(h.block, h.block.ones)[0]
    return out


def centre_of(c: Contrast) -> Estimate:
    """The mean over repetitions, without a standard error."""
    values = defined(c.read(lambda fits, m: values_held(known_of(fits, m, c.undefined)[0], fits, m)), c.metric)
    notes = [known_of(rule, c.metric, c.undefined)[1] for _, rule in c.rules]
    return mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None).noting(*notes)


def with_factor(c: Contrast, factor: float, by: StandardError) -> Estimate:
    """The mean over repetitions, with the variance b of its test cases times a factor."""
    out, design, metric = centre_of(c), c.fits.design, c.metric
    units = design.independent_units(metric.class_sets(design.sample))
    if isinstance(metric, AveragePrecision):

        def moved_by_cases(fits: Fits, metric: AveragePrecision) -> Floats:
            """(n,) by how much each case moves the mean over repetitions, as a test case."""
            moved, (held, _) = np.zeros(design.n), known_of(fits, metric, c.undefined)
            for h in held:
                np.add.at(moved, h.cases, metric.influence(h.block) / len(held))
            return moved

        influence = c.read(moved_by_cases)
        if design.fixed_sizes:
            codes = design.sample.codes
            influence = influence - (np.bincount(codes, influence) / np.bincount(codes))[codes]
        test = variance(design, influence)
        if c.other is None and len(metric.targets) == 1:  # less than this is too small in small samples
            test = max(test, out.value * (1 - out.value) / int(design.sample.sizes[metric.targets[0]]))
    else:
        counts = drawn(design)

        def resampled(fits: Fits, metric: Metric) -> Floats:
            """(S,) the mean over some repetitions of resamples of the cases; NaN where a class is missing."""
            each = []
            for h in known_of(fits, metric, c.undefined)[0][:REPEATS]:
                weights = counts[:, None, h.cases].astype(float)
                each.append([metric.rows(h.block, row)[0] for row in weights])
            return np.asarray(np.mean(each, axis=0))

        moved = c.read(resampled)
        known = ~np.isnan(moved)
        if known.sum() < 2:
            raise UndefinedError(f"{metric.name} is undefined for resamples of the cases", param="metric")
        moved = moved[known] - moved[known].mean()
        test = float((moved**2).sum() / (len(moved) - 1))
        influence = moved @ (counts[known] - 1.0) / len(moved) / np.bincount(design.units)[design.units]
    test *= units / max(units - 1, 1)
    norm, whole = variance(design, influence), test * factor
    return out.with_(
        se=math.sqrt(whole),
        se_method=by,
        df=max(units - 1, 1),
        influence=influence * math.sqrt(whole / norm) if norm > 0 else influence,
        provenance={"variance": {"test": test, "training": whole - test}},
    )


def defined(values: Floats, metric: Metric) -> Floats:
    """The values of the repetitions that have one; an error where none has."""
    known = ~np.isnan(values)
    if not known.any():
        raise UndefinedError(f"{metric.name} is undefined for the held-out scores", param="metric")
    return values[known]


def drawn(design: Design) -> Ints:
    """(S, n) how often each case is drawn, whole groups at a time; within classes where their sizes are fixed."""
    rng = np.random.default_rng(child(design.seed, RESAMPLED))
    strata = design.sample.codes[design.first_of_unit] * design.fixed_sizes
    counts = np.empty((RESAMPLES, design.n_units), dtype=np.intp)
    for stratum in np.unique(strata):
        of = np.flatnonzero(strata == stratum)
        counts[:, of] = bootstrap_counts(rng, len(of), RESAMPLES)
    return counts[:, design.units]


def factor_of(c: Contrast, by_training: bool) -> float:
    """V'/b', at least 1, of the AUC, or where that has none of the error rate, of numbers of the mean absolute error; 1
    where none has one. V' is b' + t' of cv+training where training sets were drawn, else that of Nadeau and Bengio."""
    for metric in (AUC(), Error()) if c.fits.sample.kind == "classification" else (MAE(),):
        known = replace(c, metric=metric.bind(c.fits.sample), other_metric=None)
        try:
            if by_training:
                v = trained(known)[0].provenance["variance"]
                test = v["test"]
                whole = test + v["training"]
            else:
                folds = nadeau_bengio(Estimate(0.0), fold_values(known), c.fits).require_se()
                whole = folds**2 + share_variance(known)
                auc = isinstance(metric, AUC)
                test = variance(c.fits.design, known.read(placement_influence) if auc else naive_influence(known))
        except InputError:  # no scores, or no value
            continue
        return max(1.0, whole / test) if test > 0 else 1.0
    return 1.0


def in_range(out: Estimate, metric: Metric) -> Estimate:
    """With logit limits where the range of the metric is finite."""
    return out.with_(interval=LOGIT if all(map(math.isfinite, metric.bounds)) else metric.interval)


@CV_TRAINING.on(SetMetric, se=(TEST_AND_TRAINING,), estimand=Estimand.N_CASES_SET, pairs=True)
def cv_training_set(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repetition, with an interval for the rule trained on all n cases."""
    return in_range(with_factor(c.part(0), factor_of(c, True), TEST_AND_TRAINING), c.metric)


@CV.on(SetMetric, se=(NADEAU_BENGIO,), estimand=Estimand.FOLD_SETS_SET, pairs=True)
def cv_set(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repetition, averaged over repetitions; of splits that are no partitions the
    mean over them."""
    if not c.fits.design.partitioned:
        out = cv(c).noting(Note("metric-of-splits", metric=c.metric.name))
    elif several_splits(c.fits, c.se):
        out = with_factor(c, factor_of(c, False), NADEAU_BENGIO.plus(POOLED))
    else:
        out = centre_of(c).noting(ONE_PASS)
    return in_range(out, c.metric)


def between_halves(c: Contrast) -> Floats:
    """(first half − second half) of the metric of all held-out scores of a half."""
    values = c.part(1).read(lambda fits, m: values_held(held_out(fits, c.undefined), fits, m))
    return differences_of(values, c.metric)


@HALF_SAMPLES.on(SetMetric, se=HALF_SE, estimand=Estimand.N_CASES_SET, pairs=True)
def half_samples_set(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repetition, with a standard error from random halves of the cases."""
    differences, cv = between_halves(c), c.part(0)
    return in_range(with_halves(centre_of(cv), c, differences, fold_values(replace(cv, undefined="skip"))), c.metric)


@CONSERVATIVE_Z.on(SetMetric, se=CONSERVATIVE_SE, estimand=Estimand.FOLD_SETS_SET, pairs=True)
def conservative_z_set(c: Contrast) -> Estimate:
    """The metric of the held-out scores of all splits together, with the standard error of disjoint halves of the cases."""
    differences = between_halves(c)

    def value(fits: Fits, metric: Metric) -> Floats:
        block = held_out(fits, c.undefined, together=True)[0].block
        return metric.rows(block, block.ones)

    values = defined(c.part(0).read(value), c.metric)
    se_of = se_of_halves(differences)
    return in_range(Estimate(float(values[0]), se=se_of, se_method=OF_HALF_THE_CASES), c.metric)
