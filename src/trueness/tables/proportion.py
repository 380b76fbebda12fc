"""Intervals of a proportion, and their coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import MOST, check_choice, check_level
from trueness.errors import InputError
from trueness.formulas import proportions
from trueness.formulas.proportions import UNDEFINED_AT_EDGE, ProportionMethod
from trueness.result import Interval, Note
from trueness.result.grouped import share_in_groups
from trueness.result.shown import Drawn
from trueness.sample.labels import given_array
from trueness.typing import Floats, Ints


def proportion_interval(
    x: int | npt.ArrayLike, n: int | npt.ArrayLike, method: ProportionMethod = "wilson", level: float = 0.95
) -> Interval:
    """Confidence interval of a proportion, x of n.

    Parameters
    ----------
    x : int or array-like of shape (G,)
        Number of successes; of each group where trials come in G groups (patients, sites) and only these are
        independent.
    n : int or array-like of shape (G,)
        Number of trials, likewise.
    method : {"wilson", "wald", "exact", "agresti-coull", "jeffreys", "uniform", "logit", "cloglog", "likelihood", \
"mid-p"}, default "wilson"
        "exact" is Clopper and Pearson's; "jeffreys" and "uniform" are equal-tailed posterior intervals with the priors
        Beta(½, ½) and Beta(1, 1).
    level : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Interval
        (low, high), inside [0, 1]. At common levels it contains x/n; at very low levels the intervals "jeffreys",
        "uniform" and "mid-p" may not.

    See Also
    --------
    trueness.tables.coverage : Exact coverage of each method.

    Notes
    -----
    "wald" has zero length at x = 0 and x = n, "logit" and "cloglog" are undefined there. The exact interval is returned
    instead, with a note. Of groups it is the interval of the effective number of trials, n over the design effect (Rao
    & Scott 1992; Korn & Graubard 1998; docs/groups.md).

    References
    ----------
    Brown, Cai & DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16.

    Examples
    --------
    >>> low, high = proportion_interval(24, 85)
    >>> round(low, 3), round(high, 3)
    (0.198, 0.386)
    >>> interval = proportion_interval(0, 20, "wald")
    >>> interval.method, interval.note.code
    ('exact', 'exact-instead')

    Four patients with 5 trials each:

    >>> interval = proportion_interval([5, 4, 0, 1], [5, 5, 5, 5])
    >>> round(interval.low, 3), round(interval.high, 3), interval.note.code
    (0.095, 0.905, 'few-groups')
    """
    if given_array("x", x).ndim == 1 or given_array("n", n).ndim == 1:
        return _of_groups(x, n, method, level)
    x, n = whole_number(x, "x"), whole_number(n, "n")
    if n == 0:
        raise InputError("A proportion needs at least 1 trial", param="n", got=0)
    if x > n:
        raise InputError("x must not exceed n", param="x", got=f"x = {x}, n = {n}")
    check_method(method, "method")
    check_level(level)
    note = None
    if x in (0, n) and method in UNDEFINED_AT_EDGE:
        text = f"The {method} interval is undefined or has zero length at {x} of {n}; this is the exact interval."
        note = Note("exact-instead", text, method=method, x=x, n=n)
        method = "exact"
    return Interval(*proportions.METHODS[method](x, n, level), level=level, method=method, note=note)


def _of_groups(x: object, n: object, method: ProportionMethod, level: float) -> Interval:
    """The interval from the successes and the trials of each group."""
    hits, trials = (_counts(given, param) for given, param in ((x, "x"), (n, "n")))
    if len(hits) != len(trials):
        raise InputError(
            "x and n must have one number per group", param="n", got=f"{len(hits)} and {len(trials)} numbers"
        )
    if (hits > trials).any():
        raise InputError(
            "x must not exceed n", param="x", got=f"group {int((hits > trials).argmax())}, counting from 0"
        )
    if np.count_nonzero(trials) < 2:
        raise InputError("At least 2 groups with trials are required", param="n", fix="Pass two numbers for one group")
    check_method(method, "method")
    check_level(level)
    groups = np.repeat(np.arange(len(trials)), trials)
    first = np.cumsum(trials) - trials
    share = share_in_groups(np.arange(len(groups)) - first[groups] < hits[groups], groups, method)
    found = share.ci(level)
    return Interval(*found, level=level, method=found.method, note=share.noted("few-groups") or share.noted("groups"))


def _counts(given: object, param: str) -> Ints:
    if np.ndim(given) != 1:  # type: ignore[arg-type]
        raise InputError("x and n must both have one number per group", param=param, got=repr(given))
    return np.array([whole_number(value, param) for value in np.asarray(given).tolist()], dtype=np.intp)


def coverage(method: ProportionMethod, n: int, p: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Exact coverage P(low ≤ p ≤ high) of an interval of a proportion, summed over all outcomes of n trials.

    Parameters
    ----------
    method : str
        As in `proportion_interval`; "wald" without replacement at x = 0 and x = n.
    n : int
        Number of trials.
    p : array-like of shape (m,)
        True proportions.
    level : float, default 0.95
        Nominal coverage.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> [round(float(c), 3) for c in coverage("wald", 10, [0.1, 0.5])]
    [0.65, 0.891]
    """
    check_method(method, "method")
    check_level(level)
    n = whole_number(n, "n")
    shares = np.atleast_1d(np.asarray(p, dtype=float))
    if n == 0:
        raise InputError("A proportion needs at least 1 trial", param="n", got=0)
    if shares.ndim != 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise InputError("p must hold proportions in [0, 1]", param="p", got=repr(p))
    return proportions.coverage(method, n, shares, level)


@dataclass(frozen=True, eq=False)
class ProportionCoverage(Drawn):
    """Coverage of methods of `proportion_interval` over p, for n trials; `plot()` draws it.

    Examples
    --------
    >>> found = ProportionCoverage(["wald", "wilson"], n=10, points=99).frame()
    >>> found.groupby("method")["coverage"].min().round(3).to_dict()
    {'wald': 0.096, 'wilson': 0.904}
    """

    methods: Sequence[ProportionMethod]
    n: int
    level: float = 0.95
    points: int = 999

    def frame(self) -> pd.DataFrame:
        """`method`, `p`, `coverage` at evenly spaced p inside (0, 1)."""
        p = np.arange(1, self.points + 1) / (self.points + 1)
        parts = [
            pd.DataFrame({"method": method, "p": p, "coverage": coverage(method, self.n, p, self.level)})
            for method in self.methods
        ]
        return pd.concat(parts, ignore_index=True)


def check_method(method: str, param: str) -> None:
    check_choice(param, method, proportions.METHODS, f"There is no interval {method!r} of a proportion")


def whole_number(value: object, param: str) -> int:
    """A count: a whole number ≥ 0."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise InputError(f"{param} must be a whole number", param=param, got=repr(value))
    if not math.isfinite(number) or number != int(number):
        raise InputError(
            f"{param} must be a whole number", param=param, got=repr(value), fix="Pass counts of cases, not shares"
        )
    if number < 0:
        raise InputError(f"{param} must not be negative", param=param, got=repr(value))
    if number > MOST:
        raise InputError(f"{param} must be at most {MOST}", param=param, got=f"{number:.3g}")
    return int(number)
