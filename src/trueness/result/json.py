"""Results as JSON, and back: every field but fits, samples and functions.

An object of a class is {"kind": its module and class, field: value, ...}; tuples, lists and arrays without a kind are
lists, and dicts with names are objects.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trueness.checks import path_of
from trueness.errors import InputError

if TYPE_CHECKING:
    from trueness.result.shown import Result
    from trueness.typing import Record

ROOT = "trueness."
OF_THE_RUN = ("begun", "seconds")


class LeftOutError(Exception):
    """A value that is not kept."""


class NotKept:
    """What stands for the fits, samples and functions of a result that was read from a file."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self()

    def __call__(self, *_: object, **__: object) -> None:
        raise InputError("This needs the fits, which are not kept in a file", fix="Compute the result again")


NOT_KEPT = NotKept()


# -- writing -----------------------------------------------------------------------------------------------------------


def encoded(value: Any, level: float = 0.95) -> Any:
    """The value in types that JSON can hold; limits of estimates are at this level."""
    each = partial(encoded, level=level)
    if isinstance(value, np.generic):
        value = value.item()
    if hasattr(value, "from_dict") and not isinstance(value, pd.DataFrame):
        return {"kind": kind_of(type(value)), **each(value.to_dict())}
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else {"kind": "number", "value": str(value)}
        case Enum():
            return {"kind": kind_of(type(value)), "value": value.value}
        case str():
            return value
        case date():
            return {"kind": "date", "value": value.isoformat()}
        case np.ndarray():
            return {"kind": "array", "dtype": str(value.dtype), "values": _listed(value)}
        case pd.DataFrame():
            columns = [each(value.iloc[:, k].array.to_numpy()) for k in range(value.shape[1])]
            names = {"columns": each(tuple(value.columns)), "index": _index(value.index, level)}
            return {"kind": "frame", **names, "values": columns}
        case pd.Series():
            index = _index(value.index, level)
            return {"kind": "series", "name": each(value.name), "index": index, "values": each(value.to_numpy())}
        case Mapping():
            return _mapping(value, level)
        case tuple() if hasattr(value, "_asdict"):
            return {"kind": kind_of(type(value)), **each(value._asdict())}
        case set() | frozenset():
            return sorted(map(each, value), key=str)
        case tuple() | list():
            return [each(item) for item in value]
    if dataclasses.is_dataclass(value) and getattr(value, "_kept", True):
        return {"kind": kind_of(type(value)), **dict(_fields(value, level))}
    raise LeftOutError


def _fields(value: Any, level: float) -> Iterator[tuple[str, Any]]:
    """Fields of an object. What is not kept is skipped; what cannot be without it is not kept, unless it is a result."""
    level = float(getattr(value, "level", level))
    for field in fields_of(value):
        found = getattr(value, field.name)
        if field.name == "provenance":  # the same seed gives the same JSON
            found = {key: item for key, item in found.items() if key not in OF_THE_RUN}
        undefined = is_float(field) and isinstance(found, float) and math.isnan(found)
        try:
            yield field.name, None if undefined else encoded(found, level)
        except LeftOutError:
            if is_needed(field) and not hasattr(value, "to_json"):
                raise
    if hasattr(value, "_beside"):
        yield from encoded(value._beside(level)).items()


def _mapping(value: Mapping[Any, Any], level: float) -> Any:
    """An object, or a list of pairs where a key is no text; what is not kept is skipped, all of it only as a whole."""
    items = []
    for key, item in value.items():
        try:
            items.append((key, encoded(item, level)))
        except LeftOutError:
            continue
    if value and not items:
        raise LeftOutError
    if all(type(key) is str and key != "kind" for key, _ in items):
        return dict(items)
    return {"kind": "items", "items": [[encoded(key, level), item] for key, item in items]}


