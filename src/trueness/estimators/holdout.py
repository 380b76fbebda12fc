"""Holdout: one rule tested on cases it was not trained on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast
from trueness.estimators.method import Method
from trueness.formulas import mover
from trueness.formulas.groups import count_groups, group_factor, group_sums
from trueness.metrics.auc import AUC, AveragePrecision
from trueness.metrics.cost import Cost, Rate
from trueness.metrics.measure import OfTable
from trueness.metrics.metric import CaseLoss, Metric, SetMetric, decided, refuse_missing
from trueness.metrics.numbers import MedianAE, predicted_and_true
from trueness.metrics.probabilities import NetBenefit
from trueness.metrics.table import TableMeasure
from trueness.result.estimate import Estimate
from trueness.result.grouped import share_in_groups
from trueness.result.interval import MOVER, OF_WILSON, Interval, IntervalRule, Proportion
from trueness.result.joint import correlations
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import (
    BINOMIAL,
    DELONG,
    DELTA,
    GROUPS,
    JACKKNIFE,
    OF_A_MEAN,
    POSITIVES,
    Estimand,
    Named,
    StandardError,
)
from trueness.sample.answers import Answers
from trueness.sample.measured import Aucs, Means, Measured
from trueness.statistics.resampling import jackknife
from trueness.tables.rules import Tables, of_one_table
from trueness.tables.study_designs import Cohort
from trueness.typing import Bools, Floats, Ints

LEAST_FOR_ORDER_STATISTICS = 6  # values: fewer have no 95 % interval of their median
MAX_CASES_FOR_JACKKNIFE = 1000  # the metric is computed once without each

HOLDOUT = Method(
    "holdout",
    "its value on the test cases",
    kinds={"holdout"},
    estimand=Estimand.TRAINED,
    order=50,
    recommended={"holdout"},
)


def asked(c: Contrast) -> Answers:
    """The answers of the rules to their test set; an error where the metric is undefined there."""
    fits = [rule for _, rule in c.rules]
    t = fits[0].cached("answers", lambda: Answers.of_fits(*fits)) if c.other is None else Answers.of_fits(*fits)
    if t.n == 0 or (not isinstance(c.metric, TableMeasure) and np.isnan(c.metric.rows(t.block, t.block.ones)).any()):
        raise undefined_there(c.metric, t)
    return t


def undefined_there(metric: Metric, t: Answers) -> UndefinedError:
    """Why there is no value."""
    return UndefinedError(
        f"The test set has no {metric.name}: {metric.undefined_where}",
        param="fits",
        got=f"{t.n} test cases",
    )


def measured_loss(t: Answers, loss: CaseLoss) -> Measured:
    """Mean losses: of all cases, or of one class, or Σ_c P_c (mean of class c), in which a class has its own groups."""
    weights, codes = loss.class_weights, t.block.codes
    classes: list[int] = [] if weights is None else np.flatnonzero(weights).tolist()
    if isinstance(loss, Cost) and len(classes) > 1:
        return measured_table(t, loss)
    losses = loss.losses(t.block)
    if len(classes) < 2:
        return Means.over(
            losses,
            t.groups,
            metric=loss.name,
            of=codes == classes[0] if classes else None,
            binary=isinstance(loss, Rate),
            plug_in=isinstance(loss, Cost),
            bounds=loss.bounds,
            said=t.values,
            se_method=BINOMIAL if isinstance(loss, Rate) else OF_A_MEAN,
            rounding=loss.rounding if loss.target == "numbers" else 0.0,
        )
    influence = np.zeros(losses.shape)
    for c in classes:
        assert weights is not None
        of = codes == c
        mean = losses[:, of].mean(axis=1, keepdims=True)
        factor = 1.0 if t.groups is None else np.sqrt(group_factor(t.groups[of]))
        influence[:, of] = weights[c] * factor / of.sum() * (losses[:, of] - mean)
    return measured_by(t, loss, influence)


def measured_by(t: Answers, metric: Metric, influence: Floats, values: Floats | None = None) -> Measured:
    """The metric of every rule with this influence (M, m), and these values (M,) where they are known."""
    parts = np.full(t.n, -1)
    for k, classes in enumerate(metric.class_sets(t.whole)):
        parts[np.isin(t.block.codes, classes)] = k
    return Measured(
        metric=metric.name,
        values=metric.rows(t.block, t.block.ones) if values is None else values,
        influence=influence,
        said=t.values,
        groups=t.groups,
        codes=parts,
        bounds=metric.bounds,
    )


def by_influence(t: Answers, m: Measured, se_method: StandardError) -> Estimate:
    """The value of one rule, with the norm of its influence as the standard error."""
    influence = m.influence[0]
    se_method = se_method if t.groups is None else se_method.plus(GROUPS)
    se = float(np.linalg.norm(m.sums(influence)))
    return t.among_all(Estimate(float(m.values[0]), se=se, se_method=se_method, influence=influence))


def units_of(t: Answers, metric: Metric) -> int:
    """Independent cases, or groups, of the classes that the metric averages: the fewest that one of them has."""
    units, sets = np.arange(t.n) if t.groups is None else t.groups, metric.class_sets(t.whole)
    return min(count_groups(units[np.isin(t.block.codes, classes)]) for classes in sets)


@HOLDOUT.on(CaseLoss, se=(BINOMIAL,), pairs=True)
def holdout_loss(c: Contrast) -> Estimate:
    """Mean loss of the test cases, Σ_c P_c (mean of class c) with given class probabilities. The standard error of a
    share or cost is the plug-in one, √(p(1 − p)/n) for an error rate, and s/√n of other losses; with groups that of the
    ratio estimator (trueness.formulas.groups), in which the groups are those of the class, as in `trueness.diagnose`."""
    t, loss = asked(c), c.metric
    m, units = measured_loss(t, loss), units_of(t, loss)
    if c.other is not None:
        return t.among_all(m.difference())
    if isinstance(m, Tables):
        return t.among_all(m.rules[0]).with_(tested=t.n)
    if isinstance(m, Means):
        return t.among_all(m.estimate()).with_(cases=units)
    return by_influence(t, m, BINOMIAL if isinstance(loss, Rate) else OF_A_MEAN).with_(cases=units, tested=t.n)


@dataclass(frozen=True, eq=False)
class OfActions(IntervalRule):
    """The interval of a net benefit Σ b p from those of the shares p of positives and of negatives that are acted on, or of
    their differences (trueness.formulas.mover): it has length also where nobody is acted on."""

    parts: Sequence[tuple[float, Estimate]]  # b and p
    correlations: Floats  # of the p
    name = MOVER
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        steps = [sorted(b * (end - p.value) for end in p.ci(level)) for b, p in self.parts]
        signs = np.sign([b for b, _ in self.parts])
        limits = mover.joined(e.value, np.array(steps), self.correlations * np.outer(signs, signs))
        return self.clipped(e, *limits, level)


@HOLDOUT.on(NetBenefit, se=(BINOMIAL,), pairs=True)
def holdout_benefit(c: Contrast) -> Estimate:
    """Net benefit on the test cases. Of a difference the paired t interval fails where few cases are acted on by one rule
    only; that of the differences of shares, Tango's of each class, does not."""
    loss, out = c.metric, holdout_loss(c)
    if out.identical:
        return out
    t = asked(c)
    acted, codes, weights = loss.losses(t.block) != 0, t.block.codes, loss.class_weights
    sign, parts = -1.0 if loss.over == "all" else 1.0, []
    for code in (0, 1):  # of which cases a share is taken, and what it is worth
        gain = sign * (1.0 if code == loss.positive else -loss.odds)
        of, hits = codes >= 0, acted & (codes == code)
        if weights is not None:
            of, gain = codes == code, gain * float(weights[code])
        if c.other is None:
            parts.append((gain, _share(hits[0], of, t.groups)))
        else:
            shares = Means.over(hits.astype(float), t.groups, metric=loss.name, of=of, binary=True)
            parts.append((gain, shares.difference()))
    if c.other is None and out.se is not None and out.se < loss.rounding:
        out = out.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
    return out.with_(interval=OfActions(parts, _correlations(parts, t.groups, weights is None and c.other is None)))


