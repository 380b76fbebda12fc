"""learning_curve: what more training cases would buy.

Up to half of the cases, random subsets S_b of m cases are trained on, the n − m others test. The mean over all subsets
is a U-statistic of the n cases. Its variance has three parts:

- test: the squared influence of the cases as test cases, (mean loss of case i − mean)/n; for an AUC DeLong's, from mean
  placements;
- training: at most (m/n) σ², where σ² is the variance of a rule's true performance over independent training sets of m
  cases (Hoeffding 1948: the variance of a U-statistic of order m is at most m/n times that of its kernel). σ² comes
  from the covariance of two test cases' losses under one rule, about the means of the cases. Subsets that
  leave these two out are drawn from n − 2 cases and vary less than independent ones, by 1 − m/(n − 2) for a sum over
  cases (n − 4 for two pairs), so (m/n) σ² is (m/n)/(1 − m/(n − 2)) times that covariance;
- both: twice the sum over cases of the product of their influences in the two roles. A case's influence on training is
  m/(n − m) times the mean effect of the rules trained on it; its noise does not depend on rules that left the case
  out. A negative sum counts as 0, and it is at most 2 √(test · training).

With groups, whole groups are drawn and left out: they take the place of cases in all three parts. Influences are summed
within groups, and covariances are those of cases (pairs) that share no group.

Beyond the data, an inverse power law a + b n^(−c) is fitted to all sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from trueness.api.assess import assess
from trueness.api.call import metrics_of, scores_for
from trueness.checks import check_level, check_whole, child, is_iterable, seed_sequence, unwarned
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import bind
from trueness.estimators.registry import recommended
from trueness.fitting.described import describe
from trueness.fitting.engine import fit
from trueness.formulas.groups import group_factor, group_sums
from trueness.formulas.intervals import quantile
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.metrics.scorer import MetricLike
from trueness.plans.splits import MonteCarlo
from trueness.result.estimate import Estimate
from trueness.result.learning_curve import Extrapolation, LearningCurve, Source
from trueness.result.notes import Note
from trueness.result.words import Named, StandardError
from trueness.sample.asked import task_of
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample, without_single_groups
from trueness.typing import Bools, Classifier, Features, Floats, Ints, Label, Labels, Record, Rng

EXPONENTS = np.linspace(0.1, 2.0, 191)
LEAST_POINTS = 4  # three parameters, and one point to spare


@dataclass(frozen=True)
class PowerLaw:
    """a + b n^(−c) for a metric where less is better, a − b n^(−c) otherwise; b ≥ 0, a within the metric's range."""

    a: float  # limit for very many training cases
    b: float  # how far away the curve begins
    c: float  # how fast it comes near
    sign: float = 1.0  # 1 where less is better, −1 otherwise

    def __call__(self, n: float | Floats) -> Floats:
        return np.asarray(self.a + self.sign * self.b * np.asarray(n, dtype=float) ** -self.c)


def fit_power_law(sizes: Floats, values: Floats, ses: Floats, sign: float, bounds: tuple[float, float]) -> PowerLaw:
    """Least squares weighted by 1/se²: for each exponent a and b are linear; the best exponent is taken.

    Exponents between 0.1 and 2 are tried: smooth parametric rules have 1, others less (Figueroa et al. 2012 fit the
    same law).
    """
    weights = 1 / ses**2
    best, least = PowerLaw(float(np.average(values, weights=weights)), 0.0, 1.0, sign), np.inf
    for c in EXPONENTS:
        x = sign * sizes**-c
        mx, my = np.average(x, weights=weights), np.average(values, weights=weights)
        b = max(0.0, float((weights * (x - mx) * (values - my)).sum() / (weights * (x - mx) ** 2).sum()))
        a = float(np.clip(my - b * mx, *bounds))
        if a != my - b * mx:  # held to the bound: the best slope through it
            b = max(0.0, float((weights * x * (values - a)).sum() / (weights * x**2).sum()))
        lost = float((weights * (values - a - b * x) ** 2).sum())
        if lost < least:
            best, least = PowerLaw(a, b, float(c), sign), lost
    return best


def extrapolated_range(
    n: float, sizes: Floats, values: Floats, ses: Floats, sign: float, bounds: tuple[float, float], q: float
) -> tuple[float, float]:
    """Lowest and highest value at n of the laws through all points, through all but one, and through all points moved
    together by −q, 0 and +q standard errors. Together, because all sizes are assessed on the same cases."""
    found = []
    for shift, left in product((-q, 0.0, q), (None, *range(len(sizes)))):
        keep = np.arange(len(sizes)) != (-1 if left is None else left)
        moved = np.clip(values + shift * ses, *bounds)
        found.append(float(fit_power_law(sizes[keep], moved[keep], ses[keep], sign, bounds)(n)))
    return float(np.clip(min(found), *bounds)), float(np.clip(max(found), *bounds))


