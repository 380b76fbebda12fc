"""LOOB and star of B = 2000 fits on n = 100,000 cases: the memory does not grow with B × n."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from sklearn.naive_bayes import GaussianNB
import trueness

n, B = 100_000, 2000
rng = np.random.default_rng(0)
y = np.repeat([0, 1], n // 2)
X = rng.normal(size=(n, 2)) + 0.5 * y[:, None]
fits = trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(B), rng=0, engine="generic", n_jobs={n_jobs})
for metric, method in (("error", "loob"), ("error", "star"), ("auc", "star")):
    print(trueness.estimate(fits, metric, method))
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_two_thousand_fits_on_a_hundred_thousand_cases_stay_under_1500_megabytes(n_jobs):
    """In the process of the call; with two jobs the fits are made, and answer, elsewhere."""
    program = PROGRAM.format(n_jobs=n_jobs)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(done.stdout)
    assert float(done.stdout.split("peak")[1]) < 1.5
