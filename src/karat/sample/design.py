"""Design: what a plan drew. One matrix of counts (F × n), and a fingerprint of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from karat.sample.sample import Sample


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """How often each case entered each training set; 0 = not trained on, so it may test.

    A bootstrap stores its counts (F, n). A cross-validation stores `folds` (R, n), the fold in which
    case i is tested in repeat r: F = R·K, and its counts are made when asked for.

    Attributes
    ----------
    kind
        "bootstrap", "cv", "nested" or "holdout": what estimators ask for.
    plan
        The recipe it was drawn by.
    sample
        Labels and groups of the cases.
    stratified
        Whether classes kept their sizes: the strata of the influence functions.
    repeat
        (F,) the repeat that a training set belongs to.
    seed
        Where the fits' own seeds come from.
    """

    kind: str
    plan: Any
    sample: Sample
    stratified: bool
    stored: np.ndarray | None = field(default=None, repr=False)  # (F, n) counts
    folds: np.ndarray | None = field(default=None, repr=False)  # (R, n) fold that tests a case
    repeat: np.ndarray | None = field(default=None, repr=False)
    seed: np.random.SeedSequence = field(default_factory=np.random.SeedSequence, repr=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Design of {self.plan}: {self.n_fits} training sets of {self.n} cases, {self.fingerprint[:8]}>"

    @cached_property
    def n_fits(self) -> int:
        if self.stored is not None:
            return len(self.stored)
        assert self.folds is not None
        return self.folds.shape[0] * self.n_folds

    @cached_property
    def n_folds(self) -> int:
        return int(self.folds.max()) + 1 if self.folds is not None else self.n_fits

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def counts(self) -> np.ndarray:
        """(F, n) whole, as plain ints: small unsigned ones would wrap around in 1 − counts."""
        return self.rows(slice(None)).astype(np.int64)

    def rows(self, fits: np.ndarray | slice) -> np.ndarray:
        """(b, n) counts of these training sets."""
        if self.stored is not None:
            return self.stored[fits]
        f = np.arange(self.n_fits)[fits]
        assert self.folds is not None
        return (self.folds[f // self.n_folds] != (f % self.n_folds)[:, None]).astype(np.uint8)

    def tested(self, f: int) -> np.ndarray:
        """Cases that training set f left out."""
        if self.stored is not None:
            return np.flatnonzero(self.stored[f] == 0)
        assert self.folds is not None
        return np.flatnonzero(self.folds[f // self.n_folds] == f % self.n_folds)

    def repeats(self) -> np.ndarray:
        """(F,) index of the repeat of each training set."""
        if self.repeat is not None:
            return self.repeat
        if self.folds is not None:
            return np.arange(self.n_fits) // self.n_folds
        return np.arange(self.n_fits)

    # -- the units that were drawn: cases, or whole groups --------------------------------------

    @cached_property
    def units(self) -> np.ndarray:
        """(n,) the drawn unit of each case."""
        return np.arange(self.n) if self.sample.groups is None else self.sample.groups

    @cached_property
    def n_units(self) -> int:
        return int(self.units.max()) + 1

    @cached_property
    def first_of_unit(self) -> np.ndarray:
        """(U,) one case of each unit: its counts are the unit's counts."""
        return np.unique(self.units, return_index=True)[1]

    @cached_property
    def strata(self) -> np.ndarray:
        """(U,) the stratum that each unit was drawn within."""
        if not self.stratified:
            return np.zeros(self.n_units, dtype=np.intp)
        return self.sample.codes[self.first_of_unit]

    def unit_sums(self, values: np.ndarray) -> np.ndarray:
        """(..., n) summed within units to (..., U)."""
        if self.sample.groups is None:
            return values
        order = np.argsort(self.units, kind="stable")
        starts = np.searchsorted(self.units[order], np.arange(self.n_units))
        return np.add.reduceat(values[..., order], starts, axis=-1)

    def independent(self, voices: list[list[int]], cases: np.ndarray | None = None) -> int:
        """Independent units (cases, or whole groups) behind the weakest of these sets of classes.

        `cases` restricts them to some cases, e.g. the tested ones.
        """
        if cases is None and self.sample.groups is None:  # every case is a unit
            return min(int(self.sample.sizes[classes].sum()) for classes in voices)
        units, codes = self.units, self.sample.codes
        if cases is not None:
            units, codes = units[cases], codes[cases]
        return min(len(np.unique(units[np.isin(codes, classes)])) for classes in voices)

    # -- identity ------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A hash of counts, labels and groups: two results with the same one may be paired."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.n_fits, self.n, self.sample.classes.tolist())).encode())
        digest.update(self.sample.codes.astype(np.int64).tobytes())
        digest.update(self.units.astype(np.int64).tobytes())
        if self.folds is not None:
            digest.update(self.folds.astype(np.int32).tobytes())
        else:
            # the type of the counts must not matter
            narrow = all((rows := self.rows(block)).dtype == np.uint8 or rows.max() <= 255 for block in self.slices())
            for block in self.slices():
                digest.update(self.rows(block).astype(np.uint8 if narrow else np.uint32).tobytes())
        return digest.hexdigest()

    def slices(self, cells: int = 4_000_000) -> Iterator[slice]:
        """Blocks of training sets of about `cells` entries each."""
        step = max(1, cells // self.n)
        for start in range(0, self.n_fits, step):
            yield slice(start, min(start + step, self.n_fits))
