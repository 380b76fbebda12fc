"""cv+training: cross-validation with an interval for the rule trained on all n cases. The default of `trueness.assess`.

The centre is the mean of repeated K-fold cross-validation: of a loss over cases, of an AUC over folds. Its error has two
parts: which cases it is tested on, and which cases the rules are trained on. The variance is

    V = max(NB, b + t, 0.9 (b + t + 2 Σ β a τ))

    b  = Σ β a²      test cases: a_i is what case i does as a test case (Bayle et al. 2020)
    t                the variance of the performance of the rule over training sets: the covariance, over the replicates
                     of a bootstrap on the same cases, of the losses of two cases that were left out (for an AUC of two
                     pairs of cases without a common one). All orders of the dependence on training cases are in it.
    τ_i              what case i does as a training case, from the influence function of the same bootstrap; the
                     covariance of both parts needs its first order only
    NB = (1/J + n_test/n_train) S²       Nadeau & Bengio (2003), S² over the J fold values (for a loss weighted by their
                                         cases, plus the variance by the class sizes, which stratified folds do not
                                         show); left out of an AUC, and of a difference, where groups hold several
                                         classes: there folds are few and large, and it is up to three times the rest

with sums over cases (or groups), β = 1/(1 − w), w the share of the unit in its stratum. Theory has the sum of b, t and the
covariance; its last term is noisy where it is negative, and too large a correction where it is positive. The form was
chosen among 14 by simulation (docs/appendix/default-interval.md).

Student's quantile has the degrees of freedom of the fold values, J − 1, or of the training part where a few cases make it:
2n/(κ − 1) · (V/t)², κ the kurtosis of τ over the n units (Satterthwaite 1946, with Var(s²)/σ⁴ = (κ − 1)/n).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import (
    fold_values,
    fold_weights,
    mean_of_folds,
    means_of_folds,
    nadeau_bengio,
    naive_influence,
    pooled_losses,
    share_variance,
    values_of_folds,
)
from trueness.estimators.influence import Contrast, identical
from trueness.estimators.influence.case_influence import CaseMeans, add_training, variance
from trueness.estimators.influence.placement_means import (
    PlacementMeans,
    comparisons_made,
    comparisons_within,
    pairs_within,
)
from trueness.estimators.method import Method
from trueness.estimators.seeds import folds_without, jackknife
from trueness.formulas import intervals
from trueness.formulas.groups import group_factor
from trueness.kernels.auc import won_in_groups, won_rows
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result.estimate import Estimate
from trueness.result.interval import FEW_ERRORS, LOGIT, OF_WILSON, WALD, Interval, IntervalRule, unit
from trueness.result.notes import Note
from trueness.result.words import INDEPENDENT_CASES, Estimand, StandardError
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.typing import Floats, Ints

CV_TRAINING = Method(
    "cv+training",
    "the mean of the cross-validation",
    "nadeau_bengio_2003",
    "efron_tibshirani_1997",
    kinds={"cv+bootstrap"},
    estimand=Estimand.N_CASES,
    order=10,
    recommended={"cv+bootstrap"},
)
TEST_AND_TRAINING = StandardError(
    "cv+training",
    "a standard error that counts test and training cases",
    assumes=(
        INDEPENDENT_CASES,
        "the variance is the largest of three forms, chosen by simulation (trueness help appendix/default-interval).",
    ),
)
SE = (TEST_AND_TRAINING,)
DECIDES = 0.4  # standard errors by which one training case moves a value that few cases decide
LEAST_READ = 40  # replicates, the fewest that the default plan has
MANY = 10**6  # degrees of freedom: as good as none that are missing
APART = 6.0  # robust SDs of τ from which a case is no part of its noise, however many bootstrap samples there are


@dataclass(frozen=True, eq=False)
class WilsonOfTrials(IntervalRule):
    """Wilson's interval with the number of independent trials that would have this variance, p(1 − p)/V."""

    least: float  # p is held to [least, 1 − least] in that number: near the end of the range V says little
    units: float  # cases, or groups: at most so many trials where there are fewer than five errors (∞ for an AUC)
    cases: float  # cases, of which the errors are a share
    most: float  # trials at most
    name = OF_WILSON

    def trials(self, value: float, var: float) -> float:
        """The number of trials of a value on the unit interval with this variance."""
        p = min(max(value, self.least), 1 - self.least)
        n = min(p * (1 - p) / var, self.most) if var > 0 else self.most
        return min(n, self.units) if self.cases * min(value, 1 - value) < FEW_ERRORS else n

    def limits(self, e: Estimate, level: float) -> Interval:
        p, length = unit(e)
        trials = self.trials(p, (e.require_se() / length) ** 2)
        return self.scaled(e, intervals.wilson(p, trials, intervals.quantile(level, e.df)), level)