def _share(hits: Bools, of: Bools, groups: Ints | None) -> Estimate:
    """The share of hits among some cases, with Wilson's interval."""
    if groups is not None:
        return share_in_groups(hits, groups, "wilson", of)
    n, p = int(of.sum()), float(hits[of].mean())
    return Estimate(p, se=0.0, bounds=(0.0, 1.0), interval=Proportion(OF_WILSON), cases=n, plain=True)


def _correlations(parts: Sequence[tuple[float, Estimate]], groups: Ints | None, together: bool) -> Floats:
    """Of the shares: 0 of different classes, that of a multinomial where they exclude each other among the same cases;
    in groups from their influences."""
    influences = [share.influence for _, share in parts if share.influence is not None]
    if groups is not None and len(influences) == len(parts):
        return correlations(group_sums(np.stack(influences), groups))
    odds = [p / (1 - p) for _, share in parts if (p := share.value) < 1]
    between = -math.sqrt(odds[0] * odds[1]) if together and len(odds) == 2 else 0.0
    return np.array([[1.0, between], [between, 1.0]])


def measured_table(t: Answers, metric: OfTable) -> Tables:
    """Of the table of truth and decision, as `trueness.diagnose` has it."""
    measure, c = metric.measure, t.whole.n_classes
    predictions = decided(t.block, metric.name)
    refuse_missing(predictions < 0, metric.name)
    cells = t.block.codes * c + predictions
    designs = [Cohort(np.bincount(row, minlength=c * c).reshape(c, c)) for row in cells]
    rules = [of_one_table(design, measure, row, t.groups) for design, row in zip(designs, cells, strict=True)]
    if any(math.isnan(rule.value) for rule in rules):
        raise undefined_there(metric, t)
    return Tables.over(measure, rules, designs, cells, t.groups)


