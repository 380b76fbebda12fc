"""Metrics: what is measured; `resolve` finds one by its name.

A new metric is a class in a file here, imported below for mypy, and named in `CLASSES`, `_FILES` and `__all__`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from trueness import lazily
from trueness.errors import InputError, near

if TYPE_CHECKING:
    from trueness.metrics.auc import AUC
    from trueness.metrics.average_precision import AveragePrecision
    from trueness.metrics.cost import FNF, FPF, TNF, TPF, Accuracy, BalancedAccuracy, Cost, Error, Rate, Youden
    from trueness.metrics.metric import CaseLoss, Metric, SetMetric
    from trueness.metrics.probabilities import Brier, LogLoss
    from trueness.metrics.scorer import Scorer, ScorerLike
    from trueness.metrics.table import F1, MCC, NPV, PPV, Kappa, TableMeasure

CLASSES = {  # by name, in the order in which help and errors list them
    "error": "Error",
    "accuracy": "Accuracy",
    "auc": "AUC",
    "tpf": "TPF",
    "fpf": "FPF",
    "tnf": "TNF",
    "fnf": "FNF",
    "ppv": "PPV",
    "npv": "NPV",
    "f1": "F1",
    "mcc": "MCC",
    "kappa": "Kappa",
    "balanced_accuracy": "BalancedAccuracy",
    "youden": "Youden",
    "average_precision": "AveragePrecision",
    "brier": "Brier",
    "log_loss": "LogLoss",
}
ALIASES = {  # scikit-learn's scorer → the metric that is the same quantity; after neg_ of the opposite sign
    "roc_auc": "auc",
    "roc_auc_ovr": "auc",
    "matthews_corrcoef": "mcc",
    "precision": "ppv",
    "recall": "tpf",
    "neg_brier_score": "brier",
    "neg_log_loss": "log_loss",
}

_FILES = {
    "auc": ("AUC",),
    "average_precision": ("AveragePrecision",),
    "cost": ("FNF", "FPF", "TNF", "TPF", "Accuracy", "BalancedAccuracy", "Cost", "Error", "Rate", "Youden"),
    "metric": ("CaseLoss", "Metric", "SetMetric"),
    "probabilities": ("Brier", "LogLoss"),
    "scorer": ("Scorer",),
    "table": ("F1", "MCC", "NPV", "PPV", "Kappa", "TableMeasure"),
}

MetricLike: TypeAlias = "str | Metric | ScorerLike"
"""A name, a scikit-learn scorer name or scorer, a function f(y, score), or a Metric."""

__all__ = [
    "AUC",
    "F1",
    "FNF",
    "FPF",
    "MCC",
    "NPV",
    "PPV",
    "TNF",
    "TPF",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "Brier",
    "CaseLoss",
    "Cost",
    "Error",
    "Kappa",
    "LogLoss",
    "Metric",
    "Rate",
    "Scorer",
    "SetMetric",
    "TableMeasure",
    "Youden",
    "names",
    "resolve",
]

__getattr__ = lazily(__name__, {name: f"trueness.metrics.{file}" for file, names in _FILES.items() for name in names})


def __dir__() -> list[str]:
    return __all__


def names() -> list[str]:
    """Names of trueness's own metrics; scikit-learn's scorer names work too."""
    return list(CLASSES)


def resolve(metric: MetricLike) -> Metric:
    """The metric that is meant: a Metric as it is, or that of a name, a scorer's name, or a function f(y, score).

    A scorer that is one of trueness's metrics is that metric, under the name that was asked for; where scikit-learn turns
    the sign, under trueness's name.

    >>> resolve("roc_auc").name, type(resolve("roc_auc")).__name__
    ('roc_auc', 'AUC')
    >>> resolve("neg_brier_score").name
    'brier'
    """
    from trueness.metrics.metric import Metric

    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and metric in CLASSES:
        return _own(metric)
    if isinstance(metric, str) and metric in ALIASES:
        own = _own(ALIASES[metric])
        return own if metric.startswith("neg_") else replace(own, called=metric)
    from trueness.metrics.scorer import Scorer, scorer_names

    if isinstance(metric, str):
        if metric in scorer_names():
            return Scorer(metric)
        raise InputError(
            f"There is no metric {metric!r}",
            param="metric",
            fix=near(metric, [*CLASSES, *scorer_names()], 3)
            + f"trueness has {', '.join(CLASSES)}; scikit-learn's scorer names and functions f(y, score) also work",
        )
    if callable(metric) and not isinstance(metric, type):
        return Scorer(metric)
    raise InputError(
        "metric must be a name, a function f(y, score) or a trueness Metric", param="metric", got=repr(metric)
    )


def _own(name: str) -> Metric:
    metric: Metric = __getattr__(CLASSES[name])()
    return metric
