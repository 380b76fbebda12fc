"""two_sets: a model with a training set and an independent test set, and what each of the two adds to the uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, Unpack

import numpy as np

from trueness.api.call import Running, RunningOptions, scores_for
from trueness.api.judged import judged
from trueness.api.runs import made
from trueness.api.two_sets_result import TwoSets, TwoSetsPair
from trueness.checks import FIT, check_level, child, gathers, seed_sequence
from trueness.errors import FitError, InputError, TruenessError
from trueness.estimators.estimation import common_fits, difference, estimate
from trueness.estimators.two_sets import (
    Strata,
    moments_of,
    over_bootstrap_sets,
    over_training_sets,
    require_pairs,
    values_of,
)
from trueness.fitting.described import describe, versions
from trueness.fitting.engine import check_options, fit
from trueness.fitting.one import (
    Fitter,
    before_all_others,
    check_failures,
    encoding_notes,
    train_encoding,
    warning_notes,
    with_generators,
)
from trueness.fitting.progress import Progress
from trueness.fitting.workers import TimeLimit, check_fit_seconds, limited, run_chunks, workers_of
from trueness.leaks.copies import shared_rows
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.plan import Plan, strata_of, units_of
from trueness.result.estimate import Estimate
from trueness.result.interval import WALD, IntervalRule
from trueness.result.notes import Note, warn_of
from trueness.sample.asked import AnswerTable, offers_of, response_of, task_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.labels import Task
from trueness.sample.sample import Sample, without_single_groups
from trueness.typing import Array, Classifier, Features, Label, Labels, Rng

SMALLER = 2  # spawn key of the smaller training sets, after DRAW and FIT
LEAST_PER_CLASS = 2  # cases of a class in a smaller training set


class Draw(NamedTuple):
    """Training sets of one size drawn from the training set: counts (B, n)."""

    n_train: int
    counts: Array
    seed: np.random.SeedSequence


def samples_of(
    X_train: Features,
    y_train: Labels,
    X_test: Features,
    y_test: Labels,
    positive: Label | None,
    groups_train: Labels | None = None,
    groups_test: Labels | None = None,
    kind: Task = "classification",
) -> tuple[Sample, Sample]:
    """Both sets, with the classes of the training set; an error where their features differ."""
    training = _sample("train", y_train, X=X_train, positive=positive, groups=groups_train, kind=kind)
    known = training.classes if kind == "classification" else None
    test = _sample("test", y_test, X=X_test, positive=positive, groups=groups_test, classes=known, least=1, kind=kind)
    groups = [{*np.asarray(each).tolist()} for each in (groups_train, groups_test) if each is not None]
    if len(groups) == 2 and (shared := groups[0] & groups[1]):
        got, fix = ", ".join(sorted(map(repr, shared))[:5]), "Keep each group in one of the sets"
        raise InputError("Groups are in both sets, so they are not independent", param="groups_test", got=got, fix=fix)
    names = [[*map(str, X.columns)] for X in (X_train, X_test) if hasattr(X, "columns")]
    widths = [np.shape(X)[1:] for X in (training.X, test.X) if hasattr(X, "shape")]
    for seen in (names, widths):
        if len(seen) == 2 and seen[0] != seen[1]:
            fix = f"Select the {len(seen[0])} columns of X_train, in their order"
            raise InputError("The two sets have different columns", param="X_test", got=str(seen[1][:5]), fix=fix)
    return training, test


def _sample(which: str, y: Labels, **options: Any) -> Sample:
    """The sample; errors name the parameter of this call."""
    try:
        return without_single_groups(Sample.of(y, **options))
    except InputError as error:
        if error.param in ("X", "y", "groups"):
            error.param = f"{error.param}_{which}"
        raise error.of("training set" if which == "train" else "test set") from None


def metric_of(metric: MetricLike, test: Sample, plan: Bootstrap) -> AUC | CaseLoss:
    """The metric; with the shares of the classes as priors where the plan says that class sizes are fixed."""
    chosen = resolve(metric)
    bound = chosen.bind(test)
    if isinstance(chosen, AUC) and test.n_classes == 2:
        return chosen
    if isinstance(chosen, CaseLoss) and isinstance(bound, CaseLoss):
        if plan.stratified != "fixed" or bound.class_weights is not None or test.numbers is not None:
            return chosen
        order = [1 - test.require_positive(), test.require_positive()] if test.n_classes == 2 else slice(None)
        return replace(chosen, priors=(test.sizes / test.n)[order])
    raise InputError(
        "The variance over training and test sets is known for the AUC of two classes and for means of case losses",
        param="metric",
        got=bound.name,
        fix="Use metric='error', or for numbers metric='mse'",
    )


def draws_of(training: Sample, plan: Bootstrap, shares: Sequence[float], seed: np.random.SeedSequence) -> list[Draw]:
    """Bootstrap training sets of the size of the training set, and of the smaller sizes: m of n with replacement."""
    whole = plan.draw(training, rng=seed)
    draws = [Draw(training.n, whole.rows(slice(None)), seed)]
    unit, codes, _ = units_of(training)
    strata = strata_of(codes, whole.stratified)
    try:
        wanted = np.unique(np.asarray(shares, dtype=float)).tolist()
    except (TypeError, ValueError):
        raise InputError("train_sizes must be numbers", param="train_sizes", got=repr(shares)) from None
    for k, share in enumerate(wanted):
        if not 0 < share < 1:
            raise InputError("train_sizes are shares of the training set", param="train_sizes", got=share)
        sizes = [round(share * len(members)) for members in strata]
        if min(sizes) < LEAST_PER_CLASS:
            continue
        rng = np.random.default_rng(child(seed, SMALLER, k))
        fewer = np.zeros((whole.n_fits, len(codes)), dtype=np.int64)
        for members, size in zip(strata, sizes, strict=True):
            fewer[:, members] = rng.multinomial(size, np.full(len(members), 1 / len(members)), len(fewer))
        cases = sum(sizes) if training.groups is None else round(share * training.n)
        draws.append(Draw(cases, fewer[:, unit], child(seed, SMALLER, k)))
    return draws


TASKS_PER_WORKER = 16


def _trained(
    limit: TimeLimit | None, model: Classifier, training: Sample, seed: np.random.SeedSequence
) -> tuple[Classifier, Sample]:
    with before_all_others(limit, f"the {training.n} training cases"):
        return train_encoding(model, training, np.arange(training.n), seed)


THIS_RULE, THESE_RULES = "the rule trained on this training set", "the two rules trained on this training set"
BIASED = Note("bootstrap-training-sets")


class RulesBySize(NamedTuple):
    """One model: the rule of the whole training set, and those of the draws, by size; all on the test set."""

    model: str
    once: Fits
    fixed: Estimate
    by_size: dict[int, Fits]
    notes: tuple[Note, ...]


@gathers(Running)
def two_sets(
    model: Classifier | Mapping[str, Classifier],
    X_train: Features,
    y_train: Labels,
    X_test: Features,
    y_test: Labels,
    *,
    metric: MetricLike | None = None,
    plan: Plan | None = None,
    train_sizes: Sequence[float] = (0.25, 0.5),
    level: float = 0.95,
    positive: Label | None = None,
    rng: Rng = None,
    groups_train: Labels | None = None,
    groups_test: Labels | None = None,
    **options: Unpack[RunningOptions],
) -> TwoSets | TwoSetsPair:
    """Assess a model with a training set and an independent test set.

    Three questions have three answers: how good is this rule (`t.fixed`, uncertain because the test set is finite), how
    good are rules from training sets of this size (`t.mean`, uncertain because both sets are finite), and which of the
    two sets makes it so uncertain (`t.variance`, `t.sizes()`, `t.plot()`).

    Parameters
    ----------
    model : estimator, or dict of two estimators
        A scikit-learn classifier, regressor or Pipeline; two by name for their difference on the same sets.
    X_train, y_train : array-like
        The training set.
    X_test, y_test : array-like
        The test set: cases that are independent of the training set, with the same features and classes.
    metric : str or Metric, optional
        By default "auc", of regressors "mse". "auc" of two classes, or a mean of case losses: "error", "fnf", "fpf",
        "brier", "mse", "mae", `trueness.metrics.Cost(...)`. With `priors` the test set counts as stratified by class.
    plan : Bootstrap, optional
        How further training sets are drawn from the one there is; `Bootstrap(200)` by default. With
        `stratified="fixed"` the class sizes of the test set count as fixed, too.
    train_sizes : sequence of float, default (0.25, 0.5)
        Shares of the training set for which smaller training sets are drawn, as many as `plan` has, to show what
        training cases buy. Empty: none, and a third of the fits.
    level : float, default 0.95
        Level of the intervals in tables.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
    rng : int, SeedSequence, Generator or None, default None
        The same seed gives the same numbers, for any `n_jobs`.
    n_jobs : int or None, default None
        Number of parallel workers (results do not depend on it).
    progress : bool or None, default None
        Whether to show a progress bar; None shows it on a terminal.
    fit_seconds : float, optional
        Longest time of one fit in seconds: one that takes longer counts as failed. All fits then run in worker
        processes, also with one job.
    groups_train, groups_test : array-like, optional
        Group (patient, site) of each training case and of each test case; either may be left out. Bootstrap training
        sets then hold whole groups, with the mean number of cases as their size, and test variances count groups as the
        independent units (for an AUC to first order). A group in both sets is an error; groups of one case each are no
        groups.

    Returns
    -------
    TwoSets
        With `fixed`, `mean`, `bootstrap` (Estimates), `variance`, `sizes()` and `plot()`. For two models a TwoSetsPair:
        `t["name"]` and `t.difference` (first − second) are TwoSets.

    Raises
    ------
    InputError
        Where the two sets, the metric or the plan do not fit together.
    UndefinedError
        With fewer than 2 training sets, or fewer than 2 test cases of a class that the metric needs.

    See Also
    --------
    assess : one data set, of which every case trains and tests.

    References
    ----------
    Yousef, Wagner & Loew (2006), Assessing classifiers from two independent data sets using ROC analysis. Chen, Gallas
    & Yousef (2012), Classifier variability: accounting for training and testing.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> t = trueness.two_sets(GaussianNB(), X[::2, :5], y[::2], X[1::2, :5], y[1::2], plan=trueness.Bootstrap(50), rng=0)
    >>> print(t.fixed)
    auc holdout: 0.937 ± 0.014
    >>> sorted(t.variance)
    ['testing', 'total', 'training']
    """
    running, begun = Running(**options), datetime.now(UTC)
    check_level(level)
    check_fit_seconds(running.fit_seconds)
    models, plan = dict(model) if isinstance(model, Mapping) else {"": model}, Bootstrap(200) if plan is None else plan
    if isinstance(model, Mapping) and len(models) != 2:
        fix = 'Pass one model, or {"a": one, "b": other}'
        raise InputError("A difference is of exactly 2 models", param="model", got=len(models), fix=fix)
    if not isinstance(plan, Bootstrap):
        fix = "Use e.g. plan=Bootstrap(200)"
        raise InputError("plan must be a bootstrap", param="plan", got=repr(plan), fix=fix)
    kind = task_of(models.values())
    training, test = samples_of(X_train, y_train, X_test, y_test, positive, groups_train, groups_test, kind)
    usual = "mse" if kind == "regression" else "auc" if test.n_classes == 2 else "error"
    chosen = metric_of(usual if metric is None else metric, test, plan)
    bound = chosen.bind(test)
    assert isinstance(bound, (AUC, CaseLoss))
    strata, seed = Strata.of(bound, test), seed_sequence(rng)
    draws = draws_of(training, plan, train_sizes, seed)
    require_pairs(len(draws[0].counts), min(strata.sizes))
    rows, copied = shared_rows(training, test.X)  # copies are no chance (L008)
    overlap = [Note("test-rows-copied" if copied else "test-rows-in-training", rows=rows)] if rows else []
    warn_of(*overlap)
    rules = {}
    for name, each in models.items():
        try:
            rules[name] = _rules(each, training, test, chosen, plan, draws, running)
        except TruenessError as error:
            raise error.of(name) from error.__cause__
    sizes = {"training": training.cases_and_groups, "test": test.cases_and_groups}
    sets = ", ".join(words.replace("cases", f"{which} cases", 1) for which, words in sizes.items())
    origin = {
        "design": f"{sets}; {plan.in_words()}",
        "plan": str(plan),
        "seed": seed.entropy,
        **versions(),
        **made(begun, training, test),
    }
    libraries = {name: version for r in rules.values() for name, version in r.once.libraries.items()}
    about = {
        **{"n_train": training.n, "n_test": test.n, "strata": strata.sizes, "level": level},
        **{"notes": tuple(overlap), "provenance": {**origin, "libraries": libraries}},
    }
    singles = {name: _result(r, None, bound, strata, r.fixed, bound.interval, about) for name, r in rules.items()}
    if not isinstance(model, Mapping):
        return singles[""]
    a, b = rules.values()
    d = judged(a.once, b.once, difference(a.once, b.once, chosen, "holdout"), bound)
    pair = a._replace(model=" − ".join(rules), notes=())
    return TwoSetsPair(singles, _result(pair, b, bound, strata, d.with_(estimand=THESE_RULES), WALD, about))


def _rules(
    model: Classifier,
    training: Sample,
    test: Sample,
    metric: AUC | CaseLoss,
    plan: Bootstrap,
    draws: Sequence[Draw],
    running: Running,
) -> RulesBySize:
    """Fit the model on all training sets. The Fits have the cases of the test set, which no rule has seen."""
    check_options(model, "auto", None)
    scores, n_jobs, by_size = scores_for(model, [metric]), running.n_jobs, dict[int, Fits]()
    own = child(draws[0].seed, FIT, 0)

    def design_of(n_fits: int, plan: object, seed: np.random.SeedSequence) -> Design:
        counts = np.zeros((n_fits, test.n), dtype=np.uint8)
        return Design("holdout", plan, replace(test, X=None), False, stored=counts, seed=seed)

    with limited(running.fit_seconds) as limit:
        whole, task = ["the fit on the training set"], (model, training, own)
        ((_, (rule, encoded)),) = run_chunks(_trained, limit, whole, lambda _: task, 1, limit=limit)
        asked = replace(test, classes=encoded.classes)
        response = response_of(offers_of(rule), scores, test)
        design = design_of(1, "the training set", draws[0].seed)
        labels = replace(design, sample=replace(asked, X=None))
        once = with_generators(own, lambda: fit(rule, test.X, asked, labels, scores=scores))
        once = replace(once, design=design, notes=(*encoding_notes(training, encoded), *once.notes))
        fixed = estimate(once, metric, "holdout").with_(estimand=THIS_RULE)
        notes, fitter = [*once.notes, *fixed.notes], Fitter(model, encoded, response, False, asked, limit)
        for n_train, counts, seed in draws:
            size = -(-len(counts) // (TASKS_PER_WORKER * workers_of(n_jobs)))
            parts = [range(start, min(start + size, len(counts))) for start in range(0, len(counts), size)]

            def arguments(
                part: range, counts: Array = counts, seed: np.random.SeedSequence = seed
            ) -> tuple[Array, list[np.random.SeedSequence]]:
                return counts[part.start : part.stop], [child(seed, FIT, f) for f in part]

            table = AnswerTable(design_of(len(counts), plan, seed), test, scored=response != "none")
            with Progress(len(counts), running.progress) as bar:
                for part, found in run_chunks(Fitter.fits, fitter, parts, arguments, n_jobs, limit=limit):
                    for f, answer in zip(part, found, strict=True):
                        table.put(f, answer)
                    bar.advance(len(part))
            try:
                check_failures(table.failed, len(counts))
            except FitError as error:
                if n_train == training.n:
                    raise
                notes.append(Note("training-size-skipped", n_train=n_train, reason=str(error)))
                continue
            fits = Fits.of_table(table, response)
            notes += warning_notes(fits.warned, len(counts))
            by_size[n_train] = fits.with_probabilities() if metric.needs == "probabilities" else fits
    return RulesBySize(describe(model), once, fixed, by_size, tuple(notes))


def _result(
    rules: RulesBySize,
    minus: RulesBySize | None,
    metric: AUC | CaseLoss,
    strata: Strata,
    fixed: Estimate,
    interval: IntervalRule,
    about: Mapping[str, Any],
) -> TwoSets:
    """Estimates and moments of one model, or of the difference to a second one."""
    moments, values = {}, {}
    for n_train, fits in sorted(rules.by_size.items()):
        if minus is None:
            moments[n_train], values[n_train] = moments_of(metric, strata, fits), values_of(metric, fits)
        elif n_train in minus.by_size:
            one, other = common_fits(fits, minus.by_size[n_train])
            moments[n_train] = moments_of(metric, strata, one, other)
            values[n_train] = values_of(metric, one) - values_of(metric, other)
    of = moments[about["n_train"]].components(strata.sizes)
    mean = over_training_sets(fixed, of, interval)
    bootstrap = over_bootstrap_sets(fixed, values[about["n_train"]], of, interval)
    notes = (*about["notes"], *rules.notes, *fixed.notes, *mean.notes, *bootstrap.notes, BIASED)
    return TwoSets(
        model=rules.model,
        fixed=fixed,
        mean=mean.noting(BIASED),
        bootstrap=bootstrap,
        moments=moments,
        means={n_train: float(v.mean()) for n_train, v in values.items()},
        fits=rules.once if minus is None else None,
        **{**about, "notes": tuple(dict.fromkeys(notes))},
    )
