"""PPV, NPV, F1, MCC and kappa: the estimators of a mean cost, by the delta method.

The cells of the table of truth and decision are case losses. Each estimator averages the table as it averages a loss,
and its value is the measure f of that table. Its standard error, influence and Monte-Carlo error are those of the mean
cost g = ∂f/∂p, the linear form of f there (karat.metrics.table). A paired difference has a g for each rule.

The average of f over folds is another number: folds are small, f bends, and it is undefined where no case of a fold is
predicted positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from karat.estimators.conservative_z import splits_and_halves
from karat.estimators.cv import CASE_SE, cv_loss, difference_of_folds, fold_values
from karat.estimators.cv_pooled import cv_pooled_loss
from karat.estimators.cv_training import WilsonOfTrials, terms_of_cases
from karat.estimators.estimation import identical
from karat.estimators.half_samples import cv_and_halves
from karat.estimators.holdout import by_influence, root_of_factor, the_test
from karat.estimators.influence.case_influence import variance
from karat.estimators.loob import SE as LOOB_SE
from karat.estimators.loob import loob, loob_difference
from karat.estimators.registry import BOOTSTRAP_TABLES, FOLD_TABLES, N_CASES_TABLE, TRAINED, Undefined, estimator
from karat.formulas.groups import DesignEffect, groups_by_class
from karat.metrics.cost import Cost, decided
from karat.metrics.table import ZERO_SE, TableMeasure, has_certain_class, with_half_in_se, with_two_cases
from karat.result import Estimate, Interval
from karat.result.grouped import share_in_groups
from karat.result.interval import EffectiveWilson, IntervalRule
from karat.sample.fits import Fits
from karat.typing import Floats

FOLDS_SE = tuple(se for se in CASE_SE if se != "continuity")


# -- averaged tables -----------------------------------------------------------------------------------------------


def mean_of_fold_tables(fits: Fits, metric: TableMeasure) -> Floats:
    """(C, C) mean over folds of the shares within a fold."""

    def compute() -> Floats:
        each = [metric.tables(block, block.ones)[0] / max(len(block.codes), 1) for block in fits.tests()]
        return np.asarray(np.mean(each, axis=0))

    return fits.cached(("fold tables",), compute)


def table_of_cases(fits: Fits, metric: TableMeasure) -> Floats:
    """(C, C) mean over cases of how each is decided by the rules that it tests; a case that tests none is skipped."""

    def compute() -> Floats:
        total, times = np.zeros((metric.n_classes, metric.n_classes)), np.zeros(fits.sample.n)
        for block in fits.blocks():
            times += block.left_out.sum(axis=0)
        for block in fits.blocks():
            total += metric.tables(block, block.left_out / np.maximum(times, 1)).sum(axis=0)
        return np.asarray(total / (times > 0).sum())

    return fits.cached(("table of cases",), compute)


# -- a test set ----------------------------------------------------------------------------------------------------


def holdout_difference(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """Difference of the measures of two rules on the same cases."""
    first, second = (holdout_table(f, metric, se=se, undefined=undefined) for f in (a, b))
    return by_influence(first, second, a, metric)


@estimator(
    "holdout", kinds={"holdout"}, metrics=TableMeasure, se=("delta",), estimand=TRAINED, pairs=holdout_difference
)
def holdout_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the test cases, with the standard error and interval of `karat.diagnose`."""
    block, cases, value = the_test(fits, metric)
    counts = metric.tables(block, block.ones)[0]
    influence = np.zeros(fits.sample.n)
    slopes = metric.linear(counts)
    influence[cases] = slopes.losses(block)[0]
    of, said = np.ones(len(cases), dtype=bool), decided(block, metric.name)[0]
    if metric.share:  # the groups are those of the cases with this decision
        of = np.isin(said, np.flatnonzero(slopes.table.any(axis=0)))
    influence *= root_of_factor(fits, cases[of])
    units = fits.design.independent_units(metric.class_sets(fits.sample), cases)
    trials, plug_in = metric.trials(counts / len(cases), units), math.sqrt(variance(fits.design, influence))
    out = Estimate(
        value,
        se=plug_in,
        se_method="delta",
        influence=influence,
        cases=min(units, max(1, math.floor(trials))),
    )
    two, alone = metric.n_classes == 2, fits.sample.groups is None
    if metric.share and alone:  # a plain proportion of the cases with this decision
        return out.with_(plain=True, cases=round(metric.out_of(counts)))
    if metric.share and fits.sample.groups is not None and 0 < value < 1:
        out = out.with_(interval=share_in_groups(block.codes == said, fits.sample.groups[cases], "wilson", of).interval)
    empty = (metric.correlation and two and not counts.all()) or (not two and has_certain_class(counts))
    if plug_in < ZERO_SE or empty:
        few = with_two_cases(counts * units / len(cases))  # as few as there are groups
        out = with_half_in_se(out, metric.se(few), metric.n_classes)
    if metric.correlation and two and alone:
        return out.with_(interval=EffectiveWilson(trials))
    if fits.sample.groups is not None and two and not metric.share:
        groups, independent = fits.sample.groups[cases], slopes.losses(block)[0]
        g, n = int(groups_by_class(groups, block.codes).min()), len(cases)
        if g < 2:
            return out
        effect = DesignEffect.of(plug_in**2, float((independent**2).sum()) * n / (n - 1), n, g)
        out = out.with_(df=g - 1)
        return out.with_(interval=OfEffectiveTable(metric, counts, effect)) if metric.correlation else out
    return out


