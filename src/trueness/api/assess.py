"""assess: one model on one data set, by every estimator that its plan allows; which of them to report, and why others were
left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Unpack

from trueness.api.assessment import Assessment, Key
from trueness.api.call import (
    Fitting,
    FittingOptions,
    PlanLike,
    metrics_of,
    refuse_with_fits,
    sample_of,
)
from trueness.api.cautions import cautions, trivial
from trueness.api.runs import (
    FitsOf,
    drawn,
    enough_replicates,
    grown,
    made,
    plan_of,
    provenance_of,
)
from trueness.checks import check_flag, check_level, check_whole, gathers, refuses_foreign, unwarned
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import bind, check_undefined, estimate
from trueness.estimators.influence.draws import check_tested
from trueness.estimators.method import Estimator, Undefined
from trueness.estimators.registry import available, recommend, recommended
from trueness.fitting.described import describe, parameters
from trueness.fitting.progress import PACE, Progress, name_of, paced
from trueness.leaks.check import findings_of, ignored_codes
from trueness.leaks.findings import Findings
from trueness.metrics.metric import Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.plans.plan import Plan
from trueness.result.estimate import Estimate
from trueness.result.notes import Note, warn_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.labels import two_values_note
from trueness.sample.left_out import check_threshold
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng

MAX_REPLICATE_SCORES = 5e6  # cases × replicates above which the default plan leaves out what only its bootstrap answers
NO_PREDICTIONS = Note("no-predictions")
NO_SCORES = Note("no-scores")


@refuses_foreign
@gathers(Fitting)
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
    checks: bool = True,
    undefined: Undefined = "failed",
    name: str | None = None,
    threshold: float | None = None,
    **options: Unpack[FittingOptions],
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
        The same seed gives the same numbers, for any `n_jobs`.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it).
    progress : bool or None, default None
        Whether to show how far the run is and, where it takes more than half a minute, how long it will take; None
        shows it on a terminal and in a notebook.
    engine : {"auto", "generic"}, default "auto"
        As in `trueness.fit`.
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
    fitting, begun = Fitting(**options), datetime.now(UTC)
    check_level(level)
    check_flag("checks", checks)
    check_undefined(undefined)
    ignored = ignored_codes(fitting.ignore)
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise InputError("name must be a text", param="name", got=repr(name))
    if isinstance(model, Fits):
        refuse_with_fits(X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, **fitting.of_fits())
        fits = model if threshold is None else model.at_threshold(threshold)
        return replace(_of_fits(fits, metrics, level, name or "", undefined), name=name or model.name)
    sample = sample_of([model], X, y, plan, positive, groups)
    chosen = metrics_of(metrics, sample)
    asked = [(metric.bind(sample), None) for metric in chosen]
    recipe = plan_of(plan, [model], sample, asked, fitting.fits, fitting.seconds)
    design, most = drawn(recipe, sample, rng, fitting.store, fitting.seconds)
    check_tested(design)
    if threshold is not None:
        check_threshold(sample, threshold)
    found = findings_of(sample, ignored) if checks else None
    run = AssessRun(model, sample, chosen, level, fitting, found, undefined, name or "", threshold)
    with paced(replace(fitting.pace(plan), name=name or "")):
        return run.assessed(design, begun=begun, most=most)


def _of_fits(fits: Fits, metrics: object, level: float, name: str, undefined: Undefined) -> Assessment:
    """The assessment of fits that were made already; without metrics, of what they hold."""
    check_tested(fits.design)
    first, notes = fits.first, tuple[Note, ...]()
    if metrics is None and fits.sample.numbers is None:
        if first.held_predictions is None and first.threshold is None:
            metrics, notes = "auc", (NO_PREDICTIONS,)
        elif first.held is None:
            metrics, notes = "error", (NO_SCORES,)
    words = fits.model or name or fits.name or f"Fits ({fits.engine})"
    a = assessment_of(fits, metrics_of(metrics, fits.sample), level, words, notes, undefined)  # type: ignore[arg-type]
    if fits.source is None:
        return a
    told = dict.fromkeys((*fits.source.found, *a.notes))  # of which it has warned
    return replace(a, notes=tuple(told), provenance={**a.provenance, **fits.source.provenance})


@dataclass(frozen=True, eq=False)
class AssessRun:
    """A model, the cases with their features, and the options of a call: what it takes to go on with more fits."""

    model: Classifier
    sample: Sample
    metrics: list[Metric]
    level: float
    fitting: Fitting
    found: Findings | None
    undefined: Undefined
    name: str  # what the user calls the model
    threshold: float | None  # a declared one

    def assessed(
        self, design: Design, earlier: Fits | None = None, begun: datetime | None = None, most: object = None
    ) -> Assessment:
        """Fit and estimate, on as many replicates as are needed, or in limited time up to the fits of the plan `most`; those
        of `earlier` are not fitted again."""
        begun = begun or datetime.now(UTC)

        def fit_all(design: Design, known: FitsOf) -> FitsOf:
            with unwarned():  # they are in fits.notes, and issued later
                found = self.fitting.fitted(self.model, self.sample, design, self.metrics, known.get("", earlier))
            return {"": found if self.threshold is None else found.at_threshold(self.threshold)}

        if most is None:
            fits = enough_replicates(design, fit_all, self._precise)[""]
        else:
            fits = grown(design, most, PACE.get(), fit_all)[""]
        with Progress(None, self.fitting.progress, f"{name_of(self.model)}: computing standard errors"):
            a = assessment_of(fits, self.metrics, self.level, describe(self.model), self.found or (), self.undefined)
        provenance = {**a.provenance, **made(begun, self.sample, found=self.found)}
        return replace(a, provenance=provenance, run=self, name=self.name, parameters=parameters(self.model))

    def _precise(self, fits: FitsOf) -> Iterator[Estimate | None]:
        """The number to report of each metric; None where the replicates are too few for it to be defined."""
        of, undefined = fits[""], by_more_replicates(self.undefined)
        for metric in self.metrics:
            method = recommend(of.design.kind, metric.bind(of.sample))
            try:
                yield estimate(of, metric, method, undefined=undefined)
            except UndefinedError:
                yield None

    def longer(self, fits: Fits, n: int | None) -> Assessment:
        """With n more replicates or repeats; without n, as many again."""
        plan = fits.design.plan
        if not isinstance(plan, Plan):
            raise InputError("Only the design of a plan can be continued", param="plan", got=str(plan))
        n = getattr(plan, "repeats", fits.n_fits) if n is None else n
        check_whole("n", n, 1)
        return self.assessed(plan.longer(int(n), fits.design).draw(fits.sample, rng=fits.design.seed), fits)


def by_more_replicates(undefined: Undefined) -> Undefined:
    """While replicates can be added, cases and pairs that none has tested yet are not skipped."""
    return "failed" if undefined == "skip" else undefined


@dataclass(frozen=True, eq=False)
class OnDemand(Mapping[Key, Any]):
    """The answers of one kind, by (metric, method): each is computed once, when it is asked for; all when they are listed."""

    cells: Mapping[Key, Callable[[], object]]
    kind: type

    def __getitem__(self, key: Key) -> Any:
        if not isinstance(found := self.cells[key](), self.kind):
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self.cells if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reduce__(self) -> tuple[object, ...]:  # functions may not pickle, so all are computed
        return dict, (dict(self),)


def assessment_of(
    fits: Fits,
    metrics: Iterable[MetricLike],
    level: float,
    model: str,
    found: Iterable[Note] = (),
    undefined: Undefined = "failed",
) -> Assessment:
    """The recommended estimates of these fits of one model; the others, and why some were skipped, when they are asked
    for. The notes begin with what was `found` in the data. Where a number to report has no interval, all are computed."""
    sample, preferred = fits.sample, recommended(fits.design.kind)
    asked = [resolve(metric) for metric in metrics]
    bound = [metric.bind(sample) for metric in asked]
    names = tuple(metric.name for metric in bound)
    cells = {(name, k): cell for name, m in zip(names, asked, strict=True) for k, cell in _cells(fits, m, undefined)}
    estimates, skipped = OnDemand(cells, Estimate), OnDemand(cells, Note)
    best = {name: next((k for k in preferred if (name, k) in estimates), None) for name in names}
    chosen = {name: method for name, method in best.items() if method is not None}
    unsure = [name for name in names if name not in chosen or not estimates[name, chosen[name]].has_interval]
    if undefined == "raise":
        for name, metric in zip(names, asked, strict=True):
            _raise_undefined(fits, metric, [k for m, k in estimates if m == name], [k for m, k in skipped if m == name])
    told = (
        note
        for name, method in (estimates if unsure or undefined == "raise" else chosen.items())
        for note in estimates[name, method].notes
        if note.scope == "data" or (note.scope == "result" and (name in unsure or chosen[name] == method))
    )
    warned = cautions(fits, asked, estimates, chosen, level)
    notes = dict.fromkeys((*found, *fits.design.notes, *fits.notes, *told, *warned))
    warn_of(*notes)
    of_numbers = None if sample.numbers is None else two_values_note(sample.numbers)
    return Assessment(
        estimates=estimates,
        model=model,
        level=level,
        notes=tuple(note for note in (of_numbers, *notes) if note is not None),
        provenance=provenance_of(fits, *bound),
        fits=fits,
        skipped=skipped,
        recommended=chosen,
        preferred=preferred,
        fitted=fits.design.is_test_set,
        metrics=names,
    )


def _raise_undefined(fits: Fits, metric: Metric, answers: Iterable[str], skipped: Iterable[str]) -> None:
    """An error where nothing is defined, or where fits failed, no number to report."""
    first = recommended(fits.design.kind)
    usable = set(first) if fits.failed else {e.name for e in available(fits.design.kind, bind(fits, metric))}
    if usable.isdisjoint({*answers} - {"apparent"}):
        for method in sorted(skipped, key=[*first, *skipped].index):
            estimate(fits, metric, method)


def _cells(fits: Fits, metric: Metric, undefined: Undefined) -> Iterator[tuple[str, Callable[[], object]]]:
    """How each estimate of a metric is computed, by its method in the order of tables."""
    kind = fits.design.kind
    untrained = fits.design.is_test_set and fits.full_scores is None and fits.full_predictions is None
    for estimator in available(kind, metric.bind(fits.sample)):
        if kind not in estimator.method.not_within and not (estimator.name == "apparent" and untrained):
            yield estimator.name, cache(partial(_answer, fits, metric, estimator, undefined))
    yield from ((e.method, lambda e=e: e) for e in trivial(fits.sample, bind(fits, metric)))


def _answer(fits: Fits, metric: Metric, estimator: Estimator, undefined: Undefined) -> Estimate | Note:
    """An estimate, or why it is skipped: it is undefined, or of the default plan, whose bootstrap alone answers, it would
    read very many scores. What is asked for by name is always computed."""
    name = metric.bind(fits.sample).name
    if fits.design.kind == "cv+bootstrap" and estimator.method.kinds == {"bootstrap"}:
        scores = float(fits.parts[1].n_fits) * fits.sample.n
        if scores > MAX_REPLICATE_SCORES:
            return Note("too-many-scores", metric=name, method=estimator.name, scores=scores)
    try:
        with unwarned():  # they are in the notes of the estimate
            return estimate(fits, metric, estimator.name, undefined=undefined)
    except UndefinedError as error:
        reason = f"Skipped {name}/{estimator.name}. {error.message()}"
        return Note("undefined", reason=reason, metric=name, method=estimator.name)
