"""Measures at identical operating points in every fold: mean, SD, se, and tests between points (Paclík et al. 2008).

The outputs of all folds are stacked; of two classes, one ROC curve on the stacked outputs gives the thresholds.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal, Self

import numpy as np
import pandas as pd
from scipy import optimize, stats

from trueness.checks import check_choice, check_level, check_whole, is_number, is_whole
from trueness.curves.choice import Costs, Criterion, rule_for
from trueness.curves.common import kept
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError, UndefinedError
from trueness.figures.figure import Figure, Intervals, Line, Mark, Points, roc_panel
from trueness.formulas.groups import groups_by_class
from trueness.metrics.registry import measure_of
from trueness.result.notes import Note, inherited
from trueness.result.shown import Drawn, Result
from trueness.result.words import significant, titled
from trueness.sample.fits import Fits, check_fits
from trueness.sample.scored import Scored
from trueness.typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Stacked:
    """Each case scored once, by the rule that was not trained on it (Paclík et al. 2008, algorithm 1, steps 2-3)."""

    scores: Floats  # (n,) or (n, C) of the positive class, or one column per class
    codes: Ints  # (n,) class of each case
    fold: Ints  # (n,) fold that tested it
    classes: Array  # (C,) the labels
    groups: Ints | None = None  # (n,) group of each case; the design keeps groups within folds

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def n_groups(self) -> int | None:
        """Independent groups of the class that has the fewest."""
        return None if self.groups is None else int(groups_by_class(self.groups, self.codes).min())

    def members(self) -> Floats:
        """(C·K, n) 1/size where a case is of class c and fold k: its product with losses is a table of rates. An error
        where a fold lacks a class."""
        k, c = self.n_folds, len(self.classes)
        cell = self.codes * k + self.fold
        sizes = np.bincount(cell, minlength=c * k)
        if (sizes == 0).any():
            raise UndefinedError(
                "Every fold needs cases of every class", param="plan", fix="Use a stratified KFold with fewer folds"
            )
        return np.asarray((cell == np.arange(c * k)[:, None]) / sizes[:, None])


def stacked(fits: Fits) -> Stacked:
    """The stacked outputs of fits of a KFold plan; an error for anything else."""
    check_fits(fits)
    block = fits.pooled() if fits.design.kind == "cv" else None
    if block is None or block.scores is None or len(block.scores) != 1:
        raise InputError(
            "Operating points need scores of one cross-validation that tests every case once, without failed fits",
            param="fits",
            got=repr(fits),
            fix="Fit a model with decision_function or predict_proba, with plan=trueness.KFold(10)",
        )
    scores = block.scores[0]
    if np.isnan(scores).any():
        raise InputError("Some cases have no held-out score", param="fits", got=f"{int(np.isnan(scores).sum())} NaN")
    folds = fits.design.folds
    fold = folds[0] if folds is not None else fits.design.tests().argmax(axis=0)
    sample = fits.sample
    return Stacked(scores, sample.codes, np.asarray(fold, dtype=np.intp), sample.classes, sample.groups)


Measure = Callable[[Floats, Floats, Floats, Floats], Floats]
"""A function of the arrays tp, fn, fp, tn."""

ROUNDED_DIFFERENCE = 1e-12  # differences of rates this small are 0


class Point(int):
    """The number of an operating point, a row of `frame()`, with its values as attributes."""

    def __new__(cls, number: int, row: Mapping[str, float] = MappingProxyType({})) -> Self:
        self = super().__new__(cls, number)
        vars(self).update(row)
        return self

    def __repr__(self) -> str:
        return f"Point({int(self)}: {', '.join(f'{k} {significant(v, 4)}' for k, v in vars(self).items())})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AveragedPoints(Result, Drawn):
    """P operating points, each used for the decisions of all K folds (Paclík et al. 2008, algorithm 1).

    Attributes
    ----------
    per_fold : mapping of str to ndarray of shape (P, K)
        For each measure its value in each fold at each point.
    n : int
        Number of cases.
    n_groups : int, optional
        Number of groups with a case of the class that has the fewest, where cases come in groups.
    notes : tuple of Note
        What the reader should know.
    """

    per_fold: Mapping[str, Floats]
    n: int
    n_groups: int | None = None
    notes: tuple[Note, ...] = ()

    heading = "Operating points: {n_points}, means over {n_folds} folds of {n} cases"
    footnote = "Standard errors treat folds as independent; their training sets overlap, so they are too small."

    @abstractmethod
    def _positions(self) -> dict[str, Floats]:
        """What defines the points: thresholds or weights."""

    def figure(self, *, point: int | None = None, measure: str = "fpf", level: float = 0.95) -> Figure:
        """The mean curve with the SDs of the means; with `point`, circles around those that do not differ from it in
        `measure` (Paclík et al. 2008, figures 1 and 2)."""
        table = self.frame()
        fpf, tpf, se = table["fpf"], table["tpf"], table["fpf_se"]
        label = f"mean over {self.n_folds} folds ± SD of the mean"
        marks: list[Mark] = [
            Intervals(tpf, fpf - se, fpf + se, across=True, width=0.8),
            Line(fpf, tpf, label, "-o", "C0", table["tpf_se"], 1.0),
        ]
        if point is not None:
            same, label = self.same_as(point, measure, level), f"{titled(measure)} not different at {100 * level:g} %"
            marks.append(Points(fpf[same], tpf[same], label, color="accent", size=70, hollow=True))
            marks.append(Points(fpf[[int(point)]], tpf[[int(point)]], "chosen point", "x", "ink", 90))
        return Figure("Operating points", (roc_panel(marks),))

    @property
    def n_points(self) -> int:
        return len(next(iter(self.per_fold.values())))

    @property
    def n_folds(self) -> int:
        return int(next(iter(self.per_fold.values())).shape[1])

    def frame(self) -> pd.DataFrame:
        """One row per point: `point`, what defines it, and for each measure m its mean over folds `m`, `m_sd`, and
        `m_se` = m_sd/√K, the "standard deviation of the mean". It treats folds as independent although their training
        sets overlap.
        """
        table: dict[str, Floats | Ints] = {"point": np.arange(self.n_points), **self._positions()}
        for name, values in self.per_fold.items():
            sd = values.std(axis=1, ddof=1)
            table |= {name: values.mean(axis=1), f"{name}_sd": sd, f"{name}_se": sd / np.sqrt(self.n_folds)}
        return pd.DataFrame(table)

    def point(self, number: int) -> Point:
        """The operating point with this number."""
        at = self._number(number)
        means = {name: float(values[at].mean()) for name, values in self.per_fold.items()}
        return Point(at, {name: float(values[at]) for name, values in self._positions().items()} | means)

    def _number(self, point: int) -> int:
        if not is_whole(point) or not 0 <= point < self.n_points:
            raise InputError(f"Points are numbered 0 to {self.n_points - 1}", param="point", got=repr(point))
        return int(point)

    def _values(self, measure: str | None) -> Floats:
        check_choice("measure", measure, self.per_fold, f"There is no measure {measure!r}")
        return self.per_fold[str(measure)]

    # -- tests between points -------------------------------------------------------------------

    def test(
        self, point: int, measure: str | None, level: float = 0.95, df: Literal["paired"] | None = None
    ) -> pd.DataFrame:
        """Test each point against a chosen one: is the measure different there?

        t = (X̄1 − X̄2) / √(s1² + s2² − 2 r s1 s2), s the SDs of the means and r the correlation over folds
        (Paclík et al. 2008, eq. 3), which is the paired t over folds.

        Parameters
        ----------
        point : int
            The chosen point.
        measure : str
            Name of a measure.
        level : float, default 0.95
            Points differ where the two-sided p-value is below 1 − level.
        df : "paired", optional
            None: 2K − 2 as published; "paired": K − 1, that of the paired t. With G groups both are at most G − 1.

        Returns
        -------
        DataFrame
            One row per point: `point`, `t`, `df`, `p_value`, `differs`. Where all folds differ by one and the same
            amount t is infinite and the p-value that of flipping K signs, 2^(1 − K), not 0.
        """
        at, freedom = self._number(point), self._df(df)
        check_level(level)
        mean, se = self._differences(at, measure)
        t, p = t_of_differences(mean, se, freedom, self.n_folds)
        return pd.DataFrame(
            {"point": np.arange(self.n_points), "t": t, "df": freedom, "p_value": p, "differs": p < 1 - level}
        )

    def same_as(self, point: int, measure: str | None = None, level: float = 0.95) -> Ints:
        """Numbers of the points that do not differ significantly from the chosen one, which is among them. Points where
        the measure is undefined in a fold are omitted."""
        table = self.test(point, measure, level)
        return np.flatnonzero(~table["differs"] & table["p_value"].notna())

    def cases_needed(self, point: int, measure: str, level: float = 0.95, power: float = 0.8) -> pd.DataFrame:
        """How many cases would be needed to distinguish each point from the chosen one.

        The standard error of a difference falls as 1/√n. With δ the shift of Student's t that gives the power
        asked for, n' = n (δ se / |X̄1 − X̄2|)², if the observed differences are the true ones.

        Returns
        -------
        DataFrame
            `point`, `difference` (from the chosen point), `se`, `cases`. Infinite where the difference is 0.
        """
        at = self._number(point)
        check_level(level)
        if not (is_number(power) and 0 < power < 1):
            raise InputError("power must lie between 0 and 1", param="power", got=repr(power))
        mean, se = self._differences(at, measure)
        shift = _shift_for(power, 1 - level, self._df(None))
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(mean == 0, np.inf, np.ceil(self.n * (shift * se / np.abs(mean)) ** 2))
        return pd.DataFrame(
            {"point": np.arange(self.n_points), "difference": mean, "se": se, "cases": np.maximum(needed, 1)}
        )

    def _differences(self, at: int, measure: str | None) -> tuple[Floats, Floats]:
        """(P,) mean over folds of the difference from the chosen point, and its standard error."""
        values = self._values(measure)
        missing = int(np.isnan(values[at]).sum())
        if missing:
            got = f"NaN in {missing} of {self.n_folds} folds"
            raise InputError(
                f"The measure is undefined at point {at}", param="point", got=got, fix="Choose another point"
            )
        apart = values - values[at]
        apart[np.abs(apart) < ROUNDED_DIFFERENCE] = 0.0
        mean = apart.mean(axis=1)
        # s1² + s2² − 2 r s1 s2 of the means is the variance of the difference over K
        se = apart.std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return mean, np.where(se < ROUNDED_DIFFERENCE, 0.0, se)

    def _df(self, df: Literal["paired"] | None) -> float:
        if df is not None:
            check_choice("df", df, ("paired",), "df must be None (2K − 2) or 'paired' (K − 1)")
        most = math.inf if self.n_groups is None else max(self.n_groups - 1, 1)
        return min((self.n_folds - 1) * (1 if df else 2), most)


def t_of_differences(mean: Floats, se: Floats, df: float, n_folds: int) -> tuple[Floats, Floats]:
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
    less than size/2, which is negligible at a useful power.)"""
    limit = float(stats.t.isf(size / 2, df))
    if power <= size / 2:
        return 0.0
    return float(optimize.brentq(lambda shift: stats.nct.sf(limit, df, shift) - power, 0.0, limit + 10))


