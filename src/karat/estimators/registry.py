"""Names of estimators, what each declares, and the two questions: estimate and difference."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.errors import InputError, KaratWarning
from karat.estimators.influence.case_influence import variance
from karat.metrics.auc import AUC
from karat.metrics.metric import Metric
from karat.metrics.registry import resolve
from karat.metrics.scorer import Scorer
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.interval_rules import WALD
from karat.sample.fits import Fits

MEAN = "mean over training sets of this size"
RULE = "the rule trained on all cases"
TRAINED = "the rule trained on the training part"

KINDS = {
    "bootstrap": "Bootstrap",
    "cv": "KFold, LeaveOneOut or MonteCarlo",
    "nested": "NestedKFold",
    "holdout": "Holdout or a separate test set",
}


@dataclass(frozen=True)
class Estimator:
    """A declared estimator.

    Attributes
    ----------
    kinds
        Designs it can read.
    metrics
        Classes of metrics it serves.
    se
        Standard errors it can give, the default first ("none": it has none to defend).
    pairs
        A function (fits_a, fits_b, metric, se, undefined) → Estimate for a paired difference, where
        the difference of two influence vectors is not the best that can be done.
    """

    name: str
    function: Callable[..., Estimate]
    kinds: frozenset[str]
    metrics: tuple[type[Metric], ...]
    se: tuple[str, ...]
    estimand: str
    options: tuple[str, ...] = ()
    pairs: Callable[..., Estimate] | None = None

    def serves(self, kind: str, metric: Metric) -> bool:
        return kind in self.kinds and isinstance(metric, self.metrics)


_BY_NAME: dict[tuple[str, int], Estimator] = {}

# how tables list them, from the too good to the too bad; a name that is not here comes last
_ORDER = ("apparent", "holdout", "nested_cv", "cv", "cv_pooled", "cv_pairs", "sb", "rb", "632", "632+", "star")


def estimator(
    name: str,
    *,
    kinds: set[str],
    metrics: type[Metric] | tuple[type[Metric], ...] = Metric,
    se: tuple[str, ...] = ("none",),
    estimand: str,
    options: tuple[str, ...] = (),
    pairs: Callable[..., Estimate] | None = None,
) -> Callable[[Callable[..., Estimate]], Callable[..., Estimate]]:
    """Declare an estimator; several may share a name where they serve different metrics."""
    classes = metrics if isinstance(metrics, tuple) else (metrics,)

    def declare(function: Callable[..., Estimate]) -> Callable[..., Estimate]:
        key = (name, sum(known == name for known, _ in _BY_NAME))
        _BY_NAME[key] = Estimator(name, function, frozenset(kinds), classes, se, estimand, options, pairs)
        return function

    return declare


def available(kind: str, metric: Metric) -> list[Estimator]:
    """Estimators for a design and a metric, in the order of tables."""
    serving: dict[str, Estimator] = {}
    for e in _BY_NAME.values():
        if e.serves(kind, metric):
            serving.setdefault(e.name, e)  # the special form of a name is declared before the general one
    return sorted(serving.values(), key=lambda e: _ORDER.index(e.name) if e.name in _ORDER else len(_ORDER))


def find(method: str, kind: str, metric: Metric) -> Estimator:
    """The estimator of this name for this design and metric; an error that says what there is."""
    named = [e for e in _BY_NAME.values() if e.name == method]
    for e in named:  # the special form of a name is declared before the general one
        if e.serves(kind, metric):
            return e
    usable = [e.name for e in available(kind, metric)]
    if not named:
        raise InputError(f"there is no method {method!r}", fix=f"For {metric.name} here: {', '.join(usable)}")
    fitting = [e for e in named if isinstance(metric, e.metrics)]
    if fitting:
        needed = " or ".join(KINDS[k] for k in sorted(fitting[0].kinds))
        raise InputError(
            f"{method} needs fits of a {needed} plan",
            got=f"a {kind} design",
            fix=f"Refit, or use {', '.join(usable)}",
        )
    raise InputError(f"{method} does not serve the metric {metric.name}", fix=f"Use {', '.join(usable)}")


def estimate(
    fits: Fits, metric: Any, method: str, se: str | None = None, undefined: str = "raise", **options: Any
) -> Estimate:
    """Estimate a metric from fits: a pure function, no model is fitted and no random number drawn.

    Parameters
    ----------
    fits
        From `karat.fit` or `Fits.from_arrays`.
    metric
        "error", "auc", "fnf", "fpf", "brier", a scikit-learn scorer name, a function f(y, score), or a
        `karat.metrics` object such as Cost(matrix=...).
    method
        "apparent"; "holdout"; "cv", "cv_pooled", "cv_pairs"; "nested_cv"; "sb", "star", "loob",
        "lpob", "rb", "632", "632+".
    se
        Which standard error; None: the default of the method.
    undefined
        "raise": a case, pair or fold that cannot be evaluated is an error that names the cure;
        "skip": the mean over the defined ones, with a note.
    rule
        Of 632+ only: "clipped" (default) or "printed".

    Returns
    -------
    Estimate
    """
    if not isinstance(fits, Fits):
        raise InputError(
            "estimates are made from Fits",
            got=type(fits).__name__,
            fix="Pass karat.fit(...), or a.fits of an assessment",
        )
    _check_undefined(undefined)
    bound = bind(fits, metric)
    chosen = find(method, fits.design.kind, bound)
    kind = _se(chosen, se)
    strangers = sorted(set(options) - set(chosen.options))
    if strangers:
        raise InputError(f"{method} takes no option {', '.join(strangers)}")
    result = chosen.function(fits, bound, se=kind, undefined=undefined, **options)
    return _signed(result, fits, bound, chosen, **_range(result, fits, bound))


def difference(
    fits_a: Fits, fits_b: Fits, metric: Any, method: str, se: str | None = None, undefined: str = "raise"
) -> Estimate:
    """Paired difference of two models, first − second, on one design.

    The derivative is linear, so the influence of the difference is the difference of the influences
    (seeds/000, eq. 64–66): what both models owe to the same cases cancels. Not Var_A + Var_B.
    """
    check_paired(fits_a, fits_b)
    _check_undefined(undefined)
    fits_a, fits_b = _common(fits_a, fits_b)
    bound = bind(fits_a, metric)
    bind(fits_b, metric)
    chosen = find(method, fits_a.design.kind, bound)
    _se(chosen, se)
    if chosen.pairs is not None:
        result = chosen.pairs(fits_a, fits_b, bound, se=_se(chosen, se), undefined=undefined)
    else:
        a, b = (estimate(f, metric, method, se, undefined) for f in (fits_a, fits_b))
        result = _by_influence(a, b, fits_a)
    low, high = bound.bounds
    result = result.with_(bounds=(low - high, high - low), interval=WALD, plain=False, cases=None)
    if result.se == 0 and not identical(fits_a, fits_b):
        result = result.with_(se=None, influence=None).noting(NO_SPREAD)
    return _signed(result, fits_a, bound, chosen).with_(metric=f"{bound.name} difference")


NO_SPREAD = "No standard error: the formula gives 0 here although the two score these cases differently."


def identical(a: Fits, b: Fits) -> bool:
    """Whether two models scored every case alike in every fit."""
    for one, other in zip(a.blocks(), b.blocks(), strict=False):
        if one.scores is None or other.scores is None or not np.array_equal(one.scores, other.scores, equal_nan=True):
            return False
    return True


def _common(a: Fits, b: Fits) -> tuple[Fits, Fits]:
    """Both without the fits that failed in either: a difference is of the same training sets."""
    if (a.kept == b.kept).all():
        return a, b
    failed = {f.fit: f for f in (*b.failed, *a.failed)}
    both = tuple(failed[f] for f in sorted(failed))
    return replace(a, failed=both), replace(b, failed=both)


def check_paired(fits_a: Fits, fits_b: Fits) -> None:
    """An error unless both were fitted on one design with one positive class."""
    if fits_a.design.fingerprint != fits_b.design.fingerprint:
        raise InputError(
            "the two Fits do not share a design, so they cannot be paired",
            got=f"fingerprints {fits_a.design.fingerprint[:8]} and {fits_b.design.fingerprint[:8]}",
            fix="Draw one design (plan.draw) and pass it to both calls of fit",
        )
    if fits_a.sample.positive != fits_b.sample.positive:
        raise InputError("the two Fits have different positive classes")


def bind(fits: Fits, metric: Any) -> Metric:
    """The metric for the classes of these fits; an error where their scores cannot serve it."""
    bound = resolve(metric).bind(fits.sample)
    if isinstance(bound, Scorer):
        return replace(bound, probabilities=fits.probabilities)
    if bound.needs == "probabilities" and not fits.probabilities:
        raise InputError(
            f"{bound.name} needs probabilities, and these scores are none",
            fix='Use models that have predict_proba (with karat.fit: scores="predict_proba")',
        )
    return bound


def _check_undefined(undefined: str) -> None:
    if undefined not in ("raise", "skip"):
        raise InputError('undefined must be "raise" or "skip"', got=repr(undefined))


def _se(chosen: Estimator, se: str | None) -> str | None:
    if se is None:
        return None
    if se not in chosen.se:
        offered = ", ".join(repr(s) for s in chosen.se if s != "none") or "none at all"
        raise InputError(f"{chosen.name} has no standard error {se!r}", fix=f"It offers {offered}")
    return se


def _by_influence(a: Estimate, b: Estimate, fits: Fits) -> Estimate:
    out = Estimate(a.value - b.value, method=a.method, estimand=a.estimand)
    if a.mc_influence is not None and b.mc_influence is not None and a.mc_influence.shape == b.mc_influence.shape:
        out = out.with_(mc_se=float(np.linalg.norm(a.mc_influence - b.mc_influence)))
    if a.replicates is not None and b.replicates is not None and a.replicates.shape == b.replicates.shape:
        out = out.with_(replicates=a.replicates - b.replicates)
    if a.influence is None or b.influence is None:
        return out.noting(f"no standard error: that of {a.method} cannot be defended for a difference")
    influence = a.influence - b.influence
    return out.with_(
        influence=influence, se=math.sqrt(variance(fits.design, influence)), se_method=a.se_method, df=a.df
    )


def _range(result: Estimate, fits: Fits, metric: Metric) -> dict[str, Any]:
    """The range of the metric, its usual interval, and how many cases speak at the end of the range."""
    cases = fits.design.independent(metric.speaking(fits.sample)) if result.cases is None else result.cases
    interval = metric.interval if result.interval is WALD else result.interval
    value, bounds = result.value, metric.bounds
    for bound in bounds:  # a sum of thirds may miss the end of the range by a rounding error
        value = bound if abs(value - bound) < 1e-12 else value
    return {"value": value, "bounds": bounds, "cases": cases, "interval": interval}


def _signed(result: Estimate, fits: Fits, metric: Metric, chosen: Estimator, **changes: Any) -> Estimate:
    """Who made it, besides these changes: names, provenance, and what the reader should know of the fits."""
    result = result.with_(
        metric=metric.name,
        method=chosen.name,
        estimand=chosen.estimand,
        provenance={
            "design": fits.design.fingerprint,
            "plan": str(fits.design.plan),
            "fits": fits.n_fits,
            "failed": len(fits.failed),
            "engine": fits.engine,
            "cases": fits.sample.n,
        },
        **changes,
    )
    result = result.noting(*fits.design.notes, *_failures(fits))
    return _constant_scores(_few_cases(result, fits), fits) if isinstance(metric, AUC) else result


FEW = 10  # cases of a class


def _few_cases(result: Estimate, fits: Fits) -> Estimate:
    """Words where an AUC rests on few cases of a class: two positives cannot tell how positives differ.

    A holdout counts its test cases itself, and the second-order form has Student's quantiles.
    """
    m = int(fits.sample.sizes.min())
    if result.se is None or m >= FEW or fits.design.kind == "holdout" or result.se_method == "second-order":
        return result
    return result.noting(
        f"The smallest class has {m} cases: a standard error of an AUC from so few is too small as a rule, and its "
        "interval too short (docs/studies.md, calibration)."
    )


def _failures(fits: Fits) -> list[str]:
    if not fits.failed:
        return []
    reasons = sorted({f.error for f in fits.failed})
    more = f" and {counted(len(reasons) - 1, 'other reason')}" if len(reasons) > 1 else ""
    are = "is" if len(fits.failed) == 1 else "are"
    first = reasons[0].rstrip(".")  # some libraries end their words with a stop
    return [f"{len(fits.failed)} of {fits.n_fits} fits failed and {are} left out: {first}{more}."]


def _all_equal(scores: np.ndarray | None) -> bool:
    """Whether every rule gives one score to all cases it scored."""
    if scores is None:
        return False
    low, high = np.nanmin(scores, axis=1, initial=np.inf), np.nanmax(scores, axis=1, initial=-np.inf)
    return bool((low >= high).all())


def _constant_scores(result: Estimate, fits: Fits) -> Estimate:
    """An AUC of scores that are all the same is ½ and says nothing: no standard error, and a warning."""
    if result.value not in (0.0, 0.5) or not all(_all_equal(block.scores) for block in fits.blocks()):
        return result
    warnings.warn("the scores are constant: the AUC is ½ and says nothing", KaratWarning, stacklevel=4)
    return result.with_(se=None, se_method=None, influence=None).noting("no standard error: the scores are constant.")
