"""LPOB with its standard error, n1 = n2 = 2000 and B = 1000: nothing of size B × n1 × n2 exists."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import trueness

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3  # megabytes

trueness.Bootstrap, trueness.Fits, trueness.estimate
before = peak()
n, B = 2000, 1000
y = np.repeat([0, 1], n)
counts = trueness.Bootstrap(B).draw(y, rng=0).counts
scores = np.random.default_rng(0).normal(size=(B, 2 * n)) + 0.5 * y
fits = trueness.Fits.from_arrays(y, counts, scores, plan="bootstrap", stratified=True)
print(trueness.estimate(fits, "auc", "lpob"))
print("peak above import, MB:", peak() - before)
"""


@pytest.mark.slow
def test_lpob_of_four_million_pairs_stays_under_500_megabytes():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    print(done.stdout)
    assert float(done.stdout.split("MB:")[1]) < 500
