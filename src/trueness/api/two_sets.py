"""two_sets: a model with a training set and an independent test set, and what each of the two adds to the
uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Unpack, overload

from trueness.api.design import describe, scores_for
from trueness.api.judge import judge_pair
from trueness.api.provenance import made
from trueness.api.two_sets_inputs import (
    Draw,
    Options,
    bootstrap_of,
    draws_of,
    metric_of,
    models_of,
    overlap_note,
    samples_of,
)
from trueness.checks import check_level, check_workers
from trueness.errors import FitError, TruenessError
from trueness.estimators import difference, estimate
from trueness.estimators.estimation import common_fits
from trueness.estimators.two_sets import Strata, moments_of, over_bootstrap_sets, over_training_sets, values_of
from trueness.fitting.described import versions
from trueness.fitting.limit import TimeLimit, check_fit_seconds, limited
from trueness.fitting.two_sets import RulesOnTestSet
from trueness.formulas.two_sets import require_pairs
from trueness.metrics import AUC, CaseLoss, MetricLike
from trueness.plans import Bootstrap, Plan
from trueness.result import Estimate, Note
from trueness.result.interval import WALD, IntervalRule
from trueness.result.note import warn_of
from trueness.result.two_sets import TwoSets, TwoSetsPair
from trueness.sample import Fits, Sample
from trueness.sample.seeds import seed_sequence
from trueness.sample.spellings import refuses_foreign
from trueness.typing import Classifier, Features, Label, Labels, Rng

THIS_RULE = "the rule trained on this training set"

BIASED = Note(
    "bootstrap-training-sets",
    "The training variance is that of bootstrap replicates of one training set, which hold about 63 % of its cases. It "
    "is usually too large: in simulations 1.1 (QDA) to 3 times (LDA), which makes √total 5 to 20 % too large. The "
    "testing variance hardly has this bias.",
)


@dataclass(frozen=True, eq=False)
class Rules:
    """One model: the rule of the whole training set, and those of the draws, by size; all on the test set."""

    model: str
    once: Fits
    fixed: Estimate
    by_size: dict[int, Fits]
    notes: tuple[Note, ...]


@overload
def two_sets(
    model: Mapping[str, Classifier],
    X_train: Features,
    y_train: Labels,
    X_test: Features,
    y_test: Labels,
    **options: Unpack[Options],
) -> TwoSetsPair: ...


@overload
def two_sets(
    model: Classifier,
    X_train: Features,
    y_train: Labels,
    X_test: Features,
    y_test: Labels,
    **options: Unpack[Options],
) -> TwoSets: ...


@refuses_foreign
def two_sets(
    model: Classifier | Mapping[str, Classifier],
    X_train: Features,
    y_train: Labels,
    X_test: Features,
    y_test: Labels,
    metric: MetricLike = "auc",
    plan: Plan | None = None,
    train_sizes: Sequence[float] = (0.25, 0.5),
    level: float = 0.95,
    positive: Label | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    fit_seconds: float | None = None,
) -> TwoSets | TwoSetsPair:
    """Assess a model with a training set and an independent test set.

    Three questions have three answers: how good is this rule (`t.fixed`, uncertain because the test set is finite), how
    good are rules from training sets of this size (`t.mean`, uncertain because both sets are finite), and which of the
    two sets makes it so uncertain (`t.variance`, `t.sizes()`, `t.plot()`).

    Parameters
    ----------
    model : estimator, or dict of two estimators
        A scikit-learn classifier or Pipeline; two by name for their difference on the same sets.
    X_train, y_train : array-like
        The training set.
    X_test, y_test : array-like
        The test set: cases that are independent of the training set, with the same features and classes.
    metric : str or Metric, default "auc"
        "auc" of two classes, or a mean of case losses: "error", "fnf", "fpf", "brier", `trueness.metrics.Cost(...)`. With
        `priors` the test set counts as stratified by class.
    plan : Bootstrap, optional
        How further training sets are drawn from the one there is; `Bootstrap(200)` by default. With
        `stratified="fixed"` the class sizes of the test set count as fixed, too.
    train_sizes : sequence of float, default (0.25, 0.5)
        Shares of the training set for which smaller training sets are drawn, as many as `plan` has, to show what
        training cases buy. Empty: none, and a third of the fits.
    level : float, default 0.95
        Level of the intervals in tables.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1 or booleans.
    rng : int, SeedSequence, Generator or None, default None
        The same seed gives the same numbers, for any `n_jobs`.
    n_jobs : int or None, default None
        Number of parallel workers (results do not depend on it).
    progress : bool or None, default None
        Whether to show a progress bar; None shows it on a terminal.
    fit_seconds : float, optional
        Longest time of one fit in seconds: one that takes longer counts as failed. All fits then run in worker
        processes, also with one job.

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
    begun = datetime.now(UTC)
    check_level(level)
    check_workers(n_jobs)
    check_fit_seconds(fit_seconds)
    plan = bootstrap_of(plan)
    models = models_of(model)
    training, test = samples_of(X_train, y_train, X_test, y_test, positive)
    chosen = metric_of(metric, test, plan)
    bound = chosen.bind(test)
    assert isinstance(bound, (AUC, CaseLoss))
    strata = Strata.of(bound, test)
    seed = seed_sequence(rng)
    draws = draws_of(training, plan, train_sizes, seed)
    require_pairs(len(draws[0].counts), min(strata.sizes))
    overlap = overlap_note(training, test)
    warn_of(overlap)
    rules = {}
    for name, each in models.items():
        try:
            with limited(fit_seconds) as limit:
                rules[name] = _rules(each, training, test, chosen, plan, draws, n_jobs, progress, limit)
        except TruenessError as error:
            raise error.of(name) from error.__cause__
    about = {
        "n_train": training.n,
        "n_test": test.n,
        "strata": strata.sizes,
        "level": level,
        "notes": () if overlap is None else (overlap,),
        "provenance": {
            "design": f"{training.n} training cases, {test.n} test cases; {plan.in_words()}",
            "plan": str(plan),
            "seed": seed.entropy,
            **versions(),
            **made(begun, training, test),
        },
    }
    singles = {name: _result(r, None, bound, strata, r.fixed, bound.interval, about) for name, r in rules.items()}
    if not isinstance(model, Mapping):
        return next(iter(singles.values()))
    a, b = rules.values()
    d = judge_pair(a.once, b.once, bound, "holdout", difference(a.once, b.once, chosen, "holdout"), level)[0]
    fixed = d.with_(estimand=THIS_RULE.replace("rule", "two rules"))
    pair = replace(a, model=" − ".join(rules), notes=())
    return TwoSetsPair(singles, _result(pair, b, bound, strata, fixed, WALD, about))


