"""Small samples that several tests share."""

import os
from pathlib import Path

# before NumPy is loaded: threads that wait for products of small matrices take more time than the products
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# `make test` is deterministic; `make fuzz` (--hypothesis-profile=fuzz) draws fresh examples
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, deadline=None)
settings.load_profile("fixed")

# programs that made the reference numbers need packages that the tests do not
collect_ignore = [str(p) for p in Path(__file__).parent.rglob("*.py") if not p.name.startswith(("test_", "conftest"))]


@pytest.fixture
def two_gaussians():
    """20 + 20 cases, 3 features, classes a little apart."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3))
    X[y == 1] += 0.7
    return X, y
