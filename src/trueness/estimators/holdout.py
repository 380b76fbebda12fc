"""Holdout: one rule tested on cases it was not trained on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.registry import Method, Undefined, find
from trueness.formulas import mover
from trueness.formulas.groups import group_factor, group_sums
from trueness.metrics.auc import AUC
from trueness.metrics.average_precision import AveragePrecision
from trueness.metrics.cost import Cost, Rate
from trueness.metrics.metric import CaseLoss, Metric, SetMetric
from trueness.result import Estimate, Interval
from trueness.result.grouped import share_in_groups
from trueness.result.interval import MOVER, IntervalRule, Proportion
from trueness.result.joint import correlations
from trueness.result.named import BINOMIAL, DELONG, DELTA, JACKKNIFE, POSITIVES, Estimand, StandardError
from trueness.result.note import Note
from trueness.sample.auc_estimate import auc_of_influence, auc_of_scores, satterthwaite
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.sample.scored import Scored
from trueness.typing import Bools, Floats, Ints

MAX_CASES_FOR_JACKKNIFE = 1000  # the metric is computed once without each
ABOUT_STATISTIC = ("not-functional", "smooth-unknown")  # what the jackknife notes of the statistic, not of its bias

HOLDOUT = Method(
    "holdout",
    "its value on the test cases",
    kinds={"holdout"},
    estimand=Estimand.TRAINED,
    order=50,
    recommended={"holdout"},
)
MOSTLY_POSITIVE = Note(
    "mostly-positive",
    "More than half of the cases are positive, so the interval may be too short. Use {se='delta'}.",
    "warning",
)


@dataclass(frozen=True, eq=False)
class TestSet:
    """The one test set of some fits, with the value of a metric."""

    fits: Fits
    metric: Metric
    block: Block
    cases: Ints  # (m,) their places in the sample
    value: float

    @classmethod
    def of(cls, fits: Fits, metric: Metric) -> TestSet:
        """An error where there are several, or where the metric is undefined."""
        block, cases = the_test_set(fits)
        value = float(metric.rows(block, block.ones)[0]) if len(cases) else math.nan
        if math.isnan(value):
            raise undefined_there(metric, len(cases))
        return cls(fits, metric, block, cases, value)

    @property
    def groups(self) -> Ints | None:
        """(m,) group of each case."""
        return None if self.fits.sample.groups is None else self.fits.sample.groups[self.cases]

    @property
    def units(self) -> int:
        """Independent cases, or groups, of the classes that the metric averages: the fewest that one of them has."""
        return self.fits.design.independent_units(self.metric.class_sets(self.fits.sample), self.cases)

    def factor(self, of: Bools | slice = slice(None)) -> float:
        """√(G/(G − 1)), G the groups of these cases, by which an influence grows; 1 without groups."""
        return 1.0 if self.groups is None else math.sqrt(group_factor(self.groups[of]))

    def among_all(self, influence: Floats) -> Floats:
        """(n,) the influence (m,) of the test cases, 0 for the others."""
        whole = np.zeros(self.fits.sample.n)
        whole[self.cases] = influence
        return whole

    def estimate(self, influence: Floats, se_method: StandardError) -> Estimate:
        """The value, with the norm of the influence (m,) as its standard error."""
        whole = self.among_all(influence)
        se = math.sqrt(variance(self.fits.design, whole))
        return Estimate(self.value, se=se, se_method=se_method, influence=whole)


def the_test_set(fits: Fits) -> tuple[Block, Ints]:
    """The one test set and the places (m,) of its cases in the sample; an error where there are several."""
    if fits.n_fits != 1:
        raise InputError(
            "A holdout has one fit",
            param="fits",
            got=f"{fits.n_fits} fits",
            fix="Use {plan='cv'} and {method='cv'}",
        )
    return next(fits.tests()), fits.design.tested(0)


def undefined_there(metric: Metric, cases: int) -> UndefinedError:
    """Why there is no value."""
    return UndefinedError(
        f"The test set has no {metric.name}: a class has no cases, or none is predicted",
        param="fits",
        got=f"{cases} test cases",
    )


def holdout_difference(a: Fits, b: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Of two rules on the same test cases (DeLong's for an AUC), with Satterthwaite's degrees of freedom over the
    classes that the metric averages."""
    estimate = find("holdout", "holdout", metric).function
    first, second = (estimate(fits, metric, se=se, undefined=undefined) for fits in (a, b))
    out = Estimate(first.value - second.value)
    if first.influence is None or second.influence is None:
        return out.noting(*first.notes, *second.notes)
    influence = first.influence - second.influence
    by = BINOMIAL if isinstance(metric, CaseLoss) else DELONG if isinstance(metric, AUC) else DELTA
    out = out.with_(se=math.sqrt(variance(a.design, influence)), se_method=by, influence=influence)
    if a.sample.groups is not None:  # degrees of freedom are those of the groups
        return out
    cases, class_sets = a.design.tested(0), metric.class_sets(a.sample)
    cases = cases[np.isin(a.sample.codes[cases], np.concatenate(class_sets))]
    codes = a.sample.codes[cases] if len(class_sets) > 1 else np.zeros(len(cases), dtype=np.intp)
    return out.with_(df=satterthwaite(influence[cases], codes))


