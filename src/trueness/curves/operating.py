"""Operating-point averaging of two classes: one ROC on the stacked outputs, every fold at the identical points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from trueness.checks import check_whole
from trueness.curves.averaged_points import AveragedPoints, Measure, Point
from trueness.curves.criteria import Costs, Criterion, rule_for
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.folds import Stacked, stacked
from trueness.errors import InputError, UndefinedError
from trueness.result import Note
from trueness.result.digits import counted
from trueness.sample.fits import Fits
from trueness.sample.scored import Scored
from trueness.sample.spellings import refuses_foreign
from trueness.typing import Bools, Floats

Counts = tuple[Floats, Floats, Floats, Floats]  # tp, fn, fp, tn, each (P, K)


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # NaN where no case is labelled so
        return np.asarray(part / whole)


MEASURES: dict[str, Measure] = {
    "tpf": lambda tp, fn, fp, tn: tp / (tp + fn),
    "fpf": lambda tp, fn, fp, tn: fp / (fp + tn),
    "error": lambda tp, fn, fp, tn: (fn + fp) / (tp + fn + fp + tn),
    "youden": lambda tp, fn, fp, tn: tp / (tp + fn) - fp / (fp + tn),
    "ppv": lambda tp, fn, fp, tn: _ratio(tp, tp + fp),
    "npv": lambda tp, fn, fp, tn: _ratio(tn, tn + fn),
}


@refuses_foreign
def operating_points(fits: Fits, n_points: int = 30, measures: Mapping[str, Measure] | None = None) -> OperatingPoints:
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
    positive = fits.sample.codes == fits.sample.require_positive()
    thresholds, note = spaced(np.unique(stack.scores)[::-1], n_points)
    counts = fold_counts(stack, positive, thresholds)
    if measures is not None and not (isinstance(measures, Mapping) and all(map(callable, measures.values()))):
        raise InputError(
            "measures must be functions of (tp, fn, fp, tn) by name",
            param="measures",
            got=repr(measures),
            fix=f"{', '.join(MEASURES)} are always there",
        )
    named = {**MEASURES, **(measures or {})}
    out = OperatingPoints(
        per_fold={name: np.asarray(measure(*counts), dtype=float) for name, measure in named.items()},
        n=stack.n,
        n_groups=stack.n_groups,
        thresholds=thresholds,
        counts=counts,
        stack=stack,
        positive=positive,
    )
    groups = () if stack.groups is None else map(out.curve.auc.noted, ("groups", "few-groups"))
    return replace(out, notes=tuple(n for n in (note, *groups) if n is not None))


def spaced(values: Floats, n_points: int) -> tuple[Floats, Note | None]:
    """`n_points` of the ordered values, evenly spaced by rank, both ends among them; a note where there are fewer."""
    check_whole("n_points", n_points, 2)
    if n_points < len(values):
        return values[np.rint(np.linspace(0, len(values) - 1, n_points)).astype(int)], None
    if n_points == len(values):
        return values, None
    return values, Note(
        "fewer-points",
        f"The outputs take only {counted(len(values), 'distinct value')}: {counted(len(values), 'operating point')} "
        f"instead of {n_points}.",
        points=len(values),
        asked=n_points,
    )


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
    counts : tuple of four ndarray of shape (P, K)
        tp, fn, fp, tn.
    stack : Stacked
        The outputs of all folds.
    positive : ndarray of shape (n,)
        Which cases are positive.
    """

    thresholds: Floats
    counts: Counts
    stack: Stacked
    positive: Bools

    def _positions(self) -> dict[str, Floats]:
        return {"threshold": self.thresholds}

    def _values(self, measure: str | Measure) -> Floats:
        if isinstance(measure, str) or not callable(measure):
            return super()._values(measure)
        shape = self.counts[0].shape
        problem = "The measure must turn arrays tp, fn, fp, tn (points × folds) into numbers of their shape"
        try:
            values = np.asarray(measure(*self.counts), dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(problem, param="measure", got=f"{measure!r}: {error}") from error
        if values.shape != shape:
            raise InputError(problem, param="measure", got=f"shape {values.shape} from arrays of shape {shape}")
        return values

    @cached_property
    def curve(self) -> EmpiricalRoc:
        """The ROC curve of the stacked outputs, all thresholds. Its standard errors treat the outputs as those of one
        rule: they ignore the variability of training sets. Groups of the fits are its groups."""
        return EmpiricalRoc(Scored(self.stack.scores, self.positive, groups=self.stack.groups))

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
        rule, _ = rule_for(criterion, tpf, fpf, costs, prevalence, float(self.positive.mean()))
        at, met = rule.pick(mean["fpf"], mean["tpf"])
        if not met:
            raise UndefinedError(
                f"None of the {self.n_points} points has {rule.words}",
                param="fpf",
                fix="Use more points ({n_points=}) or relax the criterion",
            )
        return self.point(at)
