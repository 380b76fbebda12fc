"""How far a run is, in one line that replaces itself, and how long its fits take: the time that `seconds=` allows, and a
warning after the first fits where it is long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType

from trueness.errors import InputError, LongRunWarning
from trueness.result.notes import Note, warn

LONG_UNSEEN = 60.0  # seconds from which on a run whose progress nobody sees is worth a warning
TOLERANCE = 1.25  # a time that was estimated from one fit may be wrong by so much
MORE_WORKERS = "n_jobs= uses more workers."

clock = time.monotonic


def warned(note: Note) -> None:
    """As a warning at once; it is no TruenessWarning, which are kept back until the fits are done."""
    warn(note, LongRunWarning)


TELL: ContextVar[Callable[[Note], None]] = ContextVar("tell", default=warned)
"""How a long run is told of; the command line writes a line."""


@dataclass(frozen=True)
class Pace:
    """The time that a call may take, and what would shorten it; and what the user calls the model that is running."""

    seconds: float | None = None  # allowed
    advice: str = MORE_WORKERS
    begun: float = field(default_factory=lambda: clock())
    enough: bool = False  # whether the fewest fits that a call needs are made
    name: str = ""  # where it is known

    @property
    def spent(self) -> float:
        """Seconds since the call began."""
        return clock() - self.begun


PACE: ContextVar[Pace] = ContextVar("pace", default=Pace())  # noqa: B039 - it is frozen
"""The pace of the call that is running."""


@contextmanager
def paced(pace: Pace) -> Iterator[None]:
    """Within it, fits keep this pace."""
    before = PACE.set(pace)
    try:
        yield
    finally:
        PACE.reset(before)


def duration(seconds: float) -> str:
    """ "40 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def name_of(model: object) -> str:
    """What the user calls a model, where that is known; else its class, or that of the last step of a pipeline."""
    last = model[-1] if hasattr(model, "steps") else model  # type: ignore[index]  # a pipeline
    return PACE.get().name or type(last).__name__


class Progress:
    """`with Progress(total, wanted, label) as bar: bar.advance(k)`, a line on stderr such as "lda: 40 of 200, about 12 s
    left", which is erased at the end.

    A stage of unknown length has a total of None. `wanted` None shows it on a terminal and in a notebook.
    """

    def __init__(self, total: int | None, wanted: bool | None, label: str = "fitting") -> None:
        self._label, self._total, self._done, self._width, self._told = label, total, 0, 0, False
        seen = sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")
        self._wanted = seen if wanted is None else wanted
        self._begun = self._shown = clock()

    def __enter__(self) -> Progress:
        self._write(self._label)
        return self

    def advance(self, done: int) -> None:
        """So many more steps are done."""
        self._done += done
        if self._total is not None and self._done and clock() - self._shown > 1:
            left = (clock() - self._begun) / self._done * (self._total - self._done)
            self._write(f"{self._label}: {self._done} of {self._total}, about {duration(left)} left")

    def announce(self, seconds: float, workers: int) -> None:
        """Say how long the remaining steps will take at so many seconds for each, where that is long and not seen; an
        error where the call may not take so long."""
        left, pace = (self._total or 0) - self._done, PACE.get()
        whole = left * seconds / workers
        if pace.seconds is not None and not pace.enough and pace.spent + whole > TOLERANCE * pace.seconds:
            raise InputError(
                f"At least {left} more fits are needed for an interval, which take about {duration(whole)}",
                param="seconds",
                got=f"{pace.seconds:g} s, of which {pace.spent:.1f} are spent",
                fix="Allow more time, or use n_jobs=-1, a faster model, or plan=Holdout(0.3), which makes one fit",
            )
        if pace.seconds is None and whole > LONG_UNSEEN and not self._wanted and not self._told:
            asked = Note(
                "long-run", label=self._label, advice=pace.advice, fits=left, seconds=round(whole, 1), workers=workers
            )
            TELL.get()(asked)
        self._told = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        """In place of the line before."""
        if self._wanted:
            self._shown = clock()
            end = "" if text else "\r"
            print(f"\r{text:<{self._width}}", end=end, file=sys.stderr, flush=True)
            self._width = len(text)
