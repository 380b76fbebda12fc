"""The rules an operating point can be chosen by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.curves.rates import fraction
from karat.errors import InputError

CLOSE = 1e-12  # rates this close are the same


@dataclass(frozen=True, eq=False)
class Rule:
    """How to choose among points of a curve that run from (0, 0) to (1, 1).

    Attributes
    ----------
    words
        What is wanted.
    merit
        (fpf, tpf) → the measure.
    pick
        (fpf, tpf) → the place of the chosen point, and whether what was wanted can be had.
    unmet
        What to say where it cannot.
    """

    words: str
    merit: Callable[[Any, Any], Any]
    pick: Callable[[np.ndarray, np.ndarray], tuple[int, bool]]
    larger_is_better: bool = True
    unmet: str = ""


def rule_for(
    criterion: str | None,
    tpf: float | None,
    fpf: float | None,
    costs: Any,
    prevalence: float | None,
    share: float,
) -> tuple[Rule, tuple[str, ...]]:
    """The one rule that was asked for, with notes; `share` is the share of positives among the cases."""
    asked = [criterion is not None, tpf is not None, fpf is not None, costs is not None or prevalence is not None]
    if sum(asked) > 1:
        raise InputError(
            "a point is chosen by one rule", fix="Give one of criterion, tpf=, fpf=, or costs= with prevalence="
        )
    if tpf is not None:
        return at_least_tpf(fraction("tpf", tpf)), ()
    if fpf is not None:
        return at_most_fpf(fraction("fpf", fpf)), ()
    if costs is not None or prevalence is not None:
        notes: tuple[str, ...] = ()
        if prevalence is None:
            notes = (
                f"The prevalence is that of these cases, {share:.4g}; give prevalence= if the population's is not.",
            )
        return least_cost(costs, share if prevalence is None else fraction("prevalence", prevalence)), notes
    name = criterion or "youden"
    if name not in NAMED:
        raise InputError(f"there is no criterion {criterion!r}", fix=f"Choose one of {', '.join(NAMED)}")
    return NAMED[name], ()


def _largest(merit: Callable[[Any, Any], Any], sign: int = 1) -> Callable[[np.ndarray, np.ndarray], tuple[int, bool]]:
    """The first point, from strict to lax, where the merit is best."""

    def pick(fpf: np.ndarray, tpf: np.ndarray) -> tuple[int, bool]:
        values = sign * merit(fpf, tpf)
        return int(np.flatnonzero(values >= values.max() - CLOSE)[0]), True

    return pick


def _youden(fpf: Any, tpf: Any) -> Any:
    return tpf - fpf


def _distance(fpf: Any, tpf: Any) -> Any:
    return np.hypot(fpf, 1 - tpf)


NAMED = {
    "youden": Rule("largest Youden index TPF − FPF", _youden, _largest(_youden)),
    "closest": Rule("nearest to (0, 1)", _distance, _largest(_distance, -1), larger_is_better=False),
}


def at_least_tpf(wanted: float) -> Rule:
    """TPF at least this, the least FPF; of points with that FPF the largest TPF."""

    def pick(fpf: np.ndarray, tpf: np.ndarray) -> tuple[int, bool]:
        first = int(np.argmax(tpf >= wanted - CLOSE))  # the last point, (1, 1), always has it
        return int(np.flatnonzero(fpf <= fpf[first] + CLOSE)[-1]), True

    return Rule(f"TPF at least {wanted:g}", lambda fpf, tpf: fpf, pick, larger_is_better=False)


def at_most_fpf(wanted: float) -> Rule:
    """FPF at most this, the largest TPF; of points with that TPF the least FPF."""

    def pick(fpf: np.ndarray, tpf: np.ndarray) -> tuple[int, bool]:
        allowed = np.flatnonzero(fpf <= wanted + CLOSE)
        if not allowed.size:  # points that do not begin at (0, 0)
            return 0, False
        at = int(np.flatnonzero(tpf >= tpf[allowed[-1]] - CLOSE)[0])
        return at, tpf[at] > 0

    return Rule(
        f"FPF at most {wanted:g}",
        lambda fpf, tpf: tpf,
        pick,
        unmet=f"An FPF of at most {wanted:g} is only had by calling nobody positive.",
    )


def least_cost(costs: Any, prevalence: float) -> Rule:
    """Least expected cost, ρ(c10 (1 − TPF) + c11 TPF) + (1 − ρ)(c00 (1 − FPF) + c01 FPF)  (seeds/001, eq. 13)."""
    table = np.asarray([[0, 1], [1, 0]] if costs is None else costs, dtype=float)
    if table.shape != (2, 2) or not np.isfinite(table).all():
        raise InputError(
            "costs must be two rows of two numbers",
            got=repr(costs),
            fix="costs[i][j] is the cost of predicting j where the truth is i, in the order negative, positive",
        )
    if np.ptp(table) == 0:
        raise InputError("all costs are the same, so no decision matters", got=table.tolist())
    (c00, c01), (c10, c11) = table

    def cost(fpf: Any, tpf: Any) -> Any:
        return prevalence * (c10 * (1 - tpf) + c11 * tpf) + (1 - prevalence) * (c00 * (1 - fpf) + c01 * fpf)

    words = f"least expected cost at prevalence {prevalence:.4g}"
    return Rule(words, cost, _largest(cost, -1), larger_is_better=False)
