"""Compiled twins: a kernel is plain NumPy, and has a numba twin of the same name in kernels/fast.

numba is imported on the first call of a kernel. Without numba the plain function does the work; with it the
plain one stays the reference of the tests, as `kernel.reference`.
"""

from __future__ import annotations

import gc
import importlib
import sys
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


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
    _announce(event)
    name = f"karat.kernels.fast.{home}"
    try:
        return importlib.import_module(name)
    except RuntimeError:  # numba finds no folder where it may keep compiled code: no home, packages of somebody else
        from numba import config

        folder = tempfile.mkdtemp(prefix="karat-kernels-")
        config.CACHE_DIR = folder  # type: ignore[attr-defined]
        print(f"karat: compiled kernels cannot be kept, so they go to {folder}", file=sys.stderr)
        return importlib.import_module(name)


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
