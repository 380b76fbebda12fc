"""What a thing is, in words that a store can compare: class, parameters, numbers; never an address in memory."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.errors import InputError


def identity(thing: Any) -> Any:
    """Plain data that differ where two things do: models by class and parameters, arrays by a hash of their bytes.

    A function is its name: what it does cannot be seen from outside.
    """
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    if isinstance(thing, np.ndarray | np.generic):
        array = np.ascontiguousarray(thing)
        return [str(array.dtype), list(array.shape), hashlib.sha256(array.tobytes()).hexdigest()[:16]]
    if isinstance(thing, Mapping):
        return {str(key): identity(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | set | frozenset):
        return [identity(value) for value in thing]
    if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__")):
        return f"{thing.__module__}.{thing.__qualname__}"
    return {"is": f"{type(thing).__module__}.{type(thing).__qualname__}", **_parts(thing)}


def _parts(thing: Any) -> dict[str, Any]:
    if hasattr(thing, "get_params"):
        return {name: identity(value) for name, value in sorted(thing.get_params(deep=False).items())}
    if dataclasses.is_dataclass(thing):
        return {f.name: identity(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    text = repr(thing)
    if " at 0x" not in text:
        return {"shows as": text}
    if vars(thing):
        return {name: identity(value) for name, value in sorted(vars(thing).items())}
    raise InputError(
        f"a store cannot tell one {type(thing).__name__} from another", do="Give it a repr, or leave the store out"
    )
