"""Bootstrap tests on a test set: the AUC, any measure, parts of the curve, points of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from karat.comparisons.delong import CASES, FIXED, defended, wald_test
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative
from karat.errors import InputError
from karat.kernels.curve_rows import area_rows, curve_rows, depth_rows, height_rows
from karat.kernels.draws import bootstrap_counts
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.test_result import TestResult

NORMAL = "the difference is about normal over test sets of this size; its spread comes from {} stratified resamples."
INSIDE = 5  # negatives within the range of a partial AUC: fewer are noted
BLOCK = 4_000_000  # cells of one block of resamples

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]  # scores (n,), weights (b, n) → (b,)


@comparison("scores", "Do two rules have the same AUC, or any other measure, on one test set?")
def bootstrap(
    y: Any,
    s1: Any,
    s2: Any,
    statistic: Callable[[np.ndarray, np.ndarray], float] | None = None,
    positive: Any = None,
    alternative: str = "two-sided",
    n_resamples: int = 2000,
    rng: Any = None,
) -> TestResult:
    """z = (θ_1 − θ_2) / SD of the difference over resamples of the cases, drawn within each class.

    Parameters
    ----------
    statistic
        f(y, scores) → a number, y 1 for positive and 0 for negative cases; None: the AUC.
    """
    up, first, second = scores_of(y, s1, s2, positive=positive)
    rows: Rows
    if statistic is None:
        bounds, name = (-1.0, 1.0), "auc"

        def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
            return area_rows(*curve_rows(scores, up, weights))
    else:
        bounds, name = (-np.inf, np.inf), getattr(statistic, "__name__", "statistic")
        measure = statistic

        def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
            cases = (np.repeat(np.arange(len(up)), w) for w in weights.astype(int))
            return np.array([measure(up[c].astype(int), scores[c]) for c in cases], dtype=float)

    return _test(up, first, second, rows, f"Bootstrap of the {name}", name, bounds, alternative, n_resamples, rng)


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
    """TPFs of the two empirical curves, points joined by lines, where their FPF is `fpf`."""
    at = _share("fpf", fpf)
    up, first, second = scores_of(y, s1, s2, positive=positive)

    def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return height_rows(*curve_rows(scores, up, weights), at)

    name = f"tpf at fpf {at:g}"
    return _test(up, first, second, rows, f"Bootstrap of the {name}", name, (-1.0, 1.0), alternative, n_resamples, rng)


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
    """FPFs of the two empirical curves, points joined by lines, where their TPF is `tpf`."""
    at = _share("tpf", tpf)
    up, first, second = scores_of(y, s1, s2, positive=positive)

    def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return depth_rows(*curve_rows(scores, up, weights), at)

    name = f"fpf at tpf {at:g}"
    return _test(up, first, second, rows, f"Bootstrap of the {name}", name, (-1.0, 1.0), alternative, n_resamples, rng)


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

    Where fewer than about 5 negatives lie within the range the normal law does not hold and true nulls are rejected
    too often: a note says so.
    """
    low, high = (_share("fpf", v) for v in fpf)
    if low >= high:
        raise InputError("fpf must be (low, high) with low < high", got=fpf)
    up, first, second = scores_of(y, s1, s2, positive=positive)

    def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return area_rows(*curve_rows(scores, up, weights), low, high)

    name = f"partial auc ({low:g} to {high:g})"
    limit = high - low
    out = _test(
        up, first, second, rows, f"Bootstrap of the {name}", name, (-limit, limit), alternative, n_resamples, rng
    )
    inside = limit * int((~up).sum())
    if inside < INSIDE:
        said = f"About {inside:.2g} negatives lie between these FPFs: with fewer than {INSIDE} there is no guarantee, "
        out = replace(out, notes=(*out.notes, said + "and the test rejects too often."))
    return out


def _share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise InputError(f"{name} must lie between 0 and 1", got=value)
    return float(value)


def _test(
    up: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    rows: Rows,
    title: str,
    name: str,
    bounds: tuple[float, float],
    alternative: str,
    n_resamples: int,
    rng: Any,
) -> TestResult:
    check_alternative(alternative)
    whole("n_resamples", n_resamples, 100)
    one = np.ones((1, len(up)))
    values = [float(rows(s, one)[0]) for s in (first, second)]
    spread = _resampled(up, first, second, rows, n_resamples, generator_of(rng))
    bad = int((~np.isfinite(spread)).sum())
    if bad or not np.isfinite(values).all():
        raise InputError(f"the {name} is undefined in {bad} of {n_resamples} resamples", do="Choose another measure")
    d = Estimate(
        values[0] - values[1],
        se=float(spread.std(ddof=1)),
        metric=f"{name} difference",
        se_method="bootstrap",
        bounds=bounds,
        estimand="these two rules",
        cases=int(min(up.sum(), (~up).sum())),
    )
    z, p, notes = wald_test(d, alternative, "The bootstrap")
    d = defended(d, np.array_equal(first, second))
    return TestResult(
        title,
        z,
        p,
        alternative=alternative,
        difference=d,
        assumptions=(FIXED, CASES, NORMAL.format(n_resamples)),
        notes=notes,
    )


def _resampled(
    up: np.ndarray, first: np.ndarray, second: np.ndarray, rows: Rows, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """(n_resamples,) differences, the same resamples for both rules."""
    out, step = [], max(1, BLOCK // len(up))
    for start in range(0, n_resamples, step):
        b = min(step, n_resamples - start)
        weights = np.empty((b, len(up)))
        for of in (up, ~up):
            weights[:, of] = bootstrap_counts(rng, int(of.sum()), b)
        out.append(rows(first, weights) - rows(second, weights))
    return np.concatenate(out)