@HOLDOUT.on(CaseLoss, se=(BINOMIAL,), pairs=holdout_difference)
def holdout_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean loss of the test cases, Σ_c P_c (mean of class c) with given class probabilities. Its standard error is the
    plug-in one, √(p(1 − p)/n) for an error rate, and with groups that of the ratio estimator (trueness.formulas.groups),
    in which the groups are those of the class, as in `trueness.diagnose`."""
    t = TestSet.of(fits, loss)
    losses, weights, codes = loss.losses(t.block)[0], loss.class_weights, t.block.codes
    classes = [(1.0, codes >= 0)] if weights is None else [(weights[c], codes == c) for c in np.flatnonzero(weights)]
    influence = np.zeros(len(losses))
    for weight, of in classes:
        influence[of] = weight * (losses[of] - losses[of].mean()) / of.sum() * t.factor(of)
    out = t.estimate(influence, BINOMIAL).with_(cases=t.units, tested=sum(int(of.sum()) for _, of in classes))
    if isinstance(loss, Rate) and len(classes) == 1:  # a share of cases, as in trueness.diagnose
        if t.groups is None:
            return out.with_(plain=True)
        return out.with_(interval=share_in_groups(losses, t.groups, "wilson", classes[0][1]).interval)
    rule = _of_classes(t, loss, losses, classes) if isinstance(loss, Cost) and len(classes) > 1 else None
    return out if rule is None else out.with_(interval=rule)


@dataclass(frozen=True, eq=False)
class OfClasses(IntervalRule):
    """The interval of Σ_c (a_c + b_c p_c) from those of the shares p_c of the classes (trueness.formulas.mover).

    The plug-in variance of a class without errors, or without successes, is 0, however few its cases are.
    """

    parts: Sequence[tuple[float, Estimate]]  # b_c and p_c
    correlations: Floats  # of the p_c, which are 0 unless groups have cases of several classes
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        steps = [sorted(b * (end - p.value) for end in p.ci(level)) for b, p in self.parts]
        signs = np.sign([b for b, _ in self.parts])
        limits = mover.joined(e.value, np.array(steps), self.correlations * np.outer(signs, signs))
        return self.clipped(e, *limits, level)


def _of_classes(t: TestSet, cost: Cost, losses: Floats, classes: list[tuple[float, Bools]]) -> OfClasses | None:
    """From the weight and the cases of each class, where the cost has two values in each; None otherwise."""
    parts = []
    for weight, of in classes:
        values = np.unique(cost.table[t.block.codes[of][0]])
        if len(values) != 2:
            return None
        low, high = values
        hits = losses == high
        if t.groups is None:
            n, p = int(of.sum()), float(hits[of].mean())
            share = Estimate(p, se=0.0, bounds=(0.0, 1.0), interval=Proportion("wilson"), cases=n, plain=True)
        else:
            share = share_in_groups(hits, t.groups, "wilson", of)
        parts.append((float(weight * (high - low)), share))
    influences = [share.influence for _, share in parts if share.influence is not None]
    if t.groups is None or len(influences) < len(parts):
        return OfClasses(parts, np.eye(len(parts)))
    return OfClasses(parts, correlations(group_sums(np.stack(influences), t.groups)))


@HOLDOUT.on(AUC, se=(DELONG,), pairs=holdout_difference)
def holdout_auc(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over one against
    the rest, with the influence of every case summed over the parts. Its interval is that of `trueness.roc`."""
    t = TestSet.of(fits, metric)
    parts = [Scored(scores[0], positive, groups=t.groups) for scores, positive in metric.parts(t.block)]
    if fits.sample.n_classes == 2:
        out = auc_of_scores(parts[0])
    else:
        out = Estimate(t.value, bounds=metric.bounds, interval=metric.interval, cases=t.units)
        out = auc_of_influence(out, np.mean([part.delong[1] for part in parts], axis=0), t.block.codes, t.groups)
    return out if out.influence is None else out.with_(influence=t.among_all(out.influence))


