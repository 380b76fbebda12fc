"""compare: two or more models on one design, and whether one is better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, ValuesView
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from trueness.api.assess import by_more_replicates, cheapest_constant, no_cheaper_than_constant
from trueness.api.assessment import Assessment
from trueness.api.call import (
    DEFAULT_METRIC,
    Fitting,
    PlanLike,
    refuse_with_fits,
    require_cases,
    sample_of,
    trained_before,
)
from trueness.api.comparison import Comparison
from trueness.api.runs import (
    FitsOf,
    advice,
    checked,
    costs_of,
    drawn,
    enough_replicates,
    finished_models,
    grown,
    made,
    plan_of,
    provenance_of,
    why_stopped,
)
from trueness.api.verdict import (
    Question,
    answered,
    check_baseline,
    depends_on_seed,
    is_noisy,
    joint_test,
    judge_pair,
    noted,
    other_errors,
    verdict,
)
from trueness.checks import check_flag, check_level, check_workers, refuses_foreign
from trueness.comparisons.registry import check_margin
from trueness.errors import FitError, InputError, TruenessError, UndefinedError
from trueness.estimators.estimation import bind, check_paired, check_undefined, difference, estimate
from trueness.estimators.influence import identical
from trueness.estimators.method import Undefined
from trueness.estimators.registry import check_beforehand, find, recommend
from trueness.fitting.progress import Pace, Progress, called, current, paced
from trueness.leaks.check import findings_of, ignored_codes
from trueness.metrics.metric import Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import Bootstrap
from trueness.result.estimate import Estimate
from trueness.result.joint import largest_difference
from trueness.result.notes import Note, warn_of
from trueness.result.pairs import EitherOrder, Pair, pair_notes, pairs_of
from trueness.result.words import listed, spoken
from trueness.sample.design import Design
from trueness.sample.fits import Fits, Source
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng


@refuses_foreign
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
    n_jobs: int | None = None,
    progress: bool | None = None,
    engine: Literal["auto", "generic"] = "auto",
    checks: bool = True,
    store: str | Path | None = None,
    fit_seconds: float | None = None,
    undefined: Undefined = "failed",
    fits: int | None = None,
    seconds: float | None = None,
    baseline: str | None = None,
    ignore: str | Iterable[str] = (),
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

    Notes
    -----
    Ctrl-C at a prompt or in a notebook gives the comparison of the models that are finished, where there are two, with
    a note (`interrupted`). In a program it ends the call as usual.

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
    begun = datetime.now(UTC)
    check_level(level)
    check_workers(n_jobs)
    check_flag("checks", checks)
    ignored = ignored_codes(ignore)
    check_undefined(undefined)
    named = _named(models)
    check_baseline(baseline, named)
    ready = {name: model for name, model in named.items() if isinstance(model, Fits)}
    if ready:
        own = None if engine == "auto" else engine
        refuse_with_fits(X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, store=store, engine=own)
        refuse_with_fits(fits=fits, seconds=seconds)
        metric = DEFAULT_METRIC[next(iter(ready.values())).sample.kind] if metric is None else metric
        how = {"se": se, "level": level, "margin": margin, "undefined": undefined, "baseline": baseline}
        return comparison_of(ready, metric, method, **how)  # type: ignore[arg-type]  # each as in the signature
    sample = sample_of(named.values(), X, require_cases(X, y), plan, positive, groups)
    metric = DEFAULT_METRIC[sample.kind] if metric is None else metric
    bound = resolve(metric).bind(sample)
    _check_margin(margin, bound)
    recipe = plan_of(plan, named.values(), sample, [(bound, method)], fits, engine, seconds)
    design, most = drawn(recipe, sample, rng, store, seconds)
    chosen = recommend(design.kind, bound) if method is None else method
    grows = isinstance(design.plan, Bootstrap) and design.plan.n_resamples is None  # more replicates will follow
    if undefined != "skip" and not grows:
        check_beforehand(design, bound, chosen)
    fixed = design.plan == "prefit"
    found = findings_of(sample, ignored, fixed_rule=fixed) if checks else None
    warn_of(*(found or ()), _no_standard_error(design, bound, chosen))
    fitting = Fitting(n_jobs, progress, engine, store, fit_seconds)
    with paced(Pace(seconds, advice(plan, fits))):
        made_fits = _fits(
            named,
            sample,
            bound,
            design,
            fitting,
            lambda fits: _estimates(fits, metric, chosen, se, undefined, baseline),
            (most, plan is None),
        )
    origin = {**made(begun, sample), **checked(found)}
    source = Source(sample.X, tuple(found or ()), origin)
    sourced = {name: replace(f, source=source) for name, f in made_fits.items()}
    with Progress(None, progress, "computing standard errors"):
        k = comparison_of(
            sourced, metric, chosen, se=se, level=level, margin=margin, undefined=undefined, baseline=baseline
        )
    anew = (note.about(name) for name, model in named.items() for note in trained_before(model, design))
    return replace(k, notes=(*(found or ()), *anew, *k.notes), provenance={**k.provenance, **origin})


def _no_standard_error(design: Design, metric: Metric, method: str) -> Note | None:
    """A warning where a comparison cannot be tested, because no standard error is known; None otherwise."""
    chosen = find(method, design.kind, metric)
    if chosen.se[0] != "none":
        return None
    return Note(
        "no-se-known",
        f"No standard error is known for {metric.name} by {method}, so differences cannot be tested. "
        "Leave plan= and method= out: the default has one.",
        "warning",
        metric=metric.name,
        method=method,
    )


def _fits(
    models: Mapping[str, Classifier | Fits],
    sample: Sample,
    metric: Metric,
    design: Design,
    fitting: Fitting,
    estimates: Callable[[FitsOf], Iterable[Estimate | None]],
    limited: tuple[object, bool],
) -> FitsOf:
    """The fits of all models, on as many replicates as the estimates need, or in limited time up to those of a plan, and
    whether it is the default one; after Ctrl-C those that are finished."""
    finished: FitsOf = {}

    def fit_all(design: Design, earlier: FitsOf) -> FitsOf:
        nonlocal finished
        fits: FitsOf = {}
        finished = earlier or fits
        for name, model in models.items():
            assert not isinstance(model, Fits)  # all or none are
            with _naming(name, FitError), called(name):
                fits[name] = fitting.fits(model, sample, design, [metric], earlier.get(name))
        return fits

    most, default = limited
    try:
        if most is not None:
            return grown(design, most, default, current(), fit_all)
        return enough_replicates(design, fit_all, estimates)
    except KeyboardInterrupt as stop:
        return finished_models(stop, finished, list(models))


def _estimates(
    fits: FitsOf, metric: MetricLike, method: str, se: str | None, undefined: Undefined, baseline: str | None
) -> Iterator[Estimate | None]:
    """Of every model and every difference; None where the replicates are too few for one to be defined."""
    undefined = by_more_replicates(undefined)
    try:
        found = {name: estimate(f, metric, method, undefined=undefined) for name, f in fits.items()}
        yield from found.values()
        for a, b in pairs_of(found, None, baseline):
            yield difference(fits[a], fits[b], metric, method, se=se, undefined=undefined)
    except UndefinedError:
        yield None


def _check_margin(margin: float | None, metric: Metric) -> None:
    if margin is not None:
        check_margin(margin, metric.name, metric.bounds[1] - metric.bounds[0])


def comparison_of(
    fits: Mapping[str, Fits],
    metric: MetricLike,
    method: str | None = None,
    *,
    se: str | None = None,
    level: float = 0.95,
    margin: float | None = None,
    undefined: Undefined = "failed",
    baseline: str | None = None,
) -> Comparison:
    """The comparison of models that were fitted on one design; parameters as in `compare`."""
    names = list(fits)
    for name in names[1:]:
        check_paired(fits[names[0]], fits[name])
    first = fits[names[0]]
    bound = resolve(metric).bind(first.sample)
    _check_margin(margin, bound)
    method = recommend(first.design.kind, bound) if method is None else method
    find(method, first.design.kind, bound)  # an unknown method is not an error of one model
    estimates = {}
    for name, f in fits.items():
        with _naming(name, InputError):
            estimates[name] = estimate(f, metric, method, undefined=undefined)
    bound = bind(first, metric)
    used = {library: version for f in fits.values() for library, version in f.libraries.items()}
    differences, tests, beside = {}, {}, {}
    for pair in pairs_of(estimates, bound.higher_is_better, baseline):
        a, b = (fits[name] for name in pair)
        d = difference(a, b, metric, method, se=se, undefined=undefined)
        beside[pair] = other_errors(a, b, metric, method, d, undefined)
        differences[pair], test = judge_pair(a, b, d, bound)
        if test is not None:
            tests[pair] = test
    law = largest_difference(differences.values(), first.design.unit_sums)
    adjusted = {pair: law.adjusted(test.p_value) for pair, test in tests.items()}
    differences = noted(differences, adjusted, level, law.level_per_statistic(level))
    out = Comparison(
        verdict="",
        outcome="",
        metric=bound.name,
        method=method,
        higher_is_better=bound.higher_is_better,
        estimates=estimates,
        differences=EitherOrder(differences),
        tests=EitherOrder(tests),
        adjusted=EitherOrder(adjusted),
        law=law,
        other_se=EitherOrder(beside),
        pair=next(iter(differences)),
        baseline=baseline,
        say=_said,
        level=level,
        margin=margin,
        notes=(*pair_notes(differences), *_of_models(estimates), *why_stopped(first), *_other_pairs(names, baseline)),
        provenance={
            **provenance_of(replace(first, libraries=used), engine=False),
            **costs_of(first.sample, bound),
        },
        fits=fits,
        test_jointly=partial(joint_test, undefined=undefined),
    )
    best = out.ranking()[0]
    constant, who = cheapest_constant(first.sample, bound), f"{best}, the cheapest of these models, is not"
    costly = [*no_cheaper_than_constant(fits[best], estimates[best], constant, level, who, "k")]
    warn_of(*costly)
    return _with_verdict(replace(out, notes=(*out.notes, *costly)))


def _other_pairs(names: list[str], baseline: str | None) -> Iterator[Note]:
    """Where to find the pairs that the verdict about several models is not about."""
    if len(names) > 2 and baseline is None:
        message = "The verdict is about the two best models; baseline= compares each of the others with one model."
        yield Note("first-two-models", message)


def _of_models(estimates: Mapping[str, Estimate]) -> Iterator[Note]:
    """Why a model has no interval, or one that may be too short."""
    for name, e in estimates.items():
        yield from (
            note.about(name, model=name) for note in e.notes if note.code in ("heavy-tails", "no-se-heavy-tails")
        )


@contextmanager
def _naming(name: str, kind: type[TruenessError]) -> Iterator[None]:
    """An error of this kind names the model that it is about; what is undefined is so for all models."""
    try:
        yield
    except kind as error:
        if not isinstance(error, UndefinedError):
            error.of(name)
        raise


def _with_verdict(k: Comparison) -> Comparison:
    """The same with the verdict; of several models, about the best and the next."""
    return answered(replace(k, notes=(*k.notes, *_other_seeds(k))), partial(_question, k), _leader)


def _question(k: Comparison, pair: Pair) -> Question:
    same = identical(k.fits[pair[0]], k.fits[pair[1]])
    return Question.of(k, pair, margin=k.margin, identical=same, settle=_more_fits(k))


def _more_fits(k: Comparison) -> str:
    """What would settle an answer that depends on the seed: an option of `compare`, but of finished fits no longer."""
    return "more fits" if any(f.source is None for f in k.fits.values()) else "more fits (fits=)"


def _other_seeds(k: Comparison) -> Iterator[Note]:
    """A note where this is so of pairs that the verdict is not about."""
    pairs = [" − ".join(p) for p in k.differences if p != k.pair and depends_on_seed(k.p_range_of(p), k.level)]
    if pairs:
        said = f"whether p is below {1 - k.level:.2g} depends on the seed; {_more_fits(k)} would settle it."
        yield Note("depends-on-seed", f"{', '.join(pairs)}: {said}", pairs=pairs)


def _said(k: Comparison, pair: Pair) -> str:
    """The verdict about one pair."""
    return verdict(_question(k, pair))


MOST_NAMED = 5  # models that the best is not shown to differ from


def _leader(k: Comparison) -> str:
    """Which of several models comes first, and from which others it is not shown to differ."""
    order, what = k.ranking(), spoken(k.metric)
    extreme = "highest" if k.higher_is_better is None else "best"
    best, values = order[0], [k.estimates[name].value for name in order]
    first = [name for name, value in zip(order, values, strict=True) if math.isclose(value, values[0], abs_tol=1e-12)]
    if len(first) == len(order):
        return f"All {len(order)} models have the same {what}."
    if len(first) > 1:
        return f"Of {len(order)} models, {', '.join(first[:-1])} and {first[-1]} share the {extreme} {what}."
    of_best = {name: pair for pair in k.differences if best in pair for name in pair if name != best}
    untested = [name for name in order if name in of_best and k.differences[of_best[name]].se is None]
    rest = "significantly different from all others"
    if untested:
        rest = f"but cannot be tested against {listed(untested)}"
    elif close := [name for name in order if name in of_best and not _differ(k, of_best[name])]:
        who = listed(close) if len(close) <= MOST_NAMED else f"{len(close)} others"
        who = "any other" if len(close) == len(order) - 1 else who
        rest = f"but not significantly {'different from' if k.higher_is_better is None else 'better than'} {who}"
    return f"Of {len(order)} models, {best} has the {extreme} {what}, {rest}."


def _differ(k: Comparison, pair: Pair) -> bool:
    """Whether two models differ by the adjusted p-value and a standard error that is valid."""
    d = k.differences[pair]
    invalid = (d.se_method and d.se_method.ignores_training) or is_noisy(d)
    return not invalid and k.adjusted.get(pair, 1.0) < 1 - k.level


def _named(models: object) -> dict[str, Classifier | Fits]:
    if isinstance(models, Mapping):
        named = {str(k): v for k, v in models.items()}
    elif isinstance(models, (list, tuple, Iterator, ValuesView)):  # a model itself may be iterable, too
        named = {}
        for model in models:
            base = type(model[-1] if hasattr(model, "steps") else model).__name__
            name, k = base, 2
            while name in named:
                name, k = f"{base} {k}", k + 1
            named[name] = model
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
