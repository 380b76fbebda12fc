"""Intervals of a proportion, and their coverage."""

import numpy as np
import numpy.typing as npt

from trueness.checks import MOST, check_choice, check_level, given_array, is_number, shown
from trueness.errors import InputError
from trueness.formulas import proportions
from trueness.formulas.groups import count_groups
from trueness.formulas.proportions import UNDEFINED_AT_EDGE, ProportionMethod
from trueness.result.grouped import share_in_groups
from trueness.result.interval import Interval
from trueness.result.notes import Note, inherited
from trueness.sample.labels import group_codes
from trueness.typing import Floats, Ints, Labels


def proportion_interval(
    x: npt.ArrayLike,
    n: npt.ArrayLike,
    method: ProportionMethod = "wilson",
    *,
    level: float = 0.95,
    groups: Labels | None = None,
) -> Interval | tuple[Floats, Floats]:
    """Confidence interval of a proportion, x of n.

    Parameters
    ----------
    x : int or array-like
        Number of successes; several numbers give several intervals.
    n : int or array-like
        Number of trials, likewise.
    method : {"wilson", "wald", "exact", "agresti-coull", "jeffreys", "uniform", "logit", "cloglog", "likelihood", \
"mid-p"}, default "wilson"
        "exact" is Clopper and Pearson's; "jeffreys" and "uniform" are equal-tailed posterior intervals with the priors
        Beta(½, ½) and Beta(1, 1).
    level : float, default 0.95
        Nominal coverage.
    groups : array-like of shape (G,), optional
        One interval for all trials together, where they come in groups (patients, sites) and only these are
        independent: the group of each number of x and n.

    Returns
    -------
    Interval or tuple of ndarray
        (low, high), inside [0, 1]; two arrays where x or n is an array. At common levels an interval contains x/n; at
        very low levels the intervals "jeffreys", "uniform" and "mid-p" may not.

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
    >>> low, high = proportion_interval([3, 4], [10, 10])
    >>> low.round(3), high.round(3)
    (array([0.108, 0.168]), array([0.603, 0.687]))

    Four patients with 5 trials each:

    >>> interval = proportion_interval([5, 4, 0, 1], [5, 5, 5, 5], groups=["a", "b", "c", "d"])
    >>> round(interval.low, 3), round(interval.high, 3), interval.note.code
    (0.095, 0.905, 'very-few-groups')
    """
    check_method(method, "method")
    check_level(level)
    if groups is not None:
        return _of_groups(x, n, groups, method, level)
    hits, trials = _counts(x, "x"), _counts(n, "n")
    if not hits.ndim and not trials.ndim:
        return _of_one(int(hits), int(trials), method, level)
    try:
        both = np.broadcast(hits, trials)
    except ValueError:
        got = f"{hits.shape} and {trials.shape}"
        raise InputError("x and n must have the same shape", param="n", got=got) from None
    found = np.array([_of_one(int(a), int(b), method, level) for a, b in both]).reshape(*both.shape, 2)
    return found[..., 0], found[..., 1]


def _of_one(x: int, n: int, method: ProportionMethod, level: float) -> Interval:
    if n == 0:
        raise InputError("A proportion needs at least 1 trial", param="n", got=0)
    if x > n:
        raise InputError("x must not exceed n", param="x", got=f"x = {x}, n = {n}")
    note = None
    if x in (0, n) and method in UNDEFINED_AT_EDGE:
        note = Note("exact-instead", method=method, x=x, n=n)
        method = "exact"
    return Interval(*proportions.METHODS[method](x, n, level), level=level, method=method, note=note)


def _of_groups(x: object, n: object, groups: Labels, method: ProportionMethod, level: float) -> Interval:
    """The interval of all trials together, from the successes and the trials of each group."""
    hits, trials = _counts(x, "x"), _counts(n, "n")
    if hits.ndim != 1 or hits.shape != trials.shape:
        got = f"shapes {hits.shape} and {trials.shape}"
        raise InputError("x and n must have one number per group", param="n", got=got)
    if (hits > trials).any():
        raise InputError("x must not exceed n", param="x", got=f"{hits.tolist()} of {trials.tolist()}")
    codes = group_codes(groups, x, len(hits))
    assert codes is not None
    each = np.repeat(codes, trials)
    if count_groups(each) < 2:
        raise InputError("At least 2 groups with trials are required", param="groups", fix="Omit it for one group")
    first = np.cumsum(trials) - trials
    share = share_in_groups(np.arange(len(each)) - np.repeat(first, trials) < np.repeat(hits, trials), each, method)
    found = share.ci(level)
    found.note = next(iter(inherited(share.notes, "data", "test")), None)
    return found


def _counts(given: object, param: str) -> Ints:
    array = given_array(param, given)
    counts = [whole_number(value, param) for value in array.ravel().tolist()]
    return np.array(counts, dtype=np.intp).reshape(array.shape)


def coverage(method: ProportionMethod, n: int, p: npt.ArrayLike, *, level: float = 0.95) -> Floats:
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


def check_method(method: str, param: str) -> None:
    check_choice(param, method, proportions.METHODS, f"There is no interval {method!r} of a proportion")


def whole_number(value: object, param: str) -> int:
    """A count: a whole number ≥ 0."""
    if not is_number(value) or value % 1 != 0 or not 0 <= value <= MOST:
        raise InputError(f"{param} must be a whole number from 0 to {MOST}", param=param, got=shown(value))
    return int(value)
