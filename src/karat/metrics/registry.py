"""Names of metrics."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from karat.errors import InputError
from karat.metrics.metric import Metric

_BY_NAME: dict[str, type[Metric]] = {}


def register(metric: type[Metric]) -> type[Metric]:
    """Class decorator: the metric can be asked for by its name."""
    _BY_NAME[metric.name] = metric
    return metric


def names() -> list[str]:
    """The metrics that karat has itself; scikit-learn's scorer names work too."""
    return list(_BY_NAME)


def resolve(metric: Any) -> Metric:
    """A metric from a name, a scikit-learn scorer name, a callable f(y, score), or a Metric."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and metric in _BY_NAME:
        return _BY_NAME[metric]()
    from karat.metrics.scorer import Scorer, scorer_names

    if isinstance(metric, str):
        if metric in scorer_names():
            return Scorer(metric)
        near = get_close_matches(metric, [*_BY_NAME, *scorer_names()], n=3)
        raise InputError(
            f"there is no metric {metric!r}",
            fix=("Did you mean " + " or ".join(map(repr, near)) + "? " if near else "")
            + f"karat has {', '.join(_BY_NAME)}, and takes scikit-learn's scorer names and functions f(y, score)",
        )
    if callable(metric) and not isinstance(metric, type):
        return Scorer(metric)
    raise InputError("a metric is a name, a function f(y, score) or a karat Metric", got=repr(metric))
