"""Cross-validation: cv, the mean of the values of the folds; cv_pooled and cv_pairs, means over all held-out cases, or pairs
that were tested together."""

import math
from dataclasses import dataclass, replace

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans, variance
from trueness.estimators.influence.draws import SuccessiveDraws
from trueness.estimators.influence.pair_influence import OverPairs, Sums
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.estimators.loob import CORRECTED, OF_INFLUENCE, means_notes, pair_means, skipped
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


def fold_values(c: Contrast) -> Floats:
    """(F,) the metric of each fold, less that of the other rule; NaN where it cannot be evaluated and is skipped."""
    values = c.read(lambda fits, metric: fits.cached(("folds", metric.key), lambda: values_of_folds(fits, metric)))
    bad = np.isnan(values)
    refused = bad & c.fits.kept if c.undefined == "failed" else bad
    if bad.all() or (c.undefined != "skip" and refused.any()):
        raise UndefinedError(
            f"{int(bad.sum())} of {len(values)} folds have no {c.metric.name}: a class is missing, or the fit failed",
            param="method",
            fix="Use fewer folds, the estimate cv_pooled, undefined='skip', or undefined='failed' for failed fits",
        )
    return values


def pooled_losses(c: Contrast) -> Floats | None:
    """(R, n) of each case by the rule of the repeat that left it out; None where repeats are not partitions. Those of the
    latest loss are kept: the mean and its standard error read them."""
    if c.fits.failed or not c.fits.design.partitioned:
        return None
    known: Floats = c.read(
        lambda fits, loss: fits.latest("pooled losses", loss.key, lambda: loss.losses(fits.pooled()))
    )
    return known


def values_of_folds(fits: Fits, metric: Metric) -> Floats:
    """(F,) the metric of each fold; NaN where it cannot be evaluated."""
    values, folds = np.full(fits.n_fits, np.nan), fits.design.folds
    plain = isinstance(metric, CaseLoss) and metric.priors is None
    losses = pooled_losses(Contrast(fits, metric)) if plain else None
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
    used = (loss.case_weights(fits.sample) > 0).astype(float)
    return np.concatenate([fits.design.tests(rows) @ used for rows in fits.design.slices()])


