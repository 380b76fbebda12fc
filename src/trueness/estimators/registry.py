"""Estimators by name, and what each declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from trueness.checks import is_one_of
from trueness.errors import InputError, near
from trueness.metrics.metric import Metric
from trueness.result import Estimate
from trueness.sample.design import Kind

# What an estimate is about.
RULE = "this rule, trained on all cases"
TRAINED = "the rule trained on the training part"
FITTED = "this rule, as it was fitted"
N_CASES = "mean over training sets of n cases"
FOLD_SETS = "mean over training sets of the folds, smaller than n"
BOOTSTRAP_SETS = "mean over bootstrap training sets (about 63 % distinct cases)"
MULTISETS = "mean over training sets that are multisets of the cases (about 50 % distinct cases)"
# the same of a function of the table of truth and decision
N_CASES_TABLE = "measure of the mean table over training sets of n cases"
FOLD_TABLES = "measure of the mean table over training sets of the folds, smaller than n"
BOOTSTRAP_TABLES = "measure of the mean table over bootstrap training sets (about 63 % distinct cases)"

# Files of this folder by the designs that their estimators read; they are loaded when such a design is.
FILES: dict[Kind | Literal["sets"], tuple[str, ...]] = {
    "bootstrap": ("replicates", "loob", "point632"),
    "cv": ("replicates", "cv", "cv_pooled"),
    "nested": ("replicates", "nested_cv"),
    "holdout": ("replicates", "holdout"),
    "cv+bootstrap": ("cv_training",),
    "paired": ("conservative_z",),
    "cv+halves": ("half_samples",),
    "sets": ("table_measures",),  # of any design, for metrics of a whole set
}
PLANS: dict[Kind, str] = {
    "bootstrap": "Bootstrap",
    "cv": "KFold, LeaveOneOut or MonteCarlo",
    "nested": "NestedKFold",
    "holdout": "Holdout or a separate test set",
    "cv+bootstrap": "CvBootstrap (the default)",
    "paired": "PairedSubsampling",
    "cv+halves": "CvHalves",
}
WITHIN: dict[Kind, tuple[Kind, ...]] = {  # kinds of its parts
    "cv+bootstrap": ("cv+bootstrap", "cv", "bootstrap"),
    "paired": ("paired", "cv"),
    "cv+halves": ("cv+halves", "cv"),
}
RECOMMENDED: dict[Kind, tuple[str, ...]] = {
    "cv+bootstrap": ("cv+training", "cv"),
    "paired": ("conservative_z",),
    "cv+halves": ("half_samples",),
    "cv": ("cv",),
    "nested": ("nested_cv",),
    "holdout": ("holdout",),
    "bootstrap": ("loob", "lpob", "star"),
}

# Order in tables: estimators of designs with parts, then from optimistic to pessimistic. A name that is not here comes
# last, as loob and lpob do.
ORDER = (
    "cv+training",
    "half_samples",
    "conservative_z",
    "apparent",
    "holdout",
    "nested_cv",
    "cv",
    "cv_pooled",
    "cv_pairs",
    "sb",
    "rb",
    "632",
    "632+",
    "star",
)

Undefined = Literal["raise", "skip"]
Function = Callable[..., Estimate]


@dataclass(frozen=True)
class Estimator:
    """A declared estimator."""

    name: str  # its name in `estimate(fits, metric, method)`
    function: Function  # (fits, metric, *, se, undefined, **options) → Estimate
    kinds: frozenset[Kind]  # designs that it can read
    metrics: tuple[type[Metric], ...]  # classes of metrics that it is defined for
    se: tuple[str, ...]  # standard errors that it offers, the default first; "none" where it has none by default
    estimand: str  # what is estimated
    options: tuple[str, ...] = ()  # further keyword arguments of `function`
    # (fits_a, fits_b, metric, *, se, undefined) → Estimate of a paired difference, where subtracting two influence
    # vectors is not the best that can be done
    pairs: Function | None = None

    def serves(self, kind: Kind, metric: Metric) -> bool:
        """Whether it is defined for this kind of design and this metric."""
        return isinstance(metric, self.metrics) and not self.kinds.isdisjoint(WITHIN.get(kind, (kind,)))

    def distance(self, metric: Metric) -> int:
        """How many steps above the metric's class the class is that it is declared for."""
        return min(type(metric).__mro__.index(c) for c in self.metrics if isinstance(metric, c))


_DECLARED: list[Estimator] = []


def estimator(
    name: str,
    *,
    kinds: set[Kind],
    metrics: type[Metric] | tuple[type[Metric], ...] = Metric,
    se: tuple[str, ...] = ("none",),
    estimand: str,
    options: tuple[str, ...] = (),
    pairs: Function | None = None,
) -> Callable[[Function], Function]:
    """Function decorator: declare an `Estimator`. Several may share a name for different metrics."""
    classes = metrics if isinstance(metrics, tuple) else (metrics,)

    def declare(function: Function) -> Function:
        _DECLARED.append(Estimator(name, function, frozenset(kinds), classes, se, estimand, options, pairs))
        return function

    return declare


def declared(*kinds: Kind | Literal["sets"]) -> list[Estimator]:
    """All estimators, once those of these kinds of design are loaded; without a kind, those of every kind."""
    for kind in kinds or FILES:
        for file in FILES[kind]:
            import_module(f"trueness.estimators.{file}")
    return [*_DECLARED]


def available(kind: Kind, metric: Metric) -> list[Estimator]:
    """Estimators for a kind of design and a metric, in the order of tables; of two with one name the special form."""
    known = declared(*WITHIN.get(kind, (kind,)), *(() if metric.arity else ("sets",)))
    serving: dict[str, Estimator] = {}
    for e in sorted((e for e in known if e.serves(kind, metric)), key=lambda e: e.distance(metric)):
        serving.setdefault(e.name, e)
    return sorted(serving.values(), key=lambda e: ORDER.index(e.name) if e.name in ORDER else len(ORDER))


def find(method: str, kind: Kind, metric: Metric) -> Estimator:
    """The estimator of this name for this kind of design and this metric; an error lists those that are available."""
    usable = {e.name: e for e in available(kind, metric)}
    if is_one_of(method, usable):
        return usable[method]
    named = [e for e in declared() if is_one_of(method, (e.name,))]
    fix = f"Available: {', '.join(usable)}"
    if not named:
        raise InputError(f"There is no method {method!r}", param="method", fix=near(method, usable) + fix)
    for e in named:
        if isinstance(metric, e.metrics):
            plans = " or ".join(PLANS[k] for k in sorted(e.kinds))
            raise InputError(
                f"Method {method!r} needs fits of a {plans} plan", param="method", got=f"a {kind} design", fix=fix
            )
    raise InputError(f"Method {method!r} is not available for metric {metric.name!r}", param="method", fix=fix)
