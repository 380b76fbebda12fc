"""assess: one model on one data set, by every estimator that its plan allows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from karat import __version__
from karat.api.design import design_of
from karat.errors import InputError, KaratWarning, UndefinedError
from karat.estimators import available, estimate
from karat.fitting import fit
from karat.metrics import AUC, Error, Metric, Scorer, resolve
from karat.plans import Plan
from karat.result import Assessment, Estimate
from karat.sample import Design, Fits, Sample
from karat.sample.workers import check_workers

TOO_DEAR = 2e10  # pairs × replicates that LPOB would have to look at
WORTH_SAYING = (
    "fits failed",
    "standard error is the exact one",
    "scores are constant",
)  # notes of estimates that the table repeats
UNBALANCED = 0.2  # share of the smallest class below which the error rate alone misleads


def assess(
    model: Any,
    X: Any,
    y: Any,
    plan: Plan | Design | None = None,
    metrics: Iterable[Any] = ("error", "auc"),
    level: float = 0.95,
    positive: Any = None,
    groups: Any = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    engine: str = "auto",
) -> Assessment:
    """How good is this model, and how sure are we?

    Parameters
    ----------
    model
        A scikit-learn classifier or Pipeline; put imputation, scaling and selection inside it, so that
        they are fitted in every resample.
    X, y
        Features and labels.
    plan
        How training sets are drawn: `Bootstrap(1000)` by default; `KFold(10, repeats=10)`,
        `LeaveOneOut()`, `MonteCarlo(100)`, `Holdout(.3)`, `NestedKFold(10)`, or a Design.
    metrics
        Names, scikit-learn scorer names, functions f(y, score), or `karat.metrics` objects.
    level
        Of the intervals in the table.
    positive
        The positive label; needed for an AUC unless labels are 0/1, −1/1 or booleans.
    groups
        Group of each case (patient, site): a group never stands on both sides.
    rng
        Seed: the same one gives the same numbers, for any `n_jobs`.
    n_jobs
        Workers.
    progress
        None: a bar on a terminal only.
    engine
        As in `karat.fit`: "auto" takes all training sets at once where the model has a closed form, "generic" asks
        scikit-learn for one fit after another.

    Returns
    -------
    Assessment

    Examples
    --------
    >>> import karat
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> a = karat.assess(GaussianNB(), X, y, plan=karat.Bootstrap(50), metrics=["error"], rng=1)
    >>> print(a["error", "loob"])
    error loob: ...
    """
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
    check_workers(n_jobs)
    sample = Sample.of(y, X=X, positive=positive, groups=groups)
    chosen = [resolve(m) for m in ([metrics] if isinstance(metrics, str) else metrics)]
    if not chosen:
        raise InputError("no metric was asked for", fix='Use metrics=("error", "auc")')
    for metric in chosen:  # before any model is fitted: is the positive class known, are there two classes
        metric.bind(sample)
    labels = [m.name for m in chosen]
    if len(set(labels)) < len(labels):
        raise InputError("two metrics have the same name", got=", ".join(labels), fix="Assess them one after another")
    design = design_of(plan, sample, rng)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KaratWarning)
        fits = fit(
            model,
            X,
            y,
            design,
            n_jobs=n_jobs,
            positive=positive,
            groups=groups,
            scores=_scores(model, chosen),
            engine=engine,
            progress=progress,
        )
    heard = [str(w.message) for w in caught if issubclass(w.category, KaratWarning)]
    return assessment_of(fits, chosen, level, describe(model), heard)


def assessment_of(
    fits: Fits, metrics: Iterable[Any], level: float, model: str, heard: Iterable[str] = ()
) -> Assessment:
    """Every estimate that these fits allow; what cannot be had is named, not dropped. `heard`: warnings of the fit."""
    estimates: dict[tuple[str, str], Estimate] = {}
    notes: list[str] = [*fits.design.notes, *fits.notes]
    for metric in (resolve(m) for m in metrics):
        bound = metric.bind(fits.sample)
        for estimator in available(fits.design.kind, bound):
            if estimator.name == "lpob" and (cost := _pairs(fits)) > TOO_DEAR:
                notes.append(
                    f"{bound.name} lpob is left out: it would look at {cost:.1e} pairs; karat.estimate gives it when "
                    "asked."
                )
                continue
            try:
                estimates[bound.name, estimator.name] = estimate(fits, metric, estimator.name)
            except UndefinedError as error:
                notes.append(f"{bound.name} {estimator.name} is not defined here. {error}")
        if isinstance(bound, Error) and bound.name == "error":
            estimates["error", "majority"] = _majority(fits)
    for e in estimates.values():
        notes += [n for n in e.notes if any(word in n for word in WORTH_SAYING)]
    said = [*heard, *_warnings(fits, estimates, level)]
    for warning in said:
        warnings.warn(warning, KaratWarning, stacklevel=3)
    return Assessment(
        estimates=estimates,
        model=model,
        level=level,
        notes=tuple(dict.fromkeys(notes)),
        warnings=tuple(said),
        provenance={
            "design": f"{fits.sample.n} cases, {_classes(fits.sample)}; {fits.design.plan}; {fits.engine} engine",
            "fingerprint": fits.design.fingerprint,
            "seed": fits.design.seed.entropy,
            "karat": __version__,
        },
        fits=fits,
    )


def describe(model: Any) -> str:
    """The model in one line; the steps of a pipeline with arrows between them."""
    if hasattr(model, "steps"):
        return " → ".join(describe(step) for _, step in model.steps)
    if hasattr(model, "transformers"):
        return f"({' | '.join(describe(step) for _, step, _ in model.transformers)})"
    return " ".join(repr(model).split()) if not isinstance(model, str) else model


def _scores(model: Any, metrics: list[Metric]) -> str:
    """Probabilities where a metric may need them and the model has them; else what ranks best."""
    wanted = any(m.needs == "probabilities" or isinstance(m, Scorer) for m in metrics)
    return "predict_proba" if wanted and hasattr(model, "predict_proba") else "auto"


def _pairs(fits: Fits) -> float:
    """Pairs times replicates, over all classes set against the rest."""
    sizes, n = fits.sample.sizes, fits.sample.n
    targets = AUC().bind(fits.sample).targets
    return float(fits.n_fits) * float(sum(int(sizes[t]) * (n - int(sizes[t])) for t in targets))


def _majority(fits: Fits) -> Estimate:
    label = fits.sample.classes[fits.sample.sizes.argmax()]
    return Estimate(
        fits.sample.majority_error,
        metric="error",
        method="majority",
        estimand=f"always answering {label}",
        bounds=(0.0, 1.0),
    ).noting("What a rule that looks at nothing gets on these cases.")


def _warnings(fits: Fits, estimates: dict[tuple[str, str], Estimate], level: float) -> list[str]:
    said = []
    share = fits.sample.sizes.min() / fits.sample.n
    if share < UNBALANCED:
        label = fits.sample.classes[fits.sample.sizes.argmin()]
        said.append(
            f"the classes are unbalanced: {share:.1%} of the cases are {label}. A small error rate says little; "
            "look at auc, fnf and fpf."
        )
    for method in ("loob", "cv", "holdout", "nested_cv"):
        e = estimates.get(("error", method))
        if e is None or e.se is None:
            continue
        if fixed := e.noted("fixed-class-sizes"):
            said.append(str(fixed))
        if e.ci(level).high >= fits.sample.majority_error:
            said.append(
                f"the model is not clearly better than always answering the commonest class: error {e.value:.3f} "
                f"(up to {e.ci(level).high:.3f}) against {fits.sample.majority_error:.3f}."
            )
    return said


def _classes(sample: Sample) -> str:
    parts = [
        f"{size} of class {label}" for label, size in zip(sample.classes.tolist(), sample.sizes.tolist(), strict=True)
    ]
    positive = (
        "" if sample.positive is None or sample.n_classes != 2 else f", positive {sample.classes[sample.positive]}"
    )
    return f"{' and '.join(parts)}{positive}"