def _listed(array: np.ndarray[Any, Any]) -> list[Any]:
    """Numbers as they are, null for NaN; other values encoded."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        found = array.astype(object)
        found[np.isnan(array)] = None
        found[np.isinf(array)] = np.where(array[np.isinf(array)] > 0, "inf", "-inf")
        return list(found.tolist())
    if array.dtype.kind in "fiubU":
        return list(array.tolist())
    return [encoded(item) for item in array.astype(str if array.dtype.kind in "mM" else object).tolist()]


def _index(index: pd.Index[Any], level: float) -> Any:
    return encoded({"names": tuple(index.names), "values": tuple(index)}, level)


def kind_of(cls: type) -> str:
    """Where a class is: "result.estimate.Estimate"."""
    if not cls.__module__.startswith(ROOT):
        raise LeftOutError
    return f"{cls.__module__.removeprefix(ROOT)}.{cls.__qualname__}"


def fields_of(value: Any) -> list[dataclasses.Field[Any]]:
    """The fields of an object or a class that are kept."""
    return [field for field in dataclasses.fields(value) if field.init and not field.name.startswith("_")]


def is_needed(field: dataclasses.Field[Any]) -> bool:
    """Whether it has no default."""
    return field.default is field.default_factory is dataclasses.MISSING


def is_float(field: dataclasses.Field[Any]) -> bool:
    """Whether it always has a number, so that null is NaN."""
    return field.type in (float, "float")


def pretty(value: Any, indent: str = "") -> str:
    """JSON text with one line per field; a list of numbers or words is one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"{inner}{pretty(item, inner)}" for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=json_value)


def json_value(value: Any) -> Any:
    """A Python number that JSON can hold; None where it is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# -- reading -----------------------------------------------------------------------------------------------------------


def load(path: str | Path) -> Result:
    """A result that `to_json` wrote.

    It prints, compares and draws as before. Fits are not kept: what has to ask them again is an error.

    Parameters
    ----------
    path : str or Path
        The file, or the JSON text itself.

    Returns
    -------
    Result
        Of the same class.

    Examples
    --------
    >>> import trueness
    >>> d = trueness.load(trueness.diagnose(tp=10, fn=5, fp=24, tn=61).to_json())
    >>> d.tpf
    tpf cohort: 0.67 ± 0.12 (95 %: 0.42 to 0.85); this rule
    """
    fix = "Pass a file that to_json() of this version wrote"
    try:
        text = path if isinstance(path, str) and path.lstrip()[:1] == "{" else None
        found = decoded(json.loads(text or path_of("path", path).read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", param="path") from None
    except (ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
        raise InputError("The file is no result", param="path", got=str(error), fix=fix) from None
    if not hasattr(found, "to_json"):
        raise InputError("The file is no result", param="path", fix=fix)
    return found  # type: ignore[no-any-return]


def decoded(value: Any) -> Any:
    """What `encoded` was given."""
    if isinstance(value, list):
        return tuple(map(decoded, value))
    if not isinstance(value, dict):
        return value
    given = dict(value)
    match given.pop("kind", None):
        case None:
            return {key: decoded(item) for key, item in given.items()}
        case "number":
            return float(given["value"])
        case "items":
            return {decoded(key): decoded(item) for key, item in given["items"]}
        case "date":
            return datetime.fromisoformat(given["value"])
        case "array":
            return _array(given["values"], np.dtype(given["dtype"]))
        case "frame":
            columns = enumerate(map(decoded, given["values"]))
            frame = pd.DataFrame(dict(columns), index=_index_of(given["index"]))
            return frame.set_axis(pd.Index(decoded(given["columns"])), axis=1)
        case "series":
            return pd.Series(decoded(given["values"]), _index_of(given["index"]), name=decoded(given["name"]))
        case kind:
            return _object(kind, given)


def _array(values: list[Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if dtype.kind == "O":
        out = np.empty(len(values), dtype=object)
        out[:] = [decoded(item) for item in values]
        return out
    return np.array(values, dtype=float).astype(dtype) if dtype.kind == "f" else np.array(values, dtype=dtype)


def _index_of(given: Any) -> pd.Index[Any]:
    found = decoded(given)
    return pd.Index(found["values"]).set_names(found["names"])


def _object(kind: str, given: Record) -> Any:
    """An object of one of trueness's own classes, from its fields."""
    module, _, name = kind.rpartition(".")
    cls: Any = getattr(import_module(ROOT + module), name) if "_." not in kind else None
    made = hasattr(cls, "from_dict") or dataclasses.is_dataclass(cls)
    known = isinstance(cls, type) and (made or issubclass(cls, (Enum, tuple)))
    if not known or not cls.__module__.startswith(ROOT):
        raise ValueError(f"{kind!r} is no result, and no part of one")
    found = {key: decoded(item) for key, item in given.items()}
    if hasattr(cls, "from_dict"):
        return cls.from_dict(found)
    if not dataclasses.is_dataclass(cls):  # enums and named tuples
        return cls(**found)
    fields = fields_of(cls)
    make: Any = cls
    return make(**{f.name: _field(f, found) for f in fields if f.name in found or is_needed(f)})


def _field(field: dataclasses.Field[Any], found: Record) -> Any:
    value = found.get(field.name, NOT_KEPT)
    return math.nan if value is None and is_float(field) else value
