"""weak_segments: groups of cases, not known beforehand, for which the model is worse.

A search over many groups finds a bad one in any noise. So the cases are split in two halves: segments are found on the
losses of one half and judged on the other, and the other way round. Each case is judged by rules that were not trained on
it. p-values are adjusted for all segments that are judged, so that on noise anything is reported in at most 1 − level of
samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from trueness.api.assessment import Assessment
from trueness.checks import check_level, check_whole, generator_of
from trueness.comparisons.registry import holm
from trueness.errors import InputError
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans
from trueness.figures.figure import Dot, Figure, forest
from trueness.formulas import mover
from trueness.formulas.groups import DesignEffect, group_factor, group_sums, sizes_by_class
from trueness.formulas.proportions import wilson
from trueness.leaks.findings import data_of
from trueness.metrics.metric import CaseLoss
from trueness.metrics.scorer import MetricLike
from trueness.result.columns import Column, Columns
from trueness.result.shown import Drawn, Result
from trueness.result.words import between, spoken
from trueness.sample.fits import Fits, check_fits
from trueness.sample.labels import check_same_length
from trueness.typing import Array, Bools, Features, Floats, Record, Rng

QUANTILES = (0.1, 0.2, 0.3, 0.5)  # of a numeric column; segments lie below them, or above 1 − them
FEW_VALUES = 5  # a numeric column with at most so many values has a segment of each
SINGLES = 20  # segments of one column that are combined in pairs
JUDGED = 3  # segments of each half that the other half judges


@dataclass(frozen=True, eq=False)
class _Segment:
    words: str
    inside: Bools  # (n,)
    columns: tuple[object, ...]


def weak_segments(
    a: Assessment | Fits,
    X: Features = None,
    metric: MetricLike = "error",
    *,
    least: int = 20,
    level: float = 0.95,
    rng: Rng = None,
) -> WeakSegments:
    """Segments of the cases, by one or two columns, in which the model is worse than in the rest.

    Parameters
    ----------
    a : Assessment or Fits
        Of any plan; each case counts with its mean loss over the rules that were not trained on it.
    X : array-like of n rows, optional
        Columns that describe the cases, which need not be features of the model; those of the assessment by default.
    metric : str or Metric, default "error"
        A mean over cases: an error rate, a rate of one class, the Brier score, a squared error.
    least : int, default 20
        Fewest cases of a segment in each half.
    level : float, default 0.95
        In samples without a weak segment, none is reported with this probability or more.
    rng : int, SeedSequence or Generator, optional
        Seed of the split in halves.

    Returns
    -------
    WeakSegments
        `.frame()` with all segments that were judged, `.found` with those that are weak.

    Notes
    -----
    Of numeric columns the lowest and highest 10, 20, 30 and 50 % are looked at, of others (and of numbers with at most five
    values) each value, and pairs of the 20 most promising ones. The three best of each half are judged on the other: losses
    of 0 and 1 by Fisher's exact test, others by Welch's t, one-sided; with groups of dependent cases, which are never
    split, by t with the groups as units. p-values are Holm's over all of them.

    See Also
    --------
    trueness.subgroups : Groups that are known beforehand.

    Examples
    --------
    >>> import numpy as np, pandas as pd, trueness
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.integers(20, 90, 600), "site": rng.choice(["a", "b"], 600)})
    >>> y = rng.integers(0, 2, 600)
    >>> wrong = rng.random(600) < np.where(X["age"] > 75, 0.5, 0.1)
    >>> fits = trueness.Fits.from_arrays(y, np.zeros((1, 600)), None, predictions=np.where(wrong, 1 - y, y)[None])
    >>> trueness.selection.weak_segments(fits, X, rng=0).found["segment"][0]
    'age > 77'
    """
    check_level(level)
    check_whole("least", least, 2)
    fits = a.fits if isinstance(a, Assessment) else a
    check_fits(fits, "a")
    assert fits is not None
    own = a.features if isinstance(a, Assessment) else None
    X = own if X is None else X
    if isinstance(X, pd.DataFrame) and isinstance(own, pd.DataFrame) and not X.index.equals(own.index):
        raise InputError("X and the features of the assessment have different indexes", param="X")
    if X is None:
        raise InputError("Columns that describe the cases are required", param="X")
    check_same_length("X", len(X) if not hasattr(X, "shape") else X.shape[0], fits.sample.n)
    losses, binary, name = _losses(fits, metric)
    known = ~np.isnan(losses)
    units = fits.design.units
    half = np.zeros(int(units.max()) + 1, dtype=bool)
    half[generator_of(rng).permutation(len(half))[: len(half) // 2]] = True
    rows: list[Record] = []
    for first in (half[units], ~half[units]):
        here, there = first & known, ~first & known
        ranked = _ranked(_segments(fits, X, here, least), losses, here, there, least)
        rows += [_judged(s, losses, there, binary, fits.sample.groups, level) for s in ranked]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    if len(table):
        table["p_adjusted"] = holm(table["p_value"].to_numpy())
        table = table.sort_values("p_adjusted", kind="stable").drop_duplicates("segment").reset_index(drop=True)
    return WeakSegments(table, name, level)


COLUMNS = ("segment", "n", "cases", "value", "rest", "difference", "low", "high", "p_value", "p_adjusted")


def _losses(fits: Fits, metric: MetricLike) -> tuple[Floats, bool, str]:
    """(n,) mean loss of each case by rules that left it out; NaN where there is none or it does not
    count."""
    bound = bind(fits, metric)
    if not isinstance(bound, CaseLoss) or bound.higher_is_better is not False:
        fix = "Use e.g. error, fnf, fpf, brier or mse"
        raise InputError("Weak segments need a mean loss over cases", param="metric", got=repr(bound.name), fix=fix)
    fits = fits.with_probabilities() if bound.needs in ("probabilities", "any") else fits
    part = fits.parts[0] if fits.parts else fits
    means = CaseMeans.over(Contrast(part, bound, undefined="skip"))
    values = np.where(means.weights > 0, means.means, np.nan)
    binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    return values, binary, bound.name


def _segments(fits: Fits, X: Features, of: Bools, least: int) -> Iterator[_Segment]:
    """Of one column each; cut at quantiles of the cases `of`."""
    data = data_of(replace(fits.sample, X=X))
    for name, column in zip(data.names, data.numbers.T, strict=True):
        values = np.unique(column[of & ~np.isnan(column)])
        if len(values) <= FEW_VALUES:
            yield from (_Segment(f"{name} = {v:g}", column == v, (name,)) for v in values)
            continue
        for q in QUANTILES:
            low, high = np.nanquantile(column[of], [q, 1 - q])
            yield _Segment(f"{name} ≤ {low:.4g}", column <= low, (name,))
            yield _Segment(f"{name} > {high:.4g}", column > high, (name,))
        if np.isnan(column[of]).any():
            yield _Segment(f"{name} is missing", np.isnan(column), (name,))
    for name, texts in data.texts.items():
        words = pd.Series(texts, dtype=object).fillna("missing").astype(str).to_numpy()
        counts = pd.Series(words[of]).value_counts()
        yield from (_Segment(f"{name} = {v}", words == v, (name,)) for v in counts.index[counts >= least])


def _ranked(singles: Iterator[_Segment], losses: Floats, here: Bools, there: Bools, least: int) -> list[_Segment]:
    """The few most promising segments of this half, of one column or two, of which no two have the same cases."""

    def t(s: _Segment) -> float:
        x, y = losses[here & s.inside], losses[here & ~s.inside]
        if min(len(x), len(y), int((there & s.inside).sum()), int((there & ~s.inside).sum())) < least:
            return -math.inf
        spread = math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
        return float(x.mean() - y.mean()) / spread if spread > 0 else -math.inf

    best = sorted(((t(s), k, s) for k, s in enumerate(singles)), key=lambda found: (-found[0], found[1]))[:SINGLES]
    pairs = [
        _Segment(f"{u.words} and {v.words}", u.inside & v.inside, (*u.columns, *v.columns))
        for (_, _, u), (_, _, v) in combinations(best, 2)
        if u.columns != v.columns
    ]
    found = best + [(t(s), len(best) + k, s) for k, s in enumerate(pairs)]
    out: list[_Segment] = []
    for value, _, s in sorted(found, key=lambda f: (-f[0], f[1])):
        if len(out) == JUDGED or not value > 0:
            break
        if not any(np.array_equal(s.inside & here, other.inside & here) for other in out):
            out.append(s)
    return out


def _judged(s: _Segment, losses: Floats, there: Bools, binary: bool, groups: Array | None, level: float) -> Record:
    """The segment on the other half."""
    inside, outside = there & s.inside, there & ~s.inside
    x, y = losses[inside], losses[outside]
    difference = float(x.mean() - y.mean())
    if groups is None:
        u, v = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
        df = (u + v) ** 2 / max(u**2 / (len(x) - 1) + v**2 / (len(y) - 1), 1e-300)
    else:  # the influence of the difference, summed within groups
        moved = np.where(inside, (losses - x.mean()) / len(x), 0.0) - np.where(
            outside, (losses - y.mean()) / len(y), 0.0
        )
        of, parts = groups[there], inside[there].astype(int)
        alone = moved[there] * np.sqrt(group_factor(of, parts))
        u, v = float((group_sums(alone, of) ** 2).sum()), 0.0
        df = DesignEffect.of(u, float((alone**2).sum()), len(of), *sizes_by_class(of, parts)).df
    se = math.sqrt(u + v)
    half = float(stats.t.ppf(0.5 + level / 2, df)) * se if se > 0 else math.inf
    if binary and groups is None:
        wrong = int(x.sum())
        shares = [(float(z.mean()), wilson(float(z.sum()), len(z), level)) for z in (x, y)]
        low, high = mover.difference(*shares[0], *shares[1])  # Newcombe (1998), method 10
        p = float(stats.hypergeom.sf(wrong - 1, len(x) + len(y), wrong + int(y.sum()), len(x)))
    else:
        p = float(stats.t.sf(difference / se, df)) if se > 0 else 1.0
        most = 1.0 if binary else math.inf
        low, high = max(difference - half, -most), min(difference + half, most)
    sizes = int(inside.sum()), int((s.inside & ~np.isnan(losses)).sum())
    found = (s.words, *sizes, float(x.mean()), float(y.mean()), difference, low, high, max(p, 1e-300), p)
    return dict(zip(COLUMNS, found, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class WeakSegments(Result, Drawn):
    """Segments in which the model may be worse; what `trueness.selection.weak_segments` returns.

    Attributes
    ----------
    table : DataFrame
        One row per segment that was judged, by the half of the cases on which it was not found: `segment`, `n` (cases of
        the segment in that half), `cases` (in both), `value`, `rest`, `difference` with `low` and `high`, `p_value`, and
        `p_adjusted` for all of them. High values are bad. Segments may overlap.
    metric : str
        What is measured.
    level : float
        On noise nothing is found with this probability.
    """

    table: pd.DataFrame
    metric: str
    level: float

    columns: ClassVar[Columns] = {
        "segment": Column("segment"),
        "cases": Column("cases"),
        "n": Column("judged on"),
        "value": Column("{metric:words}", ".3g"),
        "rest": Column("elsewhere", ".3g"),
        "difference": Column("difference", ".3g"),
        "low": Column("{percent} from", ".3g"),
        "high": Column("to", ".3g"),
        "p_adjusted": Column("p (all)", "p"),
    }
    heading = "Weak segments, {metric:words}"
    template = "Segments judged on other cases: {judged}. Weak: {weak}."
    footnote = "Assumes: segments were found on one half of the cases and judged on the other. Segments may overlap."

    @property
    def found(self) -> pd.DataFrame:
        """The rows of the segments that are weak."""
        return self.table[self.table["p_adjusted"].astype(float) < 1 - self.level].reset_index(drop=True)

    @property
    def judged(self) -> int:
        """How many segments were judged."""
        return len(self.table)

    @property
    def weak(self) -> str:
        """The weak segments in words."""
        rows = self.found.itertuples()
        return "; ".join(f"{row.segment} ({row.value:.3g}, elsewhere {row.rest:.3g})" for row in rows) or "none"

    def frame(self) -> pd.DataFrame:
        """One row per segment that was judged, and whether it is `weak`."""
        return self.table.assign(weak=self.table["p_adjusted"].astype(float) < 1 - self.level)

    def rows(self) -> list[Record]:
        """One row per segment that was judged."""
        return list(map(dict, self.table.to_dict("records")))

    def figure(self) -> Figure:
        """Segment less rest, with intervals; a mark where it is weak."""
        dots = [
            Dot(r.segment, r.difference, r.low, r.high, between(r.low, r.high, (r.high - r.low) / 4), kind)
            for r, kind in zip(self.table.itertuples(), np.where(self.frame()["weak"], "mark", "minor"), strict=True)
        ]
        axis = f"{spoken(self.metric)}: segment − rest, {100 * self.level:g} % each"
        return forest(dots, "Segments", axis, zero=True)
