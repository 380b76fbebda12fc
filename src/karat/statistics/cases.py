"""What a statistic is a statistic of: one sample of cases, or two independent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError

_TABLES = (np.ndarray, pd.Series, pd.DataFrame)


@dataclass(frozen=True, eq=False)
class Cases:
    """One or two samples, kept in the form in which the statistic gets them: arrays or pandas objects."""

    parts: tuple[Any, ...]

    @classmethod
    def of(cls, x: Any) -> Cases:
        """A pair (tuple or list of two sequences) is two samples; everything else is one, a row a case."""
        if isinstance(x, (tuple, list)) and len(x) == 2 and all(_is_sequence(part) for part in x):
            return cls((_checked(x[0], "the first sample"), _checked(x[1], "the second sample")))
        if isinstance(x, tuple) and len(x) > 2 and all(isinstance(part, _TABLES) for part in x):
            raise InputError("a statistic is of one or of two samples", got=f"{len(x)} arrays")
        return cls((_checked(x, "the sample"),))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(part) for part in self.parts)

    @property
    def places(self) -> list[tuple[int, int]]:
        """(n,) sample and row of each case, the second sample after the first."""
        return [(k, i) for k, n in enumerate(self.sizes) for i in range(n)]

    @property
    def df(self) -> int:
        """n − 1; with two samples that of the smaller one, which is safe."""
        return min(self.sizes) - 1

    def formed(self, parts: Sequence[Any]) -> Any:
        """One thing for one sample, a pair for two."""
        return parts[0] if len(self.parts) == 1 else tuple(parts)

    def take(self, rows: Sequence[np.ndarray]) -> Any:
        """The cases at these rows of each sample, as a copy."""
        return self.formed([_rows(part, row) for part, row in zip(self.parts, rows, strict=True)])

    def locked(self) -> Any:
        """All cases, for many calls: arrays that a statistic cannot write into."""
        copies = [part.copy() for part in self.parts]
        for part in copies:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        return self.formed(copies)

    def repeated(self, times: int) -> Any:
        """Every case `times` times."""
        return self.take([np.repeat(np.arange(n), times) for n in self.sizes])

    def without(self, sample: int, case: int, times: int = 1) -> Any:
        """Every case `times` times, but one copy of one case missing."""
        rows = [np.repeat(np.arange(n), times) for n in self.sizes]
        rows[sample] = np.delete(rows[sample], case * times)
        return self.take(rows)


def _is_sequence(part: Any) -> bool:
    return isinstance(part, _TABLES) or (isinstance(part, (list, tuple, range)) and not isinstance(part, str))


def _checked(part: Any, name: str) -> Any:
    if not isinstance(part, (pd.Series, pd.DataFrame)):
        part = part.to_numpy() if hasattr(part, "to_numpy") else part  # polars
        try:
            part = np.asarray(part)
        except ValueError as error:  # rows of different lengths
            raise InputError(f"{name} is no array", got=str(error)) from None
        if part.ndim == 0:
            raise InputError(f"{name} must be an array of cases", got=repr(part.item()))
    if len(part) == 0:
        raise InputError(f"{name} has no cases")
    missing = np.asarray(pd.isna(part))
    if missing.any():
        row = int(np.flatnonzero(missing.reshape(len(part), -1).any(axis=1))[0])
        raise InputError(
            f"{name} has {int(missing.sum())} missing values (NaN)",
            got=f"the first in row {row}",
            fix="Drop or fill them first: resampling would spread them at random",
        )
    if len(part) < 2:
        raise InputError(f"{name} has one case only, and one case has no variation", fix="Give at least 2 cases")
    return part


def _rows(part: Any, rows: np.ndarray) -> Any:
    return part[rows] if isinstance(part, np.ndarray) else part.iloc[rows]
