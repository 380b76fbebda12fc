"""What a call works on: cases, models, metrics, and the design, which is given, or drawn by a plan or a splitter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, TypedDict, runtime_checkable

import numpy as np
import numpy.typing as npt

from trueness.checks import is_iterable, is_whole, seed_sequence
from trueness.errors import InputError
from trueness.fitting.engine import fit
from trueness.fitting.progress import Pace
from trueness.fitting.store import stored_seed
from trueness.metrics.metric import Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import LEAST_FITS, Bootstrap, CvBootstrap
from trueness.plans.plan import Plan
from trueness.plans.splits import KFold, Splits
from trueness.sample.asked import decides_by_log_odds, has_log_odds, task_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng, Workers


@runtime_checkable
class Splitter(Protocol):
    """A cross-validation splitter after scikit-learn's conventions."""

    def split(self, X: Features, y: object = ..., groups: object = ...) -> Iterable[tuple[object, object]]: ...


PlanLike = Plan | Design | Splitter | int | Literal["prefit"] | Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]
"""What `plan=` accepts."""

ACCEPTED = (
    "Use e.g. trueness.KFold(10, repeats=10), a number of folds, a scikit-learn splitter, pairs (train, test), or "
    '"prefit" for a fitted model'
)


def sample_of(
    models: Iterable[object],
    X: Features,
    y: Labels | None,
    plan: object,
    positive: Label | None,
    groups: Labels | None,
) -> Sample:
    """The cases, with labels or numbers as the models predict them; of a test set of fitted models, with the classes that
    these know."""
    for name, given in (("X", X), ("y", y)):
        if given is None:
            fix = "Pass both; predictions that you have become trueness.Fits, which need neither"
            raise InputError("Models need X and y to be fitted on", param=name, fix=fix)
        if hasattr(given, "fit") and hasattr(given, "predict"):
            fix = "Pass the model first, then the features, then the labels: assess(model, X, y)"
            raise InputError(f"{name} is a model", param=name, got=type(given).__name__, fix=fix)
    if isinstance(y, str):
        fix = f"Pass the column itself, e.g. X[{y!r}], and leave it out of X"
        raise InputError("y must have one label per case", param="y", got=repr(y), fix=fix)
    models = list(models)
    kind = task_of(models)
    prefit = isinstance(plan, str) and plan == "prefit"
    if not prefit or kind == "regression":
        return Sample.of(y, X=X, positive=positive, groups=groups, kind=kind, least=1 if prefit else 2)
    known = [getattr(model, "classes_", None) for model in models]
    if any(classes is None for classes in known):
        problem = "The model is not fitted, or is not a classifier: it has no classes_"
        fix = "Fit the model first, or leave plan= out, so that it is fitted on these cases"
        raise InputError(problem, param="plan", got='"prefit"', fix=fix)
    if len({(*np.asarray(classes).tolist(),) for classes in known}) > 1:
        fix = "Train all of them on the same labels, e.g. 0 and 1, or assess each with y as it was trained"
        got = [np.asarray(classes).tolist() for classes in known]
        raise InputError("The fitted models know different classes", param="models", got=got, fix=fix)
    return Sample.of(y, X=X, positive=positive, groups=groups, classes=np.asarray(known[0]), least=1)


def design_of(plan: PlanLike | None, sample: Sample, rng: Rng, store: str | Path | None = None) -> Design:
    """The design of these cases: as given, or drawn. An int is a number of folds, "prefit" a test set on which nothing
    is trained, None `CvBootstrap()`. Of a bootstrap without a number, the first block. Without `rng`, the seed is that
    of the `store` of an earlier run."""
    if isinstance(plan, Design):
        if rng is not None:
            raise InputError("A design has its own seed", param="rng", fix="Pass rng= to plan.draw instead")
        return plan
    if store is not None and rng is None:
        rng = stored_seed(store)
    if plan is None:
        plan = CvBootstrap()
    if isinstance(plan, Bootstrap) and plan.n_resamples is None:
        return plan.draw_first(sample, rng=rng)
    if isinstance(plan, Plan):
        return plan.draw(sample, rng=rng)
    if isinstance(plan, str):
        if plan == "prefit":
            return _test_set(sample, rng)
    elif is_whole(plan):
        if plan < 2:
            raise InputError("A number of folds must be at least 2", param="plan", got=int(plan))
        return KFold(int(plan)).draw(sample, rng=rng)
    elif (isinstance(plan, Splitter) or is_iterable(plan)) and not isinstance(plan, (bytes, dict)):
        return Splits(plan).draw(sample, rng=rng)
    raise InputError("plan must say how training sets are drawn", param="plan", got=repr(plan), fix=ACCEPTED)


