"""Small samples that several tests share."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

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
