"""Every estimate that the fits of one model allow, which of them to report, and why others were left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from karat.api.cautions import cautions, predictions_expected
from karat.api.provenance import provenance_of
from karat.errors import UndefinedError, unwarned
from karat.estimators import available, estimate
from karat.estimators.registry import RECOMMENDED, Estimator
from karat.metrics import AUC, Error, Metric, MetricLike, resolve
from karat.result import Assessment, Estimate
from karat.result.assessment import Key
from karat.result.note import Note, warn_of
from karat.sample import Fits
from karat.sample.design import Kind

MAX_PAIRS = 2e10  # pairs × replicates above which assess skips LPOB
MAX_REPLICATE_SCORES = 5e8  # cases × replicates above which the default plan leaves out what only its bootstrap answers
TOO_FEW_SPLITS: dict[Kind, tuple[str, ...]] = {  # ten repeats hardly test any pair, 15 splits not every case
    "cv+bootstrap": ("cv_pairs",),
    "cv+halves": ("cv_pairs",),
    "paired": ("cv_pairs", "cv_pooled"),
}

REPEATED = frozenset({"failed-fits", "few-groups", "constant-scores"})  # notes of any estimate that all are told
OF_STANDARD_ERRORS = frozenset({"no-se-one-pass", "variance-not-positive", "few-replicates"})  # unless others answer

MAJORITY = Note("majority", "The error rate of always predicting the most frequent class.")


def recommended_estimates(fits: Fits, metrics: Iterable[Metric]) -> Iterator[Estimate | None]:
    """Of each metric by the recommended method; None where the replicates are too few for it to be defined."""
    for metric in metrics:
        bound = metric.bind(fits.sample)
        names = {e.name for e in available(fits.design.kind, bound) if _too_long(fits, bound, e) is None}
        method = next((m for m in RECOMMENDED[fits.design.kind] if m in names), None)
        if method is None:
            continue
        try:
            yield estimate(fits, metric, method)
        except UndefinedError:
            yield None


def assessment_of(
    fits: Fits,
    metrics: Iterable[MetricLike],
    level: float,
    model: str,
    found: Iterable[Note] = (),
) -> Assessment:
    """Every estimate that these fits of one model allow; `skipped` says why others were left out. The notes begin with
    what was `found` in the data."""
    metrics = tuple(metrics)
    found = (*found, *predictions_expected(metrics))
    with unwarned():  # they are in the notes of the estimates, and issued below
        estimates, skipped = _estimates(fits, metrics)
    chosen = recommended(fits, estimates)
    first = {metric: estimates[metric, method] for metric, method in chosen.items()}
    answered = {metric for metric, e in first.items() if e.has_interval}
    repeated = (
        n
        for (metric, method), e in estimates.items()
        for n in e.notes
        if n.code in REPEATED or (n.code in OF_STANDARD_ERRORS and (metric not in answered or chosen[metric] == method))
    )
    warned = cautions(fits.design, first, estimates, level)
    notes = dict.fromkeys((*found, *fits.design.notes, *fits.notes, *repeated, *warned))
    warn_of(*notes)
    return Assessment(
        estimates=estimates,
        model=model,
        level=level,
        notes=tuple(notes),
        provenance=provenance_of(fits),
        fits=fits,
        skipped=skipped,
        recommended=chosen,
        preferred=RECOMMENDED[fits.design.kind],
    )


def recommended(fits: Fits, estimates: Mapping[Key, Estimate]) -> dict[str, str]:
    """The method to report, by metric."""
    metrics = dict.fromkeys(metric for metric, _ in estimates)
    found = {m: [k for k in RECOMMENDED[fits.design.kind] if (m, k) in estimates] for m in metrics}
    return {metric: methods[0] for metric, methods in found.items() if methods}


def _estimates(fits: Fits, metrics: Iterable[MetricLike]) -> tuple[dict[Key, Estimate], dict[Key, Note]]:
    """Every estimate that these fits allow, and why others were skipped."""
    estimates: dict[Key, Estimate] = {}
    skipped: dict[Key, Note] = {}
    for metric in (resolve(m) for m in metrics):
        bound = metric.bind(fits.sample)
        for estimator in available(fits.design.kind, bound):
            key = bound.name, estimator.name
            if estimator.name in TOO_FEW_SPLITS.get(fits.design.kind, ()):
                continue
            if (too_long := _too_long(fits, bound, estimator)) is not None:
                skipped[key] = too_long
                continue
            try:
                estimates[key] = estimate(fits, metric, estimator.name)
            except UndefinedError as error:
                message = (f"Skipped {'/'.join(key)}. ", *error.text())
                skipped[key] = Note("undefined", message, metric=bound.name, method=estimator.name)
        if isinstance(bound, Error) and bound.name == "error":
            estimates["error", "majority"] = _majority(fits)
    return estimates, skipped


def _too_long(fits: Fits, metric: Metric, estimator: Estimator) -> Note | None:
    """Where an estimate would take very long: sums over pairs, times replicates, over all classes against the rest; or
    many scores of a bootstrap that is beside the recommended estimate."""
    n = fits.sample.n
    skipped = f"Skipped {metric.name}/{estimator.name}"
    call = f'Call karat.estimate(fits, "{metric.name}", "{estimator.name}") to compute it anyway.'
    if isinstance(metric, AUC) and estimator.name in ("lpob", "cv+training"):
        sizes = [int(fits.sample.sizes[target]) for target in metric.targets]
        pairs = float(fits.n_fits) * float(sum(size * (n - size) for size in sizes))
        if pairs > MAX_PAIRS:
            return Note("too-many-pairs", f"{skipped} ({pairs:.1e} pairs). {call}", pairs=pairs, limit=MAX_PAIRS)
    if fits.design.kind == "cv+bootstrap" and estimator.kinds == {"bootstrap"}:
        scores, most = float(fits.parts[1].n_fits) * n, MAX_REPLICATE_SCORES
        if scores > most:
            return Note("too-many-scores", f"{skipped} ({scores:.1e} scores). {call}", scores=scores, limit=most)
    return None


def _majority(fits: Fits) -> Estimate:
    label = fits.sample.classes[fits.sample.sizes.argmax()]
    return Estimate(
        fits.sample.majority_error,
        metric="error",
        method="majority",
        estimand=f"always predicting {label}",
        bounds=(0.0, 1.0),
    ).noting(MAJORITY)
