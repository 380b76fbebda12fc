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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from trueness.checks import child
from trueness.errors import InputError, UndefinedError
from trueness.estimators.cv import (
    CV,
    LEAVE_OUT,
    ONE_PASS,
    cv,
    fold_values,
    mean_of_folds,
    nadeau_bengio,
    naive_influence,
    several_splits,
    share_variance,
    values_of_folds,
)
from trueness.estimators.cv_training import CV_TRAINING, TEST_AND_TRAINING, placement_influence, trained
from trueness.estimators.halves import (
    CONSERVATIVE,
    CONSERVATIVE_SE,
    CONSERVATIVE_Z,
    HALF_SAMPLES,
    HALF_SE,
    OF_HALF_THE_CASES,
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
from trueness.sample.rows import Block
from trueness.typing import Floats, Ints

RESAMPLES = 200  # of the held-out cases; no rule is trained again
REPEATS = 3  # repetitions that are resampled: they differ little
RESAMPLED = 5  # spawn key of these draws
APART = 0.75  # standard errors by which the pooled AUC is below that of the folds where scores cannot be pooled
POOLED = StandardError("pooled scores", "of the pooled scores")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out answers of one repetition, as if one rule had given all of them."""

    repeat: int
    block: Block  # (1, m)
    cases: Ints  # (m,) a case may occur several times where splits overlap
    fold: Ints  # (m,) which rule answered

    def within_folds(self) -> HeldOut:
        """With ranks within folds, between 0 and 1, instead of scores."""
        scores = self.block.scores
        assert scores is not None
        ranks = np.empty(scores.shape)
        for f in np.unique(self.fold):
            of = self.fold == f
            ranks[0, of] = (rankdata(scores[0, of], axis=0) - 0.5) / of.sum()
        return replace(self, block=replace(self.block, scores=ranks))

    def ranked(self) -> Block:
        """With the ranks of all scores: a metric of their order alone is the same."""
        scores = self.block.scores
        assert scores is not None
        return replace(self.block, scores=rankdata(scores, axis=1))


def held_out(fits: Fits, undefined: Undefined, together: bool = False) -> list[HeldOut]:
    """Of each repetition, or of all splits together; of a repetition with failed fits, its other folds."""
    if fits.failed and undefined == "raise":
        raise UndefinedError(f"{len(fits.failed)} fits failed", param="undefined", fix=LEAVE_OUT)
    repeats = np.zeros(fits.n_fits, dtype=np.intp) if together else fits.design.repeats()
    tests: dict[int, list[Block]] = {}
    for block in fits.tests():
        if block.codes.size:
            tests.setdefault(int(repeats[block.fits[0]]), []).append(block)
    out = []
    for repeat, blocks in tests.items():
        cases = [fits.design.tested(int(b.fits[0])) for b in blocks]
        fold = np.repeat(np.arange(len(blocks)), [len(c) for c in cases])
        out.append(HeldOut(repeat, Block.joined(blocks), np.concatenate(cases), fold))
    return out


@dataclass(frozen=True, eq=False)
class SetOfRule:
    """The held-out answers of one rule, and what can be read of them."""

    design: Design
    metric: Metric
    held: list[HeldOut]
    note: Note | None = None

    @classmethod
    def of(cls, fits: Fits, metric: Metric, undefined: Undefined) -> SetOfRule:
        """With ranks instead of scores where these cannot be pooled; made once of these fits."""
        return fits.cached(("set", metric.key, undefined), lambda: cls._of(fits, metric, undefined))

    @classmethod
    def _of(cls, fits: Fits, metric: Metric, undefined: Undefined) -> SetOfRule:
        held = held_out(fits, undefined)
        gap = apart(fits, held)
        if gap is None:
            return cls(fits.design, metric, held)
        first = held[0]
        same = np.isclose(metric.rows(first.block, first.block.ones), metric.rows(first.ranked(), first.block.ones))
        if not same.all():  # it depends on the scores themselves
            return cls(
                fits.design, metric, held, Note("scores-not-comparable", pooled=gap[0], within=gap[1], ranked=False)
            )
        return cls(
            fits.design,
            metric,
            [h.within_folds() for h in held],
            Note("scores-not-comparable", pooled=gap[0], within=gap[1], ranked=True),
        )

    @cached_property
    def values(self) -> Floats:
        """(R,) the metric of each repetition; NaN where it is undefined, or all fits failed."""
        out = np.full(int(self.design.repeats().max()) + 1, np.nan)
        for h in self.held:
            out[h.repeat] = self.metric.rows(h.block, h.block.ones)[0]
        return out

    @cached_property
    def influence(self) -> Floats:
        """(n,) by how much each case moves the mean over repetitions, as a test case."""
        assert isinstance(self.metric, AveragePrecision)
        out = np.zeros(self.design.n)
        for h in self.held:
            np.add.at(out, h.cases, self.metric.influence(h.block) / len(self.held))
        return out

    @cached_property
    def resampled(self) -> Floats:
        """(S,) the mean over some repetitions of resamples of the cases (`drawn`); NaN where a class is missing."""
        counts, each = drawn(self.design), []
        for h in self.held[:REPEATS]:
            weights = counts[:, h.cases].astype(float)
            each.append(self.metric.rows(repeated(h.block, len(counts)), weights))
        return np.asarray(np.mean(each, axis=0))


def repeated(block: Block, times: int) -> Block:
    """The one rule of a block as so many rules."""
    scores, predictions = block.scores, block.predictions
    return replace(
        block,
        counts=np.zeros((times, block.counts.shape[1]), dtype=np.uint8),
        scores=None if scores is None else np.broadcast_to(scores, (times, *scores.shape[1:])),
        predictions=None if predictions is None else np.broadcast_to(predictions, (times, *predictions.shape[1:])),
        fits=np.repeat(block.fits, times),
    )


def apart(fits: Fits, held: list[HeldOut]) -> tuple[float, float] | None:
    """The pooled AUC and the mean of the folds' AUCs where the former is lower by more than `APART` standard errors."""
    if held[0].block.scores is None or fits.sample.kind == "regression":
        return None
    auc = AUC().bind(fits.sample)
    folds = fits.cached(("folds", auc.key), lambda: values_of_folds(fits, auc))
    if np.count_nonzero(~np.isnan(folds)) < 2:
        return None
    within = float(np.nanmean(folds))
    pooled = float(np.mean([auc.rows(h.block, h.block.ones)[0] for h in held]))
    se = nadeau_bengio(Estimate(within), folds, fits).require_se()
    return (pooled, within) if within - pooled > max(APART * se, 1e-9) else None


@dataclass(frozen=True, eq=False)
class SetTerms:
    """Centre, influence and variance of the test cases, of one rule or of the difference of two."""

    values: Floats  # (R,)
    influence: Floats  # (n,), scaled to the variance
    test: float
    units: int  # of the smallest class
    notes: tuple[Note | None, ...]

    @classmethod
    def of(cls, c: Contrast) -> SetTerms:
        """Of the cross-validation."""
        design, metric = c.fits.design, c.metric

        def rule(fits: Fits, metric: Metric) -> SetOfRule:
            return SetOfRule.of(fits, metric, c.undefined)

        values = defined(c.read(lambda fits, m: rule(fits, m).values), metric)
        if isinstance(metric, AveragePrecision):
            influence = c.read(lambda fits, m: rule(fits, m).influence)
            if design.fixed_sizes:
                codes = design.sample.codes
                influence = influence - (np.bincount(codes, influence) / np.bincount(codes))[codes]
            test = variance(design, influence)
            if c.other is None and len(metric.targets) == 1:  # less than this is too small in small samples
                value, positives = float(values.mean()), int(design.sample.sizes[metric.targets[0]])
                test = max(test, value * (1 - value) / positives)
        else:
            counts, moved = drawn(design), c.read(lambda fits, m: rule(fits, m).resampled)
            known = ~np.isnan(moved)
            if known.sum() < 2:
                raise UndefinedError(f"{metric.name} is undefined for resamples of the cases", param="metric")
            counts, moved = counts[known], moved[known] - moved[known].mean()
            test = float((moved**2).sum() / (len(moved) - 1))
            influence = moved @ (counts - 1.0) / len(moved) / np.bincount(design.units)[design.units]
        units = design.independent_units(metric.class_sets(design.sample))
        test *= units / max(units - 1, 1)
        norm = variance(design, influence)
        influence = influence * math.sqrt(test / norm) if norm > 0 else influence
        return cls(values, influence, test, units, notes_of(c))

    def centre(self) -> Estimate:
        """The mean over repetitions, without a standard error."""
        return mean_of_folds(self.values, np.arange(len(self.values))).with_(fold_sd=None).noting(*self.notes)

    def estimate(self, factor: float, by: StandardError) -> Estimate:
        """With the variance b times a factor."""
        out, influence = self.centre(), self.influence * math.sqrt(factor)
        out = out.with_(se=math.sqrt(self.test * factor), se_method=by, df=max(self.units - 1, 1), influence=influence)
        return out.with_(provenance={"variance": {"test": self.test, "training": self.test * (factor - 1)}})


def notes_of(c: Contrast) -> tuple[Note | None, ...]:
    """Of one rule or of both."""
    return tuple(SetOfRule.of(rule, c.metric, c.undefined).note for _, rule in c.rules)


def defined(values: Floats, metric: Metric) -> Floats:
    """The values of the repetitions that have one; an error where none has."""
    known = ~np.isnan(values)
    if not known.any():
        raise UndefinedError(f"{metric.name} is undefined for the held-out scores", param="metric")
    return values[known]


def drawn(design: Design) -> Ints:
    """(S, n) how often each case is drawn, whole groups at a time; within classes where their sizes are fixed."""
    rng = np.random.default_rng(child(design.seed, RESAMPLED))
    strata = design.sample.codes[design.first_of_unit] if design.fixed_sizes else np.zeros(design.n_units, np.intp)
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
    return in_range(SetTerms.of(c.part(0)).estimate(factor_of(c, True), TEST_AND_TRAINING), c.metric)


@CV.on(SetMetric, se=(NADEAU_BENGIO,), estimand=Estimand.FOLD_SETS_SET, pairs=True)
def cv_set(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repetition, averaged over repetitions; of splits that are no partitions the
    mean over them."""
    if not c.fits.design.partitioned:
        out = cv(c).noting(Note("metric-of-splits", metric=c.metric.name))
    else:
        terms = SetTerms.of(c)
        if several_splits(c.fits, c.se):
            out = terms.estimate(factor_of(c, False), NADEAU_BENGIO.plus(POOLED))
        else:
            out = terms.centre().noting(ONE_PASS)
    return in_range(out, c.metric)


def between_halves(c: Contrast) -> Floats:
    """(first half − second half) of the metric of all held-out scores of a half."""
    values = c.part(1).read(lambda fits, m: SetOfRule(fits.design, m, held_out(fits, c.undefined)).values)
    differences = values[0::2] - values[1::2]
    if np.isnan(differences).all():
        problem = f"No halves of the cases have a value of {c.metric.name}"
        raise UndefinedError(problem, param="undefined", fix="Use stratified=True")
    return differences[~np.isnan(differences)]


@HALF_SAMPLES.on(SetMetric, se=HALF_SE, estimand=Estimand.N_CASES_SET, pairs=True)
def half_samples_set(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repetition, with a standard error from random halves of the cases."""
    differences, cv = between_halves(c), c.part(0)
    values = defined(cv.read(lambda fits, m: SetOfRule.of(fits, m, c.undefined).values), c.metric)
    out = mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None)
    out = with_halves(out, c, differences, fold_values(replace(cv, undefined="skip"))).noting(*notes_of(cv))
    return in_range(out, c.metric)


@CONSERVATIVE_Z.on(SetMetric, se=CONSERVATIVE_SE, estimand=Estimand.FOLD_SETS_SET, pairs=True)
def conservative_z_set(c: Contrast) -> Estimate:
    """The metric of the held-out scores of all splits together, with the standard error of disjoint halves of the cases."""
    differences = between_halves(c)

    def value(fits: Fits, metric: Metric) -> Floats:
        block = held_out(fits, c.undefined, together=True)[0].block
        return metric.rows(block, block.ones)

    values = defined(c.part(0).read(value), c.metric)
    se_of = math.sqrt(float((differences**2).sum() / (2 * len(differences))))
    return in_range(Estimate(float(values[0]), se=se_of, se_method=OF_HALF_THE_CASES).noting(CONSERVATIVE), c.metric)
