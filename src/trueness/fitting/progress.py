"""How far a run is, a bar on a terminal and in a notebook and a line of text elsewhere; and how long its fits take: the time
that `seconds=` allows, and a word after the first fits where it is long.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from html import escape
from threading import Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING

from trueness.errors import InputError, LongRunWarning
from trueness.result.notes import Note, warn

if TYPE_CHECKING:
    from IPython.display import DisplayHandle
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


LONG_UNSEEN = 60.0  # seconds from which on a run whose progress nobody sees is worth a warning
TOLERANCE = 1.25  # a time that was estimated from one fit may be wrong by so much
MORE_WORKERS = "n_jobs= uses more workers."


def clock() -> float:
    """The time in seconds."""
    return time.monotonic()


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
    models: int = field(default_factory=lambda: _sharing.get())  # that share the time of the user's call

    @property
    def spent(self) -> float:
        """Seconds since the call began."""
        return clock() - self.begun

    def require(self, left: int, seconds: float) -> None:
        """An error where the fits that are left at least would take much longer than is allowed."""
        if self.seconds is None or self.enough or (whole := self.spent + seconds) <= TOLERANCE * self.seconds:
            return
        enough = f"seconds={rounded_up(whole * self.models)!r}"
        share = f", a share of {self.seconds * self.models:g} s" if self.models > 1 else ""
        raise InputError(
            f"At least {left} more fits are needed for an interval, which take about {duration(seconds)}",
            param="seconds",
            got=f"{self.seconds:g} s{share}, of which {self.spent:.1f} are spent",
            fix=f"Allow {enough}, use more workers (n_jobs=), a faster model, fewer cases, or "
            "plan=Holdout(0.3), which makes one fit",
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


_called: ContextVar[str] = ContextVar("called", default="")
_sharing: ContextVar[int] = ContextVar("sharing", default=1)
LONG = 30.0  # seconds from which on a run is announced
FIRST_SIGN = 1.0  # seconds after which a line of text appears, and between two of them


@contextmanager
def called(name: str, sharing: int | None = None) -> Iterator[None]:
    """Within it, progress calls the model by the name that the user gave it; `sharing` models share the time allowed."""
    before, alone = _called.set(name), _sharing.set(sharing or _sharing.get())
    try:
        yield
    finally:
        _sharing.reset(alone)
        _called.reset(before)


def current_name() -> str:
    """What the user calls the model that is running; "" where that is not known."""
    return _called.get()


def name_of(model: object) -> str:
    """What the user calls a model, where that is known; else its class, or that of the last step of a pipeline."""
    last = model[-1] if hasattr(model, "steps") else model  # type: ignore[index]  # a pipeline
    return _called.get() or type(last).__name__


class Progress:
    """`with Progress(total, wanted, label) as bar: bar.advance(k)`.

    A stage of unknown length has a total of None. `wanted` None shows it on a terminal and in a notebook.
    """

    def __init__(self, total: int | None, wanted: bool | None, label: str = "fitting") -> None:
        self._label, self._total, self._done = label, total, 0
        self._terminal = sys.stderr.isatty()
        self._wanted = self._terminal or _in_notebook() if wanted is None else wanted
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._timer: Timer | None = None
        self._notebook = NotebookBar() if self._wanted and not self._terminal and _in_notebook() else None
        self._begun = self._shown = 0.0
        self._width, self._announced = 0, False
        self._turn, self._over = Lock(), False  # the timer may write while a step is done

    def __enter__(self) -> Progress:
        self._begun = self._shown = time.monotonic()
        if self._wanted and self._terminal:
            self._start_bar()
        elif self._wanted:
            # the first step may take long; the context tells a notebook to which cell the line belongs
            self._timer = Timer(FIRST_SIGN, copy_context().run, [self._write])
            self._timer.daemon = True
            self._timer.start()
        return self

    def advance(self, done: int) -> None:
        """So many more steps are done."""
        self._done += done
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, done)
        elif self._wanted and time.monotonic() - self._shown > FIRST_SIGN:
            self._write()

    def announce(self, seconds: float, workers: int) -> None:
        """Say once how long the remaining steps will take at so many seconds for each, where that is long; an error
        where the call may not take so long."""
        left, pace = (self._total or 0) - self._done, current()
        whole = left * seconds / workers
        pace.require(left, whole)
        if self._announced:
            return
        self._announced = True
        if not self._wanted:
            pace.tell(self._label, left, whole, workers)
        elif whole >= LONG:
            said = f"{self._label}: {in_words(left, whole, workers)}. {pace.advice}"
            if self._bar is not None:
                self._bar.console.print(said, highlight=False)
            else:
                self._erase()
                print(said, file=sys.stderr if self._notebook is None else sys.stdout, flush=True)  # red there

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._erase(over=True)
        if self._bar is not None:
            self._bar.stop()

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        counted = (MofNCompleteColumn(), TimeRemainingColumn()) if self._total is not None else (TimeElapsedColumn(),)
        columns = (TextColumn(self._label, markup=False), BarColumn(), *counted)
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=self._total, completed=self._done)

    def _write(self) -> None:
        """The state in one line that replaces the one before; none after the end."""
        with self._turn:
            if self._over:
                return
            self._shown = time.monotonic()
            text = self._state()
            if self._notebook is not None:
                self._notebook.show(self._done, self._total, text)
                return
            print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def _state(self) -> str:
        """ "lda: 40 of 200, about 12 s left"."""
        text = self._label
        if self._total is not None:
            text += f": {self._done} of {self._total}"
            if self._done:
                speed = self._done / (self._shown - self._begun)
                text += f", about {duration((self._total - self._done) / speed)} left"
        return text

    def _erase(self, over: bool = False) -> None:
        with self._turn:
            self._over = over
            if self._notebook is not None:
                self._notebook.clear()
            if self._width:
                print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0


class NotebookBar:
    """A bar under the cell of a notebook, which changes in place and leaves nothing behind."""

    def __init__(self) -> None:
        self._handle: DisplayHandle | None = None

    def show(self, done: int, total: int | None, state: str) -> None:
        """The bar, with words beside it."""
        ends = "" if total is None else f' value="{done}" max="{total}"'
        bar = f'<progress{ends} style="width: 16em; vertical-align: middle"></progress>'
        self._put(f'{bar} <span style="font-variant-numeric: tabular-nums">{escape(state)}</span>', state)

    def clear(self) -> None:
        if self._handle is not None:
            self._put("", "")

    def _put(self, html: str, text: str) -> None:
        from IPython.display import display

        shown = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def _in_notebook() -> bool:
    """Whether what is written to stderr appears under a cell."""
    return type(sys.stderr).__module__.startswith("ipykernel.")
