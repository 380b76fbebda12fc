"""Small samples that several tests share."""

import importlib
import inspect
import os
import re
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


OPTIONS = {"sums", "least", "undefined"}  # that estimators and reports of some results take


NAMED = re.compile(r"(?:Pass|Use|Leave|or|and) (\w+)=")  # parameters in advice


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
                    takes = inspect.signature(function).parameters
                    options = OPTIONS if any(p.kind is p.VAR_KEYWORD for p in takes.values()) else set()
                    found.setdefault(function.__code__, (path, {*takes, *more, *options}))
    return found


def called_function():
    """Name and parameters of the public function that was called, the outermost; None on the command line."""
    known, called, frame = public_functions(), None, sys._getframe(2)
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("trueness.cli"):
        called = known.get(frame.f_code, called)
        frame = frame.f_back
    return called if frame is None else None


def advised_wrongly(error, called):
    """What an error tells to pass that the public function that was called does not take, nor any that it names."""
    said = error.message().replace("plan.draw", "Plan.draw")
    named = set(NAMED.findall(error.fix)) - called[1]
    for path, params in public_functions().values():
        if (path if "." in path else f"trueness.{path}") in said:
            named -= params
    return f"{called[0]} has no {', '.join(sorted(named))}: {error.message()}" if named else ""


@pytest.fixture(autouse=True)
def advice_exists(monkeypatch):
    """Every error that a public function raises names parameters that this function has."""
    from trueness.errors import TruenessError

    raised, make = [], TruenessError.__init__

    def made(self, *args, **kwargs):
        make(self, *args, **kwargs)
        if "=" in self.fix and (called := called_function()):
            raised.append((self, called))

    monkeypatch.setattr(TruenessError, "__init__", made)
    yield
    wrong = [found for each in raised if (found := advised_wrongly(*each))]  # now, as words may be added to an error
    assert not wrong, wrong[0]


@pytest.fixture
def two_gaussians():
    """20 + 20 cases, 3 features, classes a little apart."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3))
    X[y == 1] += 0.7
    return X, y
