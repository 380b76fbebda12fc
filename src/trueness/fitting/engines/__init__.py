"""Closed-form engines: all training sets of a design at once.

`Moments` are first and second moments of every class in all training sets: one matrix product per class.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, clone

from trueness.checks import quietly
from trueness.sample.sample import Sample
from trueness.typing import Bools, Floats, Integers, Ints

MIN_KEPT = 1e-4
"""The conditioning test of the engines: the least share of its mean square that a feature must keep in a training set
once the class means and all other features are taken off. Digits are lost in proportion to its inverse."""

MAX_CONSTANT = 1e6
"""A constant of a rule above this is a difference of numbers that leave too few digits."""


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The training data of an engine."""

    X: Floats  # (n, p) finite float64 features without constant columns
    x: Floats  # (n, p) the same, minus the median of some cases, in units of their spread
    spread: Floats  # (p,) standard deviations of X
    codes: Ints  # (n,) class of each case
    n_classes: int  # number of classes
    scaled: bool = False  # whether a StandardScaler with its default parameters precedes the model
    dropped: bool = False  # whether X had constant columns
    target: Floats | None = None  # (n,) the numbers that are predicted


@dataclass(frozen=True, eq=False)
class Rules:
    """The answers of b fitted rules about all n cases."""

    # (b, n) or (b, n, C) log-posteriors up to a constant per case: second class minus first, or one column per class;
    # or (b, n) predicted numbers
    values: Floats
    # (b,) False where the closed form may differ from scikit-learn (a singular covariance, an empty class): these
    # training sets are fitted by scikit-learn, and succeed or fail there
    trusted: Bools
    predictions: Integers | None = None  # (b, n) for models that do not decide by the largest value
    probabilities: bool = False  # whether the values are probabilities already


class Engine(Protocol):
    """A model with a closed form for many training sets."""

    name: ClassVar[str]
    responses: ClassVar[tuple[str, ...]]
    """Methods of the fitted scikit-learn model that give scores."""
    # `numbers`, where an engine has it, is how many numbers it needs for one training set besides n scores (p² where it
    # makes a matrix of the features): training sets are fitted together in blocks of at most 2²⁴ of them

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        """Fit on the training sets of `counts` (b, n), and score all cases; of two classes `out` (b, n) may take the
        values."""
        ...


def has(model: BaseEstimator, **expected: object) -> bool:
    """Whether the parameters of a model have these values; a tuple lists what is accepted.

    Parameters that the installed scikit-learn does not have are ignored.
    """
    for name, value in expected.items():
        listed = value if isinstance(value, tuple) else (value,)
        given = getattr(model, name, listed[0])
        if not any(given is v or (type(given) is type(v) and given == v) for v in listed):
            return False
    return True


