"""Types that many rooms share. Nothing here runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is loaded by what draws

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Integers = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]

Label = str | int | float | bool
"""One class label."""

if TYPE_CHECKING:
    Labels = npt.ArrayLike | pd.Series | Sequence[Any]
    Scores = npt.ArrayLike | pd.Series | pd.DataFrame
else:  # signatures in `help` name them, where they would spell the union

    class Labels:
        """One label per case, as users give them: array-like, a pandas Series or a sequence."""

    class Scores:
        """One score per case (or one column per class), as users give them: array-like, a pandas Series or DataFrame."""


Features = Any
"""One row per case: an array, a pandas or polars DataFrame, a sparse matrix, or a list of texts."""

AnyModel = Any
"""A scikit-learn estimator of any kind, fitted or not, or what looks like one."""

Record = dict[str, Any]
"""One row of a table, or one object, as JSON writes it."""

Rng = int | np.random.SeedSequence | np.random.Generator | None
"""A seed, or something to draw from; None draws a fresh seed."""

Workers = Any
"""How many processes work at a time: a whole number, None, or a dask Client."""

Stratified = bool | Literal["fixed"]
"""Whether cases are drawn within classes; "fixed" where the study fixed the class sizes, so that they do not vary."""

Alternative = Literal["two-sided", "less", "greater"]


@runtime_checkable
class Classifier(Protocol):
    """A scikit-learn classifier."""

    def fit(self, X: Features, y: Any) -> Any: ...

    def predict(self, X: Features) -> Any: ...
