"""How long the fits of a call take: the time that `seconds=` allows, and a word after the first fits where it is long."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from trueness.errors import InputError, LongRunWarning, setting
from trueness.result.words import Note, warn

LONG_UNSEEN = 60.0  # seconds from which on a run whose progress nobody sees is worth a warning
TOLERANCE = 1.25  # a time that was estimated from one fit may be wrong by so much
MORE_WORKERS = "{n_jobs=} uses more workers."

clock: Callable[[], float] = time.monotonic
"""The time in seconds; tests put another one in its place."""


def warned(note: Note) -> None:
    """As a warning at once; it is no TruenessWarning, which are kept back until the fits are done."""
    warn(note, LongRunWarning)


TELL: ContextVar[Callable[[Note], None]] = ContextVar("tell", default=warned)
"""How a long run is told of; the command line writes a line."""


@dataclass(frozen=True)
class Pace:
    """The time that a call may take, and what would shorten it."""

    seconds: float | None = None  # allowed
    advice: str = MORE_WORKERS  # a template; arguments that the call has
    begun: float = field(default_factory=lambda: clock())
    enough: bool = False  # whether the fewest fits that a call needs are made

    @property
    def spent(self) -> float:
        """Seconds since the call began."""
        return clock() - self.begun

    def require(self, left: int, seconds: float) -> None:
        """An error where the fits that are left at least would take much longer than is allowed."""
        if self.seconds is None or self.enough or (whole := self.spent + seconds) <= TOLERANCE * self.seconds:
            return
        enough = setting("seconds", rounded_up(whole))
        raise InputError(
            f"At least {left} more fits are needed for an interval, which take about {duration(seconds)}",
            param="seconds",
            got=f"{self.seconds:g} s, of which {self.spent:.1f} are spent",
            fix=f"Allow {enough}, use more workers ({{n_jobs=}}), a faster model, fewer cases, or "
            "{plan=Holdout(0.3)}, which makes one fit",
        )

    def tell(self, label: str, left: int, seconds: float, workers: int) -> None:
        """Say that the fits that are left will take long, unless the time is limited."""
        if self.seconds is None and seconds > LONG_UNSEEN:
            message = f"{label}: {in_words(left, seconds, workers)}. {self.advice}"
            TELL.get()(Note("long-run", message, "warning", fits=left, seconds=round(seconds, 1), workers=workers))


_pace: ContextVar[Pace | None] = ContextVar("pace", default=None)


@contextmanager
def paced(pace: Pace) -> Iterator[None]:
    """Within it, fits keep this pace."""
    before = _pace.set(pace)
    try:
        yield
    finally:
        _pace.reset(before)


def current() -> Pace:
    """The pace of the call that is running."""
    return _pace.get() or Pace()


def in_words(fits: int, seconds: float, workers: int) -> str:
    """ "200 fits take about 3 min with 2 workers"."""
    by = f" with {workers} workers" if workers > 1 else ""
    return f"{fits} {'fit takes' if fits == 1 else 'fits take'} about {duration(seconds)}{by}"


def duration(seconds: float) -> str:
    """ "40 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def rounded_up(seconds: float) -> int:
    """To two digits."""
    unit: int = 10 ** max(0, math.floor(math.log10(max(seconds, 1))) - 1)
    return math.ceil(seconds / unit) * unit
