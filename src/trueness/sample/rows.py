"""Tables of one row per rule, in memory or in a file, and Block: what of them is read at a time."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from trueness.errors import InputError
from trueness.typing import Array, Bools, Floats, Ints

SPILL_BYTES = 256 * 2**20  # a table larger than this goes to a temporary file


class Rows(Protocol):
    """A table (F, ...) that is read and written in blocks of rows; a NumPy array is one."""

    shape: tuple[int, ...]

    def __getitem__(self, rows: slice, /) -> Array: ...
    def __setitem__(self, rows: slice, values: Array, /) -> None: ...


def taken(values: Any, index: Any) -> Any:
    """The entries at an index; None where there is no table."""
    return None if values is None else values[index]


class FileRows:
    """(F, ...) numbers in a temporary file, read block by block."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._row = math.prod(shape[1:]) * self.dtype.itemsize
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if self._row * shape[0] > free:
            raise _no_room(f"{self._row * shape[0] / 1e9:.2g} GB needed, {free / 1e9:.2g} GB free")
        handle, self.path = tempfile.mkstemp(prefix="trueness-", suffix=".rows")
        os.truncate(handle, self._row * shape[0])
        os.close(handle)
        self._cleanup = weakref.finalize(self, Path(self.path).unlink, missing_ok=True)

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(self.shape[0])
        count = max(0, stop - start)
        flat = np.fromfile(
            self.path, dtype=self.dtype, count=count * self._row // self.dtype.itemsize, offset=start * self._row
        )
        return flat.reshape(count, *self.shape[1:])

    def __setitem__(self, rows: slice, values: Array) -> None:
        start, _, _ = rows.indices(self.shape[0])
        try:
            with open(self.path, "r+b") as file:
                file.seek(start * self._row)
                np.ascontiguousarray(values, dtype=self.dtype).tofile(file)
        except OSError as error:
            raise _no_room(str(error)) from None

    def __reduce__(self) -> tuple[object, ...]:  # the file stays on its machine
        return np.asarray, (self[:],)


class MappedRows:
    """A function of the entries of a table, computed when they are read."""

    def __init__(self, rows: Rows, function: Callable[[Array], Array]) -> None:
        self.rows, self.function, self.shape = rows, function, rows.shape

    def __getitem__(self, rows: slice) -> Array:
        return self.function(self.rows[rows])

    def __setitem__(self, rows: slice, values: Array) -> None:
        raise TypeError("mapped rows are read only")


def _no_room(why: str) -> InputError:
    return InputError(
        "The folder for temporary files has no room for the scores",
        got=f"{tempfile.gettempdir()}: {why}",
        fix="Set the environment variable TMPDIR to a folder with more room, or use a plan with fewer fits: KFold(10)",
    )


def free_memory() -> float:
    """Bytes that this process can still have: of the machine, of its control group and by its own limit; ∞ where the
    system does not say."""
    free = [math.inf]
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    with suppress(OSError, ValueError):
        names = ("memory.max", "memory.current")
        limit, used = (int(Path("/sys/fs/cgroup", name).read_text(encoding="ascii")) for name in names)
        free.append(float(limit - used))
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource  # not on Windows

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        if limit != resource.RLIM_INFINITY:
            free.append(float(limit - pages * resource.getpagesize()))
    return max(0.0, min(free))


def require_memory(needed: float, what: str, fix: str, param: str | None = None) -> None:
    """An error where the machine has no room for this many bytes: before they are asked for, not after some hours."""
    if needed > (free := free_memory()):
        raise InputError(
            f"There is not enough memory for {what}",
            param=param,
            got=f"{needed / 1e9:.2g} GB needed, {free / 1e9:.2g} GB free",
            fix=fix,
        )


def empty_rows(shape: tuple[int, ...], dtype: type[np.generic | float] | np.dtype[np.generic] = float) -> Rows:
    """An uninitialised table (F, ...): in memory where it fits, else in a temporary file."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.empty(shape, dtype=dtype) if size <= SPILL_BYTES else FileRows(shape, np.dtype(dtype))


CASES = {1: (("codes", 0), ("numbers", 0), ("apart", 0)), 0: (("fits", 0),)}  # what else is joined along an axis


@dataclass(frozen=True, eq=False)
class Block:
    """b rules by m cases."""

    codes: Ints  # (m,) class of each case
    counts: Array  # (b, m) how often each case entered the training set of each rule
    # (b, m) or (b, m, C) of the positive class, or of every class, or predicted numbers; NaN where a rule did not score
    # a case. None where the model has none.
    scores: Floats | None
    # (b, m) predicted class; −1 where a rule did not predict a case. None where predictions are not known.
    predictions: Array | None
    fits: Ints  # (b,) indexes of the training sets
    numbers: Floats | None = None  # (m,) the target of each case in a regression
    apart: Ints | None = None  # (m,) groups of several classes, whose own cases an AUC does not compare with each other

    @classmethod
    def joined(cls, blocks: Sequence[Block], axis: int = 1) -> Block:
        """One rule per block, each with cases of its own, as if one rule had been asked about all of them; with axis 0
        the rules of all blocks on the same cases."""
        found: dict[str, Any] = {}
        for name, along in (("counts", axis), ("scores", axis), ("predictions", axis), *CASES[axis]):
            tables = [getattr(block, name) for block in blocks]
            found[name] = None if any(table is None for table in tables) else np.concatenate(tables, axis=along)
        return replace(blocks[0], **found)

    def some(self, rules: slice) -> Block:
        """Some of the rules."""
        scores, predictions = taken(self.scores, rules), taken(self.predictions, rules)
        return Block(self.codes, self.counts[rules], scores, predictions, self.fits[rules])

    @property
    def left_out(self) -> Bools:
        """(b, m) I_i^b: True where case i was not in training set b."""
        return np.asarray(self.counts == 0)

    @property
    def ones(self) -> Floats:
        """(b, m) equal weights."""
        return np.ones(self.counts.shape)