def training_df(training: Floats, share: float) -> int:
    """Degrees of freedom of a variance of which the training part, made by the units' τ, is this share; at least 2."""
    squares = training**2
    spread = float((squares**2).sum() / max(float(squares.sum()) ** 2, 1e-300)) - 1 / len(training)
    return MANY if spread * share**2 <= 2 / MANY else max(2, int(2 / (spread * share**2)))


def few_cases_decide(training: Floats, se: float) -> Note | None:
    """Where one training case moves the value by much of a standard error and far more than most cases do, as gross
    outliers do; None otherwise."""
    size = np.abs(training)
    noise, most = 1.4826 * float(np.median(size)), int(size.argmax())
    share = float(size[most]) / se if se > 0 else 0.0
    if share < DECIDES or size[most] < APART * noise:
        return None
    cases = np.flatnonzero(size >= max(APART * noise, size[most] / 2))
    return Note("few-cases-decide", case=most, share=share, cases=cases.tolist())


def trials_rule(design: Design, metric: Metric) -> IntervalRule:
    """Wilson's interval, with the cases that this metric rests on; the metric's own where the range is infinite, or far
    wider than the values in it."""
    if metric.interval is WALD or not all(map(math.isfinite, metric.bounds)):
        return metric.interval
    class_sets, sample = metric.class_sets(design.sample), design.sample
    fewest = design.independent_units(class_sets)
    cases = min(int(sample.sizes[classes].sum()) for classes in class_sets)  # cases of one group may be independent
    if isinstance(metric, AUC):
        return WilsonOfTrials(1 / (4 * (fewest + 1)), math.inf, math.inf, 4 / (1 / cases + 1 / (sample.n - cases)))
    return WilsonOfTrials(0.5 / cases, fewest, cases, 4 * cases)


def form(nb: Floats | float, b: Floats | float, t: Floats | float, ab: Floats | float) -> Floats:
    """The variance from its terms."""
    parts: Floats = np.asarray(b + np.asarray(t))
    return np.asarray(np.maximum(np.maximum(nb, parts), 0.9 * (parts + 2 * np.asarray(ab))))


def trained(c: Contrast) -> tuple[Estimate, Floats]:
    """Centre and standard error of a loss or an AUC, with a logit interval where the AUC is one of cases of different groups;
    and (n,) a_i, scaled so that the centre moves by it."""
    cv, bootstrap, metric = c.part(0), c.part(1), c.metric
    design, strata, of_loss = cv.fits.design, bootstrap.fits.design.strata, isinstance(metric, CaseLoss)
    means: CaseMeans | PlacementMeans
    if of_loss:
        most = max(LEAST_READ, metric.scores_read / design.n)
        means = CaseMeans.over(replace(bootstrap, undefined="skip"), most=most)
    else:
        means = PlacementMeans.over(bootstrap)
    # 1/(1 − w), w the share of each unit in the stratum within which the bootstrap drew it
    beta = np.nan_to_num(group_factor(design.units, strata[design.units])[design.first_of_unit], nan=1.0)
    pure = cv.fits.sample.groups_are_pure
    between = not of_loss and (
        not pure or (c.undefined == "skip" and np.isnan(values_of_folds(cv.fits, metric)[cv.fits.kept]).any())
    )
    left = None  # (R, U) a without each repeat, where no fit failed
    if between:
        centre, test, without = between_groups(cv)
        df, nb, left, nb_left = design.n_units - 1, 0.0, design.unit_sums(without), np.zeros(len(without))
    else:
        values = fold_values(cv)
        folds = int(np.count_nonzero(~np.isnan(values)))
        df = (folds if design.sample.groups is None else min(folds, design.n_units)) - 1
        test = naive_influence(cv) if of_loss else cv.read(placement_influence)
        whole = cv.fits.kept.all() and (cv.other is None or cv.other.kept.all())
        pooled, rows, weights = None, None, np.ones(len(values))
        if of_loss:  # every case counts alike, also where folds differ in size, as those of a subgroup do
            weights, pooled = fold_weights(cv.fits, metric), means_of_folds(cv).value if whole else None
            rows = pooled_losses(cv)
        centre = mean_of_folds(values, design.repeats, pooled, weights)
        of_folds, shares = nadeau_bengio(centre, values, cv.fits, weights).require_se() ** 2, share_variance(cv)
        used = 0.0 if cv.other is not None and not pure else 1.0
        nb = used * (of_folds + shares)
        if not np.isnan(values).any() and whole:
            if rows is None:
                each = cv.read(lambda fits, auc: placement_influence(fits, auc, True))
            else:
                each = np.stack([CaseMeans.of_partition(design, row[None], metric).centred() for row in rows])
            sums = design.unit_sums(each)
            left = (sums.sum(axis=0) - sums) / max(len(sums) - 1, 1)
            nb_left = used * (folds_without(values, design.repeats, of_folds, weights) + shares)
    a = design.unit_sums(test)
    training, replicates = means.training(beta * a)
    b, t, covariance = float((beta * a**2).sum()), max(0.0, replicates.trained), float((beta * a * training).sum())
    se, noise = math.sqrt(float(form(nb, b, t, covariance))), None
    if left is not None:  # SD(V)/(2 se) over seeds
        of_repeats = form(nb_left, (beta * left**2).sum(axis=1), t, left @ (beta * training))
        drawn = jackknife(of_repeats) + jackknife(form(nb, b, *replicates.without()))
        noise = math.sqrt(drawn) / (2 * se) if se > 0 else 0.0
    influence = add_training(design, test, training)
    known = {"test": b, "training": t, "covariance": covariance, "nadeau_bengio": nb}
    out = centre.with_(
        se=se,
        se_mc_se=noise,
        se_method=TEST_AND_TRAINING,
        df=min(df, training_df(training, t / max(se**2, 1e-300))),
        influence=influence * (se / max(math.sqrt(variance(design, influence)), 1e-300)),
        provenance={**centre.provenance, "variance": known},
        interval=LOGIT if between else WALD,
    )
    return out if design.sample.groups is not None else out.noting(few_cases_decide(training, se)), test


