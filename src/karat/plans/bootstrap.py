"""Bootstrap: training sets of n drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karat.checks import check_whole
from karat.plans.plan import Drawn, Plan, strata_of, units_of
from karat.sample.design import Kind
from karat.sample.sample import Sample
from karat.typing import Array, Ints, Stratified

ROWS = 256  # training sets drawn together per stratum: a constant, so that a longer bootstrap begins with a shorter
DRAWS = 2**20  # held in memory at a time; the stream does not depend on it


@dataclass(frozen=True)
class Bootstrap(Plan):
    """Training sets of n cases (or as many groups as there are), drawn with replacement.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of replicates B: 100 are enough for a point estimate, 1000 for a standard error.
    stratified : bool or "fixed", default True
        Draw within each class, so that classes keep their sizes (the AUC needs cases of both).
        "fixed" does the same and says that the class sizes were fixed by design (a case-control study), so that the
        standard error of an error rate does not include their variation.
    ordered : bool, default True
        True: the usual bootstrap; a case is in a replicate with probability 1 − (1 − 1/n)^n → .632.
        False: every multiset is equally likely (→ ½; Yousef, AUC: Nonparametric Estimators and Their Smoothness,
        lemma 2). loob, lpob and star have an estimand of their own then, and .632 and .632+ are undefined.

    Examples
    --------
    >>> import karat
    >>> karat.Bootstrap(3).draw([0, 0, 1, 1], rng=0).counts.sum(axis=1)
    array([4, 4, 4])
    """

    n_resamples: int = 1000
    stratified: Stratified = True
    ordered: bool = True
    kind: ClassVar[Kind] = "bootstrap"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("n_resamples", self.n_resamples, 1)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> Drawn:
        unit, codes, _ = units_of(sample)
        strata = strata_of(codes, stratified)
        if not self.ordered:
            return {"stored": self._multisets(strata, unit, rng)}
        out = np.zeros((self.n_resamples, len(codes)), dtype=np.uint8)
        for start in range(0, self.n_resamples, ROWS):
            wanted = out[start : start + ROWS]
            # always ROWS rows, so that a longer bootstrap begins with the shorter one
            counts = wanted if len(wanted) == ROWS else np.zeros((ROWS, len(codes)), dtype=np.uint8)
            for stratum in strata:
                add_bootstrap_counts(rng, stratum, counts)
            if counts is not wanted:
                wanted[:] = counts[: len(wanted)]
        return {"stored": out if sample.groups is None else out[:, unit]}

    def _multisets(self, strata: list[Ints], unit: Ints, rng: np.random.Generator) -> Array:
        out: Array = np.empty((self.n_resamples, len(unit)), dtype=np.uint8)
        for start in range(0, self.n_resamples, ROWS):
            stop = min(start + ROWS, self.n_resamples)
            counts = np.empty((ROWS, unit.max() + 1), dtype=np.int64)
            for stratum in strata:
                counts[:, stratum] = multiset_counts(rng, len(stratum), ROWS)
            if counts.max() > np.iinfo(out.dtype).max:
                out = out.astype(np.uint32)
            out[start:stop] = counts[: stop - start, unit]
        return out


def add_bootstrap_counts(rng: np.random.Generator, members: Ints, counts: Array) -> None:
    """Draw as many of the members (m,) as there are, with replacement, into these columns of each row of `counts`.

    The counts are uint8: that one of m units is drawn more than 255 times has a probability below 10⁻⁵⁰⁰.
    """
    m = len(members)
    step = max(1, DRAWS // m)
    for start in range(0, len(counts), step):
        some = counts[start : start + step]
        drawn = rng.integers(0, m, size=(len(some), m), dtype=np.uint32)
        places = drawn + m * np.arange(len(some))[:, None]  # in one line: row after row
        some[:, members] = np.bincount(places.ravel(), minlength=some.shape[0] * m).reshape(-1, m)


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    out = np.zeros((rows, n), dtype=np.uint8)
    add_bootstrap_counts(rng, np.arange(n), out)
    return out.astype(np.intp)


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n.

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the number of stars between two
    bars (Yousef, AUC: Nonparametric Estimators and Their Smoothness, lemma 2).
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1
