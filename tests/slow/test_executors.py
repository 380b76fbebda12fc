"""Same bits under every executor, and a clean end when interrupted."""

import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import trueness


def data():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    return rng.normal(size=(60, 3)) + 0.7 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading", "dask"])
def test_joblib_backends_give_the_same_bits(backend):
    X, y = data()
    design = trueness.Bootstrap(30).draw(y, rng=0)
    model = RandomForestClassifier(5)
    reference = trueness.fit(model, X, y, design)
    client = None
    if backend == "dask":
        distributed = pytest.importorskip("distributed", reason="dask is an extra: pip install dask distributed")
        client = distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
    try:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            other = trueness.fit(model, X, y, design)
    finally:
        if client is not None:
            client.close()
    assert (reference.scores.view(np.int64) == other.scores.view(np.int64)).all()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_with_130_one_line_and_nobody_left_behind(tmp_path, jobs):
    X, y = data()
    lines = ["a,b,c,y", *(",".join(f"{v:.6f}" for v in row) + f",{label}" for row, label in zip(X, y, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "trueness", "assess", str(tmp_path / "d.csv"), "--target", "y"]
    command += ["--model", "forest", "--plan", "bootstrap:100000", "--jobs", jobs]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(12)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "trueness: interrupted" in err
    assert "Traceback" not in err
    time.sleep(2)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
