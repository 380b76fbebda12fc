"""What a thing is, in words that a store can compare: class, parameters, numbers; never an address in memory."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import pickle
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.errors import InputError


def identity(thing: Any) -> Any:
    """Plain data that differ where two things do: models by class and parameters, arrays by a hash of their bytes.

    A function is its name and its own code, not that of what it calls.
    """
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
        return [str(thing.dtype), list(thing.shape), identity(thing.tolist())]
    if isinstance(thing, np.ndarray | np.generic):
        array = np.ascontiguousarray(thing)
        return [str(array.dtype), list(array.shape), _digest(array.tobytes())]
    if isinstance(thing, Mapping):
        return {str(key): identity(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [identity(value) for value in thing]
    if isinstance(thing, set | frozenset):
        return sorted(str(identity(value)) for value in thing)  # in no order of their own
    if isinstance(thing, functools.partial):
        return {"is": "partial", "of": identity(thing.func), "args": identity(thing.args), **identity(thing.keywords)}
    if isinstance(thing, types.MethodType):
        return {"is": identity(thing.__func__), "of": identity(thing.__self__)}
    if isinstance(thing, types.FunctionType):
        return _function(thing)
    if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__")):
        return f"{thing.__module__}.{thing.__qualname__}"
    return {"is": f"{type(thing).__module__}.{type(thing).__qualname__}", **_parts(thing)}


def _function(function: types.FunctionType) -> dict[str, Any]:
    """Name, code, defaults, and what it holds of the function around it."""
    held = [cell.cell_contents for cell in function.__closure__ or () if cell.cell_contents is not function]
    return {
        "is": f"{function.__module__}.{function.__qualname__}",
        "code": _digest(repr(_code(function.__code__)).encode()),
        "defaults": identity([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]),
        "holds": identity(held),
    }


def _code(code: types.CodeType) -> list[Any]:
    """What a function does, without where it stands: a comment or a line above it changes nothing."""
    constants = [_code(c) if isinstance(c, types.CodeType) else str(identity(c)) for c in _known(code.co_consts)]
    return [code.co_code.hex(), code.co_names, constants]


def _known(constants: tuple[Any, ...]) -> list[Any]:
    return [c if isinstance(c, types.CodeType | str | int | float | tuple | frozenset) else repr(c) for c in constants]


def _parts(thing: Any) -> dict[str, Any]:
    if hasattr(thing, "get_params"):
        return {name: identity(value) for name, value in sorted(thing.get_params(deep=False).items())}
    if dataclasses.is_dataclass(thing):
        return {f.name: identity(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    try:
        return {"state": _digest(pickle.dumps(thing, protocol=5))}
    except (pickle.PicklingError, AttributeError, TypeError):  # a class inside a function, an open file
        state = getattr(thing, "__dict__", None)
    if state:
        return {name: identity(value) for name, value in sorted(state.items())}
    raise InputError(
        f"a store cannot tell one {type(thing).__name__} from another",
        fix="Define its class at the top of a module, or leave the store out",
    )


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
