"""ROC of several classes: operating points are class weights, the decision is argmax_c w_c y_c (Paclík et al. 2008); AUCs
of several classes, Hand and Till's M and one against the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from trueness.checks import check_whole, generator_of
from trueness.curves.averaged_points import AveragedPoints, Stacked, stacked
from trueness.curves.common import SCORES, kept
from trueness.errors import InputError
from trueness.figures.figure import Figure, Intervals, Mark, Panel, Points
from trueness.formulas.auc import delong_influence
from trueness.result.estimate import Estimate
from trueness.result.grouped import few_groups
from trueness.result.interval import LOGIT
from trueness.result.notes import Note
from trueness.sample.fits import Fits
from trueness.sample.labels import check_same_index
from trueness.sample.sample import Sample
from trueness.sample.scored import auc_of_influence
from trueness.sample.scores import refuse_nan, score_table
from trueness.typing import Floats, Ints, Label, Labels, Rng, Scores


def hand_till(y: Labels, scores: Scores, classes: Labels | None = None) -> Estimate:
    """M = 2/(C(C − 1)) Σ_{i<j} ½ (A(i|j) + A(j|i)), A(i|j) the AUC of output i for class i against class j
    (Hand & Till 2001).

    The standard error follows from DeLong's: each AUC is a sum of one contribution per case, and so is M.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    scores : array-like of shape (n, C)
        Outputs, columns in the order of `classes`.
    classes : array-like of shape (C,), optional
        The labels in the order of the columns; sorted by default.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from trueness.curves.multiclass import hand_till
    >>> outputs = [[3, 1, 0], [2, 2, 0], [1, 2, 1], [2, 3, 1], [0, 1, 3], [0, 2, 2]]
    >>> print(hand_till(["a", "a", "b", "b", "c", "c"], outputs))
    auc hand-till: 0.938 ± 0.051
    """
    table, codes = _checked(y, scores, classes)
    pairs = combinations(range(table.shape[1]), 2)
    found = [(target, np.flatnonzero((codes == i) | (codes == j))) for i, j in pairs for target in (i, j)]
    return _mean_auc(table, codes, found, "hand-till")


def one_against_rest(y: Labels, scores: Scores, classes: Labels | None = None) -> Estimate:
    """Unweighted mean over classes of the AUC of output c for class c against all others, with its standard error."""
    table, codes = _checked(y, scores, classes)
    everyone = np.arange(len(codes))
    return _mean_auc(table, codes, [(c, everyone) for c in range(table.shape[1])], "one against rest")


def _mean_auc(scores: Floats, codes: Ints, parts: list[tuple[int, Ints]], method: str) -> Estimate:
    """The mean over parts of the AUC of a class' output for that class among some cases."""
    values, influence = [], np.zeros(len(codes))
    for target, cases in parts:
        value, g = delong_influence(scores[cases, target], codes[cases] == target)
        values.append(value)
        influence[cases] += g / len(parts)
    out = Estimate(
        float(np.mean(values)),
        metric="auc",
        method=method,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=LOGIT,
        cases=int(np.bincount(codes).min()),
    )
    return auc_of_influence(out, influence, codes)


def _checked(y: Labels, scores: Scores, classes: Labels | None) -> tuple[Floats, Ints]:
    sample = Sample.of(y, classes=classes)
    table = score_table(scores, (sample.n, sample.n_classes))
    refuse_nan(table, "scores")
    check_same_index("scores", scores, "y", y)
    return table, sample.codes


POOLED = Note("naive-se")
PROBABILITIES = "Use trueness.fit with scores='predict_proba'"


