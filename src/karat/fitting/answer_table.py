"""The answers of the rules, and where they are kept: one row per fit, or one row per repeat of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karat.fitting.progress import Progress
from karat.result.note import Note
from karat.sample.design import Design
from karat.sample.fits import Failure, Fits
from karat.sample.rows import Rows, empty_rows
from karat.sample.sample import Sample
from karat.typing import Floats, Integers

COPIED_ROWS = 256  # at a time: they may be in a file


@dataclass(frozen=True)
class Answer:
    """What one rule said about the cases it was asked about, or why it could not."""

    scores: Floats | None
    predictions: Integers | None
    error: str = ""
    warned: str = ""  # the first warning of the fit
    too_long: bool = False  # it took longer than its limit


def troubles(
    answers: Iterable[tuple[int, Answer]], earlier: Fits | None, done: int
) -> tuple[tuple[Failure, ...], tuple[Failure, ...]]:
    """The fits that failed and those that gave warnings, in their order; the first `done` are known from `earlier`."""
    failed = [] if earlier is None else [f for f in earlier.failed if f.fit < done]
    warned = [] if earlier is None else [f for f in earlier.warned if f.fit < done]
    for f, answer in sorted(answers, key=lambda found: found[0]):
        if answer.error:
            failed.append(Failure(f, answer.error))
        if answer.warned:
            warned.append(Failure(f, answer.warned))
    return tuple(failed), tuple(warned)


def warning_note(warned: Sequence[Failure], n_fits: int, full: str = "") -> tuple[Note, ...]:
    """A note on the fits that gave warnings, if any did; `full` is the first of the fit on all cases."""
    if not warned and not full:
        return ()
    first = warned[0].error if warned else full
    which = f"{len(warned)} of {n_fits} fits" if warned else "The fit on all cases"
    message = f"{which} gave warnings, the first: {first.rstrip('.')}."
    return (Note("fit-warnings", message, fits=len(warned), of=n_fits, first=first),)


class AnswerTable:
    """Scores (F, n) or (F, n, C) and predictions (F, n) of all rules of a design; None and −1 where there are none.

    For a design of folds there is one row per repeat, which holds for each case the answer of the rule that did not see
    it.
    """

    def __init__(self, design: Design, sample: Sample, scored: bool = True) -> None:
        self.design = design
        self.scores: Rows | None = None
        self.predictions: Rows
        cell = (sample.n,) if sample.n_classes == 2 else (sample.n, sample.n_classes)
        if design.folds is None:
            self.scores = empty_rows((design.n_fits, *cell)) if scored else None
            self.predictions = empty_rows((design.n_fits, sample.n), np.int16)
        else:  # as many rows as repeats: these fit in memory
            self.scores = np.empty((len(design.folds), *cell)) if scored else None
            self.predictions = np.empty((len(design.folds), sample.n), dtype=np.int16)

    def put(self, f: int, scores: Floats | None, predictions: Integers | None) -> None:
        """The answers of one rule about all cases, or about those that it did not see; None where the fit failed."""
        for table, values, missing in ((self.scores, scores, np.nan), (self.predictions, predictions, -1)):
            if table is None:
                continue
            if self.design.folds is None:
                table[f : f + 1] = np.full((1, *table.shape[1:]), missing) if values is None else values[None]
                continue
            tested = self.design.tested(f)
            if values is not None and len(values) == self.design.n:
                values = values[tested]
            row = table[f // self.design.n_folds : f // self.design.n_folds + 1][0]
            row[tested] = missing if values is None else values

    def copy(self, held: Rows | None, predictions: Rows | None) -> None:
        """The rows of a design that this one begins with; those that are fitted again replace them."""
        for table, earlier in ((self.scores, held), (self.predictions, predictions)):
            if table is not None and earlier is not None:
                for start in range(0, earlier.shape[0], COPIED_ROWS):
                    stop = min(start + COPIED_ROWS, earlier.shape[0])
                    table[start:stop] = earlier[start:stop]

    def rows(self, fits: range) -> Floats | None:
        """The scores (b, n) of some rules to be written in place, where they are kept in memory one row per fit."""
        if self.design.folds is not None or not isinstance(self.scores, np.ndarray) or self.scores.ndim > 2:
            return None
        return self.scores[fits.start : fits.stop]

    def put_block(self, fits: range, scores: Floats, predictions: Integers) -> None:
        """The answers of some rules in a row, about all cases."""
        if self.design.folds is not None:
            for f, *answer in zip(fits, scores, predictions, strict=True):
                self.put(f, *answer)
            return
        assert self.scores is not None
        if scores.base is None or scores.base is not self.scores:  # not written in place
            self.scores[fits.start : fits.stop] = scores
        self.predictions[fits.start : fits.stop] = predictions

    def put_repeat(self, scores: Floats, predictions: Integers) -> None:
        """A whole repeat of a cross-validation (1, n): each case by the rule that did not see it."""
        assert self.scores is not None
        self.scores[0:1], self.predictions[0:1] = scores, predictions

    def fits(
        self, response: str, failed: tuple[Failure, ...], warned: tuple[Failure, ...], design: Design | None = None
    ) -> Fits:
        """The Fits of the whole design, or of a shorter one that it begins with."""
        scores, predictions = self.scores, self.predictions
        if design is not None and design is not self.design:
            rows = design.n_fits if design.folds is None else len(design.folds)
            scores, predictions = None if scores is None else scores[:rows], predictions[:rows]
        return Fits(
            design=design or self.design,
            held=scores,
            held_predictions=predictions,
            probabilities=response == "predict_proba",
            log_odds=response == "log_odds",
            failed=failed,
            warned=warned,
            engine="generic",
        )


class Answers:
    """The answers of fits as they come in, in any order; those of `earlier` fits come first."""

    def __init__(self, table: AnswerTable, bar: Progress, earlier: Fits | None = None) -> None:
        self.table, self.bar, self.earlier = table, bar, earlier
        self.by_fit: dict[int, Answer] = {}  # without scores and predictions, which are in the table
        self.before = 0
        if earlier is not None:
            table.copy(earlier.held, earlier.held_predictions)
            self.before = earlier.n_fits
        bar.advance(self.before)

    @property
    def done(self) -> int:
        """How many fits are done."""
        return self.before + len(self.by_fit)

    def take(self, batch: range, found: list[Answer]) -> None:
        """The answers of some fits."""
        for f, answer in zip(batch, found, strict=True):
            self.table.put(f, answer.scores, answer.predictions)
            self.by_fit[f] = replace(answer, scores=None, predictions=None)
        self.bar.advance(len(batch))

    def troubles(self, n_fits: int) -> tuple[tuple[Failure, ...], tuple[Failure, ...]]:
        """Of the first `n_fits`, those that failed and those that gave warnings."""
        return troubles(((f, a) for f, a in self.by_fit.items() if f < n_fits), self.earlier, self.before)