MOST_PAIRS = 1e9  # pairs × rules
SUBSAMPLING = Named("subsampling", "random training sets of each size")
TEST_AND_TRAINING = StandardError(
    "test + training", "a standard error that counts test and training cases", "hoeffding_1948"
)
PARTS = Note("subsampling-se")

NEAR_CHANCE = Note("near-chance")


def subsample_mean(fits: Fits, metric: Metric) -> Estimate:
    """Mean over random splits (`MonteCarlo`) of the metric of the left-out cases, for splits of at most half of the
    cases to train on.
    """
    fits = fits.with_probabilities() if metric.needs == "probabilities" else fits
    blocks, groups, m = list(fits.blocks()), fits.sample.groups, n_train_of(fits)
    values = np.concatenate([metric.rows(block, block.left_out.astype(float)) for block in blocks])
    out = np.concatenate([block.left_out for block in blocks])
    e = Estimate(
        float(values.mean()),
        mc_se=float(values.std(ddof=1) / math.sqrt(len(values))),
        metric=metric.name,
        method=SUBSAMPLING,
        estimand=f"mean over training sets of {m} cases",
        bounds=metric.bounds,
        interval=metric.interval,
        cases=fits.design.independent_units(metric.class_sets(fits.sample)),
    )
    why, parts, variance = "", None, dict[str, float]()
    ranked = isinstance(metric, AUC) and fits.sample.n_classes == 2
    positive = fits.sample.is_positive() if ranked else np.zeros(0, dtype=bool)
    if m > fits.sample.n / 2:
        why = "more than half of the cases are trained on"
    elif isinstance(metric, CaseLoss):
        weights = metric.case_weights(fits.sample)
        losses = np.concatenate([metric.left_out_losses(block) * weights for block in blocks])
        parts = loss_parts(losses, out, None if metric.class_weights is None else fits.sample.codes, groups)
    elif not ranked:
        why = "neither a mean over cases nor an AUC of two classes"
    elif float(positive.sum()) * float((~positive).sum()) * fits.n_fits > MOST_PAIRS:
        why = "too many pairs of cases"
    else:
        scores = np.concatenate([block.scores for block in blocks if block.scores is not None])
        parts = pair_parts(scores, out, positive, groups)
    if parts is not None:
        variance = parts.variance(out if groups is None else out[:, np.unique(groups, return_index=True)[1]])
    se = math.sqrt(sum(variance.values()))
    if why or (se == 0 and e.value not in e.bounds):  # constant scores
        return e.noting(Note("no-se-subsampling", reason=why or "no case makes a difference"))
    chance = {"auc": 0.5, "error": fits.sample.majority_error}.get(metric.name, math.inf)
    near = NEAR_CHANCE if abs(e.value - chance) < 2 * se else None
    df = max(1, min(fits.n_fits, e.cases or fits.n_fits) - 1)  # of the splits, or of the fewest cases that are averaged
    return e.with_(se=se, se_method=TEST_AND_TRAINING, df=df, provenance={"variance": variance}).noting(PARTS, near)


def n_train_of(fits: Fits) -> int:
    """Cases that each split trains on, on average."""
    return round(float(np.mean([fits.design.rows(rows).sum(axis=1).mean() for rows in fits.design.slices()])))


@dataclass(frozen=True)
class Parts:
    """What the variance of a mean over splits is made of."""

    influence: Floats  # (n,) of each case as a test case; with groups, of each group
    test: float  # variance due to test cases
    shared: float  # covariance of two cases' (disjoint pairs') losses under one rule
    left: int  # cases (groups) that the covariance is conditional on having been left out: 2, or 4 for pairs
    effects: Floats  # (J,) mean loss of each rule, less what its test cases have under all rules

    def variance(self, out: Bools) -> dict[str, float]:
        """The three parts; `out` (J, n) says which cases (groups) each rule left out."""
        trained, n = ~out, out.shape[1]
        m = float(trained.sum(axis=1).mean())
        training = m / n / (1 - m / (n - self.left)) * max(self.shared, 0.0)
        of_rules = (self.effects @ trained) / np.maximum(trained.sum(axis=0), 1)  # (n,) mean over rules trained on i
        both = 2 * m / (n - m) * float(of_rules @ self.influence)
        most = 2 * math.sqrt(self.test * training)
        return {"test": self.test, "training": training, "both": min(max(both, 0.0), most)}


