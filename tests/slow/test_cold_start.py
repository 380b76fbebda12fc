"""What a fresh install costs: the import, and the first assess, which compiles the kernels."""

import os
import statistics
import subprocess
import sys
import time

import pytest

ASSESS = """
import time
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
import trueness

rng = np.random.default_rng(0)
y = np.arange(100) % 2
X = rng.normal(size=(100, 4)) + y[:, None]
start = time.process_time()  # of this process alone, whatever else the machine does
print(trueness.assess(LinearDiscriminantAnalysis(), X, y, rng=0))
print("seconds:", time.process_time() - start)
"""


def run(program, **environment):
    """What it printed, on stderr too, and how many seconds the whole process took."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout, done.stderr, time.perf_counter() - start


@pytest.mark.slow
def test_the_first_assess_compiles_and_ends_within_10_seconds_of_the_second(tmp_path):
    runs = [run(ASSESS, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    first, second = (float(out.split("seconds:")[1]) for out, _, _ in runs)
    print(f"first {first:.1f} s, second {second:.1f} s of CPU time")
    assert runs[0][0].split("seconds:")[0] == runs[1][0].split("seconds:")[0]
    assert first < second + 10


@pytest.mark.slow
def test_import_costs_no_more_than_that_of_scikit_learn():
    seconds = {"trueness": [], "sklearn": []}
    for _ in range(9):  # by turns: whatever else the machine does, it does to both
        for name, times in seconds.items():
            times.append(run(f"import {name}")[2])
    ours, theirs = (statistics.median(times) for times in seconds.values())
    print(f"import trueness {ours:.2f} s, import sklearn {theirs:.2f} s")
    assert ours <= 1.3 * theirs
