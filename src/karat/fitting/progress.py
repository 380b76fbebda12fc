"""A progress bar, on a terminal only."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class Progress:
    """`with Progress(total, wanted) as bar: bar.advance(k)`; silent unless stderr is a terminal or `wanted` is True."""

    def __init__(self, total: int, wanted: bool | None, label: str = "fitting") -> None:
        self._label = label
        self._total = total
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Progress:
        if self._wanted:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn(self._label),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total)
        return self

    def advance(self, done: int) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, done)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