def multiclass_roc(
    fits: Fits, *, n_points: int = 100, n_starts: int = 1000, n_steps: int = 5, rng: Rng = None
) -> MulticlassRoc:
    """Operating points of any number of classes, with the error of each class and its SD over folds.

    Parameters
    ----------
    fits : Fits
        Of a KFold plan, one repeat, with outputs that are not negative (probabilities or densities): weights
        multiply them. Fit with scores="predict_proba".
    n_points : int, default 100
        Points kept: those with the smallest maximal class error.
    n_starts, n_steps : int
        Of the greedy search on the stacked outputs: random weights to begin with, and steps.
    rng : int, SeedSequence or Generator, optional
        Seed of the search.

    Returns
    -------
    MulticlassRoc
    """
    check_whole("n_points", n_points, 1)
    check_whole("n_starts", n_starts, 1)
    check_whole("n_steps", n_steps, 0)
    stack = _not_negative(stacked(fits), fits)
    members = stack.members()
    generator = generator_of(rng)
    weights, _ = search(stack.scores, stack.codes, n_points, n_starts, n_steps, generator)
    k, n_classes = stack.n_folds, len(stack.classes)
    rates = wrong_shares(weights, stack.scores, stack.codes, members).reshape(len(weights), n_classes, k)
    of_fold = (stack.fold == np.arange(k)[:, None]) / np.bincount(stack.fold)[:, None]
    per_fold = {f"error_{label}": rates[:, c] for c, label in enumerate(stack.classes.tolist())}
    outputs = stack.classes[stack.codes], stack.scores, stack.classes
    per_fold["error"] = wrong_shares(weights, stack.scores, stack.codes, of_fold)
    return MulticlassRoc(
        per_fold=per_fold,
        n=len(stack.codes),
        n_groups=stack.n_groups,
        notes=kept(None if stack.n_groups is None else few_groups(stack.n_groups)),
        weights=weights,
        classes=stack.classes.tolist(),
        hand_till=hand_till(*outputs).noting(POOLED),
        one_against_rest=one_against_rest(*outputs).noting(POOLED),
    )


def _not_negative(stack: Stacked, fits: Fits) -> Stacked:
    scores = stack.scores
    if scores.ndim == 1:  # two classes are kept as one column
        if not fits.probabilities:
            raise InputError(
                "Class weights need one output per class, and these fits have one score",
                param="fits",
                fix=PROBABILITIES,
            )
        up = scores if fits.sample.positive in (None, 1) else 1 - scores
        scores = np.stack([1 - up, up], axis=1)
    if (scores < 0).any():
        raise InputError(
            "Class weights multiply the outputs, which must not be negative",
            param="fits",
            got=f"{float(scores.min()):.4g}",
            fix=PROBABILITIES,
        )
    return replace(stack, scores=scores)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MulticlassRoc(AveragedPoints):
    """Operating points of several classes, the smallest maximal class error first.

    Attributes
    ----------
    weights : ndarray of shape (P, C)
        With sum 1; decide for the class with the largest weight times output.
    classes : list
        The labels.
    hand_till, one_against_rest : Estimate
        Hand and Till's M, and the mean one-against-rest AUC, of the stacked outputs.
    """

    weights: Floats
    classes: list[Label]
    hand_till: Estimate
    one_against_rest: Estimate

    @property
    def class_errors(self) -> list[str]:
        """Names of the measures that are errors of one class."""
        return [f"error_{label}" for label in self.classes]

    def _positions(self) -> dict[str, Floats]:
        return {f"weight_{label}": self.weights[:, c] for c, label in enumerate(self.classes)}

    def test(
        self, point: int, measure: str | None = None, level: float = 0.95, df: Literal["paired"] | None = None
    ) -> pd.DataFrame:
        """Test each point against a chosen one, in one measure or in all class errors.

        With `measure` None every class error is tested, and a point is the same only where all of them are: `t` and
        `p_value` are those of the class that differs most. Each test has the level by itself.
        """
        if measure is not None:
            return super().test(point, measure, level, df)
        each = [super(MulticlassRoc, self).test(point, name, level, df) for name in self.class_errors]
        return pd.concat(each).sort_values("p_value", kind="stable").groupby("point", as_index=False).first()

    def choose(self) -> int:
        """The number of the point with the smallest maximal class error."""
        return int(np.max([self.per_fold[name].mean(axis=1) for name in self.class_errors], axis=0).argmin())

    def figure(self, *, point: int | None = None, level: float = 0.95) -> Figure:  # type: ignore[override]
        """Errors of the classes two by two (Paclík et al. 2008, figure 3), with the SDs of the means of one point.

        Parameters
        ----------
        point : int, optional
            Draw the SDs of this one, and circle the points whose errors do not differ from its; by default the SDs of the
            point with the smallest maximal class error.
        level : float, default 0.95
            Level of that test.

        Returns
        -------
        Figure
            One panel per pair of the three classes whose errors differ most between points.
        """
        table, number = self.frame(), int(point or 0)
        widest = np.argsort(-np.ptp(table[self.class_errors].to_numpy(), axis=0), kind="stable")[:3]
        at = table.iloc[[number]]
        panels: list[Panel] = []
        for a, b in combinations(sorted(widest.tolist()), 2):
            x, y = self.class_errors[a], self.class_errors[b]
            x_se, y_se = at[f"{x}_se"], at[f"{y}_se"]
            marks: list[Mark] = [
                Points(table[x], table[y], "operating points", color="C0", size=10),
                Intervals(at[y], at[x] - x_se, at[x] + x_se, across=True, color="ink", width=1.0),
                Intervals(at[x], at[y] - y_se, at[y] + y_se, "± SD of the mean", color="ink", width=1.0),
                Points(at[x], at[y], f"point {number}", "x", "ink", 80),
            ]
            if point is not None:
                same, label = table.iloc[self.same_as(number, level=level)], f"not different at {100 * level:g} %"
                marks.insert(-1, Points(same[x], same[y], label, color="accent", size=55, hollow=True))
            panels.append(Panel(marks, "", f"error of class {self.classes[a]}", f"error of class {self.classes[b]}"))
        return Figure("Errors of classes", panels, size=(4.2, 4.0))


