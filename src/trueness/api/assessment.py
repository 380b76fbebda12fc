"""Every estimate that the fits of one model allow, which of them to report, why others were left out, and what an
assessment warns of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trueness.api.provenance import provenance_of
from trueness.checks import unwarned
from trueness.errors import UndefinedError
from trueness.estimators import available, estimate
from trueness.estimators.registry import Estimator, recommended
from trueness.metrics import AUC, Error, Metric, MetricLike, resolve
from trueness.result import Assessment, Estimate
from trueness.result.assessment import Key
from trueness.result.note import Note, warn_of
from trueness.sample import Design, Fits, Sample

MAX_PAIRS = 2e10  # pairs × replicates above which assess skips LPOB
MAX_REPLICATE_SCORES = 5e8  # cases × replicates above which the default plan leaves out what only its bootstrap answers

REPEATED = frozenset({"failed-fits", "few-groups", "constant-scores"})  # notes of any estimate that all are told
OF_STANDARD_ERRORS = frozenset({"no-se-one-pass", "variance-not-positive", "few-replicates"})  # unless others answer

ROUNDING_ERROR = 1e-12  # a difference this small is 0: sums in another order
UNBALANCED = 0.4  # share of the smallest class, times the number of classes, below which the error rate misleads
MAJORITY = Note("majority", "The error rate of always predicting the most frequent class.")


def recommended_estimates(fits: Fits, metrics: Iterable[Metric]) -> Iterator[Estimate | None]:
    """Of each metric by the recommended method; None where the replicates are too few for it to be defined."""
    for metric in metrics:
        bound = metric.bind(fits.sample)
        names = {e.name for e in available(fits.design.kind, bound) if _too_long(fits, bound, e) is None}
        method = next((m for m in recommended(fits.design.kind) if m in names), None)
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
    preferred = recommended(fits.design.kind)
    chosen = _chosen(preferred, estimates)
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
        preferred=preferred,
    )


def _chosen(preferred: Sequence[str], estimates: Mapping[Key, Estimate]) -> dict[str, str]:
    """The method to report, by metric."""
    metrics = dict.fromkeys(metric for metric, _ in estimates)
    found = {m: [k for k in preferred if (m, k) in estimates] for m in metrics}
    return {metric: methods[0] for metric, methods in found.items() if methods}


def _estimates(fits: Fits, metrics: Iterable[MetricLike]) -> tuple[dict[Key, Estimate], dict[Key, Note]]:
    """Every estimate that these fits allow, and why others were skipped."""
    estimates: dict[Key, Estimate] = {}
    skipped: dict[Key, Note] = {}
    for metric in (resolve(m) for m in metrics):
        bound = metric.bind(fits.sample)
        for estimator in available(fits.design.kind, bound):
            key = bound.name, estimator.name
            if fits.design.kind in estimator.method.not_within:
                continue
            if (too_long := _too_long(fits, bound, estimator)) is not None:
                skipped[key] = too_long
                continue
            try:
                estimates[key] = estimate(fits, metric, estimator.name)
            except UndefinedError as error:
                message = f"Skipped {'/'.join(key)}. {error.template()}"
                skipped[key] = Note("undefined", message, metric=bound.name, method=estimator.name)
        if isinstance(bound, Error) and bound.name == "error":
            estimates["error", "majority"] = _majority(fits)
    return estimates, skipped


def _too_long(fits: Fits, metric: Metric, estimator: Estimator) -> Note | None:
    """Where an estimate would take very long: sums over pairs, times replicates, over all classes against the rest; or
    many scores of a bootstrap that is beside the recommended estimate."""
    n = fits.sample.n
    skipped = f"Skipped {metric.name}/{estimator.name}"
    call = f'Call trueness.estimate(fits, "{metric.name}", "{estimator.name}") to compute it anyway.'
    if isinstance(metric, AUC) and estimator.sums_over_pairs:
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


def predictions_expected(metrics: Iterable[MetricLike]) -> Iterator[Note]:
    """A warning for each function that looks as if it expected predicted labels: it gets scores."""
    functions = [f for metric in metrics if callable(f := getattr(metric, "scorer", metric))]
    if not functions:
        return
    from trueness.metrics.scorer import asks_for_predictions

    for function in functions:
        if asks_for_predictions(function):
            name = getattr(function, "__name__", "function")
            message = (
                f"The second argument of {name} is named like predicted labels, but a function gets scores. For "
                f"predicted labels pass sklearn.metrics.make_scorer({name}); if it expects scores, rename the argument."
            )
            yield Note("function-gets-scores", message, "warning", metric=name)


def cautions(
    design: Design, first: Mapping[str, Estimate], estimates: Mapping[Key, Estimate], level: float
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
        f"The interval of {metric} is that of the cross-validation, about rules trained on its "
        "folds. Of any metric, {plan=CvHalves()} has one for the rule trained on all cases."
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


def _smaller_training_sets(e: Estimate, estimates: Mapping[Key, Estimate]) -> Note | None:
    """Where the bootstrap, whose training sets hold fewer distinct cases, estimates a noticeably different number."""
    other = estimates.get((e.metric, "lpob")) or estimates.get((e.metric, "loob"))
    if e.method != "cv+training" or e.se is None or other is None:
        return None
    gap = other.value - e.value
    if abs(gap) < max(e.se / 2, ROUNDING_ERROR):
        return None
    message = (
        f"{e.metric}: {other.method} is {'higher' if gap > 0 else 'lower'} by {abs(gap):.2g}. It is about bootstrap "
        "training sets with 63 % of the cases; where it is worse, the model still gains from more cases."
    )
    return Note("training-size", message, metric=e.metric, method=other.method, difference=gap)


def _unbalanced(sample: Sample) -> Note | None:
    share = float(sample.sizes.min() / sample.n)
    if share * sample.n_classes >= UNBALANCED:
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
