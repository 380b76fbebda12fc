"""The metrics by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.metrics.auc import AUC, AveragePrecision
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
from trueness.metrics.cost import FNF, FPF, TNF, TPF, Accuracy, BalancedAccuracy, BaseRate, Error, Youden
from trueness.metrics.measure import Measure, OfTable
from trueness.metrics.metric import Metric
from trueness.metrics.moments import R2, RMSE, Correlation, ExplainedVariance
from trueness.metrics.numbers import MAE, MAPE, MSE, MeanError, MedianAE, Pinball
from trueness.metrics.probabilities import Brier, LogLoss, NetBenefit
from trueness.metrics.scorer import MetricLike, Scorer, scorer_names
from trueness.metrics.table import F1, MCC, NPV, PPV, DLRNegative, DLRPositive, Kappa, OddsRatio
from trueness.result.words import OTHER_NAMES, bare
from trueness.sample.sample import Sample

METRICS: list[type[Metric]] = [
    AUC,
    AveragePrecision,
    CalibrationIntercept,
    CalibrationSlope,
    RecalibrationIntercept,
    ObservedExpected,
    ICI,
    E50,
    E90,
    DiscriminationSlope,
    DiscriminationIndex,
    UnreliabilityIndex,
    QualityIndex,
    NagelkerkeR2,
    GIndex,
    GpIndex,
    Error,
    Accuracy,
    FNF,
    FPF,
    TPF,
    TNF,
    BalancedAccuracy,
    Youden,
    BaseRate,
    RMSE,
    R2,
    ExplainedVariance,
    Correlation,
    MSE,
    MAE,
    MAPE,
    Pinball,
    MeanError,
    MedianAE,
    Brier,
    LogLoss,
    NetBenefit,
    PPV,
    NPV,
    DLRPositive,
    DLRNegative,
    OddsRatio,
    F1,
    MCC,
    Kappa,
]
_BY_NAME = {metric.name: metric for metric in METRICS}


def names() -> list[str]:
    """Names of trueness's own metrics; `aliases` has others, and scikit-learn's scorer names work too."""
    return list(_BY_NAME)


def aliases() -> dict[str, str]:
    """Other names of metrics, without capitals and spaces, and the name that each stands for.

    >>> aliases()["sensitivity"], aliases()["precision"], aliases()["roc_auc"]
    ('tpf', 'ppv', 'auc')
    """
    return {other: name for other, name in OTHER_NAMES.items() if name in _BY_NAME}


def canonical(name: object) -> str | None:
    """trueness's name of a metric under any of its names, in upper or lower case; None where it is unknown."""
    short = bare(name) if isinstance(name, str) else ""
    known = OTHER_NAMES.get(short, short.casefold())
    return known if known in _BY_NAME else None


def resolve(metric: MetricLike) -> Metric:
    """The metric that is meant: a Metric as it is, or that of a name, a scorer's name, or a function f(y, score).

    Another name of one of trueness's metrics, as "sensitivity" or "roc_auc", is that metric, under the name that was
    asked for; where scikit-learn turns the sign, under trueness's name.

    >>> resolve("roc_auc").name, type(resolve("roc_auc")).__name__
    ('roc_auc', 'AUC')
    >>> resolve("neg_brier_score").name
    'brier'
    """
    if isinstance(metric, Metric):
        return metric
    known = canonical(metric)
    if isinstance(metric, str) and known is not None:
        same = metric.casefold() == known or metric.startswith("neg_")
        return _BY_NAME[known](called=None if same else metric)
    if isinstance(metric, type) or not (callable(metric) or is_one_of(metric, scorer_names())):
        fix = f"Choose one of {', '.join(names())}, a name of a scikit-learn scorer or a function f(y, score)"
        raise InputError(f"There is no metric {metric!r}", param="metric", fix=fix)
    return Scorer(metric)


def measure_of(metric: MetricLike, classes: Sequence[object] = (0, 1), param: str = "metric") -> Measure:
    """The measure of a table of these classes, two in the order negative, positive.

    >>> float(measure_of("sensitivity").function(np.array([[61, 24], [5, 10]])))
    0.6666666666666666
    """
    found = resolve(metric)
    if not isinstance(found, OfTable):
        fix = f"Choose one of {', '.join(metric.name for metric in METRICS if issubclass(metric, OfTable))}"
        raise InputError(f"{found.name} is not a function of the table of truth and decision", param=param, fix=fix)
    n = len(classes)
    one_of_each = Sample(np.arange(n), np.asarray(classes), positive=1 if n == 2 else None)
    bound = found.bind(one_of_each)
    assert isinstance(bound, OfTable)
    return bound.measure
