"""The cases of a statistic (one sample, or two independent ones), and calling the statistic on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.errors import InputError
from trueness.sample.labels import array_of
from trueness.typing import Array, Ints

Statistic = Callable[..., object]
Sample: TypeAlias = Array | pd.Series | pd.DataFrame
Data: TypeAlias = npt.ArrayLike | pd.Series | pd.DataFrame | tuple[object, object]

EXAMPLES = {
    "statistic(x)": "lambda x: x.mean(), or lambda pair: pair[0].mean() - pair[1].mean()",
    "statistic(x, weights)": "lambda x, w: w @ x, with weights that sum to 1",
}
_TABLES = (np.ndarray, pd.Series, pd.DataFrame)


@dataclass(frozen=True, eq=False)
class Cases:
    """One or two samples, in the form in which the statistic gets them: arrays or pandas objects."""

    parts: tuple[Sample, ...]

    @classmethod
    def of(cls, x: Data) -> Cases:
        """A tuple or list of two sequences is two samples; everything else is one sample with one row per case."""
        if isinstance(x, (tuple, list)) and len(x) == 2 and all(_is_sequence(part) for part in x):
            return cls((_checked(x[0], "The first sample"), _checked(x[1], "The second sample")))
        if isinstance(x, tuple) and len(x) > 2 and all(isinstance(part, _TABLES) for part in x):
            raise InputError("x must be one or two samples", param="x", got=f"{len(x)} arrays")
        return cls((_checked(x, "x"),))

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

    def formed(self, parts: Sequence[Sample]) -> Sample | tuple[Sample, ...]:
        """One object for one sample, a pair for two."""
        return parts[0] if len(self.parts) == 1 else tuple(parts)

    def take(self, rows: Sequence[Ints]) -> Sample | tuple[Sample, ...]:
        """The cases at these rows of each sample, as a copy."""
        return self.formed(
            [
                part[row] if isinstance(part, np.ndarray) else part.iloc[row]
                for part, row in zip(self.parts, rows, strict=True)
            ]
        )

    def locked(self) -> Sample | tuple[Sample, ...]:
        """All cases, for many calls: arrays that a statistic cannot write into."""
        copies = [part.copy() for part in self.parts]
        for part in copies:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        return self.formed(copies)

    def repeated(self, times: int) -> Sample | tuple[Sample, ...]:
        """Every case `times` times."""
        return self.take([np.repeat(np.arange(n), times) for n in self.sizes])

    def without(self, sample: int, case: int, times: int = 1) -> Sample | tuple[Sample, ...]:
        """Every case `times` times, except one copy of one case."""
        rows = [np.repeat(np.arange(n), times) for n in self.sizes]
        rows[sample] = np.delete(rows[sample], case * times)
        return self.take(rows)


def _is_sequence(part: object) -> bool:
    return isinstance(part, (*_TABLES, list, tuple, range))


def _checked(given: object, name: str) -> Sample:
    try:
        part = given if isinstance(given, (pd.Series, pd.DataFrame)) else array_of(given)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{name} cannot be converted to an array", param="x", got=str(error)) from None
    if part.ndim == 0:
        raise InputError(f"{name} must be an array with one row per case", param="x", got=repr(given))
    if len(part) < 2:
        raise InputError(f"{name} must have at least 2 cases", param="x", got=len(part))
    missing = np.asarray(pd.isna(part))
    if missing.any():
        row = int(np.flatnonzero(missing.reshape(len(part), -1).any(axis=1))[0])
        raise InputError(
            f"{name} has missing values", param="x", got=f"{int(missing.sum())} NaN, the first in row {row}",
            fix="Drop or fill them first",
        )  # fmt: skip
    return part


def number(value: object, where: str) -> float:
    """What a statistic returned, as one finite float."""
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "biuf":
        got = f"shape {found.shape}" if found.size != 1 else repr(value)
        raise InputError("statistic must return one real number", param="statistic", got=got)
    out = float(found.reshape(()))
    if not np.isfinite(out):
        fix = "Make it defined there (e.g. where all cases are equal), or use more cases"
        raise InputError(f"statistic is not finite {where}", param="statistic", got=out, fix=fix)
    return out


def first_value(statistic: Statistic, needs: str, *given: object) -> float:
    """The statistic of the cases; a function with the wrong signature is reported here."""
    if not callable(statistic):
        raise InputError("statistic must be a function", param="statistic", got=repr(statistic))
    try:
        value = statistic(*given)
    except TypeError as error:
        fix = f"E.g. {EXAMPLES[needs]}; two samples are passed as one pair"
        got = f"TypeError: {error}"
        raise InputError(f"statistic cannot be called as {needs}", param="statistic", got=got, fix=fix) from error
    return number(value, "for the cases themselves")


def name_of(statistic: Statistic) -> str:
    """The name of a function; "statistic" for a lambda."""
    name = str(getattr(statistic, "__name__", ""))
    return name if name.isidentifier() else "statistic"
