"""Holdout: one rule tested on cases it was not trained on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.estimators.registry import Function, Method, Undefined
from trueness.formulas import mover
from trueness.formulas.groups import group_factor, group_sums
from trueness.metrics.auc import AUC, AveragePrecision
from trueness.metrics.cost import Cost, Rate
from trueness.metrics.metric import CaseLoss, Metric, SetMetric
from trueness.result import Estimate, Interval
from trueness.result.grouped import share_in_groups
from trueness.result.interval import MOVER, IntervalRule, Proportion
from trueness.result.joint import correlations
from trueness.result.named import BINOMIAL, DELONG, DELTA, JACKKNIFE, POSITIVES, Estimand, StandardError
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.sample.measured import Aucs, Means, Measured
from trueness.sample.rows import Block
from trueness.typing import Array, Bools, Floats, Ints

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
    """The one test set of some fits, which are the rules that a metric compares on it."""

    fits: Fits  # the first; all have one design
    metric: Metric
    block: Block  # one row per rule
    cases: Ints  # (m,) their places in the sample
    values: Floats  # (M,) of the metric

    @classmethod
    def of(cls, metric: Metric, *fits: Fits) -> TestSet:
        """An error where there are several, or where the metric is undefined."""
        blocks, cases = [the_test_set(f)[0] for f in fits], the_test_set(fits[0])[1]
        block = replace(
            blocks[0],
            counts=np.concatenate([b.counts for b in blocks]),
            scores=_stacked([b.scores for b in blocks]),
            predictions=_stacked([b.predictions for b in blocks]),
        )
        values = metric.rows(block, block.ones) if len(cases) else np.array([math.nan])
        if np.isnan(values).any():
            raise undefined_there(metric, len(cases))
        return cls(fits[0], metric, block, cases, values)

    @property
    def value(self) -> float:
        """Of the first rule."""
        return float(self.values[0])

    @property
    def groups(self) -> Ints | None:
        """(m,) group of each case."""
        return None if self.fits.sample.groups is None else self.fits.sample.groups[self.cases]

    @property
    def units(self) -> int:
        """Independent cases, or groups, of the classes that the metric averages: the fewest that one of them has."""
        return self.fits.design.independent_units(self.metric.class_sets(self.fits.sample), self.cases)

    @property
    def said(self) -> Array:
        """(M, ...) what the rules said."""
        said = self.block.predictions if self.block.scores is None else self.block.scores
        assert said is not None
        return said

    @property
    def parts(self) -> Ints:
        """(m,) the set of classes that each case belongs to, of those that the metric averages; −1 for none."""
        out = np.full(len(self.cases), -1)
        for k, classes in enumerate(self.metric.class_sets(self.fits.sample)):
            out[np.isin(self.block.codes, classes)] = k
        return out

    def factor(self, of: Bools | slice = slice(None)) -> float:
        """√(G/(G − 1)), G the groups of these cases, by which an influence grows; 1 without groups."""
        return 1.0 if self.groups is None else math.sqrt(group_factor(self.groups[of]))

    def measured(self, influence: Floats) -> Measured:
        """The metric of every rule with this influence (M, m)."""
        return Measured(
            metric=self.metric.name,
            values=self.values,
            influence=influence,
            said=self.said,
            groups=self.groups,
            codes=self.parts,
            bounds=self.metric.bounds,
        )

    def among_all(self, e: Estimate) -> Estimate:
        """The estimate with the influence (n,) of all cases of the sample, 0 for those that were not tested."""
        if e.influence is None:
            return e
        whole = np.zeros(self.fits.sample.n)
        whole[self.cases] = e.influence
        return e.with_(influence=whole)

    def estimate(self, influence: Floats, se_method: StandardError) -> Estimate:
        """The value of the first rule, with the norm of its influence (m,) as the standard error."""
        se = float(np.linalg.norm(influence if self.groups is None else group_sums(influence, self.groups)))
        return self.among_all(Estimate(self.value, se=se, se_method=se_method, influence=influence))


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


def _stacked(rows: Sequence[Array | None]) -> Array | None:
    known = [row for row in rows if row is not None]
    return np.concatenate(known) if len(known) == len(rows) else None


Measures = Callable[[TestSet], Measured]


def difference_by(measure: Measures) -> Function:
    """The difference of two rules on one test set, from the metric of both and their influence."""

    def holdout_difference(a: Fits, b: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
        t = TestSet.of(metric, a, b)
        return t.among_all(measure(t).difference())

    return holdout_difference


def measured_loss(t: TestSet) -> Measured:
    """Mean losses: of all cases, or of one class, or Σ_c P_c (mean of class c), in which a class has its own groups."""
    loss = t.metric
    assert isinstance(loss, CaseLoss)
    losses, classes = loss.losses(t.block), _classes(t, loss)
    if len(classes) == 1:
        return Means.over(
            losses,
            t.groups,
            metric=loss.name,
            of=classes[0][1],
            binary=isinstance(loss, Rate),
            plug_in=isinstance(loss, Cost),
            bounds=loss.bounds,
            said=t.said,
            rounding=loss.rounding if loss.target == "numbers" else 0.0,
        )
    influence = np.zeros(losses.shape)
    for weight, of in classes:
        mean = losses[:, of].mean(axis=1, keepdims=True)
        influence[:, of] = weight * (losses[:, of] - mean) / of.sum() * t.factor(of)
    return t.measured(influence)


def _classes(t: TestSet, loss: CaseLoss) -> list[tuple[float, Bools]]:
    """The weight and the cases of every class that has a weight of its own; one of all cases otherwise."""
    weights, codes = loss.class_weights, t.block.codes
    return [(1.0, codes >= 0)] if weights is None else [(weights[c], codes == c) for c in np.flatnonzero(weights)]


@HOLDOUT.on(CaseLoss, se=(BINOMIAL,), pairs=difference_by(measured_loss))
def holdout_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean loss of the test cases, Σ_c P_c (mean of class c) with given class probabilities. The standard error of a
    share or cost is the plug-in one, √(p(1 − p)/n) for an error rate, and s/√n of other losses; with groups that of the
    ratio estimator (trueness.formulas.groups), in which the groups are those of the class, as in `trueness.diagnose`."""
    t = TestSet.of(loss, fits)
    m, classes = measured_loss(t), _classes(t, loss)
    if isinstance(m, Means):
        return t.among_all(m.estimate()).with_(cases=t.units)
    losses = loss.losses(t.block)[0]
    out = t.estimate(m.influence[0], BINOMIAL).with_(cases=t.units, tested=sum(int(of.sum()) for _, of in classes))
    rule = _of_classes(t, loss, losses, classes) if isinstance(loss, Cost) else None
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


