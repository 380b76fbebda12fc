"""Metrics: what is measured, one file per metric; `resolve` finds one by name.

A new metric is one file here: a class with a `name`, registered by `@register`.
"""

from karat.metrics.auc import AUC
from karat.metrics.brier import Brier
from karat.metrics.cost import FNF, FPF, Cost, Error
from karat.metrics.metric import CaseLoss, Metric, SetMetric
from karat.metrics.registry import names, resolve
from karat.metrics.scorer import Scorer

__all__ = [
    "AUC",
    "FNF",
    "FPF",
    "Brier",
    "CaseLoss",
    "Cost",
    "Error",
    "Metric",
    "Scorer",
    "SetMetric",
    "names",
    "resolve",
]
