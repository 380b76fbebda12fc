"""estimate and difference: a number from Fits, with its uncertainty."""

import math
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from trueness.checks import is_one_of, refuses_foreign
from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast, identical
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.linearized import mean_of_fold_tables
from trueness.estimators.method import Estimator, Undefined
from trueness.estimators.registry import find, recommend
from trueness.formulas.groups import DesignEffect, group_sizes
from trueness.metrics.auc import AUC
from trueness.metrics.metric import ROUNDING, CaseLoss, Metric
from trueness.metrics.moments import Correlation, MomentMeasure
from trueness.metrics.numbers import MSE, MeanError
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.metrics.table import TableMeasure
from trueness.result.estimate import Estimate
from trueness.result.grouped import few_groups
from trueness.result.interval import WALD, LogOfLoss
from trueness.result.notes import NO_VARIANCE, SEVERAL_RULES, Note, warn
from trueness.result.words import TINY, Estimand
from trueness.sample.fits import MAKES_FITS, Fits, check_fits
from trueness.sample.scores import CONSTANT
from trueness.typing import Floats

MIN_CASES_FOR_AUC_SE = 10  # cases of a class: with fewer the standard error of an AUC is usually too small


@refuses_foreign
def estimate(
    fits: Fits,
    metric: MetricLike,
    method: str,
    *,
    se: str | None = None,
    undefined: Undefined = "raise",
    **options: object,
) -> Estimate:
    """Estimate a metric from fits. No model is fitted and no random number drawn.

    Parameters
    ----------
    fits : Fits
        From `trueness.fit` or `Fits.from_arrays`.
    metric : str, callable or Metric
        A name, e.g. "error", "auc", "sensitivity" or "f1" (`trueness.metrics.names()`; docs/metrics.md), a
        scikit-learn scorer name, a function f(y, score), or a `trueness.metrics` object such as Cost(matrix=...).
    method : str
        Name of an estimator that reads this design: "cv+training" of the default plan, "cv", "holdout", "loob", …
        (docs/standard-errors.md lists them; so does the error for a name that is not known).
    se : str, optional
        Which standard error; the default of the method where it is left out (docs/standard-errors.md).
    undefined : {"raise", "failed", "skip"}, default "raise"
        "raise": a case, pair or fold that cannot be evaluated is an error; "skip": the mean over the others, with a
        note; "failed": skip those that cannot be evaluated because a fit failed, and no others.
    **options
        rule : {"clipped", "printed"}, default "clipped"
            For "632+" only: the relative overfitting rate beyond the no-information rate.
        sums : {"auto", "exact", "ranks"}, default "auto"
            For "lpob" and "cv_pairs" only: "exact" visits every pair of cases in every training set, "ranks" has its
            sums from one sort per training set, which differ by much less than a standard error. "auto" takes ranks
            above 2·10⁹ pairs × training sets, or 2 GiB of tables.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        Where metric, method or options do not fit together.
    UndefinedError
        Where the estimate does not exist for these fits.

    Examples
    --------
    >>> import trueness
    >>> test = trueness.Fits.from_arrays([0, 0, 1, 1, 1], [[0] * 5], [[0.1, 0.4, 0.3, 0.8, 0.9]], threshold=0.5)
    >>> print(trueness.estimate(test, "error", "holdout"))
    error holdout: 0.20 ± 0.18
    """
    check_fits(fits)
    bound = bind(fits, metric)
    fits = _as_read(fits, bound)
    chosen = find(method, fits.design.kind, bound)
    se = _checked_options(chosen, se, undefined, options)
    fits = fits.part(chosen.kinds)
    _refuse_constant(fits, bound)
    result = chosen.function(fits, bound, se=se, undefined=undefined, **options)
    size = max(abs(result.value), 1.0 if fits.sample.numbers is None else 0.0)
    if bound.needs == "any" and result.se is not None and result.se < ROUNDING * size:
        result = result.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
    result = _of_groups(_in_range(result, fits, bound), fits, bound)
    if _loss(bound) is not None and chosen.name != "apparent":
        result = judged(result, Contrast(fits, bound))
    return _described(result, fits, bound, chosen)


def recommended_estimate(fits: Fits, metric: MetricLike) -> Estimate:
    """The number to report; folds, cases and pairs that owe it to a failed fit that they cannot be evaluated are left out."""
    return estimate(fits, metric, recommend(fits.design.kind, bind(fits, metric)), undefined="failed")


