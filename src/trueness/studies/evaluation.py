"""`evaluate`: the accuracy of estimators on populations with known truth."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.checks import check_whole, child, seed_sequence
from trueness.errors import InputError
from trueness.estimators.estimation import estimate
from trueness.fitting.described import described, versions
from trueness.fitting.engine import ScoresFrom
from trueness.metrics.auc import AUC
from trueness.metrics.registry import resolve
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.plan import Plan
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.studies.accuracy import SE, accuracy_table, decomposition_table, means_picture
from trueness.studies.datasets import DataSet
from trueness.studies.evaluation_input import (
    EstimatorLike,
    Size,
    Source,
    by_name,
    check_models,
    check_populations,
    estimators_of,
    put,
    sizes_of,
)
from trueness.studies.registry import seed_text
from trueness.studies.result import StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.trial import CASES, Trial
from trueness.studies.truth import ExactTruth, Truth, offset_note, test_set
from trueness.typing import Classifier, Rng


@dataclass(frozen=True, eq=False)
class Setting:
    """What a trial needs."""

    population: Source
    truth: Truth | None  # None: the cases of a data set that were not drawn
    model: Classifier
    plan: Plan
    metric: str
    estimators: Mapping[str, EstimatorLike]
    size: tuple[int, ...]
    notes: tuple[Note, ...] = ()


def evaluation_trial(setting: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
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
    needs: ScoresFrom = "predict_proba" if resolve(setting.metric).needs == "probabilities" else "auto"
    trial = Trial(X, y, setting.model, setting.plan, seed, scores=needs)
    out = {"true": truth.of(trial.rule, setting.metric)}
    for name, how in setting.estimators.items():
        found = _estimated(how, trial, setting.metric)
        if isinstance(found, Mapping):
            for each, value in found.items():
                put(out, each, value)
        elif isinstance(found, Estimate):
            put(out, name, found.value)
            put(out, f"{name}{SE}", np.nan if found.se is None else found.se)
        else:
            put(out, name, found)
    return out


def _estimated(how: EstimatorLike, trial: Trial, metric: str) -> float | Estimate | Mapping[str, float]:
    if callable(how):
        return how(trial)
    method, options = (how, {}) if isinstance(how, str) else how
    return estimate(trial.fits(), metric, method, **options)


def evaluate(
    population: Source | Mapping[str, Source],
    model: Classifier | Mapping[str, Classifier],
    estimators: Mapping[str, EstimatorLike] | Iterable[str],
    *,
    metric: str = "auc",
    plan: Plan | None = None,
    sizes: Iterable[int | Sequence[int]] = (20, 50),
    trials: int = 200,
    test_size: int = 5000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> StudyResult:
    """Evaluate estimators of a performance whose true value is known.

    Parameters
    ----------
    population : Population or DataSet, or a mapping of names to them
        Where samples come from. The truth of a DataSet is measured on the cases that were not drawn.
    model : classifier, or a mapping of names to classifiers
        scikit-learn classifiers, not fitted; all see the same samples.
    estimators : mapping of names to estimators, or list of methods
        A method of `trueness.estimate` ("632+"), a pair of a method and its options, or a function of a `Trial` that
        returns a number, an Estimate, or several numbers by name. A function returns NaN where it has no estimate:
        the table then summarises the other trials, and `answered` is their share.
    metric : str, default "auc"
        What is estimated.
    plan : Plan, default Bootstrap(100)
        Default plan of `Trial.fits()`.
    sizes : list of int or of tuple of int, default (20, 50)
        Cases per class (20), or one number per class ((20, 200)).
    trials : int, default 200
        Samples per setting.
    test_size : int, default 5000
        Cases per class of the test set on which a truth without a formula is measured.
    rng : int, SeedSequence, Generator or None, default 0
        Seed; None draws a fresh one.
    n_jobs : int, optional
        Number of parallel workers, -1 for all cores (results do not depend on it).
    store : str or Path, optional
        File that keeps the trials. Another population, model, plan, estimator or seed is refused. A function is
        compared by its own code, not by that of the functions it calls: pass another file where those changed.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.

    Returns
    -------
    StudyResult
        `.frame()` has the columns of Yousef, ML Assessment, table 2, and `mean_se` where an estimator has a standard
        error.

    Examples
    --------
    >>> from trueness import studies
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
    >>> found.frame()[["size", "estimator"]].values.tolist()
    [[15, 'true'], [15, 'star'], [15, 'mine']]
    """
    check_whole("trials", trials, 2)  # one trial has no Monte Carlo error
    check_whole("test_size", test_size, 1)
    resolve(metric)
    check_populations(population)
    check_models(model)
    named, given = estimators_of(estimators), sizes_of(sizes, population)
    start = time.perf_counter()
    plan, seed = Bootstrap(100) if plan is None else plan, seed_sequence(rng)
    if not isinstance(plan, Plan):
        raise InputError("plan must be a plan of trueness", param="plan", got=repr(plan))
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
            "seed": seed_text(seed),
            "test_size": test_size,
            "versions": versions(),
            "plan": described(plan),
            "population": described(population),
            "model": described(model),
            "estimators": described(named),
        },
    )
    cells = cells_of(run, population, model, named, metric, plan, given, test_size)
    frames = run.simulate(cells, evaluation_trial)
    tables = {
        "accuracy": accuracy_table(cells, frames),
        "decomposition": decomposition_table(cells, frames),
    }
    return StudyResult(
        tables,
        name="evaluate",
        title=f"Estimators of {metric}",
        settings={
            "trials": trials,
            "sizes": given,
            "metric": metric,
            "plan": str(plan),
            "test_size": test_size,
            "seed": seed_text(seed),
            **versions(),
        },
        pictures=(means_picture(tables["accuracy"], metric),),
        notes=tuple(dict.fromkeys(n for cell in cells for n in cell.settings.notes))
        + _truth_notes(cells, frames, test_size),
        seconds=time.perf_counter() - start,
    )


def _truth_notes(cells: Sequence[Cell[Setting]], frames: Sequence[pd.DataFrame], test_size: int) -> tuple[Note, ...]:
    """The error of the truth itself; none where the truth is measured on the rest of a data set."""
    seen = [frame["true"].mean() for cell, frame in zip(cells, frames, strict=True) if cell.settings.truth is not None]
    return (offset_note(cells[0].settings.metric, float(np.mean(seen)), test_size),) if seen else ()


def cells_of(
    run: Run,
    population: Source | Mapping[str, Source],
    model: Classifier | Mapping[str, Classifier],
    estimators: Mapping[str, EstimatorLike],
    metric: str,
    plan: Plan,
    sizes: Sequence[Size],
    test_size: int,
    exact: bool = True,
) -> list[Cell[Setting]]:
    """A cell for every population, size and model; models share samples, populations do not."""
    populations: dict[str, Source] = by_name(population, "population")
    models: dict[str, Classifier] = by_name(model, "model")
    cells = []
    for i, (population_name, one) in enumerate(populations.items()):
        for size in sizes:
            per_class = size if isinstance(size, tuple) else (size,) * one.n_classes
            truth, notes = truth_of(one, per_class, metric, test_size, run.shared_seed(i), exact)
            for model_name, each in models.items():
                labels: dict[str, object] = {}
                if isinstance(population, Mapping):
                    labels["population"] = population_name
                if isinstance(model, Mapping):
                    labels["model"] = model_name
                labels["size"] = "+".join(map(str, size)) if isinstance(size, tuple) else size
                setting = Setting(one, truth, each, plan, metric, estimators, per_class, notes)
                key = (i, *per_class) if isinstance(population, Mapping) else per_class
                cells.append(Cell(labels, key, setting))
    return cells


def truth_of(
    population: Source,
    per_class: tuple[int, ...],
    metric: str,
    test_size: int,
    seed: np.random.SeedSequence,
    exact: bool = True,
) -> tuple[Truth | None, tuple[Note, ...]]:
    """How the truth is measured, with notes on it; None for a data set, where the rest of the cases shows it.

    A mean loss over cases weights the classes as the sample does, so the truth must too, whatever the priors of the
    population; an AUC does not depend on them.
    """
    if isinstance(population, DataSet):
        return None, ()
    shares, notes = np.asarray(per_class) / sum(per_class), ()
    if not isinstance(resolve(metric), AUC) and not np.allclose(shares, population.priors):
        if not is_dataclass(population):
            raise InputError(
                f"Class shares of the samples differ from the priors of the population, and {metric} depends on them",
                param="sizes",
                got=f"{per_class} cases for priors {population.priors.tolist()}",
                fix="Pass sizes in proportion to the priors",
            )
        population = replace(population, priors=shares)
        notes = (Note("class-shares-of-samples", metric=metric, shares=shares.tolist()),)
    seen = test_set(population, test_size, seed)
    return ExactTruth(population, seen) if exact else seen, notes
