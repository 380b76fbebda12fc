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
from trueness.estimators.tails import judged
from trueness.formulas.groups import DesignEffect, group_sizes
from trueness.metrics.auc import AUC
from trueness.metrics.metric import ROUNDING, Metric
from trueness.metrics.moments import Correlation
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.metrics.table import TableMeasure
from trueness.result.estimate import Estimate
from trueness.result.grouped import few_groups
from trueness.result.interval import WALD
from trueness.result.notes import NO_VARIANCE, SEVERAL_RULES, Note, warn
from trueness.result.words import TINY, Estimand
from trueness.sample.fits import Fits, check_fits
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
    (fits,), bound, chosen, se = _asked((fits,), metric, method, se, undefined, options)
    result = chosen.function(fits, bound, se=se, undefined=undefined, **options)
    size = max(abs(result.value), 1.0 if fits.sample.numbers is None else 0.0)
    if bound.needs == "any" and result.se is not None and result.se < ROUNDING * size:
        result = result.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
    result = _of_groups(_in_range(result, fits, bound), fits, bound)
    if chosen.name != "apparent":
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
    (fits_a, fits_b), bound, chosen, se = _asked((fits_a, fits_b), metric, method, se, undefined, {})
    fits_a, fits_b = common_fits(fits_a, fits_b)
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
    return resolve(metric).bind(fits.sample).reading(fits.probabilities or fits.log_odds)


def _asked(
    fits: tuple[Fits, ...],
    metric: MetricLike,
    method: str,
    se: str | None,
    undefined: Undefined,
    options: dict[str, object],
) -> tuple[tuple[Fits, ...], Metric, Estimator, str | None]:
    """The fits as the estimator reads them, the metric, the estimator, and the standard error as it declares it."""
    check_undefined(undefined)
    bound, *_ = (bind(f, metric) for f in fits)
    chosen = find(method, fits[0].design.kind, bound)
    if se is not None and not is_one_of(se, chosen.se):
        fix = f"Available: {', '.join(s for s in chosen.se if s != 'none') or 'none'}"
        raise InputError(f"Method {chosen.name!r} has no standard error {se!r}", param="se", fix=fix)
    unknown = sorted(set(options) - set(chosen.options))
    if unknown:
        raise InputError(f"Method {chosen.name!r} has no option {unknown[0]}", param=unknown[0])
    if bound.needs in ("probabilities", "any"):  # instead of log-odds
        fits = tuple(f.with_probabilities() for f in fits)
    fits = tuple(f.part(chosen.kinds) for f in fits)
    for each in fits:
        _refuse_constant(each, bound)
    return fits, bound, chosen, None if se is None else chosen.se[chosen.se.index(se)]


def check_paired(fits_a: Fits, fits_b: Fits) -> None:
    """An error unless both were fitted on one design with one positive class."""
    check_fits(fits_a, "fits_a")
    check_fits(fits_b, "fits_b")
    if fits_a.design.fingerprint != fits_b.design.fingerprint:
        raise InputError(
            "The two Fits do not share a design, so they cannot be paired",
            param="fits_b",
            got=f"fingerprints {fits_a.design.fingerprint[:8]} and {fits_b.design.fingerprint[:8]}",
            fix="Draw one design (plan.draw) and pass it to both calls of fit",
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
    interval = metric.interval if result.interval is WALD else result.interval
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
    few = few_groups(groups)
    if groups < 2:
        return result.with_(se=None, se_method=None, influence=None).noting(few)
    if result.df is None or cases is None:
        known = np.zeros(fits.design.n) if result.influence is None else result.influence
        alone = float((known**2).sum())
        df = DesignEffect.of(variance(fits.design, known), alone, len(units), *sizes).df
        result = result.with_(df=min(df, df if result.df is None else result.df))
    return result.noting(few)


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
    if chosen.estimand is Estimand.TRAINED and not fits.design.counts.any():  # all training was done elsewhere
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
