"""A model that hangs, one that needs too much memory, and one that warns very often."""

import time

import numpy as np
import pytest
from deadly import Greedy, Hangs, Noisy, Tree
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import FitError, InputError

SERIAL = DecisionTreeClassifier(max_depth=2)


@pytest.mark.parametrize("n_jobs", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_fit_that_hangs_counts_as_failed_and_the_others_have_the_same_bits(two_gaussians, n_jobs):
    design = trueness.Bootstrap(40).draw(two_gaussians[1], rng=0)
    serial = trueness.fit(SERIAL, *two_gaussians, design, scores="predict_proba")
    options = {"scores": "predict_proba", "n_jobs": n_jobs, "batch_size": 5}
    fits = trueness.fit(Hangs(29), *two_gaussians, design, fit_seconds=1.0, **options)
    assert 0 < len(fits.failed) <= 4
    assert all(failure.error.startswith("TimeoutError") for failure in fits.failed)
    others = np.setdiff1d(np.arange(40), [failure.fit for failure in fits.failed])
    assert np.array_equal(fits.scores[others], serial.scores[others])


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_the_limit_holds_for_two_sets_and_learning_curves(two_gaussians):
    X, y = two_gaussians
    options = {"rng": 0, "n_jobs": 2, "fit_seconds": 1.0}
    plan = {"plan": trueness.Bootstrap(30), "train_sizes": ()}
    sets = (X[::2], y[::2], X[1::2], y[1::2])
    found = trueness.two_sets(Hangs(29), *sets, **plan, **options)
    whole = trueness.two_sets(SERIAL, *sets, **plan, rng=0)
    assert found.fixed.value == whole.fixed.value
    assert found.means.keys() == whole.means.keys()
    for call in (
        lambda: trueness.two_sets(Hangs(1), *sets, **options),
        lambda: trueness.learning_curve(Hangs(1), X, y, **options),
    ):
        with pytest.raises(FitError) as caught:
            call()
        assert caught.value.param == "fit_seconds"
    for call in (trueness.two_sets, trueness.learning_curve):
        with pytest.raises(InputError) as caught_input:
            call(Tree(), *(sets if call is trueness.two_sets else (X, y)), fit_seconds=-1)
        assert caught_input.value.param == "fit_seconds"


@pytest.mark.slow
def test_a_model_that_always_hangs_is_an_error_at_once(two_gaussians):
    begun = time.monotonic()
    with pytest.raises(FitError) as caught:
        trueness.assess(Hangs(1), *two_gaussians, fit_seconds=0.5, plan=trueness.Bootstrap(1000))
    assert caught.value.param == "fit_seconds"
    assert time.monotonic() - begun < 60


@pytest.mark.slow
def test_fits_that_took_too_long_are_not_stored(two_gaussians, tmp_path):
    design = trueness.Bootstrap(40).draw(two_gaussians[1], rng=0)
    options = {"scores": "predict_proba", "store": tmp_path / "r.db", "batch_size": 5}
    model = Hangs(29, str(tmp_path / "flag"))  # until the flag is there
    assert trueness.fit(model, *two_gaussians, design, fit_seconds=1.0, **options).failed
    (tmp_path / "flag").touch()
    assert trueness.fit(model, *two_gaussians, design, **options).failed == ()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "1", True, 1e9])
def test_a_limit_is_a_positive_number(two_gaussians, seconds):
    with pytest.raises(InputError) as caught:
        trueness.fit(Tree(), *two_gaussians, trueness.KFold(3), rng=0, fit_seconds=seconds)
    assert caught.value.param == "fit_seconds"


def test_out_of_memory_in_a_worker_is_a_failed_fit(two_gaussians):
    fits = trueness.fit(Greedy(29), *two_gaussians, trueness.Bootstrap(40), rng=0, n_jobs=2, batch_size=5)
    assert 0 < len(fits.failed) <= 4
    assert all("MemoryError" in failure.error for failure in fits.failed)


@pytest.mark.parametrize("times", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_million_warnings_are_one_note(two_gaussians, capfd, times):
    fits = trueness.fit(Noisy(times), *two_gaussians, trueness.KFold(9), rng=0)  # ten fits
    (note,) = (note for note in fits.notes if note.code == "fit-warnings")
    assert (note.data["fits"], note.data["first"]) == (9, "UserWarning: warning 0")
    assert capfd.readouterr().err == ""
