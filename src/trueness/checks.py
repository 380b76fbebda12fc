"""Checks of parameters that many functions have, also of how they are spelled, and contexts that many functions need."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import fields
from decimal import Decimal
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, ParamSpec, TypeGuard, TypeVar, get_type_hints

import numpy as np
import numpy.typing as npt

from trueness.errors import InputError, LongRunWarning, TruenessWarning
from trueness.typing import Array, Floats, Ints, Rng

if TYPE_CHECKING:
    from typing_extensions import TypeIs


MOST = 2**31 - 1  # of anything that is counted

LONGEST_PATH, LONGEST_NAME = 4095, 255  # bytes, on Linux; others allow no more


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is one real number; a truth value is none."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is one whole number; a truth value is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def shown(value: object) -> str:
    """What a message repeats of a value: a large number in three digits, as an integer of 5000 digits has no text."""
    if not is_whole(value) or abs(value) < 10**6:
        return repr(value.item() if isinstance(value, np.generic) else value)
    return f"{Decimal(int(value)).normalize():.3g}"


def is_iterable(value: object) -> TypeIs[Iterable[object]]:
    """Whether one can go through it: an array without axes has the method, and refuses."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def is_one_of(value: object, names: Container[str]) -> bool:
    """Whether it is one of these names; an array or another object is none of them."""
    return isinstance(value, str) and value in names


def check_choice(param: str, value: object, names: Collection[str], problem: str) -> None:
    """An error unless it is one of these names, which the error lists after the problem."""
    if not isinstance(value, str) or value not in names:
        raise InputError(problem, param=param, fix=f"Choose one of {', '.join(names)}")


def path_of(param: str, value: object) -> Path:
    """A path, in the home of the user where it begins with ~; or an error that names the parameter."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    try:
        if not isinstance(path, str) or "\0" in path:
            raise ValueError
        size, *names = (len(os.fsencode(part)) for part in (path, *Path(path).parts))  # fails on half of a character
    except ValueError:
        fix = "Pass a text or a pathlib.Path"
        raise InputError(f"{param} must be a path", param=param, got=repr(value), fix=fix) from None
    if size > LONGEST_PATH or max(names, default=0) > LONGEST_NAME:
        got = f"{size} bytes, {max(names)} of them in one name"
        raise InputError(f"{param} is longer than file systems allow", param=param, got=got, fix="Use a shorter path")
    return Path(os.path.expanduser(path))


@contextmanager
def writing(path: Path, param: str | None = None) -> Iterator[None]:
    """While a file is written: a path that the system refuses becomes an error that names the parameter."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}", param=param) from None


def write_file(path: Path, content: str | bytes, param: str | None = None) -> None:
    """Write a file and wait until it is on the disk; a file of that name is replaced in one step, so that a full disk or
    a crash leaves the old one. A link stays a link, and a device or a file in a folder without permission is written to.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    place = Path(os.path.realpath(path))
    with writing(path, param):
        if place.exists() and (not place.is_file() or not os.access(place.parent, os.W_OK)):
            place.write_bytes(data)
            return
        if place.exists() and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        fresh = place.with_name(f".trueness-{secrets.token_hex(8)}")
        try:
            with open(fresh, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if place.exists():
                shutil.copymode(place, fresh)
            os.replace(fresh, place)
        finally:
            fresh.unlink(missing_ok=True)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


class Shared:
    """A context that changes the process: of threads that overlap, the first enters it and the last leaves it."""

    def __init__(self, context: Callable[[], AbstractContextManager[None]]) -> None:
        self._context, self._turn, self._stack, self._inside = context, Lock(), ExitStack(), 0

    def __enter__(self) -> None:
        with self._turn:
            if not self._inside:
                self._stack.enter_context(self._context())
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._turn:
            self._inside -= 1
            if not self._inside:
                self._stack.close()


_CAUGHT: dict[int, tuple[int, list[Warning]]] = {}  # the thread and the warnings of each `quietly` under way


@Shared
@contextmanager
def _recorded() -> Iterator[None]:
    """Keep a warning for its thread; one of another thread, which a model may have started, for the last that came."""
    shown = warnings.showwarning

    def keep(message: Warning, category: type[Warning], *place: Any) -> None:
        caught = [found for thread, found in list(_CAUGHT.values()) if thread == get_ident()]
        if not caught and not issubclass(category, (TruenessWarning, LongRunWarning)):
            caught = [found for _, found in list(_CAUGHT.values())]
        if not caught:
            shown(message, category, *place)
        elif category not in map(type, caught[-1]):
            caught[-1].append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for known in ("Found unknown categories in columns", "The groups parameter is ignored"):
            warnings.filterwarnings("ignore", known, UserWarning)
        warnings.showwarning = keep  # type: ignore[assignment]  # it is always called so
        yield


@contextmanager
def quietly() -> Iterator[list[Warning]]:
    """Show no warnings of this thread, and keep the first of each kind: a model may warn a million times."""
    caught: list[Warning] = []
    with _recorded:
        _CAUGHT[id(caught)] = get_ident(), caught
        try:
            yield caught
        finally:
            del _CAUGHT[id(caught)]


SHOWN: ContextVar[bool] = ContextVar("shown", default=True)
"""Whether trueness's warnings are issued."""