def loss_parts(losses: Floats, out: Bools, strata: Ints | None = None, groups: Ints | None = None) -> Parts:
    """The parts of a mean of case losses (J, n), `out` (J, n) where rule b left case i out.

    Where the losses are weighted by class, so that the metric is a sum of class means (TPF, given priors), `strata`
    (n,) are the classes: cases then differ from their class mean only. `groups` (n,) are numbers of whole groups.
    """
    times, tested = out.sum(axis=0), out.sum(axis=1)
    means = np.where(out, losses, 0.0).sum(axis=0) / np.maximum(times, 1)
    means[times == 0] = means[times > 0].mean()  # no split tested this case, so nothing is known of it
    rest = np.where(out, losses - means, 0.0)
    if groups is None:
        shared = (rest.sum(axis=1) ** 2 - (rest**2).sum(axis=1)) / (tested * (tested - 1))
    else:
        within, sizes = group_sums(rest, groups), group_sums(out.astype(float), groups)
        shared = (rest.sum(axis=1) ** 2 - (within**2).sum(axis=1)) / (tested**2 - (sizes**2).sum(axis=1))
    n, unbiased = len(means), float(times.mean() / (times.mean() - 1))  # a rule is part of the means
    influence, test = np.empty(n), 0.0
    for members in [np.full(n, True)] if strata is None else [strata == c for c in np.unique(strata)]:
        influence[members] = (means[members] - means[members].mean()) / n
        test += members.sum() * float(means[members].var(ddof=1)) / n**2
    if groups is not None:
        influence, test = _of_groups(influence, groups, np.zeros(n, dtype=int) if strata is None else strata)
    return Parts(
        influence=influence,
        test=test,
        shared=float(shared.mean()) * unbiased,
        left=2,
        effects=rest.sum(axis=1) / tested * unbiased,
    )


def pair_parts(scores: Floats, out: Bools, positive: Bools, groups: Ints | None = None) -> Parts:
    """The parts of an AUC: losses are those of pairs, and the covariance is that of two disjoint pairs (which share no
    group)."""
    total = np.zeros((int(positive.sum()), int((~positive).sum())))
    times = np.zeros_like(total)
    for row, kept in zip(scores, out, strict=True):
        both = kept[positive][:, None] & kept[~positive]
        total += np.where(both, _order(row, positive), 0.0)
        times += both
    means = total / np.maximum(times, 1)
    means[times == 0] = means[times > 0].mean()  # no split tested this pair
    shared, effects = [], []
    for row, kept in zip(scores, out, strict=True):
        both = kept[positive][:, None] & kept[~positive]
        rest = np.where(both, _order(row, positive) - means, 0.0)
        n1, n0 = int(kept[positive].sum()), int(kept[~positive].sum())
        if groups is None:
            rows, columns = rest.sum(axis=1), rest.sum(axis=0)
            disjoint = rest.sum() ** 2 - (rows**2).sum() - (columns**2).sum() + (rest**2).sum()
            shared.append(disjoint / (n1 * (n1 - 1) * n0 * (n0 - 1)))
        else:
            shared.append(_disjoint(rest, positive, groups) / _disjoint(both, positive, groups))
        effects.append(rest.sum() / (n1 * n0))
    influence = np.empty(len(positive))
    test = 0.0
    for members, placements in ((positive, means.mean(axis=1)), (~positive, means.mean(axis=0))):
        influence[members] = (placements - placements.mean()) / len(placements)
        test += float(placements.var(ddof=1)) / len(placements)  # DeLong et al. (1988)
    if groups is not None:
        influence, test = _of_groups(influence, groups, positive.astype(int))
    unbiased = float(times.mean() / (times.mean() - 1))
    return Parts(influence, test, float(np.mean(shared)) * unbiased, 4, np.array(effects) * unbiased)


def _of_groups(influence: Floats, groups: Ints, strata: Ints) -> tuple[Floats, float]:
    """(G,) the influence of each group, and the variance of their sum: the groups of each stratum vary about 0, or all
    together where a group has cases of several strata."""
    summed, first = np.bincount(groups, influence).astype(float), np.unique(groups, return_index=True)[1]
    of_group = strata[first] if (strata == strata[first][groups]).all() else np.zeros(len(first), dtype=int)
    factor = group_factor(groups, of_group[groups])[first]
    return summed, float((factor * summed**2).sum())


