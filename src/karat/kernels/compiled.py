"""Compiled twins: a kernel is plain NumPy, and has a numba twin of the same name in kernels/fast.

numba is imported on the first call of a kernel. Without numba the plain function does the work; with it the
plain one stays the reference of the tests, as `kernel.reference`.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable
from functools import cache, wraps
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
FAST = os.path.join(os.path.dirname(__file__), "fast")
LOCK = threading.RLock()


def twin(function: F) -> F:
    """Decorator: call the function of the same name in karat.kernels.fast.<module>, where numba is there."""
    home = function.__module__.rpartition(".")[2]

    @wraps(function)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        fast = compiled(home)
        return (function if fast is None else getattr(fast, function.__name__))(*args, **kwargs)

    kernel.reference = function  # type: ignore[attr-defined]
    return kernel  # type: ignore[return-value]


@cache
def compiled(home: str) -> ModuleType | None:
    """The module with the compiled twins of karat.kernels.<home>; None without numba."""
    try:
        from numba.core import event
    except ImportError:
        return None
    with LOCK:  # threads that call their first kernel at once would take one another's folder for the user's
        return _compiled(event, f"karat.kernels.fast.{home}")


def _compiled(event: ModuleType, name: str) -> ModuleType:
    from numba import config

    _announce(event)
    given = config.CACHE_DIR  # type: ignore[attr-defined]
    try:
        return _imported(name, given or os.path.join(FAST, "__pycache__"))
    except RuntimeError:  # numba finds no folder where it may keep compiled code: no home, packages of somebody else
        given = tempfile.mkdtemp(prefix="karat-kernels-")
        print(f"karat: compiled kernels cannot be kept, so they go to {given}", file=sys.stderr)
        return _imported(name, given)
    finally:
        config.CACHE_DIR = given  # type: ignore[attr-defined]


def _imported(name: str, folder: str) -> ModuleType:
    """The module; what is compiled of it is kept apart for every state of the sources of all kernels. numba would ask
    about the file of a kernel alone, and go on with what an older one of another file left in it."""
    from numba import config

    config.CACHE_DIR = os.path.join(folder, f"kernels-{_sources()}")  # type: ignore[attr-defined]
    return importlib.import_module(name)


@cache
def _sources() -> str:
    """A name for the state of the files in kernels/fast."""
    try:
        with os.scandir(FAST) as files:
            state = sorted((f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files if f.name.endswith(".py"))
    except OSError:  # in a zip file, which nobody edits in place
        state = []
    return f"{zlib.crc32(repr(state).encode()):08x}"


@cache
def _announce(event: ModuleType) -> None:
    """One line on stderr when a kernel is compiled, not when it comes from the cache of an earlier run.

    While one is compiled Python does not look for garbage: numba makes so many objects that live on that this would
    take a tenth of the time. numba compiles in one thread at a time.
    """

    class Announcement(event.Listener):  # type: ignore[name-defined]
        said = False
        depth = 0  # kernels that call kernels
        collects = False

        def on_start(self, happening: Any) -> None:
            if not _ours(happening):
                return
            if not self.said:
                self.said = True
                words = "compiling kernels that this machine has not used before (up to some 20 seconds)"
                print(f"karat: {words} ...", file=sys.stderr)
            if self.depth == 0:
                self.collects = gc.isenabled()
                gc.disable()
            self.depth += 1

        def on_end(self, happening: Any) -> None:
            if not _ours(happening):
                return
            self.depth -= 1
            if self.depth == 0 and self.collects:
                gc.enable()

    event.register("numba:compile", Announcement())


def _ours(happening: Any) -> bool:
    return (happening.data["dispatcher"].py_func.__module__ or "").startswith("karat.")
