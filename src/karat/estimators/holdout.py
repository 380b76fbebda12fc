"""Holdout: one rule tested on cases it was not trained on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.errors import InputError, Setting, UndefinedError
from karat.estimators.influence.case_influence import variance
from karat.estimators.registry import TRAINED, Undefined, estimator, find
from karat.formulas import mover
from karat.formulas.groups import group_factor, group_sums
from karat.metrics.auc import AUC
from karat.metrics.average_precision import AveragePrecision
from karat.metrics.cost import Cost, Rate
from karat.metrics.metric import CaseLoss, Metric, SetMetric
from karat.result import Estimate, Interval
from karat.result.grouped import share_in_groups
from karat.result.interval import IntervalRule, Proportion
from karat.result.joint import correlations
from karat.result.note import Note
from karat.sample.auc_estimate import auc_of_influence, auc_of_scores, satterthwaite
from karat.sample.fits import Fits
from karat.sample.rows import Block
from karat.sample.scored import Scored
from karat.typing import Floats, Ints

MAX_CASES_FOR_JACKKNIFE = 1000  # the metric is computed once without each
ABOUT_STATISTIC = ("not-functional", "smooth-unknown")  # what the jackknife notes of the statistic, not of its bias

MOSTLY_POSITIVE = Note(
    "mostly-positive",
    ("More than half of the cases are positive, so the interval may be too short. Use ", Setting("se", "delta"), "."),
    "warning",
)


def the_test(fits: Fits, metric: Metric) -> tuple[Block, Ints, float]:
    """The one test set of these fits, its cases, and the value of the metric."""
    if fits.n_fits != 1:
        raise InputError(
            "A holdout has one fit",
            param="fits",
            got=f"{fits.n_fits} fits",
            fix=("Use ", Setting("plan", "cv"), " and ", Setting("method", "cv")),
        )
    block, cases = next(fits.tests()), fits.design.tested(0)
    value = float(metric.rows(block, block.ones)[0]) if len(cases) else math.nan
    if math.isnan(value):
        raise UndefinedError(
            f"The test set has no {metric.name}: a class has no cases, or none is predicted",
            param="fits",
            got=f"{len(cases)} test cases",
        )
    return block, cases, value


def holdout_difference(a: Fits, b: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Of two rules on the same test cases (DeLong's for an AUC), with Satterthwaite's degrees of freedom over the
    classes that the metric averages."""
    estimate = find("holdout", "holdout", metric).function
    first, second = (estimate(fits, metric, se=se, undefined=undefined) for fits in (a, b))
    out = Estimate(first.value - second.value)
    if first.influence is None or second.influence is None:
        return out.noting(*first.notes, *second.notes)
    influence = first.influence - second.influence
    by = "binomial" if isinstance(metric, CaseLoss) else "delong" if isinstance(metric, AUC) else "delta"
    out = out.with_(se=math.sqrt(variance(a.design, influence)), se_method=by, influence=influence)
    if a.sample.groups is not None:  # degrees of freedom are those of the groups
        return out
    cases, class_sets = a.design.tested(0), metric.class_sets(a.sample)
    cases = cases[np.isin(a.sample.codes[cases], [c for several in class_sets for c in several])]
    codes = a.sample.codes[cases] if len(class_sets) > 1 else np.zeros(len(cases), dtype=np.intp)
    return out.with_(df=satterthwaite(influence[cases], codes))


