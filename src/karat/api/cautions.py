"""What an assessment warns of: its classes, its training sets, its metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from karat.metrics import MetricLike
from karat.result import Estimate
from karat.result.note import Note
from karat.sample import Design, Sample

UNBALANCED = 0.2  # share of the smallest class below which the error rate alone misleads


def predictions_expected(metrics: Iterable[MetricLike]) -> Iterator[Note]:
    """A warning for each function that looks as if it expected predicted labels: it gets scores."""
    functions = [f for metric in metrics if callable(f := getattr(metric, "scorer", metric))]
    if not functions:
        return
    from karat.metrics.scorer import asks_for_predictions

    for function in functions:
        if asks_for_predictions(function):
            name = getattr(function, "__name__", "function")
            message = (
                f"The second argument of {name} is named like predicted labels, but a function gets scores. For "
                f"predicted labels pass sklearn.metrics.make_scorer({name}); if it expects scores, rename the argument."
            )
            yield Note("function-gets-scores", message, "warning", metric=name)


def cautions(
    design: Design, first: Mapping[str, Estimate], estimates: Mapping[tuple[str, str], Estimate], level: float
) -> list[Note]:
    """Warnings: unbalanced classes, class sizes taken as fixed, an error rate no better than the majority's, metrics
    that the default plan has no interval for.

    `first` are the recommended estimates.
    """
    sample = design.sample
    notes: list[Note | None] = [_unbalanced(sample), _depends_on_training(first)]
    if design.kind == "cv+bootstrap":
        notes += [_of_folds(metric) for metric, e in first.items() if e.method == "cv" and e.se is not None]
    for metric, e in first.items():
        notes += [e.noted("fixed-class-sizes"), _smaller_training_sets(e, estimates)]
        if metric == "error" and e.se is not None:
            notes.append(_no_better_than_majority(e, sample, level))
    return [note for note in notes if note is not None]


def _of_folds(metric: str) -> Note:
    message = (
        f"The interval of {metric} is that of the cross-validation, about rules trained on its folds. Of any metric, "
        "plan=karat.CvHalves() has one for the rule trained on all cases."
    )
    return Note("interval-of-folds", message, metric=metric)


def _depends_on_training(first: Mapping[str, Estimate]) -> Note | None:
    """Where the training cases are most of the variance, of all metrics or of some: rates of one class move with the
    threshold that a rule learns."""
    found = {metric: note for metric, e in first.items() if (note := e.noted("training-variance")) is not None}
    if not found:
        return None
    note = next(iter(found.values()))
    return note if len(found) == len(first) else note.about(*found)


def _smaller_training_sets(e: Estimate, estimates: Mapping[tuple[str, str], Estimate]) -> Note | None:
    """Where the bootstrap, whose training sets hold fewer distinct cases, estimates a noticeably different number."""
    other = estimates.get((e.metric, "lpob")) or estimates.get((e.metric, "loob"))
    if e.method != "cv+training" or e.se is None or other is None or abs(other.value - e.value) < e.se / 2:
        return None
    gap = other.value - e.value
    message = (
        f"{e.metric}: {other.method} is {'higher' if gap > 0 else 'lower'} by {abs(gap):.2g}. It is about bootstrap "
        "training sets with 63 % of the cases; this model still gains from more cases."
    )
    return Note("training-size", message, metric=e.metric, method=other.method, difference=gap)


def _unbalanced(sample: Sample) -> Note | None:
    share = float(sample.sizes.min() / sample.n)
    if share >= UNBALANCED:
        return None
    label = sample.classes[sample.sizes.argmin()].item()
    message = (
        f"The classes are unbalanced: {share:.1%} of the cases are {label}. A small error rate means little; "
        "see auc, fnf and fpf."
    )
    return Note("unbalanced-classes", message, "warning", share=share, label=label)


def _no_better_than_majority(e: Estimate, sample: Sample, level: float) -> Note | None:
    high, majority = e.ci(level).high, sample.majority_error
    if high < majority:
        return None
    message = (
        "The model is not clearly better than always predicting the most frequent class: error "
        f"{e.value:.3f} (up to {high:.3f}) against {majority:.3f}."
    )
    return Note("no-better-than-majority", message, "warning", error=e.value, high=high, majority=majority)
