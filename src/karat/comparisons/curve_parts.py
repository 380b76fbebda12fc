"""Parts of two ROC curves on a test set: a point at a given FPF or TPF, the area between two FPFs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.comparisons.bootstrap import NORMAL, bootstrapped
from karat.comparisons.delong import CASES, FIXED, defended, wald_test
from karat.comparisons.exchange import exchange_p
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, no_difference
from karat.errors import InputError
from karat.formulas.curve_rows import area_rows, curve_rows, depth_rows, height_rows
from karat.result.test_result import TestResult

ENOUGH = 20  # cases that place the part: from here on the normal law holds, below it the cases are exchanged
FEWEST = 5  # cases that place the part: with fewer the bootstrap's spread is no standard error (docs/comparison.md)
EXCHANGED = (
    "without a difference the two ranks of a case can be exchanged: the curves are the same. Where only this part of "
    "them is the same it held its level in simulations (docs/comparison.md)."
)

Measure = Callable[[np.ndarray, np.ndarray], np.ndarray]  # FPF and TPF (b, points) of b curves → (b,)


@dataclass(frozen=True)
class Part:
    """What is compared, and how many cases of the class on its axis place it."""

    name: str
    measure: Measure
    size: float  # the largest difference there can be
    placed_by: float
    whose: str


@comparison("scores", "Do two rules have the same TPF at a given FPF, on one test set?")
def at_fpf(
    y: Any,
    s1: Any,
    s2: Any,
    fpf: float,
    positive: Any = None,
    alternative: str = "two-sided",
    n_resamples: int = 2000,
    rng: Any = None,
) -> TestResult:
    """TPFs of the two empirical curves, points joined by lines, where their FPF is `fpf`. p-value: `partial_auc`."""
    return _at("fpf", fpf, scores_of(y, s1, s2, positive=positive), alternative, n_resamples, rng)


@comparison("scores", "Do two rules have the same FPF at a given TPF, on one test set?")
def at_tpf(
    y: Any,
    s1: Any,
    s2: Any,
    tpf: float,
    positive: Any = None,
    alternative: str = "two-sided",
    n_resamples: int = 2000,
    rng: Any = None,
) -> TestResult:
    """FPFs of the two empirical curves, points joined by lines, where their TPF is `tpf`. p-value: `partial_auc`."""
    return _at("tpf", tpf, scores_of(y, s1, s2, positive=positive), alternative, n_resamples, rng)


@comparison("scores", "Do two rules have the same partial AUC, on one test set?")
def partial_auc(
    y: Any,
    s1: Any,
    s2: Any,
    fpf: tuple[float, float] = (0.0, 0.1),
    positive: Any = None,
    alternative: str = "two-sided",
    n_resamples: int = 2000,
    rng: Any = None,
) -> TestResult:
    """Areas under the two empirical curves between two FPFs; their spread is their own, not that of the whole AUC.

    With 20 or more negatives within the range z = difference / SD over `n_resamples` resamples of the cases. With
    fewer the normal law rejects true nulls too often, and the difference is referred to its law when the two ranks of
    each case are exchanged or not with probability ½, as in `venkatraman`, `n_resamples` times:
    p = (1 + #{at least as extreme}) / (1 + n_resamples). With fewer than 5 the SD is no standard error either, and
    none is given.
    """
    low, high = (_share("fpf", v) for v in fpf) if isinstance(fpf, (tuple, list)) and len(fpf) == 2 else (1.0, 0.0)
    if low >= high:
        raise InputError("fpf must be (low, high) with low < high", got=fpf)
    given = scores_of(y, s1, s2, positive=positive)
    size = high - low
    part = Part(
        f"partial auc ({low:g} to {high:g})",
        lambda f, t: area_rows(f, t, low, high),
        size,
        size * float((~given[0]).sum()),
        "negatives within the range",
    )
    return _test(part, given, alternative, n_resamples, rng)


def _at(axis: str, at: float, given: tuple[np.ndarray, ...], *how: Any) -> TestResult:
    """The point of both curves at a value of one axis, measured on the other."""
    at = _share(axis, at)
    of, other, measure = (~given[0], "tpf", height_rows) if axis == "fpf" else (given[0], "fpf", depth_rows)
    placed = min(at, 1 - at) * float(of.sum())
    whose = "negatives beyond the threshold" if axis == "fpf" else "positives beyond the threshold"
    part = Part(f"{other} at {axis} {at:g}", lambda f, t: measure(f, t, at), 1.0, placed, whose)
    return _test(part, given, *how)


def _share(name: str, value: float) -> float:
    if isinstance(value, (str, bool)) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise InputError(f"{name} must lie between 0 and 1", got=repr(value))
    return float(value)


def _test(part: Part, given: tuple[np.ndarray, ...], alternative: str, n_resamples: int, rng: Any) -> TestResult:
    check_alternative(alternative)
    up, first, second = given
    generator = generator_of(rng)

    def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return part.measure(*curve_rows(scores, up, weights))

    d = bootstrapped(up, first, second, rows, part.name, n_resamples, generator).with_(bounds=(-part.size, part.size))
    notes: tuple[str, ...] = ()
    if part.placed_by >= ENOUGH:
        statistic, p, notes = wald_test(d, alternative, "The bootstrap")
        law = NORMAL.format(n_resamples)
    else:
        statistic, law = d.value, EXCHANGED
        p = exchange_p(up, first, second, part.measure, d.value, alternative, n_resamples, generator)
        notes = (f"About {part.placed_by:.2g} {part.whose}: p is that of {n_resamples} exchanges of the two rules.",)
    if np.array_equal(first, second):
        p = no_difference(alternative)
    d = defended(d, np.array_equal(first, second))
    if part.placed_by < FEWEST and d.se:
        d = d.with_(se=None).noting(
            f"No standard error: about {part.placed_by:.2g} {part.whose} are too few for the bootstrap."
        )
    return TestResult(
        f"Bootstrap of the {part.name}" if law != EXCHANGED else f"Exchange of the {part.name}",
        statistic,
        p,
        alternative=alternative,
        difference=d,
        assumptions=(FIXED, CASES, law),
        notes=notes,
    )
