"""DataSet: real cases as a population. Samples are drawn from them, and the truth is measured on the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn import datasets

from trueness.checks import number_array
from trueness.errors import InputError
from trueness.sample.labels import label_array
from trueness.studies.truth import DrawnTestSet
from trueness.typing import Floats, Ints


@dataclass(frozen=True, eq=False, init=False)
class DataSet:
    """A large table whose cases stand for the population.

    Parameters
    ----------
    X : array of shape (N, p)
        Features.
    y : array of shape (N,)
        Labels 0, …, C − 1.
    """

    X: Floats
    y: Ints

    def __init__(self, X: ArrayLike, y: ArrayLike) -> None:
        cases, labels = number_array("X", X), label_array(y)
        if cases.ndim != 2 or labels.shape != (len(cases),):
            raise InputError(
                "A data set needs a table and one label per row", param="y", got=f"{cases.shape} and {labels.shape}"
            )
        known = np.unique(labels).tolist()
        if set(known) != set(range(len(known))):
            raise InputError("Labels must be 0, …, C − 1", param="y", got=known)
        object.__setattr__(self, "X", cases)
        object.__setattr__(self, "y", labels.astype(np.intp))

    @cached_property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def split(self, sizes: Sequence[int], rng: np.random.Generator) -> tuple[Floats, Ints, DrawnTestSet]:
        """A sample with one size per class, without replacement, and all other cases as its test set."""
        drawn = []
        for label, n in enumerate(sizes):
            of = np.flatnonzero(self.y == label)
            if n >= len(of):
                raise InputError(
                    f"Class {label} has {len(of)} cases; a sample of {n} leaves none to test on", param="sizes", got=n
                )
            drawn.append(rng.choice(of, size=n, replace=False))
        rows = np.sort(np.concatenate(drawn))
        rows = rows[np.argsort(self.y[rows], kind="stable")]
        rest = np.setdiff1d(np.arange(len(self.y)), rows)
        shares = np.asarray(sizes) / np.sum(sizes)  # an estimate weights the classes as the sample does
        return self.X[rows], self.y[rows], DrawnTestSet(self.X[rest], self.y[rest], shares)


def bundled(name: Literal["breast_cancer", "wine", "digits", "iris"]) -> DataSet:
    """A data set that comes with scikit-learn."""
    data = getattr(datasets, f"load_{name}")()
    return DataSet(data.data, data.target)