CELLS = 4_000_000  # products held at a time


def wrong_shares(
    weights: Floats,  # (P, C)
    outputs: Floats,  # (n, C), not negative
    codes: Ints,  # (n,)
    members: Floats,  # (R, n) rows of weights that sum to 1 over a set of cases
) -> Floats:
    """(P, R) weighted share of wrong decisions argmax_c w_c y_c of each set at each operating point (Paclík et al.
    2008, eq. 2)."""
    out = np.empty((len(weights), len(members)))
    step = max(1, CELLS // outputs.size)
    for start in range(0, len(weights), step):
        at = slice(start, start + step)
        decided = (weights[at, None, :] * outputs[None]).argmax(axis=2)  # (p, n)
        out[at] = (decided != codes).astype(float) @ members.T
    return out


def search(
    outputs: Floats,  # (n, C)
    codes: Ints,  # (n,)
    n_points: int,
    n_starts: int,
    n_steps: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Weights (P, C) with sum 1 and class errors (P, C) on these cases, the smallest maximal error first.

    From random weights, some greedy steps, each keeping the points with the smallest maximal class error (Paclík et
    al., section 4.3, which does not say how a step is made). Here every kept point is moved at random, on the log scale
    and half as far in each step, often enough to make `n_starts` candidates again. Of points with the same class errors
    one is kept, as long as others are left.
    """
    n_classes = outputs.shape[1]
    members = (codes == np.arange(n_classes)[:, None]) / np.bincount(codes, minlength=n_classes)[:, None]
    weights = rng.dirichlet(np.ones(n_classes), size=n_starts)
    weights = np.concatenate([np.full((1, n_classes), 1 / n_classes), weights])  # argmax of the outputs themselves
    errors = wrong_shares(weights, outputs, codes, members)
    weights, errors = _top(weights, errors, n_points)
    for step in range(n_steps):
        times = -(-n_starts // len(weights))
        moved = np.repeat(weights, times, axis=0) * np.exp(rng.normal(0, 0.5**step, (len(weights) * times, n_classes)))
        moved /= moved.sum(axis=1, keepdims=True)
        both = np.concatenate([weights, moved])
        weights, errors = _top(both, np.concatenate([errors, wrong_shares(moved, outputs, codes, members)]), n_points)
    return weights, errors


def _top(weights: Floats, errors: Floats, n_points: int) -> tuple[Floats, Floats]:
    """The points with the smallest maximal class error, then the smallest mean; different errors first."""
    order = np.lexsort([np.arange(len(errors)), errors.mean(axis=1).round(12), errors.max(axis=1).round(12)])
    _, first = np.unique(errors[order].round(12), axis=0, return_index=True)
    again = np.ones(len(order), dtype=bool)
    again[first] = False
    order = order[np.argsort(again, kind="stable")][:n_points]
    order = order[np.lexsort([order, errors[order].mean(axis=1).round(12), errors[order].max(axis=1).round(12)])]
    return weights[order], errors[order]
