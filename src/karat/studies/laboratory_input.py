"""What a person may give the laboratory: checked before any work, in words that say what to give instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.plans.plan import whole
from karat.sample.populations import Population
from karat.studies.accuracy import SE
from karat.studies.datasets import DataSet


def by_name(things: Any, what: str) -> dict[str, Any]:
    """One thing or several by name, as several by name."""
    if not isinstance(things, Mapping):
        return {"": things}
    if not things:
        raise InputError(f"give at least one {what}", got=repr(things))
    return dict(things)


def check_populations(population: Any) -> None:
    for one in by_name(population, "population").values():
        if not isinstance(one, Population | DataSet):
            raise InputError(
                "a population must be one of karat.studies",
                got=repr(one),
                fix="e.g. studies.two_gaussians(2, 1.2), studies.Gaussians(means, covariances), studies.DataSet(X, y)",
            )


def check_models(model: Any) -> None:
    for one in by_name(model, "model").values():
        if isinstance(one, type) or not hasattr(one, "fit"):
            raise InputError("a model must be a scikit-learn classifier, not fitted", got=repr(one))


def sizes_of(sizes: Any, population: Any) -> list[int | tuple[int, ...]]:
    """Every size as one whole number for all classes, or as one a class."""
    if isinstance(sizes, str) or np.ndim(np.asarray(sizes, dtype=object)) == 0:
        raise InputError("sizes must be a list of sample sizes", got=repr(sizes), fix="e.g. sizes=(20, 50)")
    out: list[int | tuple[int, ...]] = []
    for size in sizes:
        for number in np.atleast_1d(np.asarray(size, dtype=object)):
            whole("a size", number, 2)
        out.append(int(size) if np.ndim(size) == 0 else tuple(int(n) for n in size))
    if not out:
        raise InputError("give at least one size", got=repr(sizes), fix="e.g. sizes=(20, 50)")
    for one in by_name(population, "population").values():
        for given in out:
            if isinstance(given, tuple) and len(given) != one.n_classes:
                raise InputError(
                    "a size is one number for all classes, or one a class", got=f"{given} for {one.n_classes} classes"
                )
    return out


def estimators_of(estimators: Any) -> dict[str, Any]:
    """Estimators by name; a list of methods is called by their names."""
    if isinstance(estimators, str) or not hasattr(estimators, "__iter__"):
        raise InputError(
            "estimators must be a list of methods, or estimators by name", got=repr(estimators), fix='e.g. ["star"]'
        )
    named = dict(estimators) if isinstance(estimators, Mapping) else {name: name for name in estimators}
    if not named or any(not isinstance(name, str) or name == "true" or name.endswith(SE) for name in named):
        raise InputError(f"give at least one estimator, and none called 'true' or '…{SE}'", got=list(named))
    return named


def put(row: dict[str, float], name: str, value: Any) -> None:
    """Add a number to the row of a trial: no estimator takes the place of the truth or of another one."""
    if not isinstance(name, str) or name in row:
        raise InputError("two estimators, or one and the truth, have the same name", got=repr(name), fix="Rename one")
    try:
        row[name] = float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must give a number, an Estimate, or numbers by name", got=repr(value), fix="NaN where it has none"
        ) from None
