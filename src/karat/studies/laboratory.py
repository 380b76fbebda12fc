"""The laboratory: give a population, a model and a function as estimator, get the table of the papers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.estimators.estimation import estimate
from karat.metrics.auc import AUC
from karat.metrics.registry import resolve
from karat.plans import Bootstrap
from karat.plans.plan import Plan, whole
from karat.result import Estimate
from karat.sample.populations import Population
from karat.sample.seeds import child, seed_sequence
from karat.studies.accuracy import SE, accuracy_table, decomposition_table, means_picture
from karat.studies.datasets import DataSet
from karat.studies.identity import identity
from karat.studies.laboratory_input import by_name, check_models, check_populations, estimators_of, put, sizes_of
from karat.studies.registry import seed_words, versions
from karat.studies.result import StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.trial import CASES, Trial
from karat.studies.truth import Exact, Truth, offset_note, test_set

EstimatorLike = str | tuple[str, Mapping[str, Any]] | Callable[[Trial], float | Estimate | Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Setting:
    """What a trial of the laboratory needs."""

    population: Population | DataSet
    truth: Truth | None  # None: the cases of a data set that were not drawn
    model: Any
    plan: Plan
    metric: str
    estimators: Mapping[str, EstimatorLike]
    size: Any
    notes: tuple[str, ...] = ()


def laboratory_trial(setting: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
    """True performance and every estimate of one sample."""
    rng = np.random.default_rng(child(seed, CASES))
    truth: Truth
    if isinstance(setting.population, DataSet):
        X, y, rest = setting.population.split(setting.size, rng)
        truth = rest
    else:
        X, y = setting.population.draw(setting.size, rng)
        assert setting.truth is not None
        truth = setting.truth
    needs = "predict_proba" if resolve(setting.metric).needs == "probabilities" else "auto"
    trial = Trial(X, y, setting.model, setting.plan, seed, scores=needs)
    out = {"true": truth.of(trial.rule, setting.metric)}
    for name, how in setting.estimators.items():
        found = _answer(how, trial, setting.metric)
        if isinstance(found, Mapping):
            for each, value in found.items():
                put(out, each, value)
        elif isinstance(found, Estimate):
            put(out, name, found.value)
            put(out, f"{name}{SE}", np.nan if found.se is None else found.se)
        else:
            put(out, name, found)
    return out


def _answer(how: EstimatorLike, trial: Trial, metric: str) -> float | Estimate | Mapping[str, float]:
    if callable(how):
        return how(trial)
    method, options = (how, {}) if isinstance(how, str) else how
    return estimate(trial.fits(), metric, method, **options)


def evaluate(
    population: Any,
    model: Any,
    estimators: Mapping[str, EstimatorLike] | Sequence[str],
    *,
    metric: str = "auc",
    plan: Plan | None = None,
    sizes: Sequence[Any] = (20, 50),
    trials: int = 200,
    test_size: int = 5000,
    rng: Any = 0,
    n_jobs: int | None = -1,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> StudyResult:
    """How good are these estimators of a performance whose truth is known?

    Parameters
    ----------
    population
        A `Population`, a `DataSet` (its truth is the part that was not drawn), or several by name.
    model
        A scikit-learn classifier, or several by name; all see the same samples.
    estimators
        By name: a method of `karat.estimate` ("632+"), a pair of it and its options, or a function of a
        `Trial` that returns a number, an Estimate, or several numbers by name (NaN where it has none: the table
        is of the trials with an answer, and `answered` says how many). A list of methods will do.
    metric
        What is to be estimated.
    plan
        Of `Trial.fits()`; None: Bootstrap(100).
    sizes
        Cases a class (20), or one number a class ((20, 200)).
    test_size
        Cases a class of the one test set on which a truth without a formula is seen.
    rng, n_jobs, store, progress
        As in `run`. A store refuses another population, model, plan, estimator or seed; of a function it knows
        its own code, not that of what it calls: give another file where you changed that.

    Returns
    -------
    StudyResult
        Its table has the columns of table 2 of seeds/000, and `mean_se` where an estimator gives one.

    Examples
    --------
    >>> from karat import studies
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> def hopeful(trial):
    ...     return 1.0
    >>> found = studies.evaluate(
    ...     studies.two_gaussians(2, 1.2),
    ...     LinearDiscriminantAnalysis(),
    ...     {"star": "star", "mine": hopeful},
    ...     sizes=(15,),
    ...     trials=3,
    ...     n_jobs=1,
    ... )
    >>> found.table()[["size", "estimator"]].values.tolist()
    [[15, 'true'], [15, 'star'], [15, 'mine']]
    """
    whole("trials", trials, 2)  # one trial has no Monte-Carlo error
    whole("test_size", test_size, 1)
    resolve(metric)
    check_populations(population)
    check_models(model)
    named, sizes = estimators_of(estimators), sizes_of(sizes, population)
    start = time.perf_counter()
    plan, seed = plan or Bootstrap(100), seed_sequence(rng)
    run = Run(
        trials,
        (),
        seed,
        n_jobs,
        progress,
        store,
        recipe={
            "study": "evaluate",
            "metric": metric,
            "seed": seed_words(seed),
            "test_size": test_size,
            "versions": versions(),
            "plan": identity(plan),
            "population": identity(population),
            "model": identity(model),
            "estimators": identity(named),
        },
    )
    cells = cells_of(run, population, model, named, metric, plan, sizes, test_size)
    frames = run.simulate(cells, laboratory_trial)
    tables = {
        "accuracy": accuracy_table(cells, frames),
        "decomposition": decomposition_table(cells, frames),
    }
    return StudyResult(
        name="evaluate",
        title=f"Estimators of {metric}",
        source="own study",
        tables=tables,
        settings={
            "trials": trials,
            "sizes": sizes,
            "metric": metric,
            "plan": str(plan),
            "test_size": test_size,
            "seed": seed_words(seed),
            **versions(),
        },
        pictures=(means_picture(tables["accuracy"], metric),),
        notes=(*dict.fromkeys(n for cell in cells for n in cell.settings.notes), _truth_note(cells, frames, test_size)),
        seconds=time.perf_counter() - start,
    )


def _truth_note(cells: Sequence[Cell], frames: Sequence[pd.DataFrame], test_size: int) -> str:
    """Of the error of the truth itself; nothing where the truth is the rest of a data set."""
    seen = [frame["true"].mean() for cell, frame in zip(cells, frames, strict=True) if cell.settings.truth is not None]
    return offset_note(cells[0].settings.metric, float(np.mean(seen)), test_size) if seen else ""


def cells_of(
    run: Run,
    population: Any,
    model: Any,
    estimators: Mapping[str, EstimatorLike],
    metric: str,
    plan: Plan,
    sizes: Sequence[Any],
    test_size: int,
    exact: bool = True,
) -> list[Cell]:
    """A cell for every population, size and model; models share samples, populations share nothing."""
    populations, models = by_name(population, "population"), by_name(model, "model")
    cells = []
    for i, (population_name, one) in enumerate(populations.items()):
        for size in sizes:
            per_class = (size,) * one.n_classes if np.ndim(size) == 0 else tuple(size)
            truth, notes = truth_of(one, per_class, metric, test_size, run.shared_seed(i), exact)
            for model_name, each in models.items():
                labels: dict[str, Any] = {}
                if isinstance(population, Mapping):
                    labels["population"] = population_name
                if isinstance(model, Mapping):
                    labels["model"] = model_name
                labels["size"] = size if np.ndim(size) == 0 else "+".join(map(str, size))
                setting = Setting(one, truth, each, plan, metric, estimators, per_class, notes)
                key = (i, *per_class) if isinstance(population, Mapping) else per_class
                cells.append(Cell(labels, key, setting))
    return cells


def truth_of(
    population: Population | DataSet,
    per_class: tuple[int, ...],
    metric: str,
    test_size: int,
    seed: np.random.SeedSequence,
    exact: bool = True,
) -> tuple[Truth | None, tuple[str, ...]]:
    """Where the truth is seen, and what is to be said of it; None for a data set, whose rest shows it.

    A mean loss over cases counts the classes as the sample does, so the truth counts them so too, whatever the
    priors of the population; an AUC does not depend on them.
    """
    if isinstance(population, DataSet):
        return None, ()
    shares, notes = np.asarray(per_class) / sum(per_class), ()
    if not isinstance(resolve(metric), AUC) and not np.allclose(shares, population.priors):
        if not is_dataclass(population):
            raise InputError(
                f"the samples have other shares of the classes than the population, and {metric} depends on them",
                got=f"{per_class} cases for priors {population.priors.tolist()}",
                fix="Give sizes in proportion to the priors",
            )
        population = replace(population, priors=shares)
        notes = (f"The true {metric} counts the classes as the samples do, not by the population's priors.",)
    seen = test_set(population, test_size, seed)
    return Exact(population, seen) if exact else seen, notes
