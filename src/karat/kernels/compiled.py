"""Compiled twins: a kernel is plain NumPy, and has a numba twin of the same name in kernels/fast.

numba is imported on the first call of a kernel. Without numba the plain function does the work; with it the
plain one stays the reference of the tests, as `kernel.reference`.
"""

from __future__ import annotations

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
    """One line on stderr when a kernel is compiled, not when it comes from the cache of an earlier run."""

    class Announcement(event.Listener):  # type: ignore[name-defined]
        said = False

        def on_start(self, happening: Any) -> None:
            function = happening.data["dispatcher"].py_func
            if not self.said and (function.__module__ or "").startswith("karat."):
                self.said = True
                words = "compiling kernels that this machine has not used before (up to some 20 seconds)"
                print(f"karat: {words} ...", file=sys.stderr)

        def on_end(self, happening: Any) -> None:
            pass

    event.register("numba:compile", Announcement())
