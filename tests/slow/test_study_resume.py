"""A study that was killed goes on where it stopped, and ends at the same bits."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

RUN = "from trueness.cli.main import run; import sys; sys.exit(run(sys.argv[1:]))"


def arguments(out, jobs):
    asked = ["study", "auc-estimators", "--trials", "200", "--sizes", "20,50", "--jobs", str(jobs), "--out", str(out)]
    return [sys.executable, "-c", RUN, *asked]


def chunks(path):
    try:
        with sqlite3.connect(path) as file:
            return file.execute("select count(*) from chunks").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.slow
def test_killed_and_run_again(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    subprocess.run(arguments(whole, 2), capture_output=True, check=False, timeout=300)
    process = subprocess.Popen(arguments(cut, 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while chunks(cut / "trials.db") < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = chunks(cut / "trials.db")
    assert 3 <= done < 20
    assert not (cut / "accuracy.csv").exists()
    subprocess.run(arguments(cut, 1), capture_output=True, check=False, timeout=300)
    assert chunks(cut / "trials.db") == 20
    for name in ("accuracy.csv", "decomposition.csv"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
