"""Cases with the same features."""

from __future__ import annotations

import numpy as np
import pandas as pd

from trueness.typing import Features, Ints


def first_alike(X: Features) -> Ints | None:
    """(n,) the first case with the same features as each case; None where all rows differ.

    Also None where rows cannot be compared: in sparse matrices (too slow), and tables with unhashable cells.

    >>> first_alike(np.array([[1, 2], [3, 4], [1, 2]]))
    array([0, 1, 0])
    >>> first_alike(np.eye(3)) is None
    True
    """
    if are_texts(X):
        frame = pd.DataFrame({0: list(X)}, dtype=object)
    elif isinstance(X, np.ndarray):
        if X.dtype.kind == "f" and len(np.unique(X[:, 0])) == len(X):  # no two rows can be equal
            return None
        wide = np.result_type(X.dtype, np.float32) if X.dtype.kind == "f" else X.dtype.newbyteorder("=")
        frame = pd.DataFrame(X.astype(wide, copy=False))  # pandas groups neither half floats nor foreign byte orders
    elif isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_dict"):  # polars
        frame = pd.DataFrame(X.to_dict(as_series=False))
    else:
        return None
    try:
        rows = np.flatnonzero(frame.duplicated(keep=False))
        if not len(rows):
            return None
        columns = list(range(frame.shape[1]))  # names may not be unique
        groups = frame.iloc[rows].set_axis(columns, axis=1).groupby(columns, sort=False, dropna=False, observed=True)
        number = groups.ngroup().to_numpy()
    except (TypeError, NotImplementedError):
        return None
    first = np.arange(len(frame))
    first[rows] = rows[np.unique(number, return_index=True)[1][number]]
    return first


def are_texts(X: Features) -> bool:
    """Whether X holds one text per case: a list, an array, or a pandas or polars Series of strings."""
    one_dimensional = isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1
    return one_dimensional and len(X) > 0 and all(isinstance(text, str) for text in X)