def _disjoint(pairs: Floats | Bools, positive: Bools, groups: Ints) -> float:
    """Σ r_ij r_kl over two pairs (positive i, negative j) and (k, l) that share no group.

    Pairs that touch group g sum to T_g. Σ_g T_g² has the products of two pairs that share one group once, and of two that
    share two groups twice.
    """
    n, a, b = groups.max() + 1, groups[positive], groups[~positive]
    cells = np.bincount((n * a[:, None] + b).ravel(), np.asarray(pairs, dtype=float).ravel(), n * n).reshape(n, n)
    touching = cells.sum(axis=1) + cells.sum(axis=0) - np.diag(cells)
    twice = np.triu(cells + cells.T, 1)
    return float(cells.sum() ** 2 - (touching**2).sum() + (twice**2).sum())


def _order(scores: Floats, positive: Bools) -> Floats:
    """(n1, n0) 1 where the positive case scores higher, ½ for ties."""
    return np.asarray(np.heaviside(scores[positive][:, None] - scores[~positive], 0.5))


LEAST_PER_CLASS = 5  # training cases of the smallest class in the default sizes
OF_ALL, OF_SIZE = 0, 1  # spawn keys of the assessment of all cases, and of the sizes
NOT_A_POINT = Note("bootstrap-point")
A_LAW = Note("extrapolation")


def learning_curve(
    model: Classifier,
    X: Features,
    y: Labels,
    *,
    sizes: Iterable[int] | None = None,
    metric: MetricLike | None = None,
    extrapolate: Iterable[int] = (),
    splits: int = 100,
    level: float = 0.95,
    positive: Label | None = None,
    groups: Labels | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    fit_seconds: float | None = None,
) -> LearningCurve:
    """Performance against the number of training cases, with standard errors and extrapolation.

    Up to half of the cases: random training sets of each size, tested on all other cases. At the end stand the default
    estimate of `trueness.assess`, placed at the size of its training sets, and the bootstrap's, marked as such.

    Parameters
    ----------
    model : estimator
        A scikit-learn classifier or Pipeline.
    X : array-like, DataFrame or sparse matrix of shape (n, p), or n texts
        Features.
    y : array-like of shape (n,)
        Labels.
    sizes : iterable of int, optional
        Training cases; n/16, n/8, n/4 and n/2 by default, as far as every class has five of them. Above n/2 there is a
        value but no standard error.
    metric : str, callable or Metric, optional
        By default "error", of a regressor "mse".
        What is measured. Standard errors exist for means over cases and the AUC of two classes.
    extrapolate : iterable of int, optional
        Numbers of training cases beyond the data.
    splits : int, default 100
        Random training sets per size.
    level : float, default 0.95
        Level of the intervals.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site). Whole groups are drawn, and a group is never on both sides; sizes are then
        mean numbers of cases. Groups of one case each are no groups.
    rng : int, SeedSequence, Generator or None, default None
        Seed.
    n_jobs : int or None, default None
        Number of parallel workers (results do not depend on it).
    progress : bool or None, default None
        Whether to show a progress bar; None shows it on a terminal.
    fit_seconds : float, optional
        Longest time of one fit in seconds: one that takes longer counts as failed. All fits then run in worker
        processes, also with one job.

    Returns
    -------
    LearningCurve

    Raises
    ------
    InputError
        Where a size leaves no class two cases to train on or none to test, or there are too few sizes to extrapolate.
    UndefinedError
        Where standard errors of 0 leave nothing to extrapolate by, as those of a model without errors.

    Notes
    -----
    A standard error is about the mean over training sets of that size. With groups, these are the independent units: their
    influence is summed before it is squared. In simulations without groups its 95 % intervals covered 91 to 97 %; those of
    an AUC near chance 84 to 93 % (docs/selection.md).

    References
    ----------
    Hoeffding (1948), Annals of Mathematical Statistics 19. Figueroa, Zeng-Treitler, Kandula & Ngo (2012), BMC Medical
    Informatics and Decision Making 12.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = trueness.learning_curve(GaussianNB(), X, y, extrapolate=[2000], splits=20, rng=0)
    >>> curve.sizes, curve.sources[-1]
    ((36, 71, 142, 284, 360, 512), 'cross-validation')
    """
    check_level(level)
    check_whole("splits", splits, 10)
    kind = task_of([model])
    sample = without_single_groups(Sample.of(y, X=X, positive=positive, groups=groups, kind=kind))
    metric = {"classification": "error", "regression": "mse"}[kind] if metric is None else metric
    (chosen,) = metrics_of([metric], sample)
    bound = chosen.bind(sample)
    wanted = _sizes(sizes, sample)
    beyond = _wholes("extrapolate", extrapolate, max(wanted) + 1)
    seed = seed_sequence(rng)
    how: Record = {"n_jobs": n_jobs, "progress": progress, "fit_seconds": fit_seconds}
    points: list[tuple[int, Source, Estimate]] = []
    with unwarned():
        for m in wanted:
            design = MonteCarlo(splits, test_size=1 - m / sample.n).draw(sample, rng=child(seed, OF_SIZE, m))
            fits = fit(model, sample.X, sample, design, scores=scores_for(model, [chosen]), **how)
            points.append((n_train_of(fits), "subsampling", subsample_mean(fits, bind(fits, metric))))
        a = assess(
            model, X, y, metrics=[metric], positive=positive, groups=sample.groups, rng=child(seed, OF_ALL), **how
        )
    assert a.fits is not None
    if bound.name in a.recommended:
        points.append((n_train_of(a.fits.part({"cv"})), "cross-validation", a[bound.name]))
    left_out = [a.estimates[bound.name, k] for k in recommended("bootstrap") if (bound.name, k) in a.estimates]
    if left_out:
        points.append((round((1 - np.exp(-1)) * sample.n), "bootstrap", left_out[0]))
    points.sort(key=lambda point: point[0])
    law, further = _law(points, beyond, bound.higher_is_better, bound.bounds, level)
    used = dict.fromkeys(note for _, source, e in points for note in e.notes if source == "subsampling")
    return LearningCurve(
        sizes=tuple(m for m, _, _ in points),
        estimates=tuple(e for _, _, e in points),
        sources=tuple(source for _, source, _ in points),
        law=law,
        extrapolations=further,
        model=f"{describe(model)}\n{sample.cases_and_groups}",
        level=level,
        notes=(*used, *((NOT_A_POINT,) if left_out else ()), *((A_LAW,) if further else ())),
    )


