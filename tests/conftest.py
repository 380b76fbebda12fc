"""Small samples that several tests share."""

import importlib
import inspect
import os
import sys
from functools import cache
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

ROOMS = ["comparisons", "curves", "estimators", "metrics", "plans", "probabilities", "report", "sample", "sealed"]
ROOMS += ["selection", "statistics", "studies", "systems", "tables"]


@cache
def public_functions():
    """By code, every public function and method: its name and the parameters that advice may name."""
    import trueness

    makers = {p for maker in (trueness.assess, trueness.compare) for p in inspect.signature(maker).parameters}
    found = {}
    for room in (trueness, *(importlib.import_module(f"trueness.{name}") for name in ROOMS)):
        for name in room.__all__:
            thing = getattr(room, name)
            if not inspect.isclass(thing):
                functions = {name: (thing, set())}
            else:
                own = set(inspect.signature(thing).parameters) if callable(thing) else set()
                functions = {
                    f"{name}.{key}": (getattr(value, "__func__", value), own if key.startswith("__") else makers)
                    for key, value in vars(thing).items()
                    if not key.startswith("_") or key in ("__init__", "__post_init__")
                }
            for path, (function, more) in functions.items():
                function = inspect.unwrap(function)
                if inspect.isfunction(function):
                    found.setdefault(function.__code__, (path, {*inspect.signature(function).parameters, *more}))
    return found


def advised_wrongly(error):
    """What an error tells to pass that the public function that was called does not take, nor any that it names."""
    from trueness.errors import PLACEHOLDER

    named = {param for param, _ in PLACEHOLDER.findall(error.template())}
    if not named:
        return ""
    known, called, frame = public_functions(), None, sys._getframe(2)
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("trueness.cli"):
        called = known.get(frame.f_code, called)  # the outermost
        frame = frame.f_back
    if called is None or frame is not None:  # the command line spells what it has
        return ""
    named -= called[1]
    named -= {p for path, params in known.values() if path in error.template() and "." in path for p in params}
    return f"{called[0]} has no {', '.join(sorted(named))}: {error.template()}" if named else ""


@pytest.fixture(autouse=True)
def advice_exists(monkeypatch):
    """Every error that a public function raises names parameters that this function has."""
    from trueness.errors import TruenessError

    wrong, make = [], TruenessError.__init__

    def made(self, *args, **kwargs):
        make(self, *args, **kwargs)
        wrong.append(advised_wrongly(self))

    monkeypatch.setattr(TruenessError, "__init__", made)
    yield
    assert not any(wrong), next(filter(None, wrong))


@pytest.fixture
def two_gaussians():
    """20 + 20 cases, 3 features, classes a little apart."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3))
    X[y == 1] += 0.7
    return X, y