def difference(
    fits_a: Fits,
    fits_b: Fits,
    metric: MetricLike,
    method: str,
    *,
    se: str | None = None,
    undefined: Undefined = "raise",
) -> Estimate:
    """Paired difference of two models on one design, first − second.

    The influence of a difference is the difference of the influences, so what both models owe to the same cases
    cancels; the variance is not Var_A + Var_B.

    Parameters
    ----------
    fits_a, fits_b : Fits
        Of two models on the same design.
    metric, method, se, undefined
        As in `estimate`.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        Where the two do not share a design.

    References
    ----------
    Yousef, ML Assessment, eqs. 64–66.
    """
    check_paired(fits_a, fits_b)
    bound = bind(fits_a, metric)
    bind(fits_b, metric)
    fits_a, fits_b = (_as_read(f, bound) for f in (fits_a, fits_b))
    chosen = find(method, fits_a.design.kind, bound)
    se = _checked_options(chosen, se, undefined, {})
    fits_a, fits_b = common_fits(fits_a.part(chosen.kinds), fits_b.part(chosen.kinds))
    for each in (fits_a, fits_b):
        _refuse_constant(each, bound)
    if chosen.pairs is not None:
        result = chosen.pairs(fits_a, fits_b, bound, se=se, undefined=undefined)
    else:
        a, b = (estimate(f, metric, method, se=se, undefined=undefined) for f in (fits_a, fits_b))
        result = _by_influence(a, b, fits_a)
    low, high = bound.bounds
    result = result.with_(bounds=(low - high, high - low), plain=False)
    if result.interval.needs_se:  # others, of shares on a test set, suit the difference
        result = result.with_(interval=WALD, cases=None, tested=None)
    if result.se is not None and result.se < bound.rounding and not identical(fits_a, fits_b):
        result = result.with_(se=None, influence=None).noting(NO_VARIANCE)
    result = _of_groups(result, fits_a, bound)
    if bound.target == "numbers":
        result = judged(result.with_(metric=f"{bound.name} difference"), Contrast(fits_a, bound, fits_b))
    return _described(result, fits_a, bound, chosen, f"{bound.name} difference")


def bind(fits: Fits, metric: MetricLike) -> Metric:
    """The metric for the classes of these fits; an error where it needs probabilities and there are none."""
    try:
        return resolve(metric).bind(fits.sample).reading(fits.probabilities or fits.log_odds)
    except InputError as error:
        if error.param == "positive":
            error.fix += f" to {MAKES_FITS}"
        raise


def _as_read(fits: Fits, metric: Metric) -> Fits:
    """The fits with probabilities instead of log-odds for metrics that read these."""
    return fits.with_probabilities() if metric.needs in ("probabilities", "any") else fits


def check_paired(fits_a: Fits, fits_b: Fits) -> None:
    """An error unless both were fitted on one design with one positive class."""
    check_fits(fits_a, "fits_a")
    check_fits(fits_b, "fits_b")
    if fits_a.design.fingerprint != fits_b.design.fingerprint:
        raise InputError(
            "The two Fits do not share a design, so they cannot be paired",
            param="fits_b",
            got=f"fingerprints {fits_a.design.fingerprint[:8]} and {fits_b.design.fingerprint[:8]}",
            fix="Draw one design (plan.draw) and pass it to both calls of fit, or compare the models with X and y; "
            "in another program, give both models the same cases and folds",
        )
    if fits_a.sample.positive != fits_b.sample.positive:
        raise InputError("The two Fits have different positive classes", param="fits_b")


def common_fits(a: Fits, b: Fits) -> tuple[Fits, Fits]:
    """Both without the fits that failed in either: a difference is over the same training sets."""
    if (a.kept == b.kept).all():
        return a, b
    if a.parts:
        common = [common_fits(one, other) for one, other in zip(a.parts, b.parts, strict=True)]
        a, b = replace(a, parts=tuple(p for p, _ in common)), replace(b, parts=tuple(q for _, q in common))
    failed = {f.fit: f for f in (*b.failed, *a.failed)}
    both = tuple(failed[f] for f in sorted(failed))
    return replace(a, failed=both), replace(b, failed=both)


def check_undefined(undefined: object) -> None:
    """An error for anything that `estimate` does not take."""
    if not is_one_of(undefined, get_args(Undefined)):
        problem = 'undefined must be "raise", "failed" or "skip"'
        raise InputError(problem, param="undefined", got=repr(undefined))


