"""Metrics: what is measured, one file per metric; `resolve` finds one by name.

A new metric is one file here: a class with a `name`, registered by `@register`, imported below and named in
cli/names.py.
"""

from karat.metrics.auc import AUC
from karat.metrics.average_precision import AveragePrecision
from karat.metrics.brier import Brier
from karat.metrics.cost import FNF, FPF, TNF, TPF, Accuracy, BalancedAccuracy, Cost, Error, Rate, Youden
from karat.metrics.log_loss import LogLoss
from karat.metrics.metric import CaseLoss, Metric, SetMetric
from karat.metrics.registry import names, resolve
from karat.metrics.scorer import Scorer
from karat.metrics.table import F1, MCC, NPV, PPV, Kappa, TableMeasure

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
