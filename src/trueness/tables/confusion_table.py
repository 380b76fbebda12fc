"""The confusion matrix as a DataFrame."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice, refuses_foreign
from trueness.result import Note
from trueness.tables.labels import Decided
from trueness.typing import Array, Labels

AXES: dict[str, int | tuple[int, int]] = {"row": 1, "column": 0, "all": (0, 1)}


@refuses_foreign
def confusion(
    y: Labels,
    predictions: Labels,
    normalize: Literal["row", "column", "all"] | None = None,
    *,
    classes: Labels | None = None,
) -> pd.DataFrame:
    """Confusion matrix: cases by true class (rows) and decision (columns).

    Parameters
    ----------
    y, predictions : array-like of shape (n,)
        True labels and decisions, one per case.
    normalize : {"row", "column", "all"}, optional
        None for counts; "row" for shares of each true class (the TPFs are on the diagonal); "column" for shares of each
        decision (the PPVs are on the diagonal); "all" for shares of all cases. Shares of an empty row or column are NaN
        and `attrs["notes"]` holds a Note about it.
    classes : array-like, optional
        All labels in the order wanted, where some may be absent from y; those of y, sorted, by default.

    Returns
    -------
    DataFrame

    See Also
    --------
    trueness.diagnose : Measures of the table, with standard errors and intervals.

    Examples
    --------
    >>> confusion(["a", "a", "b", "c"], ["a", "b", "b", "b"])
    decision  a  b  c
    truth
    a         1  1  0
    b         0  1  0
    c         0  1  0
    """
    if normalize is not None:
        check_choice("normalize", normalize, AXES, f"Shares cannot be normalized by {normalize!r}")
    decided = Decided.of(y, predictions, classes=classes)
    table: Array = decided.counts()
    labels = list(decided.classes)
    notes: list[Note] = []
    if normalize is not None:
        total = table.sum(axis=AXES[normalize], keepdims=True)
        with np.errstate(invalid="ignore"):
            table = table / total
        empty = [labels[k] for k in np.flatnonzero(total.ravel() == 0)]
        if normalize == "row":
            notes = [Note("empty-margin", f"Undefined: there is no {c!r} case.", truths=[c]) for c in empty]
        else:
            notes = [Note("empty-margin", f"Undefined: no case was decided {c!r}.", decisions=[c]) for c in empty]
    out = pd.DataFrame(table, index=pd.Index(labels, name="truth"), columns=pd.Index(labels, name="decision"))
    out.attrs["notes"] = notes
    return out
