"""assess: one model on one data set, by every estimator that its plan allows; which of them to report, why others were
left out, and what the assessment warns of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np

from trueness.api.assessment import Assessment, Key
from trueness.api.call import Fitting, PlanLike, metrics_of, refuse_with_fits, require_cases, sample_of, trained_before
from trueness.api.runs import (
    FitsOf,
    advice,
    checked,
    costs_of,
    drawn,
    enough_replicates,
    grown,
    kept,
    made,
    plan_of,
    provenance_of,
)
from trueness.checks import check_flag, check_level, check_whole, refuses_foreign, unwarned
from trueness.errors import InputError, Interrupted, UndefinedError
from trueness.estimators.estimation import check_undefined, estimate
from trueness.estimators.influence.draws import check_tested
from trueness.estimators.method import Estimator, Undefined
from trueness.estimators.registry import available, recommend, recommended
from trueness.fitting.described import describe, parameters
from trueness.fitting.progress import Pace, Progress, called, current, current_name, name_of, paced
from trueness.leaks.check import findings_of, ignored_codes
from trueness.leaks.findings import Findings
from trueness.metrics.cost import Cost, Error
from trueness.metrics.metric import Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike, asks_for_predictions
from trueness.plans.plan import Plan
from trueness.result.estimate import Estimate
from trueness.result.notes import Note, warn_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.labels import two_values_note
from trueness.sample.left_out import check_threshold
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng, Workers

NO_PREDICTIONS = Note("no-predictions")

NO_SCORES = Note("no-scores")

MAX_REPLICATE_SCORES = 5e6  # cases × replicates above which the default plan leaves out what only its bootstrap answers


ROUNDING_ERROR = 1e-12  # a difference this small is 0: sums in another order
UNBALANCED = 0.4  # share of the smallest class, times the number of classes, below which the error rate misleads
UNKNOWN_SE = 0.1  # of an AUC without a standard error
SHARES = {"error", "accuracy"}  # of correct decisions, which a large class decides
MAJORITY = Note("majority")
CONSTANT = Note("constant")
SHARES_OF_CLASSES = Note("class-shares")
ALWAYS_MEAN = Note("always-mean")


@refuses_foreign
def assess(
    model: Classifier | Fits,
    X: Features = None,
    y: Labels | None = None,
    plan: PlanLike | None = None,
    metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] | None = None,
    *,
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
    undefined: Undefined = "failed",
    fits: int | None = None,
    seconds: float | None = None,
    name: str | None = None,
    ignore: str | Iterable[str] = (),
    threshold: float | None = None,
) -> Assessment:
    """Assess a classifier or a regressor: how good it is, and how sure we can be.

    Parameters
    ----------
    model : estimator or Fits
        A scikit-learn classifier, regressor or Pipeline. Put imputation, scaling and selection inside it, so that they
        are fitted on every training set. Or Fits, e.g. of `Fits.from_cv_results` or `Fits.from_frame`, without X and y:
        nothing is fitted.
    X : array-like, DataFrame or sparse matrix of shape (n, p), or n texts
        Features.
    y : array-like of shape (n,)
        Labels; for a regressor, numbers.
    plan : Plan, Design, splitter, int, iterable of (train, test) or "prefit", optional
        How training sets are drawn. By default cross-validation and a bootstrap (`CvBootstrap`) with about `fits` fits:
        the recommended estimate is about the rule trained on all cases. Others: `KFold(10, repeats=10)`, `Bootstrap()`
        (as many replicates as are needed) or `Bootstrap(1000)`, `LeaveOneOut()`, `MonteCarlo(100)`, `Holdout(.3)`,
        `NestedKFold(10)`, or a Design. Also a number of folds, any scikit-learn splitter (a `random_state` of None is
        filled from `rng`), or pairs of index arrays (train, test). "prefit": the model is fitted, and X, y are a test
        set; nothing is fitted.
    metrics : sequence of str, callable or Metric, or mapping, optional
        By default "error" and "auc", of a regressor "rmse", "mae" and "r2". Names, scikit-learn scorer names, functions
        f(y, score) of the labels in y and the scores of the positive class, or `trueness.metrics` objects; a mapping
        gives them names. Scorers that are metrics of trueness ("roc_auc") have its standard errors.
    level : float, default 0.95
        Level of the intervals in the table.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site). A group is never on both sides of a split.
    rng : int, SeedSequence, Generator or None, default None
        Seed; the same seed gives the same numbers, for any number of workers.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it).
    progress : bool or None, default None
        Whether to show how far the run is and, where it takes more than half a minute, how long it will take; None
        shows it on a terminal and in a notebook.
    engine : {"auto", "generic"}, default "auto"
        "auto" fits all training sets at once where that is faster, "generic" one by one, as in `trueness.fit`.
    store : path, optional
        File that keeps the fits as they are done. The same call goes on where another one was killed, to the same bits;
        one with more replicates fits only the new ones. Without `rng` it has the seed of the file. A file of other data
        or another plan is refused.
    checks : bool, default True
        Whether to look for leaks in the data first (`trueness.check` in its fast mode); findings are among the notes.
    fit_seconds : float, optional
        Longest time of one fit in seconds; one that takes longer counts as failed. As in `trueness.fit`.
    undefined : {"failed", "skip", "raise"}, default "failed"
        What is done with folds, cases and pairs that cannot be evaluated. "failed": those of fits that failed are left
        out, and the estimate says how many and what they could have changed (more than 10 % failed fits are an error).
        "skip": any of them are left out. "raise": none; a metric without an answer for this reason is an error.
    fits : int, optional
        Number of fits of the default plan, at least 60: a third of them are whole repeats of 10-fold cross-validation,
        the others bootstrap samples. 60 are 10 folds twice and 40 samples, with Student's quantile for 19 degrees of
        freedom. By default 100, and for models with a closed form up to 2400, which take less than a second (100
        where a metric is a scorer of scikit-learn or a function).
    seconds : float, optional
        Time for the fits: as many are made as fit into it, at least 60 (of other plans 2 repeats, 20 random splits, 5
        halvings or 100 replicates; of those without a shorter form, as leave-one-out, all), at most 1600 or those of the
        plan. A note says how many, and `fits` (or the plan) that repeats the run with the
        same seed. Where even the fewest would take much longer, an error says so after the first fits.
    name : str, optional
        What to call the model in titles, reports and texts. Its parameters that differ from their defaults are shown
        beside it; `a.parameters` has all of them.
    ignore : str or iterable of str, default ()
        Codes of checks that are not made, e.g. ("L006",).
    threshold : float, optional
        A declared threshold of two classes: decisions are positive where the probability of the positive class (of a
        model without probabilities, its decision function) is at least this, instead of the model's own, usually .5. It
        must not be chosen on these cases; `a.threshold(...)` chooses one, inside every training set.

    Returns
    -------
    Assessment

    Notes
    -----
    Ctrl-C at a prompt or in a notebook gives the assessment of the replicates or repeats that are finished, with a note
    (`interrupted`) and without those that were not; `a.continue_()` goes on. In a program it ends the call as usual.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> a = trueness.assess(GaussianNB(), X, y, metrics=["error"], rng=1)
    >>> print(a["error"])
    error cv+training: ...

    A scikit-learn splitter, and a fitted model with its test set:

    >>> from sklearn.model_selection import StratifiedKFold
    >>> print(trueness.assess(GaussianNB(), X, y, plan=StratifiedKFold(5), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    >>> fitted = GaussianNB().fit(X[::2], y[::2])
    >>> print(trueness.assess(fitted, X[1::2], y[1::2], plan="prefit", metrics="error")["error"])
    error holdout: 0.067 ± 0.027

    The result of `cross_validate`, without fitting again:

    >>> from sklearn.model_selection import cross_validate
    >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
    >>> print(trueness.assess(trueness.Fits.from_cv_results(results, X, y), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    """
    begun = datetime.now(UTC)
    check_level(level)
    check_flag("checks", checks)
    ignored = ignored_codes(ignore)
    check_undefined(undefined)
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise InputError("name must be a text", param="name", got=repr(name))
    if isinstance(model, Fits):
        refuse_with_fits(
            X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, store=store, fits=fits, seconds=seconds
        )
        check_tested(model.design)
        model = model if threshold is None else model.at_threshold(threshold)
        classes = model.sample.numbers is None
        first = model.parts[0] if model.parts else model
        unsaid = metrics is None and classes and first.held_predictions is None and first.threshold is None
        unscored = metrics is None and classes and not unsaid and first.held is None
        asked = metrics_of("auc" if unsaid else "error" if unscored else metrics, model.sample)
        notes = (NO_PREDICTIONS,) if unsaid else (NO_SCORES,) if unscored else ()
        known = name or model.name
        words = model.model or known or f"Fits ({model.engine})"
        made_before = assessment_of(model, asked, level, words, notes, undefined)
        if (source := model.source) is not None:  # which has warned of what was found
            told = tuple(dict.fromkeys((*source.found, *made_before.notes)))
            made_before = replace(made_before, notes=told, provenance={**made_before.provenance, **source.provenance})
        return replace(made_before, name=known)
    sample = sample_of([model], X, require_cases(X, y), plan, positive, groups)
    chosen = metrics_of(metrics, sample)
    asked_for = ((metric.bind(sample), None) for metric in chosen)
    recipe = plan_of(plan, [model], sample, asked_for, fits, engine, seconds)
    design, most = drawn(recipe, sample, rng, store, seconds)
    check_tested(design)
    if threshold is not None:
        check_threshold(sample, threshold)
    fixed = design.plan == "prefit"
    found = findings_of(sample, ignored, fixed_rule=fixed) if checks else None
    fitting = Fitting(n_jobs, progress, engine, store, fit_seconds)
    run = AssessRun(model, sample, chosen, level, fitting, found, None, undefined, plan is None, name or "", threshold)
    with called(name or current_name()), paced(Pace(seconds, advice(plan, fits))):
        return run.assessed(design, begun=begun, most=most)


@dataclass(frozen=True, eq=False)
class AssessRun:
    """A model, the cases with their features, and the options of a call: what it takes to go on with more fits."""

    model: Classifier
    sample: Sample
    metrics: list[Metric]
    level: float
    fitting: Fitting
    found: Findings | None
    planned: Design | None = None
    undefined: Undefined = "failed"
    default: bool = False  # whether the plan is the default one
    name: str = ""  # what the user calls the model
    threshold: float | None = None  # a declared one

    def assessed(
        self, design: Design, earlier: Fits | None = None, begun: datetime | None = None, most: object = None
    ) -> Assessment:
        """Fit and estimate, in limited time up to the fits of the plan `most`; after Ctrl-C, the result of the fits that
        are finished, which `rest` completes."""
        begun = begun or datetime.now(UTC)
        planned = None
        try:
            fits = self.fits(design, earlier, most)
        except Interrupted as stop:
            fits, planned = self._decided(kept(stop, self.fitting.store is not None)), design
        with Progress(None, self.fitting.progress, f"{name_of(self.model)}: computing standard errors"):
            found = (*(self.found or ()), *trained_before(self.model, design))
            a = assessment_of(fits, self.metrics, self.level, describe(self.model), found, self.undefined)
        provenance = {**a.provenance, **made(begun, self.sample), **checked(self.found)}
        run = replace(self, planned=planned)
        return replace(a, provenance=provenance, run=run, name=self.name, parameters=parameters(self.model))

    def fits(self, design: Design, earlier: Fits | None = None, most: object = None) -> Fits:
        """The fits on a design, or on as many replicates as are needed or as there is time for; those of `earlier` are
        not fitted again."""

        def fit_all(design: Design, known: FitsOf) -> FitsOf:
            with unwarned():  # they are in fits.notes, and issued later
                found = self.fitting.fitted(self.model, self.sample, design, self.metrics, known.get("", earlier))
                return {"": self._decided(found)}

        if most is not None:
            return grown(design, most, self.default, current(), fit_all)[""]
        return enough_replicates(design, fit_all, self._estimates)[""]

    def _decided(self, fits: Fits) -> Fits:
        return fits if self.threshold is None else fits.at_threshold(self.threshold)

    def _estimates(self, fits: FitsOf) -> Iterator[Estimate | None]:
        return recommended_estimates(fits[""], self.metrics, by_more_replicates(self.undefined))

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


def by_more_replicates(undefined: Undefined) -> Undefined:
    """While replicates can be added, cases and pairs that none has tested yet are not skipped."""
    return "failed" if undefined == "skip" else undefined


def recommended_estimates(
    fits: Fits, metrics: Iterable[Metric], undefined: Undefined = "failed"
) -> Iterator[Estimate | None]:
    """Of each metric by the recommended method; None where the replicates are too few for it to be defined."""
    for metric in metrics:
        bound = metric.bind(fits.sample)
        try:
            yield estimate(fits, metric, recommend(fits.design.kind, bound), undefined=undefined)
        except UndefinedError:
            yield None


def assessment_of(
    fits: Fits,
    metrics: Iterable[MetricLike],
    level: float,
    model: str,
    found: Iterable[Note] = (),
    undefined: Undefined = "failed",
) -> Assessment:
    """Every estimate that these fits of one model allow; `skipped` says why others were left out. The notes begin with
    what was `found` in the data."""
    metrics = tuple(metrics)
    found = (*found, *predictions_expected(metrics), *_declared(fits))
    with unwarned():  # they are in the notes of the estimates, and issued below
        estimates, skipped = _estimates(fits, metrics, undefined)
    kind, preferred = fits.design.kind, recommended(fits.design.kind)
    defined: dict[str, list[str]] = {}
    for name, method in estimates:
        defined.setdefault(name, []).append(method)
    bound = {name: resolve(m).bind(fits.sample) for m in metrics for name in [resolve(m).bind(fits.sample).name]}
    chosen = {m: recommend(kind, bound[m], known) for m, known in defined.items() if {*known} & {*preferred}}
    first = {metric: estimates[metric, method] for metric, method in chosen.items()}
    repeated = (
        n
        for (metric, method), e in estimates.items()
        for n in e.notes
        if n.scope == "data" or (n.scope == "result" and chosen.get(metric, method) == method)
    )
    warned = cautions(fits.design, first, estimates, level)
    for metric, e in first.items():
        warned += no_cheaper_than_constant(e, estimates.get((metric, "constant")), level)
    notes = dict.fromkeys((*found, *fits.design.notes, *fits.notes, *repeated, *warned))
    warn_of(*notes)
    return Assessment(
        estimates=estimates,
        model=model,
        level=level,
        notes=(*_two_values(fits.sample), *notes),
        provenance={**provenance_of(fits), **costs_of(fits.sample, *(resolve(m).bind(fits.sample) for m in metrics))},
        fits=fits,
        skipped=skipped,
        recommended=chosen,
        preferred=preferred,
    )


def _declared(fits: Fits) -> Iterator[Note]:
    """How decisions are made at a declared threshold."""
    first = fits.parts[0] if fits.parts else fits
    if first.threshold is not None and first.held_predictions is None:
        label = fits.sample.classes.tolist()[fits.require_positive()]
        yield Note("declared-threshold", label=label, decisions=first.decisions, threshold=first.threshold)


def _estimates(
    fits: Fits, metrics: Iterable[MetricLike], undefined: Undefined
) -> tuple[dict[Key, Estimate], dict[Key, Note]]:
    """Every estimate that these fits allow, and why others were skipped."""
    estimates: dict[Key, Estimate] = {}
    skipped: dict[Key, Note] = {}
    preferred = recommended(fits.design.kind)
    untrained = fits.design.is_test_set and fits.full_scores is None and fits.full_predictions is None
    for metric in (resolve(m) for m in metrics):
        bound, errors = metric.bind(fits.sample), {}
        for estimator in available(fits.design.kind, bound):
            key = bound.name, estimator.name
            if fits.design.kind in estimator.method.not_within or (estimator.name == "apparent" and untrained):
                continue
            if (too_long := _too_long(fits, bound, estimator)) is not None:
                skipped[key] = too_long
                continue
            try:
                estimates[key] = estimate(fits, metric, estimator.name, undefined=undefined)
            except UndefinedError as error:
                skipped[key] = Note(
                    "undefined",
                    reason=f"Skipped {'/'.join(key)}. {error.message()}",
                    metric=bound.name,
                    method=estimator.name,
                )
                errors[estimator.name] = error
        answers = {method for of, method in estimates if of == bound.name and method != "apparent"}
        if undefined == "raise" and errors and not (answers.intersection(preferred) if fits.failed else answers):
            raise errors[next(method for method in (*preferred, *errors) if method in errors)]
        if (bound.name, "cv+training") in estimates:
            estimates.update(_other_pairs(estimates[bound.name, "cv+training"]))
        if isinstance(bound, Error) and bound.name == "error":
            estimates["error", "majority"] = _majority(fits)
        if (constant := cheapest_constant(fits.sample, bound)) is not None:
            estimates[bound.name, "constant"] = constant
        if hasattr(bound, "of_class_shares"):  # a loss of probabilities
            estimates[bound.name, "shares"] = _always_the_shares(bound, bound.of_class_shares(fits.sample))
        if bound.target == "numbers" and (constant := _always_the_mean(fits, bound)) is not None:
            estimates[bound.name, "mean"] = constant
    return estimates, skipped


def _other_pairs(e: Estimate) -> dict[Key, Estimate]:
    """Beside an AUC between groups, that within them and that of all pairs."""
    about = {"within_groups": "cases of one group", "all_pairs": "all pairs of these cases, of one group or of two"}
    return {
        (e.metric, name): Estimate(value, metric=e.metric, method=name, estimand=about[name], bounds=e.bounds)
        for name, value in e.provenance.get("pairs", {}).items()
    }


def _too_long(fits: Fits, metric: Metric, estimator: Estimator) -> Note | None:
    """The one thing that is left out by itself: beside the recommended estimate of the default plan, what only its
    bootstrap answers, where it would read very many scores. What is asked for by name is always computed."""
    if fits.design.kind != "cv+bootstrap" or estimator.kinds != {"bootstrap"}:
        return None
    scores, limit = float(fits.parts[1].n_fits) * fits.sample.n, MAX_REPLICATE_SCORES
    if scores <= limit:
        return None
    return Note("too-many-scores", metric=metric.name, method=estimator.name, scores=scores, limit=limit)


def _majority(fits: Fits) -> Estimate:
    label = fits.sample.classes[fits.sample.sizes.argmax()]
    return Estimate(
        fits.sample.majority_error,
        metric="error",
        method="majority",
        estimand=f"always predicting {label}",
        bounds=(0.0, 1.0),
    ).noting(MAJORITY)


def cheapest_constant(sample: Sample, metric: Metric) -> Estimate | None:
    """The cost of the cheapest decision that is the same for all cases; None of other metrics."""
    if type(metric) is not Cost:
        return None
    code, value = metric.cheapest(sample)
    return Estimate(
        value,
        metric=metric.name,
        method="constant",
        estimand=f"always predicting {sample.classes[code]}",
        bounds=metric.bounds,
    ).noting(CONSTANT)


def no_cheaper_than_constant(e: Estimate, constant: Estimate | None, level: float) -> Iterator[Note]:
    """Where decisions of a model, or of the best of several, are not clearly cheaper than the same one for all cases."""
    if constant is None or e.se is None or (high := e.ci(level).high) < constant.value:
        return
    code = "dearer-than-constant" if e.value >= constant.value else "no-cheaper-than-constant"
    yield Note(code, metric=e.metric, cost=e.value, high=high, constant=constant.value)


def _always_the_mean(fits: Fits, metric: Metric) -> Estimate | None:
    """The metric of predicting for each case the mean target of all others, which needs no features; None where that says
    nothing."""
    truth = fits.sample.numbers
    assert truth is not None
    n = fits.sample.n
    if n < 2 or metric.higher_is_better is None or metric.bounds == (-1.0, 1.0):  # a mean error, a correlation
        return None
    others = (truth.sum() - truth) / (n - 1)
    block = Block(fits.sample.codes, np.zeros((1, n), dtype=np.uint8), others[None], None, np.array([-1]), truth)
    value = float(metric.rows(block, block.ones)[0])
    return Estimate(
        value, metric=metric.name, method="mean", estimand="always predicting the mean", bounds=metric.bounds
    ).noting(ALWAYS_MEAN)


def _always_the_shares(metric: Metric, loss: float) -> Estimate:
    """The loss of predicting the shares of the classes for every case."""
    words = "always predicting the shares of the classes"
    found = Estimate(loss, metric=metric.name, method="shares", estimand=words, bounds=metric.bounds)
    return found.noting(SHARES_OF_CLASSES)


def predictions_expected(metrics: Iterable[MetricLike]) -> Iterator[Note]:
    """A warning for each function that looks as if it expected predicted labels: it gets scores."""
    functions = [f for metric in metrics if callable(f := getattr(metric, "scorer", metric))]
    if not functions:
        return
    for function in functions:
        if asks_for_predictions(function):
            name = getattr(function, "__name__", "function")
            yield Note("function-gets-scores", metric=name)


def cautions(
    design: Design, first: Mapping[str, Estimate], estimates: Mapping[Key, Estimate], level: float
) -> list[Note]:
    """Unbalanced classes, class sizes taken as fixed, an error rate no better than the majority's, metrics that the
    default plan has no interval for. What a reader cannot act on is a remark: unbalanced classes where more than a share
    of correct decisions was asked for, and the majority's error where the AUC is more than its standard error above ½.
    Between that and an AUC of ½ or less, which is warned of, the majority's error is a note on the page.

    `first` are the recommended estimates.
    """
    sample = design.sample
    notes: list[Note | None] = [_unbalanced(sample)] if sample.numbers is None and set(first) <= SHARES else []
    if design.kind == "cv+bootstrap":
        notes += [
            Note("interval-of-folds", metric=metric)
            for metric, e in first.items()
            if e.method == "cv" and e.se is not None
        ]
    for metric, e in first.items():
        if metric == "error" and e.se is not None:
            notes.append(_no_better_than_majority(e, first.get("auc"), sample, level))
        notes.append(_no_better_than_mean(e, estimates.get((metric, "mean")), level))
    return [note for note in notes if note is not None]


def _two_values(sample: Sample) -> tuple[Note, ...]:
    """What was warned of when the sample was made."""
    note = None if sample.numbers is None else two_values_note(sample.numbers)
    return () if note is None else (note,)


def _unbalanced(sample: Sample) -> Note | None:
    share = float(sample.sizes.min() / sample.n)
    if share * sample.n_classes >= UNBALANCED:
        return None
    label = sample.classes[sample.sizes.argmin()].item()
    return Note("unbalanced-classes", share=share, label=label)


def _no_better_than_mean(e: Estimate, mean: Estimate | None, level: float) -> Note | None:
    """Where a squared error is not clearly below that of always predicting the mean."""
    if mean is None or e.metric not in ("rmse", "mse") or not e.se or e.ci(level).high < mean.value:
        return None
    return Note("no-better-than-mean", metric=e.metric, value=e.value, mean=mean.value)


def _no_better_than_majority(e: Estimate, auc: Estimate | None, sample: Sample, level: float) -> Note | None:
    high, majority = e.ci(level).high, sample.majority_error
    if high < majority:
        return None
    if auc is not None and auc.value - (auc.se or UNKNOWN_SE) > 0.5:  # another threshold may serve better
        return None
    code = "no-better-than-majority" if auc is not None and auc.value > 0.5 else "worse-than-chance"
    return Note(code, error=e.value, high=high, majority=majority)
