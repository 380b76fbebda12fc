"""compare: two or more models on one design, and whether one is better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import numpy as np

from karat.api.verdict import Question, verdict
from karat.comparisons.delong import CASES, FIXED, LARGE
from karat.comparisons.holm import holm
from karat.comparisons.mcnemar import ErrorDifference, McNemarResult, mcnemar_counts
from karat.comparisons.tails import tail
from karat.errors import InputError
from karat.estimators import difference, estimate
from karat.estimators.registry import bind, check_paired, find
from karat.fitting import fit
from karat.metrics import AUC, CaseLoss, Error, Metric, Scorer, resolve
from karat.plans import Bootstrap, Plan
from karat.result import Estimate
from karat.result.comparison import Comparison
from karat.result.test_result import TestResult
from karat.sample import Design, Fits, Sample
from karat.uncertainty.case_influence import variance

AVERAGE = (
    "what is compared is the mean over training sets of this size, not the two rules fitted on all cases; bootstrap "
    "training sets hold about 63 % of the cases."
)
SECOND = (
    "the variance is of second order, right to leading order in 1/n; t with min(n1, n2) − 1 degrees of freedom is a "
    "convention that held its level in simulations (docs/comparison.md)."
)
FIRST = "the influence function counts interactions of cases more than once: the p-value is too large as a rule."
SPLITS = "two splits are correlated by n_test/n: a convention that works, not a theorem."
NAIVE = "tested cases are independent, which leaves out that training sets vary: the p-value is too small."
ASSUMED = {
    "second-order": (CASES, AVERAGE, SECOND),
    "influence-corrected": (CASES, AVERAGE, FIRST),
    "influence": (CASES, AVERAGE, FIRST),
    "nadeau-bengio": (CASES, SPLITS),
    "naive": (NAIVE,),
    "delong": (FIXED, CASES, LARGE),
    "binomial": (FIXED, CASES, LARGE),
}


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
        A name, a scikit-learn scorer name, a function f(y, score), or a `karat.metrics` object.
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
    positive, groups, rng, n_jobs, progress
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
        raise InputError("level must lie between 0 and 1", got=level, do="Use e.g. level=0.95")
    number = isinstance(margin, (int, float, np.integer, np.floating)) and not isinstance(margin, bool)
    if margin is not None and not (number and 0 < margin < math.inf):
        raise InputError("margin is the largest difference that does not matter: positive", got=repr(margin))
    named = _named(models)
    if all(isinstance(m, Fits) for m in named.values()):
        if X is not None or y is not None:
            raise InputError("Fits are fitted already", do="Leave X and y out")
        return comparison_of(named, metric, method, se=se, level=level, margin=margin)
    if X is None or y is None:
        raise InputError("models need X and y to be fitted on", do="Call compare(models, X, y)")
    sample = Sample.of(y, X=X, positive=positive, groups=groups)
    bound = resolve(metric).bind(sample)
    design = plan if isinstance(plan, Design) else (plan or Bootstrap(1000)).draw(sample, rng=rng)
    find(method or default_method(design.kind, bound), design.kind, bound)  # an unknown method, before the fits
    fits = {
        name: fit(
            model,
            X,
            y,
            design,
            n_jobs=n_jobs,
            positive=positive,
            groups=groups,
            scores=_scores(model, bound),
            progress=progress,
        )
        for name, model in named.items()
    }
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
    bound = bind(first, metric)
    method = method or default_method(first.design.kind, bound)
    estimates = {name: estimate(f, metric, method) for name, f in fits.items()}
    differences, tests, beside = {}, {}, {}
    for pair in combinations(names, 2):
        a, b = (fits[name] for name in pair)
        d = difference(a, b, metric, method, se=se)
        beside[pair] = _beside(a, b, metric, method, d)
        mcnemar = _mcnemar(a, b, bound) if method == "holdout" else None
        if mcnemar is not None:
            d = _tango(d, mcnemar)
        elif d.se == 0 and not _identical(a, b):
            d = d.with_(se=None, influence=None).noting(
                "No standard error: the formula gives 0 here although the two score these cases differently."
            )
        differences[pair] = d
        test = mcnemar or judge(d)
        if test is not None:
            tests[pair] = test
    adjusted = dict(zip(tests, holm([t.p_value for t in tests.values()]).tolist(), strict=True)) if tests else {}
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
            identical=_identical(k.fits[pair[0]], k.fits[pair[1]]),
        )
    )
    if len(k.estimates) > 2:
        best = k.ranking()[0]
        first = "does best" if _clear(k, best) else "comes first, which is not settled against all others"
        said = f"Of {len(k.estimates)} models {best} {first}. {said}"
    return replace(k, pair=pair, verdict=said)


def _clear(k: Comparison, best: str) -> bool:
    """Whether the best differs from every other model by its adjusted p, and by a standard error to be believed."""
    for pair, d in k.differences.items():
        noisy = d.se_method == "naive" or (d.se is not None and d.mc_se is not None and d.mc_se > d.se)
        if best in pair and (noisy or not k.adjusted.get(pair, 1.0) < 1 - k.level):
            return False
    return True


def _identical(a: Fits, b: Fits) -> bool:
    """Whether two models scored every case alike in every fit."""
    for one, other in zip(a.blocks(), b.blocks(), strict=False):
        if one.scores is None or other.scores is None or not np.array_equal(one.scores, other.scores, equal_nan=True):
            return False
    return True


def default_method(kind: str, metric: Metric) -> str:
    """The estimator whose difference can be judged best, for a design and a metric."""
    if kind == "bootstrap":
        return "lpob" if isinstance(metric, AUC) else "loob" if isinstance(metric, CaseLoss) else "star"
    return {"cv": "cv", "nested": "nested_cv", "holdout": "holdout"}[kind]


def judge(d: Estimate) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; None where it has no standard error."""
    if d.se is None or math.isnan(d.se):
        return None
    name = f"{d.metric}, {d.method}, {d.se_method} standard error"
    assumptions = ASSUMED.get(d.se_method or "", (CASES,))
    if d.se == 0:
        if d.value != 0:
            return None  # nothing to judge it by
        return TestResult(
            name, 0.0, 1.0, df=d.df, difference=d, assumptions=assumptions, notes=("No difference at all.",)
        )
    t = d.value / d.se
    return TestResult(name, t, tail(t, "two-sided", d.df), df=d.df, difference=d, assumptions=assumptions)


