"""The confusion matrix as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from karat.diagnostic.labels import Decided
from karat.errors import InputError

AXES: dict[str, int | tuple[int, int]] = {"row": 1, "column": 0, "all": (0, 1)}


def confusion(y: Any, predictions: Any, normalize: str | None = None, *, classes: Any = None) -> pd.DataFrame:
    """Confusion matrix: how many cases of each true class (rows) were given each class (columns).

    Parameters
    ----------
    y, predictions
        True labels and decisions, one a case.
    normalize
        None: counts. "row": shares of a true class (its diagonal holds the TPFs). "column": shares of a decision
        (its diagonal holds the PPVs). "all": shares of all cases. A row or column without cases has no shares: NaN,
        and `attrs["notes"]` says so.
    classes
        All labels in the order wanted, where some may be absent from y; None: those of y, sorted.

    Examples
    --------
    >>> confusion(["a", "a", "b", "c"], ["a", "b", "b", "b"])
    decision  a  b  c
    truth
    a         1  1  0
    b         0  1  0
    c         0  1  0
    """
    if normalize is not None and normalize not in AXES:
        raise InputError('normalize must be None, "row", "column" or "all"', got=repr(normalize))
    decided = Decided.of(y, predictions, classes=classes)
    table: np.ndarray = decided.counts()
    notes = []
    if normalize is not None:
        total = table.sum(axis=AXES[normalize], keepdims=True)
        with np.errstate(invalid="ignore"):
            table = table / total
        what = {"row": "no case has the class {}", "column": "no case was decided {}"}.get(normalize, "")
        empty = np.flatnonzero(total.ravel() == 0)
        notes = [f"Undefined: {what.format(repr(decided.classes[k]))}." for k in empty]
    labels = list(decided.classes)
    out = pd.DataFrame(table, index=pd.Index(labels, name="truth"), columns=pd.Index(labels, name="decision"))
    out.attrs["notes"] = notes
    return out