def _law(
    points: list[tuple[int, Source, Estimate]],
    beyond: list[int],
    higher_is_better: bool | None,
    bounds: tuple[float, float],
    level: float,
) -> tuple[PowerLaw | None, tuple[Extrapolation, ...]]:
    """The power law through all sizes that have a standard error, and what it says further on."""
    used = [(m, e.value, e.se) for m, source, e in points if source != "bootstrap" and e.se]
    if len(used) < LEAST_POINTS or higher_is_better is None:
        if beyond:
            problem = f"An extrapolation needs {LEAST_POINTS} sizes with a standard error above 0"
            fix = "Pass more sizes= up to half of the cases"
            raise UndefinedError(problem, param="extrapolate", got=len(used), fix=fix)
        return None, ()
    sizes, values, ses = (np.array(column, dtype=float) for column in zip(*used, strict=True))
    sign = -1.0 if higher_is_better else 1.0
    law = fit_power_law(sizes, values, ses, sign, bounds)
    q = quantile(level)
    further = []
    for n in beyond:
        low, high = extrapolated_range(n, sizes, values, ses, sign, bounds, q)
        further.append(Extrapolation(n, float(law(n)), low, high))
    return law, tuple(further)


def _sizes(sizes: Iterable[int] | None, sample: Sample) -> list[int]:
    smallest = int(sample.sizes.min())
    if sizes is None:
        halves = [round(sample.n / k) for k in (16, 8, 4, 2)]
        chosen = [m for m in halves if m * smallest >= LEAST_PER_CLASS * sample.n]
        return chosen or [round(sample.n / 2)]
    chosen = _wholes("sizes", sizes, 2 * sample.n_classes)
    if not chosen:
        raise InputError("sizes is empty", param="sizes")
    for m in chosen:
        trained = round(m * smallest / sample.n)
        if trained < 2 or smallest - trained < 2:
            raise InputError(
                "Each class needs two cases to train on and two to test",
                param="sizes",
                got=f"{m} of {sample.n} cases, {trained} of the {smallest} in the smallest class",
            )
    return sorted(set(chosen))


def _wholes(param: str, numbers: Iterable[int], least: int) -> list[int]:
    if not is_iterable(numbers):
        raise InputError(f"{param} must be numbers of training cases", param=param, got=repr(numbers))
    found = list(numbers)
    for n in found:
        check_whole(param, n, least)
    return [int(n) for n in found]
