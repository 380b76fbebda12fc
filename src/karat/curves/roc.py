"""roc: the one call for a ROC curve of scores, by any method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karat.curves.binormal import BinormalRoc, NormalRoc
from karat.curves.curve import RocCurve
from karat.curves.empirical import EmpiricalRoc
from karat.curves.semiparametric import SemiparametricRoc
from karat.errors import InputError
from karat.sample.scored import Scored

METHODS: dict[str, Callable[[Scored], RocCurve]] = {
    c.method: c.of for c in (EmpiricalRoc, BinormalRoc, SemiparametricRoc, NormalRoc)
}


def roc(y: Any, scores: Any, method: str = "empirical", positive: Any = None) -> Any:
    """ROC curve of scores, with the area and its standard error.

    Parameters
    ----------
    y
        (n,) two labels.
    scores
        (n,) high for the positive class; ±inf is legal, NaN is not.
    method
        "empirical" (all thresholds, DeLong's standard error); "binormal" (maximum likelihood on the order of
        the scores, or on ordinal ratings); "semiparametric" (one shape for both classes, location and scale
        from the data); "normal" (the scores are normal in both classes).
    positive
        The positive label; may be left out where the labels are 0/1, −1/1 or booleans.

    Returns
    -------
    EmpiricalRoc, BinormalRoc, SemiparametricRoc or NormalRoc
        With `fpf`, `tpf`, `thresholds`, `auc` (an Estimate), `partial_auc`, `tpf_at`, `fpf_at`, `best`, `band`,
        `frame` and `plot`.

    Examples
    --------
    >>> import karat
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> c = karat.roc(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9])
    >>> print(c.auc)
    auc empirical: 0.84 ± 0.15
    >>> c.tpf_at(0.25).value
    0.75
    """
    if method not in METHODS:
        raise InputError(f"there is no ROC curve by the method {method!r}", fix=f"Choose one of {', '.join(METHODS)}")
    return METHODS[method](Scored.of(y, scores, positive))