@estimator("holdout", kinds={"holdout"}, metrics=CaseLoss, se=("binomial",), estimand=TRAINED, pairs=holdout_difference)
def holdout_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean loss of the test cases; its standard error is the plug-in one, √(p(1 − p)/n) for an error rate, and with
    groups that of the ratio estimator (karat.formulas.groups)."""
    block, cases, value = the_test(fits, loss)
    losses = loss.losses(block)[0]
    influence = np.zeros(fits.sample.n)
    weights = loss.class_weights
    if weights is None:
        influence[cases] = (losses - value) / len(cases)
        influence *= root_of_factor(fits, cases)
    else:  # Σ_c P_c mean of class c, and the groups are those of the class, as in karat.diagnose
        for code in np.flatnonzero(weights):
            of = block.codes == code
            moved = weights[code] * (losses[of] - losses[of].mean()) / of.sum()
            influence[cases[of]] = moved * root_of_factor(fits, cases[of])
    by_class = _of_classes(fits, loss, block, cases, losses)
    one_rate = isinstance(loss, Rate) and (weights is None or np.count_nonzero(weights) == 1)
    out = Estimate(
        value,
        se=math.sqrt(variance(fits.design, influence)),
        se_method="binomial",
        influence=influence,
        cases=fits.design.independent_units(loss.class_sets(fits.sample), cases),
        tested=len(cases) if weights is None else int(np.isin(block.codes, np.flatnonzero(weights)).sum()),
        plain=one_rate and fits.sample.groups is None,
    )
    if one_rate and fits.sample.groups is not None:  # a share of cases in groups, as in karat.diagnose
        of = np.ones(len(cases), dtype=bool) if weights is None else np.isin(block.codes, np.flatnonzero(weights))
        out = out.with_(interval=share_in_groups(losses, fits.sample.groups[cases], "wilson", of).interval)
    return out if by_class is None else out.with_(interval=by_class)


@dataclass(frozen=True, eq=False)
class OfClasses(IntervalRule):
    """The interval of Σ_c (a_c + b_c p_c) from those of the shares p_c of the classes (karat.formulas.mover), with
    their correlations, which are 0 unless groups have cases of several classes.

    The plug-in variance of a class without errors, or without successes, is 0, however few its cases are.
    """

    shares: Sequence[Estimate]
    lengths: Sequence[float]
    correlations: Floats
    name = "mover"

    def limits(self, e: Estimate, level: float) -> Interval:
        steps = [
            sorted(b * (end - share.value) for end in share.ci(level))
            for share, b in zip(self.shares, self.lengths, strict=True)
        ]
        signs = np.sign(self.lengths)
        limits = mover.joined(e.value, np.array(steps), self.correlations * np.outer(signs, signs))
        return self.clipped(e, *limits, level)


def _of_classes(fits: Fits, loss: CaseLoss, block: Block, cases: Ints, losses: Floats) -> OfClasses | None:
    """Where a loss of several classes has two values in each."""
    weights, groups = loss.class_weights, fits.sample.groups
    if weights is None or np.count_nonzero(weights) < 2 or not isinstance(loss, Cost):
        return None
    shares, lengths = [], []
    for code in np.flatnonzero(weights):
        values, of = np.unique(loss.table[code]), block.codes == code
        if len(values) != 2:
            return None
        low, high = values
        hits = losses[of] == high
        lengths.append(float(weights[code] * (high - low)))
        if groups is None:
            plain = Estimate(float(hits.mean()), cases=int(of.sum()), plain=True, bounds=(0.0, 1.0), se=0.0)
            shares.append(plain.with_(interval=Proportion("wilson")))
        else:
            shares.append(share_in_groups(losses == high, groups[cases], "wilson", of))
    together = np.eye(len(shares))
    if groups is not None and all(share.influence is not None for share in shares):
        together = correlations(group_sums(np.stack([np.asarray(s.influence) for s in shares]), groups[cases]))
    return OfClasses(shares, lengths, together)


@estimator("holdout", kinds={"holdout"}, metrics=AUC, se=("delong",), estimand=TRAINED, pairs=holdout_difference)
def holdout_auc(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mann–Whitney AUC of the test cases with DeLong's standard error; several classes: the mean over one against
    the rest, with the influence of every case summed over the parts. Its interval is that of `karat.roc`."""
    block, cases, value = the_test(fits, metric)
    groups = None if fits.sample.groups is None else fits.sample.groups[cases]
    parts = [Scored(scores[0], positive, groups=groups) for scores, positive in metric.parts(block)]
    if fits.sample.n_classes == 2:
        out = auc_of_scores(parts[0])
    else:
        independent = fits.design.independent_units(metric.class_sets(fits.sample), cases)
        out = Estimate(value, bounds=metric.bounds, interval=metric.interval, cases=independent)
        influence = np.mean([part.delong[1] for part in parts], axis=0)
        out = auc_of_influence(out, influence, fits.sample.codes[cases], groups)
    return out if out.influence is None else out.with_(influence=among_all(out.influence, fits, cases))


