"""Design: the training sets that a plan drew, or pairs (train, test) of indices, as one matrix of counts (F × n) with
a fingerprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from trueness.checks import given_array, is_one_of
from trueness.errors import InputError
from trueness.formulas.groups import group_sums
from trueness.result.notes import Note
from trueness.result.shown import Page, Shown
from trueness.result.words import counted
from trueness.sample.labels import listed
from trueness.sample.rows import Rows
from trueness.sample.sample import Sample
from trueness.typing import Array, Bools, Floats, Ints, Stratified

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
    n, n_fits, n_folds : int
        Number of cases, of training sets (F), and of training sets per repeat.
    repeats : ndarray of shape (F,)
        Index of the repeat of each training set.
    units : ndarray of shape (n,)
        The drawn unit of each case: itself, or its group.
    n_units : int
        Number of drawn units, U.
    first_of_unit : ndarray of shape (U,)
        One case of each unit: its counts are the unit's counts.
    strata : ndarray of shape (U,)
        The stratum that each unit was drawn within.
    is_test_set : bool
        Whether no case trained the rules: they were fitted elsewhere.
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
    n: int = field(init=False)
    n_fits: int = field(init=False)
    n_folds: int = field(init=False)
    repeats: Ints = field(init=False)
    units: Ints = field(init=False)
    n_units: int = field(init=False)
    first_of_unit: Ints = field(init=False)
    strata: Ints = field(init=False)
    is_test_set: bool = field(init=False)

    def __post_init__(self) -> None:
        groups, codes = self.sample.groups, self.sample.codes
        n_fits = sum(part.n_fits for part in self.parts) if self.stored is None else int(self.stored.shape[0])
        n_folds, repeats = n_fits, np.arange(n_fits)
        if self.folds is not None:
            n_folds = int(self.folds.max()) + 1
            n_fits = len(self.folds) * n_folds
            repeats = np.arange(n_fits) // n_folds
        units = np.arange(len(codes)) if groups is None else groups
        first = units if groups is None else np.unique(groups, return_index=True)[1]
        vars(self).update(
            n=len(codes),
            n_fits=n_fits,
            n_folds=n_folds,
            repeats=repeats if self.repeat is None else self.repeat,
            units=units,
            n_units=int(units.max()) + 1,
            first_of_unit=first,
            strata=codes[first] if self.stratified else np.zeros(len(first), dtype=np.intp),
            is_test_set=self.kind == "holdout" and isinstance(self.plan, str),
        )

    def __repr__(self) -> str:
        return (
            f"<Design of {self.plan}: {counted(self.n_fits, 'training set')} of {self.n} cases, {self.fingerprint[:8]}>"
        )

    def page(self, level: float | None = None) -> Page:
        """What was drawn."""
        return Page(repr(self), notes=self.notes)

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
        out = self.tests()
        return all((out[self.repeats == r].sum(axis=0) == 1).all() for r in range(int(self.repeats.max()) + 1))

    @property
    def leaves_one_out(self) -> str:
        """What one pass that tests every case, or every group, by a rule of its own is called; "" of other designs."""
        if self.folds is None or len(self.folds) > 1 or self.n_folds != self.n_units:
            return ""
        return f"leave-one-{'out' if self.n_units == self.n else 'group-out'} cross-validation"

    def unit_sums(self, values: Floats) -> Floats:
        """(..., n) summed within units to (..., U)."""
        if self.sample.groups is None:
            return values
        return group_sums(values, self.units)

    def independent_units(self, class_sets: list[list[int]], cases: Ints | None = None) -> int:
        """Number of independent units (cases, or groups) in the smallest of these sets of classes, among `cases`."""
        some = slice(None) if cases is None else cases
        units, codes = self.units[some], self.sample.codes[some]
        of_each = (units[np.isin(codes, classes)] for classes in class_sets)
        return min(len(found if self.sample.groups is None else np.unique(found)) for found in of_each)

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


RETURNING = Note("groups-return")
MIN_REPLICATES_TO_SEE_STRATA = 10  # fewer unstratified replicates may keep the class sizes by chance

Pairs = Sequence[tuple[object, object]]
"""(train, test) of each split: indexes of cases, or masks."""


def design_of_splits(
    pairs: Pairs, sample: Sample, plan: object, seed: np.random.SeedSequence, param: str = "plan"
) -> Design:
    """The design of these splits: pairs of indexes of cases, or of masks. Errors name `param`.

    Splits that test each case once per pass, and train on all others, are a cross-validation of folds. One split is a
    holdout, training sets of n cases drawn with replacement are a bootstrap, and everything else is a cross-validation
    by its counts.
    """
    counts, tests, notes = _tables(pairs, sample, param)
    unused = (counts == 0) & ~tests
    kind: Kind = "cv"
    if len(counts) == 1:
        kind = "holdout"
    elif len(counts) >= MIN_REPLICATES_TO_SEE_STRATA and counts.max() > 1 and not unused.any():
        kind = "bootstrap" if (counts.sum(axis=1) == sample.n).all() else "cv"
    made = Design(
        kind=kind,
        plan=plan,
        sample=sample,
        stratified=kept_class_sizes(counts, sample, kind),
        stored=counts,
        unused=unused if unused.any() else None,
        seed=seed,
        notes=notes,
    )
    if kind != "cv":
        return made
    passes = passes_of(tests)
    if never := int(made.never_tested.sum()):
        made = replace(made, notes=(*notes, Note("cases-skipped", skipped=never)))
    sizes = np.zeros(0) if passes is None else np.bincount(passes)
    whole = (tests.sum(axis=0) == len(sizes)).all() and len(set(sizes.tolist())) == 1  # passes of as many folds each
    if not whole or made.unused is not None or counts.max() > 1:
        return replace(made, repeat=passes)
    folds = tests.reshape(len(sizes), sizes[0], -1).argmax(axis=1)
    return replace(made, folds=np.asarray(folds, dtype=np.int32), stored=None)


def _tables(pairs: Pairs, sample: Sample, param: str) -> tuple[Array, Bools, tuple[Note, ...]]:
    """(F, n) how often each case trains, and whether it tests, notes; one clear error per mistake."""
    if not len(pairs):
        raise InputError("There are no splits", param=param)
    n, groups, notes = sample.n, sample.groups, tuple[Note, ...]()
    rows, tests = [], np.zeros((len(pairs), n), dtype=bool)
    for f, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError("Every split must be a pair (train, test)", param=param, got=f"split {f}: {pair!r}")
        times = []
        for part, name in zip(pair, ("train", "test"), strict=True):
            found = given_array(param, part)
            if found.dtype == bool and found.shape == (n,):
                found = np.flatnonzero(found)
            if found.ndim != 1 or not found.size or found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= n:
                got = f"an array of {found.dtype} with shape {found.shape}, for {n} cases"
                problem = f"The {name} part of split {f} must hold positions of cases, counted from 0"
                raise InputError(problem, param=param, got=got)
            times.append(np.bincount(found.astype(np.intp), minlength=n))
        count, tested = times
        if (both := np.flatnonzero((count > 0) & (tested > 0))).size:
            got = f"cases in both parts: {listed(both.tolist())}"
            raise InputError(f"Split {f} tests cases that it trains on", param=param, got=got)
        if tested.max() > 1:
            raise InputError(f"Split {f} tests a case twice", param=param, got=f"case {tested.argmax()}")
        if groups is not None and np.intersect1d(groups[count > 0], groups[tested > 0]).size:
            if np.flatnonzero(count)[-1] > tested.argmax():
                fix = "Keep groups together (StratifiedGroupKFold), or train on earlier rows"
                raise InputError(f"Split {f} has groups on both sides", param=param, fix=fix)
            notes = (RETURNING,)
        tests[f] = tested > 0
        rows.append(count.astype(np.uint8 if count.max() <= 255 else np.uint32))
    return np.stack(rows), tests, notes


def require_all_tested(design: Design) -> None:
    """An error where splits that were given one by one never test some cases: a list does not say whether that is
    meant. A splitter such as `TimeSeriesSplit` says so itself, and gets a note instead."""
    never = np.flatnonzero(design.never_tested)
    if design.kind == "cv" and len(never):
        raise InputError(
            "Some cases are never tested by these splits",
            param="plan",
            got=f"{len(never)}: {listed(never, str)}",
            fix="Leave them out of X, y and the splits; if they are meant to train only, pass a splitter (an object with "
            "a method split)",
        )


def passes_of(tests: Bools) -> Ints | None:
    """(F,) the pass over the cases that each split belongs to; None where they are not passes, as random splits.

    A pass tests every case once. One incomplete pass (each case at most once, as in `TimeSeriesSplit`) is a pass too.
    """
    times = tests.sum(axis=0)
    if times.max() <= 1:
        return np.zeros(len(tests), dtype=np.intp)
    passes, seen, current = [], np.zeros(tests.shape[1], dtype=bool), 0
    for row in tests:
        if (seen & row).any():
            return None
        seen |= row
        passes.append(current)
        if seen.all():
            seen, current = np.zeros_like(seen), current + 1
    return None if seen.any() else np.array(passes, dtype=np.intp)


def kept_class_sizes(counts: Array, sample: Sample, kind: str, given: Stratified | None = None) -> bool:
    """Whether each class kept its number of units (cases, or groups) in every draw."""
    if given is not None and not isinstance(given, (bool, np.bool_)) and not is_one_of(given, ("fixed",)):
        raise InputError('stratified must be True, False, "fixed" or None', param="stratified", got=repr(given))
    if sample.numbers is not None:
        return False
    first = np.arange(sample.n) if sample.groups is None else np.unique(sample.groups, return_index=True)[1]
    mixed = not sample.groups_are_pure
    if given and mixed:
        problem = "Groups with cases of several classes cannot be stratified"
        raise InputError(problem, param="stratified", fix="Pass stratified=False")
    if given is not None or mixed or kind == "holdout":
        return bool(given)
    codes = sample.codes[first]
    drawn = np.stack([counts[:, first][:, codes == c].sum(axis=1) for c in range(sample.n_classes)], axis=1)
    if kind == "cv":
        single = bool(((counts == 0).sum(axis=1) <= 1).all())  # leave-one-out has no strata
        return not single and bool((np.ptp(drawn, axis=0) <= 1).all())
    if not (drawn == np.bincount(codes, minlength=sample.n_classes)).all():
        return False
    if len(counts) < MIN_REPLICATES_TO_SEE_STRATA:
        fix = "Pass stratified=True or stratified=False"
        raise InputError("Too few replicates to see whether they were stratified", param="stratified", fix=fix)
    return True
