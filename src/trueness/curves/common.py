"""What the results of this room share: rates and ranges that users give, notes, and lines of text."""

import math
from dataclasses import replace
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context
from typing import Literal

import numpy as np

from trueness.checks import check_flag, fraction
from trueness.errors import InputError, UndefinedError
from trueness.result.grouped import few_groups
from trueness.result.notes import Note
from trueness.result.words import significant
from trueness.sample.fits import Assessed, Fits
from trueness.sample.scored import Scored

Axis = Literal["fpf", "tpf"]
Range = tuple[float, float]


def ranges(fpf: Range | None, tpf: Range | None, standardized: bool) -> tuple[Axis, float, float]:
    """Which axis a partial area is over, and from where to where."""
    check_flag("standardized", standardized)
    if (fpf is None) == (tpf is None):
        problem = "A partial area needs a range of either FPF or TPF"
        raise InputError(problem, param="fpf", fix="Pass fpf=(0, 0.1) or tpf=(0.9, 1)")
    return ("fpf", *rate_range("fpf", fpf)) if tpf is None else ("tpf", *rate_range("tpf", tpf))


def rate_range(name: Axis, given: object) -> Range:
    """Two rates, the lower first."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise InputError(f"{name} must be a range of two numbers", param=name, got=repr(given))
    low, high = (fraction(name, end) for end in given)
    if low >= high:
        raise InputError(f"The range of {name} must be (low, high)", param=name, got=repr(given))
    return low, high


SCORES = "these scores, on cases like these"

MIN_BEYOND_FOR_LIMIT = 2  # cases expected beyond a threshold; with fewer the data do not show where it lies
MIN_IN_RANGE_FOR_LIMIT = 3  # negatives expected in a range of FPF; with fewer a partial area has no lower limit
MIN_IN_RANGE = 6  # … from which on the interval of a partial area covers
MAX_DISAGREEMENT = 1.0  # standard errors; two estimates of one area are rarely half as far apart if the model is right
ROUNDED_AREA = 1e-12  # areas this close are equal


# -- notes -----------------------------------------------------------------------------------------


def below_chance(area: float) -> Note | None:
    """Where an area is below ½."""
    return Note("below-chance", auc=area) if area < 0.5 - ROUNDED_AREA else None


def infinite_top(top: float) -> Note | None:
    """Where no threshold lies above the highest score."""
    return Note("infinite-top-score") if top == math.inf else None


def above_all(top: float) -> float:
    """The threshold that labels every case negative: +inf, or NaN where +inf is among the scores."""
    return math.inf if top < math.inf else math.nan


def few_beyond(t: float, n: int, open_below: float, enough: float) -> Note | None:
    """Where t·n, the expected number of cases of a class beyond the threshold, is small: below `open_below` the
    interval reaches the end of the range."""
    expected = t * n
    if expected >= enough - ROUNDED_AREA:
        return None
    open_end = expected < open_below - ROUNDED_AREA
    return Note("few-beyond-threshold", expected=expected, cases=n, open_end=open_end)


def fit_disagrees(data: Scored, area: float) -> Note | None:
    """Where a fitted area and Mann–Whitney's are further apart than DeLong's standard error."""
    if data.n1 < 2 or data.n0 < 2:
        return None
    empirical, g = data.delong
    se = float(np.linalg.norm(g))
    if se == 0 or abs(area - empirical) <= MAX_DISAGREEMENT * se:
        return None
    apart = abs(area - empirical) / se
    return Note("fit-disagrees", empirical=empirical, standard_errors=apart)


def too_few_groups(data: Scored) -> Note | None:
    """Where the cases come in groups, and one of the classes in few of them."""
    return None if data.groups is None else few_groups(min(data.independent))


def resamples_without_curve(failed: int, n_resamples: int) -> Note | None:
    """Where a fitted curve does not exist for some resamples."""
    return Note("resamples-without-curve", failed=failed, resamples=n_resamples) if failed else None


def kept(*notes: Note | None) -> tuple[Note, ...]:
    """The notes that there are, each once."""
    return tuple(dict.fromkeys(note for note in notes if note is not None))


# -- text ------------------------------------------------------------------------------------------


def as_threshold(high: float, low: float = -math.inf) -> str:
    """A threshold to six digits, with more where fewer would make other decisions: it is above `low`, the next lower
    score, and at most `high`, the score itself."""
    for digits in range(6, 17):
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR):
            near = float(Context(prec=digits, rounding=rounding).create_decimal_from_float(high))
            if low < near <= high:
                return significant(near, digits)
    return repr(high)


def left_out_scores(curve: str, a: Assessed | Fits, **given: object) -> Scored:
    """One score per case, by a rule that was not trained on it."""
    for name, x in given.items():
        if x is not None:
            raise InputError("An assessment has this itself", param=name, fix=f"Leave {name} out")
    fits = a.fits if isinstance(a, Assessed) else a
    found = None if fits is None else fits.left_out()
    if found is None:
        raise UndefinedError(
            f"There is no {curve}: it needs two classes and one left-out score per case",
            param="y",
            fix="Of several classes .plot_roc() of the assessment draws each against the rest",
        )
    return replace(found, name=a.name if isinstance(a, Assessed) else "")
