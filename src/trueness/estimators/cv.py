"""Cross-validation: cv, the mean of the values of the folds; cv_pooled and cv_pairs, means over all held-out cases, or pairs
that were tested together."""

import math
from dataclasses import replace

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast, losses_of, paired
from trueness.estimators.influence.case_influence import CaseMeans, variance
from trueness.estimators.influence.draws import SuccessiveDraws
from trueness.estimators.influence.pair_influence import OverPairs, Sums
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.estimators.loob import CORRECTED, OF_INFLUENCE, by_ranks_note, pair_means, skipped_pairs
from trueness.estimators.method import Method, Undefined
from trueness.estimators.seeds import spread_of_folds
from trueness.formulas.groups import group_factor
from trueness.metrics.auc import AUC
from trueness.metrics.cost import Rate
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result.estimate import Estimate
from trueness.result.interval import RULES
from trueness.result.notes import Note
from trueness.result.words import CLASS_SIZES, NADEAU_BENGIO, Estimand, StandardError
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.typing import Floats, Ints

CV = Method(
    "cv",
    "the mean of the cross-validation",
    kinds={"cv"},
    estimand=Estimand.FOLD_SETS,
    order=70,
    recommended={"cv", "cv+bootstrap"},
)
OF_TESTED_CASES = (
    "tested cases are independent; this ignores the variation of the training sets, so the p-value is too small.",
)
NAIVE = StandardError(
    "naive", "the standard error of independent losses", "bayle_2020", assumes=OF_TESTED_CASES, ignores_training=True
)
WITHIN_FOLD = StandardError(
    "within-fold", "the within-fold standard error", "bayle_2020", assumes=OF_TESTED_CASES, ignores_training=True
)
CONTINUITY = StandardError("continuity", "the standard error of independent losses")
CASE_SE = (NADEAU_BENGIO, NAIVE, WITHIN_FOLD, CONTINUITY, OF_INFLUENCE, CORRECTED)
LEAVE_OUT = "Use undefined='failed' to leave out the fits that failed"
FOLDS_FOR_TEST_SIZE = 200  # folds whose mean size stands for that of all

EXPERIMENTAL = Note("experimental-se")
NAIVE_IS_SMALL = Note("naive-se")
ONE_PASS = Note("no-se-one-pass")


def fold_values(fits: Fits, metric: Metric, undefined: Undefined) -> Floats:
    """(F,) the metric of each fold; NaN where it cannot be evaluated and is skipped."""
    values = values_of_folds(fits, metric)
    bad = np.isnan(values)
    refused = bad & fits.kept if undefined == "failed" else bad
    if bad.all() or (undefined != "skip" and refused.any()):
        raise UndefinedError(
            f"{int(bad.sum())} of {len(values)} folds have no {metric.name}: a class is missing, or the fit failed",
            param="method",
            fix="Use fewer folds, the estimate cv_pooled, undefined='skip', or undefined='failed' for failed fits",
        )
    return values


def contrast_of_folds(c: Contrast, undefined: Undefined) -> Floats:
    """(F,) the metric of each fold, less that of the other rule."""
    return c.read(lambda fits, metric: fold_values(fits, metric, undefined))


def pooled_losses(fits: Fits, loss: CaseLoss) -> Floats | None:
    """(R, n) of each case by the rule of the repeat that left it out; None where repeats are not partitions. Those of the
    latest loss are kept: the mean and its standard error read them."""
    pooled = fits.pooled()
    return None if pooled is None else fits.latest("pooled losses", loss.key, lambda: loss.losses(pooled))


def values_of_folds(fits: Fits, metric: Metric) -> Floats:
    """(F,) the metric of each fold; NaN where it cannot be evaluated."""
    return fits.cached(("folds", metric.key), lambda: _fold_values(fits, metric))


def _fold_values(fits: Fits, metric: Metric) -> Floats:
    values = np.full(fits.n_fits, np.nan)
    folds = fits.design.folds
    plain = isinstance(metric, CaseLoss) and metric.priors is None and folds is not None
    losses = pooled_losses(fits, metric) if plain else None  # type: ignore[arg-type]  # a CaseLoss
    if folds is not None and losses is not None:  # all folds at once
        k = fits.design.n_folds
        for r, (fold, row) in enumerate(zip(folds, losses, strict=True)):
            with np.errstate(invalid="ignore"):  # a fold may test none of the cases of a subgroup
                values[r * k : (r + 1) * k] = np.bincount(fold, row, minlength=k) / np.bincount(fold, minlength=k)
    else:
        for block in fits.tests():
            values[block.fits[0]] = metric.rows(block, block.ones)[0] if block.codes.size else np.nan
    return values


