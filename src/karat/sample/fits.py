"""Fits: the scores of every trained rule. All that any estimator needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.result.note import Note
from karat.sample.block import Block
from karat.sample.design import Design
from karat.sample.rows import Rows
from karat.sample.sample import Sample


@dataclass(frozen=True)
class Failure:
    """A fit that did not work: which, and why."""

    fit: int
    error: str


@dataclass(frozen=True, eq=False, repr=False)
class Fits:
    """What the rules of a design said of its cases, and what the rule trained on all of them said.

    `held` and `held_predictions` are the storage: (F, n) for a design of counts, (R, n) for one of
    folds, where row r holds for each case the score by the rule of repeat r that did not see it.
    Read them through `blocks()` or `tests()`. `engine` says how the rules were fitted ("generic": one by one),
    `failed` which training sets could not be, and `notes` what the fits warned of.
    """

    design: Design
    held: Rows | None = field(default=None, repr=False)
    held_predictions: Rows | None = field(default=None, repr=False)
    full_scores: np.ndarray | None = field(default=None, repr=False)
    full_predictions: np.ndarray | None = field(default=None, repr=False)
    threshold: float | None = None
    probabilities: bool = False
    failed: tuple[Failure, ...] = ()
    engine: str = "arrays"
    notes: tuple[Note, ...] = ()

    @staticmethod
    def from_arrays(
        y: Any,
        counts: Any,
        scores: Any,
        full_scores: Any = None,
        threshold: float | None = None,
        predictions: Any = None,
        full_predictions: Any = None,
        positive: Any = None,
        classes: Any = None,
        plan: str | None = None,
        repeat: Any = None,
        groups: Any = None,
        stratified: bool | None = None,
    ) -> Fits:
        """Fits from arrays that another training system wrote.

        Parameters
        ----------
        y
            (n,) labels.
        counts
            (F, n) whole numbers: how often case i entered training set f. A separate test set is a
            row of zeros.
        scores
            (F, n) of rule f on case i, high for the positive class, or (F, n, C) in the order of
            `classes`. NaN means "not scored". None where there are only predictions.
        full_scores, full_predictions
            (n,) of the rule trained on all cases: for the apparent, refined, .632 and .632+ estimates.
        threshold
            A case is called positive where score ≥ threshold; not needed with `predictions`.
        predictions
            (F, n) predicted labels.
        plan
            "bootstrap", "cv" or "holdout"; None: seen from the counts where that is safe.
        repeat
            (F,) repeat of each fit of a repeated cross-validation.
        stratified
            Whether classes kept their sizes in the draws; None: seen from the counts where that is safe.

        Examples
        --------
        >>> import karat
        >>> test = karat.Fits.from_arrays([0, 0, 1, 1, 1], [[0] * 5], [[0.1, 0.4, 0.3, 0.8, 0.9]], threshold=0.5)
        >>> print(karat.estimate(test, "auc", "holdout"))
        auc holdout: 0.83 ± 0.24
        """
        from karat.sample.arrays import fits_from_arrays

        return fits_from_arrays(
            y,
            counts,
            scores,
            full_scores=full_scores,
            threshold=threshold,
            predictions=predictions,
            full_predictions=full_predictions,
            positive=positive,
            classes=classes,
            plan=plan,
            repeat=repeat,
            groups=groups,
            stratified=stratified,
        )

    def __repr__(self) -> str:
        return f"<Fits by the {self.engine} engine, {len(self.failed)} failed, of {self.design!r}>"

    @property
    def sample(self) -> Sample:
        return self.design.sample

    @property
    def n_fits(self) -> int:
        return self.design.n_fits

    @cached_property
    def kept(self) -> np.ndarray:
        """(F,) True where the fit worked."""
        kept = np.ones(self.n_fits, dtype=bool)
        for failure in self.failed:
            kept[failure.fit] = False
        return kept

    @property
    def counts(self) -> np.ndarray:
        """(F, n) whole."""
        return self.design.counts

    @property
    def scores(self) -> np.ndarray | None:
        """(F, n) or (F, n, C) whole; NaN where a rule did not score a case."""
        if self.held is None:
            return None
        if self.design.folds is None:
            return self.held[0 : self.n_fits]
        parts = [b.scores for b in self.blocks(keep=np.ones(self.n_fits, dtype=bool)) if b.scores is not None]
        return np.concatenate(parts)

    # -- reading -------------------------------------------------------------------------------

    def blocks(self, keep: np.ndarray | None = None) -> Iterator[Block]:
        """Rules in blocks, failed ones left out; the whole need not fit in memory.

        Parameters
        ----------
        keep
            (F,) which fits to read; None: all that worked.
        """
        keep = self.kept if keep is None else keep
        for rows in self.design.slices(cells=4_000_000 // (1 if self.sample.n_classes == 2 else self.sample.n_classes)):
            some = keep[rows]
            if some.any():
                yield self._block(rows, some)

    def _block(self, rows: slice, keep: np.ndarray) -> Block:
        some = slice(None) if keep.all() else keep  # a slice copies nothing
        fits = np.arange(rows.start, rows.stop)[some]
        counts = self.design.rows(rows)[some]
        if self.design.folds is None:
            scores = None if self.held is None else self.held[rows][some]
            predictions = None if self.held_predictions is None else self.held_predictions[rows][some]
        else:
            repeats = fits // self.design.n_folds
            scores = None if self.held is None else np.asarray(self.held[0 : self.design.folds.shape[0]])[repeats]
            predictions = None
            if self.held_predictions is not None:
                predictions = np.asarray(self.held_predictions[0 : self.design.folds.shape[0]])[repeats]
                predictions[counts > 0] = -1
            if scores is not None:
                scores[counts > 0] = np.nan
        return Block(self.sample.codes, counts, scores, self._decide(scores, predictions), fits)

    def tests(self) -> Iterator[Block]:
        """One block a training set that worked, with the cases it left out only."""
        for f in np.flatnonzero(self.kept).tolist():
            cases = self.design.tested(f)
            row = f // self.design.n_folds if self.design.folds is not None else f
            at = slice(row, row + 1)
            scores = None if self.held is None else self.held[at][:, cases]
            predictions = None if self.held_predictions is None else self.held_predictions[at][:, cases]
            counts = np.zeros((1, len(cases)), dtype=np.uint8)
            yield Block(self.sample.codes[cases], counts, scores, self._decide(scores, predictions), np.array([f]))

    def pooled(self) -> Block | None:
        """(R, n): each case by the rule of the repeat that left it out; None where repeats are no partitions."""
        if self.failed:
            return None
        repeats = self.design.repeats()
        n_repeats = int(repeats.max()) + 1
        if self.design.folds is not None:
            scores = None if self.held is None else self.held[0:n_repeats]
            predictions = None if self.held_predictions is None else self.held_predictions[0:n_repeats]
        else:
            out = self.design.rows(slice(None)) == 0
            order = [np.flatnonzero(repeats == r) for r in range(n_repeats)]
            if any((out[rows].sum(axis=0) != 1).any() for rows in order):
                return None
            judge = np.stack([rows[out[rows].argmax(axis=0)] for rows in order])  # (R, n) the fit that tests a case
            cases = np.arange(self.sample.n)
            scores = None if self.held is None else self.held[0 : self.n_fits][judge, cases]
            predictions = None
            if self.held_predictions is not None:
                predictions = self.held_predictions[0 : self.n_fits][judge, cases]
        counts = np.zeros((n_repeats, self.sample.n), dtype=np.uint8)
        return Block(self.sample.codes, counts, scores, self._decide(scores, predictions), np.arange(n_repeats))

    def full(self) -> Block:
        """The rule trained on all cases, on all cases."""
        if self.full_scores is None and self.full_predictions is None:
            raise InputError(
                "this estimate needs the rule trained on all cases, and these Fits have none",
                fix="Pass full_scores= (and full_predictions=) to Fits.from_arrays",
            )
        scores = None if self.full_scores is None else self.full_scores[None]
        predictions = None if self.full_predictions is None else self.full_predictions[None]
        counts = np.ones((1, self.sample.n), dtype=np.uint8)
        return Block(self.sample.codes, counts, scores, self._decide(scores, predictions), np.array([-1]))

    @property
    def has_full(self) -> bool:
        return self.full_scores is not None or self.full_predictions is not None

    def _decide(self, scores: np.ndarray | None, predictions: np.ndarray | None) -> np.ndarray | None:
        """Stored predictions, else score ≥ threshold (seeds/002 and 003 decide so)."""
        if predictions is not None or self.threshold is None or scores is None or scores.ndim != 2:
            return predictions
        positive = self.sample.require_positive()
        decided = np.where(scores >= self.threshold, positive, 1 - positive)
        return np.where(np.isnan(scores), -1, decided)
