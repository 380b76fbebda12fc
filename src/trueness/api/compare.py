"""compare: two or more models on one design, and whether one is better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, ValuesView
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, count
from typing import Any, Unpack

import numpy as np

from trueness.api.assess import by_more_replicates
from trueness.api.assessment import Assessment
from trueness.api.call import (
    DEFAULT_METRIC,
    Fitting,
    FittingOptions,
    PlanLike,
    refuse_with_fits,
    sample_of,
)
from trueness.api.cautions import no_better, trivial
from trueness.api.comparison import Comparison
from trueness.api.judged import judge, judged
from trueness.api.runs import (
    FitsOf,
    drawn,
    enough_replicates,
    grown,
    made,
    plan_of,
    provenance_of,
)
from trueness.checks import check_flag, check_level, gathers, refuses_foreign
from trueness.comparisons.registry import check_inside
from trueness.errors import FitError, InputError, TruenessError, UndefinedError
from trueness.estimators.estimation import bind, check_compared, check_paired, check_undefined, difference, estimate
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.influence.draws import refuse_cases
from trueness.estimators.method import Undefined
from trueness.estimators.registry import find, recommend
from trueness.fitting.progress import PACE, Progress, paced
from trueness.leaks.check import findings_of, ignored_codes
from trueness.metrics.metric import Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import Bootstrap
from trueness.result.estimate import Estimate
from trueness.result.notes import Note, inherited, warn_of
from trueness.result.pairs import Pairs, check_baseline, pair_notes, pairs_of, ranked
from trueness.sample.design import Design
from trueness.sample.fits import Fits, Source
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng


@refuses_foreign
@gathers(Fitting)
def compare(
    models: Mapping[str, Classifier | Fits | Assessment] | Iterable[Classifier | Fits | Assessment],
    X: Features = None,
    y: Labels | None = None,
    metric: MetricLike | None = None,
    method: str | None = None,
    plan: PlanLike | None = None,
    *,
    se: str | None = None,
    level: float = 0.95,
    margin: float | None = None,
    positive: Label | None = None,
    groups: Labels | None = None,
    rng: Rng = None,
    checks: bool = True,
    undefined: Undefined = "failed",
    baseline: str | None = None,
    **options: Unpack[FittingOptions],
) -> Comparison:
    """Compare models that are fitted on the same training sets, so that their differences are paired.

    Parameters
    ----------
    models : mapping of str to model, or iterable of models
        At least two scikit-learn classifiers or Pipelines, or two regressors; or Fits (or assessments) of models that were
        fitted on one design (then without X and y).
    X : array, DataFrame or sparse matrix of shape (n, p), or n texts, optional
        Features.
    y : array-like of shape (n,), optional
        Labels.
    metric : str, callable or Metric, optional
        By default "auc", of regressors "rmse". A name, a scikit-learn scorer name, a function f(y, score), or a
        `trueness.metrics` object. The direction of scikit-learn's scorers is known. For any other function the verdict
        says higher or lower but not better, unless it is given as `trueness.metrics.Scorer(f, higher_is_better=False)`.
    method : str, optional
        The estimator. By default "cv+training", which is about the rules trained on all cases; lpob for an AUC and loob
        for a loss under a bootstrap, cv under a cross-validation, holdout under a holdout.
    plan : Plan, Design, splitter, int, iterable of (train, test) or "prefit", optional
        How training sets are drawn, as in `trueness.assess`. "prefit": the models are fitted, and X, y are their test
        set.
    se : str, optional
        Which standard error of the difference; by default the best available (second-order for lpob and loob).
    level : float, default 0.95
        Level of the intervals, and 1 − α of the verdict.
    margin : float, optional
        The largest difference that does not matter. With it the verdict also says whether the models are equivalent.
    positive : label, optional
        The positive class; required for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site); a group never stands on both sides.
    rng : int, SeedSequence, Generator or None, default None
        Seed; the same seed gives the same numbers for any `n_jobs`.
    n_jobs : int, optional
        Number of parallel workers (results do not depend on it).
    progress : bool, optional
        Whether to show how far the run is and, where it takes more than half a minute, how long it will take; None
        shows it on a terminal and in a notebook.
    engine : {"auto", "generic"}, default "auto"
        As in `trueness.fit`.
    checks : bool, default True
        Whether to look for leaks in the data first, as in `trueness.assess`.
    store : path, optional
        File that keeps the fits of all models as they are done, as in `trueness.assess`.
    fit_seconds : float, optional
        Longest time of one fit in seconds; one that takes longer counts as failed. As in `trueness.fit`.
    undefined : {"failed", "skip", "raise"}, default "failed"
        What is done with folds, cases and pairs that cannot be evaluated. "failed": those of fits that failed for
        any of the models are left out, and estimates say how many and what they could have changed (more than 10 %
        failed fits are an error). "skip": any of them are left out. "raise": none; one that is needed is an error.
    fits : int, optional
        Number of fits of the default plan for each model, as in `trueness.assess`.
    seconds : float, optional
        Time for the fits of all models, as in `trueness.assess`.
    baseline : str, optional
        The model that all others are compared with. By default every pair is compared. p-values and intervals of the
        pairs that are compared hold together (max-t), so that fewer pairs have more power.
    ignore : str or iterable of str, default ()
        Codes of checks that are not made, e.g. ("L006",).

    Returns
    -------
    Comparison
        `.verdict`, `.difference`, `.p_value`, `.frame()`, `.plot()`, `.report(path)`; `k["first", "second"]` is the
        difference of a pair, with its `test`, `p_value` and `verdict`.

    Raises
    ------
    InputError
        Where the input is wrong; `param` names the parameter.
    FitError
        Where a model cannot be fitted; `about` names the model.

    See Also
    --------
    trueness.assess : One model.
    trueness.difference : One difference, as an Estimate.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> k = trueness.compare({"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB()},
    ...                   X[:80], y[:80], metric="error", plan=trueness.Bootstrap(100), rng=1)
    >>> print(k.verdict)
    LDA's error rate is ... naive Bayes's by ...
    >>> k["naive Bayes", "LDA"]
    naive Bayes's error rate is ... LDA's by ...
    """
    named, fitting, begun = _named(models), Fitting(**options), datetime.now(UTC)
    how: dict[str, Any] = {"se": se, "level": level, "margin": margin, "undefined": undefined, "baseline": baseline}
    check_level(level)
    check_flag("checks", checks)
    check_undefined(undefined)
    check_baseline(baseline, named)
    ready = {name: model for name, model in named.items() if isinstance(model, Fits)}
    if ready:
        refuse_with_fits(X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, **fitting.of_fits())
        return comparison_of(ready, metric, method, **how)
    sample = sample_of(named.values(), X, y, plan, positive, groups)
    metric = DEFAULT_METRIC[sample.kind] if metric is None else metric
    bound = bound_to(metric, sample, margin)
    recipe = plan_of(plan, named.values(), sample, [(bound, method)], fitting.fits, fitting.seconds)
    design, most = drawn(recipe, sample, rng, fitting.store, fitting.seconds)
    method = recommend(design.kind, bound) if method is None else method
    grows = isinstance(design.plan, Bootstrap) and design.plan.n_resamples is None  # more replicates will follow
    if method in ("loob", "lpob") and undefined != "skip" and not grows:
        part = (design.parts or (design,))[-1]
        refuse_cases(part, np.sum([part.tests(rows).sum(axis=0) for rows in part.slices()], axis=0))
    if find(method, design.kind, bound).se[0] == "none":
        warn_of(Note("no-se-known", metric=bound.name, method=method))
    found = findings_of(sample, ignored_codes(fitting.ignore)) if checks else None
    remarks = () if found is None else found.notes
    warn_of(*remarks)

    def precise(fits: FitsOf) -> Iterator[Estimate | None]:
        """Every model and every difference; None where the replicates are too few for one to be defined."""
        some = by_more_replicates(undefined)
        try:
            known = {name: estimate(f, metric, method, undefined=some) for name, f in fits.items()}
            yield from known.values()
            for a, b in pairs_of(known, None, baseline):
                yield difference(fits[a], fits[b], metric, method, se=se, undefined=some)
        except UndefinedError:
            yield None

    with paced(fitting.pace(plan)):
        fits = _fits(named, sample, bound, design, fitting, precise, most)
    origin = made(begun, sample, found=found)
    source = Source(sample.X, remarks, origin)
    with Progress(None, fitting.progress, "computing standard errors"):
        k = comparison_of({name: replace(f, source=source) for name, f in fits.items()}, metric, method, **how)
    return replace(k, notes=(*remarks, *k.notes), provenance={**k.provenance, **origin})


def bound_to(metric: MetricLike, sample: Sample, margin: float | None) -> Metric:
    """The metric of these cases, with which the margin must agree."""
    bound = resolve(metric).bind(sample)
    check_compared(bound)
    if margin is not None:
        check_inside("margin", margin, 0, bound.bounds[1] - bound.bounds[0])
    return bound


def comparison_of(
    fits: Mapping[str, Fits],
    metric: MetricLike | None,
    method: str | None = None,
    *,
    se: str | None = None,
    level: float = 0.95,
    margin: float | None = None,
    undefined: Undefined = "failed",
    baseline: str | None = None,
) -> Comparison:
    """The comparison of models that were fitted on one design; parameters as in `compare`."""
    names, first = list(fits), next(iter(fits.values()))
    for name in names[1:]:
        check_paired(first, fits[name])
    metric = DEFAULT_METRIC[first.sample.kind] if metric is None else metric
    bound = bound_to(metric, first.sample, margin)
    method = recommend(first.design.kind, bound) if method is None else method
    find(method, first.design.kind, bound)  # an unknown method is not an error of one model
    bound, estimates, differences, other_se = bind(first, metric), dict[str, Estimate](), {}, {}
    for name, f in fits.items():
        with naming(name, InputError):
            estimates[name] = estimate(f, metric, method, undefined=undefined)
    for pair in pairs_of(estimates, bound.higher_is_better, baseline):
        a, b = (fits[name] for name in pair)
        d = difference(a, b, metric, method, se=se, undefined=undefined)
        other_se[pair] = dict[str, float]()
        if d.se_method == "second-order" and d.influence is not None:  # the first-order ones beside it
            corrected = difference(a, b, metric, method, se="influence-corrected", undefined=undefined).se
            plain = math.sqrt(variance(a.design, d.influence))
            other_se[pair] = {**({} if corrected is None else {"influence-corrected": corrected}), "influence": plain}
        differences[pair] = judged(a, b, d, bound)
    grouped = first.sample.groups is not None
    pairs = Pairs.of(differences, lambda d: judge(d, grouped), first.design.unit_sums)
    best = ranked(estimates, bound.higher_is_better)[0]
    same = ("constant", "shares") * (bound.higher_is_better is False)  # of rules with one answer for all cases
    rules = [e for e in trivial(fits[best].sample, bound) if e.method in same]
    costly = [note.about(best) for e in rules for note in no_better(estimates[best], e, level)]
    warn_of(*costly)
    of_models = (n.about(name, model=name) for name, e in estimates.items() for n in inherited(e.notes, "result"))
    others = (Note("first-two-models"),) if len(names) > 2 and baseline is None else ()
    used = {library: version for f in fits.values() for library, version in f.libraries.items()}
    known = provenance_of(replace(first, libraries=used), bound)
    return Comparison(
        **vars(pairs),
        metric=bound.name,
        method=str(method),
        higher_is_better=bound.higher_is_better,
        estimates=estimates,
        other_se=other_se,
        pair=next(iter(pairs.differences)),
        baseline=baseline,
        level=level,
        margin=margin,
        notes=(*pair_notes(pairs.differences), *of_models, *inherited(first.notes, "run"), *others, *costly),
        provenance={name: value for name, value in known.items() if name != "engine"},
        fits=fits,
        undefined=undefined,
    )


def _fits(
    models: Mapping[str, Classifier | Fits],
    sample: Sample,
    metric: Metric,
    design: Design,
    fitting: Fitting,
    precise: Callable[[FitsOf], Iterator[Estimate | None]],
    most: object,
) -> FitsOf:
    """The fits of all models, on as many replicates as the estimates need, or in limited time up to those of a plan."""

    def fit_all(design: Design, earlier: FitsOf) -> FitsOf:
        fits: FitsOf = {}
        for name, model in models.items():
            assert not isinstance(model, Fits)  # all or none are
            with naming(name, FitError), paced(replace(PACE.get(), name=name)):
                fits[name] = fitting.fitted(model, sample, design, [metric], earlier.get(name))
        return fits

    if most is not None:
        return grown(design, most, PACE.get(), fit_all)
    return enough_replicates(design, fit_all, precise)


@contextmanager
def naming(name: str, kind: type[TruenessError], param: str = "") -> Iterator[None]:
    """An error of this kind names the model that it is about; what is undefined is so for all models."""
    try:
        yield
    except kind as error:
        error.param = param or error.param
        if not isinstance(error, UndefinedError):
            error.of(name)
        raise


def _named(models: object) -> dict[str, Classifier | Fits]:
    if isinstance(models, Mapping):
        named = {str(k): v for k, v in models.items()}
    elif isinstance(models, (list, tuple, Iterator, ValuesView)):  # a model itself may be iterable, too
        named = {}
        for model in models:
            base = type(model[-1] if hasattr(model, "steps") else model).__name__
            names = chain([base], (f"{base} {k}" for k in count(2)))
            named[next(name for name in names if name not in named)] = model
    else:
        raise InputError(
            'models must be {"name": model, ...} or a list of models',
            param="models",
            got=type(models).__name__,
            fix="A table of answers or scores of systems goes to trueness.systems.compare",
        )
    if len(named) < 2:
        raise InputError("A comparison needs at least two models", param="models", got=len(named))
    if lost := [name for name, m in named.items() if isinstance(m, Assessment) and m.fits is None]:
        raise InputError(f"The assessment {lost[0]!r} holds no fits", param="models", fix="Pass models, or Fits")
    named = {name: m.fits if isinstance(m, Assessment) else m for name, m in named.items()}
    if len({isinstance(m, Fits) for m in named.values()}) > 1:
        fix = "Pass models only, or Fits only"
        raise InputError("models holds both models and Fits", param="models", fix=fix)
    return named
