"""PPV, NPV, F1, MCC and kappa: the estimators of a mean cost, by the delta method.

The cells of the table of truth and decision are case losses. Each estimator averages the table as it averages a loss,
and its value is the measure f of that table. Its standard error, influence and Monte-Carlo error are those of the mean
cost g = ∂f/∂p, the linear form of f there (trueness.metrics.table). A paired difference has a g for each rule.

The average of f over folds is another number: folds are small, f bends, and it is undefined where no case of a fold is
predicted positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trueness.estimators.conservative_z import CONSERVATIVE_Z, splits_and_halves
from trueness.estimators.conservative_z import SE as CONSERVATIVE_SE
from trueness.estimators.cv import CASE_SE, CONTINUITY, CV, cv_loss, difference_of_folds
from trueness.estimators.cv_pooled import CV_POOLED, cv_pooled_loss
from trueness.estimators.cv_training import CV_TRAINING, WilsonOfTrials, terms_of, with_least_se
from trueness.estimators.cv_training import SE as TRAINING_SE
from trueness.estimators.half_samples import HALF_SAMPLES, cv_and_halves
from trueness.estimators.half_samples import SE as HALF_SE
from trueness.estimators.holdout import HOLDOUT, TestSet, holdout_difference
from trueness.estimators.influence import Contrast
from trueness.estimators.loob import LOOB, loob, loob_difference
from trueness.estimators.loob import SE as LOOB_SE
from trueness.estimators.registry import Function, Method, Undefined
from trueness.formulas.groups import DesignEffect, count_groups, groups_by_class
from trueness.metrics.cost import decided
from trueness.metrics.table import ZERO_SE, TableMeasure, has_certain_class, with_half_in_se, with_two_cases
from trueness.result import Estimate, Interval
from trueness.result.grouped import few_groups, share_in_groups
from trueness.result.interval import OF_WILSON, EffectiveWilson, IntervalRule
from trueness.result.named import DELTA, Estimand
from trueness.sample.fits import Fits
from trueness.typing import Floats

FOLDS_SE = tuple(se for se in CASE_SE if se != CONTINUITY)


@HOLDOUT.on(TableMeasure, se=(DELTA,), pairs=holdout_difference)
def holdout_table(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """The measure of the test cases, with the standard error and interval of `trueness.diagnose`."""
    t = TestSet.of(fits, metric)
    counts, said, n = metric.tables(t.block, t.block.ones)[0], decided(t.block, metric.name)[0], len(t.cases)
    linear = metric.linear(counts)
    influence, of = linear.losses(t.block)[0], np.ones(n, dtype=bool)
    if metric.share:  # the groups are those of the cases with this decision
        of = np.isin(said, np.flatnonzero(linear.table.any(axis=0)))
    two, g = metric.n_classes == 2, None
    if t.groups is not None and (two or metric.share):
        g = count_groups(t.groups[of]) if metric.share else int(groups_by_class(t.groups, t.block.codes).min())
        if g < 2:
            return Estimate(t.value).noting(few_groups(g))
    out = t.estimate(influence * t.factor(of), DELTA)
    if metric.share and t.groups is None:  # a plain proportion of the cases with this decision
        return out.with_(plain=True, cases=round(metric.out_of(counts)))
    units, plug_in = t.units, out.se or 0.0
    trials = metric.trials(counts / n, units)
    out = out.with_(cases=min(units, max(1, math.floor(trials))))
    empty = metric.correlation and not counts.all() if two else has_certain_class(counts)
    if plug_in < ZERO_SE or empty:
        few = with_two_cases(counts * units / n)  # as few as there are groups
        out = with_half_in_se(out, metric.se(few), metric.n_classes)
    if not two:
        return out
    if t.groups is None or g is None:
        return out.with_(interval=EffectiveWilson(trials)) if metric.correlation else out
    if metric.share:
        rule = share_in_groups(t.block.codes == said, t.groups, "wilson", of).interval
        return out.with_(interval=rule) if 0 < t.value < 1 else out
    effect = DesignEffect.of(plug_in**2, float((influence**2).sum()) * n / (n - 1), n, g)
    out = out.with_(df=g - 1)
    return out.with_(interval=OfEffectiveTable(metric, counts, effect)) if metric.correlation else out


@dataclass(frozen=True, eq=False)
class OfEffectiveTable(IntervalRule):
    """The interval that a correlation has in the table divided by its design effect, as in `trueness.diagnose`."""

    metric: TableMeasure
    counts: Floats
    effect: DesignEffect
    name = OF_WILSON

    def limits(self, e: Estimate, level: float) -> Interval:
        n = float(self.counts.sum())
        return EffectiveWilson(self.metric.trials(self.counts / n, n / self.effect.divisor(level))).limits(e, level)


def mean_of_fold_tables(fits: Fits, metric: TableMeasure) -> Floats:
    """(C, C) mean over folds of the shares within a fold; those of the cross-validation where the design has parts."""
    cv = fits.part(("cv",))

    def compute() -> Floats:
        each = [metric.tables(block, block.ones)[0] / max(len(block.codes), 1) for block in cv.tests()]
        return np.asarray(np.mean(each, axis=0))

    return cv.cached(("fold tables",), compute)


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


def _declare(
    method: Method,
    se: tuple[str, ...],
    estimand: Estimand,
    table: Callable[[Fits, TableMeasure], Floats],
    difference: Function,
    mean: Function | None = None,
) -> None:
    """The measure of an averaged table. `difference(contrast)` estimates the difference of the linear forms of two
    rules, and `mean(fits, loss)` that of one, where it is not `difference` of a contrast of one."""

    def measured(fits: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
        averaged = table(fits, metric)
        linear, trials = metric.linear(averaged), metric.trials(averaged, fits.design.n_units)
        how = {"se": se, "undefined": undefined}
        out = difference(Contrast(fits, linear), **how) if mean is None else mean(fits, linear, **how)
        rule = WilsonOfTrials(0.5 / trials, trials, trials, 4 * trials)
        return out.with_(value=metric.value_at(averaged), fold_sd=None, interval=rule)

    def paired(a: Fits, b: Fits, metric: TableMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
        of_a, of_b = table(a, metric), table(b, metric)
        contrast = Contrast(a, metric.linear(of_a), b, metric.linear(of_b))
        out = difference(contrast, se=se, undefined=undefined)
        out = out.with_(value=metric.value_at(of_a) - metric.value_at(of_b), fold_sd=None)
        if method != CV_TRAINING:
            return out
        low, high = metric.bounds  # rules that agree on nearly all cases have a floor of half a trial
        most = max(metric.trials(averaged, a.design.n_units) for averaged in (of_a, of_b))
        return with_least_se(out, (high - low) / (2 * most), a, b)

    method.on(TableMeasure, se=se, estimand=estimand, pairs=paired)(measured)


def trained(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """cv+training of a linear form, without an interval rule."""
    return terms_of(c, undefined).estimate()


_declare(CV, FOLDS_SE, Estimand.FOLD_TABLES, mean_of_fold_tables, difference_of_folds, cv_loss)
_declare(CV_POOLED, FOLDS_SE, Estimand.FOLD_TABLES, table_of_cases, difference_of_folds, cv_pooled_loss)
_declare(LOOB, LOOB_SE, Estimand.BOOTSTRAP_TABLES, table_of_cases, loob_difference, loob)
_declare(HALF_SAMPLES, HALF_SE, Estimand.N_CASES_TABLE, mean_of_fold_tables, cv_and_halves)
_declare(CONSERVATIVE_Z, CONSERVATIVE_SE, Estimand.FOLD_TABLES, mean_of_fold_tables, splits_and_halves)
_declare(CV_TRAINING, TRAINING_SE, Estimand.N_CASES_TABLE, mean_of_fold_tables, trained)