def _checked_options(chosen: Estimator, se: str | None, undefined: str, options: dict[str, object]) -> str | None:
    """The standard error as the estimator declares it; an error where it does not know an option."""
    check_undefined(undefined)
    if se is not None and not is_one_of(se, chosen.se):
        offered = ", ".join(repr(s) for s in chosen.se if s != "none") or "none"
        raise InputError(
            f"Method {chosen.name!r} has no standard error {se!r}", param="se", fix=f"Available: {offered}"
        )
    unknown = sorted(set(options) - set(chosen.options))
    if unknown:
        raise InputError(f"Method {chosen.name!r} has no option {', '.join(unknown)}", param=unknown[0])
    return None if se is None else chosen.se[chosen.se.index(se)]


def _by_influence(a: Estimate, b: Estimate, fits: Fits) -> Estimate:
    """The difference of two estimates of one method."""
    out = Estimate(a.value - b.value)
    if a.mc_influence is not None and b.mc_influence is not None and a.mc_influence.shape == b.mc_influence.shape:
        out = out.with_(mc_se=float(np.linalg.norm(a.mc_influence - b.mc_influence)))
    if a.replicates is not None and b.replicates is not None and a.replicates.shape == b.replicates.shape:
        out = out.with_(replicates=a.replicates - b.replicates)
    if a.influence is None or b.influence is None:
        return out.noting(Note("no-se-difference", method=a.method))
    influence = a.influence - b.influence
    se = math.sqrt(variance(fits.design, influence))
    return out.with_(influence=influence, se=se, se_method=a.se_method, df=a.df)


def _in_range(result: Estimate, fits: Fits, metric: Metric) -> Estimate:
    """With the range of the metric, its default interval, and the number of cases for intervals at the limits."""
    if result.cases is None:
        class_sets, design = metric.class_sets(fits.sample), fits.design
        never = design.never_tested if design.kind == "cv" else None
        cases = np.arange(fits.sample.n) if never is None else np.flatnonzero(~never)
        sizes = np.bincount(fits.sample.codes[cases], minlength=fits.sample.n_classes)
        tested = min(int(sizes[classes].sum()) for classes in class_sets)
        result = result.with_(cases=design.independent_units(class_sets, cases), tested=tested)
    value = next((bound for bound in metric.bounds if abs(result.value - bound) < metric.rounding), result.value)
    interval = metric.rule() if result.interval is WALD else result.interval
    result = result.with_(value=value, bounds=metric.bounds, interval=interval)
    if result.se is not None and value in metric.bounds and interval.at_open_end:
        return result.with_(se=0.0)
    if value in metric.bounds and 0 < (result.se or 0.0) < TINY * (metric.bounds[1] - metric.bounds[0]) < math.inf:
        none = None if result.influence is None else np.zeros_like(result.influence)
        return result.with_(se=0.0, influence=none)  # what rounding leaves; the interval is that of the cases
    if (
        result.se is not None
        and result.se < metric.rounding
        and value in metric.bounds
        and not np.isfinite(metric.bounds).all()
    ):
        return result.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)  # no exact interval either
    return result


def _of_groups(result: Estimate, fits: Fits, metric: Metric) -> Estimate:
    """Student's quantiles with the degrees of freedom of the groups where cases come in some (of the class with the
    fewest for an AUC), and a warning where these are few."""
    if fits.sample.groups is None or result.se is None:
        return result
    cases = fits.design.tested(0) if fits.design.kind == "holdout" else None
    groups = fits.design.independent_units(metric.class_sets(fits.sample), cases)
    units, codes = (x if cases is None else x[cases] for x in (fits.design.units, fits.sample.codes))
    sizes = [group_sizes(units[np.isin(codes, classes)]) for classes in metric.class_sets(fits.sample)]
    few = few_groups(groups, fits.design.independent_units([list(range(fits.sample.n_classes))], cases))
    if groups < 2:
        return result.with_(se=None, se_method=None, influence=None).noting(few)
    others = tuple(n for n in result.notes if few is None or (n.code, n.data) != (few.code, few.data))  # in other words
    if result.df is None or cases is None:
        known = np.zeros(fits.design.n) if result.influence is None else result.influence
        alone = float((known**2).sum())
        df = DesignEffect.of(variance(fits.design, known), alone, len(units), *sizes).df
        result = result.with_(df=min(df, df if result.df is None else result.df))
    return result.with_(notes=others).noting(few)


