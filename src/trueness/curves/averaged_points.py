"""Measures at identical operating points in every fold: mean, SD, se, and tests between points (Paclík et al. 2008).

The outputs of all folds are stacked; of two classes, one ROC curve on the stacked outputs gives the thresholds.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from trueness.checks import check_choice, check_level, check_whole, is_whole
from trueness.curves.choice import Costs, Criterion, rule_for
from trueness.curves.common import kept
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError, UndefinedError
from trueness.figures.figure import Figure, Intervals, Line, Mark, Points, roc_panel
from trueness.formulas.groups import sizes_by_class
from trueness.metrics.registry import measure_of
from trueness.result.notes import Note, inherited
from trueness.result.shown import Drawn, Result
from trueness.result.words import titled
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
        return None if self.groups is None else min(map(len, sizes_by_class(self.groups, self.codes)))

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


ROUNDED_DIFFERENCE = 1e-12  # differences of rates this small are 0


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
        if not is_whole(point) or not 0 <= point < self.n_points:
            raise InputError(f"Points are numbered 0 to {self.n_points - 1}", param="point", got=repr(point))
        if df is not None:
            check_choice("df", df, ("paired",), "df must be None (2K − 2) or 'paired' (K − 1)")
        check_level(level)
        check_choice("measure", measure, self.per_fold, f"There is no measure {measure!r}")
        values = self.per_fold[str(measure)]
        missing = int(np.isnan(values[point]).sum())
        if missing:
            got = f"NaN in {missing} of {self.n_folds} folds"
            raise InputError(
                f"The measure is undefined at point {point}", param="point", got=got, fix="Choose another point"
            )
        apart = values - values[point]
        apart[np.abs(apart) < ROUNDED_DIFFERENCE] = 0.0
        # s1² + s2² − 2 r s1 s2 of the means is the variance of the difference over K
        mean, se = apart.mean(axis=1), apart.std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        se[se < ROUNDED_DIFFERENCE] = 0.0
        most = math.inf if self.n_groups is None else max(self.n_groups - 1, 1)
        freedom = min((self.n_folds - 1) * (1 if df else 2), most)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(mean == 0, 0.0, mean / se)
        floor = np.where(np.isinf(t), 2.0 ** (1 - self.n_folds), np.finfo(float).tiny)
        p = np.maximum(2 * stats.t.sf(np.abs(t), freedom), floor)
        return pd.DataFrame(
            {"point": np.arange(self.n_points), "t": t, "df": freedom, "p_value": p, "differs": p < 1 - level}
        )

    def same_as(self, point: int, measure: str | None = None, level: float = 0.95) -> Ints:
        """Numbers of the points that do not differ significantly from the chosen one, which is among them. Points where
        the measure is undefined in a fold are omitted."""
        table = self.test(point, measure, level)
        return np.flatnonzero(~table["differs"] & table["p_value"].notna())


MEASURES = ("tpf", "fpf", "error", "youden", "ppv", "npv")


def operating_points(fits: Fits, *, n_points: int = 30) -> OperatingPoints:
    """Mean, SD and se of TPF, FPF, error, Youden's index, PPV and NPV at identical thresholds in all folds.

    The outputs of all folds are stacked; `n_points` of their distinct values, evenly spaced in order, are the
    thresholds; the rule of every fold decides for its own test cases at each of them (Paclík et al. 2008, algorithm 1).

    Parameters
    ----------
    fits : Fits
        Of a KFold plan, two classes, one repeat. With groups each lies within one fold, so the SD over folds is one
        over whole groups; tests have at most G − 1 degrees of freedom, G the groups of the class with fewest.
    n_points : int, default 30
        Number of operating points; all distinct outputs where there are fewer.

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
    stack.members()  # an error where a fold lacks a class
    tables = np.stack([fold_counts(stack, of, thresholds) for of in (~positive, positive)], axis=-2)
    with np.errstate(invalid="ignore"):  # NaN where no case is labelled so
        per_fold = {name: np.asarray(measure_of(name).function(tables)) for name in MEASURES}
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


def fold_counts(stack: Stacked, of: Bools, thresholds: Floats) -> Floats:
    """(P, K, 2) cases of one class with score < threshold, and ≥ threshold, in each fold (Paclík et al. 2008, eq. 1)."""
    below = np.zeros((len(thresholds), stack.n_folds))
    for k in range(stack.n_folds):
        below[:, k] = np.searchsorted(np.sort(stack.scores[of & (stack.fold == k)]), thresholds, side="left")
    return np.stack([below, np.bincount(stack.fold[of], minlength=stack.n_folds) - below], axis=-1)


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
    ) -> int:
        """The number of the best point by one criterion, on the means over folds.

        Parameters
        ----------
        criterion, tpf, fpf, costs, prevalence : optional
            As in `RocCurve.best`; the largest Youden index by default.

        Returns
        -------
        int

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
        return at
