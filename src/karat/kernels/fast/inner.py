"""The decorator of functions that compiled code alone calls: no entry for Python is compiled, which takes as long."""

from __future__ import annotations

from numba import njit

inner = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