def _tango(d: Estimate, test: McNemarResult) -> ErrorDifference:
    """The same difference with Tango's interval, of the cases that McNemar's test counts."""
    known = {f.name: getattr(d, f.name) for f in fields(Estimate)}
    known |= {"interval": "tango", "cases": test.n, "se": d.se or None}
    return ErrorDifference(**known, discordant=test.b + test.c).noting(
        f"The p-value is McNemar's mid-p of {test.b + test.c} discordant cases, the interval Tango's score interval.",
        "" if d.se else "No standard error: the formula gives 0 here; Tango's interval has length.",
    )


def _mcnemar(a: Fits, b: Fits, metric: Metric) -> McNemarResult | None:
    """Mid-p for two error rates on one test set: few cases speak, and a normal law is rough for them."""
    if not isinstance(metric, Error) or metric.name != "error" or a.sample.groups is not None:
        return None
    losses = [metric.losses(next(f.tests()))[0] for f in (a, b)]
    return mcnemar_counts(
        int((losses[0] < losses[1]).sum()), int((losses[0] > losses[1]).sum()), "mid-p", n=len(losses[0])
    )


def _beside(a: Fits, b: Fits, metric: Any, method: str, d: Estimate) -> dict[str, float]:
    """The first-order standard errors beside the second-order one."""
    if d.se_method != "second-order" or d.influence is None:
        return {}
    corrected = difference(a, b, metric, method, se="influence-corrected")
    return {
        "influence-corrected": float(corrected.se or math.nan),
        "influence": math.sqrt(variance(a.design, d.influence)),
    }


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
        raise InputError("models and Fits are mixed", do="Fit all of them on one design, or none")
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
