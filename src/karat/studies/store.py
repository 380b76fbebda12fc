"""The trials done so far, in one SQLite file: an interrupted study continues where it stopped, to the same bits.

A store refuses trials of other settings, so it must tell settings apart: `described` turns models, populations,
plans and functions into plain data that can be compared.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import pickle
import sqlite3
import types
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np

from karat.errors import InputError
from karat.typing import Floats

_TABLES = """
create table if not exists recipe (text text not null);
create table if not exists chunks (
    cell text not null, start integer not null, stop integer not null, columns text not null, numbers blob not null,
    primary key (cell, start, stop)
);
"""


class TrialStore:
    """Chunks of trials by cell and range, as float64 without rounding.

    Parameters
    ----------
    path : str or Path
        File; created where it is missing.
    recipe : mapping
        What the trials depend on (study, seed, options, versions). A file with another recipe is refused.
    """

    def __init__(self, path: str | Path, recipe: Mapping[str, object]) -> None:
        self.path = Path(path)
        text = json.dumps(dict(recipe), sort_keys=True, default=str)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path)) as file:
                file.executescript(_TABLES)
                known = file.execute("select text from recipe").fetchone()
                if known is None:
                    file.execute("insert into recipe values (?)", (text,))
                    file.commit()
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                "The store cannot be opened", param="store", got=f"{path}: {error}", fix="Pass another file"
            ) from None
        if known is not None and known[0] != text:
            raise InputError(
                "The store holds trials of another study, seed, option or version",
                param="store",
                got=_first_difference(json.loads(known[0]), json.loads(text)),
                fix="Pass another file, or delete this one",
            )

    def get(self, cell: str, start: int, stop: int) -> tuple[list[str], Floats] | None:
        """Column names and numbers (stop − start, columns); None where they are missing."""
        with closing(sqlite3.connect(self.path)) as file:
            found = file.execute(
                "select columns, numbers from chunks where cell = ? and start = ? and stop = ?", (cell, start, stop)
            ).fetchone()
        if found is None:
            return None
        columns = json.loads(found[0])
        return columns, np.frombuffer(found[1], dtype=np.float64).reshape(stop - start, len(columns))

    def put(self, cell: str, start: int, stop: int, columns: list[str], numbers: Floats) -> None:
        """Keep a chunk, whole or not at all."""
        blob = np.ascontiguousarray(numbers, dtype=np.float64).tobytes()
        with closing(sqlite3.connect(self.path)) as file, file:
            file.execute(
                "insert or replace into chunks values (?, ?, ?, ?, ?)", (cell, start, stop, json.dumps(columns), blob)
            )


def _first_difference(known: dict[str, object], asked: dict[str, object]) -> str:
    for key in sorted(set(known) | set(asked)):
        if known.get(key) != asked.get(key):
            return f"{key} {known.get(key)!r} in the store, {asked.get(key)!r} asked for"
    return "another recipe"


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
