"""Estimators by name, and what each declares.

A file of this room declares a `Method`, what is known about an estimator whatever the metric, and its forms: a function
for each class of metrics. The registry finds the files by the kinds of design that their methods name, and loads those
of a design when it is asked for them.
"""

import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal, Self, get_args

from trueness import texts_of
from trueness.checks import is_one_of
from trueness.errors import InputError, near
from trueness.metrics.metric import Metric
from trueness.result import Estimate
from trueness.result.words import Estimand, Named
from trueness.sample.design import Design, Kind

ANY = frozenset(get_args(Kind)) - {"halves"}
OF_SETS = ("linearized", "set_metrics")  # files with forms of other files' methods, for metrics of no case or pair
WITHIN: dict[Kind, tuple[Kind, ...]] = {  # kinds of its parts
    "cv+bootstrap": ("cv+bootstrap", "cv", "bootstrap"),
    "paired": ("paired", "cv"),
    "cv+halves": ("cv+halves", "cv"),
}

Undefined = Literal["raise", "skip", "failed"]
"""What is done with folds, cases and pairs that cannot be evaluated: an error, skip them, or skip those that owe it to
a fit that failed."""
Function = Callable[..., Estimate]


class Method(Named):
    """An estimator: its name in `estimate(fits, metric, method)`, its words and sources, and what it reads.

    Examples
    --------
    >>> from trueness.estimators.loob import LOOB
    >>> LOOB, LOOB.words, sorted(LOOB.kinds)
    ('loob', 'the leave-one-out bootstrap', ['bootstrap'])
    """

    kinds: frozenset[Kind]  # designs that it can read
    estimand: Estimand  # what is estimated
    order: int  # its place in tables: estimators of designs with parts, then from optimistic to pessimistic
    recommended: frozenset[Kind]  # designs for which `assess` and `compare` choose it, where it is the first with an se
    not_within: frozenset[Kind]  # designs that have a part it could read, with too few splits for it

    def __new__(
        cls,
        name: str,
        words: str,
        *sources: str,
        kinds: Set[Kind],
        estimand: Estimand,
        order: int = 1000,
        recommended: Set[Kind] = frozenset(),
        not_within: Set[Kind] = frozenset(),
    ) -> Self:
        designs = {"kinds": kinds, "recommended": recommended, "not_within": not_within}
        more = {key: frozenset(value) for key, value in designs.items()}
        return super().__new__(cls, name, words, *sources, estimand=estimand, order=order, **more)

    def on(
        self,
        *metrics: type[Any],
        se: tuple[str, ...] = ("none",),
        estimand: Estimand | None = None,
        options: tuple[str, ...] = (),
        pairs: Function | None = None,
        beforehand: Callable[[Design, Metric], None] | None = None,
    ) -> Callable[[Function], Function]:
        """Function decorator: declare how it estimates metrics of these classes, by default of all."""

        def declare(function: Function) -> Function:
            of = metrics or (Metric,)
            more = (options, pairs, beforehand)
            _DECLARED.append(Estimator(self, function, of, se, estimand or self.estimand, *more))
            return function

        return declare


@dataclass(frozen=True)
class Estimator:
    """A method for some classes of metrics."""

    method: Method
    function: Function  # (fits, metric, *, se, undefined, **options) → Estimate
    metrics: tuple[type[Metric], ...]  # classes of metrics that it is defined for
    se: tuple[str, ...]  # standard errors that it offers, the default first; "none" where it has none by default
    estimand: Estimand
    options: tuple[str, ...] = ()  # further keyword arguments of `function`
    # (fits_a, fits_b, metric, *, se, undefined) → Estimate of a paired difference, where subtracting two influence
    # vectors is not the best that can be done
    pairs: Function | None = None
    # (design, metric): an UndefinedError where no fits on this design can have a value, whatever the model
    beforehand: Callable[[Design, Metric], None] | None = None

    @property
    def name(self) -> str:
        return self.method

    @property
    def kinds(self) -> frozenset[Kind]:
        return self.method.kinds

    def serves(self, kind: Kind, metric: type[Metric]) -> bool:
        """Whether it is defined for this kind of design and metrics of this class."""
        return issubclass(metric, self.metrics) and not self.kinds.isdisjoint(WITHIN.get(kind, (kind,)))

    def distance(self, metric: type[Metric]) -> int:
        """How many steps above the class of a metric the class is that it is declared for."""
        return min(metric.__mro__.index(c) for c in self.metrics if issubclass(metric, c))


_DECLARED: list[Estimator] = []


@cache
def kinds_of_files() -> dict[str, frozenset[str]]:
    """The files of this room that declare methods, and the kinds of design that these read, without loading them."""
    found = {}
    for name, text in texts_of(__package__):
        sets = re.findall(r"\bkinds=(ANY|\{[^}]*\})", text)
        kinds = {kind for each in sets for kind in (ANY if each == "ANY" else re.findall(r'"([^"]+)"', each))}
        found[name] = frozenset(kinds)
    return {name: kinds for name, kinds in found.items() if kinds}


def declared(*kinds: Kind, tables: bool = True) -> list[Estimator]:
    """All estimators, once those of these kinds of design are loaded; without a kind, those of every kind."""
    loaded = [name for name, known in kinds_of_files().items() if not kinds or not known.isdisjoint(kinds)]
    for name in [*loaded, *(OF_SETS if tables else ())]:
        import_module(f"{__package__}.{name}")
    return [*_DECLARED]


def available(kind: Kind, metric: Metric) -> list[Estimator]:
    """Estimators for a kind of design and a metric, in the order of tables; of two with one name the special form."""
    return [*_serving(kind, type(metric), len(declared(*WITHIN.get(kind, (kind,)), tables=not metric.arity)))]


@cache
def _serving(kind: Kind, metric: type[Metric], declared_so_far: int) -> tuple[Estimator, ...]:
    serving: dict[str, Estimator] = {}
    for e in sorted((e for e in _DECLARED if e.serves(kind, metric)), key=lambda e: e.distance(metric)):
        serving.setdefault(e.name, e)
    return tuple(sorted(serving.values(), key=lambda e: e.method.order))


def recommended(kind: Kind) -> tuple[str, ...]:
    """The methods to report for a kind of design, the best first: with a standard error, in the order of tables. Of a
    metric it is the first that is available."""
    known = [e for e in declared(*WITHIN.get(kind, (kind,)), tables=False) if kind in e.method.recommended]
    return tuple(dict.fromkeys(e.name for e in sorted(known, key=lambda e: (e.se[0] == "none", e.method.order))))


def check_beforehand(design: Design, metric: Metric, method: str) -> None:
    """An error where this estimate cannot exist on this design, whatever the model; the same as after the fits."""
    chosen = find(method, design.kind, metric)
    part = next((p for p in design.parts if p.kind in chosen.kinds and design.kind not in chosen.kinds), design)
    if chosen.beforehand is not None:
        chosen.beforehand(part, metric)


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
            from trueness.plans import plans_of

            plans = " or ".join(plans_of(k) for k in sorted(e.kinds))
            raise InputError(
                f"Method {method!r} needs fits of a {plans} plan", param="method", got=f"a {kind} design", fix=fix
            )
    raise InputError(f"Method {method!r} is not available for metric {metric.name!r}", param="method", fix=fix)
