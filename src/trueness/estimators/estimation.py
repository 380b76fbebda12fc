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
from trueness.metrics.calibration import DiscriminationSlope
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
    c, chosen = _asked((fits,), metric, method, se, undefined, options)
    fits, bound, design = c.fits, c.metric, c.fits.design
    result = chosen.function(c, **options)
    size = max(abs(result.value), 1.0 if fits.sample.numbers is None else 0.0)
    if bound.needs == "any" and result.se is not None and result.se < ROUNDING * size:
        result = _without_variance(result)
    if result.cases is None:  # for intervals at the limits of the range
        class_sets = bound.class_sets(fits.sample)
        cases = np.flatnonzero(~design.never_tested) if design.kind == "cv" else np.arange(fits.sample.n)
        sizes = np.bincount(fits.sample.codes[cases], minlength=fits.sample.n_classes)
        tested = min(int(sizes[classes].sum()) for classes in class_sets)
        result = result.with_(cases=design.independent_units(class_sets, cases), tested=tested)
    ends = bound.bounds
    value = next((end for end in ends if abs(result.value - end) < bound.rounding), result.value)
    interval = bound.interval if result.interval is WALD else result.interval
    result = result.with_(value=value, bounds=ends, interval=interval)
    if value in ends and (se_of := result.se) is not None:
        if interval.at_open_end:
            result = result.with_(se=0.0)
        elif 0 < se_of < TINY * (ends[1] - ends[0]) < math.inf:  # what rounding leaves
            none = None if result.influence is None else np.zeros_like(result.influence)
            result = result.with_(se=0.0, influence=none)
        elif se_of < bound.rounding and not np.isfinite(ends).all():  # no exact interval either
            result = _without_variance(result)
    return _wrapped(result, c, chosen)


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
    check_compared(resolve(metric))
    c, chosen = _asked((fits_a, fits_b), metric, method, se, undefined, {})
    fits_a, fits_b = common_fits(c.fits, c.other or c.fits)
    c = replace(c, fits=fits_a, other=fits_b)
    if chosen.pairs:
        result = chosen.function(c)
    else:
        a, b = (estimate(f, metric, method, se=se, undefined=undefined) for f in (fits_a, fits_b))
        result = _by_influence(a, b, c.fits)
    low, high = c.metric.bounds
    result = result.with_(bounds=(low - high, high - low), plain=False)
    if result.interval.needs_se:  # others, of shares on a test set, suit the difference
        result = result.with_(interval=WALD, cases=None, tested=None)
    if result.se is not None and result.se < c.metric.rounding and not identical(fits_a, fits_b):
        result = _without_variance(result)
    return _wrapped(result, c, chosen)


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
) -> tuple[Contrast, Estimator]:
    """The fits as the estimator reads them, the metric and the standard error as it declares it; and the estimator."""
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
    fits = tuple(f.part(chosen.method.kinds) for f in fits)
    if isinstance(bound, Correlation):
        for each in fits:
            _refuse_constant(each, bound)
    other = fits[1] if len(fits) > 1 else None
    declared = next((known for known in chosen.se if known == se), None)  # as the estimator declares it
    return Contrast(fits[0], bound, other, se=declared, undefined=undefined), chosen


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


def check_compared(metric: Metric) -> None:
    """An error for what exaggerated probabilities improve: its difference is the IDI (Hilden & Gerds 2014)."""
    if isinstance(metric, DiscriminationSlope):
        problem = f"Differences in {metric.name} favour miscalibrated models"
        raise InputError(problem, param="metric", fix="Use brier, log_loss or auc")


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


def _without_variance(result: Estimate, *notes: Note | None) -> Estimate:
    """Without a standard error."""
    return result.with_(se=None, se_method=None, influence=None).noting(*notes or (NO_VARIANCE,))


def _by_influence(a: Estimate, b: Estimate, fits: Fits) -> Estimate:
    """The difference of two estimates of one method."""

    def less(one: Floats | None, other: Floats | None) -> Floats | None:
        return None if one is None or other is None or one.shape != other.shape else one - other

    mc = less(a.mc_influence, b.mc_influence)
    mc_se = None if mc is None else float(np.linalg.norm(mc))
    out = Estimate(a.value - b.value, mc_se=mc_se, replicates=less(a.replicates, b.replicates))
    if a.influence is None or b.influence is None:
        return out.noting(Note("no-se-difference", method=a.method))
    influence = a.influence - b.influence
    se = math.sqrt(variance(fits.design, influence))
    return out.with_(influence=influence, se=se, se_method=a.se_method, df=a.df)


