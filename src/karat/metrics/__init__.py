"""Metrics: what is measured; `resolve` finds one by its name.

A new metric is a class in a file here, imported below, with its file in the table and its name in `CLASSES`.
"""

from typing import TYPE_CHECKING

from karat import lazily

if TYPE_CHECKING:
    from karat.metrics.auc import AUC
    from karat.metrics.average_precision import AveragePrecision
    from karat.metrics.cost import FNF, FPF, TNF, TPF, Accuracy, BalancedAccuracy, Cost, Error, Rate, Youden
    from karat.metrics.metric import CaseLoss, Metric, SetMetric
    from karat.metrics.probabilities import Brier, LogLoss
    from karat.metrics.registry import names, resolve
    from karat.metrics.scorer import Scorer
    from karat.metrics.table import F1, MCC, NPV, PPV, Kappa, TableMeasure

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

_FILES = {
    "auc": ("AUC",),
    "average_precision": ("AveragePrecision",),
    "cost": ("FNF", "FPF", "TNF", "TPF", "Accuracy", "BalancedAccuracy", "Cost", "Error", "Rate", "Youden"),
    "metric": ("CaseLoss", "Metric", "SetMetric"),
    "probabilities": ("Brier", "LogLoss"),
    "registry": ("names", "resolve"),
    "scorer": ("Scorer",),
    "table": ("F1", "MCC", "NPV", "PPV", "Kappa", "TableMeasure"),
}

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

__getattr__ = lazily(__name__, {name: f"karat.metrics.{file}" for file, names in _FILES.items() for name in names})


def __dir__() -> list[str]:
    return __all__