@dataclass(frozen=True, eq=False)
class OfEffectiveTable(IntervalRule):
    """The interval that a correlation has in the table divided by its design effect, as in `karat.diagnose`."""

    metric: TableMeasure
    counts: Floats
    effect: DesignEffect
    name = "wilson"

    def limits(self, e: Estimate, level: float) -> Interval:
        n = float(self.counts.sum())
        return EffectiveWilson(self.metric.trials(self.counts / n, n / self.effect.divisor(level))).limits(e, level)


# -- resampling ----------------------------------------------------------------------------------------------------


def _measured(out: Estimate, fits: Fits, metric: TableMeasure, table: Floats) -> Estimate:
    """The estimate of the linear form, with the measure as its value and the limits of the trials behind it."""
    trials = metric.trials(table, fits.design.n_units)
    rule = WilsonOfTrials(0.5 / trials, trials, trials, 4 * trials)
    return out.with_(value=metric.value_at(table), fold_sd=None, interval=rule)


Table = Callable[[Fits, TableMeasure], Floats]


def _both(a: Fits, b: Fits, metric: TableMeasure, table: Table) -> tuple[float, Cost, Cost]:
    """The difference of the measures, and the linear form of each rule."""
    of_a, of_b = table(a, metric), table(b, metric)
    return metric.value_at(of_a) - metric.value_at(of_b), metric.linear(of_a), metric.linear(of_b)


