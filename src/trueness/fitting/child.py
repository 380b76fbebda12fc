"""A process of its own on a worker of a cluster: it may end itself where a fit takes too long, the worker may not."""

from __future__ import annotations

import atexit
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueness.fitting.limit import TimeLimit

MOST_LOSSES = 3  # processes that may end for another reason than the limit


class Child:
    """Computes chunks, one after another; started again where it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._data: object = None  # what the process holds
        self._places: set[Path] = set()  # where limits leave their files
        atexit.register(self._leave)

    def run(self, data: object, arguments: tuple[object, ...], limit: TimeLimit) -> object:
        """`function(shared, *arguments)` for data = (function, shared); fits that took too long are known to it the
        next time, and are left out."""
        self._places.add(limit.place)
        losses = 0
        while losses < MOST_LOSSES:
            before = limit.count()
            try:
                return self._asked(data, arguments)
            except (EOFError, OSError, pickle.UnpicklingError):  # it has ended
                self.end()
                losses += limit.count() == before
        raise RuntimeError(f"the process that fits ended {losses} times")

    def _asked(self, data: object, arguments: tuple[object, ...]) -> object:
        import cloudpickle  # dask depends on it

        if self._process is None:
            program = f"import sys; sys.path[:] = {sys.path!r}; from trueness.fitting.child import serve; serve()"
            pipe, self._data = subprocess.PIPE, None
            self._process = subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe)
        ask, answer = self._process.stdin, self._process.stdout
        assert ask is not None
        assert answer is not None
        cloudpickle.dump((None if data is self._data else data, arguments), ask)
        ask.flush()
        self._data = data
        result = pickle.load(answer)
        if isinstance(result, Exception):
            raise RuntimeError(f"{type(result).__name__}: {result}")
        return result

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _leave(self) -> None:
        self.end()
        for place in self._places:
            shutil.rmtree(place, ignore_errors=True)


def serve() -> None:
    """What the process does: chunks from standard input, until it is closed; what a model prints goes elsewhere."""
    from trueness.fitting.threads import one_thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker ends it
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    data: tuple[Callable[..., object], object] | None = None
    while True:
        try:
            found, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        data = data if found is None else found
        assert data is not None
        function, shared = data
        try:
            with one_thread():
                result = function(shared, *arguments)
        except Exception as error:
            result = error
        pickle.dump(result, out)
        out.flush()
