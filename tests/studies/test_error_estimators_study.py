"""The twin of table 1: its 24 experiments, one trial of some of them, and its claims on made-up numbers."""

import numpy as np
import pandas as pd

from karat import studies
from karat.sample.seeds import seed_sequence
from karat.studies.laboratory import laboratory_trial
from karat.studies.published import ORDER
from karat.studies.published.error_estimators import EXPERIMENTS, POPULATIONS, TABLE_1, average_rms, cell_of, claims
from karat.studies.runner import Run


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
        found = laboratory_trial(cell.settings, run.trial_seed(cell, 0))
        assert list(found) == ["true", "loob", "632", "632+", "apparent", "632+ printed", "10-fold CV", "LOOCV"]
        assert all(0 <= value <= 1 for value in found.values())
        assert np.isclose(found["632"], 0.368 * found["apparent"] + 0.632 * found["loob"])


def test_models_of_one_population_see_the_same_samples():
    run = Run(1, (), seed_sequence(0), options={"resamples": 50, "test_size": 100})
    first, second = (cell_of(run, i, EXPERIMENTS[i]) for i in (0, 1))
    assert first.key == second.key
    assert first.name != second.name


def test_averages_and_claims():
    rows = [
        {
            "experiment": e,
            "estimator": name,
            "rms": value,
            "rms_mc": 0.003,
            "mean": 0.3 + 0.01 * e,
            "sd": 0.1,
            "correlation": 0.2,
        }
        for e in (1, 2)
        for name, value in TABLE_1.items()
    ]
    average = average_rms(pd.DataFrame(rows))
    assert np.allclose(average.set_index("estimator")["rms"], list(TABLE_1.values()))
    assert np.isclose(average["rms_mc"].iloc[1], 0.003 / np.sqrt(2))
    assert average.set_index("estimator").loc["632+", "best of"] == 2
    assert all(c.holds for c in claims(average))
    average.loc[average["estimator"] == "632", "rms"] = 0.07
    assert not all(c.holds for c in claims(average))
