"""BLAS on one thread: more of them fight for the cores of the workers, and sum in another order."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # looking for the libraries takes milliseconds, and scikit-learn has loaded them all by now
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


def one_thread() -> AbstractContextManager:
    """`with one_thread(): ...`"""
    return _controller().limit(limits=1)
