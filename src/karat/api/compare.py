"""compare: two or more models on one design, and whether one is better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from karat.api.design import design_of
from karat.api.pair import judge, judged, other_errors
from karat.api.verdict import Question, spoken, verdict
from karat.comparisons.holm import holm
from karat.errors import FitError, InputError, KaratError, UndefinedError
from karat.estimators import difference, estimate
from karat.estimators.estimation import bind, check_paired, identical
from karat.estimators.registry import find
from karat.fitting import fit
from karat.metrics import AUC, CaseLoss, Metric, Scorer, resolve
from karat.plans import Plan
from karat.result.comparison import Comparison
from karat.sample import Design, Fits, Sample
from karat.sample.workers import check_workers

__all__ = ["compare", "comparison_of", "default_method", "judge"]


def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any = None,
    y: Any = None,
    metric: Any = "auc",
    method: str | None = None,
    plan: Plan | Design | None = None,
    se: str | None = None,
    level: float = 0.95,
    margin: float | None = None,
    positive: Any = None,
    groups: Any = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    engine: str = "auto",
) -> Comparison:
    """Is A better than B? All models are fitted on the same training sets, so their differences are paired.

    Parameters
    ----------
    models
        {"name": model, …} or a list of scikit-learn classifiers or Pipelines, at least two; or
        {"name": Fits, …} of models fitted already on one design (then no X and y).
    X, y
        Features and labels.
    metric
        A name, a scikit-learn scorer name, a function f(y, score), or a `karat.metrics` object. Of a scorer larger is
        better; scikit-learn's losses and errors are known by their names; of any other function nobody knows, and the
        verdict says higher or lower but not better: `karat.metrics.Scorer(f, higher_is_better=False)` tells.
    method
        The estimator; None: lpob for an AUC and loob for a loss under a bootstrap, cv under a
        cross-validation, holdout under a holdout.
    plan
        `Bootstrap(1000)` by default, or a Design.
    se
        Which standard error of the difference; None: the best there is (second-order for lpob and loob).
    level
        Of the intervals, and 1 − α of the verdict.
    margin
        The largest difference that does not matter: then the verdict also says whether the models are equivalent.
    positive, groups, rng, n_jobs, progress, engine
        As in `karat.assess`.

    Returns
    -------
    Comparison
        `.verdict`, `.difference`, `.p_value`, `.table()`, `.models()`, `.plot()`, `.report(path)`.

    Examples
    --------
    >>> import karat
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> k = karat.compare({"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB()},
    ...                   X[:80], y[:80], metric="error", plan=karat.Bootstrap(100), rng=1)
    >>> print(k.verdict)
    LDA's error rate is ... naive Bayes's by ...
    """
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
    number = isinstance(margin, (int, float, np.integer, np.floating)) and not isinstance(margin, bool)
    if margin is not None and not (number and 0 < margin < math.inf):
        raise InputError("margin is the largest difference that does not matter: positive", got=repr(margin))
    check_workers(n_jobs)
    named = _named(models)
    if all(isinstance(m, Fits) for m in named.values()):
        given = {"X": X, "y": y, "plan": plan, "positive": positive, "groups": groups, "rng": rng}
        given["engine"] = None if engine == "auto" else engine
        if strangers := [name for name, value in given.items() if value is not None]:
            raise InputError(
                "Fits are fitted already, on a design and a positive class of their own",
                got=", ".join(f"{name}=" for name in strangers),
                fix="Leave it out",
            )
        return comparison_of(named, metric, method, se=se, level=level, margin=margin)
    if X is None or y is None:
        raise InputError("models need X and y to be fitted on", fix="Call compare(models, X, y)")
    sample = Sample.of(y, X=X, positive=positive, groups=groups)
    bound = resolve(metric).bind(sample)
    design = design_of(plan, sample, rng)
    find(method or default_method(design.kind, bound), design.kind, bound)  # an unknown method, before the fits
    fits = {}
    for name, model in named.items():
        with _naming(name, FitError):
            fits[name] = fit(
                model,
                X,
                sample,
                design,
                n_jobs=n_jobs,
                scores=_scores(model, bound),
                engine=engine,
                progress=progress,
            )
    return comparison_of(fits, metric, method, se=se, level=level, margin=margin)


def comparison_of(
    fits: Mapping[str, Fits],
    metric: Any,
    method: str | None = None,
    *,
    se: str | None = None,
    level: float = 0.95,
    margin: float | None = None,
) -> Comparison:
    """The comparison of models that were fitted on one design."""
    names = list(fits)
    for name in names[1:]:
        check_paired(fits[names[0]], fits[name])
    first = fits[names[0]]
    bound = resolve(metric).bind(first.sample)
    method = method or default_method(first.design.kind, bound)
    find(method, first.design.kind, bound)  # an unknown method, before it looks like a model's mistake
    estimates = {}
    for name, f in fits.items():
        with _naming(name, InputError):
            estimates[name] = estimate(f, metric, method)
    bound = bind(first, metric)
    differences, tests, beside = {}, {}, {}
    for pair in combinations(names, 2):
        a, b = (fits[name] for name in pair)
        d = difference(a, b, metric, method, se=se)
        beside[pair] = other_errors(a, b, metric, method, d)
        differences[pair], test = judged(a, b, bound, method, d, level)
        if test is not None:
            tests[pair] = test
    # a pair without a test counts as one that found nothing: it was looked at, too
    untested = [1.0] * (len(differences) - len(tests))
    adjusted = dict(zip(tests, holm([t.p_value for t in tests.values()] + untested).tolist(), strict=False))
    out = Comparison(
        verdict="",
        metric=bound.name,
        method=method,
        higher_is_better=bound.higher_is_better,
        estimates=estimates,
        differences=differences,
        tests=tests,
        adjusted=adjusted,
        other_se=beside,
        pair=(names[0], names[1]),
        level=level,
        margin=margin,
        notes=tuple(dict.fromkeys(n for d in differences.values() for n in d.notes)),
        provenance=_provenance(first),
        fits=fits,
    )
    return _judged(out)


@contextmanager
def _naming(name: str, kind: type[KaratError]) -> Iterator[None]:
    """An error of this kind says which model it is of; what is undefined here is so for all of them."""
    try:
        yield
    except kind as error:
        if isinstance(error, UndefinedError):
            raise
        raise kind(f"{name}: {error}") from error


def _judged(k: Comparison) -> Comparison:
    """The same with its pair of interest, best first where there are several, and the verdict."""
    pair = k.pair
    if len(k.estimates) > 2:
        best, second = k.ranking()[:2]
        pair = (best, second) if (best, second) in k.differences else (second, best)
    d = k.differences[pair]
    said = verdict(
        Question(
            first=pair[0],
            second=pair[1],
            metric=k.metric,
            higher_is_better=k.higher_is_better,
            difference=d,
            p_value=k.adjusted.get(pair),
            level=k.level,
            margin=k.margin,
            pairs=len(k.differences),
            identical=identical(k.fits[pair[0]], k.fits[pair[1]]),
        )
    )
    if len(k.estimates) > 2:
        said = f"{_leading(k)} {said}"
    return replace(k, pair=pair, verdict=said)


def _leading(k: Comparison) -> str:
    """Who comes first of several models, and whether that is settled."""
    order, what = k.ranking(), spoken(k.metric)
    best, values = order[0], [k.estimates[name].value for name in order]
    first = [name for name, value in zip(order, values, strict=True) if math.isclose(value, values[0], abs_tol=1e-12)]
    if len(first) == len(order):
        return f"All {len(order)} models have the same {what}."
    if len(first) > 1:
        share = f"{', '.join(first[:-1])} and {first[-1]} share the {k.extreme} {what}"
        return f"Of {len(order)} models {share}."
    clear = _clear(k, best)
    if k.higher_is_better is None:
        does = f"has the {k.extreme} {what}{'' if clear else ', which is not settled against all others'}"
    else:
        does = "does best" if clear else "comes first, which is not settled against all others"
    return f"Of {len(order)} models {best} {does}."


def _clear(k: Comparison, best: str) -> bool:
    """Whether the best differs from every other model by its adjusted p, and by a standard error to be believed."""
    for pair, d in k.differences.items():
        noisy = d.se_method == "naive" or (d.se is not None and d.mc_se is not None and d.mc_se > d.se)
        if best in pair and (noisy or not k.adjusted.get(pair, 1.0) < 1 - k.level):
            return False
    return True


def default_method(kind: str, metric: Metric) -> str:
    """The estimator whose difference can be judged best, for a design and a metric."""
    if kind == "nested" and not isinstance(metric, CaseLoss):
        raise InputError(
            f"a NestedKFold plan serves losses of cases, and {metric.name} is none",
            fix='Use another plan, e.g. Bootstrap(1000) or KFold(10, repeats=10), or metric="error"',
        )
    if kind == "bootstrap":
        return "lpob" if isinstance(metric, AUC) else "loob" if isinstance(metric, CaseLoss) else "star"
    return {"cv": "cv", "nested": "nested_cv", "holdout": "holdout"}[kind]


def _named(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(k): v for k, v in models.items()}
    elif isinstance(models, (list, tuple)):
        named = {}
        for model in models:
            base = type(model[-1] if hasattr(model, "steps") else model).__name__
            name, k = base, 2
            while name in named:
                name, k = f"{base} {k}", k + 1
            named[name] = model
    else:
        raise InputError('models must be {"name": model, …} or a list', got=type(models).__name__)
    if len(named) < 2:
        raise InputError("a comparison needs at least two models", got=len(named))
    kinds = {isinstance(m, Fits) for m in named.values()}
    if len(kinds) > 1:
        raise InputError("models and Fits are mixed", fix="Fit all of them on one design, or none")
    return named


def _scores(model: Any, metric: Metric) -> str:
    wanted = metric.needs == "probabilities" or isinstance(metric, Scorer)
    return "predict_proba" if wanted and hasattr(model, "predict_proba") else "auto"


def _provenance(fits: Fits) -> dict[str, Any]:
    sizes = zip(fits.sample.sizes.tolist(), fits.sample.classes.tolist(), strict=True)
    classes = " and ".join(f"{size} {label}" for size, label in sizes)
    return {
        "design": f"{fits.sample.n} cases, {classes}; {fits.design.plan}",
        "fingerprint": fits.design.fingerprint,
        "seed": str(fits.design.seed.entropy),
    }
