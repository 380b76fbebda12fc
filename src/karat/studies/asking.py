"""Everything karat offers, asked of one sample: every method, standard error and interval of one rule, or of two."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import cache

from karat.errors import KaratError, KaratWarning
from karat.estimators.estimation import bind, difference, estimate
from karat.estimators.registry import available
from karat.formulas.proportions import METHODS
from karat.result import Estimate
from karat.sample.fits import Fits

LEVEL = 0.95
INTERVALS = ("wald", "logit", "wilson", "t")  # beside the default one of every estimate
LIMITS = tuple(f"{kind} {end}" for kind in INTERVALS for end in ("low", "high"))
PARTS = ("value", "se", "low", "high", *LIMITS)
PROPORTIONS = tuple(METHODS)  # the ten intervals of a plain proportion


@cache
def offered(kind: str, metric: str) -> tuple[tuple[str, str, str], ...]:
    """Method, standard error and estimand of all that the registry has for a design and a metric.

    But the pooled cross-validated loss: it has the numbers of the averaged one.
    """
    probe = Fits.from_arrays([0, 0, 1, 1], [[0, 0, 0, 0]], [[0.1, 0.2, 0.3, 0.4]], threshold=0.25)
    bound = bind(probe, metric)
    return tuple(
        (e.name, se, e.estimand)
        for e in available(kind, bound)
        for se in e.se
        if se != "none" and (e.name, metric) != ("cv_pooled", "error")
    )


def ask(fits: Sequence[Fits], metric: str, method: str, se: str) -> dict[str, float]:
    """PARTS of an estimate of one rule, or of the difference of two; NaN where there is no answer.

    No fits: the plan was refused, and there is none to any question.
    """
    nothing = dict.fromkeys(PARTS, math.nan)
    if not fits:
        return nothing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KaratWarning)
            if len(fits) == 1:
                found = estimate(fits[0], metric, method, se)
            else:
                found = difference(fits[0], fits[1], metric, method, se)
            low, high = found.ci(LEVEL)
    except KaratError:  # a class too small for this method, a pair never left out, no se to defend
        return nothing
    out = {"value": found.value, "se": math.nan if found.se is None else found.se, "low": low, "high": high}
    return out | limits(found, INTERVALS)


def limits(found: Estimate, kinds: Sequence[str]) -> dict[str, float]:
    """Both ends of each kind of interval; NaN where this estimate has none of it (Student's without df)."""
    out: dict[str, float] = {}
    for kind in kinds:
        try:
            low, high = found.ci(LEVEL, kind)
        except KaratError:
            low, high = math.nan, math.nan
        out |= {f"{kind} low": low, f"{kind} high": high}
    return out