def accepted(model: BaseEstimator) -> bool:
    """Whether scikit-learn can fit the model on a tiny table; otherwise the generic path reports its error."""
    with quietly():
        try:
            clone(model).fit([[-1.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
        except Exception:
            return False
    return type(model).__module__.startswith("sklearn.")


def tabulated(sample: Sample, scaled: bool) -> TrainingTable | None:
    """The features as float64, without constant columns; None where scikit-learn would compute with something else
    (float32, sparse, text, missing values), or with the rounding errors of a constant."""
    X = sample.X
    if isinstance(X, pd.DataFrame) and not all(isinstance(t, np.dtype) and t.kind in "iuf" for t in X.dtypes):
        return None
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if not isinstance(X, np.ndarray) or (X.dtype.kind not in "iu" and X.dtype != np.float64):
        return None
    X = X.astype(np.float64, order="C")  # one layout, one order of sums
    constant = np.ptp(X, axis=0) == 0
    if not np.isfinite(X).all() or constant.all():
        return None
    # sums of up to n copies of a constant must be exact, so that scikit-learn sees no variance in it
    fraction = np.frexp(X[0, constant])[0] * 2.0**53 / 2.0 ** np.ceil(np.log2(len(X)))
    if (fraction != np.round(fraction)).any():
        return None
    eps, kept = np.finfo(float).eps, X[:, ~constant]
    with np.errstate(over="ignore", invalid="ignore"):
        # StandardScaler takes a feature for a constant by its rounding error
        if scaled and (kept.var(axis=0) <= 100 * (len(X) * eps * kept.mean(axis=0)) ** 2).any():
            return None
    standard = standardised(kept)
    if standard is None:
        return None
    dropped = bool(constant.any())
    return TrainingTable(kept, *standard, sample.codes, sample.n_classes, scaled, dropped, sample.numbers)


MEDIAN_OF = 9  # cases, or a few more, whose median stands for the middle of all
MAX_SPREAD = 1e100  # standard deviation of a feature; squares of larger numbers overflow
MAX_ENTRIES = 2**24  # entries of Φ up to which it is kept; a larger one is made again in chunks
CHUNK_CASES = 4096  # cases per chunk
MIN_SETS_FOR_PHI = 4  # with fewer training sets, making Φ takes longer than it saves
MAX_FEATURES_FOR_PHI = 128  # with more, its products fill the memory


class Phi:
    """Φ = [1, x_i, x_i x_j (i ≤ j)], one row per feature; squares x_i² alone where `products` is False."""

    def __init__(self, x: Floats, products: bool = True) -> None:
        self.x, self.p = x, x.shape[1]
        self.i, self.j = np.triu_indices(self.p) if products else (np.arange(self.p), np.arange(self.p))
        self.squares = np.flatnonzero(self.i == self.j)  # where x_i² stands among the products
        self.mixed = products
        self._whole: Floats | None = None

    def sums(self, weights: npt.NDArray[np.float64 | np.integer]) -> Floats:
        """(b, q) Σ_i weights_bi φ_i."""
        weights = np.asarray(weights, dtype=np.float64)
        if len(weights) < MIN_SETS_FOR_PHI or self.p > MAX_FEATURES_FOR_PHI:
            x, i, j = self.x, self.i, self.j
            products = [((w[:, None] * x).T @ x)[i, j] if self.mixed else w @ x**2 for w in weights]
            return np.concatenate([weights.sum(axis=1, keepdims=True), weights @ x, np.stack(products)], axis=1)
        parts = [weights[:, cases] @ phi.T for cases, phi in self._chunks()]
        return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)

    def scores(self, weights: Floats, out: Floats | None = None) -> Floats:
        """(b, n) weights_b · φ_i, of weights (b, q)."""
        out = np.empty((len(weights), len(self.x))) if out is None else out
        for cases, phi in self._chunks():
            np.matmul(weights, phi, out=out[:, cases])
        return out

    def _chunks(self) -> Iterator[tuple[slice, Floats]]:
        if len(self.x) * (1 + self.p + len(self.i)) <= MAX_ENTRIES:
            if self._whole is None:
                self._whole = self._rows(self.x)
            yield slice(None), self._whole
            return
        for start in range(0, len(self.x), CHUNK_CASES):
            cases = slice(start, start + CHUNK_CASES)
            yield cases, self._rows(self.x[cases])

    def _rows(self, x: Floats) -> Floats:
        out, columns, at = np.empty((1 + self.p + len(self.i), len(x))), np.ascontiguousarray(x.T), 1 + self.p
        out[0], out[1:at] = 1, columns
        for i, column in enumerate(columns):
            others = columns[i:] if len(self.i) > self.p else columns[i : i + 1]
            np.multiply(column, others, out=out[at : at + len(others)])
            at += len(others)
        return out


def variances(counts: npt.NDArray[np.float64 | np.integer], x: Floats) -> Floats:
    """(b, p) of the features in each training set; NaN where one hardly varies."""
    n, drawn = counts.sum(axis=1, keepdims=True), counts.astype(float)
    square = drawn @ x**2 / n
    variance = square - (drawn @ x / n) ** 2
    return np.where(variance > MIN_KEPT * square, variance, np.nan)


def symmetric(triangles: Floats, p: int) -> Floats:
    """(b, p, p) symmetric matrices from their upper triangles (b, t), row by row."""
    places = np.zeros((p, p), dtype=np.intp)
    i, j = np.triu_indices(p)
    places[i, j] = places[j, i] = np.arange(len(i))
    return np.take(triangles, places.ravel(), axis=1).reshape(-1, p, p)


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of one class in b training sets, about a fixed centre; an empty class counts as one case there."""

    size: Floats  # (b,) number of cases
    shift: Floats  # (b, p) mean, minus the centre
    covariance: Floats  # (b, t) with divisor n, as Φ lists products
    square: Floats  # (b, p) mean squares about the centre: what the variances were computed from


class Classes:
    """The cases class by class, each measured from a centre of its own: the median of some of its cases, so that
    neither an outlier nor another class far away costs digits."""

    def __init__(self, x: Floats, codes: npt.NDArray[np.intp], n_classes: int, products: bool = True) -> None:
        self.members = [np.flatnonzero(codes == c) for c in range(n_classes)]
        self.centres = np.stack([middle(x[cases]) for cases in self.members])
        self.phi = [Phi(x[m] - centre, products) for m, centre in zip(self.members, self.centres, strict=True)]

    def moments(self, counts: Integers) -> list[Moments]:
        """One element per class, of the training sets of `counts` (b, n)."""
        out = []
        for cases, phi in zip(self.members, self.phi, strict=True):
            sums = phi.sums(counts[:, cases])
            size = sums[:, 0].copy()
            sums /= np.maximum(size, 1)[:, None]
            shift, second = sums[:, 1 : 1 + phi.p], sums[:, 1 + phi.p :]
            square = second[:, phi.squares]
            second -= shift[:, phi.i] * shift[:, phi.j]
            out.append(Moments(size, shift, second, square))
        return out


def middle(x: Floats) -> Floats:
    """(p,) the median of some cases."""
    some = np.sort(x[:: max(len(x) // MEDIAN_OF, 1)], axis=0)
    return np.asarray(some[len(some) // 2])


def standardised(X: Floats) -> tuple[Floats, Floats] | None:
    """x = (X − middle)/spread (n, p), and the spread (p,); None where the spread is no ordinary number."""
    d = X - middle(X)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = d.std(axis=0)
    if not ((spread > 1 / MAX_SPREAD) & (spread < MAX_SPREAD)).all():
        return None
    return d / spread, spread