@HOLDOUT.on(AveragePrecision, se=(POSITIVES, DELTA), pairs=holdout_difference)
def holdout_average_precision(
    fits: Fits, metric: AveragePrecision, *, se: str | None, undefined: Undefined
) -> Estimate:
    """Average precision of the test cases.

    "positives" is √(θ(1 − θ)/n1), n1 the positives, with the interval of `trueness.pr` (Boyd, Eng & Page 2013); "delta" is
    the norm of the influence function, the default for groups and several classes. The former is too small where most
    cases are positive, the latter in small samples.
    """
    t = TestSet.of(fits, metric)
    positives = t.units
    out = t.estimate(metric.influence(t.block) * t.factor(), DELTA).with_(cases=positives)
    if se == DELTA or (se is None and (t.groups is not None or len(metric.targets) > 1)):
        return out
    out = out.with_(se=math.sqrt(t.value * (1 - t.value) / positives), se_method=POSITIVES)
    return out.noting(MOSTLY_POSITIVE if 2 * positives > len(t.cases) else None)


@HOLDOUT.on(SetMetric, se=(JACKKNIFE,))
def holdout_set(fits: Fits, metric: SetMetric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Any other metric of the test cases, with the influence of the jackknife where the metric is smooth."""
    from trueness.statistics.resampling import jackknife  # assess loads it for a function of the user's own only

    t = TestSet.of(fits, metric)
    out, m = Estimate(t.value), len(t.cases)
    if m > MAX_CASES_FOR_JACKKNIFE:
        message = (
            f"No standard error of {metric.name}: leaving out each of {m} test cases in turn takes too long; "
            "trueness.statistics.bootstrap gives one for fixed scores."
        )
        return out.noting(Note("no-se-many-cases", message, cases=m, limit=MAX_CASES_FOR_JACKKNIFE))

    def of_rows(rows: Ints) -> float:
        return float(metric.rows(t.block, np.bincount(rows, minlength=m)[None].astype(float))[0])

    try:
        found = jackknife(of_rows, np.arange(m))
    except InputError as error:  # it is undefined without one of the cases
        message = f"No standard error is known for {metric.name}: {error.problem}."
        return out.noting(Note("no-se-known", message, metric=metric.name))
    if found.se is None or found.influence is None:
        return out.noting(*found.notes)
    influence = found.influence
    if t.groups is not None:  # G/(G − 1) of the groups in place of the jackknife's n/(n − 1) of the cases
        influence = influence * (math.sqrt((m - 1) / m) * t.factor())
    return t.estimate(influence, JACKKNIFE).noting(*(note for note in found.notes if note.code in ABOUT_STATISTIC))
