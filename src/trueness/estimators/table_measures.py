"""Functions of means over cases, by the delta method: PPV, NPV, F_β, MCC, kappa and likelihood ratios of the table of
truth and decision; RMSE, R², explained variance and correlation of predicted numbers.

The means (the cells of the table; squared errors, targets and their squares) are those of case losses. Each estimator
averages them as it averages a loss, and its value is the measure f of the averages. Its standard error, influence and
Monte-Carlo error are those of the mean loss g = ∂f/∂p, the linear form of f there (trueness.metrics.table). A paired
difference has a g for each rule.

The average of f over folds is another number: folds are small, f bends, and it is undefined where no case of a fold is
predicted positive, or where all targets of a fold are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import CASE_SE, CONTINUITY, CV, CV_POOLED, cv_loss, cv_pooled_loss, difference_of_folds
from trueness.estimators.cv_training import CV_TRAINING, WilsonOfTrials, terms_of, with_least_se
from trueness.estimators.cv_training import SE as TRAINING_SE
from trueness.estimators.halves import (
    CONSERVATIVE_SE,
    CONSERVATIVE_Z,
    HALF_SAMPLES,
    HALF_SE,
    cv_and_halves,
    splits_and_halves,
)
from trueness.estimators.holdout import HOLDOUT, asked, difference_by, units_of
from trueness.estimators.influence import Contrast
from trueness.estimators.loob import LOOB, loob, loob_difference
from trueness.estimators.loob import SE as LOOB_SE
from trueness.estimators.registry import Function, Method, Undefined
from trueness.formulas.tables import gradient
from trueness.metrics.metric import CaseLoss
from trueness.metrics.moments import MomentMeasure
from trueness.metrics.table import Measure, MeasureOfMeans, TableMeasure
from trueness.result import Estimate, Note
from trueness.result.interval import LOG
from trueness.result.named import DELTA, Estimand
from trueness.sample.answers import Answers
from trueness.sample.fits import Fits
from trueness.sample.measured import Means
from trueness.tables.estimation import effective_trials, half_added, needs_half
from trueness.tables.study_designs import Cohort
from trueness.typing import Floats

FOLDS_SE = tuple(se for se in CASE_SE if se != CONTINUITY)


def measured_moments(t: Answers, metric: MomentMeasure) -> Means:
    """A function of means on a test set, by its linear form for each rule."""
    sums = metric.tables(t.block, t.block.ones) / t.n
    rows = [replace(t.block, scores=scores) for scores in t.values]
    losses = [linear_form(metric, table).losses(row) for table, row in zip(sums, rows, strict=True)]
    found = Means.over(
        np.concatenate(losses),
        t.groups,
        metric=metric.name,
        bounds=metric.bounds,
        said=t.values,
        se_method=DELTA,
        rounding=metric.rounding,
    )
    return replace(found, values=np.array([value_at(metric, table) for table in sums]), interval=metric.rule())


@HOLDOUT.on(MomentMeasure, se=(DELTA,), pairs=difference_by(measured_moments))
def holdout_moments(fits: Fits, metric: MomentMeasure, *, se: str | None, undefined: Undefined) -> Estimate:
    """RMSE, R², explained variance or correlation of the test cases, with the standard error of the delta method."""
    t = asked(metric, fits)
    return t.among_all(measured_moments(t, metric).estimate()).with_(cases=units_of(t, metric))


def used_table(measure: Measure, table: Floats) -> tuple[Floats, Note | None]:
    """The table of which a ratio is taken: with ½ in every cell where it is 0 or infinite, with a note."""
    if not needs_half(Cohort(table), measure):
        return table, None
    return table + 0.5, half_added(float(measure.function(table)), "value, standard error and interval")


def value_at(metric: MeasureOfMeans, table: Floats) -> float:
    """The value at one table, inside the range; an error where it is undefined."""
    value = float(metric.value(table))
    if math.isnan(value) or (math.isinf(value) and isinstance(metric, MomentMeasure)):
        of_table = isinstance(metric, TableMeasure)
        raise UndefinedError(
            f"{metric.name} is 0/0: a class has no cases, or none is ever predicted"
            if of_table
            else f"{metric.name} is undefined: targets or predictions are all equal",
            param="metric",
            got=f"the table of truth and decision {table.round(4).tolist()}" if of_table else "a variance of 0",
        )
    return min(max(value, metric.bounds[0]), metric.bounds[1])


def linear_form(metric: MeasureOfMeans, table: Floats) -> CaseLoss:
    """The mean loss g that the measure is close to at these means; an error where it is undefined there."""
    value_at(metric, table)
    slopes = gradient(metric.value, table)
    return metric.linear(np.where(np.isfinite(slopes), slopes, 0.0))


def trials_of(metric: TableMeasure, shares: Floats, n: float) -> float:
    """How many independent trials a test set of n cases with these shares is worth, p(1 − p)/se² on the unit scale: of
    the table with two cases added, so that it is finite and positive at the ends of the range (docs/decisions/005)."""
    return effective_trials(Cohort(shares * n).halved(), metric.measure)


def mean_of_fold_tables(fits: Fits, metric: MeasureOfMeans) -> Floats:
    """Mean over folds of the shares (C, C) or means (1 + k,) within a fold, of the cross-validation where there are parts."""
    cv = fits.part(("cv",))

    def compute() -> Floats:
        each = [metric.tables(block, block.ones)[0] / max(len(block.codes), 1) for block in cv.tests()]
        return np.asarray(np.mean(each, axis=0))

    return cv.cached(("fold tables", metric.means_key), compute)


def table_of_cases(fits: Fits, metric: MeasureOfMeans) -> Floats:
    """(C, C) or (1 + k,) mean over cases of what the rules that each tests say; a case that tests none is skipped."""

    def compute() -> Floats:
        times = np.zeros(fits.sample.n)
        for block in fits.blocks():
            times += block.left_out.sum(axis=0)
        weights = 1 / np.maximum(times, 1)
        total = sum(metric.tables(block, block.left_out * weights).sum(axis=0) for block in fits.blocks())
        return np.asarray(total / (times > 0).sum())

    return fits.cached(("table of cases", metric.means_key), compute)


def _declare(
    method: Method,
    se: tuple[str, ...],
    estimand: Estimand,
    table: Callable[[Fits, MeasureOfMeans], Floats],
    difference: Function,
    mean: Function | None = None,
) -> None:
    """The measure of averaged means. `difference(contrast)` estimates the difference of the linear forms of two
    rules, and `mean(fits, loss)` that of one, where it is not `difference` of a contrast of one."""

    def measured(fits: Fits, metric: MeasureOfMeans, *, se: str | None, undefined: Undefined) -> Estimate:
        averaged, note = table_used(fits, metric)
        linear, how = linear_form(metric, averaged), {"se": se, "undefined": undefined}
        out = difference(Contrast(fits, linear), **how) if mean is None else mean(fits, linear, **how)
        out = out.with_(value=value_at(metric, averaged), fold_sd=None, interval=LOG).noting(note)
        if not isinstance(metric, TableMeasure):
            return out.with_(interval=metric.rule())
        if metric.ratio:
            return out
        trials = trials_of(metric, averaged, fits.design.n_units)
        return out.with_(interval=WilsonOfTrials(0.5 / trials, trials, trials, 4 * trials))

    def paired(a: Fits, b: Fits, metric: MeasureOfMeans, *, se: str | None, undefined: Undefined) -> Estimate:
        (of_a, note), (of_b, other) = table_used(a, metric), table_used(b, metric)
        contrast = Contrast(a, linear_form(metric, of_a), b, linear_form(metric, of_b))
        out = difference(contrast, se=se, undefined=undefined)
        out = out.with_(value=value_at(metric, of_a) - value_at(metric, of_b), fold_sd=None).noting(note, other)
        if method != CV_TRAINING or not isinstance(metric, TableMeasure) or metric.ratio:
            return out
        low, high = metric.bounds  # rules that agree on nearly all cases have a floor of half a trial
        most = max(trials_of(metric, averaged, a.design.n_units) for averaged in (of_a, of_b))
        return with_least_se(out, (high - low) / (2 * most), a, b)

    def table_used(fits: Fits, metric: MeasureOfMeans) -> tuple[Floats, Note | None]:
        averaged, n = table(fits, metric), fits.design.n_units
        if not isinstance(metric, TableMeasure):
            return averaged, None
        used, note = used_table(metric.measure, averaged * n)
        return (averaged, None) if note is None else (used / used.sum(), note)

    method.on(MeasureOfMeans, se=se, estimand=estimand, pairs=paired)(measured)


def trained(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """cv+training of a linear form, without an interval rule."""
    return terms_of(c, undefined).estimate()


_declare(CV, FOLDS_SE, Estimand.FOLD_TABLES, mean_of_fold_tables, difference_of_folds, cv_loss)
_declare(CV_POOLED, FOLDS_SE, Estimand.FOLD_TABLES, table_of_cases, difference_of_folds, cv_pooled_loss)
_declare(LOOB, LOOB_SE, Estimand.BOOTSTRAP_TABLES, table_of_cases, loob_difference, loob)
_declare(HALF_SAMPLES, HALF_SE, Estimand.N_CASES_TABLE, mean_of_fold_tables, cv_and_halves)
_declare(CONSERVATIVE_Z, CONSERVATIVE_SE, Estimand.FOLD_TABLES, mean_of_fold_tables, splits_and_halves)
_declare(CV_TRAINING, TRAINING_SE, Estimand.N_CASES_TABLE, mean_of_fold_tables, trained)