def root_of_factor(fits: Fits, cases: Ints) -> float:
    """√(G/(G − 1)) of the groups of these cases; 1 without groups (karat.formulas.groups)."""
    return 1.0 if fits.sample.groups is None else math.sqrt(group_factor(fits.sample.groups[cases]))


def among_all(influence: Floats, fits: Fits, cases: Ints) -> Floats:
    """(n,) the influence of the tested cases, 0 for the others."""
    whole = np.zeros(fits.sample.n)
    whole[cases] = influence
    return whole


@estimator(
    "holdout",
    kinds={"holdout"},
    metrics=AveragePrecision,
    se=("positives", "delta"),
    estimand=TRAINED,
    pairs=holdout_difference,
)
def holdout_average_precision(
    fits: Fits, metric: AveragePrecision, *, se: str | None, undefined: Undefined
) -> Estimate:
    """Average precision of the test cases.

    "positives" is √(θ(1 − θ)/n1), n1 the positives, with the interval of `karat.pr` (Boyd, Eng & Page 2013); "delta" is
    the norm of the influence function, the default for groups and several classes. The former is too small where most
    cases are positive, the latter in small samples.
    """
    block, cases, value = the_test(fits, metric)
    influence = among_all(metric.influence(block), fits, cases) * root_of_factor(fits, cases)
    positives = fits.design.independent_units(metric.class_sets(fits.sample), cases)
    out = Estimate(value, influence=influence, cases=positives)
    if se == "delta" or (se is None and (fits.sample.groups is not None or len(metric.targets) > 1)):
        return out.with_(se=math.sqrt(variance(fits.design, influence)), se_method="delta")
    out = out.with_(se=math.sqrt(value * (1 - value) / positives), se_method="positives")
    return out.noting(MOSTLY_POSITIVE if 2 * positives > len(cases) else None)


@estimator("holdout", kinds={"holdout"}, metrics=SetMetric, se=("jackknife",), estimand=TRAINED)
def holdout_set(fits: Fits, metric: SetMetric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Any other metric of the test cases, with the influence of the jackknife where the metric is smooth."""
    from karat.statistics.jackknife import jackknife  # assess loads it for a function of the user's own only

    block, cases, value = the_test(fits, metric)
    out = Estimate(value)
    if len(cases) > MAX_CASES_FOR_JACKKNIFE:
        message = (
            f"No standard error of {metric.name}: leaving out each of {len(cases)} test cases in turn takes too long; "
            "karat.statistics.bootstrap gives one for fixed scores."
        )
        return out.noting(Note("no-se-many-cases", message, cases=len(cases), limit=MAX_CASES_FOR_JACKKNIFE))

    def of_rows(rows: Ints) -> float:
        return float(metric.rows(block, np.bincount(rows, minlength=len(cases))[None].astype(float))[0])

    try:
        found = jackknife(of_rows, np.arange(len(cases)))
    except InputError as error:  # it is undefined without one of the cases
        message = f"No standard error is known for {metric.name}: {error.problem}."
        return out.noting(Note("no-se-known", message, metric=metric.name))
    if found.se is None or found.influence is None:
        return out.noting(*found.notes)
    influence = among_all(found.influence, fits, cases)
    if fits.sample.groups is not None:  # G/(G − 1) of the groups in place of the jackknife's n/(n − 1) of the cases
        influence *= math.sqrt((len(cases) - 1) / len(cases)) * root_of_factor(fits, cases)
    out = out.with_(se=math.sqrt(variance(fits.design, influence)), se_method="jackknife", influence=influence)
    return out.noting(*(note for note in found.notes if note.code in ABOUT_STATISTIC))
