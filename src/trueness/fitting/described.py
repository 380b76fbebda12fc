"""Plain data that tell models, data, plans and functions apart, so that a store refuses what it was not made for.
A model in words: its class and the parameters that differ from their defaults; all parameters on demand.
"""

import copyreg
import dataclasses
import hashlib
import inspect
import pickle
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from trueness.errors import InputError
from trueness.fitting.inner import owners
from trueness.result.words import shortened
from trueness.version import __version__

T = TypeVar("T")
Plain = None | str | int | float | list["Plain"] | dict[str, "Plain"]
"""What `described` returns: data that JSON can hold."""


def described(thing: object, around: tuple[object, ...] = ()) -> Plain:
    """Plain data that differ where two things do, and are the same in every process; never an address in memory.

    Models are described by class and parameters, arrays by a hash of their bytes, functions by name and their own
    code (not that of the functions they call), anything else by what pickle would save of it. A thing that holds itself
    is described once: `around` it are the others, from the outermost on.
    """
    if thing is None or isinstance(thing, str | int | float):
        return thing
    for depth, known in enumerate(around):
        if known is thing:
            return ["again", depth]

    of, kind = partial(described, around=(*around, thing)), type(thing)
    if isinstance(thing, bytes | bytearray):
        return [kind.__name__, hashlib.sha256(thing).hexdigest()[:16]]
    if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
        return [str(thing.dtype), of(thing.shape), of(thing.tolist())]
    if isinstance(thing, np.ndarray | np.generic):
        array = np.ascontiguousarray(thing)
        return [str(array.dtype), of(array.shape), of(array.tobytes())]
    if isinstance(thing, pd.DataFrame):
        return [of(thing.index.to_numpy()), *(of(thing.iloc[:, k]) for k in range(thing.shape[1]))]
    if isinstance(thing, pd.Series):
        categories = getattr(thing.dtype, "categories", None)
        levels = () if categories is None else (categories.to_numpy(), getattr(thing.dtype, "ordered", None))
        return [*map(of, (thing.name, str(thing.dtype), *levels, thing.to_numpy()))]
    if hasattr(thing, "tocsr"):
        rows = thing.tocsr()
        return [*map(of, (rows.shape, rows.data, rows.indices, rows.indptr))]
    if isinstance(thing, Mapping):
        return {repr(of(key)): of(value) for key, value in thing.items()}  # 1 and "1" are two keys
    if isinstance(thing, list | tuple):
        return [*map(of, thing)]
    if isinstance(thing, set | frozenset):
        return [*sorted(map(repr, map(of, thing)))]  # their order means nothing
    if isinstance(thing, types.CodeType):  # comments and line numbers do not matter
        return [thing.co_code.hex(), of(thing.co_names), of(thing.co_consts)]
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if thing is check_random_state(None):  # NumPy's own, which distributions of SciPy hold
        return "numpy.random"
    if isinstance(thing, type):
        return f"{thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, types.FunctionType):  # and the variables it holds of the function around it
        held: dict[str, Plain] = {}
        for name, cell in zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True):
            with suppress(ValueError):  # it is not set yet
                held[name] = of(cell.cell_contents)
        name = f"{thing.__module__}.{thing.__qualname__}"
        return [name, of(thing.__code__), of(thing.__defaults__), of(thing.__kwdefaults__), held]
    if callable(thing) and hasattr(thing, "__qualname__"):  # of what it is a method, which function it wraps
        owners = [getattr(thing, name, None) for name in ("__self__", "__wrapped__")]
        return [f"{thing.__module__}.{thing.__qualname__}", of(owners)]
    if hasattr(thing, "get_params"):
        if getattr(kind, "__sklearn_clone__", None) not in (None, BaseEstimator.__sklearn_clone__):
            return [of(kind), of(_saved(thing, pickle.dumps))]  # a clone may keep what it has learned
        # set_output: a clone keeps it
        return [of(kind), of(thing.get_params(deep=False)), of(getattr(thing, "_sklearn_output_config", None))]
    if dataclasses.is_dataclass(thing):
        return [of(kind), *(of(getattr(thing, f.name)) for f in dataclasses.fields(thing))]
    # not the bytes of pickle: those of a set are others in another process
    saved = _saved(thing, copyreg.dispatch_table.get(kind, lambda thing: thing.__reduce_ex__(4)))
    parts = [saved] if isinstance(saved, str) else saved
    return [of(kind), *(of(list(part) if isinstance(part, Iterator) else part) for part in parts)]


def _saved(thing: object, how: Callable[[object], T]) -> T:
    try:
        return how(thing)
    except Exception:  # an open file; a class may raise anything
        raise InputError(
            f"A store cannot tell one {type(thing).__name__} from another",
            param="store",
            fix="Use functions and objects that can be pickled, or omit the store",
        ) from None


BASE = ("numpy", "scipy", "scikit-learn")


def libraries() -> dict[str, str]:
    """The versions of libraries that models come from, besides scikit-learn; of those that are installed."""
    found = {}
    for name in ("xgboost", "lightgbm", "catboost", "torch"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def versions() -> dict[str, str]:
    """What numbers depend on besides the seed."""
    return {"trueness": __version__} | {name: version(name) for name in BASE}


def libraries_of(model: object) -> dict[str, str]:
    """The versions of the packages that the classes of a model and of the models inside it come from, besides those of
    `versions`; of a class that no package brings there is none."""
    found: dict[str, str] = {}
    for name in sorted(
        {type(owner).__module__.partition(".")[0] for _, owner in owners(model)} - {"sklearn", "trueness", *BASE}
    ):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


MOST_OF_MODEL = 200  # characters


def describe(model: object) -> str:
    """The model in one line, with the parameters that were changed; the steps of a pipeline with arrows between them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> describe(make_pipeline(StandardScaler(), LogisticRegression(C=0.5, tol=1e-4)))
    'StandardScaler() → LogisticRegression(C=0.5)'
    """
    if hasattr(model, "steps"):
        return " → ".join(describe(step) for _, step in model.steps)
    said = model if isinstance(model, str) else repr(model)
    if hasattr(model, "get_params") and not isinstance(model, type):
        bases: Iterable[Any] = reversed(type(model).__mro__)
        inits = (inspect.signature(of.__init__).parameters.values() for of in bases)
        usual = {parameter.name: repr(parameter.default) for parameters in inits for parameter in parameters}
        given = model.get_params(deep=False).items()
        changed = (f"{name}={value!r}" for name, value in given if repr(value) != usual.get(name, "None"))
        said = f"{type(model).__name__}({', '.join(changed)})"
    in_one_line = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(said.split()))  # without an address in memory
    return shortened(in_one_line, MOST_OF_MODEL)


def parameters(model: object) -> dict[str, str]:
    """All parameters, those of steps too, as Python writes them; empty for a model that does not tell."""
    if not hasattr(model, "get_params"):
        return {}
    return {name: describe(repr(value)) for name, value in sorted(model.get_params().items())}
