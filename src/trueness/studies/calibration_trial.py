"""One trial of the calibration study: every estimate, standard error and interval of one rule, or of a difference."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from trueness.checks import FIT, child
from trueness.errors import TruenessError, TruenessWarning
from trueness.estimators.estimation import bind, difference, estimate
from trueness.estimators.registry import available
from trueness.fitting.one import train
from trueness.formulas.proportions import METHODS
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.plan import Plan
from trueness.plans.splits import Holdout, KFold, NestedKFold
from trueness.result.estimate import Estimate
from trueness.result.words import Estimand
from trueness.sample.design import Kind
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.studies import models
from trueness.studies.populations import Gaussians, two_gaussians
from trueness.studies.trial import CASES, Trial
from trueness.studies.truth import Truth
from trueness.typing import Classifier

N_FEATURES, DISTANCE = 2, 1.5
MODELS: dict[str, Callable[[], Classifier]] = {
    "LDA": models.lda,
    "QDA": models.qda,
    "1-NN": models.nearest_neighbours,
    "logistic": models.logistic,
    "tree": models.tree,
}
METRICS = ("error", "auc")
PLANS_OF_DIFFERENCES = ("bootstrap", "5 × K-fold", "holdout")
LEVEL = 0.95
INTERVALS = ("wald", "logit", "wilson", "t")  # besides the default one of every estimate
LIMITS = tuple(f"{kind} {end}" for kind in INTERVALS for end in ("low", "high"))
PARTS = ("value", "se", "low", "high", *LIMITS)
PROPORTIONS = tuple(METHODS)  # the ten intervals of a proportion


@dataclass(frozen=True, eq=False)
class CalibrationSetting:
    """What a trial needs."""

    models: tuple[str, ...]  # one rule, or two for their difference
    sizes: tuple[int, int]
    truth: Truth
    resamples: int


def population_of(sizes: tuple[int, int]) -> Gaussians:
    """Two normal classes whose priors are the class shares of the samples."""
    n = sum(sizes)
    return two_gaussians(N_FEATURES, DISTANCE, priors=(sizes[0] / n, sizes[1] / n))


def plans(setting: CalibrationSetting) -> dict[str, Plan]:
    """The plans of every trial, whose samples have fixed class sizes; small classes limit the number of folds."""
    folds = min(10, *setting.sizes)
    every: dict[str, Plan] = {
        "bootstrap": Bootstrap(setting.resamples, "fixed"),
        "K-fold": KFold(folds, stratified="fixed"),
        "5 × K-fold": KFold(folds, 5, "fixed"),
        "50 × 2-fold": KFold(2, 50, "fixed"),
        "nested": NestedKFold(max(3, min(5, folds)), 4, "fixed"),
        "holdout": Holdout(0.3, "fixed"),
    }
    return every if len(setting.models) == 1 else {label: every[label] for label in PLANS_OF_DIFFERENCES}


def calibration_trial(setting: CalibrationSetting, seed: np.random.SeedSequence) -> dict[str, float]:
    """Value, se, intervals and target of every (metric, method, se, plan) on one sample; NaN where undefined."""
    X, y = population_of(setting.sizes).draw(setting.sizes, np.random.default_rng(child(seed, CASES)))
    trials = [Trial(X, y, MODELS[model](), Bootstrap(setting.resamples, "fixed"), seed) for model in setting.models]
    true = {metric: _contrast([setting.truth.of(t.rule, metric) for t in trials]) for metric in METRICS}
    out = {f"true|{metric}": value for metric, value in true.items()}
    for label, plan in plans(setting).items():
        fits = _fitted(trials, plan)
        trained = _holdout_truth(setting, trials, fits) if plan.kind == "holdout" else {}
        for metric in METRICS:
            for method, se, estimand in offered(plan.kind, metric):
                target = {Estimand.RULE: true[metric], Estimand.TRAINED: trained.get(metric, math.nan)}.get(
                    estimand, math.nan
                )
                found = parts_of(fits, metric, method, se) | {"target": target}
                out |= {f"{metric}|{method}|{se}|{label}|{part}": value for part, value in found.items()}
        if plan.kind == "holdout" and len(trials) == 1:
            out |= _proportions(fits, trained)
    return out


@cache
def offered(kind: Kind, metric: str) -> tuple[tuple[str, str, Estimand], ...]:
    """Method, standard error and estimand of everything in the registry for a design and a metric.

    Without the pooled cross-validated loss, which equals the averaged one.
    """
    probe = Fits.from_arrays([0, 0, 1, 1], [[0, 0, 0, 0]], [[0.1, 0.2, 0.3, 0.4]], threshold=0.25)
    bound = bind(probe, metric)
    return tuple(
        (e.name, se, e.estimand)
        for e in available(kind, bound)
        for se in e.se
        if se != "none" and (e.name, metric) != ("cv_pooled", "error")
    )


def parts_of(fits: Sequence[Fits], metric: str, method: str, se: str) -> dict[str, float]:
    """PARTS of an estimate of one rule, or of the difference of two; NaN where undefined or without fits."""
    undefined = dict.fromkeys(PARTS, math.nan)
    if not fits:
        return undefined
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruenessWarning)
            if len(fits) == 1:
                found = estimate(fits[0], metric, method, se=se)
            else:
                found = difference(fits[0], fits[1], metric, method, se=se)
            low, high = found.ci(LEVEL)
    except TruenessError:  # a class too small for the method, a pair never left out, no defensible se
        return undefined
    out = {"value": found.value, "se": math.nan if found.se is None else found.se, "low": low, "high": high}
    return out | limits(found, INTERVALS)


def limits(found: Estimate, kinds: Sequence[str]) -> dict[str, float]:
    """Both ends of each kind of interval; NaN where the estimate has no such interval (Student's without df)."""
    out: dict[str, float] = {}
    for kind in kinds:
        try:
            low, high = found.ci(LEVEL, kind)
        except TruenessError:
            low, high = math.nan, math.nan
        out |= {f"{kind} low": low, f"{kind} high": high}
    return out


def _contrast(values: Sequence[float]) -> float:
    return values[0] - values[1] if len(values) == 2 else values[0]


def _fitted(trials: Sequence[Trial], plan: Plan) -> list[Fits]:
    """The fits of every model on one design; none where a class is too small for the plan."""
    try:
        return [trial.fits(plan) for trial in trials]
    except TruenessError:
        return []


def _holdout_truth(setting: CalibrationSetting, trials: Sequence[Trial], fits: Sequence[Fits]) -> dict[str, float]:
    """True performance of the rules that were trained on the training part."""
    if not fits:
        return {}
    rows = np.flatnonzero(fits[0].design.counts[0])
    seed = child(fits[0].design.seed, FIT, 0)  # of the one fit: a tree breaks ties by it
    rules = [train(t.model, Sample.of(t.y, X=t.X), rows, seed) for t in trials]
    return {
        metric: _contrast([setting.truth.of(rule, metric) for rule in rules])
        for metric in (*METRICS, *(("fnf",) if len(rules) == 1 else ()))
    }


def _proportions(fits: Sequence[Fits], trained: dict[str, float]) -> dict[str, float]:
    """The ten intervals of two proportions: the error of all test cases, and of the positives (1 − TPF)."""
    out: dict[str, float] = {}
    for metric in ("error", "fnf"):
        found = limits(estimate(fits[0], metric, "holdout"), PROPORTIONS)
        out |= {f"proportion|{metric}|{name}": value for name, value in found.items()}
        out[f"proportion|{metric}|target"] = trained[metric]
    return out
