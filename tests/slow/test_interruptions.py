"""Runs that are interrupted or killed from outside: a clean end, nobody left behind, and a store that goes on."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from trueness.fitting.store import reading, recipe_of


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 3)) + 0.7 * y[:, None]
    lines = ["a,b,c,y", *(",".join(f"{v:.6f}" for v in row) + f",{label}" for row, label in zip(X, y, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "d.csv"


def started(table, replicates, *more):
    """A run on two workers, after its first stored fits."""
    store = table.parent / "r.db"
    command = [
        sys.executable,
        "-m",
        "trueness",
        "assess",
        str(table),
        "--target",
        "y",
        "--model",
        "forest",
        "--jobs",
        "2",
    ]
    command += ["--plan", f"bootstrap:{replicates}", "--seed", "1", "--store", str(store), *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, start_new_session=True, **pipes), store


def done(store):
    if not recipe_of(store):  # there is no store yet
        return 0
    with reading(store) as file:
        return file.execute("select coalesce(sum(stop - start), 0) from blocks").fetchone()[0]


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def nobody(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.01, 0.05, 0.3, 0.8, 1.5])
def test_ctrl_c_twice(table, pause):
    process, store = started(table, 100000)
    assert wait_until(lambda: done(store) > 2, 90)
    for _ in range(2):
        if not nobody(process.pid):
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        time.sleep(pause)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert err.count("trueness: interrupted") == 1
    assert "Traceback" not in err
    assert "ignored" not in err
    assert wait_until(lambda: nobody(process.pid), 10)


@pytest.mark.slow
def test_workers_end_when_the_parent_is_killed_and_the_store_goes_on(table):
    process, store = started(table, 100, "--json", str(table.parent / "a.json"))
    assert wait_until(lambda: done(store) > 2, 90)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert wait_until(lambda: nobody(process.pid), 15)
    kept = done(store)
    assert 2 < kept < 100
    again, _ = started(table, 100, "--json", str(table.parent / "b.json"))
    assert again.wait(timeout=200) == 0
    store.rename(table.parent / "old.db")
    whole, _ = started(table, 100, "--json", str(table.parent / "c.json"))
    assert whole.wait(timeout=200) == 0
    assert (table.parent / "b.json").read_text() == (table.parent / "c.json").read_text()