@HOLDOUT.on(TableMeasure, se=(DELTA,), pairs=True)
def holdout_table(c: Contrast) -> Estimate:
    """The measure of the test cases, with the standard error and interval of `trueness.diagnose`."""
    t = asked(c)
    m = measured_table(t, c.metric)
    return t.among_all(m.rules[0] if c.other is None else m.difference())


@HOLDOUT.on(AUC, se=(DELONG,), pairs=True)
def holdout_auc(c: Contrast) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over one against
    the rest, with the influence of every case summed over the parts. Its interval is that of `trueness.roc`."""
    t = asked(c)
    parts = list(c.metric.parts(t.block))
    rules = [[(scores[k], positive) for scores, positive in parts] for k in range(len(t.rules))]
    codes = (parts[0][1] if len(parts) == 1 else t.block.codes).astype(np.intp)
    m = Aucs.over(rules, codes, t.groups)
    return t.among_all(m.estimate() if c.other is None else m.difference())


@HOLDOUT.on(AveragePrecision, se=(POSITIVES, DELTA), pairs=True)
def holdout_average_precision(c: Contrast) -> Estimate:
    """Average precision of the test cases.

    "positives" is √(θ(1 − θ)/n1), n1 the positives, with the interval of `trueness.pr` (Boyd, Eng & Page 2013); "delta" is
    the norm of the influence function, the default for groups and several classes. The former is too small where most
    cases are positive, the latter in small samples.
    """
    t, metric = asked(c), c.metric
    assert t.block.scores is not None
    factor = 1.0 if t.groups is None else np.sqrt(group_factor(t.groups))
    rows = [replace(t.block, scores=scores[None]) for scores in t.block.scores]
    m = measured_by(t, metric, np.stack([metric.influence(row) for row in rows]) * factor)
    if c.other is not None:
        return t.among_all(m.difference())
    positives = units_of(t, metric)
    out = by_influence(t, m, DELTA).with_(cases=positives)
    if c.se == DELTA or (c.se is None and (t.groups is not None or len(metric.targets) > 1)):
        return out
    out = out.with_(se=math.sqrt(out.value * (1 - out.value) / positives), se_method=POSITIVES)
    return out.noting(Note("mostly-positive") if 2 * positives > t.n else None)


@dataclass(frozen=True, eq=False)
class OfMedian(IntervalRule):
    """x_(k) to x_(n + 1 − k) of n independent values in rising order, k the largest with P(Bin(n, ½) < k) ≤ α/2, whatever
    their distribution (Thompson 1936)."""

    values: Floats
    name = Named("order-statistics", "order statistics", "thompson_1936")
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        n = len(self.values)
        k = int((special.bdtr(np.arange(n // 2), n, 0.5) <= (1 - level) / 2).sum())
        low, high = (self.values[k - 1], self.values[n - k]) if k > 0 else e.bounds
        return self.clipped(e, float(low), float(high), level)


@HOLDOUT.on(SetMetric, se=(JACKKNIFE,))
def holdout_set(c: Contrast) -> Estimate:
    """Any other metric of the test cases, with the influence of the jackknife where the metric is smooth."""
    t, metric = asked(c), c.metric
    out, m = Estimate(float(metric.rows(t.block, t.block.ones)[0])), t.n
    if isinstance(metric, MedianAE) and t.groups is None and m >= LEAST_FOR_ORDER_STATISTICS:
        predicted, truth = predicted_and_true(t.block, metric.name)
        return out.with_(interval=OfMedian(np.sort(np.abs(predicted[0] - truth))))
    if m > MAX_CASES_FOR_JACKKNIFE:
        return out.noting(Note("no-se-many-cases", cases=m, limit=MAX_CASES_FOR_JACKKNIFE))
    try:
        found = jackknife(
            lambda rows: float(metric.rows(t.block, np.bincount(rows, minlength=m)[None].astype(float))[0]),
            np.arange(m),
        )
    except InputError:  # it is undefined without one of the cases
        return out.noting(Note("no-se-method", metric=metric.name))
    if found.se is None or found.influence is None:
        return out.noting(*found.notes)
    influence = found.influence
    if t.groups is not None:  # that of the groups in place of the jackknife's n/(n − 1) of the cases
        influence = influence * np.sqrt((m - 1) / m * group_factor(t.groups))
    notes = (note for note in found.notes if note.severity == "info")  # of the statistic, not of its bias
    return by_influence(t, measured_by(t, metric, influence[None], np.array([out.value])), JACKKNIFE).noting(*notes)
