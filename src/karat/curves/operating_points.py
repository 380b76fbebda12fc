"""Operating-point averaging of two classes: one ROC on the stacked outputs, every fold at the identical points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from karat.curves.averaged import AveragedPoints, Point
from karat.curves.empirical import EmpiricalRoc
from karat.curves.folds import Stacked, stacked
from karat.curves.measures import MEASURES, Measure
from karat.curves.rules import rule_for
from karat.errors import InputError, UndefinedError
from karat.sample.fits import Fits
from karat.sample.scored import Scored


def operating_points(fits: Fits, n_points: int = 30, measures: Mapping[str, Measure] | None = None) -> OperatingPoints:
    """Mean, SD and se of every measure at identical thresholds in all folds  (seeds/002, algorithm 1).

    The outputs of all folds are stacked; `n_points` of their distinct values, evenly spaced in order, are the
    thresholds; the rule of every fold decides for its own test cases at each of them.

    Parameters
    ----------
    fits
        Of a KFold plan, two classes, one repeat.
    n_points
        Number of operating points; all distinct outputs where there are fewer.
    measures
        Further measures by name, functions of the arrays (tp, fn, fp, tn), beside tpf, fpf, error, youden, ppv
        and npv.

    Examples
    --------
    >>> import karat
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from karat.sample.populations import highleyman
    >>> X, y = highleyman().draw((50, 50), rng=0)
    >>> fits = karat.fit(LinearDiscriminantAnalysis(), X, y, karat.KFold(10), rng=0)
    >>> o = karat.operating_points(fits, n_points=20)
    >>> point = o.choose(tpf=0.9)
    >>> o.same_as(point, "fpf")
    array([...])
    """
    stack = stacked(fits)
    positive = fits.sample.codes == fits.sample.require_positive()
    values = np.unique(stack.scores)[::-1]
    thresholds, notes = spaced(values, n_points)
    counts = fold_counts(stack, positive, thresholds)
    named = {**MEASURES, **(measures or {})}
    return OperatingPoints(
        per_fold={name: np.asarray(measure(*counts), dtype=float) for name, measure in named.items()},
        n=stack.n,
        notes=notes,
        thresholds=thresholds,
        counts=counts,
        stack=stack,
        positive=positive,
    )


def spaced(values: np.ndarray, n_points: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """`n_points` of the ordered values, evenly spaced by rank, both ends among them."""
    if isinstance(n_points, bool) or not isinstance(n_points, (int, np.integer)) or n_points < 2:
        raise InputError("n_points must be a whole number of at least 2", got=repr(n_points))
    if n_points >= len(values):
        notes = () if n_points == len(values) else (f"There are {len(values)} distinct outputs, so as many points.",)
        return values, notes
    return values[np.rint(np.linspace(0, len(values) - 1, n_points)).astype(int)], ()


def fold_counts(
    stack: Stacked, positive: np.ndarray, thresholds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """tp, fn, fp, tn (P, K) of deciding score ≥ threshold in each fold  (seeds/002, eq. 1)."""
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


@dataclass(frozen=True, eq=False)
class OperatingPoints(AveragedPoints):
    """Operating points of two classes, from strict (high thresholds) to lax.

    Attributes
    ----------
    thresholds
        (P,) decide positive where output ≥ threshold.
    """

    thresholds: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    counts: tuple[np.ndarray, ...] = field(default=(), repr=False)  # tp, fn, fp, tn, each (P, K)
    stack: Stacked | None = field(default=None, repr=False)
    positive: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool), repr=False)

    def _positions(self) -> dict[str, np.ndarray]:
        return {"threshold": self.thresholds}

    def _computed(self, measure: Any) -> np.ndarray:
        return np.asarray(measure(*self.counts), dtype=float)

    @cached_property
    def curve(self) -> EmpiricalRoc:
        """The ROC curve of the stacked outputs, all thresholds. Its standard errors take the outputs for those of
        one rule: they leave the training sets out."""
        assert self.stack is not None
        return EmpiricalRoc.of(Scored(self.stack.scores, self.positive))

    def choose(
        self,
        criterion: str | None = None,
        *,
        tpf: float | None = None,
        fpf: float | None = None,
        costs: Any = None,
        prevalence: float | None = None,
    ) -> Point:
        """The best point by one rule, on the means over folds: at least a `tpf` (with the least FPF), at most an
        `fpf` (with the largest TPF), least expected cost, or the criterion "youden" or "closest".

        The uncertainty of a choice is asked of the stacked curve: `o.curve.best(...)`.
        """
        mean = {name: self.per_fold[name].mean(axis=1) for name in ("fpf", "tpf")}
        rule, _ = rule_for(criterion, tpf, fpf, costs, prevalence, float(self.positive.mean()))
        at, met = rule.pick(mean["fpf"], mean["tpf"])
        if not met:
            raise UndefinedError(
                f"none of the {self.n_points} points has {rule.words}", fix="Use a larger n_points, or ask for less"
            )
        return self.point(at)

    def plot(self, ax: Any = None, *, point: int | None = None, measure: str = "fpf", level: float = 0.95) -> Any:
        """Draw the mean curve with the SDs of the means; with `point`, circle those that cannot be told from it."""
        from karat.plots.operating_points import OperatingPointsDisplay

        return OperatingPointsDisplay(self, point, measure, level).plot(ax)
