"""BLAS on one thread: more of them compete for the cores of the workers, and sum in another order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # looking for the libraries takes milliseconds, and scikit-learn has loaded them all by now
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """`with one_thread(): ...`"""
    controller = _controller()
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        yield  # limiting what is limited takes longer than asking
        return
    with controller.limit(limits=1):
        yield
