"""Ctrl-C on the command line: the first one ends the work in order, another one at once."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType

import typer

INTERRUPTED = 130  # exit code
SAME = 1.0  # seconds within which another Ctrl-C is the same one: a key held down, a wrapper that passes it on


class Interrupts:
    """What SIGINT does. A second one must not break into the clean-up of the first, where Python would print what it
    ignored and go on."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.said = False

    def install(self) -> None:
        """From now on, in this process; workers leave Ctrl-C to it, and end with it."""
        signal.signal(signal.SIGINT, self._arrived)
        sys.unraisablehook = self._ignored

    def say(self, more: str = "") -> None:
        """One line."""
        self.said = True
        typer.echo(f"trueness: interrupted{more}", err=True)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.first is None:
            self.first = now
            raise KeyboardInterrupt
        if now - self.first > SAME:
            self._leave()

    def _ignored(self, what: sys.UnraisableHookArgs) -> None:
        """Where an interrupt arrived in a place that cannot raise it, such as `__del__`, nothing else would end."""
        if issubclass(what.exc_type, KeyboardInterrupt):
            self._leave()
        sys.__unraisablehook__(what)

    def _leave(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h")  # a progress bar hides the cursor
        if not self.said:
            self.say()
        os._exit(INTERRUPTED)


interrupts = Interrupts()