def _wrapped(result: Estimate, c: Contrast, chosen: Estimator) -> Estimate:
    """With names, provenance, and what groups, heavy tails, failed fits and few cases do to the standard error."""
    fits, metric, design = c.fits, c.metric, c.fits.design
    result = result.with_(metric=metric.name if c.other is None else f"{metric.name} difference", method=chosen.method)
    if fits.sample.groups is not None and result.se is not None:
        result = _of_groups(result, c)
    estimand = chosen.estimand
    if metric.target == "numbers":
        estimand = OF_MEANS.get(estimand, estimand)
    if estimand is Estimand.TRAINED and not design.counts.any():  # all training was done elsewhere
        estimand = Estimand.LEFT_OUT if SEVERAL_RULES in design.notes else Estimand.FITTED
    known = {"design": design.fingerprint, "plan": str(design.plan), "fits": fits.n_fits, "failed": len(fits.failed)}
    known |= {"engine": fits.engine, "cases": fits.sample.n}
    result = judged(result, c).with_(estimand=estimand, provenance={**result.provenance, **known})
    result = result.noting(*design.notes)
    if fits.failed and chosen.name != "apparent":  # that is the fit on all cases
        result = _without_failed(result, fits, metric)
    if not isinstance(metric, AUC):
        return result
    m = int(fits.sample.sizes.min())
    # a holdout counts its test cases itself, and the second-order form has Student's quantiles
    enough = m >= MIN_CASES_FOR_AUC_SE or design.kind == "holdout" or result.se_method == "second-order"
    if result.se is not None and not enough:
        result = result.noting(Note("few-cases", cases=m, needed=MIN_CASES_FOR_AUC_SE))
    # of scores that are all equal it is ½ (a difference 0)
    if result.value in (0.0, 0.5) and all(
        _all_equal(block.scores) for part in (fits.parts or (fits,)) for block in part.blocks()
    ):
        warn(CONSTANT)
        result = _without_variance(result, CONSTANT)
    return result


OF_MEANS = {
    Estimand.N_CASES_TABLE: Estimand.N_CASES_MEANS,
    Estimand.FOLD_TABLES: Estimand.FOLD_MEANS,
    Estimand.BOOTSTRAP_TABLES: Estimand.BOOTSTRAP_MEANS,
}


def _of_groups(result: Estimate, c: Contrast) -> Estimate:
    """Student's quantiles with the degrees of freedom of the groups (of the class with the fewest for an AUC), and a
    warning where these are few."""
    design, class_sets = c.fits.design, c.metric.class_sets(c.fits.sample)
    whole = design.kind != "holdout"
    cases = np.arange(design.n) if whole else design.tested(0)
    groups, units, codes = design.independent_units(class_sets, cases), design.units[cases], c.fits.sample.codes[cases]
    sizes = [group_sizes(units[np.isin(codes, classes)]) for classes in class_sets]
    few = few_groups(groups)
    if groups < 2:
        return _without_variance(result, few)
    if result.df is None or whole:
        known = np.zeros(design.n) if result.influence is None else result.influence
        df = DesignEffect.of(variance(design, known), float((known**2).sum()), len(units), *sizes).df
        result = result.with_(df=min(df, math.inf if result.df is None else result.df))
    return result.noting(few)


def _without_failed(result: Estimate, fits: Fits, metric: Metric) -> Estimate:
    """With a note of how many fits failed, and between which limits the value would be, whatever these fits had been;
    its interval and its test allow for it.

    The value is a mean over fits (over the folds, where a design has other fits for the standard error), so that a share
    φ of them at the worst or the best end of the range moves it to (1 − φ) value + φ end (Horowitz & Manski 2000); a
    measure of the table of two classes, of which all these decisions may be wrong or right, by more.
    """
    means = fits.first
    share = len(means.failed) / means.n_fits
    ends = [(1 - share) * result.value + share * end for end in result.bounds] if share else [result.value] * 2
    folds = share and means.design.kind == "cv" and result.metric == metric.name
    if folds and isinstance(metric, TableMeasure) and metric.n_classes == 2:
        table = mean_of_fold_tables(means, metric)
        right = np.diag(table.sum(axis=1))
        worst = [float(metric.value((1 - share) * table + share * each)) for each in (right[:, ::-1], right)]
        ends = worst if np.isfinite(worst).all() else ends
    known: dict[str, Any] = {}
    if np.isfinite(ends).all():
        low, high = min(ends[0], result.value), max(ends[1], result.value)  # rounding
        result, known = result.with_(missing=(result.value - low, high - result.value)), {"low": low, "high": high}
    reasons = sorted({f.error for f in fits.failed})
    return result.noting(Note("failed-fits", failed=len(fits.failed), of=fits.n_fits, reasons=reasons, **known))


def _refuse_constant(fits: Fits, metric: Metric) -> None:
    """An error for the correlation of rules each of which predicts one number for all cases: between the rules these
    numbers differ, by the cases that were left out."""
    if fits.full_scores is not None and not _all_equal(fits.full_scores[None]):
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
