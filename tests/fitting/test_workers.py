"""Chunks on worker processes: a killed worker loses nothing, and a chunk that kills its workers is named."""

import os

import numpy as np
import pytest
from deadly import KillsOnce
from dying import square
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import FitError
from trueness.fitting.workers import MOST_LOSSES, run_chunks, workers_of

CHUNKS = [range(start, start + 2) for start in range(0, 20, 2)]


def results(deaths, log, n_jobs=2):
    return run_chunks(square, deaths, CHUNKS, lambda chunk: (chunk, log), n_jobs)


def test_chunks_of_a_killed_worker_are_computed_again(tmp_path):
    assert dict(results({6: 1, 12: 2}, tmp_path)) == {chunk: [f * f for f in chunk] for chunk in CHUNKS}
    assert os.path.getsize(tmp_path / "6") >= 2


def test_a_chunk_that_ends_its_worker_every_time_is_named(tmp_path):
    with pytest.raises(FitError, match="fits 6 to 7"):
        list(results({6: 99}, tmp_path))
    assert os.path.getsize(tmp_path / "6") == MOST_LOSSES


@pytest.mark.slow
def test_what_workers_cannot_read_is_an_error_that_says_why(tmp_path):
    with pytest.raises(FitError) as caught:
        list(run_chunks(os.path.join, Unreadable(), CHUNKS, lambda chunk: (), 2))
    assert "cannot be read" in caught.value.reason


class Unreadable:
    def __reduce__(self):
        return eval, ("1/0 if False else (_ for _ in ()).throw(ValueError('cannot be read'))",)


def test_a_killed_worker_changes_no_bit(tmp_path, two_gaussians):
    design = trueness.Bootstrap(60).draw(two_gaussians[1], rng=0)
    serial = trueness.fit(DecisionTreeClassifier(max_depth=2), *two_gaussians, design, scores="predict_proba")
    model = KillsOnce(str(tmp_path / "flag"), os.getpid())
    fits = trueness.fit(model, *two_gaussians, design, n_jobs=2, batch_size=5, scores="predict_proba")
    assert (tmp_path / "flag").exists()
    assert np.array_equal(fits.scores, serial.scores)
    assert fits.failed == ()


def test_fits_in_a_worker_of_joblib_are_those_of_the_process(two_gaussians):
    design, model = trueness.Bootstrap(20).draw(two_gaussians[1], rng=0), DecisionTreeClassifier(max_depth=2)
    there = Parallel(n_jobs=2)(delayed(trueness.fit)(model, *two_gaussians, design, n_jobs=k) for k in (1, 2))
    assert np.array_equal(there[0].scores, there[1].scores)
    assert np.array_equal(there[0].scores, trueness.fit(model, *two_gaussians, design).scores)


def test_more_workers_than_cores_are_not_started():
    from joblib import cpu_count

    assert workers_of(99_999) == max(2, cpu_count())
    assert [workers_of(k) for k in (1, 2)] == [1, 2]
