"""BLAS on one thread: more of them fight for the cores of the workers, and sum in another order."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # looking for the libraries takes milliseconds, and scikit-learn has loaded them all by now
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


def one_thread() -> AbstractContextManager:
    """`with one_thread(): ...`"""
    controller = _controller()
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        return nullcontext()  # limiting what is limited takes longer than asking
    return controller.limit(limits=1)
