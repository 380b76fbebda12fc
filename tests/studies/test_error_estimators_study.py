"""Error estimators: the 24 experiments, one trial of some of them, and the claims on made-up numbers."""

import numpy as np
import pandas as pd
import pytest

from trueness import studies
from trueness.checks import seed_sequence
from trueness.studies.accuracy import accuracy_table
from trueness.studies.evaluation import evaluation_trial
from trueness.studies.published import ORDER
from trueness.studies.published.error_estimators import (
    EXPERIMENTS,
    POPULATIONS,
    TABLE_1,
    average_rms,
    by_experiment,
    cell_of,
    claims,
)
from trueness.studies.runner import Cell, Run


def test_every_study_has_a_place_in_the_list():
    assert set(studies.names()) == set(ORDER)


def test_there_are_24_experiments_and_all_populations_are_used():
    assert len(EXPERIMENTS) == len({e.name for e in EXPERIMENTS}) == 24
    assert {e.population for e in EXPERIMENTS} == set(POPULATIONS)


def test_one_trial_of_a_population_of_several_classes_and_of_a_data_set():
    run = Run(1, (), seed_sequence(0), options={"resamples": 50, "test_size": 200})
    for name in ("5 features, Δ = 1.5", "four corners", "wine"):
        i = next(i for i, e in enumerate(EXPERIMENTS) if e.population == name)
        cell = cell_of(run, i, EXPERIMENTS[i])
        found = evaluation_trial(cell.settings, run.trial_seed(cell, 0))
        assert list(found) == ["true", "loob", "632", "632+", "apparent", "632+ printed", "10-fold CV", "LOOCV"]
        assert all(0 <= value <= 1 for value in found.values())
        assert np.isclose(found["632"], 0.368 * found["apparent"] + 0.632 * found["loob"])


def test_models_of_one_population_see_the_same_samples():
    run = Run(1, (), seed_sequence(0), options={"resamples": 50, "test_size": 100})
    first, second = (cell_of(run, i, EXPERIMENTS[i]) for i in (0, 1))
    assert first.key == second.key
    assert first.name != second.name


def trials_like_table_1(experiments=2, trials=300, seed=0):
    """Trials whose RMS are those of table 1, in experiments that share their samples by key."""
    rng = np.random.default_rng(seed)
    frames = []
    for _ in range(experiments):
        truth = 0.3 + 0.02 * rng.normal(size=trials)
        frame = {"true": truth}
        for name, rms in list(TABLE_1.items())[1:]:
            error = rng.normal(size=trials)
            frame[name] = truth + rms * error / np.sqrt((error**2).mean())
        frames.append(pd.DataFrame(frame))
    return frames


def test_averages_and_claims():
    frames = trials_like_table_1()
    cells = [Cell({"experiment": e + 1}, (e,), None) for e in range(2)]
    average = average_rms(cells, frames, accuracy_table(cells, frames))
    by_name = average.set_index("estimator")
    assert np.allclose(by_name["rms"], list(TABLE_1.values()))
    assert by_name.loc["632+", "best of"] == 2
    for name in ("rms", "bias", "sd", "correlation"):
        assert by_name.loc["loob", f"{name}_mc"] > 0
    assert all(c.holds for c in claims(average))
    average.loc[average["estimator"] == "632", "rms"] = 0.07
    assert not all(c.holds for c in claims(average))


def test_experiments_on_the_same_samples_do_not_count_as_independent():
    (frame,) = trials_like_table_1(1)
    apart = [Cell({"experiment": e}, (e,), None) for e in (1, 2)]
    together = [Cell({"experiment": e}, (0,), None) for e in (1, 2)]
    alone = accuracy_table(apart[:1], [frame]).set_index("estimator")["rms_mc"]["loob"]
    for cells, factor in ((apart, 1 / np.sqrt(2)), (together, 1.0)):
        average = average_rms(cells, [frame, frame], accuracy_table(cells, [frame, frame])).set_index("estimator")
        assert np.isclose(average["rms_mc"]["loob"], factor * alone)


def test_the_error_of_the_average_is_the_spread_over_repetitions():
    """Two models on the same samples and one on others: many repetitions of the whole study."""
    cells = [Cell({"experiment": e}, (key,), None) for e, key in ((1, 0), (2, 0), (3, 1))]
    values, errors = [], []
    for seed in range(80):
        first, third = trials_like_table_1(2, 60, seed)
        second = first.copy()
        third["loob"] = third["true"] + 0.08 * np.random.default_rng(seed).normal(size=60)
        first["loob"] = first["true"] + 0.08 * np.random.default_rng(seed + 1000).normal(size=60)
        second["loob"] = second["true"] + 1.2 * (first["loob"] - first["true"])
        frames = [first, second, third]
        row = average_rms(cells, frames, accuracy_table(cells, frames)).set_index("estimator").loc["loob"]
        values.append(row["rms"])
        errors.append(row["rms_mc"])
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_an_experiment_without_a_correlation_is_left_out_of_its_mean():
    frames = trials_like_table_1()
    frames[1]["true"] = 0.5
    cells = [Cell({"experiment": e + 1}, (e,), None) for e in range(2)]
    average = average_rms(cells, frames, accuracy_table(cells, frames)).set_index("estimator")
    alone = accuracy_table(cells[:1], frames[:1]).set_index("estimator")
    assert np.isclose(average["correlation"]["loob"], alone["correlation"]["loob"])


def test_every_rms_of_every_experiment_has_its_error():
    frames = trials_like_table_1()
    cells = [
        Cell({"experiment": e + 1, "population": "made up", "model": "LDA", "n": 40}, (e,), None) for e in range(2)
    ]
    table = by_experiment(accuracy_table(cells, frames))
    assert np.allclose(table["loob"], TABLE_1["loob"])
    for name in ("true mean", "loob", "632", "632+", "apparent"):
        assert (table[f"{name}_mc"] > 0).all()