def cv_difference(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference of the measures of the mean tables of the folds."""
    return _of_folds(a, b, metric, se, undefined, mean_of_fold_tables)


def pooled_difference(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference of the measures of the mean tables of the cases."""
    return _of_folds(a, b, metric, se, undefined, table_of_cases)


def _of_folds(a: Fits, b: Fits, metric: TableMeasure, se: str | None, undefined: Undefined, table: Table) -> Estimate:
    value, loss_a, loss_b = _both(a, b, metric, table)
    values = fold_values(a, loss_a, undefined) - fold_values(b, loss_b, undefined)
    out = difference_of_folds(a, b, loss_a, values, None, se, loss_b)
    return out.with_(value=value, fold_sd=None)


@estimator("cv", kinds={"cv"}, metrics=TableMeasure, se=FOLDS_SE, estimand=FOLD_TABLES, pairs=cv_difference)
def cv_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the mean over folds of the fold's table."""
    table = mean_of_fold_tables(fits, metric)
    return _measured(cv_loss(fits, metric.linear(table), se=se, undefined=undefined), fits, metric, table)


@estimator("cv_pooled", kinds={"cv"}, metrics=TableMeasure, se=FOLDS_SE, estimand=FOLD_TABLES, pairs=pooled_difference)
def cv_pooled_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the mean over cases of how each is decided when it is held out."""
    table = table_of_cases(fits, metric)
    return _measured(cv_pooled_loss(fits, metric.linear(table), se=se, undefined=undefined), fits, metric, table)


def loob_table_difference(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    value, loss_a, loss_b = _both(a, b, metric, table_of_cases)
    return loob_difference(a, b, loss_a, se=se, undefined=undefined, loss_b=loss_b).with_(value=value)


@estimator(
    "loob",
    kinds={"bootstrap"},
    metrics=TableMeasure,
    se=LOOB_SE,
    estimand=BOOTSTRAP_TABLES,
    pairs=loob_table_difference,
)
def loob_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the leave-one-out bootstrap's table: each case is decided by the rules that left it out."""
    table = table_of_cases(fits, metric)
    return _measured(loob(fits, metric.linear(table), se=se, undefined=undefined), fits, metric, table)


def of_first_part(fits: Fits, metric: TableMeasure) -> Floats:
    """The mean table of the folds of a design with several parts, the first of which is a cross-validation."""
    return mean_of_fold_tables(fits.parts[0], metric)


def _difference_by(estimate: Callable[..., Estimate]) -> Callable[..., Estimate]:
    """Paired difference by an estimator of means that takes another rule with a loss of its own."""

    def paired(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
        value, loss_a, loss_b = _both(a, b, metric, of_first_part)
        out = estimate(a, loss_a, se=se, undefined=undefined, other=b, other_loss=loss_b)
        return out.with_(value=value, fold_sd=None)

    return paired


@estimator(
    "half_samples",
    kinds={"cv+halves"},
    metrics=TableMeasure,
    se=("half-max", "half"),
    estimand=N_CASES_TABLE,
    pairs=_difference_by(cv_and_halves),
)
def half_samples_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the cross-validated table, with a standard error from random halves of the cases."""
    table = of_first_part(fits, metric)
    return _measured(cv_and_halves(fits, metric.linear(table), se=se, undefined=undefined), fits, metric, table)


@estimator(
    "conservative_z",
    kinds={"paired"},
    metrics=TableMeasure,
    se=("conservative-z",),
    estimand=FOLD_TABLES,
    pairs=_difference_by(splits_and_halves),
)
def conservative_z_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the mean table of the splits, with the standard error of disjoint halves of the cases."""
    table = of_first_part(fits, metric)
    return _measured(splits_and_halves(fits, metric.linear(table), se=se, undefined=undefined), fits, metric, table)


def cv_training_difference(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with a floor of half a trial for rules that agree on nearly all cases."""
    value, loss_a, loss_b = _both(a, b, metric, of_first_part)
    out = terms_of_cases(a, loss_a, undefined, b, loss_b).estimate().with_(value=value, fold_sd=None)
    if identical(a, b):
        return out
    low, high = metric.bounds
    most = max(metric.trials(of_first_part(f, metric), a.design.n_units) for f in (a, b))
    least = (high - low) / (2 * most)
    return out.with_(se=max(out.require_se(), least))


@estimator(
    "cv+training",
    kinds={"cv+bootstrap"},
    metrics=TableMeasure,
    se=("cv+training",),
    estimand=N_CASES_TABLE,
    pairs=cv_training_difference,
)
def cv_training_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the cross-validated table, with an interval for the rule trained on all n cases."""
    table = of_first_part(fits, metric)
    return _measured(terms_of_cases(fits, metric.linear(table), undefined).estimate(), fits, metric, table)
