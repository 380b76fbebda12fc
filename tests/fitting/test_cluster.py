"""Fits on a dask cluster and on joblib's workers, some of which are killed: the bits of the serial loop."""

import os
import threading

import numpy as np
import pytest
from deadly import Tree, kill_workers
from dying import sleepy, square
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import FitError, InputError
from trueness.fitting import cluster
from trueness.fitting.workers import run_chunks

distributed = pytest.importorskip("distributed", reason="dask is an extra: pip install dask distributed")


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as found:
        found.run(__import__, "trueness.fitting.generic")  # takes seconds on a busy machine
        yield found


def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    return rng.normal(size=(60, 3)) + 0.7 * y[:, None], y


def killed_run(log, n_jobs, fits, seconds, after, **options):
    """The fits of a run whose workers are killed, and the processes that were."""
    X, y = data()
    killed = []
    killer = threading.Thread(target=lambda: killed.extend(kill_workers(log, after)))
    killer.start()
    design = trueness.Bootstrap(fits).draw(y, rng=1)
    found = trueness.fit(Tree(seconds, str(log)), X, y, design, n_jobs=n_jobs, scores="predict_proba", **options)
    killer.join()
    return found, killed


def serial(fits):
    X, y = data()
    return trueness.fit(Tree(), X, y, trueness.Bootstrap(fits).draw(y, rng=1), scores="predict_proba")


def test_one_worker_of_a_cluster_is_killed_in_the_middle(client, tmp_path):
    found, killed = killed_run(tmp_path / "log", client, 300, 0.003, [100], batch_size=10)
    assert len(killed) == 1
    assert np.array_equal(found.scores, serial(300).scores)


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_assess_gives_the_same_table_on_a_cluster(client):
    X, y = data()
    options = {"rng": 0, "engine": "generic", "plan": trueness.CvBootstrap(5, repeats=2, n_resamples=40)}
    here, there = (trueness.assess(Tree(), X, y, n_jobs=workers, **options) for workers in (1, client))
    assert here.frame().equals(there.frame())


def test_functions_of_a_script_reach_the_workers(client):
    found = list(run_chunks(lambda shared, f: shared + f(), 1, [range(2)], lambda chunk: (lambda: 7,), client))
    assert found == [(range(2), 8)]


def test_closed_forms_are_computed_here(client):
    X, y = data()
    here, there = (
        trueness.fit(GaussianNB(), X, y, trueness.KFold(5), rng=0, n_jobs=workers) for workers in (1, client)
    )
    assert there.engine == here.engine != "generic"
    assert np.array_equal(here.scores, there.scores, equal_nan=True)


def test_a_chunk_that_kills_every_worker_is_named(client, tmp_path):
    with pytest.raises(FitError, match="fits 0 to 1"):
        list(run_chunks(square, {0: 99}, [range(2)], lambda chunk: (chunk, tmp_path), client))


def test_a_module_that_workers_lack_is_named(client):
    with pytest.raises(FitError) as caught:
        list(run_chunks(data, None, [range(2)], lambda chunk: (), client))
    assert "ModuleNotFoundError" in caught.value.reason


def test_no_scheduler_at_an_address(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT", 0.2)
    with pytest.raises(InputError) as caught, cluster.connected("tcp://127.0.0.1:9", 1):
        pass
    assert caught.value.param == "cluster"


def test_a_cluster_in_which_nothing_moves_is_an_error(client, monkeypatch, tmp_path):
    client.cluster.scale(2)  # where a killed worker did not come back
    client.wait_for_workers(2, timeout=120)
    monkeypatch.setattr(cluster, "PATIENCE", 0.01)
    with pytest.raises(FitError, match="does not answer") as caught:
        list(run_chunks(sleepy, 2.0, [range(2)], lambda chunk: (str(tmp_path / "flag"),), client, 0.0))
    assert caught.value.param == "n_jobs"


@pytest.mark.slow
@pytest.mark.parametrize("after", [[1000], [400, 1200]], ids=["one", "every worker in turn"])
@pytest.mark.parametrize("where", ["dask", "loky"])
def test_killed_workers_in_2000_fits(client, tmp_path, where, after):
    found, killed = killed_run(tmp_path / "log", client if where == "dask" else 2, 2000, 0.001, after)
    assert len(set(killed)) == len(after)
    assert os.getpid() not in killed
    assert np.array_equal(found.scores, serial(2000).scores)


@pytest.mark.slow
def test_a_scheduler_that_ends_is_an_error_and_the_store_goes_on(tmp_path):
    X, y = data()
    design = trueness.Bootstrap(400).draw(y, rng=1)
    options = {"scores": "predict_proba", "store": tmp_path / "r.db", "batch_size": 10}
    local = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with distributed.Client(local) as client:
        timer = threading.Timer(2.0, local.close)
        timer.start()
        with pytest.raises(FitError):
            trueness.fit(Tree(0.02), X, y, design, n_jobs=client, **options)
        timer.join()
    found = trueness.fit(Tree(0.02), X, y, design, **options)
    assert np.array_equal(found.scores, serial(400).scores)
