"""Fits: the scores of every trained rule on the cases, which is all that an estimator needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

import numpy as np
from scipy.special import expit

from trueness.errors import InputError, UndefinedError
from trueness.result.notes import Note
from trueness.result.shown import Page, Shown
from trueness.sample.arrays import FromArrays
from trueness.sample.asked import AnswerTable, Failure
from trueness.sample.design import BLOCK_CELLS, RETURNING, Design
from trueness.sample.frame import FromFrame
from trueness.sample.left_out import decided_at, left_out
from trueness.sample.rows import Block, MappedRows, Rows, taken
from trueness.sample.sample import Sample
from trueness.sample.scored import Scale, Scored
from trueness.typing import Array, Bools, Features, Floats, Ints

T = TypeVar("T")


class Assessed:
    """A result that holds the fits behind it: an assessment, as curves and probabilities read it."""

    fits: Fits | None
    name: str
    provenance: Mapping[str, Any]


def check_fits(fits: object, param: str = "fits") -> None:
    """An error for anything but Fits."""
    if not isinstance(fits, Fits):
        raise InputError(
            f"{param} must be Fits",
            param=param,
            got=type(fits).__name__,
            fix="Pass trueness.fit(...), or the attribute fits of an assessment",
        )


@dataclass(frozen=True, eq=False)
class Source:
    """What `compare` made fits of."""

    X: Features  # the features; None in a copy that was pickled
    found: tuple[Note, ...]  # by the checks of the data
    provenance: Mapping[str, Any]  # hash of the data, times, checks

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "X": None}


@dataclass(frozen=True, eq=False, repr=False)
class Fits(FromArrays, FromFrame, Shown):
    """Scores and predictions of the rules of a design, and of the rule trained on all cases.

    Read them through `blocks()`, `tests()`, `pooled()` and `full()`.

    Attributes
    ----------
    design : Design
        The training sets.
    held, held_predictions : Rows or None
        The storage: (F, n) for a design of counts; (R, n) for one of folds, where row r holds for each case the score
        by the rule of repeat r that was not trained on it.
    full_scores, full_predictions : ndarray of shape (n,) or None
        Of the rule trained on all cases.
    threshold : float or None
        A case is predicted positive where score ≥ threshold; used where there are no predictions.
    probabilities : bool
        Whether scores are probabilities.
    log_odds : bool
        Whether scores are log-odds of the positive class, so that probabilities follow from them.
    failed : tuple of Failure
        Training sets on which the model could not be fitted.
    warned : tuple of Failure
        Training sets on which the model's library gave a warning, with the first of them.
    one_by_one : tuple of int
        Training sets that an engine left to the model itself.
    engine : str
        How the rules were fitted; "generic" is one by one.
    notes : tuple of Note
        What the reader of any estimate from these fits should know.
    parts : tuple of Fits
        Of a design that joins several (e.g. "cv+bootstrap") the fits of each, else empty.
    name : str
        What the user calls the model, or its class; "" where that is not known.
    model : str
        The model in words: its class and the parameters that differ from their defaults; "" where that is not known.
    libraries : mapping of str to str
        Versions of the packages that the model's classes come from, besides scikit-learn.
    source : Source or None
        Of `compare`: the features, by reference, and what was found in the data.
    sample : Sample
        The cases.
    n_fits : int
        Number of training sets, F.
    kept : ndarray of bool of shape (F,)
        True where the fit did not fail.
    """

    design: Design
    held: Rows | None = field(default=None, repr=False)
    held_predictions: Rows | None = field(default=None, repr=False)
    full_scores: Floats | None = field(default=None, repr=False)
    full_predictions: Array | None = field(default=None, repr=False)
    threshold: float | None = None
    probabilities: bool = False
    log_odds: bool = False
    failed: tuple[Failure, ...] = ()
    warned: tuple[Failure, ...] = ()
    one_by_one: tuple[int, ...] = ()
    engine: str = "arrays"
    notes: tuple[Note, ...] = ()
    parts: tuple[Fits, ...] = ()
    name: str = ""
    model: str = ""
    libraries: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = field(default=None, repr=False)
    sample: Sample = field(init=False)
    n_fits: int = field(init=False)
    kept: Bools = field(init=False)
    _cache: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        kept = np.ones(self.design.n_fits, dtype=bool)
        kept[[failure.fit for failure in self.failed]] = False
        vars(self).update(sample=self.design.sample, n_fits=self.design.n_fits, kept=kept)

    def page(self, level: float | None = None) -> Page:
        """What they hold."""
        return Page(repr(self), notes=self.notes)

    @classmethod
    def of_table(cls, table: AnswerTable, response: str, engine: str = "generic") -> Self:
        """The fits whose answers are in a table."""
        return cls(
            design=table.design,
            held=table.scores,
            held_predictions=table.predictions,
            probabilities=response == "predict_proba",
            log_odds=response == "log_odds",
            failed=tuple(Failure(f, error) for f, error in sorted(table.failed.items())),
            warned=tuple(Failure(f, first) for f, first in sorted(table.warned.items())),
            engine=engine,
        )

    def __repr__(self) -> str:
        return f"<Fits by the {self.engine} engine, {len(self.failed)} failed, of {self.design!r}>"

    def __getstate__(self) -> dict[str, object]:
        """Without the cache, which holds functions that cannot be pickled."""
        return {**vars(self), "_cache": {}}

    @classmethod
    def joined(cls, design: Design, parts: tuple[Fits, ...]) -> Fits:
        """The fits of a design that joins several; all parts have the full fit of the first."""
        first = parts[0]
        scores, predictions = first.full_scores, first.full_predictions
        parts = tuple(replace(part, full_scores=scores, full_predictions=predictions) for part in parts)
        before, failed = 0, []
        for part in parts:
            failed += [Failure(before + f.fit, f.error) for f in part.failed]
            before += part.n_fits
        return cls(
            design=design,
            full_scores=scores,
            full_predictions=predictions,
            threshold=first.threshold,
            probabilities=first.probabilities,
            log_odds=first.log_odds,
            failed=tuple(failed),
            engine=first.engine,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            parts=parts,
        )

    @property
    def first(self) -> Fits:
        """The first part, or these fits where they have none."""
        return self.parts[0] if self.parts else self

    def part(self, kinds: Collection[str]) -> Fits:
        """These fits, or the part of them whose design is of one of these kinds."""
        if self.design.kind in kinds:
            return self
        return next((part for part in self.parts if part.design.kind in kinds), self)

    def with_probabilities(self) -> Fits:
        """The same with the probabilities that log-odds stand for; fits with other scores are returned as they are."""
        return self.cached("probabilities", self._with_probabilities) if self.log_odds else self

    def _with_probabilities(self) -> Fits:
        return replace(
            self,
            held=None if self.held is None else MappedRows(self.held, expit),
            full_scores=None if self.full_scores is None else expit(self.full_scores),
            probabilities=True,
            log_odds=False,
            parts=tuple(part.with_probabilities() for part in self.parts),
        )

    def cached(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` returns, computed once per key and kept as long as these fits are.

        For sums per case and per pair that several estimators share. The key names the quantity and what it depends on,
        e.g. ("case means", metric.key). A copy made by `dataclasses.replace` starts with an empty cache.
        """
        if key not in self._cache:
            self._cache[key] = compute()
        value: T = self._cache[key]
        return value

    def latest(self, name: str, key: Hashable, compute: Callable[[], T]) -> T:
        """As `cached`, for what is large: of each name that of the latest key alone is kept."""
        known, value = self._cache.get(name, (None, None))
        if known != key:
            value = compute()
            self._cache[name] = key, value
        found: T = value
        return found

    @property
    def counts(self) -> Ints:
        """(F, n) in one array."""
        return self.design.counts

    @property
    def scores(self) -> Floats | None:
        """(F, n) or (F, n, C) in one array; NaN where a rule did not score a case."""
        if self.held is None:
            return None
        if self.design.folds is None:
            return self.held[0 : self.n_fits]
        parts = [b.scores for b in self.blocks(keep=np.ones(self.n_fits, dtype=bool)) if b.scores is not None]
        return np.concatenate(parts)

    # -- reading -------------------------------------------------------------------------------

    def blocks(self, keep: Bools | None = None) -> Iterator[Block]:
        """Rules in blocks, so that not all scores need to be in memory.

        Parameters
        ----------
        keep : ndarray of shape (F,), optional
            Which fits to read; by default all that did not fail.

        Yields
        ------
        Block
        """
        keep = self.kept if keep is None else keep
        scores_per_case = 1 if self.sample.n_classes <= 2 else self.sample.n_classes
        for rows in self.design.slices(BLOCK_CELLS // scores_per_case):
            kept = np.trim_zeros(keep[rows], "b")
            if not len(kept):
                continue
            rows = slice(rows.start, rows.start + len(kept))
            some = slice(None) if kept.all() else kept  # a slice copies nothing
            fits, counts = np.arange(rows.start, rows.stop)[some], self.design.rows(rows)[some]
            if self.design.folds is None:
                if self.design.unused is not None:  # a count of 0 means "tested" to those who read blocks
                    counts = np.maximum(counts, self.design.unused[rows][some])
                yield self._read(rows, some, counts, fits)
                continue
            block = self._read(slice(0, len(self.design.folds)), fits // self.design.n_folds, counts, fits)
            for values, missing in ((block.scores, np.nan), (block.predictions, -1)):
                if values is not None:
                    values[counts > 0] = missing
            yield block

    def _read(
        self, rows: slice | None, index: Any, counts: Array, fits: Ints, cases: Ints | slice = slice(None)
    ) -> Block:
        """What the tables hold at an index of some rows (None: of the rule trained on all cases), for these cases;
        predictions are stored, or scores ≥ threshold."""
        sample, design = self.sample, self.design
        tables = (self.held, self.held_predictions)
        if rows is None:
            tables = (self.full_scores, self.full_predictions)
        scores, predictions = (taken(taken(t, rows), index) for t in tables)
        if predictions is None and self.threshold is not None and scores is not None and scores.ndim == 2:
            positive = sample.require_positive()
            decided = np.where(scores >= self.threshold, positive, 1 - positive)
            predictions = np.where(np.isnan(scores), -1, decided)
        # A new case comes from a new group: where groups hold several classes, an AUC of resampled rules compares cases of
        # different groups, unless groups return. A test set is what it is, and a fold of one group has pairs within it only.
        together = (
            sample.groups_are_pure or design.kind == "holdout" or design.one_group_a_fold or RETURNING in design.notes
        )
        apart = None if together else taken(sample.groups, cases)
        numbers = taken(sample.numbers, cases)
        return Block(sample.codes[cases], counts, scores, predictions, fits, numbers, apart)

    def tests(self) -> Iterator[Block]:
        """One block per fit that did not fail, with the cases that its training set left out."""
        for f in np.flatnonzero(self.kept).tolist():
            cases = self.design.tested(f)
            row = f // self.design.n_folds if self.design.folds is not None else f
            counts = np.zeros((1, len(cases)), dtype=np.uint8)
            yield self._read(slice(row, row + 1), (slice(None), cases), counts, np.array([f]), cases)

    def means_left_out(self, of: Callable[[Block], Floats | None]) -> Floats:
        """(n,) the mean of values (b, n) over the rules that left each case out and have one; NaN where none has."""
        total, times = np.zeros(self.sample.n), np.zeros(self.sample.n)
        for block in self.blocks():
            values = of(block)
            assert values is not None
            out = block.left_out & ~np.isnan(values)
            total += np.where(out, values, 0.0).sum(axis=0)
            times += out.sum(axis=0)
        return np.where(times > 0, total / np.maximum(times, 1), np.nan)

    def pooled(self) -> Block | None:
        """(R, n): each case by the rule of the repeat that left it out; None where repeats are not partitions."""
        if self.failed or not self.design.partitioned:
            return None
        repeats = self.design.repeats
        n_repeats = int(repeats.max()) + 1
        counts, fits = np.zeros((n_repeats, self.sample.n), dtype=np.uint8), np.arange(n_repeats)
        if self.design.folds is not None:
            return self._read(slice(0, n_repeats), slice(None), counts, fits)
        out = self.design.tests()
        order = [np.flatnonzero(repeats == r) for r in range(n_repeats)]
        judge = np.stack([rows[out[rows].argmax(axis=0)] for rows in order])  # (R, n) the fit that tests a case
        return self._read(slice(0, self.n_fits), (judge, np.arange(self.sample.n)), counts, fits)

    def left_out(self) -> Scored | None:
        """One score per case, by a rule that was not trained on it; None where there is none.

        Of a cross-validation by the first rule that left the case out, of a bootstrap the mean over all that did, of a
        test set its scores. Two classes only.
        """
        return left_out(self)

    def full(self) -> Block:
        """The rule trained on all cases, on all cases."""
        if self.full_scores is None and self.full_predictions is None:
            raise UndefinedError(
                "This estimate needs the rule trained on all cases, and these Fits have none",
                param="full_scores",
                fix="Fits.from_arrays has full_scores= and full_predictions= for it",
            )
        return self._read(None, slice(None), np.ones((1, self.sample.n), dtype=np.uint8), np.array([-1]))

    def require_positive(self) -> int:
        """Index of the positive class; an error where it is not known."""
        return self.sample.require_positive()

    def at_threshold(self, threshold: float) -> Self:
        """The same rules with decisions by a threshold that was declared, not chosen on these cases.

        Parameters
        ----------
        threshold : float
            A case is predicted positive where its score is at least this: the probability of the positive class where the
            scores tell it, else the score itself.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where there are no scores of two classes, or the threshold is no probability.
        """
        return decided_at(self, threshold)

    @property
    def decisions(self) -> str:
        """How cases are predicted positive at a declared threshold, "probability ≥ 0.35"; "" where there is none."""
        if self.threshold is None:
            return ""
        if self.scale == "score":
            return f"score ≥ {self.threshold:.4g}"
        return f"probability ≥ {expit(self.threshold) if self.log_odds else self.threshold:.4g}"

    @property
    def scale(self) -> Scale:
        """What the scores are."""
        return "probability" if self.probabilities else "log-odds" if self.log_odds else "score"