@contextmanager
def unwarned() -> Iterator[None]:
    """A context without trueness's warnings."""
    before = SHOWN.set(False)
    try:
        yield
    finally:
        SHOWN.reset(before)


def given_array(param: str, values: object, wanted: str = "be an array") -> Array:
    """What a list, NumPy, pandas, polars or pyarrow object holds, as a NumPy array; what a masked array hides is NaN, and
    not what is behind the mask. An error names `param`."""
    if isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = np.ma.array(values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return np.ma.filled(values.astype(object), np.nan)
    own = hasattr(values, "to_numpy") and not type(values).__module__.startswith("pyarrow")  # which copies no texts
    try:
        return np.asarray(values.to_numpy() if own else values)  # type: ignore[attr-defined]
    except ValueError:  # lists of different lengths
        raise InputError(f"{param} must {wanted}", param=param, got=type(values).__name__) from None


def number_array(param: str, values: npt.ArrayLike) -> Floats:
    """The values as floats; an error where one is not a number."""
    try:
        found = given_array(param, values)
        if found.dtype.kind == "c":  # of which NumPy would take the real parts
            raise TypeError
        return found.astype(float, copy=False)
    except (TypeError, ValueError):
        raise InputError(f"{param} must hold numbers", param=param, got=repr(values)) from None


def check_open_share(param: str, value: object, fix: str = "") -> None:
    """An error unless it is a number between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise InputError(f"{param} must lie above 0 and below 1", param=param, got=shown(value), fix=fix)


check_level = partial(check_open_share, "level", fix="Use e.g. level=0.95")
"""An error unless it is the level of an interval."""


def level_of(level: float | None, own: float = 0.95) -> float:
    """The level that was asked for, checked; that of the result itself where none was."""
    if level is None:
        return own
    check_level(level)
    return level


def fraction(param: str, value: object) -> float:
    """A number from 0 to 1, or an error that names the parameter."""
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    raise InputError(f"{param} must be a number from 0 to 1", param=param, got=repr(value))


def is_client(n_jobs: object) -> bool:
    """Whether it is a client of a dask cluster."""
    distributed = sys.modules.get("distributed")  # there cannot be a client before it is loaded
    return distributed is not None and isinstance(n_jobs, distributed.Client)


def check_flag(param: str, value: object) -> None:
    """An error unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{param} must be True or False", param=param, got=repr(value))


def check_workers(n_jobs: object) -> None:
    """An error unless `n_jobs` is None, a whole number other than 0 (negative: counted from all cores) or a client."""
    if n_jobs is not None and not is_client(n_jobs) and (not is_whole(n_jobs) or n_jobs == 0):
        fix = "Use 1 for one worker, −1 for all cores"
        raise InputError("n_jobs must be a whole number other than 0", param="n_jobs", got=repr(n_jobs), fix=fix)


def check_whole(param: str, value: object, least: int) -> None:
    """An error unless a parameter is a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise InputError(f"{param} must be a whole number of at least {least}", param=param, got=shown(value))
    if value > MOST:
        raise InputError(f"{param} must be at most {MOST}", param=param, got=shown(value))


def whole_numbers(values: object) -> Ints | None:
    """Whole numbers from 0 to `MOST`, in an array; None where they are something else."""
    try:
        found = np.asarray(values)
    except ValueError:  # lists of different lengths
        return None
    if found.dtype.kind not in "iu" or not ((found >= 0) & (found <= MOST)).all():
        return None
    return found.astype(np.int64)


def cost_matrix(
    matrix: npt.ArrayLike,
    n_classes: int | None = None,
    param: str = "costs",
    classes: Sequence[object] | npt.NDArray[np.generic] | None = None,
) -> Floats:
    """(C, C) finite costs, `c[i][j]` that of deciding j where the truth is i; an error that names `param` otherwise. A table
    with names of its rows and columns is put into the order of the `classes`."""
    if isinstance(matrix, Mapping):
        raise InputError(f"{param} must be a matrix", param=param, got=repr(matrix), fix=MATRIX)
    costs, columns = number_array(param, matrix), getattr(matrix, "columns", None)
    n = n_classes or max(2, len(np.atleast_1d(costs)))
    if costs.shape != (n, n):
        raise InputError(f"The cost matrix must be {n} × {n}", param=param, got=f"shape {costs.shape}", fix=MATRIX)
    if columns is not None:
        names = [list(map(str, each)) for each in (getattr(matrix, "index", columns), columns)]
        wanted = names[1] if classes is None else list(map(str, classes))
        if all(sorted(each) == sorted(wanted) for each in names):
            costs = costs[np.ix_(*([each.index(label) for label in wanted] for each in names))]
        elif names != [list(map(str, range(n)))] * 2:  # no names
            got, fix = (
                f"rows {', '.join(names[0])} and columns {', '.join(names[1])}",
                f"The classes are {', '.join(wanted)}",
            )
            raise InputError("The cost matrix must be named by the classes", param=param, got=got, fix=fix)
    if not (np.abs(costs) < 1e100).all() or np.ptp(costs) == 0:  # their squares are summed
        raise InputError("The costs must be finite, and not all equal", param=param, got=costs.tolist())
    return costs


def refuse_turned_costs(costs: Floats) -> Floats:
    """The costs by which a threshold is chosen; an error where for each of two classes the right decision costs more."""
    if costs[0, 0] > costs[0, 1] and costs[1, 1] > costs[1, 0]:
        problem = "The right decision costs more than the wrong one, for both classes"
        raise InputError(problem, param="costs", got=costs.tolist(), fix=MATRIX)
    return costs


MATRIX = "Rows are the true class and columns the decision, two classes in the order negative, positive"


DRAW, FIT, FULL = 0, 1, 2  # the first spawn key of the design's draw, of its fits, and of the fit on all cases


def seed_sequence(rng: Rng) -> np.random.SeedSequence:
    """A SeedSequence from None (fresh entropy), an int, a SeedSequence or a Generator."""
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(0, 2**32, size=4).tolist())
    if is_whole(rng) and rng >= 0:
        return np.random.SeedSequence(int(rng))
    raise InputError("rng must be None, a whole number ≥ 0, a SeedSequence or a Generator", param="rng", got=repr(rng))


def generator_of(rng: Rng) -> np.random.Generator:
    """NumPy's `default_rng`, with trueness's error where `rng` is none of what it may be; a Generator is used itself."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_sequence(rng))


def child(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The child at `key`; unlike spawn() it does not change the parent."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))


ELSEWHERE = {
    "cv": ("plan",),
    "scoring": ("metrics", "metric"),
    "estimator": ("model",),
    "pos_label": ("positive",),
    "random_state": ("rng",),
    "seed": ("rng",),
    "y_true": ("y",),
    "y_score": ("scores",),
    "y_pred": ("predictions",),
    "cluster": ("groups",),
    "conf_level": ("level",),
}
"""Names of scikit-learn and R, and what they are called here."""

P = ParamSpec("P")
T = TypeVar("T")


def gathers(options: type) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a door whose **options are the fields of a dataclass: its signature shows them with their defaults."""

    def named(function: Callable[P, T]) -> Callable[P, T]:
        own = signature(function)
        given = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        hints = get_type_hints(options)
        more = [
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
            for f in fields(options)
        ]
        vars(function)["__signature__"] = own.replace(parameters=[*given, *more])
        return function

    return named


def refuses_foreign(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a door: a name of scikit-learn or R for a parameter gets an error that names ours.

    >>> @refuses_foreign
    ... def assess(plan=None):
    ...     "Assess."
    >>> assess(cv=5)
    Traceback (most recent call last):
    ...
    trueness.errors.InputError: assess() has no parameter cv. Pass plan=.
    """
    takes = signature(function).parameters

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs.keys() - takes.keys():
            for ours in takes.keys() & ELSEWHERE.get(name, ()):
                raise InputError(f"{function.__name__}() has no parameter {name}", param=name, fix=f"Pass {ours}=")
        return function(*args, **kwargs)

    return checked
