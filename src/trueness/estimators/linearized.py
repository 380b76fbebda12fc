"""Functions of means over cases (F1, MCC and other measures of the table of truth and decision; RMSE, R² and others of
predicted numbers), and functionals of outcome and probability (calibration slope, …), by the delta method.

The means (the cells of the table; squared errors, targets and their squares) are those of case losses. Each estimator
averages them, or the distribution of outcome and probability, as it averages a loss, and its value is the measure f of the
average. Its standard error, influence and Monte-Carlo error are those of the mean of a case loss, the linear form of f
there: ∂f/∂p of the means (trueness.metrics.table), or the influence function of f (trueness.metrics.calibration). A paired
difference has a linear form for each rule.

The average of f over folds is another number: folds are small, f bends, and it is undefined where no case of a fold is
predicted positive, where a class is missing, or where all targets of a fold are equal.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import CASE_SE, CONTINUITY, CV, CV_POOLED, cv_loss, cv_pooled_loss
from trueness.estimators.cv_training import CV_TRAINING, WilsonOfTrials, trained, with_least_se
from trueness.estimators.cv_training import SE as TRAINING_SE
from trueness.estimators.halves import (
    CONSERVATIVE_SE,
    CONSERVATIVE_Z,
    HALF_SAMPLES,
    HALF_SE,
    conservative_z,
    half_samples,
)
from trueness.estimators.holdout import HOLDOUT, asked, by_influence, measured_by, units_of
from trueness.estimators.influence import Contrast
from trueness.estimators.loob import LOOB, loob
from trueness.estimators.loob import SE as LOOB_SE
from trueness.estimators.method import Estimator, Function, Method
from trueness.formulas import mover
from trueness.formulas.calibration import Judged
from trueness.formulas.groups import group_factor
from trueness.metrics.calibration import At, Functional, InfluenceLoss, OfDistance
from trueness.metrics.measure import MeasureOfMeans
from trueness.metrics.metric import CaseLoss, refuse_missing, scores_of
from trueness.metrics.moments import MomentMeasure
from trueness.metrics.table import TableMeasure
from trueness.result.estimate import Estimate
from trueness.result.interval import LOG, Interval, IntervalRule
from trueness.result.notes import Note
from trueness.result.words import DELTA, SANDWICH, Estimand
from trueness.sample.answers import Answers
from trueness.sample.fits import Fits
from trueness.sample.measured import Means
from trueness.tables.estimation import (
    OfDifference,
    correlation,
    effective_trials,
    needs_half,
    se_of,
    slopes_of,
    value_of,
)
from trueness.tables.rules import variance_of_added
from trueness.tables.study_designs import Cohort
from trueness.typing import Bools, Floats

Average = Literal["folds", "tests", "cases"]
"""The mean over folds, over all tests of the folds, or over cases of the mean over the rules that left them out."""
FOLDS_SE = tuple(se for se in CASE_SE if se != CONTINUITY)


@HOLDOUT.on(MomentMeasure, se=(DELTA,), pairs=True)
def holdout_moments(c: Contrast) -> Estimate:
    """RMSE, R², explained variance or correlation of the test cases, by the linear form for each rule, with the standard
    error of the delta method."""
    t, metric = asked(c), c.metric
    sums = metric.tables(t.block, t.block.ones) / t.n
    rows = [replace(t.block, scores=scores) for scores in t.values]
    losses = [linear_form(metric, table).losses(row) for table, row in zip(sums, rows, strict=True)]
    m = Means.over(
        np.concatenate(losses),
        t.groups,
        metric=metric.name,
        bounds=metric.bounds,
        said=t.values,
        se_method=DELTA,
        rounding=metric.rounding,
    )
    m = replace(m, values=np.array([value_at(metric, table) for table in sums]), interval=metric.interval)
    if c.other is not None:
        return t.among_all(m.difference())
    return t.among_all(m.estimate()).with_(cases=units_of(t, metric))


def value_at(metric: MeasureOfMeans, table: Floats) -> float:
    """The value at one table, inside the range; an error where it is undefined."""
    value = float(metric.value(table))
    if math.isnan(value) or (math.isinf(value) and isinstance(metric, MomentMeasure)):
        problem = f"{metric.name} is undefined: {metric.undefined_where}"
        raise UndefinedError(problem, param="metric", got=f"means {table.round(4).tolist()}")
    return min(max(value, metric.bounds[0]), metric.bounds[1])


def linear_form(metric: MeasureOfMeans, table: Floats) -> CaseLoss:
    """The mean loss g that the measure is close to at these means; an error where it is undefined there."""
    value_at(metric, table)
    slopes = metric.slopes(table)
    return metric.linear(np.where(np.isfinite(slopes), slopes, 0.0))


def mean_of_fold_tables(fits: Fits, metric: MeasureOfMeans, average: Average = "folds") -> Floats:
    """Mean over folds or tests of the shares (C, C) or means (1 + k,), of the cross-validation where there are parts."""
    cv = fits.part(("cv",))

    def compute() -> tuple[Floats, Floats]:
        blocks = [(metric.tables(block, block.ones)[0], len(block.codes)) for block in cv.tests()]
        return np.stack([table for table, _ in blocks]), np.array([size for _, size in blocks], dtype=float)

    tables, sizes = cv.cached(("fold tables", metric.means_key), compute)
    if average == "tests":
        return np.asarray(tables.sum(axis=0) / sizes.sum())
    return np.asarray(np.mean([table / max(size, 1) for table, size in zip(tables, sizes, strict=True)], axis=0))


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


@dataclass(frozen=True, eq=False)
class Linearized:
    """A measure at an average over rules."""

    value: float
    loss: CaseLoss  # its linear form there
    interval: IntervalRule
    least: float = 0.0  # standard error of a difference at least: rules that agree on nearly all cases have a floor
    halved: Cohort | None = None  # of a ratio, its table with ½ in every cell
    note: Note | None = None  # that its value is that of this table


def at_means(fits: Fits, metric: MeasureOfMeans, average: Average) -> Linearized:
    """The function of averaged means."""
    means = table_of_cases(fits, metric) if average == "cases" else mean_of_fold_tables(fits, metric, average)
    halved = note = None
    if isinstance(metric, TableMeasure) and metric.ratio:
        table = Cohort(means * fits.design.n_units)
        halved = table.halved()
        if needs_half(table, metric.measure):
            note = Note("half-added", without=value_of(table, metric.measure))
            means = halved.table / halved.table.sum()
    value, loss = value_at(metric, means), linear_form(metric, means)
    if not isinstance(metric, TableMeasure):
        return Linearized(value, loss, metric.interval)
    if metric.ratio:
        return Linearized(value, loss, LOG, halved=halved, note=note)
    # independent trials that a test set with these shares is worth, p(1 − p)/se² on the unit scale: of the table with two
    # cases added, so that it is finite and positive at the ends of the range (docs/decisions/005)
    trials, units = (
        effective_trials(Cohort(means * n).halved(), metric.measure) for n in (fits.design.n, fits.design.n_units)
    )
    low, high = metric.bounds
    rule = WilsonOfTrials(0.5 / trials, units, trials, 4 * trials)
    return Linearized(value, loss, rule, (high - low) / (2 * units))


def judged_by(fits: Fits, metric: Functional, average: Average) -> Judged:
    """Outcomes and left-out probabilities of all rules, with their weights in the average."""
    source = fits if average == "cases" else fits.part(("cv",))

    def compute() -> Judged:
        y, parts = source.sample.codes == metric.positive, []
        if source.design.kind == "holdout":
            test = next(source.tests())
            p = scores_of(test, metric.name)[0]
            refuse_missing(np.isnan(p), metric.name)
            return Judged.of(test.codes == metric.positive, p)
        if average != "cases":
            for block in source.tests():
                known = scores_of(block, metric.name)[0]
                cases = source.design.tested(int(block.fits[0]))
                weight = 1 / max(len(known), 1) if average == "folds" else 1.0
                parts.append((y[cases], known, np.full(len(known), weight)))
        else:
            times = np.maximum(sum(block.left_out.sum(axis=0) for block in source.blocks()), 1)
            for block in source.blocks():
                out, known = block.left_out, scores_of(block, metric.name)
                rows, cases = np.nonzero(out)
                parts.append((y[cases], known[rows, cases], 1 / times[cases]))
        outcome, p, w = (np.concatenate(column) for column in zip(*parts, strict=True))
        refuse_missing(np.isnan(p), metric.name)
        return Judged.of(outcome, p, w, n=float(source.design.n_units))

    return source.cached(("judged", average, metric.positive), compute)


def at_probabilities(fits: Fits, metric: Functional, average: Average) -> Linearized:
    """The functional of pooled probabilities.

    Its influence function has no bounds: a positive that a bootstrap rule gives 1e-8, as none of the pooled cases has it,
    would move the linear form, but not the functional, without limit. It is held between its ends over the pooled cases,
    as in bounded-influence estimation (Hampel 1974; Künsch, Stefanski & Carroll 1989).
    """
    judged = judged_by(fits, metric, average)
    found = functional_at(metric, judged)
    own = found.form(judged.y, judged.p)
    low, high = float(own.min()), float(own.max())

    def bounded(y: Bools, p: Floats) -> Floats:
        return np.asarray(np.clip(found.form(y, p), low, high))

    return Linearized(found.value, InfluenceLoss(form=bounded, positive=metric.positive), found.interval)


def functional_at(metric: Functional, judged: Judged) -> At:
    """Its value and influence function; an error where it is undefined."""
    found = metric.of(judged)
    if judged.both and judged.beyond_doubt and metric.of_doubt:
        raise UndefinedError(
            f"{metric.name} says nothing here: the probabilities are so close to 0 and 1 that less than one of "
            f"{judged.n:.0f} cases is in doubt, and none contradicts them",
            param="metric",
        )
    if found is None:
        raise UndefinedError(
            f"{metric.name} is undefined: a class has no cases, all probabilities are equal, or they separate the "
            "classes without an error, so that a logistic regression on them has no maximum",
            param="metric",
            got=f"{len(judged.p)} probabilities",
        )
    return found


class OfDistances(OfDifference):
    """The interval of a difference of distances, which are biased near 0: their own intervals allow for it. Where that of
    one holds 0, all of its distance may be bias, and the difference goes as far as the limit of the other."""

    tests = True

    def limits(self, e: Estimate, level: float) -> Interval:
        a, b = self.first.ci(level), self.second.ci(level)
        rho = self.correlation if min(a.low, b.low) > 0 else min(self.correlation, 0.0)
        low, high = mover.difference(self.first.value, a, self.second.value, b, rho)
        return self.clipped(e, low if a.low > 0 else -b.high, high if b.low > 0 else a.high, level)


def of_distances(out: Estimate, c: Contrast, estimate: Function) -> Estimate:
    """A difference with the interval that those of both have together, where they are distances."""
    a, b = (estimate(replace(c, fits=rule, other=None)).with_(bounds=c.metric.bounds) for _, rule in c.rules)
    if not (out.se and a.se and b.se and isinstance(a.interval, OfDistance) and isinstance(b.interval, OfDistance)):
        return out
    rho = float(np.clip((a.se**2 + b.se**2 - out.se**2) / (2 * a.se * b.se), -1, 1))
    return out.with_(interval=OfDistances(a, b, rho))


@HOLDOUT.on(Functional, se=(DELTA,), pairs=True)
def holdout_functional(c: Contrast) -> Estimate:
    """The functional of the test cases, with the norm of its influence function as the standard error."""
    fits, metric = [rule for _, rule in c.rules], c.metric
    t, judged = Answers.of_fits(*fits), [judged_by(rule, metric, "cases") for rule in fits]
    found = [functional_at(metric, j) for j in judged]
    factor = t.n / (t.n - 1) if t.groups is None else group_factor(t.groups)
    influence = np.stack([at.form(j.y, j.p) for at, j in zip(found, judged, strict=True)]) * (np.sqrt(factor) / t.n)
    m = measured_by(t, metric, influence, np.array([at.value for at in found]))
    if c.other is None:
        by = SANDWICH if metric.of_regression else DELTA
        return by_influence(t, m, by).with_(interval=found[0].interval)
    return of_distances(t.among_all(m.difference()), c, holdout_functional)


LINEARIZED: list[Estimator] = []
"""The forms that `_declare` makes, two of each method."""


def _declare(
    method: Method, se: tuple[str, ...], estimands: tuple[Estimand, Estimand], average: Average, of_loss: Function
) -> None:
    """For functions of means and of probabilities, whose estimands differ; `of_loss` estimates the mean of their linear
    form, or the difference of those of two rules."""

    def declare(kind: type[Any], at: Callable[[Fits, Any, Average], Linearized], estimand: Estimand) -> None:
        def estimate(c: Contrast) -> Estimate:
            one, *others = (at(rule, c.metric, average) for _, rule in c.rules)
            if not others:
                out = of_loss(replace(c, metric=one.loss))
                out = out.with_(value=one.value, fold_sd=None, interval=one.interval).noting(one.note)
                if one.note is None or one.halved is None:
                    return out
                return with_least_se(out, se_of(one.halved, c.metric.measure), c).with_(influence=None)
            other = others[0]
            out = of_loss(replace(c, metric=one.loss, other_metric=other.loss))
            out = out.with_(value=one.value - other.value, fold_sd=None).noting(one.note, other.note)
            least = min(one.least, other.least) if method == CV_TRAINING else 0.0
            added = bool(one.note or other.note)  # to the table of a rule; it varies more than the cases of both
            if added and one.halved and other.halved:
                slopes = (slopes_of(one.halved, c.metric.measure), -slopes_of(other.halved, c.metric.measure))
                least = math.hypot(out.se or 0.0, math.sqrt(variance_of_added(one.halved, *slopes)))
                out = out.with_(influence=None)
            out = with_least_se(out, least, c)
            if out.se and one.halved:
                first, second = (estimate(replace(c, fits=rule, other=None)) for _, rule in c.rules)
                rho = 0.0 if added else correlation(first, second, out.se)
                return out.with_(interval=OfDifference(first, second, rho))
            return of_distances(out, c, estimate) if isinstance(one.interval, OfDistance) else out

        LINEARIZED.append(method.on(kind, se=se, estimand=estimand, pairs=True)(estimate))

    declare(MeasureOfMeans, at_means, estimands[0])
    declare(Functional, at_probabilities, estimands[1])


_OF_FOLDS = (Estimand.FOLD_TABLES, Estimand.FOLD_POOLED)
_OF_BOOTSTRAP = (Estimand.BOOTSTRAP_TABLES, Estimand.BOOTSTRAP_POOLED)
_OF_N_CASES = (Estimand.N_CASES_TABLE, Estimand.N_CASES_POOLED)
_declare(CV, FOLDS_SE, _OF_FOLDS, "folds", cv_loss)
_declare(CV_POOLED, FOLDS_SE, _OF_FOLDS, "cases", lambda c: (cv_pooled_loss if c.other is None else cv_loss)(c))
_declare(LOOB, LOOB_SE, _OF_BOOTSTRAP, "cases", loob)
_declare(HALF_SAMPLES, HALF_SE, _OF_N_CASES, "folds", half_samples)
_declare(CONSERVATIVE_Z, CONSERVATIVE_SE, _OF_FOLDS, "folds", conservative_z)
_declare(CV_TRAINING, TRAINING_SE, _OF_N_CASES, "tests", lambda c: trained(c)[0])
