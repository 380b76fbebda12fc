"""stability: how much the selected features change from one training set to another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import check_level
from trueness.errors import InputError, UndefinedError
from trueness.formulas import intervals
from trueness.result import Estimate, Interval, IntervalRule
from trueness.result.digits import between, counted, shown
from trueness.result.note import Note
from trueness.result.shown import Cited, Result, records
from trueness.result.table import Page, Table
from trueness.typing import Floats, Ints, Record

THESE_CASES = Note(
    "resamples-of-these-cases",
    "Sets selected on resamples of one data set describe that data set: the interval is about what more resamples "
    "would give and narrows with their number. It says nothing about other samples.",
)


class Normal(IntervalRule):
    """value ± z·mc_se: Nogueira, Sechidis & Brown (2018), corollary 9."""

    name = "nogueira"
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        assert e.mc_se is not None
        note = None
        if e.mc_se == 0:
            note = Note("equal-sets", "The interval has no length because all sets contribute equally.")
        return self.clipped(e, *intervals.wald(e.value, e.mc_se, intervals.quantile(level)), level, note)


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result, Cited):
    """What `trueness.selection.stability` returns.

    Attributes
    ----------
    index : Estimate
        Nogueira's stability: 1 where all sets are equal, 0 where they agree no more than random sets of their sizes.
    features : tuple
        Names.
    times : ndarray of shape (d,)
        In how many sets each feature is.
    sizes : ndarray of shape (M,)
        How many features each set has.
    level : float
        Level of the interval.
    """

    index: Estimate
    features: tuple[Any, ...]
    times: Ints = field(repr=False)
    sizes: Ints = field(repr=False)
    level: float = 0.95

    def _named(self) -> list[tuple[str, Estimate]]:
        return [("stability", self.index)]

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first: `feature`, `times`, `share`."""
        table = pd.DataFrame({"feature": self.features, "times": self.times, "share": self.times / len(self.sizes)})
        return table.sort_values("times", ascending=False, kind="stable", ignore_index=True)

    def page(self, level: float | None = None) -> Page:
        level = level or self.level
        e, m = self.index, len(self.sizes)
        limits = between(*e.ci(level), e.mc_se)
        always, never = int((self.times == m).sum()), int((self.times == 0).sum())
        top = self.frame().head(20)
        rows = [(str(f), str(t), f"{s:.1%}") for f, t, s in zip(top.feature, top.times, top.share, strict=True)]
        title = "Features" if len(top) == len(self.features) else f"The {len(top)} most frequent features"
        sizes = " to ".join(dict.fromkeys((str(self.sizes.min()), str(self.sizes.max()))))
        return Page(
            title=f"{m} sets of {sizes} of {len(self.features)} features",
            answer=f"Stability {shown(e.value, e.mc_se)} ({100 * level:g} % interval {limits}). "
            f"{counted(always, 'feature is', 'features are')} in all sets, {never} in none.",
            tables=(Table.of(("feature", "times", "share"), rows, title),),
            notes=e.notes,
        )

    def to_dict(self) -> Record:
        sizes, features = self.sizes.tolist(), records(self.frame())
        return {"stability": self.index.to_dict(self.level), "sizes": sizes, "features": features}


def stability(selected: npt.ArrayLike | pd.DataFrame, level: float = 0.95) -> Stability:
    """Stability of feature selection, with its interval, and how often each feature is selected.

    Parameters
    ----------
    selected : DataFrame or array-like of shape (M, d)
        1 or True where set m holds feature f, e.g. from `trueness.selection.selected`. Columns of a DataFrame name the
        features.
    level : float, default 0.95
        Level of the interval.

    Returns
    -------
    Stability

    Raises
    ------
    InputError
        Where it is not a table of 0 and 1 with at least two rows.
    UndefinedError
        Where all sets are empty, or all hold every feature: the index compares sets with random ones of their sizes.

    Notes
    -----
    The index does not depend on how many features are selected: random sets have 0 on average. Values below .4 are
    often called poor and above .75 excellent (Fleiss's words for agreement, of which this index is a special case).

    References
    ----------
    Nogueira, Sechidis & Brown (2018), JMLR 18 (174), definition 4 and corollary 9.

    Examples
    --------
    >>> import trueness
    >>> s = trueness.selection.stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(s.index.value, 4)
    0.3333
    >>> s.frame()["times"].tolist()
    [3, 2, 1, 0]
    """
    check_level(level)
    table, names = _binary(selected)
    value, variance = index_and_variance(table)
    e = Estimate(
        value,
        mc_se=math.sqrt(variance),
        metric="stability",
        method="nogueira",
        estimand="stability of the selection over training sets drawn like these",
        bounds=(-1.0, 1.0),
        interval=Normal(),
        provenance={"sets": len(table)},
    ).noting(THESE_CASES)
    times, sizes = (table.sum(axis=axis).astype(np.intp) for axis in (0, 1))
    return Stability(e, names, times, sizes, level)


def index_and_variance(z: Floats) -> tuple[float, float]:
    """Φ̂ and v(Φ̂) of a table (M, d) of 0 and 1.

    Φ̂ = 1 − (1/d) Σ_f s_f² / [(k̄/d)(1 − k̄/d)],  s_f² = M/(M − 1) p_f (1 − p_f)     (definition 4)
    v = 4/M² Σ_i (Φ̂_i − mean Φ̂_i)²                                                 (its variance)
    """
    m, d = z.shape
    p, k = z.mean(axis=0), z.sum(axis=1)
    mean_k = p.sum()
    spread = (mean_k / d) * (1 - mean_k / d)
    if spread <= 0:
        what = "empty" if mean_k == 0 else "equal to all features"
        raise UndefinedError(f"Stability is undefined: all sets are {what}", param="selected")
    phi = 1 - m / (m - 1) * np.mean(p * (1 - p)) / spread
    at = 2 * k * mean_k / d**2 - k / d - mean_k / d + 1
    phi_i = ((z @ p) / d - k * mean_k / d**2 + phi / 2 * at) / spread
    return float(phi), float(4 / m**2 * ((phi_i - phi_i.mean()) ** 2).sum())


def _binary(selected: object) -> tuple[Floats, tuple[Any, ...]]:
    names = tuple(selected.columns) if isinstance(selected, pd.DataFrame) else None
    fix = "Pass one row per training set and one column per feature, 1 where it was selected"
    if isinstance(selected, Mapping):
        raise InputError("selected must be a table of 0 and 1", param="selected", got="a mapping", fix=fix)
    try:
        z = np.asarray(selected, dtype=float)
    except (TypeError, ValueError):
        raise InputError("selected must be a table of 0 and 1", param="selected", fix=fix) from None
    if z.ndim != 2 or not np.isin(z, (0, 1)).all():
        got = f"shape {z.shape}" if z.ndim != 2 else f"values such as {z[~np.isin(z, (0, 1))][0]:g}"
        raise InputError("selected must be a table of 0 and 1", param="selected", got=got, fix=fix)
    if len(z) < 2 or z.shape[1] < 2:
        raise InputError("Stability needs two sets and two features or more", param="selected", got=f"shape {z.shape}")
    return z, names or tuple(range(z.shape[1]))
