"""assess: one model on one data set, by every estimator that its plan allows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from karat.api.cautions import cautions, predictions_expected
from karat.api.design import PlanLike, design_of, refuse_with_fits, require_cases, sample_of
from karat.api.provenance import checked, made, provenance_of
from karat.api.replicates import FitsOf, enough_replicates
from karat.checks import check_level, check_whole
from karat.errors import InputError, Interrupted, KaratWarning, Setting, UndefinedError
from karat.estimators import available, estimate
from karat.estimators.influence.draws import check_tested
from karat.estimators.registry import RECOMMENDED
from karat.fitting import fit
from karat.fitting.progress import Progress, name_of
from karat.hygiene.check import findings_of
from karat.hygiene.findings import Findings
from karat.metrics import AUC, Error, Metric, MetricLike, resolve
from karat.plans import Plan
from karat.result import Assessment, Estimate
from karat.result.note import Note, warn
from karat.sample import Design, Fits, Sample
from karat.sample.answers import has_log_odds
from karat.sample.design import Kind
from karat.sample.spellings import refuses_foreign
from karat.typing import Classifier, Features, Label, Labels, Rng, Workers

Key = tuple[str, str]

MAX_PAIRS = 2e10  # pairs × replicates above which assess skips LPOB
MAX_REPLICATE_SCORES = 5e8  # cases × replicates above which the default plan leaves out what only its bootstrap answers
TOO_FEW_SPLITS: dict[Kind, tuple[str, ...]] = {  # ten repeats hardly test any pair, 15 splits not every case
    "cv+bootstrap": ("cv_pairs",),
    "cv+halves": ("cv_pairs",),
    "paired": ("cv_pairs", "cv_pooled"),
}

# Notes about one estimate that the assessment repeats, because they concern all of it.
DEFAULT_METRICS = ("error", "auc")
NO_PREDICTIONS = Note(
    "no-predictions",
    "These Fits have scores only, so that there is no error rate. Predictions, or a threshold, can be given where they "
    "are made.",
)
REPEATED = frozenset({"failed-fits", "few-groups", "constant-scores"})  # notes of any estimate that all are told
OF_STANDARD_ERRORS = frozenset({"no-se-one-pass", "variance-not-positive", "few-replicates"})  # unless others answer

MAJORITY = Note("majority", "The error rate of always predicting the most frequent class.")


@refuses_foreign
def assess(
    model: Classifier | Fits,
    X: Features = None,
    y: Labels | None = None,
    plan: PlanLike | None = None,
    metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] = DEFAULT_METRICS,
    level: float = 0.95,
    positive: Label | None = None,
    groups: Labels | None = None,
    rng: Rng = None,
    n_jobs: Workers = None,
    progress: bool | None = None,
    engine: Literal["auto", "generic"] = "auto",
    store: str | Path | None = None,
    checks: bool = True,
    fit_seconds: float | None = None,
) -> Assessment:
    """Assess a classifier: how good it is, and how sure we can be.

    Parameters
    ----------
    model : estimator or Fits
        A scikit-learn classifier or Pipeline. Put imputation, scaling and selection inside it, so that they are fitted
        on every training set. Or Fits, e.g. of `Fits.from_cv_results` or `Fits.from_frame`, without X and y: nothing is
        fitted.
    X : array-like, DataFrame or sparse matrix of shape (n, p), or n texts
        Features.
    y : array-like of shape (n,)
        Labels.
    plan : Plan, Design, splitter, int, iterable of (train, test) or "prefit", optional
        How training sets are drawn. By default `CvBootstrap()`, about 200 fits: its recommended estimate is about the
        rule trained on all cases. Others: `KFold(10, repeats=10)`, `Bootstrap()` (as many replicates as are needed) or
        `Bootstrap(1000)`, `LeaveOneOut()`, `MonteCarlo(100)`, `Holdout(.3)`, `NestedKFold(10)`, or a Design. Also a
        number of folds, any scikit-learn splitter (a `random_state` of None is filled from `rng`), or pairs of index
        arrays (train, test). "prefit": the model is fitted, and X, y are a test set; nothing is fitted.
    metrics : sequence of str, callable or Metric, or mapping, default ("error", "auc")
        Names, scikit-learn scorer names, functions f(y, score) of the labels in y and the scores of the positive class,
        or `karat.metrics` objects; a mapping gives them names. Scorers that are metrics of karat ("roc_auc") have its
        standard errors.
    level : float, default 0.95
        Level of the intervals in the table.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1 or booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site). A group is never on both sides of a split.
    rng : int, SeedSequence, Generator or None, default None
        The same seed gives the same numbers, for any `n_jobs`.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it).
    progress : bool or None, default None
        Whether to show how far the run is and, where it takes more than half a minute, how long it will take; None
        shows it on a terminal and in a notebook.
    engine : {"auto", "generic"}, default "auto"
        As in `karat.fit`.
    store : path, optional
        File that keeps the fits as they are done. The same call goes on where another one was killed, to the same bits;
        one with more replicates fits only the new ones. Without `rng` it has the seed of the file. A file of other data
        or another plan is refused.
    checks : bool, default True
        Whether to look for leaks in the data first (`karat.check` in its fast mode); findings are among the notes.
    fit_seconds : float, optional
        Longest time of one fit in seconds; one that takes longer counts as failed. As in `karat.fit`.

    Returns
    -------
    Assessment

    Notes
    -----
    Ctrl-C at a prompt or in a notebook gives the assessment of the replicates or repeats that are finished, with a note
    (`interrupted`) and without those that were not; `a.continue_()` goes on. In a program it ends the call as usual.

    Examples
    --------
    >>> import karat
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> a = karat.assess(GaussianNB(), X, y, metrics=["error"], rng=1)
    >>> print(a["error"])
    error cv+training: ...

    A scikit-learn splitter, and a fitted model with its test set:

    >>> from sklearn.model_selection import StratifiedKFold
    >>> print(karat.assess(GaussianNB(), X, y, plan=StratifiedKFold(5), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    >>> fitted = GaussianNB().fit(X[::2], y[::2])
    >>> print(karat.assess(fitted, X[1::2], y[1::2], plan="prefit", metrics="error")["error"])
    error holdout: 0.067 ± 0.027

    The result of `cross_validate`, without fitting again:

    >>> from sklearn.model_selection import cross_validate
    >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
    >>> print(karat.assess(karat.Fits.from_cv_results(results, X, y), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    """
    begun = datetime.now(UTC)
    check_level(level)
    if isinstance(model, Fits):
        refuse_with_fits(X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, store=store)
        check_tested(model.design)
        unsaid = metrics == DEFAULT_METRICS and model.held_predictions is None and model.threshold is None
        asked = metrics_of("auc" if unsaid else metrics, model.sample)
        notes = (NO_PREDICTIONS,) if unsaid else ()
        return assessment_of(model, asked, level, f"Fits ({model.engine})", notes)
    sample = sample_of([model], X, require_cases(X, y), plan, positive, groups)
    chosen = metrics_of(metrics, sample)
    design = design_of(plan, sample, rng, store)
    check_tested(design)
    found = findings_of(sample) if checks else None
    run = Run(model, sample, chosen, level, n_jobs, progress, engine, store, found, fit_seconds)
    return run.assessed(design, begun=begun)


@dataclass(frozen=True, eq=False)
class Run:
    """A model, the cases with their features, and the options of a call: what it takes to go on with more fits."""

    model: Classifier
    sample: Sample
    metrics: list[Metric]
    level: float
    n_jobs: Workers
    progress: bool | None
    engine: Literal["auto", "generic"]
    store: str | Path | None
    found: Findings | None
    fit_seconds: float | None = None
    planned: Design | None = None

    def assessed(self, design: Design, earlier: Fits | None = None, begun: datetime | None = None) -> Assessment:
        """Fit and estimate; after Ctrl-C, the result of the fits that are finished, which `rest` completes."""
        begun = begun or datetime.now(UTC)
        planned = None
        try:
            fits = self.fits(design, earlier)
        except Interrupted as stop:
            from karat.api.interrupted import kept

            fits, planned = kept(stop, self.store is not None), design
        with Progress(None, self.progress, f"{name_of(self.model)}: computing standard errors"):
            a = assessment_of(fits, self.metrics, self.level, describe(self.model), self.found or ())
        provenance = {**a.provenance, **made(begun, self.sample), **checked(self.found)}
        return replace(a, provenance=provenance, run=replace(self, planned=planned))

    def fits(self, design: Design, earlier: Fits | None = None) -> Fits:
        """The fits on a design, or on as many replicates as are needed; those of `earlier` are not fitted again."""

        def fit_all(design: Design, known: FitsOf) -> FitsOf:
            return {"": self._fits(design, known.get("", earlier))}

        return enough_replicates(design, fit_all, lambda fits: _recommended_estimates(fits[""], self.metrics))[""]

    def longer(self, fits: Fits, n: int | None) -> Assessment:
        """With n more replicates or repeats; without n, the rest of an interrupted run, or as many again."""
        if n is None and self.planned is not None:
            design = self.planned
            if design.kind != fits.design.kind:  # whole repeats of a cross-validation that was not finished
                return self.assessed(design)
            if design.n_fits < fits.n_fits:  # the first block of a bootstrap without a number
                design = replace(fits.design, plan=design.plan)
            return self.assessed(design, fits)
        plan = fits.design.plan
        if not isinstance(plan, Plan):
            raise InputError("Only the design of a plan can be continued", param="plan", got=str(plan))
        n = getattr(plan, "repeats", fits.n_fits) if n is None else n
        check_whole("n", n, 1)
        return self.assessed(plan.longer(int(n), fits.design).draw(fits.sample, rng=fits.design.seed), fits)

    def _fits(self, design: Design, earlier: Fits | None) -> Fits:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KaratWarning)  # they are in fits.notes, and issued later
            return fit(
                self.model,
                self.sample.X,
                self.sample,
                design,
                n_jobs=self.n_jobs,
                scores=scores_for(self.model, self.metrics),
                engine=self.engine,
                progress=self.progress,
                earlier=earlier,
                store=self.store,
                fit_seconds=self.fit_seconds,
            )


def _recommended_estimates(fits: Fits, metrics: Iterable[Metric]) -> Iterator[Estimate | None]:
    """Of each metric by the recommended method; None where the replicates are too few for it to be defined."""
    for metric in metrics:
        bound = metric.bind(fits.sample)
        names = {e.name for e in available(fits.design.kind, bound)}
        if isinstance(bound, AUC) and _too_many_pairs(fits, bound.name, "lpob") is not None:
            names.discard("lpob")
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KaratWarning)  # they are in the notes of the estimates, and issued below
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
    for note in notes:
        if note.severity == "warning":
            warn(note)
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
            pairs = isinstance(bound, AUC) and estimator.name in ("lpob", "cv+training")
            too_long = _too_many_pairs(fits, bound.name, estimator.name) if pairs else None
            if too_long is None and fits.design.kind == "cv+bootstrap" and estimator.kinds == {"bootstrap"}:
                too_long = _too_many_scores(fits, bound.name, estimator.name)
            if too_long is not None:
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


def _too_many_pairs(fits: Fits, metric: str, method: str) -> Note | None:
    """Where sums over pairs would take very long: pairs times replicates, over all classes against the rest."""
    sizes, n = fits.sample.sizes, fits.sample.n
    targets = AUC().bind(fits.sample).targets
    pairs = float(fits.n_fits) * float(sum(int(sizes[t]) * (n - int(sizes[t])) for t in targets))
    if pairs <= MAX_PAIRS:
        return None
    call = f'karat.estimate(fits, "{metric}", "{method}")'
    message = f"Skipped {metric}/{method} ({pairs:.1e} pairs). Call {call} to compute it anyway."
    return Note("too-many-pairs", message, pairs=pairs, limit=MAX_PAIRS)


def _too_many_scores(fits: Fits, metric: str, method: str) -> Note | None:
    """Where estimators of the bootstrap, which are beside the recommended one, would read very many scores."""
    scores = float(fits.parts[1].n_fits) * fits.sample.n
    if scores <= MAX_REPLICATE_SCORES:
        return None
    call = f'karat.estimate(fits, "{metric}", "{method}")'
    message = f"Skipped {metric}/{method} ({scores:.1e} scores). Call {call} to compute it anyway."
    return Note("too-many-scores", message, scores=scores, limit=MAX_REPLICATE_SCORES)


def _majority(fits: Fits) -> Estimate:
    label = fits.sample.classes[fits.sample.sizes.argmax()]
    return Estimate(
        fits.sample.majority_error,
        metric="error",
        method="majority",
        estimand=f"always predicting {label}",
        bounds=(0.0, 1.0),
    ).noting(MAJORITY)
