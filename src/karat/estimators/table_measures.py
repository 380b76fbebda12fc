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

from karat.estimators.conservative_z import SE as CONSERVATIVE_SE
from karat.estimators.conservative_z import conservative_z, splits_and_halves
from karat.estimators.cv import CASE_SE, cv_loss, difference_of_folds
from karat.estimators.cv_pooled import cv_pooled_loss
from karat.estimators.cv_training import SE as TRAINING_SE
from karat.estimators.cv_training import WilsonOfTrials, terms_of
from karat.estimators.estimation import identical
from karat.estimators.half_samples import SE as HALF_SE
from karat.estimators.half_samples import cv_and_halves, half_samples
from karat.estimators.holdout import among_all, holdout_difference, root_of_factor, the_test
from karat.estimators.influence.case_influence import variance
from karat.estimators.loob import SE as LOOB_SE
from karat.estimators.loob import loob, loob_difference
from karat.estimators.registry import (
    BOOTSTRAP_TABLES,
    FOLD_TABLES,
    N_CASES_TABLE,
    TRAINED,
    Contrast,
    Function,
    Undefined,
    estimator,
)
from karat.formulas.groups import DesignEffect, groups_by_class
from karat.metrics.cost import Cost, decided
from karat.metrics.table import ZERO_SE, TableMeasure, has_certain_class, with_half_in_se, with_two_cases
from karat.result import Estimate, Interval
from karat.result.grouped import share_in_groups
from karat.result.interval import EffectiveWilson, IntervalRule
from karat.sample.design import Kind
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


@estimator(
    "holdout", kinds={"holdout"}, metrics=TableMeasure, se=("delta",), estimand=TRAINED, pairs=holdout_difference
)
def holdout_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the test cases, with the standard error and interval of `karat.diagnose`."""
    block, cases, value = the_test(fits, metric)
    counts = metric.tables(block, block.ones)[0]
    slopes = metric.linear(counts)
    independent = slopes.losses(block)[0]
    of, said = np.ones(len(cases), dtype=bool), decided(block, metric.name)[0]
    if metric.share:  # the groups are those of the cases with this decision
        of = np.isin(said, np.flatnonzero(slopes.table.any(axis=0)))
    influence = among_all(independent, fits, cases) * root_of_factor(fits, cases[of])
    units = fits.design.independent_units(metric.class_sets(fits.sample), cases)
    trials, plug_in = metric.trials(counts / len(cases), units), math.sqrt(variance(fits.design, influence))
    out = Estimate(
        value, se=plug_in, se_method="delta", influence=influence, cases=min(units, max(1, math.floor(trials)))
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
        g, n = int(groups_by_class(fits.sample.groups[cases], block.codes).min()), len(cases)
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


Table = Callable[[Fits, TableMeasure], Floats]


def _declare(
    name: str, kind: Kind, se: tuple[str, ...], estimand: str, table: Table, mean: Function, difference: Function
) -> None:
    """The measure of an averaged table. `mean(fits, loss)` estimates its linear form, `difference(contrast)` the
    difference of those of two rules."""

    def measured(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
        averaged = table(fits, metric)
        trials = metric.trials(averaged, fits.design.n_units)
        out = mean(fits, metric.linear(averaged), se=se, undefined=undefined)
        rule = WilsonOfTrials(0.5 / trials, trials, trials, 4 * trials)
        return out.with_(value=metric.value_at(averaged), fold_sd=None, interval=rule)

    def paired(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
        of_a, of_b = table(a, metric), table(b, metric)
        contrast = Contrast(a, metric.linear(of_a), b, metric.linear(of_b))
        out = difference(contrast, se=se, undefined=undefined)
        out = out.with_(value=metric.value_at(of_a) - metric.value_at(of_b), fold_sd=None)
        if name != "cv+training" or identical(a, b):
            return out
        low, high = metric.bounds  # rules that agree on nearly all cases have a floor of half a trial
        most = max(metric.trials(averaged, a.design.n_units) for averaged in (of_a, of_b))
        return out.with_(se=max(out.require_se(), (high - low) / (2 * most)))

    estimator(name, kinds={kind}, metrics=TableMeasure, se=se, estimand=estimand, pairs=paired)(measured)


def of_first_part(fits: Fits, metric: TableMeasure) -> Floats:
    """The mean table of the folds of a design with several parts, the first of which is a cross-validation."""
    return mean_of_fold_tables(fits.parts[0], metric)


def trained_difference(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    return terms_of(c, undefined).estimate()


def trained(fits: Fits, loss: Cost, *, se: str | None, undefined: Undefined) -> Estimate:
    return terms_of(Contrast(fits, loss), undefined).estimate()


_declare("cv", "cv", FOLDS_SE, FOLD_TABLES, mean_of_fold_tables, cv_loss, difference_of_folds)
_declare("cv_pooled", "cv", FOLDS_SE, FOLD_TABLES, table_of_cases, cv_pooled_loss, difference_of_folds)
_declare("loob", "bootstrap", LOOB_SE, BOOTSTRAP_TABLES, table_of_cases, loob, loob_difference)
_declare("half_samples", "cv+halves", HALF_SE, N_CASES_TABLE, of_first_part, half_samples, cv_and_halves)
_declare("conservative_z", "paired", CONSERVATIVE_SE, FOLD_TABLES, of_first_part, conservative_z, splits_and_halves)
_declare("cv+training", "cv+bootstrap", TRAINING_SE, N_CASES_TABLE, of_first_part, trained, trained_difference)
