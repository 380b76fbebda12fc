"""A time limit per fit: the worker process of a fit that takes longer is ended, and the fit counts as failed.

Nothing else ends a fit for sure: a library that loops in compiled code sees neither signals nor exceptions.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from trueness.checks import is_number
from trueness.errors import InputError

LONGEST = 1e7  # seconds; the timer of Python takes no more than some months


@dataclass(frozen=True)
class TimeLimit:
    """So many seconds per fit, in processes other than that of the call."""

    seconds: float  # longest time of a fit
    # where workers leave a file for each fit that took longer, so that it is not tried again. Another machine has a
    # folder of this name among its temporary files.
    folder: str
    home: int  # the process of the call, which must not be ended

    @property
    def place(self) -> Path:
        """The folder on this machine."""
        here = Path(self.folder)
        if not here.exists():
            here = Path(gettempdir(), here.name)
            here.mkdir(exist_ok=True)
        return here

    @property
    def reason(self) -> str:
        """Why a fit failed."""
        return f"TimeoutError: not done after {self.seconds:g} s"

    def exceeded_by(self, name: str) -> bool:
        """Whether the fit of this name took longer before."""
        file = self.place / name
        return file.exists() and file.stat().st_size > 0

    def count(self) -> int:
        """How many fits took longer."""
        return sum(file.stat().st_size > 0 for file in self.place.iterdir())

    @contextmanager
    def watching(self, name: str) -> Iterator[None]:
        """End this process where what follows takes longer; Python's watchdog needs no cooperation of the fit."""
        if os.getpid() == self.home and Path(self.folder).exists():
            raise InputError(
                "A time limit per fit needs worker processes, which cannot be started from here",
                param="fit_seconds",
                fix="Call it from the main thread of a process that is not a worker itself",
            )
        with open(self.place / name, "w") as file:  # it gets the traceback, and is empty before
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=file)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()


@contextmanager
def limited(seconds: float | None) -> Iterator[TimeLimit | None]:
    """A time limit with a folder of its own; None without a number."""
    if seconds is None:
        yield None
        return
    with TemporaryDirectory(prefix="trueness-") as folder:
        yield TimeLimit(float(seconds), folder, os.getpid())


def check_fit_seconds(seconds: object) -> None:
    """An error unless it is None or a positive number."""
    if seconds is None:
        return
    if not is_number(seconds) or not 0 < seconds <= LONGEST:
        raise InputError(
            f"fit_seconds must be a positive number of at most {LONGEST:g}", param="fit_seconds", got=repr(seconds)
        )
