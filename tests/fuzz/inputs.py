"""Valid inputs by kind, the laws that hold for them, and what can be wrong with an argument.

A kind is a strategy of keyword arguments. A law changes them and says what the change does to the numbers.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

Arguments = dict[str, Any]
seeds = st.integers(0, 2**31 - 1)


def ints(shape: int | tuple[int, ...], low: int, high: int) -> st.SearchStrategy[np.ndarray]:
    return hnp.arrays(np.int64, shape, elements=st.integers(low, high))


@st.composite
def labels(draw: st.DrawFn, least: int = 2, most: int = 20, classes: int = 2) -> np.ndarray:
    """0 and 1 (or more classes) in random order, at least `least` of each."""
    sizes = [draw(st.integers(least, most)) for _ in range(classes)]
    return np.random.default_rng(draw(seeds)).permutation(np.repeat(np.arange(classes), sizes))


@st.composite
def numbers(draw: st.DrawFn, n: int) -> np.ndarray:
    """Scores: few values with many ties, plain numbers, or of any magnitude."""
    how = draw(st.sampled_from(["ties", "normal", "wild"]))
    if how == "ties":
        return draw(ints(n, 0, 4)).astype(float)
    if how == "normal":
        return np.random.default_rng(draw(seeds)).normal(size=n)
    return draw(hnp.arrays(float, n, elements=st.floats(-1e6, 1e6, width=32)))


@st.composite
def scored(draw: st.DrawFn, *names: str, least: int = 2, **more: st.SearchStrategy[Any]) -> Arguments:
    """Labels and one or more scores per case."""
    y = draw(labels(least))
    found = {"y": y} | {name: draw(numbers(len(y))) + draw(st.sampled_from([0, 1])) * y for name in names}
    return found | {name: draw(s) for name, s in more.items()}


@st.composite
def two_sets(draw: st.DrawFn, **more: st.SearchStrategy[Any]) -> Arguments:
    first, second = draw(scored("s")), draw(scored("s"))
    found = {"y1": first["y"], "s1": first["s"], "y2": second["y"], "s2": second["s"]}
    return found | {name: draw(s) for name, s in more.items()}


@st.composite
def decided(draw: st.DrawFn, *names: str, classes: int = 2) -> Arguments:
    """Labels and decisions."""
    y = draw(labels(1, classes=classes))
    return {"y": y} | {name: draw(ints(len(y), 0, classes - 1)) for name in names}


@st.composite
def paired(draw: st.DrawFn, *names: str, most: int = 12, **more: st.SearchStrategy[Any]) -> Arguments:
    """One value per data set for each of several models."""
    n = draw(st.integers(3, most))
    found = {name: draw(numbers(n)) for name in names}
    return found | {name: draw(s) for name, s in more.items()}


@st.composite
def features(draw: st.DrawFn, classes: int = 2, least: int = 6, **more: st.SearchStrategy[Any]) -> Arguments:
    """A small sample for a closed-form model."""
    y = draw(labels(least, least + 6, classes))
    X = np.random.default_rng(draw(seeds)).normal(size=(len(y), draw(st.integers(1, 3))))
    found = {"X": X + draw(st.sampled_from([0.0, 0.5, 3.0])) * y[:, None], "y": y}
    return found | {name: draw(s) for name, s in more.items()}


@st.composite
def scored_fits(draw: st.DrawFn, classes: int = 2) -> Arguments:
    """Counts of a bootstrap (F × n) and scores of its rules, for Fits.from_arrays."""
    y = draw(labels(3, 10, classes))
    rng = np.random.default_rng(draw(seeds))
    fits = draw(st.integers(2, 30))
    counts = rng.multinomial(len(y), np.full(len(y), 1 / len(y)), size=fits)
    shape = (fits, len(y)) if classes == 2 else (fits, len(y), classes)
    scores = rng.normal(size=shape) + (y if classes == 2 else np.eye(classes)[y])
    return {"y": y, "counts": counts, "scores": scores, "full_scores": scores.mean(axis=0)}


tables = st.tuples(st.integers(2, 8), st.integers(2, 5)).flatmap(
    lambda shape: hnp.arrays(float, shape, elements=st.integers(0, 20).map(lambda k: k / 20))
)
shares = st.floats(0.01, 0.99)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
cells = st.integers(0, 60)


# -- laws ----------------------------------------------------------------------------------------

CASES = {"y", "scores", "s1", "s2", "p1", "p2", "predictions", "X", "e1", "e2", "p", "full_scores", "groups"}
SCORES = {"scores", "s1", "s2"}


def _by_case(arguments: Arguments, change: Callable[[np.ndarray], np.ndarray]) -> Arguments:
    """The change made along the axis of the cases."""
    fits = "counts" in arguments
    return {
        name: change(value.T).T
        if fits and name in ("counts", "scores") and value.ndim == 2
        else change(value)
        if name in CASES and isinstance(value, np.ndarray)
        else value
        for name, value in arguments.items()
    }


def other_order(arguments: Arguments) -> Arguments:
    n = len(arguments["y"] if "y" in arguments else arguments["e1"])
    return _by_case(arguments, lambda v: v[np.random.default_rng(n).permutation(n)])


def doubled(arguments: Arguments) -> Arguments | None:
    if "tp" in arguments:
        if not all(arguments[k] for k in ("tp", "fn", "fp", "tn")):
            return None  # an empty cell is filled
        return {k: 2 * v if k in ("tp", "fn", "fp", "tn") else v for k, v in arguments.items()}
    return _by_case(arguments, lambda v: np.concatenate([v, v]))


def monotone(arguments: Arguments) -> Arguments:
    """Every score as its rank, which is exact where a formula would round; different scores stay different."""
    given = [k for k in arguments if k in SCORES]
    ranks = {k: np.unique(arguments[k], return_inverse=True)[1].astype(float) ** 3 for k in given}
    for k in given[1:]:
        ranks[k] += 0.5 * (not np.array_equal(arguments[k], arguments[given[0]]))
    return arguments | ranks


def relabelled(arguments: Arguments) -> Arguments:
    """Classes by other names; the positive one comes first in the alphabet."""
    names = np.array(["well", "sick"])
    new = {k: names[v] for k, v in arguments.items() if k in ("y", "predictions", "p1", "p2", "y1", "y2")}
    return arguments | new | {"positive": "sick"}


def renamed(arguments: Arguments) -> Arguments:
    """As `relabelled`, for functions that need no positive class."""
    found = relabelled(arguments)
    del found["positive"]
    return found


def swapped(arguments: Arguments) -> Arguments:
    turned = dict(arguments)
    for one, two in (
        ("s1", "s2"),
        ("p1", "p2"),
        ("e1", "e2"),
        ("y1", "y2"),
        ("b", "c"),
        ("mean1", "mean2"),
        ("sd1", "sd2"),
    ):
        if one in arguments and two in arguments:
            turned[one], turned[two] = arguments[two], arguments[one]
    return turned


def negated(arguments: Arguments) -> Arguments:
    return {k: -v if k in ("d", "differences") else v for k, v in arguments.items()}


SAME, TURNED, VALUE = "same", "turned", "value"  # what happens to the numbers
LAWS: Mapping[str, tuple[Callable[[Arguments], Arguments | None], str]] = {
    "order": (other_order, SAME),
    "order of values": (other_order, VALUE),
    "double": (doubled, VALUE),
    "monotone": (monotone, SAME),
    "monotone value": (monotone, VALUE),
    "relabel": (relabelled, SAME),
    "rename": (renamed, SAME),
    "swap": (swapped, TURNED),
    "negate": (negated, TURNED),
}


# -- what can be wrong ----------------------------------------------------------------------------


class Odd:
    """An object that no function expects."""


SCALARS: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2,
    0.5,
    1.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e308,
    5e-324,
    10**30,
    -(10**30),
    1j,
    "",
    "x",
    "\x00",
    "é" * 300,
    b"x",
    [],
    {},
    (),
    set(),
    Odd(),
    Odd,
    len,
    pd.NA,
    pd.NaT,
    np.datetime64("2020-01-01"),
    np.array(3.0),
    np.array([]),
    np.ma.masked,
    [None],
    ["a", 1],
    [[1], [1, 2]],
    {"a": 1},
    range(3),
    iter([1, 2]),
    datetime.date(2020, 1, 1),
    np.float16(0.3),
    np.uint64(2**63),
    pd.Series(dtype=float),
    pd.DataFrame(),
)


# other values start workers or write files
LIMITED: Mapping[str, tuple[Any, ...]] = {
    "n_jobs": (0, "x", 1.5, True, Odd(), [], float("nan")),
    "store": (3, 1.5, Odd(), [], {}),
    "progress": (True, False, None),
    "step": tuple(v for v in SCALARS if v is not len),  # an error of the user's function is shown as it is
}


def _with(value: Any) -> Callable[[np.ndarray], Any]:
    def change(v: np.ndarray) -> Any:
        v = v.astype(object if not isinstance(value, float) else float)
        v.flat[0] = value
        return v

    return change


def _cast(kind: Any) -> Callable[[np.ndarray], Any]:
    return lambda v: v.astype(kind)


def _series(kind: str, missing: bool = False) -> Callable[[np.ndarray], Any]:
    def change(v: np.ndarray) -> Any:
        flat = np.asarray(v).ravel()
        if kind == "boolean":
            flat = flat > 0
        made = pd.Series(flat.astype(str) if kind == "string" else flat).convert_dtypes().astype(kind)
        if missing:
            made.iloc[0] = pd.NA if kind != "category" else None
        return made

    return change


DAMAGE: tuple[Callable[[np.ndarray], Any], ...] = (
    *(_with(v) for v in (float("nan"), float("inf"), 1e308, None, "x", 10**30, 1j, Odd(), b"x", [1, 2], pd.NA)),
    *(
        _cast(t)
        for t in (bool, complex, str, bytes, object, "datetime64[s]", "timedelta64[s]", np.float16, np.int8, np.uint8)
    ),
    *(_series(t) for t in ("Int64", "Float64", "category", "string", "boolean", "object")),
    *(_series(t, missing=True) for t in ("Int64", "Float64", "category", "string", "boolean")),
    lambda v: v[:-1],
    lambda v: v[:1],
    lambda v: v[:0],
    lambda v: np.concatenate([v, v]),
    lambda v: v[..., None],
    lambda v: v[None, None],
    lambda v: np.zeros_like(v),
    lambda v: v * 1e300,
    lambda v: -v,
    lambda v: v.tolist(),
    lambda v: tuple(v.tolist()),
    lambda v: np.ma.masked_array(v, mask=np.ones(v.shape, bool)),
    lambda v: pd.Series(list(v)),
    lambda v: pd.DataFrame(v if v.ndim == 2 else v.reshape(len(v), -1)),
    lambda v: scipy.sparse.csr_matrix(v.reshape(len(v), -1)),
    lambda v: set(v.ravel().tolist()),
    lambda v: iter(v.tolist()),
    lambda v: v.astype([("a", float)]),
    lambda v: memoryview(v.copy()),
    lambda v: np.matrix(v.reshape(len(v), -1)),
    lambda v: v.reshape(len(v), -1).astype("U").astype(object),
    lambda v: pd.Index(v.ravel().tolist()),
    lambda v: pd.arrays.IntervalArray.from_breaks(np.arange(len(v) + 1)),
    lambda v: v.ravel()[::-1],
    np.sort,
)


def wrong_values(arguments: Arguments, parameters: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Every parameter with every value that `wrong` may give it."""
    for name in parameters:
        for value in LIMITED.get(name, SCALARS):
            yield name, value
        given = arguments.get(name)
        if isinstance(given, np.ndarray) and given.ndim:
            for damage in DAMAGE:
                with suppress(TypeError, ValueError, OverflowError, IndexError):  # it does not apply to this array
                    yield name, damage(given)


@st.composite
def wrong(draw: st.DrawFn, arguments: Arguments, parameters: tuple[str, ...]) -> Arguments:
    """The arguments with one or two of them damaged or replaced; some are right again by chance."""
    changed = dict(arguments)
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        name = draw(st.sampled_from(parameters))
        value = changed.get(name)
        if isinstance(value, np.ndarray) and value.ndim and draw(st.integers(0, 3)):
            try:
                changed[name] = draw(st.sampled_from(DAMAGE))(value)
            except (TypeError, ValueError, OverflowError, IndexError):  # this damage does not apply to this array
                changed[name] = draw(st.sampled_from(SCALARS))
        else:
            changed[name] = draw(st.sampled_from(LIMITED.get(name, SCALARS)))
    return changed
