"""Metrics: what is measured. One registry for `assess`, `compare`, `estimate`, `diagnose`, `roc(...).best` and the
command line.

A new metric is a class in a file of this folder, with everything that is known of it: `name`, `title`, `aliases`,
`words`, direction, range, interval and value. `METRICS` in registry.py lists it.
"""

from trueness.metrics.auc import AUC, AveragePrecision, PartialAUC
from trueness.metrics.calibration import (
    E50,
    E90,
    ICI,
    CalibrationIntercept,
    CalibrationSlope,
    DiscriminationIndex,
    DiscriminationSlope,
    GIndex,
    GpIndex,
    NagelkerkeR2,
    ObservedExpected,
    QualityIndex,
    RecalibrationIntercept,
    UnreliabilityIndex,
)
from trueness.metrics.cost import FNF, FPF, TNF, TPF, Accuracy, BalancedAccuracy, BaseRate, Cost, Error, Youden
from trueness.metrics.metric import CaseLoss, Metric, SetMetric
from trueness.metrics.moments import R2, RMSE, Correlation, ExplainedVariance
from trueness.metrics.numbers import MAE, MAPE, MSE, MeanError, MedianAE, Pinball
from trueness.metrics.probabilities import Brier, LogLoss, NetBenefit
from trueness.metrics.registry import aliases, names, resolve
from trueness.metrics.scorer import MetricLike, Scorer
from trueness.metrics.table import (
    F1,
    MCC,
    NPV,
    PPV,
    DLRNegative,
    DLRPositive,
    FBeta,
    Kappa,
    OddsRatio,
)

__all__ = [
    "AUC",
    "E50",
    "E90",
    "F1",
    "FNF",
    "FPF",
    "ICI",
    "MAE",
    "MAPE",
    "MCC",
    "MSE",
    "NPV",
    "PPV",
    "R2",
    "RMSE",
    "TNF",
    "TPF",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "BaseRate",
    "Brier",
    "CalibrationIntercept",
    "CalibrationSlope",
    "CaseLoss",
    "Correlation",
    "Cost",
    "DLRNegative",
    "DLRPositive",
    "DiscriminationIndex",
    "DiscriminationSlope",
    "Error",
    "ExplainedVariance",
    "FBeta",
    "GIndex",
    "GpIndex",
    "Kappa",
    "LogLoss",
    "MeanError",
    "MedianAE",
    "Metric",
    "MetricLike",
    "NagelkerkeR2",
    "NetBenefit",
    "ObservedExpected",
    "OddsRatio",
    "PartialAUC",
    "Pinball",
    "QualityIndex",
    "RecalibrationIntercept",
    "Scorer",
    "SetMetric",
    "UnreliabilityIndex",
    "Youden",
    "aliases",
    "names",
    "resolve",
]
