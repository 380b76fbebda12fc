"""What an assessment warns of: rules that need no model and are as good, unbalanced classes, and how decisions are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import numpy as np

from trueness.metrics.cost import Cost, Error
from trueness.metrics.metric import Metric
from trueness.metrics.scorer import asks_for_predictions
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.sample.sample import Sample

UNBALANCED = 0.4  # share of the smallest class, times the number of classes, below which the error rate misleads
UNKNOWN_SE = 0.1  # of an AUC without a standard error
SHARES = {"error", "accuracy"}  # of correct decisions, which a large class decides
OF_METRIC = {
    "error": "majority",
    "rmse": "mean",
    "mse": "mean",
    "brier": "shares",
    "log_loss": "shares",
}  # else constant
WITHOUT_MODEL = ("majority", "constant", "shares", "mean")  # methods of what needs no model


def trivial(sample: Sample, metric: Metric) -> Iterator[Estimate]:
    """What the metric is without a model: always the most frequent class, the cheapest decision, the shares of the classes,
    or the mean of all other targets."""
    truth, of = sample.numbers, partial(Estimate, metric=metric.name, bounds=metric.bounds)
    if isinstance(metric, Error) and metric.name == "error":
        most = sample.classes[sample.sizes.argmax()]
        yield of(sample.majority_error, method="majority", estimand=f"always predicting {most}")
    if type(metric) is Cost:
        code, value = metric.cheapest(sample)
        yield of(value, method="constant", estimand=f"always predicting {sample.classes[code]}")
    if hasattr(metric, "of_class_shares"):  # a loss of probabilities, or the average precision
        value = metric.of_class_shares(sample)
        yield of(value, method="shares", estimand="always predicting the shares of the classes")
    told = metric.higher_is_better is not None and metric.bounds != (-1.0, 1.0)  # not a mean error or a correlation
    if truth is not None and len(truth) > 1 and told:
        others = (truth.sum() - truth) / (len(truth) - 1)
        none = np.zeros((1, len(truth)), np.uint8)
        block = Block(sample.codes, none, others[None], None, np.array([-1]), truth)
        yield of(float(metric.rows(block, block.ones)[0]), method="mean", estimand="always predicting the mean")


def cautions(
    fits: Fits,
    metrics: Iterable[Metric],
    estimates: Mapping[tuple[str, str], Estimate],
    chosen: Mapping[str, str],
    level: float,
) -> Iterator[Note]:
    """Functions that look as if they expected predicted labels, while they get scores; a declared threshold; and of the
    recommended estimates unbalanced classes, metrics that the default plan has no interval for, and rules without a model
    that are as good."""
    sample, first = fits.sample, fits.first
    for metric in metrics:
        function = getattr(metric, "scorer", None)
        if callable(function) and asks_for_predictions(function):
            yield Note("function-gets-scores", metric=getattr(function, "__name__", "function"))
    if first.threshold is not None and first.held_predictions is None:
        label = sample.classes.tolist()[fits.require_positive()]
        yield Note("declared-threshold", label=label, decisions=first.decisions, threshold=first.threshold)
    if (
        sample.numbers is None
        and set(chosen) <= SHARES
        and sample.sizes.min() * sample.n_classes < UNBALANCED * sample.n
    ):
        share, label = float(sample.sizes.min() / sample.n), sample.classes[sample.sizes.argmin()].item()
        yield Note("unbalanced-classes", share=share, label=label)
    auc = estimates.get(("auc", chosen.get("auc", "")))
    for name, method in chosen.items():
        e, other = estimates[name, method], estimates.get((name, OF_METRIC.get(name, "constant")))
        if fits.design.kind == "cv+bootstrap" and method == "cv" and e.se is not None:
            yield Note("interval-of-folds", metric=name)
        if other is not None:
            yield from no_better(e, other, level, auc)


def no_better(e: Estimate, other: Estimate, level: float, auc: Estimate | None = None) -> Iterator[Note]:
    """Where the interval does not show that a model is better than a rule without one."""
    if not e.se or (high := e.ci(level).high) < other.value:
        return
    if other.method == "majority" and auc is not None and auc.value - (auc.se or UNKNOWN_SE) > 0.5:
        return  # another threshold may serve better
    codes = {"majority": "worse-than-chance", "mean": "no-better-than-mean"}
    code = codes.get(other.method, "no-cheaper-than-constant")
    if other.method == "majority" and auc is not None and auc.value > 0.5:
        code = "no-better-than-majority"
    if other.method not in codes and e.value >= other.value:
        code = "dearer-than-constant"
    yield Note(code, metric=e.metric, value=e.value, high=high, constant=other.value)
