"""Arguments of `evaluate`, checked before any work."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from trueness.errors import InputError
from trueness.result.estimate import Estimate
from trueness.studies.accuracy import SE
from trueness.studies.datasets import DataSet
from trueness.studies.populations import Population
from trueness.studies.trial import Trial
from trueness.typing import Classifier

Source = Population | DataSet
Size = int | tuple[int, ...]
EstimatorLike = str | tuple[str, Mapping[str, Any]] | Callable[[Trial], float | Estimate | Mapping[str, float]]
"""A method of `trueness.estimate`, a method with options, or a function of a trial."""

T = TypeVar("T")


def by_name(things: T | Mapping[str, T], param: str) -> dict[str, T]:
    """One thing or several by name, as several by name."""
    if not isinstance(things, Mapping):
        return {"": things}
    if not things:
        raise InputError(f"{param} is empty", param=param)
    return dict(things)


def check_populations(population: object) -> None:
    for one in by_name(population, "population").values():
        if not isinstance(one, Population | DataSet):
            raise InputError(
                "population must be one of trueness.studies, or several by name",
                param="population",
                got=repr(one),
                fix="e.g. studies.two_gaussians(2, 1.2), studies.Gaussians(means, covariances), studies.DataSet(X, y)",
            )


def check_models(model: object) -> None:
    for one in by_name(model, "model").values():
        if isinstance(one, type) or not isinstance(one, Classifier):
            raise InputError("model must be an unfitted scikit-learn classifier", param="model", got=repr(one))


def sizes_of(sizes: Iterable[int | Sequence[int]], population: Source | Mapping[str, Source]) -> list[Size]:
    """Every size as one whole number for all classes, or as one number per class."""
    if isinstance(sizes, str) or np.ndim(np.asarray(sizes, dtype=object)) == 0:
        raise InputError("sizes must be a list", param="sizes", got=repr(sizes), fix="e.g. sizes=(20, 50)")
    out: list[Size] = []
    for size in sizes:
        for number in np.atleast_1d(np.asarray(size, dtype=object)):
            if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 2:
                raise InputError("sizes must be whole numbers of at least 2", param="sizes", got=repr(size))
        out.append(tuple(int(n) for n in size) if isinstance(size, Sequence | np.ndarray) else int(size))
    if not out:
        raise InputError("sizes is empty", param="sizes", fix="e.g. sizes=(20, 50)")
    populations: dict[str, Source] = by_name(population, "population")
    for one in populations.values():
        for given in out:
            if isinstance(given, tuple) and len(given) != one.n_classes:
                raise InputError(
                    "A size is one number for all classes, or one per class",
                    param="sizes",
                    got=f"{given} for {one.n_classes} classes",
                )
    return out


def estimators_of(estimators: Mapping[str, EstimatorLike] | Iterable[str]) -> dict[str, EstimatorLike]:
    """Estimators by name; the methods of a list are their own names."""
    try:
        names = None if isinstance(estimators, str) else list(estimators)
    except TypeError:  # not iterable
        names = None
    if names is None or not all(isinstance(name, str) for name in names):
        raise InputError(
            "estimators must be a list of methods, or estimators by name",
            param="estimators",
            got=repr(estimators),
            fix='e.g. ["star"]',
        )
    if not names:
        raise InputError("estimators is empty", param="estimators", fix='e.g. ["star"]')
    named = dict(estimators) if isinstance(estimators, Mapping) else {name: name for name in names}
    if any(name == "true" or name.endswith(SE) for name in named):
        raise InputError(
            f"An estimator cannot be named 'true' or '…{SE}'", param="estimators", got=list(named), fix="Rename it"
        )
    for name, how in named.items():
        pair = isinstance(how, tuple) and len(how) == 2 and isinstance(how[0], str) and isinstance(how[1], Mapping)
        if not (isinstance(how, str) or callable(how) or pair):
            raise InputError(
                f"Estimator {name!r} must be a method, a pair of a method and its options, or a function of a Trial",
                param="estimators",
                got=repr(how),
                fix='e.g. {"mine": ("632+", {"se": "quantile"})}',
            )
    return named


def put(row: dict[str, float], name: str, value: object) -> None:
    """Add a number to the row of a trial; a name must not be taken."""
    if not isinstance(name, str) or name in row:
        raise InputError(
            "Two estimators, or one and the truth, have the same name",
            param="estimators",
            got=repr(name),
            fix="Rename one",
        )
    try:
        row[name] = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(
            f"Estimator {name} must return a number, an Estimate, or numbers by name",
            param="estimators",
            got=repr(value),
            fix="Return NaN where there is no estimate",
        ) from None