def between_groups(cv: Contrast) -> tuple[Estimate, Floats, Floats]:
    """The AUC where groups hold several classes, a (n,), and a without each repeat (R, n).

    It is the share of ordered pairs among all pairs of cases of different groups that one rule left out: a new case comes
    from a new group, and a test fold of few groups is too small for an AUC of its own. Groups are the units: b is the
    variance of the jackknife over groups. The AUC within groups and that of all pairs, which answer other questions, stand
    in a note and as "pairs" of the provenance.
    """
    design, metric = cv.fits.design, cv.metric
    groups = None if design.sample.groups_are_pure else design.units
    some = np.unique(design.repeats[cv.fits.kept])  # repeats that have a test
    won, made, _ = comparisons(cv.fits, metric, groups)[:, some]  # (repeats, targets, n)
    if not made.sum(axis=2).all():
        fix = "Use fewer folds, or more groups"
        raise UndefinedError("No test fold has both classes in different groups", param="groups", fix=fix)
    if cv.other is not None:
        won = won - comparisons(cv.other, metric, groups)[0, some]
    up = np.stack([design.sample.codes == target for target in metric.targets])
    values = ((won * up).sum(axis=2) / (made * up).sum(axis=2)).mean(axis=1)
    sizes = np.bincount(design.units)

    def moved(won: Floats, made: Floats) -> tuple[float, Floats]:
        """The value, and by how much it moves without each group, from all comparisons (targets, n)."""
        total, pairs = ((x * up).sum(axis=1)[:, None] for x in (won, made))
        with np.errstate(invalid="ignore", divide="ignore"):
            shift = (total / pairs - (total - design.unit_sums(won)) / (pairs - design.unit_sums(made))).mean(axis=0)
        return float((total / pairs).mean()), ((shift - shift.mean()) * (1 / sizes - 1 / design.n))[design.units]

    every = won.sum(axis=0), made.sum(axis=0)
    value, test = moved(*every)
    if not np.isfinite(test).all():
        raise UndefinedError(
            "Without one group, no cases of different groups and classes are tested together", param="groups"
        )
    without = np.stack([moved(every[0] - w, every[1] - m)[1] for w, m in zip(won, made, strict=True)])
    without = np.where(np.isfinite(without).all(axis=1, keepdims=True), without, test)
    out = mean_of_folds(values, np.arange(len(values)), value)
    if groups is not None:  # the share of the pairs of one group among all pairs
        within = cv.read(within_groups)
        share = float(np.mean([pairs_within(groups, of) / (of.sum() * (~of).sum()) for of in up]))
        pairs = share * within + (1 - share) * value
        out = out.with_(provenance={"pairs": {"within_groups": within, "all_pairs": pairs}})
        out = out.noting(Note("between-groups", between=value, within=within, all_pairs=pairs))
    return out, test, without


