"""Plain data that tell models, data, plans and functions apart, so that a store refuses what it was not made for.
A model in words: its class and the parameters that differ from their defaults; all parameters on demand.
"""

import copyreg
import dataclasses
import functools
import hashlib
import inspect
import pickle
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from trueness.errors import InputError
from trueness.fitting.inner import owners
from trueness.result.words import counted, shortened
from trueness.version import __version__

T = TypeVar("T")
Plain = None | str | int | float | list["Plain"] | dict[str, "Plain"]
"""What `described` returns: data that JSON can hold."""


def described(thing: object) -> Plain:
    """Plain data that differ where two things do, and are the same in every process; never an address in memory.

    Models are described by class and parameters, arrays by a hash of their bytes, functions by name and their own
    code (not that of the functions they call), anything else by what pickle would save of it.
    """
    return _Description().of(thing)


class _Description:
    """Describes a thing and what is in it; a thing that holds itself is described once."""

    def __init__(self) -> None:
        self.around: list[object] = []  # what is being described, from the outermost on

    def of(self, thing: object) -> Plain:
        if thing is None or isinstance(thing, str | int | float):
            return thing
        for depth, known in enumerate(self.around):
            if known is thing:
                return ["again", depth]
        self.around.append(thing)
        try:
            return self._compound(thing)
        finally:
            self.around.pop()

    def all(self, things: Iterable[object]) -> list[Plain]:
        return [self.of(thing) for thing in things]

    def _compound(self, thing: object) -> Plain:
        if isinstance(thing, bytes | bytearray):
            return [type(thing).__name__, _digest(thing)]
        if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
            return [str(thing.dtype), self.all(thing.shape), self.of(thing.tolist())]
        if isinstance(thing, np.ndarray | np.generic):
            array = np.ascontiguousarray(thing)
            return [str(array.dtype), self.all(array.shape), _digest(array.tobytes())]
        if isinstance(thing, pd.DataFrame):
            columns = (thing.iloc[:, k] for k in range(thing.shape[1]))  # names may be there twice
            return [self.of(thing.index.to_numpy()), *map(self._column, columns)]
        if hasattr(thing, "tocsr"):
            rows = thing.tocsr()
            return [self.all(rows.shape), *self.all((rows.data, rows.indices, rows.indptr))]
        if isinstance(thing, Mapping):
            return {repr(self.of(key)): self.of(value) for key, value in thing.items()}  # 1 and "1" are two keys
        if isinstance(thing, list | tuple):
            return self.all(thing)
        if isinstance(thing, set | frozenset):
            return [*sorted(map(repr, self.all(thing)))]  # their order means nothing
        if isinstance(thing, functools.partial):
            return {"is": "partial", "of": self.of(thing.func), "args": self.all([thing.args, thing.keywords])}
        if isinstance(thing, types.MethodType):
            return {"is": self.of(thing.__func__), "of": self.of(thing.__self__)}
        if isinstance(thing, types.FunctionType):
            return self._function(thing)
        if isinstance(thing, types.ModuleType):
            return thing.__name__
        if thing is check_random_state(None):  # NumPy's own, which distributions of SciPy hold
            return "numpy.random"
        if isinstance(thing, type):
            return f"{thing.__module__}.{thing.__qualname__}"
        if callable(thing) and hasattr(thing, "__qualname__"):  # of what it is a method, which function it wraps
            of = [getattr(thing, name, None) for name in ("__self__", "__wrapped__")]
            return {"is": f"{thing.__module__}.{thing.__qualname__}", "of": self.all(of)}
        return {"is": f"{type(thing).__module__}.{type(thing).__qualname__}", **self._parts(thing)}

    def _column(self, values: pd.Series) -> Plain:
        kind = values.dtype
        levels = [kind.categories.to_numpy(), kind.ordered] if isinstance(kind, pd.CategoricalDtype) else []
        return self.all([values.name, str(kind), *levels, values.to_numpy()])

    def _function(self, function: types.FunctionType) -> dict[str, Plain]:
        """Name, code, defaults, and the variables it holds of the function around it."""
        held: dict[str, Plain] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # it is not set yet
                held[name] = self.of(cell.cell_contents)
        return {
            "is": f"{function.__module__}.{function.__qualname__}",
            "code": _digest(repr(self._code(function.__code__)).encode()),
            "defaults": self.all([function.__defaults__, function.__kwdefaults__]),
            "holds": held,
        }

    def _code(self, code: types.CodeType) -> list[object]:
        """What a function does, without where it stands: comments and line numbers do not matter."""
        parts = [self._code(c) if isinstance(c, types.CodeType) else self.of(c) for c in code.co_consts]
        return [code.co_code.hex(), code.co_names, parts]

    def _parts(self, thing: object) -> dict[str, Plain]:
        kind = type(thing)
        if hasattr(thing, "get_params"):
            if getattr(kind, "__sklearn_clone__", None) not in (None, BaseEstimator.__sklearn_clone__):
                return {"state": _digest(_saved(thing, pickle.dumps))}  # a clone may keep what it has learned
            params = {name: self.of(value) for name, value in sorted(thing.get_params(deep=False).items())}
            output = getattr(thing, "_sklearn_output_config", None)  # by set_output; a clone keeps it
            return params | ({"set_output": self.of(output)} if output else {})
        if dataclasses.is_dataclass(thing):
            return {f.name: self.of(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
        # not the bytes of pickle: those of a set are others in another process
        saved = _saved(thing, copyreg.dispatch_table.get(kind, lambda thing: thing.__reduce_ex__(4)))
        parts = [saved] if isinstance(saved, str) else saved
        return {"made": self.all(list(part) if isinstance(part, Iterator) else part for part in parts)}


def _saved(thing: object, how: Callable[[object], T]) -> T:
    try:
        return how(thing)
    except Exception:  # an open file; a class may raise anything
        raise InputError(
            f"A store cannot tell one {type(thing).__name__} from another",
            param="store",
            fix="Use functions and objects that can be pickled, or omit the store",
        ) from None


def _digest(text: bytes | bytearray) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def libraries() -> dict[str, str]:
    """The versions of libraries that models come from, besides scikit-learn; of those that are installed."""
    found = {}
    for name in ("xgboost", "lightgbm", "catboost", "torch"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def versions() -> dict[str, str]:
    """What numbers depend on besides the seed."""
    return {"trueness": __version__} | {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}


def libraries_of(model: object) -> dict[str, str]:
    """The versions of the packages that the classes of a model and of the models inside it come from, besides those of
    `versions`; of a class that no package brings there is none."""
    found: dict[str, str] = {}
    for name in sorted({type(owner).__module__.partition(".")[0] for _, owner in owners(model)}):
        with suppress(PackageNotFoundError):
            known = name if name != "sklearn" else "scikit-learn"
            found |= {} if known in versions() else {known: version(known)}
    return found


MOST_OF_VALUE = 60  # characters of one value
MOST_OF_MODEL = 200


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
    if isinstance(model, str):
        return model
    if hasattr(model, "steps"):
        return " → ".join(describe(step) for _, step in model.steps)
    if hasattr(model, "transformers"):
        return f"{type(model).__name__}({' | '.join(_of_columns(model))})"
    given = _given(model)
    if given is None:
        return shortened(_plain(repr(model)), MOST_OF_MODEL)
    defaults = _defaults(type(model))
    changed = {name: value for name, value in given.items() if not _same(value, defaults.get(name))}
    words = ", ".join(f"{name}={_value(value)}" for name, value in changed.items())
    return shortened(f"{type(model).__name__}({words})", MOST_OF_MODEL)


MOST_COLUMNS = 2  # that are named


def _of_columns(model: Any) -> Iterator[str]:
    """What a ColumnTransformer does with which columns, and with the rest; those that are left out are not named."""
    for _, step, columns in model.transformers:
        names = [columns] if isinstance(columns, str) else columns
        listed = isinstance(names, list | tuple)
        few = listed and len(names) <= MOST_COLUMNS and all(isinstance(name, str) for name in names)
        which = ", ".join(names) if few else counted(len(names), "column") if listed else ""
        if not isinstance(step, str):
            yield f"{describe(step)}{f' of {which}' if which else ''}"
        elif step == "passthrough":
            yield f"{which or 'columns'} unchanged"
    rest = getattr(model, "remainder", "drop")
    if not isinstance(rest, str):
        yield f"others: {describe(rest)}"
    elif rest == "passthrough":
        yield "others unchanged"


def parameters(model: object) -> dict[str, str]:
    """All parameters, those of steps too, as Python writes them; empty for a model that does not tell."""
    given = _given(model, deep=True)
    return {} if given is None else {name: _value(value, most=MOST_OF_MODEL) for name, value in sorted(given.items())}


def _given(model: object, deep: bool = False) -> Mapping[str, Any] | None:
    if isinstance(model, type) or not callable(getattr(model, "get_params", None)):
        return None
    try:
        found = model.get_params(deep=deep)  # type: ignore[attr-defined]  # as above
    except Exception:  # of a model that is not ours
        return None
    return found if isinstance(found, Mapping) else None


def _defaults(kind: type) -> dict[str, object]:
    """Defaults by the signatures of the class and those that it is derived from: with **kwargs a class passes the
    parameters of its parent on."""
    found: dict[str, object] = {}
    for each in kind.__mro__[:-1]:
        if "__init__" not in vars(each):
            continue
        try:
            params = inspect.signature(each.__init__).parameters.values()  # type: ignore[misc]  # of the class itself
        except (TypeError, ValueError):
            continue
        for p in params:
            if p.default is not p.empty:
                found.setdefault(p.name, p.default)
    return found


def _same(value: object, default: object) -> bool:
    """Whether it is the default; one that is unknown counts as None."""
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _value(value: object, most: int = MOST_OF_VALUE) -> str:
    said = describe(value) if hasattr(value, "get_params") and not isinstance(value, type) else _plain(repr(value))
    if len(said) > most and hasattr(value, "steps"):  # of a pipeline the model at its end
        said = f"… → {describe(value.steps[-1][1])}"
    return shortened(said, most)


def _plain(text: str) -> str:
    """In one line, without an address in memory."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
