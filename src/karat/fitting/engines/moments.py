"""First and second moments of every class in all training sets: one matrix product per class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.fitting.engines.base import Counts, Floats

SOME = 9  # cases, or a few more, whose median stands for the middle of all
WIDEST = 1e100  # standard deviation of a feature; squares of larger numbers overflow
KEPT = 2**24  # entries of Φ up to which it is kept; a larger one is made again in chunks
CHUNK = 4096  # cases per chunk


class Phi:
    """Φ = [1, x_i, x_i x_j (i ≤ j)], one row per case; squares x_i² alone where `products` is False."""

    def __init__(self, x: Floats, products: bool = True) -> None:
        self.x, self.p = x, x.shape[1]
        self.i, self.j = np.triu_indices(self.p) if products else (np.arange(self.p), np.arange(self.p))
        small = len(x) * (1 + self.p + len(self.i)) <= KEPT
        self._kept = self._rows(x) if small else None

    def sums(self, weights: npt.NDArray[np.number]) -> Floats:
        """(b, q) Σ_i weights_bi φ_i."""
        return sum(weights[:, cases].astype(np.float64, copy=False) @ phi for cases, phi in self._chunks())

    def scores(self, weights: Floats) -> Floats:
        """(b, n) weights_b · φ_i, of (b, q)."""
        parts = [weights @ phi.T for _, phi in self._chunks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def square(self, triangles: Floats) -> Floats:
        """(b, p, p) symmetric matrices from the products (b, t) as Φ lists them."""
        places = np.zeros((self.p, self.p), dtype=np.intp)
        places[self.i, self.j] = places[self.j, self.i] = np.arange(len(self.i))
        return np.take(triangles, places.ravel(), axis=1).reshape(-1, self.p, self.p)

    def _chunks(self) -> Iterator[tuple[slice, Floats]]:
        if self._kept is not None:
            yield slice(None), self._kept
            return
        for start in range(0, len(self.x), CHUNK):
            cases = slice(start, start + CHUNK)
            yield cases, self._rows(self.x[cases])

    def _rows(self, x: Floats) -> Floats:
        out = np.ones((len(x), 1 + self.p + len(self.i)))
        out[:, 1 : 1 + self.p] = x
        np.multiply(x[:, self.i], x[:, self.j], out=out[:, 1 + self.p :])
        return out


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of one class in b training sets, about a fixed centre; an empty class counts as one case at the centre.

    Attributes
    ----------
    size : ndarray of shape (b,)
        Number of cases.
    shift : ndarray of shape (b, p)
        Mean, minus the centre.
    second : ndarray of shape (b, t)
        Mean products of two features, or mean squares, about the centre.
    """

    size: Floats
    shift: Floats
    second: Floats


class Classes:
    """The cases class by class, each measured from a centre of its own: the median of some of its cases, so that
    neither an outlier nor another class far away costs digits."""

    def __init__(self, x: Floats, codes: npt.NDArray[np.intp], n_classes: int, products: bool = True) -> None:
        self.members = [np.flatnonzero(codes == c) for c in range(n_classes)]
        self.centres = np.stack([middle(x[cases]) for cases in self.members])
        self.phi = [Phi(x[m] - centre, products) for m, centre in zip(self.members, self.centres, strict=True)]

    def moments(self, counts: Counts) -> list[Moments]:
        """One element per class, of the training sets of `counts` (b, n)."""
        out = []
        for cases, phi in zip(self.members, self.phi, strict=True):
            sums = phi.sums(counts[:, cases])
            mean = sums[:, 1:] / np.maximum(sums[:, :1], 1)
            out.append(Moments(sums[:, 0], mean[:, : phi.p], mean[:, phi.p :]))
        return out


def middle(x: Floats) -> Floats:
    """(p,) the median of some cases."""
    some = np.sort(x[:: max(len(x) // SOME, 1)], axis=0)
    return np.asarray(some[len(some) // 2])


def standardised(X: Floats) -> tuple[Floats, Floats] | None:
    """x = (X − middle)/spread (n, p), and the spread (p,); None where the spread is no ordinary number."""
    d = X - middle(X)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = d.std(axis=0)
    if not ((spread > 1 / WIDEST) & (spread < WIDEST)).all():
        return None
    return d / spread, spread


@dataclass(frozen=True, eq=False)
class White:
    """Features whose pooled covariance within classes is the identity for all cases, so that no training set is far
    from it.

    Attributes
    ----------
    x : ndarray of shape (n, p)
        The cases: original features times `turn`ᵀ.
    turn : ndarray of shape (p, p)
        Lower triangular.
    least : float
        Smallest eigenvalue of the correlation matrix within classes, of all cases.
    """

    x: Floats
    turn: Floats
    least: float


def whitened(x: Floats, codes: npt.NDArray[np.intp], n_classes: int) -> White | None:
    """None where a feature is constant within classes, or a combination of others."""
    means = np.stack([x[codes == c].mean(axis=0) for c in range(n_classes)])
    d = x - means[codes]
    sigma = d.T @ d / len(d)
    sd = np.sqrt(np.diagonal(sigma))
    if not (sd > 0).all():
        return None
    least = float(np.linalg.eigvalsh(sigma / np.outer(sd, sd))[0])
    try:
        turn = np.linalg.inv(np.linalg.cholesky(sigma))
    except np.linalg.LinAlgError:
        return None
    return White(x @ turn.T, turn, least)