def within_groups(fits: Fits, metric: AUC) -> float:
    """Share of ordered pairs among the pairs of cases of one group that one rule left out."""
    won, made = np.zeros((2, len(metric.targets)))
    for block in fits.tests():
        groups = fits.design.units[fits.design.tested(int(block.fits[0]))]
        for t, (scores, positive) in enumerate(metric.parts(block)):
            found = won_in_groups(scores[0], positive, groups)
            won[t] += found[0][positive].sum()
            made[t] += found[1][positive].sum()
    with np.errstate(invalid="ignore"):
        return float(np.mean(won / made))


def comparisons(fits: Fits, metric: AUC, groups: Ints | None = None) -> Floats:
    """(3, repeats, targets, n) comparisons that each held-out case won and made with the other cases of its fold, with
    `groups` of other groups only; and how often it was tested."""
    repeats = fits.design.repeats
    found = np.zeros((3, repeats.max() + 1, len(metric.targets), fits.sample.n))
    for block in fits.tests():
        fold = int(block.fits[0])
        cases = fits.design.tested(fold)
        for t, (scores, positive) in enumerate(metric.parts(block)):
            every, of_cases = np.ones(scores.shape, bool), None
            won, _ = won_rows(scores, every, positive)
            if groups is not None:
                of_cases = groups[cases]
                won -= comparisons_within(scores, every, positive, of_cases)[0]
            made = comparisons_made(every, positive, of_cases)
            found[:, repeats[fold], t, cases] += np.concatenate([won, made, every])
    return found


def placement_influence(cv: Fits, metric: AUC, by_repeat: bool = False) -> Floats:
    """(n,) a_k: the mean placement of each case among the other class of its test fold, centred within its class and
    divided by the size of the class; of several classes the mean of one against the rest. By repeat (R, n), whose mean it
    is."""
    won, made, tests = cv.cached(("comparisons", metric.key), lambda: comparisons(cv, metric))
    placed, design = won / np.maximum(made, 1), cv.design
    if not by_repeat:
        placed, tests = (x.sum(axis=0, keepdims=True) for x in (placed, tests))
    out = np.zeros((len(placed), design.n))
    for t, target in enumerate(metric.targets):
        positive = design.sample.codes == target
        within = design.sample.codes if design.stratified else positive.astype(np.intp)
        for into, total, times in zip(out, placed[:, t], tests[:, t], strict=True):
            tested = times > 0  # a case is not where the only fit that left it out failed
            mean = total / np.maximum(times, 1)
            centres = np.bincount(within, mean) / np.maximum(np.bincount(within, tested), 1)
            of_class = np.where(positive, (positive & tested).sum(), (~positive & tested).sum())
            into += tested * (mean - centres[within]) / np.maximum(of_class, 1) / len(metric.targets)
    return out if by_repeat else out[0]


def with_least_se(out: Estimate, least: float, c: Contrast) -> Estimate:
    """With this standard error at least, unless two rules score every case alike."""
    if out.se is None or out.se >= least or (c.other is not None and identical(c.fits, c.other)):
        return out
    return out.with_(se=least, se_mc_se=None if out.se_mc_se is None else 0.0)


@CV_TRAINING.on(CaseLoss, AUC, se=SE, pairs=True)
def cv_training(c: Contrast) -> Estimate:
    """Repeated cross-validation with an interval for the rule trained on all n cases.

    Of a difference fold values, placements and residuals are subtracted before anything is squared. Rules that agree on
    nearly all cases have a floor: half a case for a loss, of the class that a rate is about, times the root of the design
    effect of groups; a quarter of a case of the smaller class where an AUC is within half a case of the end of its range.
    """
    (out, test), metric, design = trained(c), c.metric, c.fits.parts[0].design
    between, rule = out.interval is LOGIT, trials_rule(design, metric)
    if c.other is None:
        return out if between else out.with_(interval=rule)
    least = 0.0
    if not isinstance(rule, WilsonOfTrials):
        return out
    if isinstance(metric, AUC):
        for fits in (c.fits, c.other):
            one = Contrast(fits.parts[0], metric, undefined=c.undefined)
            p = between_groups(one)[0].value if between else float(np.nanmean(fold_values(one)))
            if min(p, 1 - p) < 2 * rule.least:
                least = rule.least
    else:
        # the root of the ratio of b to the same of independent cases, at least 1; the largest where no case differs
        plain, (low, high), most = float((test**2).sum()), metric.bounds, rule.cases / rule.units
        effect = max(1.0, math.sqrt(variance(design, test) / plain)) if plain > 0 else most
        least = (high - low) * rule.least * min(effect, most)
    return with_least_se(out, least, c)