def fold_weights(fits: Fits, loss: CaseLoss) -> Floats:
    """(F,) cases that the value of each fold is a mean of: those that it tests, of the classes that the loss is about."""
    used, design = loss.case_weights(fits.sample) > 0, fits.design
    if design.folds is not None:
        return np.concatenate([np.bincount(fold[used], minlength=design.n_folds) for fold in design.folds]).astype(
            float
        )
    return np.concatenate([design.tests(rows)[:, used].sum(axis=1) for rows in design.slices()]).astype(float)


def mean_of_folds(
    values: Floats, repeats: Ints, pooled_mean: float | None = None, weights: Floats | None = None
) -> Estimate:
    """The mean (or the pooled mean), the spread over folds, and the Monte-Carlo error where there are repeats."""
    kept = ~np.isnan(values)
    w = np.ones(len(values)) if weights is None else weights
    value = float((w[kept] * values[kept]).sum() / w[kept].sum()) if pooled_mean is None else pooled_mean
    out = Estimate(value, fold_sd=float(values[kept].std(ddof=1)) if kept.sum() > 1 else None)
    some = [kept & (repeats == r) for r in np.unique(repeats[kept])]
    each = np.array([(w[of] * values[of]).sum() / w[of].sum() for of in some])
    if len(each) > 1:
        mc = (each - each.mean()) / math.sqrt(len(each) * (len(each) - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    return out


def skipped_folds(values: Floats) -> Note | None:
    """Where folds were skipped; None where all have a value."""
    bad = int(np.isnan(values).sum())
    if not bad:
        return None
    return Note("folds-skipped", skipped=bad)


def nadeau_bengio(out: Estimate, values: Floats, fits: Fits, weights: Floats | None = None) -> Estimate:
    """Var = (1/J + n_test/n_train) S², S² over the J folds of all repeats (Nadeau & Bengio 2003), which count by these
    weights."""
    j = int(np.count_nonzero(~np.isnan(values)))
    some = range(min(fits.n_fits, FOLDS_FOR_TEST_SIZE))
    tested = fits.cached("test size", lambda: np.mean([len(fits.design.tested(f)) for f in some]))
    unused = 0.0 if fits.design.unused is None else fits.design.unused[: len(some)].sum(axis=1).mean()
    ratio = tested / (fits.sample.n - tested - unused)
    se = math.sqrt((1 / j + ratio) * spread_of_folds(values, weights))
    return out.with_(se=se, se_method=NADEAU_BENGIO, df=j - 1)


def several_splits(fits: Fits) -> bool:
    """Whether there is more than one pass over the cases."""
    return len(np.unique(fits.design.repeats()[fits.kept])) > 1


def require_repeats(fits: Fits) -> None:
    """An error where one pass over the cases cannot give the standard error that was asked for."""
    if not several_splits(fits):
        raise InputError(
            "This standard error needs repeated cross-validation",
            param="se",
            fix="Use KFold(10, repeats=10) or MonteCarlo",
        )


def require_all_used(fits: Fits) -> None:
    """An error where splits leave cases unused: the influence of training cases is known for random splits only."""
    if fits.design.unused is not None:
        raise UndefinedError(
            "The influence function of cross-validation needs splits in which every case either trains or tests",
            param="plan",
            got=f"up to {int(fits.design.unused.sum(axis=1).max())} cases per split that do neither",
        )


def naive_influence(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) centred mean held-out loss of each case over n: the first term of the influence function.

    Its norm is the naive standard error √(mean (L − mean L)²/n), the "all-pairs" one of Bayle, Bayle, Janson & Mackey
    (2020); with repeats L is the mean loss of a case.
    """
    means = _partition_means(fits, loss)
    if means is None:
        means = CaseMeans.over(fits.design, losses_of(fits, loss), loss, "skip")
        return replace(means, by_class=loss.priors is not None).first_term()
    return means.first_term()


def _partition_means(fits: Fits, loss: CaseLoss) -> CaseMeans | None:
    """The mean held-out loss of every case; None where repeats are not partitions."""
    losses = pooled_losses(fits, loss)
    if losses is None:
        return None
    return fits.latest("partition means", loss.key, lambda: CaseMeans.of_partition(fits.design, losses, loss))


def means_of_folds(c: Contrast) -> CaseMeans:
    """The mean held-out loss of every case."""
    if c.fits.pooled() is None:
        return CaseMeans.over(c.fits.design, c.losses(), c.metric, "skip")
    if c.other is None and (known := _partition_means(c.fits, c.metric)) is not None:
        return known

    def read(fits: Fits, loss: CaseLoss) -> Floats:
        losses = pooled_losses(fits, loss)
        assert losses is not None  # two rules have one design
        return losses

    return CaseMeans.of_partition(c.fits.design, c.read(read), c.metric)


def with_class_shares(out: Estimate, c: Contrast) -> Estimate:
    """Stratified folds do not show how much the value varies with the class sizes: this is added, or where the study
    fixed the sizes a note says how much it would be."""
    if not c.fits.design.stratified or c.metric.priors is not None or out.se is None:
        return out
    if c.fits.design.fixed_sizes:
        return means_of_folds(c).note_fixed_classes(out)
    by = StandardError.of(out.se_method or "").plus(CLASS_SIZES)
    return out.with_(se=math.sqrt(out.se**2 + share_variance(c)), se_method=by)


def share_variance(c: Contrast) -> float:
    """The variance of a plain mean over cases by the class sizes, which stratified folds do not show."""
    plain = isinstance(c.metric, CaseLoss) and c.metric.priors is None
    hidden = plain and c.fits.design.stratified and not c.fits.design.fixed_sizes
    return means_of_folds(c).share_variance() if hidden else 0.0


def with_case_se(
    out: Estimate, fits: Fits, loss: CaseLoss, values: Floats, se: str | None, weights: Floats | None = None
) -> Estimate:
    """With one of the standard errors that cross-validation of a loss can have, and what it assumes."""
    if se is None:
        se = NADEAU_BENGIO if several_splits(fits) else NAIVE
    if se == NADEAU_BENGIO:
        require_repeats(fits)
        return with_class_shares(nadeau_bengio(out, values, fits, weights), Contrast(fits, loss))
    if se == CONTINUITY:
        return _with_continuity(out, fits, loss)
    if se == NAIVE:
        return _with_naive(out, fits, naive_influence(fits, loss))
    if se == WITHIN_FOLD:
        return _with_within_fold(out, Contrast(fits, loss))
    require_repeats(fits)
    require_all_used(fits)
    return with_influence(out, CaseMeans.over(fits.design, losses_of(fits, loss), loss, "skip", SuccessiveDraws()), se)


def with_influence(out: Estimate, means: CaseMeans | OverPairs, se: str) -> Estimate:
    """With the standard error of the influence function, corrected for the noise of the replicates where asked."""
    influence, _ = means.influence()
    used = variance(means.design, influence)
    if se == CORRECTED:
        first = means.first_order()
        used = first.total if first.total > 0 else first.tested
    return out.with_(se=math.sqrt(used), se_method=se, influence=influence).noting(EXPERIMENTAL)


def _with_naive(out: Estimate, fits: Fits, influence: Floats) -> Estimate:
    if fits.sample.groups is not None:
        influence = influence * np.sqrt(group_factor(fits.sample.groups))
    se = math.sqrt(variance(fits.design, influence))
    return out.with_(se=se, se_method=NAIVE, influence=influence).noting(NAIVE_IS_SMALL)


def _with_within_fold(out: Estimate, c: Contrast) -> Estimate:
    return out.with_(se=within_fold_se(c), se_method=WITHIN_FOLD).noting(NAIVE_IS_SMALL)


def _with_continuity(out: Estimate, fits: Fits, loss: CaseLoss) -> Estimate:
    """Binomial, with an interval that is 0.5/n wider on both sides."""
    if not isinstance(loss, Rate) or loss.priors is not None or fits.sample.groups is not None:
        problem = 'se="continuity" is for the error rate and the accuracy of independent cases'
        raise InputError(problem, param="se", got=loss.name, fix="Use se='naive'")
    n, p = int((~fits.design.never_tested).sum()), out.value
    se = math.sqrt(p * (1 - p) / n)
    return out.with_(se=se, se_method=CONTINUITY, cases=n, interval=RULES["continuity"])


def difference_of_folds(
    c: Contrast, *, se: str | None, undefined: Undefined, pooled_mean: float | None = None
) -> Estimate:
    """Paired difference of the folds' values, with Nadeau and Bengio's standard error where there are repeats."""
    values, of_cases = contrast_of_folds(c, undefined), isinstance(c.metric, CaseLoss)
    weights = None if pooled_mean is None else fold_weights(c.fits, c.metric)
    out = mean_of_folds(values, c.fits.design.repeats(), pooled_mean, weights)
    if se in (None, NADEAU_BENGIO) and several_splits(c.fits):
        out = nadeau_bengio(out, values, c.fits, weights)
        return with_class_shares(out, c) if of_cases else out
    if of_cases and se in (None, NAIVE):
        return _with_naive(out, c.fits, c.read(naive_influence))
    if of_cases and se == WITHIN_FOLD:
        return _with_within_fold(out, c)
    if se is None:
        return out.noting(ONE_PASS)
    return out.noting(Note("no-se-difference", se=se))


@CV.on(CaseLoss, se=CASE_SE, pairs=paired(difference_of_folds))
def cv_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over folds of the fold's mean loss."""
    values = fold_values(fits, loss, undefined)
    out = mean_of_folds(values, fits.design.repeats()).noting(skipped_folds(values))
    return with_case_se(out, fits, loss, values, se)


WITHIN_GROUPS = Note("within-groups")


@CV.on(se=(NADEAU_BENGIO,), pairs=paired(difference_of_folds))
def cv(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over folds of the fold's own value, e.g. of the AUCs within folds."""
    values = fold_values(fits, metric, undefined)
    out = mean_of_folds(values, fits.design.repeats()).noting(skipped_folds(values))
    if isinstance(metric, AUC) and not fits.sample.groups_are_pure and fits.design.one_group_a_fold:
        out = out.noting(WITHIN_GROUPS)
    if se is not None:
        require_repeats(fits)
    return nadeau_bengio(out, values, fits) if several_splits(fits) else out.noting(ONE_PASS)


def within_fold_se(c: Contrast) -> float:
    """√(mean over folds of the variance of the losses in a fold / n), for one pass of cross-validation.

    It is the "within-fold" one of Bayle, Bayle, Janson & Mackey (2020), and se="naive" their "all-pairs" one. Both are
    asymptotically exact for the mean performance of the very rules that the folds trained; of the rule trained on all
    cases, or of training sets of this size, they are too small.
    """
    sizes = [len(c.fits.design.tested(f)) for f in np.flatnonzero(c.fits.kept).tolist()]
    grouped, design = c.fits.sample.groups is not None, c.fits.design
    if grouped or c.metric.priors is not None or not design.partitioned or min(sizes) < 2:
        raise InputError(
            'se="within-fold" needs independent cases, a plain mean, and at least 2 cases in every fold of a partition',
            param="se",
            fix="Use se='naive'",
        )
    losses = c.read(lambda fits, loss: np.concatenate([loss.losses(block)[0] for block in fits.tests()]))
    variances = [of_fold.var(ddof=1) for of_fold in np.split(losses, np.cumsum(sizes)[:-1])]
    return math.sqrt(float(np.mean(variances)) / c.fits.sample.n)


CV_POOLED = Method(
    "cv_pooled",
    "the pooled held-out scores",
    kinds={"cv"},
    estimand=Estimand.FOLD_SETS,
    order=80,
    not_within={"paired"},  # 15 splits do not test every case
)
CV_PAIRS = Method(
    "cv_pairs",
    "the pairs of cases that a split tested together",
    kinds={"cv"},
    estimand=Estimand.FOLD_SETS,
    order=90,
    not_within={"cv+bootstrap", "cv+halves", "paired"},  # ten repeats hardly test any pair
)
POOLED_SCORES = Note("pooled-scores")
NO_SE = Note("no-se-method")


def mean_of_cases(fits: Fits, loss: CaseLoss, undefined: Undefined) -> float:
    """Mean over cases of their mean held-out loss."""
    pooled = fits.pooled()
    if pooled is None:
        never = int(fits.design.never_tested.sum())
        if never and undefined != "skip":
            raise UndefinedError(
                "cv_pooled needs every case to be tested",
                param="method",
                got=f"{never} cases that are never tested",
                fix="Use the estimate cv, more splits, or undefined='skip'",
            )
        return CaseMeans.over(fits.design, losses_of(fits, loss), loss, undefined).value
    losses = loss.losses(pooled).mean(axis=0)
    if np.isnan(losses).any():
        raise UndefinedError("Some cases have no held-out score or prediction", param="scores")
    return float((loss.case_weights(fits.sample) * losses).mean())


def pooled_values(fits: Fits, metric: Metric, undefined: Undefined) -> Floats:
    """(R,) the metric of all held-out scores of each repeat; of a repeat with failed fits, of its other folds."""
    pooled = fits.pooled()
    if pooled is not None:
        return metric.rows(pooled, pooled.ones)
    if not fits.design.partitioned or undefined == "raise":
        raise UndefinedError(
            f"cv_pooled of the {metric.name} needs every case to be tested once per repeat",
            param="method",
            got=f"{len(fits.failed)} failed fits of {fits.design.plan}",
            fix="Use the method cv, or undefined='failed' to leave out the fits that failed",
        )
    repeats, folds = fits.design.repeats(), list(fits.tests())
    each = [[block for block in folds if repeats[block.fits[0]] == r] for r in range(int(repeats.max()) + 1)]
    joined = [Block.joined(blocks) for blocks in each if blocks]
    return np.array([metric.rows(block, block.ones)[0] for block in joined])


def difference_of_cases(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference of the pooled means."""
    value = c.read(lambda fits, loss: mean_of_cases(fits, loss, undefined))
    return difference_of_folds(c, se=se, undefined=undefined, pooled_mean=value)


@CV_POOLED.on(CaseLoss, se=CASE_SE, pairs=paired(difference_of_cases))
def cv_pooled_loss(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over cases of the held-out loss (Yousef, ML Assessment, eq. 28); equal to cv if folds have equal sizes."""
    # a fold may lack a class here: the pooled mean does not need it
    value = mean_of_cases(fits, loss, undefined)
    values = fold_values(fits, loss, "skip" if loss.priors is not None else undefined)
    weights = fold_weights(fits, loss)
    out = mean_of_folds(values, fits.design.repeats(), value, weights)
    return with_case_se(out, fits, loss, values, se, weights)


@CV_POOLED.on(se=(NADEAU_BENGIO,))
def cv_pooled(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """The metric of all held-out scores of a repeat, averaged over repeats. It mixes scores of different rules."""
    values = pooled_values(fits, metric, undefined)
    out = mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None)
    out = out.noting(POOLED_SCORES if metric.arity == 2 else None)
    if se != NADEAU_BENGIO:
        return out.noting(NO_SE if several_splits(fits) else ONE_PASS)
    require_repeats(fits)
    return nadeau_bengio(out, fold_values(fits, metric, undefined), fits)


OFTEN = 3  # tests of a pair from which ranks know the standard error
NO_SE_BY_RANKS = Note("no-se-by-ranks")


def pairs_tested_together(c: Contrast, *, se: str | None, undefined: Undefined, sums: Sums = "auto") -> Estimate:
    """With a standard error where there are repeats."""
    require_all_used(c.fits)
    means = pair_means(c.fits, c.metric, undefined, sums, draws=SuccessiveDraws(), minus=c.other)
    out, notes = Estimate(means.value), (skipped_pairs(means.skipped), by_ranks_note(means))
    if not several_splits(c.fits):
        return out.noting(EXPERIMENTAL, *notes, ONE_PASS)
    # folds of one repeat are drawn together, so repeats are the random unit
    mc = np.bincount(means.design.repeats()[means.keep], means.of_each_fit()).astype(float)
    out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    tested = c.fits.n_fits * (len(c.fits.design.tested(0)) / c.fits.sample.n) ** 2  # how often a pair is, on average
    if isinstance(means, PlacementMeans) and not c.fits.design.partitioned and tested < OFTEN:
        return out.noting(*notes, NO_SE_BY_RANKS)
    return with_influence(out, means, se or OF_INFLUENCE).noting(*notes)


@CV_PAIRS.on(
    AUC,
    se=(OF_INFLUENCE, CORRECTED),
    options=("sums",),
    pairs=paired(pairs_tested_together),
)
def cv_pairs(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined, sums: Sums = "auto") -> Estimate:
    """A_ij = mean of ψ over the splits that tested both i and j; AUC = mean A_ij (docs/appendix/math.md, section 4).

    Each pair is scored by one rule at a time, so unlike cv_pooled it never compares scores of two rules.
    """
    return pairs_tested_together(Contrast(fits, metric), se=se, undefined=undefined, sums=sums)