def _test_set(sample: Sample, rng: Rng) -> Design:
    """One rule that was trained on none of these cases."""
    counts = np.zeros((1, sample.n), dtype=np.uint8)
    return Design("holdout", "prefit", replace(sample, X=None), False, stored=counts, seed=seed_sequence(rng))


def refuse_with_fits(**given: object) -> None:
    """An error for settings of fits that are given with Fits, which have been made already."""
    unused = [name for name, value in given.items() if value is not None]
    if unused:
        problem, fix = "Fits were made already, with their own design and positive class", f"Remove {', '.join(unused)}"
        raise InputError(problem, param=unused[0], fix=fix)


def fits_on_test_set(
    model: Classifier, X: Features, y: Labels, positive: Label | None = None, groups: Labels | None = None
) -> Fits:
    """What a fitted model answers on a test set."""
    sample = sample_of([model], X, y, "prefit", positive, groups)
    return fit(model, sample.X, sample, _test_set(sample, 0))


class RunningOptions(TypedDict, total=False):
    """How models are fitted: parameters of `assess`, `compare` and `two_sets`."""

    n_jobs: Workers
    progress: bool | None
    fit_seconds: float | None


class FittingOptions(RunningOptions, total=False):
    """The same, and how many fits are made: parameters of `assess` and `compare`."""

    engine: Literal["auto", "generic"]
    store: str | Path | None
    fits: int | None
    seconds: float | None
    ignore: str | Iterable[str]


@dataclass(frozen=True, eq=False)
class Running:
    """How models are fitted, with defaults."""

    n_jobs: Workers = None
    progress: bool | None = None
    fit_seconds: float | None = None


@dataclass(frozen=True, eq=False)
class Fitting(Running):
    """The same, and how many fits are made."""

    engine: Literal["auto", "generic"] = "auto"
    store: str | Path | None = None
    fits: int | None = None
    seconds: float | None = None
    ignore: str | Iterable[str] = ()

    def of_fits(self) -> dict[str, object]:
        """What has no meaning where the fits were made already."""
        engine = None if self.engine == "auto" else self.engine
        return {"store": self.store, "fits": self.fits, "seconds": self.seconds, "engine": engine}

    def pace(self, plan: object) -> Pace:
        """The time for the fits, and what would shorten the run."""
        fewer = f"fits={LEAST_FITS} makes the fewest, for a wider interval; " if plan is None else ""
        return Pace(self.seconds, f"{fewer}seconds=600 limits the time; n_jobs= uses more workers.")

    def fitted(
        self, model: Classifier, sample: Sample, design: Design, metrics: Iterable[Metric], earlier: Fits | None = None
    ) -> Fits:
        """The fits of one model, with the answers that the metrics need; those of `earlier` are not fitted again."""
        own = {name: getattr(self, name) for name in ("n_jobs", "progress", "engine", "store", "fit_seconds")}
        return fit(model, sample.X, sample, design, scores=scores_for(model, metrics), earlier=earlier, **own)


def scores_for(model: object, metrics: Iterable[Metric]) -> Literal["auto", "predict_proba"]:
    """Probabilities where a metric may need them and the model has them, or where it maps its decision function to them in
    another way than by log-odds; these tell the probabilities themselves."""
    mapped = hasattr(model, "decision_function") and not decides_by_log_odds(model)
    wanted = mapped or any(m.needs in ("probabilities", "any") for m in metrics)
    return "predict_proba" if wanted and hasattr(model, "predict_proba") and not has_log_odds(model) else "auto"


DEFAULT_METRICS = {"classification": ("error", "auc"), "regression": ("rmse", "mae", "r2")}
DEFAULT_METRIC = {"classification": "auc", "regression": "rmse"}  # of a comparison


def metrics_of(
    metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] | None, sample: Sample
) -> list[Metric]:
    """The metrics, checked before any model is fitted: whether each is defined for these classes. None are those that
    suit what is predicted."""
    if metrics is None:
        metrics = DEFAULT_METRICS[sample.kind]
    if isinstance(metrics, Mapping):
        metrics = [replace(resolve(metric), called=str(name)) for name, metric in metrics.items()]
    several = [metrics] if isinstance(metrics, (str, Metric)) or callable(metrics) else metrics
    chosen = [resolve(m) for m in several] if is_iterable(several) else [resolve(several)]
    if not chosen:
        raise InputError("metrics is empty", param="metrics", fix=f"Use {DEFAULT_METRICS[sample.kind]}")
    for metric in chosen:
        metric.bind(sample)
    names = [m.name for m in chosen]
    if len(set(names)) < len(names):
        fix = "Give them names, e.g. metrics={'first': f, 'second': g}"
        raise InputError("Two metrics have the same name", param="metrics", got=", ".join(names), fix=fix)
    return chosen
