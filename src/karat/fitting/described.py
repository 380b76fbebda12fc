"""Plain data that tell models, data, plans and functions apart, so that a store refuses what it was not made for."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import pickle
import types
from collections.abc import Mapping
from importlib.metadata import version

import numpy as np
import pandas as pd

import karat
from karat.errors import InputError

Plain = None | str | int | float | list["Plain"] | dict[str, "Plain"]
"""What `described` returns: data that JSON can hold."""


def described(thing: object) -> Plain:
    """Plain data that differ where two things do; never an address in memory.

    Models are described by class and parameters, arrays by a hash of their bytes, functions by name and their own
    code (not that of the functions they call).
    """
    if thing is None or isinstance(thing, str | int | float):
        return thing
    if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
        return [str(thing.dtype), described(list(thing.shape)), described(thing.tolist())]
    if isinstance(thing, np.ndarray | np.generic):
        array = np.ascontiguousarray(thing)
        return [str(array.dtype), described(list(array.shape)), _digest(array.tobytes())]
    if isinstance(thing, pd.DataFrame):
        names = [[str(name), str(dtype)] for name, dtype in thing.dtypes.items()]
        return [described(names), described([described(thing[column].to_numpy()) for column in thing])]
    if hasattr(thing, "tocsr"):
        rows = thing.tocsr()
        return [described(list(rows.shape)), *map(described, (rows.data, rows.indices, rows.indptr))]
    if isinstance(thing, Mapping):
        return {str(key): described(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [described(value) for value in thing]
    if isinstance(thing, set | frozenset):
        return [*sorted(str(described(value)) for value in thing)]  # their order means nothing
    if isinstance(thing, functools.partial):
        return {"is": "partial", "of": described(thing.func), "args": described([thing.args, thing.keywords])}
    if isinstance(thing, types.MethodType):
        return {"is": described(thing.__func__), "of": described(thing.__self__)}
    if isinstance(thing, types.FunctionType):
        return _function(thing)
    if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__")):
        return f"{thing.__module__}.{thing.__qualname__}"
    return {"is": f"{type(thing).__module__}.{type(thing).__qualname__}", **_parts(thing)}


def _function(function: types.FunctionType) -> dict[str, Plain]:
    """Name, code, defaults, and the variables it holds of the function around it."""
    held = [cell.cell_contents for cell in function.__closure__ or () if cell.cell_contents is not function]
    return {
        "is": f"{function.__module__}.{function.__qualname__}",
        "code": _digest(repr(_code(function.__code__)).encode()),
        "defaults": described([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]),
        "holds": described(held),
    }


def _code(code: types.CodeType) -> list[object]:
    """What a function does, without where it stands: comments and line numbers do not matter."""
    known = (types.CodeType, str, int, float, tuple, frozenset)
    constants = [c if isinstance(c, known) else repr(c) for c in code.co_consts]
    parts = [_code(c) if isinstance(c, types.CodeType) else str(described(c)) for c in constants]
    return [code.co_code.hex(), code.co_names, parts]


def _parts(thing: object) -> dict[str, Plain]:
    if hasattr(thing, "get_params"):
        return {name: described(value) for name, value in sorted(thing.get_params(deep=False).items())}
    if dataclasses.is_dataclass(thing):
        return {f.name: described(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    try:
        return {"state": _digest(pickle.dumps(thing, protocol=5))}
    except (pickle.PicklingError, AttributeError, TypeError):  # a class inside a function, an open file
        state = getattr(thing, "__dict__", None)
    if state:
        return {name: described(value) for name, value in sorted(state.items())}
    raise InputError(
        f"A store cannot tell one {type(thing).__name__} from another",
        param="store",
        fix="Define its class at the top level of a module, or omit the store",
    )


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def versions() -> dict[str, str]:
    """What numbers depend on besides the seed."""
    return {"karat": karat.__version__} | {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
