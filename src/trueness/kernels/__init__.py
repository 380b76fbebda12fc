"""Arithmetic on arrays: no classes, no input checks, the formula cited at the line.

A compiled function calls only compiled functions of its own file: numba keeps compiled code per file, and does not
notice that another file has changed.
"""

from collections.abc import Callable

from numba import njit


def jit(function: Callable | None = None, **options):
    """`numba.njit` with a cache on disk, without the lock of the interpreter, and with NumPy's rules for division.

    Where no folder can be written (a read-only install and no home), the function is compiled anew in every process.
    """
    if function is None:
        return lambda of: jit(of, **options)
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba finds no folder for its cache
        return njit(**options)(function)
