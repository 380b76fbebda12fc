"""Design: the training sets that a plan drew, as one matrix of counts (F × n) with a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from trueness.formulas.groups import group_sums
from trueness.result.shown import Page, Shown, Table
from trueness.result.words import Note, counted
from trueness.sample.rows import Rows
from trueness.sample.sample import Sample
from trueness.typing import Array, Bools, Floats, Ints

Kind = Literal["bootstrap", "cv", "nested", "holdout", "cv+bootstrap", "paired", "cv+halves", "halves"]

BLOCK_CELLS = 4_000_000  # entries of counts or scores that are worked on at a time


@dataclass(frozen=True, eq=False, repr=False)
class Design(Shown):
    """How often each case entered each training set; 0 = not trained on, so it tests unless it is `unused`.

    A bootstrap stores its counts (F, n). A cross-validation stores `folds` (R, n), the fold in which case i is tested
    in repeat r: F = R·K, and its counts are made when asked for.

    Attributes
    ----------
    kind : {"bootstrap", "cv", "nested", "holdout", "cv+bootstrap", "paired", "cv+halves", "halves"}
        What estimators ask for.
    plan : Plan or str
        The plan that drew it, or a description of the arrays that it was read from.
    sample : Sample
        Labels and groups of the cases.
    stratified : bool
        Whether units were drawn within classes: the strata of the training terms of the influence functions.
    fixed_sizes : bool
        Whether class sizes were fixed by the study. Otherwise they vary from sample to sample, also where the draws
        kept them, and a plain mean over cases varies with them.
    stored : Rows of shape (F, n) or None
        Counts, in memory or, above 256 MiB, in a temporary file.
    folds : ndarray of shape (R, n) or None
        Fold that tests each case.
    repeat : ndarray of shape (F,) or None
        Repeat that each training set belongs to.
    seed : SeedSequence
        Parent of the seeds of the fits.
    notes : tuple of Note
        What the reader of any estimate from this design should know.
    parts : tuple of Design
        The designs that it joins ("cv+bootstrap", "paired", "cv+halves"), else empty.
    unused : ndarray of bool of shape (F, n) or None
        Cases that a split neither trains on nor tests, e.g. later ones in `TimeSeriesSplit`, or those of the other half
        ("halves"); None where there are none.
    names : str
        Hash of the names of the cases where a table gave them, so that tables of other cases are not paired; empty
        where they are row numbers.
    """

    kind: Kind
    plan: object
    sample: Sample
    stratified: bool
    fixed_sizes: bool = False
    stored: Rows | None = field(default=None, repr=False)
    folds: Array | None = field(default=None, repr=False)
    repeat: Ints | None = field(default=None, repr=False)
    seed: np.random.SeedSequence = field(default_factory=np.random.SeedSequence, repr=False)
    notes: tuple[Note, ...] = ()
    parts: tuple[Design, ...] = ()
    unused: Bools | None = field(default=None, repr=False)
    names: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return (
            f"<Design of {self.plan}: {counted(self.n_fits, 'training set')} of {self.n} cases, {self.fingerprint[:8]}>"
        )

    def page(self, level: float | None = None) -> Page:
        """What was drawn."""
        rows = [
            ("plan", str(self.plan)),
            ("training sets", str(self.n_fits)),
            ("cases", self.sample.cases_and_groups),
            ("drawn class by class", "yes" if self.stratified else "no"),
            ("fingerprint", self.fingerprint[:16]),
        ]
        tables = (Table.of(("", ""), rows),)
        return Page("Design: which cases enter which training set", tables=tables, notes=self.notes)

    @property
    def is_test_set(self) -> bool:
        """Whether no case trained the rules: they were fitted elsewhere."""
        return self.kind == "holdout" and isinstance(self.plan, str)

    @cached_property
    def n_fits(self) -> int:
        """Number of training sets, F."""
        if self.parts:
            return sum(part.n_fits for part in self.parts)
        if self.stored is not None:
            return int(self.stored.shape[0])
        assert self.folds is not None
        return len(self.folds) * self.n_folds

    @cached_property
    def n_folds(self) -> int:
        """Training sets per repeat."""
        return int(self.folds.max()) + 1 if self.folds is not None else self.n_fits

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.sample.n

    @property
    def counts(self) -> Ints:
        """(F, n) in one array, as signed integers: 1 − counts of small unsigned ones would wrap around."""
        return self.rows(slice(None)).astype(np.int64)

    def rows(self, fits: slice) -> Array:
        """(b, n) counts of these training sets."""
        if self.parts:
            return np.concatenate([part.rows(slice(None)) for part in self.parts])[fits]
        if self.stored is not None:
            return self.stored[fits]
        f = np.arange(self.n_fits)[fits]
        assert self.folds is not None
        return np.asarray(self.folds[f // self.n_folds] != (f % self.n_folds)[:, None], dtype=np.uint8)

    def tested(self, f: int) -> Ints:
        """Cases that test the rule of training set f: those that it left out, unless they are unused."""
        if self.stored is not None:
            return np.flatnonzero(self.tests(slice(f, f + 1))[0])
        assert self.folds is not None
        return np.flatnonzero(self.folds[f // self.n_folds] == f % self.n_folds)

    def tests(self, fits: slice = slice(None)) -> Bools:
        """(b, n) True where a case tests the rule of a training set."""
        left_out = np.asarray(self.rows(fits) == 0)
        return left_out if self.unused is None else left_out & ~self.unused[fits]

    @cached_property
    def never_tested(self) -> Bools:
        """(n,) True where no rule is tested on a case."""
        if self.folds is not None:
            return np.zeros(self.n, dtype=bool)
        tested = np.zeros(self.n, dtype=bool)
        for rows in self.slices():
            tested |= self.tests(rows).any(axis=0)
        return ~tested

    @cached_property
    def one_group_a_fold(self) -> bool:
        """Whether cross-validation leaves out one group at a time."""
        groups = self.sample.groups
        if groups is None or self.kind != "cv" or self.parts:
            return False
        if self.folds is not None:
            pairs = (np.unique(np.stack([groups, each]), axis=1).shape[1] for each in self.folds)
            return self.n_folds == len(np.unique(groups)) and all(found == self.n_folds for found in pairs)
        return all(len(np.unique(groups[self.tested(f)])) < 2 for f in range(self.n_fits))

    @cached_property
    def partitioned(self) -> bool:
        """Whether every repeat tests each case once."""
        if self.folds is not None:
            return True
        out, repeats = self.tests(), self.repeats()
        return all((out[repeats == r].sum(axis=0) == 1).all() for r in range(int(repeats.max()) + 1))

    def repeats(self) -> Ints:
        """(F,) index of the repeat of each training set."""
        if self.repeat is not None:
            return self.repeat
        if self.folds is not None:
            return np.arange(self.n_fits) // self.n_folds
        return np.arange(self.n_fits)

    # -- the units that were drawn: cases, or whole groups --------------------------------------

    @cached_property
    def units(self) -> Ints:
        """(n,) the drawn unit of each case."""
        return np.arange(self.n) if self.sample.groups is None else self.sample.groups

    @cached_property
    def n_units(self) -> int:
        """Number of drawn units, U."""
        return int(self.units.max()) + 1

    @cached_property
    def first_of_unit(self) -> Ints:
        """(U,) one case of each unit: its counts are the unit's counts."""
        return np.unique(self.units, return_index=True)[1]

    @cached_property
    def strata(self) -> Ints:
        """(U,) the stratum that each unit was drawn within."""
        if not self.stratified:
            return np.zeros(self.n_units, dtype=np.intp)
        return self.sample.codes[self.first_of_unit]

    def unit_sums(self, values: Floats) -> Floats:
        """(..., n) summed within units to (..., U)."""
        if self.sample.groups is None:
            return values
        return group_sums(values, self.units)

    def independent_units(self, class_sets: list[list[int]], cases: Ints | None = None) -> int:
        """Number of independent units (cases, or groups) in the smallest of these sets of classes, among `cases`."""
        if self.sample.groups is None:  # every case is a unit
            codes = self.sample.codes if cases is None else self.sample.codes[cases]
            sizes = np.bincount(codes, minlength=self.sample.n_classes)
            return min(int(sizes[classes].sum()) for classes in class_sets)
        units, codes = self.units, self.sample.codes
        if cases is not None:
            units, codes = units[cases], codes[cases]
        return min(len(np.unique(units[np.isin(codes, classes)])) for classes in class_sets)

    # -- identity ------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """Hash of counts, labels, groups and names: results with the same fingerprint are paired."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.n_fits, self.n, self.sample.classes.tolist())).encode())
        digest.update(self.names.encode())
        digest.update(self.sample.codes.astype(np.int64).tobytes())
        if self.sample.numbers is not None:
            digest.update(self.sample.numbers.tobytes())
        digest.update(self.units.astype(np.int64).tobytes())
        if self.parts:
            digest.update(" ".join(part.fingerprint for part in self.parts).encode())
        elif self.folds is not None:
            digest.update(self.folds.astype(np.int32).tobytes())
        else:
            # the type of the counts must not matter
            narrow = all((rows := self.rows(block)).dtype == np.uint8 or rows.max() <= 255 for block in self.slices())
            for block in self.slices():
                digest.update(self.rows(block).astype(np.uint8 if narrow else np.uint32).tobytes())
            if self.unused is not None:
                digest.update(self.unused.tobytes())
        return digest.hexdigest()

    def slices(self, cells: int = BLOCK_CELLS) -> Iterator[slice]:
        """Blocks of training sets of about `cells` entries each."""
        step = max(1, cells // self.n)
        for start in range(0, self.n_fits, step):
            yield slice(start, min(start + step, self.n_fits))
