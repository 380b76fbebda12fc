"""Cases with the same features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from karat.errors import Setting
from karat.result.note import Note
from karat.typing import Features, Ints

if TYPE_CHECKING:
    from karat.sample.sample import Sample


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


def duplicates_note(sample: Sample) -> Note | None:
    """A warning where rows of X are copies of others that a split may separate; None otherwise."""
    if sample.alike is None:
        return None
    kinds = len(np.unique(sample.alike))
    if sample.groups is not None:  # copies within a group stay on one side of a split
        copies = len(np.unique(np.stack([sample.alike, sample.groups]), axis=1).T) - kinds
    else:
        copies = sample.n - kinds
    if not copies:
        return None
    are = "is a copy" if copies == 1 else "are copies"
    return Note(
        "duplicate-rows",
        (
            f"{copies} of {sample.n} rows of X {are} of another row. A row in the training set and its copy in the "
            "test set make a model look too good. Drop the copies, or pass ",
            Setting("groups"),
            " so that they stay together.",
        ),
        "warning",
        copies=copies,
        cases=sample.n,
    )


def overlap_note(training: Sample, test: Sample) -> Note | None:
    """A note where rows of the test set also are in the training set; None where none is, or rows cannot be compared.

    It is a warning where all rows of the training set differ: then equal rows are no chance of a few coarse features.
    """
    first, second = training.X, test.X
    joined: Features = None
    if are_texts(first) and are_texts(second):
        joined = [*first, *second]
    elif isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        joined = np.concatenate([first, second])
    elif isinstance(first, pd.DataFrame) and isinstance(second, pd.DataFrame):
        joined = pd.concat([first, second], ignore_index=True)
    alike = None if joined is None else first_alike(joined)
    rows = 0 if alike is None else int((alike[training.n :] < training.n).sum())
    if not rows:
        return None
    message = (
        f"{rows} of {test.n} test cases have the same features as a training case. If they are the same cases, the two "
        "sets are not independent, and the model looks too good; remove them from one of the sets."
    )
    return Note("test-rows-in-training", message, "warning" if training.alike is None else "info", rows=rows)
