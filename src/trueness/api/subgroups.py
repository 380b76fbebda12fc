"""subgroups: a metric in every group of cases, what it is in the rest, and whether the groups are equal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from trueness.checks import check_level, check_whole, unwarned
from trueness.errors import InputError, UndefinedError
from trueness.estimators.cv import NAIVE_IS_SMALL, POOLED_SCORES
from trueness.estimators.estimation import bind, estimate
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans, add_training
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.estimators.registry import recommend
from trueness.formulas import mover
from trueness.formulas.groups import count_groups
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric, decided
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.metrics.table import TableMeasure
from trueness.result.estimate import Estimate
from trueness.result.interval import MOVER, Interval, IntervalRule
from trueness.result.joint import correlations, largest_difference, level_of_each
from trueness.result.notes import Note, inherited
from trueness.result.subgroups import MISSING, Subgroups, equality, p_of_interval
from trueness.result.words import Estimand, spoken
from trueness.sample.among import among
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.labels import (
    MANY_VALUES,
    Task,
    check_same_index,
    check_same_length,
    group_codes,
    is_numeric,
    label_array,
    looks_numeric,
    target_array,
)
from trueness.sample.scores import numbers as number_scores
from trueness.tables.estimation import OfDifference
from trueness.typing import Bools, Floats, Ints, Label, Labels, Scores

KINDS = ("holdout", "cv", "bootstrap", "cv+bootstrap")
MIN_CASES = 5  # independent cases of each class that a metric rests on, for a number
OTHER_GROUPS = "the rule trained on the other groups"


def subgroups(
    y: Labels | Fits,
    scores: Scores | MetricLike | None = None,
    metric: MetricLike = "auc",
    method: str | None = None,
    *,
    by: Labels,
    predictions: Labels | None = None,
    threshold: float | None = None,
    positive: Label | None = None,
    groups: Labels | None = None,
    least: int = MIN_CASES,
    level: float = 0.95,
) -> Subgroups:
    """A metric in every group of cases, with intervals that hold one by one and all together.

    The rules stay those of all cases; a group only decides which cases they are judged on. Every group is compared with
    the rest, and one test asks whether all groups are equal. The rest is all other cases for a mean over cases (error
    rate, TPF, MAE), and the weighted mean of the other groups' own values for any other metric: the AUC of the cases of
    several groups counts pairs of two groups, which are easy where the groups have other base rates.

    Parameters
    ----------
    y : array-like of shape (n,), or Fits
        Labels of a test set, numbers for a metric of numbers (mae); or fits of any plan, as
        `subgroups(fits, "auc", by=...)`.
    scores : array-like of shape (n,) or (n, C), optional
        Scores of the test set, high for the positive class, or predicted numbers; with Fits the metric stands here.
    metric : str, callable or Metric, default "auc"
        As in `trueness.estimate`.
    method : str, optional
        As in `trueness.estimate`; by default the one that `trueness.assess` recommends for the plan.
    by : array-like of shape (n,)
        The group of each case: sex, age band, scanner, site. Cases without a value are the group "missing".
    predictions : array-like of shape (n,), optional
        Predicted labels of the test set, for metrics of decisions.
    threshold : float, optional
        A case is predicted positive where score ≥ threshold; not needed with `predictions`.
    positive : label, optional
        The positive class; may be left out for labels 0/1, −1/1, no/yes and booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site) where only whole groups are independent; other than `by`, or the same.
    least : int, default 5
        Fewest independent cases (of each class, for an AUC; of the class that a rate is about) for a number.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    Subgroups
        `.frame()`, `.p_value` (of the test of equality), `.estimates`, `.differences` (group − rest), `.plot()`, and
        `.sites()` for a random-effects mean.

    Raises
    ------
    InputError
        Where the number of labels in `by` differs from that of the cases.

    See Also
    --------
    trueness.selection.weak_segments : Groups that are not known beforehand.

    Notes
    -----
    Simultaneous intervals are those of each group at a higher level, from the joint law of the largest |t| (max-t). The
    interval of group − rest combines those of its two parts (MOVER; Zou & Donner 2008). Equality is tested by Welch's F
    (1951) on the logit (or log) scale, of plain shares by Pearson's χ², and by Hotelling's F where groups of dependent
    cases are split between subgroups. The p-value of group − rest is the smallest 1 − level at which its interval leaves
    out 0, so that both agree. In the mean of other groups an AUC counts by the positives of the group, as in the
    covariate-adjusted AUC of Janes & Pepe (2009), any other metric by its cases.

    From a cross-validation or bootstrap, the standard error of a group counts its test cases and the variation of the
    training sets. Two groups are judged by the same rules, which makes their estimates vary together; a difference does
    not use this, so that its interval is rather too long.

    References
    ----------
    Welch (1951); Zou & Donner (2008); Zou, Huang & Zhang (2009); Hothorn, Bretz & Westfall (2008); Janes & Pepe (2009).

    Examples
    --------
    >>> import numpy as np, trueness
    >>> rng = np.random.default_rng(0)
    >>> y, sex = rng.integers(0, 2, 300), rng.choice(["f", "m"], 300)
    >>> s = trueness.subgroups(y, y + rng.normal(size=300), "auc", by=sex)
    >>> s.frame()[["group", "n", "value", "low", "high"]].round(2)
      group    n  value   low  high
    0     f  141   0.80  0.71  0.86
    1     m  159   0.81  0.74  0.87
    >>> round(s.p_value, 2)
    0.77
    """
    check_level(level)
    check_whole("least", least, 2)
    if isinstance(y, Fits):
        given = {"predictions": predictions, "threshold": threshold, "positive": positive, "groups": groups}
        if unused := [name for name, value in given.items() if value is not None]:
            raise InputError("Fits have this themselves", param=unused[0], fix=f"Leave {unused[0]} out")
        fits, metric = y, (metric if scores is None else scores)
    else:
        check_same_index("by", by, "y", y)
        check_same_index("groups", groups, "y", y)
        fits = as_test_set(y, scores, metric, predictions, threshold, positive, groups)
    return subgroups_of(fits, metric, by, method=method, least=least, level=level)


def as_test_set(
    y: Labels, scores: Any, metric: MetricLike, predictions: Any, threshold: Any, positive: Any, groups: Any
) -> Fits:
    if scores is None and predictions is None:
        raise InputError("scores are required", param="scores", fix="Pass scores, or predictions=")
    of = resolve(metric)
    kind: Task = "regression" if of.target == "numbers" else "classification"
    if kind == "classification" and is_numeric(y):
        fix = "Use a metric of numbers, e.g. mae or rmse"
        raise InputError(f"y holds numbers, and the {spoken(of.name)} is of classes", param="metric", fix=fix)
    if kind == "regression" and scores is None:
        scores, predictions = predictions, None
    labels = target_array(y, least=1) if kind == "regression" else label_array(y)
    for name, given in (("scores", scores), ("predictions", predictions)):
        check_same_index(name, given, "y", y)
    return Fits.from_arrays(
        labels,
        np.zeros((1, len(labels)), dtype=np.uint8),
        None if scores is None else number_scores(scores, "scores")[None],
        predictions=None if predictions is None else label_array(predictions, "predictions")[None],
        threshold=threshold,
        positive=positive,
        groups=groups,
        kind=kind,
    )


def subgroups_of(
    fits: Fits,
    metric: Any,
    by: object,
    *,
    method: str | None = None,
    least: int = MIN_CASES,
    level: float = 0.95,
    name: str = "",
    features: object = None,
) -> Subgroups:
    """`subgroups` of Fits; `name` is that of what the cases are grouped by, by default that of a Series, and `features` are
    those of the cases, by default those of the fits."""
    check_same_index("by", by, "X", getattr(fits.source, "X", None) if features is None else features)
    if fits.design.kind not in KINDS:
        problem = "Subgroups are judged from a test set, a cross-validation or a bootstrap"
        raise InputError(problem, param="fits", got=fits.design.kind, fix="Use plan=KFold(10, repeats=10)")
    called = name or str("" if getattr(by, "name", None) is None else by.name)  # type: ignore[attr-defined]
    names, codes, gaps = labels_by(by, fits.sample.n)
    tested = ~fits.design.never_tested if not fits.parts else np.ones(fits.sample.n, dtype=bool)
    of = Division(fits, metric, method, least, names, codes, tested)
    bound, notes = of.bound, list[Note]()
    if len(names) > MANY_VALUES and looks_numeric(by):
        notes.append(Note("many-groups", groups=len(names)))
    if gaps:
        notes.append(Note("group-missing", cases=gaps, group=MISSING))
    with unwarned():  # what is said of a group is in its notes
        estimates = of.estimates(notes)
        differences = of.differences(estimates, notes)
        of_all = of.of_cases(np.flatnonzero(tested))
    sizes = {name: len(of.cases(name)) for name in names}
    known = {name: e for name, e in estimates.items() if e is not None}
    if not known:
        got, fix = f"{len(names)}, of up to {max(sizes.values())} cases", "Use fewer subgroups, e.g. bins (pandas.cut)"
        problem = f"No subgroup has enough cases for the {spoken(bound.name)}"
        raise UndefinedError(problem, param="by", got=got, fix=fix)
    found = {name: d for name, d in differences.items() if d is not None and d.se is not None}
    law = largest_difference(found.values(), fits.design.unit_sums) if found else None
    influences = [e.influence for e in known.values() if e.se is not None and e.influence is not None]
    correlation = np.eye(len(known))
    if len(influences) == len(known):
        correlation = correlations(fits.design.unit_sums(np.stack(influences)))
    overall = of_all if isinstance(of_all, Estimate) else None
    if overall is not None and len(known) > 1 and isinstance(bound, AUC):
        values = [e.value for e in known.values()]
        if not min(values) <= overall.value <= max(values):
            notes.append(Note("auc-within-subgroups", overall=overall.value))
    test = equality(known, correlation, bound.name)
    shared = dict.fromkeys(n for e in known.values() for n in inherited(e.notes, "fits"))
    groups = None if of.one else fits.sample.groups
    return Subgroups(
        metric=bound.name,
        estimates=estimates,
        differences=differences,
        sizes=sizes,
        level=level,
        each=level_of_each(correlation, level),
        each_difference=level if law is None else law.level_per_statistic(level),
        law=law,
        test=test,
        overall=overall,
        notes=(*shared, *notes, *(() if test is None else test.notes)),
        by=called or "subgroup",
        independent={} if groups is None else {name: count_groups(groups[of.cases(name)]) for name in names},
    )


@dataclass(frozen=True, eq=False)
class Division:
    """The tested cases of fits in groups, and the metric of each."""

    fits: Fits
    metric: Any
    method: str | None
    least: int
    names: list[str]
    codes: Ints
    tested: Bools

    @cached_property
    def bound(self) -> Metric:
        return bind(self.fits, self.metric)

    @cached_property
    def one(self) -> bool:
        """Whether each group is exactly one group of dependent cases."""
        groups = self.fits.sample.groups
        if groups is None:
            return False
        pairs = count_groups(self.codes * (int(groups.max()) + 1) + groups)
        return pairs == count_groups(self.codes) == count_groups(groups)

    @cached_property
    def decided(self) -> Floats | None:
        """(n,) how many of the rules that left a case out give it the decision that a predictive value is about; None of
        other metrics."""
        metric = self.bound
        if not (isinstance(metric, TableMeasure) and metric.measure.given == "decision"):
            return None
        about = sorted({decision for _, decision in metric.measure.out_of})
        so, times = np.zeros((2, self.fits.sample.n))
        for block in self.fits.part(("cv",)).blocks():
            so += (np.isin(decided(block, metric.name), about) & block.left_out).sum(axis=0)
            times += block.left_out.sum(axis=0)
        return np.asarray(so / np.maximum(times, 1))

    def cases(self, name: str, inside: bool = True) -> Ints:
        """The tested cases of a group, or of all others."""
        return np.flatnonzero(((self.codes == self.names.index(name)) == inside) & self.tested)

    def fewest(self, cases: Ints, one: bool = False) -> int:
        """Independent cases, among these, of the class that has the fewest of those that a metric rests on, or with the
        decision that it is given."""
        codes, units = self.fits.sample.codes[cases], cases if one else self.fits.design.units[cases]
        sets = self.bound.class_sets(self.fits.sample)
        fewest = min(len(np.unique(units[np.isin(codes, classes)])) for classes in sets)
        if self.decided is None:
            return fewest
        each = np.zeros(int(units.max(initial=0)) + 1)
        np.maximum.at(each, units, self.decided[cases])
        return min(fewest, math.floor(float(each.sum()) + 1e-9))

    def of_cases(self, cases: Ints, one: bool = False) -> Estimate | Note:
        """The metric of these cases, with its influence (n,) over all cases; a note where it is undefined."""
        try:
            e = _estimate(among(self.fits, cases, one_unit=one), self.metric, self.method)
        except UndefinedError as error:
            return Note("undefined", reason=error.message())
        if e.influence is None:
            return e
        whole = np.zeros(self.fits.sample.n)
        whole[cases] = e.influence
        return e.with_(influence=whole)

    def estimates(self, notes: list[Note]) -> dict[str, Estimate | None]:
        """The metric of each group; None where it is undefined, or the cases are too few."""
        out: dict[str, Estimate | None] = dict.fromkeys(self.names)
        few = {}
        for name in self.names:
            cases = self.cases(name)
            if (fewest := self.fewest(cases, self.one)) < self.least:
                few[name] = fewest
                continue
            found = self.of_cases(cases, self.one)
            out[name] = None if isinstance(found, Note) else found
            said = (found,) if isinstance(found, Note) else inherited(found.notes, "result")
            notes += (note.about(name, group=name) for note in said)
        if few:
            notes.append(Note("too-few-cases", groups=few, needed=self.least))
        return out

    def differences(self, estimates: Mapping[str, Estimate | None], notes: list[Note]) -> dict[str, Estimate | None]:
        """Each group less the rest."""
        out: dict[str, Estimate | None] = dict.fromkeys(self.names)
        known = {name: e for name, e in estimates.items() if e is not None}
        for name, e in known.items():
            rest, said = self._rest(name, known), tuple[Note, ...]()
            if isinstance(rest, Note):
                said = (rest,)
            elif rest is not None:
                out[name] = d = _minus(e, rest, self.fits.design, self.bound)
                said = inherited(rest.notes, "result") if d.se is None and e.has_interval else ()
            notes += (note.about(f"all but {name}", group=name) for note in said)
        return out

    def _rest(self, name: str, known: Mapping[str, Estimate]) -> Estimate | Note | None:
        """All other cases of a mean over cases, else the weighted mean of the other groups' own values: of an AUC by their
        positives, as in the covariate-adjusted AUC of Janes & Pepe (2009), Σ_z P(Z = z | y = 1) AUC_z; else by cases."""
        if isinstance(self.bound, CaseLoss):
            outside = self.cases(name, inside=False)
            return self.of_cases(outside) if self.fewest(outside) >= self.least else None
        others = {other: e for other, e in known.items() if other != name}
        count = self.tested
        if isinstance(self.bound, AUC) and len(self.bound.targets) == 1:
            count = count & (self.fits.sample.codes == self.bound.targets[0])
        weights = dict(zip(self.names, np.bincount(self.codes[count], minlength=len(self.names)).tolist(), strict=True))
        return _mean(others, weights, self.fits.design) if others else None


def labels_by(by: Any, n: int) -> tuple[list[str], Ints, int]:
    """Names of the groups in sorted order, or that of ordered categories, the group of each case, and the number of cases
    without a value, which are the last group."""
    if isinstance(by, (str, pd.DataFrame, Mapping)) or np.ndim(by) != 1:
        fix = "Pass one column, the group of each case"
        raise InputError("by must have one value per case", param="by", got=type(by).__name__, fix=fix)
    check_same_length("by", len(by), n)
    gaps = np.asarray(pd.isna(np.asarray(by, dtype=object)))
    known = np.asarray(by, dtype=object)[~gaps]
    if gaps.all():
        raise InputError("by has no values", param="by", fix="Pass the group of each case")
    codes = np.full(n, -1, dtype=np.intp)
    kind = getattr(by, "dtype", None)
    if isinstance(kind, pd.CategoricalDtype) and kind.ordered:
        labels, codes[~gaps] = np.unique(pd.Categorical(by).codes[~gaps], return_inverse=True)
        names = [*map(str, kind.categories[labels])]
    else:
        if gaps.any() and all(isinstance(value, float) and value.is_integer() for value in known):
            known = known.astype(int).astype(object)  # whole numbers until there were gaps
        codes[~gaps] = 0
        if not gaps.any() or len({*map(str, known)}) > 1:
            codes[~gaps] = np.asarray(group_codes(known.tolist() if gaps.any() else by, None, len(known), "by"))
        names = [str(known[k]) for k in np.unique(codes[~gaps], return_index=True)[1]]
    if len(names) == 1 and not gaps.any():
        raise InputError("by has a single value; at least 2 groups are required", param="by")
    codes[gaps] = len(names)
    return names + [MISSING] * bool(gaps.any()), codes, int(gaps.sum())


def _estimate(part: Fits, metric: Any, method: str | None) -> Estimate:
    bound, kind = bind(part, metric), part.design.kind
    if method is not None:
        return estimate(part, metric, method, undefined="skip")
    e, why = None, UndefinedError(f"No method of this plan has the {bound.name}", param="metric")
    try:
        e = estimate(part, metric, recommend(kind, bound, some=True), undefined="skip")
    except UndefinedError as error:
        why = error
    if e is not None and kind == "bootstrap":
        e = _with_training(e, part, bound)
    if (e is None or e.se is None) and kind == "cv":
        e = _pooled(part, metric) or e
    if e is None:
        raise why
    return e


def _pooled(part: Fits, metric: Any) -> Estimate | None:
    """One held-out answer per case as a test set, where folds are too small for a value of their own."""
    block = part.pooled()
    if block is None:
        return None
    zeros = np.zeros((1, part.sample.n), dtype=np.uint8)
    test = replace(
        part,
        design=Design("holdout", str(part.design.plan), part.sample, False, stored=zeros),
        held=None if block.scores is None else block.scores[:1],
        held_predictions=None if block.predictions is None else block.predictions[:1],
        failed=(),
    )
    try:
        e = estimate(test, metric, "holdout")
    except UndefinedError:
        return None
    folds = part.design.folds
    alone = folds is not None and len(np.unique(folds[0])) == 1  # one rule, trained on the others
    if alone:
        return e.with_(estimand=OTHER_GROUPS)
    scored = bind(part, metric).arity == 2
    return e.with_(estimand=Estimand.FOLD_SETS).noting(POOLED_SCORES if scored else None, NAIVE_IS_SMALL)


def _with_training(e: Estimate, part: Fits, metric: Metric) -> Estimate:
    """The influence of these cases lacks what other cases do as training cases: the variance over all training sets,
    t, takes the place of the training part of these cases, V = max(V, b + t) as in the default interval."""
    if e.se is None or e.influence is None or e.value in e.bounds:  # there all losses are equal under every rule
        return e
    means: CaseMeans | PlacementMeans
    if isinstance(metric, CaseLoss):
        means = CaseMeans.over(Contrast(part, metric, undefined="skip"))
    elif isinstance(metric, AUC):
        means = PlacementMeans.over(Contrast(part, metric))
    else:
        return e
    training, replicates = means.training(np.zeros(part.design.n_units))
    tested = add_training(part.design, e.influence, -training)
    b = float((part.design.unit_sums(tested) ** 2).sum())
    se = math.sqrt(max(e.se**2, b + max(0.0, replicates.trained)))
    return e.with_(se=se, influence=e.influence * (se / e.se) if e.se > 0 else e.influence)


def _mean(parts: Mapping[str, Estimate], weights: Mapping[str, float], design: Design) -> Estimate:
    """The weighted mean of groups' own values, with fixed weights. The value of the cases of several groups together is
    another number where it compares cases (pairs of two groups differ by more than the scores of one) or bends."""
    found = list(parts.values())
    w = np.array([weights[name] for name in parts])
    w = w / w.sum()
    first, value = found[0], float(w @ [e.value for e in found])
    out = Estimate(value, metric=first.metric, method=first.method, bounds=first.bounds)
    out = out.noting(*(note for e in found for note in inherited(e.notes, "result")))
    if any(e.se is None for e in found):
        return out
    se, correlation, influence = w * [e.require_se() for e in found], np.eye(len(found)), None
    if all(e.influence is not None for e in found):
        each = np.stack([np.asarray(e.influence) for e in found])
        correlation, influence = correlations(design.unit_sums(each)), w @ each
    return out.with_(
        se=math.sqrt(float(se @ correlation @ se)),
        se_method=first.se_method,
        influence=influence,
        df=_satterthwaite([e.with_(se=float(x)) for e, x in zip(found, se, strict=True)]),
        interval=OfMean(tuple(found), w, correlation) if all(e.has_interval for e in found) else first.interval,
    )


@dataclass(frozen=True, eq=False)
class OfMean(IntervalRule):
    """The interval of a mean of several estimates, from the intervals of each (MOVER; Zou, Huang & Zhang 2009)."""

    parts: tuple[Estimate, ...]
    weights: Floats
    correlation: Floats
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        ends = np.array([tuple(part.ci(level)) for part in self.parts])
        steps = self.weights[:, None] * (ends - np.array([[part.value] for part in self.parts]))
        return self.clipped(e, *mover.joined(e.value, steps, self.correlation), level)


def _minus(e: Estimate, rest: Estimate, design: Design, metric: Metric) -> Estimate:
    """group − rest, which are other cases: the two vary together only where groups of dependent cases have both."""
    low, high = metric.bounds
    out = Estimate(
        e.value - rest.value,
        metric=f"{metric.name} difference",
        method=e.method,
        estimand="these cases less all others"
        if isinstance(metric, CaseLoss)
        else "these cases less the mean of the other subgroups",
        bounds=(low - high, high - low),
        provenance={"rest": rest.value},
    )
    if e.se is None or rest.se is None:
        return out
    rho, influence = 0.0, None
    if e.influence is not None and rest.influence is not None:
        influence = e.influence - rest.influence
        rho = float(correlations(design.unit_sums(np.stack([e.influence, rest.influence])))[0, 1])
    se = math.sqrt(max(e.se**2 + rest.se**2 - 2 * rho * e.se * rest.se, 0.0))
    if not (e.has_interval and rest.has_interval):
        return out
    df = _satterthwaite((e, rest))
    rule = OfDifference(e, rest, rho)
    out = out.with_(se=se, se_method=e.se_method, influence=influence, interval=rule, df=df)
    return out.with_(provenance={"rest": rest.value, "p_value": p_of_interval(out)})


def _satterthwaite(parts: Sequence[Estimate]) -> float | None:
    """Degrees of freedom of a sum of independent variances."""
    terms = [(float(e.se or 0) ** 2, e.df) for e in parts]
    lost = sum(v**2 / df for v, df in terms if df is not None)
    return sum(v for v, _ in terms) ** 2 / lost if lost > 0 else None
