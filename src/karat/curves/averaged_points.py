"""Measures at identical operating points in every fold: their mean, SD and se, and the test of seeds/002."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from karat.curves.measures import title
from karat.errors import InputError


class Point(int):
    """The number of an operating point, a row of `frame()`, that also knows what stands there."""

    row: dict[str, float]

    def __new__(cls, number: int, row: Mapping[str, float]) -> Point:
        self = super().__new__(cls, number)
        self.row = dict(row)
        return self

    def __getattr__(self, name: str) -> float:
        try:
            return self.__dict__["row"][name]
        except KeyError:
            raise AttributeError(f"an operating point has no {name!r}") from None

    def __getnewargs__(self) -> tuple:  # so that it pickles and copies
        return int(self), self.row

    def __repr__(self) -> str:
        return f"Point({int(self)}: " + ", ".join(f"{k} {v:.4g}" for k, v in self.row.items()) + ")"


@dataclass(frozen=True, eq=False)
class AveragedPoints(ABC):
    """P operating points, each used for the decisions of all K folds  (seeds/002, algorithm 1).

    Attributes
    ----------
    per_fold
        For each measure (P, K): its value in each fold at each point.
    n
        Number of cases.
    """

    per_fold: Mapping[str, np.ndarray] = field(repr=False)
    n: int = 0
    notes: tuple[str, ...] = ()

    @abstractmethod
    def _positions(self) -> dict[str, np.ndarray]:
        """What defines the points: thresholds or weights."""

    def __str__(self) -> str:
        means = {name: values.mean(axis=1) for name, values in self.per_fold.items()}
        rates = [name for name in means if name in ("tpf", "fpf")] or list(means)
        spans = [f"{title(m)} {np.nanmin(means[m]):.3f} to {np.nanmax(means[m]):.3f}" for m in rates]
        return f"{self.n_points} operating points in {self.n_folds} folds of {self.n} cases, {', '.join(spans)}"

    @property
    def n_points(self) -> int:
        return len(next(iter(self.per_fold.values())))

    @property
    def n_folds(self) -> int:
        return next(iter(self.per_fold.values())).shape[1]

    def frame(self) -> pd.DataFrame:
        """A row a point: `point`, what defines it, and for each measure m its mean over folds `m`, `m_sd`, and
        `m_se` = m_sd/√K, the "standard deviation of the mean" of seeds/002. It takes folds for independent,
        which they are not quite: their training sets overlap.
        """
        columns: dict[str, Any] = {"point": np.arange(self.n_points), **self._positions()}
        for name, values in self.per_fold.items():
            sd = values.std(axis=1, ddof=1)
            columns |= {name: values.mean(axis=1), f"{name}_sd": sd, f"{name}_se": sd / np.sqrt(self.n_folds)}
        return pd.DataFrame(columns)

    def point(self, number: int) -> Point:
        """The operating point with this number."""
        at = self._number(number)
        means = {name: float(values[at].mean()) for name, values in self.per_fold.items()}
        return Point(at, {name: float(values[at]) for name, values in self._positions().items()} | means)

    def _number(self, point: Any) -> int:
        try:
            at = int(point)
        except (TypeError, ValueError):
            at = -1
        if not 0 <= at < self.n_points or isinstance(point, bool):
            raise InputError(
                f"points have the numbers 0 to {self.n_points - 1}", got=repr(point), fix="choose() finds one"
            )
        return at

    def _values(self, measure: Any) -> np.ndarray:
        if callable(measure):
            return self._computed(measure)
        if measure not in self.per_fold:
            raise InputError(f"there is no measure {measure!r} here", fix=f"Choose one of {', '.join(self.per_fold)}")
        return self.per_fold[measure]

    def title(self, measure: Any) -> str:
        """A measure in the words of a legend."""
        return title(measure)

    def _computed(self, measure: Callable[..., np.ndarray]) -> np.ndarray:
        raise InputError("give the name of a measure", got=repr(measure), fix=f"One of {', '.join(self.per_fold)}")

    # -- eq. (3) ----------------------------------------------------------------------------------

    def test(self, point: int, measure: Any, level: float = 0.95, df: Any = None) -> pd.DataFrame:
        """Test each point against a chosen one: is the measure different there?

        t = (X̄1 − X̄2) / √(s1² + s2² − 2 r s1 s2), s the SDs of the means and r the correlation over folds
        (seeds/002, eq. 3), which is the paired t over folds.

        Parameters
        ----------
        point
            The chosen point.
        measure
            Its name.
        level
            Points differ where the two-sided p-value is below 1 − level.
        df
            None: 2K − 2 as seeds/002 prints it; "paired": K − 1, what the paired t has by theory; or a number.

        Returns
        -------
        DataFrame
            A row a point: `point`, `t`, `df`, `p_value`, `differs`. Where all folds differ by one and the same
            amount t is infinite and the p-value that of flipping K signs, 2^(1 − K): never 0.
        """
        at, freedom = self._number(point), self._df(df)
        if not 0 < level < 1:
            raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
        mean, se = self._differences(at, measure)
        t, p = t_of_differences(mean, se, freedom, self.n_folds)
        return pd.DataFrame(
            {"point": np.arange(self.n_points), "t": t, "df": freedom, "p_value": p, "differs": p < 1 - level}
        )

    def same_as(self, point: int, measure: Any, level: float = 0.95, df: Any = None) -> np.ndarray:
        """Numbers of the points that cannot be told apart from the chosen one, which is among them. Points where the
        measure is undefined in a fold are left out."""
        table = self.test(point, measure, level, df)
        return np.flatnonzero(~table["differs"] & table["p_value"].notna())

    def cases_needed(
        self, point: int, measure: Any, level: float = 0.95, power: float = 0.8, df: Any = None
    ) -> pd.DataFrame:
        """How many cases would be needed to tell each point from the chosen one.

        The standard error of a difference falls as 1/√n. With δ the shift of Student's t that gives the power
        asked for, n' = n (δ se / |X̄1 − X̄2|)²: as many cases would do if the differences seen are the true ones.

        Returns
        -------
        DataFrame
            `point`, `difference` (from the chosen point), `se`, `cases`. Infinite where no difference is seen.
        """
        at, freedom = self._number(point), self._df(df)
        if not (0 < level < 1 and 0 < power < 1):
            raise InputError("level and power must lie between 0 and 1", got=f"{level} and {power}")
        mean, se = self._differences(at, measure)
        shift = _shift_for(power, 1 - level, freedom)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(mean == 0, np.inf, np.ceil(self.n * (shift * se / np.abs(mean)) ** 2))
        return pd.DataFrame(
            {"point": np.arange(self.n_points), "difference": mean, "se": se, "cases": np.maximum(needed, 1)}
        )

    def _differences(self, at: int, measure: Any) -> tuple[np.ndarray, np.ndarray]:
        """(P,) mean over folds of the difference from the chosen point, and its standard error."""
        values = self._values(measure)
        missing = int(np.isnan(values[at]).sum())
        if missing:
            raise InputError(
                f"the measure is undefined at point {at}",
                got=f"NaN in {missing} of {self.n_folds} folds",
                fix="Choose a point that calls somebody positive and somebody negative in every fold",
            )
        apart = values - values[at]
        apart[np.abs(apart) < 1e-12] = 0.0
        mean = apart.mean(axis=1)
        # s1² + s2² − 2 r s1 s2 of the means is the variance of the difference over K
        se = apart.std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return mean, np.where(se < 1e-12, 0.0, se)

    def _df(self, df: Any) -> float:
        if df is None:
            return 2 * self.n_folds - 2
        if isinstance(df, str) and df == "paired":
            return self.n_folds - 1
        if isinstance(df, (int, float)) and df > 0:
            return df
        raise InputError('df must be None (2K − 2), "paired" (K − 1) or a number', got=repr(df))


def t_of_differences(mean: np.ndarray, se: np.ndarray, df: float, n_folds: int) -> tuple[np.ndarray, np.ndarray]:
    """(P,) t and two-sided p-value; 0 and 1 where nothing differs in any fold."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0, mean / se, np.where(mean == 0, 0.0, np.sign(mean) * np.inf))
    p = 2 * stats.t.sf(np.abs(t), df)
    floor = np.where(np.isinf(t), 2.0 ** (1 - n_folds), np.finfo(float).tiny)
    nothing = np.isnan(mean) | np.isnan(se)
    t = np.where(nothing, np.nan, t)
    return t, np.where(nothing, np.nan, np.maximum(p, floor))


def _shift_for(power: float, size: float, df: float) -> float:
    """δ of a noncentral t that exceeds the two-sided limit of this size with this probability. (The other tail adds
    less than size/2, and nothing worth counting at a useful power.)"""
    limit = float(stats.t.isf(size / 2, df))
    if power <= size / 2:
        return 0.0
    return float(optimize.brentq(lambda shift: stats.nct.sf(limit, df, shift) - power, 0.0, limit + 10))
