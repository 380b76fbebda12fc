"""K006: rows are copies of others. K008: test rows stand in the training set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from karat.errors import Setting
from karat.hygiene.data import FAST_CELLS, Data, as_frame
from karat.hygiene.findings import Finding
from karat.hygiene.registry import check_for
from karat.result.digits import counted
from karat.sample.duplicates import are_texts, first_alike
from karat.typing import Array, Features, Ints

LONG_TEXT = 20  # characters from which two equal texts are hardly chance
MIN_COLUMNS = 5  # in which neighbours are looked for, however many rows there are


@check_for("K006")
def duplicates(data: Data) -> Iterator[Finding]:
    """Rows that are equal in all columns, more often than the values of the columns explain."""
    sample = data.sample
    if sample.alike is None:
        return
    groups = np.arange(sample.n) if sample.groups is None else sample.groups
    apart = None if sample.groups is None else groups
    if not beyond_chance(sample.X, sample.codes, sample.alike, within=apart):
        return
    kinds = len(np.unique(sample.alike))
    copies = len(np.unique(np.stack([sample.alike, groups]), axis=1).T) - kinds
    labelled = np.unique(np.stack([sample.alike, sample.codes]), axis=1).shape[1] - kinds
    other = f" {counted(labelled, 'copy has', 'copies have')} another label than the first." if labelled else ""
    yield Finding(
        "K006",
        (
            f"{counted(copies, 'row', 'rows')} of {sample.n} {'is a copy' if copies == 1 else 'are copies'} of another "
            f"row, more than such values agree by chance.{other} A row in the training set and its copy in the test "
            "set make a model look too good. Keep one of them if they are one case, else pass ",
            Setting("groups"),
            " so that they stay together.",
        ),
        "warning",
        copies=copies,
        cases=sample.n,
        other_label=labelled,
    )


@check_for("K008")
def test_rows(data: Data) -> Iterator[Finding]:
    """Rows of the test set that are equal to one of the training set, more often than the values explain."""
    if data.X_test is None:
        return
    X = stacked(data.sample.X, data.X_test)
    alike = None if X is None else first_alike(X)
    if alike is None:
        return
    n = data.sample.n
    trained = np.isin(alike[n:], alike[:n])
    side = (np.arange(len(alike)) >= n).astype(np.intp)
    codes = np.concatenate([data.sample.codes, np.zeros(len(alike) - n, dtype=np.intp)])
    if not trained.any() or not beyond_chance(X, codes, alike, within=side):
        return
    shared = int(trained.sum())
    yield Finding(
        "K008",
        f"{counted(shared, 'test row')} of {len(trained)} also stand{'s' if shared == 1 else ''} in the training set. "
        "They measure what the model memorized. Remove them from the training set, or split the cases again.",
        "warning",
        shared=shared,
        cases=len(trained),
    )


def stacked(X: Features, X_test: Features) -> Features:
    """Both sets as one table, in plain NumPy or pandas; None for sparse matrices."""
    if hasattr(X, "tocsr") or hasattr(X_test, "tocsr"):
        return None
    if are_texts(X):
        return [*X, *X_test]
    frames = as_frame(X), as_frame(X_test)
    if frames[0] is not None and frames[1] is not None:
        return pd.concat([frames[0], frames[1].reindex(columns=frames[0].columns)], ignore_index=True)
    return np.concatenate([np.asarray(X), np.asarray(X_test)])


def beyond_chance(X: Features, codes: Ints, alike: Ints, within: Ints | None) -> bool:
    """Whether more pairs of rows are equal than one expects from the values of the columns.

    Two expectations, and more pairs than either (by three Poisson standard deviations):

    - columns that are independent within classes: pairs × ∏ s_j, where s_j is the share of pairs of a class that agree
      in column j;
    - the number of pairs that differ in exactly one column, times 1/Σ (1 − t_j)/t_j, which is the ratio of the two for
      columns that agree with probability t_j. Columns that depend on each other agree more often than s_j says where
      all others agree; t_j = √s_j allows for that.

    Pairs within a group (`within`) do not count.
    """
    if are_texts(X):
        longest = pd.Series(list(X)).str.len().to_numpy()
        counts = np.bincount(alike, minlength=len(alike))[alike]
        return bool(((counts > 1) & (longest >= LONG_TEXT)).any())
    values = _codes(X)
    if values.shape[1] < 2:
        return False  # equal values of a single column are no copies
    agree = np.array([_agreement(column, codes) for column in values.T])
    pairs = Pairs(within)
    equal = pairs.among(alike.astype(np.uint64))
    independent = pairs.all(len(alike)) * float(np.prod(agree))
    if equal <= _bound(independent):
        return False
    often = np.sqrt(agree)
    most = max(MIN_COLUMNS, FAST_CELLS // len(values))
    chosen = np.argsort(agree, kind="stable")[:most]  # neighbours differ most often in columns of many values
    mixed = _mixed(values)
    row = mixed.sum(axis=1, dtype=np.uint64)
    near = sum(pairs.among(row - mixed[:, j]) - equal for j in chosen)
    odds = float(((1 - often[chosen]) / often[chosen]).sum())
    return bool(odds > 0 and equal > _bound(near / odds))


def _bound(mean: float) -> float:
    return mean + 3 * math.sqrt(mean)


@dataclass(frozen=True)
class Pairs:
    """Numbers of pairs of rows that are not within one group."""

    within: Ints | None

    def all(self, n: int) -> float:
        inside = 0.0 if self.within is None else _pairs(np.bincount(self.within))
        return n * (n - 1) / 2 - inside

    def among(self, keys: Array) -> float:
        """Pairs with equal keys."""
        order = np.argsort(keys, kind="stable")
        new = np.concatenate([[True], keys[order][1:] != keys[order][:-1]])
        number = np.empty(len(keys), dtype=np.intp)
        number[order] = np.cumsum(new) - 1
        inside = 0.0
        if self.within is not None:
            both = number * (int(self.within.max()) + 1) + self.within
            inside = _pairs(np.unique(both, return_counts=True)[1])
        return _pairs(np.bincount(number)) - inside


def _pairs(counts: Ints) -> float:
    return float((counts * (counts - 1.0)).sum() / 2)


def _codes(X: Features) -> Ints:
    """(n, p) the number of each cell's value in its column."""
    frame = as_frame(X)
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])] if frame is not None else list(np.asarray(X).T)
    return np.stack([pd.factorize(column, use_na_sentinel=False)[0] for column in columns], axis=1)


def _agreement(values: Ints, codes: Ints) -> float:
    """Share of pairs of one class that have the same value."""
    same = _pairs(np.bincount(values * (int(codes.max()) + 1) + codes))
    return max(same / max(1.0, _pairs(np.bincount(codes))), 1 / len(values) ** 2)


def _mixed(values: Ints) -> Array:
    """(n, p) a pseudo-random 64-bit number of each cell (the finalizer of Steele, Lea & Flood's SplitMix, 2014)."""
    z = values.astype(np.uint64) + (np.arange(values.shape[1], dtype=np.uint64) << np.uint64(32))
    z = z * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