def _rules(
    model: Classifier,
    training: Sample,
    test: Sample,
    metric: AUC | CaseLoss,
    plan: Bootstrap,
    draws: Sequence[Draw],
    n_jobs: int | None,
    progress: bool | None,
    limit: TimeLimit | None,
) -> Rules:
    """Fit the model on all training sets."""
    tested = RulesOnTestSet(model, training, test, scores_for(model, [metric]), draws[0].seed, limit)
    fixed = estimate(tested.once, metric, "holdout").with_(estimand=THIS_RULE)
    by_size: dict[int, Fits] = {}
    notes = [*tested.once.notes, *fixed.notes]
    for draw in draws:
        try:
            fits = tested.many(draw.counts, draw.seed, plan, n_jobs, progress)
            by_size[draw.n_train] = fits.with_probabilities() if metric.needs == "probabilities" else fits
            notes += by_size[draw.n_train].notes
        except FitError as error:
            if draw.n_train == training.n:
                raise
            message = f"No rules of {draw.n_train} training cases: {error}"
            notes.append(Note("training-size-skipped", message, n_train=draw.n_train))
    return Rules(describe(model), tested.once, fixed, by_size, tuple(notes))


def _result(
    rules: Rules,
    minus: Rules | None,
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
            moments[n_train] = moments_of(metric, strata, fits)
            values[n_train] = values_of(metric, fits)
        elif n_train in minus.by_size:
            one, other = common_fits(fits, minus.by_size[n_train])
            moments[n_train] = moments_of(metric, strata, one, other)
            values[n_train] = values_of(metric, one) - values_of(metric, other)
    of = moments[about["n_train"]].components(strata.sizes)
    mean = over_training_sets(fixed, of, interval, rules.model)
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