Counts = tuple[Floats, Floats, Floats, Floats]  # tp, fn, fp, tn, each (P, K)


def _of_counts(name: str, tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # NaN where no case is labelled so
        return np.asarray(measure_of(name).function(np.moveaxis(np.array([[tn, fp], [fn, tp]]), (0, 1), (-2, -1))))


MEASURES: dict[str, Measure] = {
    name: partial(_of_counts, name) for name in ("tpf", "fpf", "error", "youden", "ppv", "npv")
}


def operating_points(
    fits: Fits, *, n_points: int = 30, measures: Mapping[str, Measure] | None = None
) -> OperatingPoints:
    """Mean, SD and se of every measure at identical thresholds in all folds.

    The outputs of all folds are stacked; `n_points` of their distinct values, evenly spaced in order, are the
    thresholds; the rule of every fold decides for its own test cases at each of them (Paclík et al. 2008, algorithm 1).

    Parameters
    ----------
    fits : Fits
        Of a KFold plan, two classes, one repeat. With groups each lies within one fold, so the SD over folds is one
        over whole groups; tests have at most G − 1 degrees of freedom, G the groups of the class with fewest.
    n_points : int, default 30
        Number of operating points; all distinct outputs where there are fewer.
    measures : mapping of str to callable, optional
        Further measures by name, functions of the arrays (tp, fn, fp, tn), beside tpf, fpf, error, youden, ppv
        and npv.

    Returns
    -------
    OperatingPoints

    See Also
    --------
    trueness.curves.multiclass_roc : The same for several classes.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from trueness.studies.populations import highleyman
    >>> X, y = highleyman().draw((50, 50), rng=0)
    >>> fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.KFold(10), rng=0)
    >>> o = trueness.curves.operating_points(fits, n_points=20)
    >>> point = o.choose(tpf=0.9)
    >>> o.same_as(point, "fpf")
    array([...])
    """
    stack = stacked(fits)
    positive = fits.sample.codes == fits.require_positive()
    thresholds, note = spaced(np.unique(stack.scores)[::-1], n_points)
    counts = fold_counts(stack, positive, thresholds)
    if measures is not None and not (isinstance(measures, Mapping) and all(map(callable, measures.values()))):
        raise InputError("measures must be functions of (tp, fn, fp, tn) by name", param="measures", got=repr(measures))
    per_fold = {name: np.asarray(f(*counts), dtype=float) for name, f in {**MEASURES, **(measures or {})}.items()}
    for name, values in per_fold.items():
        if values.shape != counts[0].shape:
            raise InputError(
                "A measure must turn arrays tp, fn, fp, tn (points × folds) into numbers of their shape",
                param="measures",
                got=f"{name} of shape {values.shape}",
            )
    up = int(stack.codes[positive.argmax()])
    curve = EmpiricalRoc(Scored(stack.scores, positive, tuple(stack.classes[[1 - up, up]].tolist()), stack.groups))
    notes = kept(note, *inherited(curve.auc.notes, "data", "test"))
    return OperatingPoints(
        per_fold=per_fold, n=len(positive), n_groups=stack.n_groups, notes=notes, thresholds=thresholds, curve=curve
    )


def spaced(values: Floats, n_points: int) -> tuple[Floats, Note | None]:
    """`n_points` of the ordered values, evenly spaced by rank, both ends among them; a note where there are fewer."""
    check_whole("n_points", n_points, 2)
    if n_points > len(values):
        return values, Note("fewer-points", points=len(values), asked=n_points)
    return values[np.rint(np.linspace(0, len(values) - 1, n_points)).astype(int)], None


def fold_counts(stack: Stacked, positive: Bools, thresholds: Floats) -> Counts:
    """tp, fn, fp, tn (P, K) of deciding score ≥ threshold in each fold (Paclík et al. 2008, eq. 1)."""
    stack.members()  # an error where a fold lacks a class
    tables = []
    for of in (positive, ~positive):
        called = np.zeros((len(thresholds), stack.n_folds))
        for k in range(stack.n_folds):
            ordered = np.sort(stack.scores[of & (stack.fold == k)])
            called[:, k] = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
        sizes = np.bincount(stack.fold[of], minlength=stack.n_folds)
        tables += [called, sizes - called]
    tp, fn, fp, tn = tables
    return tp, fn, fp, tn


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoints(AveragedPoints):
    """Operating points of two classes, from strict (high thresholds) to lax.

    Attributes
    ----------
    thresholds : ndarray of shape (P,)
        Decide positive where output ≥ threshold.
    curve : EmpiricalRoc
        The ROC curve of the stacked outputs, all thresholds. Its standard errors treat the outputs as those of one rule:
        they ignore the variability of training sets. Groups of the fits are its groups.
    """

    thresholds: Floats
    curve: EmpiricalRoc

    def _positions(self) -> dict[str, Floats]:
        return {"threshold": self.thresholds}

    def choose(
        self,
        criterion: Criterion | None = None,
        *,
        tpf: float | None = None,
        fpf: float | None = None,
        costs: Costs | None = None,
        prevalence: float | None = None,
    ) -> Point:
        """The best point by one criterion, on the means over folds.

        Parameters
        ----------
        criterion, tpf, fpf, costs, prevalence : optional
            As in `RocCurve.best`; the largest Youden index by default.

        Returns
        -------
        Point

        Notes
        -----
        The uncertainty of a choice comes from the stacked curve: `o.curve.best(...)`.
        """
        mean = {name: self.per_fold[name].mean(axis=1) for name in ("fpf", "tpf")}
        data = self.curve.data
        rule, _ = rule_for(criterion, tpf, fpf, costs, prevalence, data.n1 / data.n, data.classes)
        at, met = rule.pick(mean["fpf"], mean["tpf"])
        if not met:
            raise UndefinedError(
                f"None of the {self.n_points} points has {rule.words}",
                param="fpf",
                fix="Use more points (n_points=) or relax the criterion",
            )
        return self.point(at)
