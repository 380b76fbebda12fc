"""What `two_sets` works on: models, samples, the metric, and the training sets to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from trueness.errors import InputError, Setting
from trueness.leaks.copies import shared_rows
from trueness.metrics import AUC, CaseLoss, MetricLike, resolve
from trueness.plans import Bootstrap, Plan
from trueness.plans.plan import strata_of
from trueness.result import Note
from trueness.sample import Sample
from trueness.sample.seeds import child
from trueness.typing import Array, Classifier, Features, Label, Labels, Rng

SMALLER = 2  # spawn key of the smaller training sets, after DRAW and FIT
LEAST_PER_CLASS = 2  # cases of a class in a smaller training set


class Options(TypedDict, total=False):
    """What `two_sets` takes beside model and data."""

    metric: MetricLike
    plan: Plan | None
    train_sizes: Sequence[float]
    level: float
    positive: Label | None
    rng: Rng
    n_jobs: int | None
    progress: bool | None
    fit_seconds: float | None


@dataclass(frozen=True)
class Draw:
    """Training sets of one size drawn from the training set: counts (B, n)."""

    n_train: int
    counts: Array
    seed: np.random.SeedSequence


def models_of(model: Classifier | Mapping[str, Classifier]) -> dict[str, Classifier]:
    if not isinstance(model, Mapping):
        return {"": model}
    if len(model) != 2:
        raise InputError(
            "A difference is of exactly 2 models",
            param="model",
            got=f"{len(model)}",
            fix='Pass one model, or {"a": one, "b": other}',
        )
    return dict(model)


def bootstrap_of(plan: Plan | None) -> Bootstrap:
    plan = Bootstrap(200) if plan is None else plan
    if not isinstance(plan, Bootstrap):
        raise InputError(
            "plan must draw training sets from the training set by the bootstrap",
            param="plan",
            got=repr(plan),
            fix=("Use e.g. ", Setting("plan", Bootstrap(200))),
        )
    return plan


def samples_of(
    X_train: Features, y_train: Labels, X_test: Features, y_test: Labels, positive: Label | None
) -> tuple[Sample, Sample]:
    """Both sets, with the classes of the training set; an error where their features differ."""
    training = _sample("train", y_train, X=X_train, positive=positive)
    test = _sample("test", y_test, X=X_test, positive=positive, classes=training.classes, least=1)
    names = [list(X.columns) if hasattr(X, "columns") else None for X in (X_train, X_test)]
    if None not in names and names[0] != names[1]:
        odd = sorted(set(map(str, names[0] or [])) ^ set(map(str, names[1] or [])))
        got = f"columns of one set only: {', '.join(odd[:5])}" if odd else "the same columns in another order"
        raise InputError("The two sets have different columns", param="X_test", got=got)
    widths = [X.shape[1] if len(getattr(X, "shape", ())) == 2 else None for X in (training.X, test.X)]
    if widths[0] != widths[1]:
        raise InputError("The two sets have different features", param="X_test", got=f"{widths[0]} and {widths[1]}")
    return training, test


def _sample(which: str, y: Labels, **options: Any) -> Sample:
    """The sample; errors name the parameter of this call."""
    try:
        return Sample.of(y, **options)
    except InputError as error:
        if error.param in ("X", "y"):
            error.param = f"{error.param}_{which}"
        raise error.of("training set" if which == "train" else "test set") from None


def overlap_note(training: Sample, test: Sample) -> Note | None:
    """A note where rows of the test set also are in the training set; a warning where they are no chance (L008)."""
    rows, copied = shared_rows(training, test.X)
    if not rows:
        return None
    message = (
        f"{rows} of {test.n} test cases have the same features as a training case. If they are the same cases, the two "
        "sets are not independent, and the model looks too good; remove them from one of the sets."
    )
    return Note("test-rows-in-training", message, "warning" if copied else "info", rows=rows)


def metric_of(metric: MetricLike, test: Sample, plan: Bootstrap) -> AUC | CaseLoss:
    """The metric; with the shares of the classes as priors where the plan says that class sizes are fixed."""
    chosen = resolve(metric)
    bound = chosen.bind(test)
    if isinstance(chosen, AUC) and test.n_classes == 2:
        return chosen
    if isinstance(chosen, CaseLoss) and isinstance(bound, CaseLoss):
        if plan.stratified != "fixed" or bound.class_weights is not None:
            return chosen
        order = [1 - test.require_positive(), test.require_positive()] if test.n_classes == 2 else slice(None)
        return replace(chosen, priors=(test.sizes / test.n)[order])
    raise InputError(
        "The variance over training and test sets is known for the AUC of two classes and for means of case losses",
        param="metric",
        got=f"{bound.name} of {test.n_classes} classes",
        fix=("Use ", Setting("metric", "error")),
    )


def draws_of(training: Sample, plan: Bootstrap, shares: Sequence[float], seed: np.random.SeedSequence) -> list[Draw]:
    """Bootstrap training sets of the size of the training set, and of the smaller sizes: m of n with replacement."""
    whole = plan.draw(training, rng=seed)
    counts = whole.rows(slice(None))
    draws = [Draw(training.n, counts, seed)]
    strata = strata_of(training.codes, whole.stratified)
    try:
        wanted = np.unique(np.asarray(shares, dtype=float)).tolist()
    except (TypeError, ValueError):
        raise InputError("train_sizes must be numbers", param="train_sizes", got=repr(shares)) from None
    for k, share in enumerate(wanted):
        if not 0 < share < 1:
            raise InputError("train_sizes are shares of the training set", param="train_sizes", got=share)
        sizes = [round(share * len(members)) for members in strata]
        if min(sizes) < LEAST_PER_CLASS:
            continue
        rng = np.random.default_rng(child(seed, SMALLER, k))
        fewer = np.zeros(counts.shape, dtype=np.int64)
        for members, size in zip(strata, sizes, strict=True):
            fewer[:, members] = rng.multinomial(size, np.full(len(members), 1 / len(members)), len(fewer))
        draws.append(Draw(sum(sizes), fewer, child(seed, SMALLER, k)))
    return draws
