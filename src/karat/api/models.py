"""Models and metrics of a call: what they are called, which answers are needed, and how the models are fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from karat.errors import InputError, Setting
from karat.fitting import fit
from karat.metrics import Metric, MetricLike, resolve
from karat.sample import Design, Fits, Sample
from karat.sample.answers import has_log_odds
from karat.typing import Classifier, Workers


@dataclass(frozen=True, eq=False)
class Fitting:
    """How the models of a call are fitted; parameters of `karat.fit`."""

    n_jobs: Workers = None
    progress: bool | None = None
    engine: Literal["auto", "generic"] = "auto"
    store: str | Path | None = None
    fit_seconds: float | None = None

    def fits(
        self, model: Classifier, sample: Sample, design: Design, metrics: Iterable[Metric], earlier: Fits | None = None
    ) -> Fits:
        """The fits of one model, with the answers that the metrics need; those of `earlier` are not fitted again."""
        scores = scores_for(model, metrics)
        return fit(model, sample.X, sample, design, scores=scores, earlier=earlier, **vars(self))


def describe(model: object) -> str:
    """The model in one line; the steps of a pipeline with arrows between them."""
    if isinstance(model, str):
        return model
    if hasattr(model, "steps"):
        return " → ".join(describe(step) for _, step in model.steps)
    if hasattr(model, "transformers"):
        return f"({' | '.join(describe(step) for _, step, _ in model.transformers)})"
    return " ".join(repr(model).split())


def scores_for(model: object, metrics: Iterable[Metric]) -> Literal["auto", "predict_proba"]:
    """Probabilities where a metric may need them and the model has them."""
    wanted = any(m.needs in ("probabilities", "any") for m in metrics)
    return "predict_proba" if wanted and hasattr(model, "predict_proba") and not has_log_odds(model) else "auto"


def metrics_of(metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike], sample: Sample) -> list[Metric]:
    """The metrics, checked before any model is fitted: whether each is defined for these classes."""
    if isinstance(metrics, Mapping):
        metrics = [replace(resolve(metric), called=str(name)) for name, metric in metrics.items()]
    several = [metrics] if isinstance(metrics, (str, Metric)) or callable(metrics) else metrics
    chosen = [resolve(m) for m in several] if isinstance(several, Iterable) else [resolve(several)]
    if not chosen:
        raise InputError("metrics is empty", param="metrics", fix=("Use ", Setting("metrics", ("error", "auc"))))
    for metric in chosen:
        metric.bind(sample)
    names = [m.name for m in chosen]
    if len(set(names)) < len(names):
        raise InputError(
            "Two metrics have the same name",
            param="metrics",
            got=", ".join(names),
            fix="Give them names, e.g. metrics={'first': f, 'second': g}",
        )
    return chosen