def _described(result: Estimate, fits: Fits, metric: Metric, chosen: Estimator, name: str = "") -> Estimate:
    """With names, provenance, and notes about the design and the fits."""
    result = result.with_(
        metric=name or metric.name,
        method=chosen.method,
        estimand=_estimand(fits, chosen, metric),
        provenance={
            **result.provenance,
            "design": fits.design.fingerprint,
            "plan": str(fits.design.plan),
            "fits": fits.n_fits,
            "failed": len(fits.failed),
            "engine": fits.engine,
            "cases": fits.sample.n,
        },
    )
    result = _without_failed(result.noting(*fits.design.notes), fits, metric)
    return _constant_scores(result.noting(_few_cases(result, fits)), fits) if isinstance(metric, AUC) else result


OF_MEANS = {
    Estimand.N_CASES_TABLE: Estimand.N_CASES_MEANS,
    Estimand.FOLD_TABLES: Estimand.FOLD_MEANS,
    Estimand.BOOTSTRAP_TABLES: Estimand.BOOTSTRAP_MEANS,
}


def _estimand(fits: Fits, chosen: Estimator, metric: Metric) -> Estimand:
    """What is estimated, by the training sets that there were."""
    if chosen.estimand in OF_MEANS and metric.target == "numbers":
        return OF_MEANS[chosen.estimand]
    if (
        chosen.estimand is Estimand.TRAINED and not fits.design.counts.any()
    ):  # a test set: all training was done elsewhere
        return Estimand.LEFT_OUT if SEVERAL_RULES in fits.design.notes else Estimand.FITTED
    return chosen.estimand


def _few_cases(result: Estimate, fits: Fits) -> Note | None:
    """Where the standard error of an AUC rests on few cases of a class.

    A holdout counts its test cases itself, and the second-order form has Student's quantiles.
    """
    m = int(fits.sample.sizes.min())
    enough = m >= MIN_CASES_FOR_AUC_SE or fits.design.kind == "holdout" or result.se_method == "second-order"
    if result.se is None or enough:
        return None
    return Note("few-cases", cases=m, needed=MIN_CASES_FOR_AUC_SE)


def _without_failed(result: Estimate, fits: Fits, metric: Metric) -> Estimate:
    """With a note of how many fits failed, and between which limits the value would be, whatever these fits had been;
    its interval and its test allow for it.

    The value is a mean over fits (over the folds, where a design has other fits for the standard error), so that a share
    φ of them at the worst or the best end of the range moves it to (1 − φ) value + φ end (Horowitz & Manski 2000).
    """
    if not fits.failed or result.method == "apparent":  # that is the fit on all cases
        return result
    reasons, n = sorted({f.error for f in fits.failed}), len(fits.failed)
    means = fits.parts[0] if fits.parts else fits
    share = len(means.failed) / means.n_fits
    low, high = _ends(result, means, metric, share) if share else (result.value, result.value)
    if share and math.isfinite(high - low):
        low, high = min(low, result.value), max(high, result.value)  # rounding
        result = result.with_(missing=(result.value - low, high - result.value))
    known: dict[str, Any] = {"low": low, "high": high} if math.isfinite(high - low) else {}
    return result.noting(Note("failed-fits", failed=n, of=fits.n_fits, reasons=reasons, **known))


def _ends(result: Estimate, fits: Fits, metric: Metric, share: float) -> tuple[float, float]:
    """The value where a share of the fits had the worst or the best result: at the end of the range; for a measure of
    the table of two classes with all decisions wrong or right, which may move it by more than a mean."""
    low, high = ((1 - share) * result.value + share * end for end in result.bounds)
    folds = fits.design.kind == "cv" and result.metric == metric.name
    if folds and isinstance(metric, TableMeasure) and metric.n_classes == 2:
        table = mean_of_fold_tables(fits, metric)
        right = np.diag(table.sum(axis=1))
        worst, best = (float(metric.value((1 - share) * table + share * each)) for each in (right[:, ::-1], right))
        if math.isfinite(best - worst):
            return worst, best
    return low, high


def _constant_scores(result: Estimate, fits: Fits) -> Estimate:
    """An AUC of scores that are all equal is ½ (a difference 0) and has no standard error."""
    if result.value not in (0.0, 0.5) or not all(
        _all_equal(block.scores) for part in (fits.parts or (fits,)) for block in part.blocks()
    ):
        return result
    warn(CONSTANT)
    return result.with_(se=None, se_method=None, influence=None).noting(CONSTANT)


