"""DataSet: real cases as a population. A sample is drawn from them, and the truth is seen on the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.studies.truth import TestSet


@dataclass(frozen=True, eq=False)
class DataSet:
    """A large table whose cases stand for the population.

    Parameters
    ----------
    X
        (N, p).
    y
        (N,) labels 0, …, C − 1.
    """

    X: Any
    y: Any

    def __post_init__(self) -> None:
        X, y = np.asarray(self.X, dtype=float), np.asarray(self.y)
        if X.ndim != 2 or y.shape != (len(X),):
            raise InputError("a data set is a table and one label a row", got=f"{X.shape} and {y.shape}")
        if set(np.unique(y).tolist()) != set(range(len(np.unique(y)))):
            raise InputError("labels must be 0, …, C − 1", got=np.unique(y).tolist())
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y.astype(np.intp))

    @cached_property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def split(self, sizes: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, TestSet]:
        """A sample of so many cases a class, without replacement, and all the other cases as its test set."""
        drawn = []
        for label, n in enumerate(sizes):
            of = np.flatnonzero(self.y == label)
            if n >= len(of):
                raise InputError(
                    f"class {label} has {len(of)} cases: none would be left to test on", got=f"{n} asked for"
                )
            drawn.append(rng.choice(of, size=n, replace=False))
        rows = np.sort(np.concatenate(drawn))
        rows = rows[np.argsort(self.y[rows], kind="stable")]
        rest = np.setdiff1d(np.arange(len(self.y)), rows)
        shares = np.asarray(sizes) / np.sum(sizes)  # an estimate counts the classes as the sample does
        return self.X[rows], self.y[rows], TestSet(self.X[rest], self.y[rest], shares)


def bundled(name: str) -> DataSet:
    """A data set that comes with scikit-learn: "breast_cancer", "wine", "digits" or "iris"."""
    from sklearn import datasets

    data = getattr(datasets, f"load_{name}")()
    return DataSet(data.data, data.target)