def mean_of_folds(
    values: Floats, repeats: Ints, pooled_mean: float | None = None, weights: Floats | float = 1.0
) -> Estimate:
    """The mean (or the pooled mean), the spread over folds, and the Monte-Carlo error where there are repeats."""
    kept = ~np.isnan(values)
    w = np.ones(len(values)) * weights
    value = float((w[kept] * values[kept]).sum() / w[kept].sum()) if pooled_mean is None else pooled_mean
    out = Estimate(value, fold_sd=float(values[kept].std(ddof=1)) if kept.sum() > 1 else None)
    out = out.noting(skipped("folds", ~kept & (pooled_mean is None)))
    some = [kept & (repeats == r) for r in np.unique(repeats[kept])]
    each = np.array([(w[of] * values[of]).sum() / w[of].sum() for of in some])
    if len(each) > 1:
        mc = (each - each.mean()) / math.sqrt(len(each) * (len(each) - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    return out


def nadeau_bengio(out: Estimate, values: Floats, fits: Fits, weights: Floats | float = 1.0) -> Estimate:
    """Var = (1/J + n_test/n_train) S², S² over the J folds of all repeats (Nadeau & Bengio 2003), which count by these
    weights."""
    j = int(np.count_nonzero(~np.isnan(values)))
    some = range(min(fits.n_fits, FOLDS_FOR_TEST_SIZE))
    tested = fits.cached("test size", lambda: np.mean([len(fits.design.tested(f)) for f in some]))
    unused = 0.0 if fits.design.unused is None else fits.design.unused[: len(some)].sum(axis=1).mean()
    ratio = tested / (fits.sample.n - tested - unused)
    se = math.sqrt((1 / j + ratio) * spread_of_folds(values, weights))
    return out.with_(se=se, se_method=NADEAU_BENGIO, df=j - 1)


def several_splits(fits: Fits, asked: str | None = None) -> bool:
    """Whether there is more than one pass over the cases; an error where one cannot give the standard error `asked` for."""
    several = len(np.unique(fits.design.repeats[fits.kept])) > 1
    if asked is not None and not several:
        problem, fix = "This standard error needs repeated cross-validation", "Use KFold(10, repeats=10) or MonteCarlo"
        raise InputError(problem, param="se", fix=fix)
    return several


def require_all_used(fits: Fits) -> None:
    """An error where splits leave cases unused: the influence of training cases is known for random splits only."""
    if fits.design.unused is not None:
        raise UndefinedError(
            "The influence function of cross-validation needs splits in which every case either trains or tests",
            param="plan",
            got=f"up to {int(fits.design.unused.sum(axis=1).max())} cases per split that do neither",
        )


def naive_influence(c: Contrast) -> Floats:
    """(n,) centred mean held-out loss of each case over n: the first term of the influence function.

    Its norm is the naive standard error √(mean (L − mean L)²/n), the "all-pairs" one of Bayle, Bayle, Janson & Mackey
    (2020); with repeats L is the mean loss of a case.
    """
    means = means_of_folds(c)
    if pooled_losses(c) is None:  # repeats are not partitions
        means = replace(means, by_class=c.metric.priors is not None)
    return means.centred()


def means_of_folds(c: Contrast, undefined: Undefined = "skip") -> CaseMeans:
    """The mean held-out loss of every case, less that of the other rule."""
    losses, design = pooled_losses(c), c.fits.design
    if losses is None:
        return CaseMeans.over(replace(c, undefined=undefined))
    if c.other is not None:
        return CaseMeans.of_partition(design, losses, c.metric)
    key = c.metric.key
    return c.fits.latest("partition means", key, lambda: CaseMeans.of_partition(design, losses, c.metric))


def share_variance(c: Contrast) -> float:
    """The variance of a plain mean over cases by the class sizes, which stratified folds do not show."""
    plain = isinstance(c.metric, CaseLoss) and c.metric.priors is None
    hidden = plain and c.fits.design.stratified and not c.fits.design.fixed_sizes
    return means_of_folds(c).share_variance() if hidden else 0.0


def with_case_se(out: Estimate, c: Contrast, values: Floats, weights: Floats | float = 1.0) -> Estimate:
    """With one of the standard errors that cross-validation of a loss can have, and what it assumes. Stratified folds do
    not show how much the value varies with the class sizes: this is added, or where the study fixed the sizes a note says
    how much it would be."""
    fits, loss, design = c.fits, c.metric, c.fits.design
    se = c.se or (NADEAU_BENGIO if several_splits(fits) else NAIVE)
    if se == NADEAU_BENGIO:
        several_splits(fits, se)
        out = nadeau_bengio(out, values, fits, weights)
        if not design.stratified or loss.priors is not None:
            return out
        if design.fixed_sizes:
            return means_of_folds(c).note_fixed_classes(out)
        return out.with_(
            se=math.hypot(out.se or 0.0, math.sqrt(share_variance(c))), se_method=NADEAU_BENGIO.plus(CLASS_SIZES)
        )
    if se == WITHIN_FOLD:
        return out.with_(se=within_fold_se(c), se_method=WITHIN_FOLD).noting(NAIVE_IS_SMALL)
    if se == NAIVE:
        influence = naive_influence(c)
        if fits.sample.groups is not None:
            influence = influence * np.sqrt(group_factor(fits.sample.groups))
        naive = math.sqrt(variance(design, influence))
        return out.with_(se=naive, se_method=NAIVE, influence=influence).noting(NAIVE_IS_SMALL)
    if c.other is not None:
        return out.noting(Note("no-se-difference", se=se))
    if se == CONTINUITY:  # binomial, with an interval that is 0.5/n wider on both sides
        if not isinstance(loss, Rate) or loss.priors is not None or fits.sample.groups is not None:
            problem = 'se="continuity" is for the error rate and the accuracy of independent cases'
            raise InputError(problem, param="se", got=loss.name, fix="Use se='naive'")
        n, p = int((~design.never_tested).sum()), out.value
        return out.with_(se=math.sqrt(p * (1 - p) / n), se_method=CONTINUITY, cases=n, interval=RULES["continuity"])
    several_splits(fits, se)
    require_all_used(fits)
    return with_influence(out, CaseMeans.over(replace(c, undefined="skip"), SuccessiveDraws()), se)


def with_influence(out: Estimate, means: CaseMeans | OverPairs, se: str) -> Estimate:
    """With the standard error of the influence function, corrected for the noise of the replicates where asked."""
    influence, _ = means.influence()
    used = variance(means.design, influence)
    if se == CORRECTED:
        first = means.first_order()
        used = first.total if first.total > 0 else first.tested
    return out.with_(se=math.sqrt(used), se_method=se, influence=influence).noting(EXPERIMENTAL)


@CV.on(CaseLoss, se=CASE_SE, pairs=True)
def cv_loss(c: Contrast) -> Estimate:
    """Mean over folds of the fold's mean loss."""
    values = fold_values(c)
    out = mean_of_folds(values, c.fits.design.repeats)
    return with_case_se(out, c, values)


@CV.on(se=(NADEAU_BENGIO,), pairs=True)
def cv(c: Contrast) -> Estimate:
    """Mean over folds of the fold's own value, e.g. of the AUCs within folds."""
    values, fits = fold_values(c), c.fits
    out = mean_of_folds(values, fits.design.repeats)
    if isinstance(c.metric, AUC) and not fits.sample.groups_are_pure and fits.design.one_group_a_fold:
        out = out.noting(Note("within-groups"))
    return nadeau_bengio(out, values, fits) if several_splits(fits, c.se) else out.noting(ONE_PASS)


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


@CV_POOLED.on(CaseLoss, se=CASE_SE, pairs=True)
def cv_pooled_loss(c: Contrast) -> Estimate:
    """Mean over cases of the held-out loss (Yousef, ML Assessment, eq. 28); equal to cv if folds have equal sizes."""
    means = means_of_folds(c, c.undefined)
    if np.isnan(means.means[means.times > 0]).any():
        raise UndefinedError("Some cases have no held-out score or prediction", param="scores")
    # a fold may lack a class here: the pooled mean does not need it
    values = fold_values(c if c.metric.priors is None else replace(c, undefined="skip"))
    weights = fold_weights(c.fits, c.metric)
    return with_case_se(mean_of_folds(values, c.fits.design.repeats, means.value, weights), c, values, weights)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out answers of one repetition, as if one rule had given all of them."""

    repeat: int
    block: Block  # (1, m)
    cases: Ints  # (m,) a case may occur several times where splits overlap
    fold: Ints  # (m,) which rule answered


def held_out(fits: Fits, undefined: Undefined, together: bool = False) -> list[HeldOut]:
    """Of each repetition, or of all splits together; of a repetition with failed fits, its other folds."""
    if fits.failed and undefined == "raise":
        raise UndefinedError(f"{len(fits.failed)} fits failed", param="undefined", fix=LEAVE_OUT)
    repeats = np.zeros(fits.n_fits, dtype=np.intp) if together else fits.design.repeats
    tests: dict[int, list[Block]] = {}
    for block in fits.tests():
        if block.codes.size:
            tests.setdefault(int(repeats[block.fits[0]]), []).append(block)
    out = []
    for repeat, blocks in tests.items():
        cases = [fits.design.tested(int(b.fits[0])) for b in blocks]
        fold = np.repeat(np.arange(len(blocks)), [len(c) for c in cases])
        out.append(HeldOut(repeat, Block.joined(blocks), np.concatenate(cases), fold))
    return out


@CV_POOLED.on(se=(NADEAU_BENGIO,))
def cv_pooled(c: Contrast) -> Estimate:
    """The metric of all held-out scores of a repeat, averaged over repeats; of a repeat with failed fits, of its other
    folds. It mixes scores of different rules."""
    fits, metric = c.fits, c.metric
    if not fits.design.partitioned:
        raise UndefinedError(
            f"cv_pooled of the {metric.name} needs every case to be tested once per repeat",
            param="method",
            got=str(fits.design.plan),
            fix="Use the method cv",
        )
    values = np.array([metric.rows(h.block, h.block.ones)[0] for h in held_out(fits, c.undefined)])
    out = mean_of_folds(values, np.arange(len(values))).with_(fold_sd=None)
    out = out.noting(POOLED_SCORES if metric.arity == 2 else None)
    several = several_splits(fits, c.se)
    if c.se is not None:
        return nadeau_bengio(out, fold_values(c), fits)
    return out.noting(Note("no-se-method") if several else ONE_PASS)


OFTEN = 3  # tests of a pair from which ranks know the standard error


@CV_PAIRS.on(AUC, se=(OF_INFLUENCE, CORRECTED), options=("sums",), pairs=True)
def cv_pairs(c: Contrast, sums: Sums = "auto") -> Estimate:
    """A_ij = mean of ψ over the splits that tested both i and j; AUC = mean A_ij (docs/appendix/math.md, section 4).

    Each pair is scored by one rule at a time, so unlike cv_pooled it never compares scores of two rules.
    """
    require_all_used(c.fits)
    means = pair_means(c, sums, SuccessiveDraws())
    out, notes = Estimate(means.value), means_notes(means)
    if not several_splits(c.fits):
        return out.noting(EXPERIMENTAL, *notes, ONE_PASS)
    # folds of one repeat are drawn together, so repeats are the random unit
    mc = np.bincount(means.design.repeats[means.keep], means.leave_replicate_out()).astype(float)
    out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))
    tested = c.fits.n_fits * (len(c.fits.design.tested(0)) / c.fits.sample.n) ** 2  # how often a pair is, on average
    if isinstance(means, PlacementMeans) and not c.fits.design.partitioned and tested < OFTEN:
        return out.noting(*notes, Note("no-se-by-ranks"))
    return with_influence(out, means, c.se or OF_INFLUENCE).noting(*notes)