def _refuse_constant(fits: Fits, metric: Metric) -> None:
    """An error for the correlation of rules each of which predicts one number for all cases: between the rules these
    numbers differ, by the cases that were left out."""
    if metric.target == "classes":
        return
    if not isinstance(metric, Correlation) or not (fits.full_scores is None or _all_equal(fits.full_scores[None])):
        return
    tables = [block.scores for part in (fits.parts or (fits,)) for block in part.blocks()]
    several = any((np.isfinite(t).sum(axis=1) > 1).any() for t in tables if t is not None)
    if all(map(_all_equal, tables)) and (several or fits.full_scores is not None):
        raise UndefinedError(
            f"{metric.name} is undefined: every rule predicts the same number for all cases", param="metric"
        )


def _all_equal(scores: Floats | None) -> bool:
    """Whether every rule gives one score to all cases that it scored."""
    if scores is None:
        return False
    low, high = np.nanmin(scores, axis=1, initial=np.inf), np.nanmax(scores, axis=1, initial=-np.inf)
    return bool((low >= high).all())


LEAST_CASES = 30  # with fewer, a tail cannot be seen
LARGEST_SHARE = 0.01  # of the cases
MOST_OF_THE_LOSS = 0.5
SKEWED = 0.5  # skewness of the mean of the losses
NOT_NORMAL = 5.57  # 4 % of normal samples are above this distance: ½ P(χ²₁ > d) + ½ P(χ²₂ > d)
CLEARLY_NOT_NORMAL = 9.0  # and 0.7 % above this one
ONE_SIDED = 1.645  # normal quantile of one-sided 95 % limits


def tail_shape(errors: Floats) -> tuple[float, float]:
    """The shape ξ of the heavier tail of these errors, and the distance of its one-sided 95 % limits.

    Of the m = min(0.15 n, 2√n) largest, at least 10, and of as many of the other side.

    >>> from scipy.stats import genpareto
    >>> round(tail_shape(genpareto(0.5).ppf(np.linspace(0, 1, 10_000, endpoint=False)))[0], 2)
    0.46
    """
    n = len(errors)
    m = max(10, math.ceil(min(0.15 * n, 2 * math.sqrt(n))))
    if n < 2 * m + 2:
        return -math.inf, 0.0
    ordered = np.sort(errors)
    right, left = ordered[n - m :] - ordered[n - m - 1], ordered[m] - ordered[m - 1 :: -1]
    shape = max(pareto_shape(right), pareto_shape(left))
    return shape, ONE_SIDED * max(1 + shape, 0.0) / math.sqrt(m)


def pareto_shape(beyond: Floats) -> float:
    """ξ of a generalized Pareto distribution, of values beyond 0 in rising order: the posterior mean of Zhang &
    Stephens (2009)."""
    n = len(beyond)
    quartile = beyond[int(n / 4 + 0.5) - 1]
    if not quartile > 0:  # ties at the threshold
        return -math.inf
    points = 30 + int(math.sqrt(n))
    theta = 1 / beyond[-1] + (1 - np.sqrt(points / (np.arange(points) + 0.5))) / (3 * quartile)
    theta = theta[theta != 0]
    shapes = np.log1p(-theta[:, None] * beyond).mean(axis=1)
    profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(profile - profile.max())
    at = float((theta * weights).sum() / weights.sum())
    return float(np.log1p(-at * beyond).mean())


def share_of_largest(losses: Floats) -> float:
    """The share of all losses that is due to the largest 1 % of the cases (at least one)."""
    total = float(losses.sum())
    m = max(1, math.ceil(LARGEST_SHARE * len(losses)))
    return float(-np.sort(-losses)[:m].sum()) / total if total > 0 else 0.0


def skewness_of_mean(parts: Floats) -> float:
    """Σd³/(Σd²)^1.5 of the centred parts d of a mean: its skewness, between −1 and 1."""
    d = parts - parts.mean()
    size = float(np.abs(d).max(initial=0.0))
    if not size > 0:
        return 0.0
    d = d / size
    return float((d**3).sum() / (d**2).sum() ** 1.5)


