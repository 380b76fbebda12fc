"""Rows of numbers that may be larger than memory: an array, or a file that is read in blocks."""

from __future__ import annotations

import math
import os
import tempfile
import weakref
from typing import Protocol

import numpy as np

SPILL_BYTES = 256 * 2**20  # a table larger than this goes to a temporary file


class Rows(Protocol):
    """What a block reader and writer of (F, ...) numbers can do; a NumPy array is one."""

    shape: tuple[int, ...]

    def __getitem__(self, rows: slice, /) -> np.ndarray: ...
    def __setitem__(self, rows: slice, values: np.ndarray, /) -> None: ...


class FileRows:
    """(F, ...) numbers in a temporary file. Plain reads, no mapping: resident memory stays one block."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._row = math.prod(shape[1:]) * self.dtype.itemsize
        handle, self.path = tempfile.mkstemp(prefix="karat-", suffix=".rows")
        os.truncate(handle, self._row * shape[0])
        os.close(handle)
        self._cleanup = weakref.finalize(self, _remove, self.path)

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, stop, _ = rows.indices(self.shape[0])
        count = max(0, stop - start)
        flat = np.fromfile(
            self.path, dtype=self.dtype, count=count * self._row // self.dtype.itemsize, offset=start * self._row
        )
        return flat.reshape(count, *self.shape[1:])

    def __setitem__(self, rows: slice, values: np.ndarray) -> None:
        start, _, _ = rows.indices(self.shape[0])
        with open(self.path, "r+b") as file:
            file.seek(start * self._row)
            np.ascontiguousarray(values, dtype=self.dtype).tofile(file)


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def empty_rows(shape: tuple[int, ...], dtype: type | np.dtype = float) -> Rows:
    """Room for (F, ...) numbers: in memory where it fits, else in a temporary file."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.empty(shape, dtype=dtype) if size <= SPILL_BYTES else FileRows(shape, np.dtype(dtype))
