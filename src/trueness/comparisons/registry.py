"""What a test declares, and what tests share."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import Literal, ParamSpec, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from trueness.checks import check_choice, is_number
from trueness.errors import InputError
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.test_result import TestResult
from trueness.sample.labels import check_same_index
from trueness.sample.scores import numbers
from trueness.typing import Alternative, Bools, Floats

Given = Literal[
    "scores",  # y, s1, s2: scores of two rules on one test set
    "two sets",  # y1, s1, y2, s2: each rule on its own test set
    "decisions",  # y, p1, p2: predicted classes
    "counts",  # of discordant cases
    "right or wrong",  # (n, k) of 0 and 1
    "values",  # e1, e2: one value per data set
    "table",  # data sets × models
    "splits",  # differences on splits of one data set
    "splits of one model",
    "5x2",  # differences of a 5 × 2-fold cross-validation
    "means",  # mean and SD of two models
    "estimate",  # an Estimate of a difference
]


@dataclass(frozen=True)
class DeclaredTest:
    """A declared test."""

    name: str  # name of the function
    function: Callable[..., TestResult | Estimate]  # the test
    given: Given  # what it takes
    question: str  # what it answers
    sources: tuple[str, ...]  # keys of report/references.bib


P = ParamSpec("P")
T = TypeVar("T", bound=TestResult | Estimate)
DECLARED: dict[str, DeclaredTest] = {}


def comparison(given: Given, question: str, *sources: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare a test under the name of its function; `sources` are keys of report/references.bib. Its `alternative` is
    checked."""

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def cited(*args: P.args, **kwargs: P.kwargs) -> T:
            side = kwargs.get("alternative", "two-sided")
            check_choice("alternative", side, get_args(Alternative), "The alternative is unknown")
            out = function(*args, **kwargs)
            return replace(out, sources=sources) if isinstance(out, TestResult) else out

        DECLARED[cited.__name__] = DeclaredTest(cited.__name__, cited, given, question, sources)
        return cited

    return declare


def tests() -> list[DeclaredTest]:
    """All declared tests, including `split_mean`, which returns an Estimate.

    Returns
    -------
    list of DeclaredTest
    """
    return list(DECLARED.values())


JUDGED_BY_ALL = "the cases are independent; each is classified by every rule."
SEPARATE_SETS = "the two test sets have no case in common."
PAIRED_VALUES = "the values are paired: both models on the same data sets."
INDEPENDENT_PAIRS = "different pairs are independent: different data sets, not folds or splits of one."
PAIRED_SPLITS = "each split gives one difference, with both models trained and tested on the same cases."
INDEPENDENT_ROWS = "the data sets are independent and have the same weight."
COMPARABLE_RANKS = "ranks within a data set are comparable."
FIXED_AND_UNSEEN = "the rules are fixed and are tested on cases they were not trained on."

NO_SPREAD = 1e-12  # differences that differ by less than this share of their size are the same
CELLS_PER_BLOCK = 4_000_000


def paired_values(e1: npt.ArrayLike, e2: npt.ArrayLike, least: int = 2) -> np.ndarray:
    """(n,) e1 − e2 of values that belong together pair by pair."""
    a, b = (values_of(e, name, 1) for e, name in ((e1, "e1"), (e2, "e2")))
    if len(a) != len(b) or len(a) < least:
        got = f"{len(a)} and {len(b)} values"
        raise InputError(f"e1 and e2 must be paired, with at least {least} values each", param="e2", got=got)
    check_same_index("e2", e2, "e1", e1)
    size = np.maximum(np.abs(a), np.abs(b)).max()
    return np.where(np.abs(a - b) <= NO_SPREAD * size, 0.0, a - b)  # 0 where they are the same but for the last bits


def split_values(given: npt.ArrayLike, name: str, ndim: int = 1) -> np.ndarray:
    """(k,) or (k, f): two or more splits of a data set, one row each."""
    values = values_of(given, name, ndim)
    if len(values) < 2:
        raise InputError("At least 2 splits are required", param=name, got=len(values))
    return values


def values_of(given: npt.ArrayLike, name: str, ndim: int) -> np.ndarray:
    """Finite numbers."""
    values = numbers(given, name)
    finite = int(np.isfinite(values).sum())
    if values.ndim != ndim or not values.size or finite < values.size:
        got = f"shape {values.shape} with {finite} finite numbers"
        raise InputError(f"{name} must be finite numbers with ndim={ndim}", param=name, got=got)
    return values


def without_se(value: float, metric: str) -> Estimate:
    """An estimate that has no standard error."""
    return Estimate(value, metric=metric).noting(Note("no-se-method"))


def constant(values: np.ndarray) -> bool:
    """Whether the values are all the same, up to rounding."""
    return bool(np.ptp(values) <= NO_SPREAD * np.abs(values).max(initial=0.0))


def check_inside(name: str, value: object, low: float = 0, high: float = math.inf, ends: bool = False) -> None:
    """An error unless low < value < high, or ≤ where the `ends` are allowed."""
    if not (is_number(value) and (low <= value <= high if ends else low < value < high)):
        raise InputError(f"{name} must be a number between {low:g} and {high:g}", param=name, got=repr(value))


def blocks(resamples: int, cells: int) -> Iterator[int]:
    """Sizes of the blocks in which resamples of this many cells each are drawn, so that memory stays bounded."""
    step = max(1, CELLS_PER_BLOCK // cells)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def at_least_as_extreme(drawn: Floats, observed: float, alternative: Alternative, rounding: float) -> Bools:
    """Which drawn values are at least as extreme as the observed one; values equal up to rounding count."""
    if alternative == "two-sided":
        return np.asarray(np.abs(drawn) >= abs(observed) - rounding)
    return np.asarray(drawn <= observed + rounding if alternative == "less" else drawn >= observed - rounding)


def holm(p_values: npt.ArrayLike) -> Floats:
    """p_(i) adjusted = max_{j ≤ i} min(1, (m − j + 1) p_(j)), in the order given (Holm 1979).

    The probability of any false rejection stays below the level, whatever the dependence.

    Parameters
    ----------
    p_values : array-like of shape (m,)

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = values_of(p_values, "p_values", 1)
    if ((p < 0) | (p > 1)).any():
        raise InputError("p_values must be between 0 and 1", param="p_values", got=f"{p.min():g} to {p.max():g}")
    order = np.argsort(p, kind="stable")
    adjusted: Floats = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order]))
    return adjusted