def distance_from_normal(errors: Floats) -> float:
    """Z₃² + max(Z₄, 0)² of the L-skewness and L-kurtosis (Hosking 1990) in their standard errors for normal samples
    (Harri & Coble 2011): large for skewed errors and heavy tails, not for light ones.

    >>> distance_from_normal(np.linspace(-1, 1, 50)) < 1e-9
    True
    """
    n = len(errors)
    x, i = np.sort(errors - errors.mean()), np.arange(n)
    size = float(np.abs(x).max(initial=0.0))
    if n < 4 or not size > 0:
        return 0.0
    x = x / size
    b0, b1 = float(x.mean()), float((i * x).sum()) / n / (n - 1)
    b2 = float((i * (i - 1.0) * x).sum()) / n / (n - 1) / (n - 2)
    b3 = float((i * (i - 1.0) * (i - 2.0) * x).sum()) / n / (n - 1) / (n - 2) / (n - 3)
    scale = 2 * b1 - b0
    skewness, kurtosis = (6 * b2 - 6 * b1 + b0) / scale, (20 * b3 - 30 * b2 + 12 * b1 - b0) / scale
    z3 = skewness / math.sqrt(0.1866 / n + 0.8 / n**2)
    z4 = (kurtosis - 0.1226) / math.sqrt(0.0883 / n + 0.68 / n**2 + 4.9 / n**3)
    return z3**2 + max(z4, 0.0) ** 2


def judged(result: Estimate, c: Contrast) -> Estimate:
    """With a longer upper limit where the losses are skewed, a note where the interval may be too short all the same, and
    no standard error where the variance of the losses is apparently infinite; as it is where they have an upper limit."""
    loss = _loss(c.metric)
    if loss is None or not result.se:
        return result
    found = c.read(lambda fits, _: _held_out(fits, loss))
    known = ~np.isnan(found)
    losses, n = found[known], int(known.sum())
    if n < 2:
        return result
    design = (c.fits.parts[0] if c.fits.parts else c.fits).design
    parts = design.unit_sums(np.where(known, found - losses.mean(), 0.0))
    parts = parts if design.sample.groups is not None else parts[known]
    skewness = skewness_of_mean(parts)
    if isinstance(result.interval, LogOfLoss) and losses.mean() > 0:
        spread = float(np.linalg.norm(parts)) / n / float(losses.mean())
        skew = min(skewness / (1 - skewness), 1.0) if skewness < 0.5 else 1.0
        result = result.with_(interval=replace(result.interval, skew=max(skew, 0.0), spread=spread))
    if n < LEAST_CASES or loss.target != "numbers":  # the log-loss of a probability has a largest value
        return result
    power = 2.0 if loss.name == "mse" else 1.0
    squared = power > 1 and c.other is None and isinstance(result.interval, LogOfLoss)
    sign = losses if c.other is not None else _held_out(c.fits, _mean_error())[known]
    errors = np.sign(sign) * np.abs(losses) ** (1 / power)
    share, cases = share_of_largest(np.abs(losses)), max(1, math.ceil(LARGEST_SHARE * n))
    of = result.metric or c.metric.name
    (shape, margin), unlike, infinite = tail_shape(errors), distance_from_normal(errors), 1 / (2 * power)
    clearly = unlike > CLEARLY_NOT_NORMAL
    # a shape alone can be of errors that crowd at the threshold; samples with a heavy tail are those that show it, and
    # without their intervals those of the others cover less (docs/programs/heavy_tails.py)
    if shape - margin > infinite and clearly:
        return result.with_(se=None, se_mc_se=None, se_method=None, influence=None, df=None).noting(
            Note("no-se-heavy-tails", metric=of, shape=shape, share=share)
        )
    few_decide = (
        (shape > infinite and shape > margin)
        or (abs(skewness) > SKEWED and clearly)
        or (share > MOST_OF_THE_LOSS and cases < n / 10)
    )
    # large errors, which decide the mean of squares, may happen to be absent
    absent = squared and unlike > NOT_NORMAL and shape + margin > infinite and skewness > SKEWED / 2
    if not (few_decide or absent):
        return result
    return result.noting(Note("heavy-tails", metric=of, share=share, skewness=skewness))


def _loss(metric: Metric) -> CaseLoss | None:
    """The loss whose variance a standard error rests on; None where it is limited, or no mean."""
    if isinstance(metric, MomentMeasure):
        return None if all(map(math.isfinite, metric.bounds)) else MSE()
    return metric if isinstance(metric, CaseLoss) and math.isinf(metric.bounds[1]) else None


def _mean_error() -> CaseLoss:
    return MeanError()


def _held_out(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) the mean loss of each case under the rules that left it out; NaN where there is none."""
    part = fits.parts[0] if fits.parts else fits
    return part.cached(("held-out losses", loss.key), lambda: part.means_left_out(loss.left_out_losses))