def measured_auc(t: TestSet) -> Aucs:
    """Of two classes, or the mean over one class against the rest."""
    assert isinstance(t.metric, AUC)
    parts = list(t.metric.parts(t.block))
    rules = [[(scores[k], positive) for scores, positive in parts] for k in range(len(t.values))]
    codes = (parts[0][1] if len(parts) == 1 else t.block.codes).astype(np.intp)
    return Aucs.over(rules, codes, t.groups)


@HOLDOUT.on(AUC, se=(DELONG,), pairs=difference_by(measured_auc))
def holdout_auc(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over one against
    the rest, with the influence of every case summed over the parts. Its interval is that of `trueness.roc`."""
    t = TestSet.of(metric, fits)
    return t.among_all(measured_auc(t).estimate())


def measured_precision(t: TestSet) -> Measured:
    assert isinstance(t.metric, AveragePrecision)
    assert t.block.scores is not None
    rows = [replace(t.block, scores=scores[None]) for scores in t.block.scores]
    return t.measured(np.stack([t.metric.influence(row) for row in rows]) * t.factor())


@HOLDOUT.on(AveragePrecision, se=(POSITIVES, DELTA), pairs=difference_by(measured_precision))
def holdout_average_precision(
    fits: Fits, metric: AveragePrecision, *, se: str | None, undefined: Undefined
) -> Estimate:
    """Average precision of the test cases.

    "positives" is √(θ(1 − θ)/n1), n1 the positives, with the interval of `trueness.pr` (Boyd, Eng & Page 2013); "delta" is
    the norm of the influence function, the default for groups and several classes. The former is too small where most
    cases are positive, the latter in small samples.
    """
    t = TestSet.of(metric, fits)
    positives = t.units
    out = t.estimate(measured_precision(t).influence[0], DELTA).with_(cases=positives)
    if se == DELTA or (se is None and (t.groups is not None or len(metric.targets) > 1)):
        return out
    out = out.with_(se=math.sqrt(t.value * (1 - t.value) / positives), se_method=POSITIVES)
    return out.noting(MOSTLY_POSITIVE if 2 * positives > len(t.cases) else None)


@HOLDOUT.on(SetMetric, se=(JACKKNIFE,))
def holdout_set(fits: Fits, metric: SetMetric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Any other metric of the test cases, with the influence of the jackknife where the metric is smooth."""
    from trueness.statistics.resampling import jackknife  # assess loads it for a function of the user's own only

    t = TestSet.of(metric, fits)
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
