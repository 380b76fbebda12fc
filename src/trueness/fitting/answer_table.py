"""The answers of fits as they come in, and what went wrong in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trueness.fitting.progress import Progress
from trueness.result.words import Note
from trueness.sample.asked import AnswerTable
from trueness.sample.fits import Failure, Fits
from trueness.typing import Floats, Integers


@dataclass(frozen=True)
class Answer:
    """What one rule said about the cases it was asked about, or why it could not."""

    scores: Floats | None
    predictions: Integers | None
    error: str = ""
    warned: str = ""  # the first warning of the fit
    try_again: bool = False  # too little time or memory: another run may succeed, and a store does not keep it


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


class Collected:
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
