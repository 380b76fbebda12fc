"""Scored: cases of two classes with one score each, as ROC and PR curves need them; and their AUC, with DeLong's standard
error and one interval, wherever it is asked for.

`trueness.roc(y, scores).auc` and `trueness.estimate(fits, "auc", "holdout")` both come from here. docs/roc.md shows how often
the interval covers ("The interval of an AUC").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import expit

from trueness.formulas.auc import CountedAuc, delong_influence, hanley_mcneil_variance
from trueness.formulas.groups import DesignEffect, count_groups, delong_in_groups, group_sums, sizes_by_class
from trueness.formulas.intervals import clopper_pearson
from trueness.result.estimate import Estimate
from trueness.result.grouped import in_groups
from trueness.result.interval import LOGIT, Interval, IntervalRule
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.shown import Page, Shown
from trueness.result.words import DELONG, GROUPS_BY_CLASS, Named
from trueness.sample.labels import check_same_index
from trueness.sample.sample import Sample
from trueness.sample.scores import CONSTANT, hash_of, score_array
from trueness.typing import Array, Bools, Floats, Ints, Label, Labels, Scores

Scale = Literal["score", "probability", "log-odds"]


@dataclass(frozen=True, eq=False, repr=False)
class Scored(Shown):
    """Cases of two classes with one score each: one rule of `Answers`, or what `fits.left_out()` returns.

    Unlike a Sample it may hold a single case of a class, since no rule is trained here.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        High scores indicate the positive class; ±inf is allowed, NaN is not.
    positive : ndarray of bool of shape (n,)
        Which cases are positive.
    classes : tuple
        Negative, positive.
    groups : ndarray of shape (n,), optional
        The group of each case, where only whole groups are independent.
    name : str
        What the user calls the model that made the scores.
    scale : {"score", "probability", "log-odds"}
        What the scores are.
    origin : str
        Where left-out scores come from, in one sentence.
    own : float, optional
        The threshold of the model: its predictions are positive where a score is at least this. None where they have no
        single threshold, or are not known.
    places : ndarray of int, optional
        The rows of X that the cases are.
    """

    scores: Floats
    positive: Bools
    classes: tuple[object, object] = (0, 1)
    groups: Ints | None = None
    name: str = ""
    scale: Scale = "score"
    origin: str = ""
    own: float | None = None
    places: Ints | None = None

    @classmethod
    def of(cls, y: Labels, scores: Scores, positive: Label | None = None, groups: object = None) -> Scored:
        """Check labels and scores; an error names the parameter at fault."""
        sample = Sample.of(y, positive=positive, groups=groups, least=1)
        values, code = score_array(scores, sample.n), sample.require_positive()
        check_same_index("scores", scores, "y", y)
        classes = sample.classes.tolist()
        return cls(values, sample.codes == code, (classes[1 - code], classes[code]), sample.groups)

    @property
    def probabilities(self) -> Floats | None:
        """The scores as probabilities of the positive class; None where they do not tell these."""
        return {"probability": self.scores, "log-odds": expit(self.scores)}.get(self.scale)

    def frame(self) -> pd.DataFrame:
        """One row per case: `row` of X (from 0), `label`, `score`, and `groups` where the cases have them."""
        rows = np.arange(self.n) if self.places is None else self.places
        labels = np.array(self.classes, dtype=object)[self.positive.astype(int)]
        table = pd.DataFrame({"row": rows, "label": labels.tolist(), "score": self.scores})
        return table if self.groups is None else table.assign(groups=self.groups)

    def page(self, level: float | None = None) -> Page:
        """What the scores are, and where they come from."""
        return Page(f"{self.scale.capitalize()} of {self.described}\n{self.origin}")

    @property
    def described(self) -> str:
        """ "60 cases, 20 of class b (positive) and 40 of class a"."""
        negative, positive = self.classes
        return f"{self.n} {self.units}, {self.n1} of class {positive} (positive) and {self.n0} of class {negative}"

    @property
    def units(self) -> str:
        """What is independent: "cases", or "cases in 311 groups"."""
        return "cases" if self.groups is None else f"cases in {count_groups(self.groups)} groups"

    @property
    def provenance(self) -> dict[str, str]:
        """A hash of labels, scores and groups, in the order of the cases."""
        return {"data": hash_of(self.positive, self.scores, *(() if self.groups is None else (self.groups,)))}

    def __repr__(self) -> str:
        return f"<Scores of {self.described}>"

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.scores)

    @cached_property
    def up(self) -> Floats:
        """(n1,) scores of the positives."""
        return self.scores[self.positive]

    @cached_property
    def down(self) -> Floats:
        """(n0,) scores of the negatives."""
        return self.scores[~self.positive]

    @cached_property
    def n1(self) -> int:
        """Number of positives."""
        return int(np.count_nonzero(self.positive))

    @property
    def n0(self) -> int:
        """Number of negatives."""
        return self.n - self.n1

    @cached_property
    def independent(self) -> tuple[int, int]:
        """Number of independent positives and negatives: cases, or groups with a case of the class."""
        if self.groups is None:
            return self.n1, self.n0
        return count_groups(self.groups[self.positive]), count_groups(self.groups[~self.positive])

    @cached_property
    def delong(self) -> tuple[float, Floats]:
        """The Mann–Whitney AUC, and the vector (n,) whose squared norm is DeLong's variance."""
        value, influence = delong_influence(self.scores, self.positive)
        return float(value), influence

    @property
    def area(self) -> float:
        """The Mann–Whitney AUC alone."""
        return self.delong[0]

    @property
    def range(self) -> tuple[float, float]:
        """The lowest score and the highest."""
        return float(self.scores.min()), float(self.scores.max())

    def turned(self) -> Scored:
        """Classes swapped and scores negated: TPF becomes 1 − FPF and FPF becomes 1 − TPF."""
        return Scored(-self.scores, ~self.positive, (self.classes[1], self.classes[0]), self.groups)

    def rows(self, up: Ints, down: Ints) -> Scored:
        """The positives and negatives at these places of `up` and `down` (resampled, or some left out)."""
        scores = np.concatenate([self.up[up], self.down[down]])
        return Scored(scores, np.arange(len(scores)) < len(up), self.classes)


MIN_CASES_FOR_NORMAL = 20  # of each class: with fewer, quantiles are Student's
MIN_OVERLAPPING_CASES = 30  # of each class: with fewer, and less than half of the class, DeLong's se may be too small
ROUNDED_VARIANCE = 1e-24  # a variance below this is 0 but for rounding

ONE_CASE = Note("no-se-one-case")


@dataclass(frozen=True, eq=False)
class FewOverlap(IntervalRule):
    """The logit interval of an AUC with Hanley and McNeil's standard error, where DeLong's rests on few cases.

    Near 1 (and 0) that interval grows without bound, so the limit on the far side is never beyond the exact one of
    `cases` disjoint pairs, a share `value` of them in order: at AUC = 1 it is the interval given there.
    """

    model_se: float  # Hanley and McNeil's standard error, the larger of the two with the classes in either role
    df: float | None = None  # degrees of freedom, where the cases come in groups
    name = Named("logit, hanley-mcneil", "logit, Hanley and McNeil's variance", "hanley_mcneil_1982")
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        low, high = LOGIT.limits(e.with_(se=self.model_se, df=self.df), level)
        cases = e.cases or 1
        of_pairs = clopper_pearson(e.value * cases, cases, level)
        if e.value >= 0.5:
            low = max(low, min(of_pairs[0], e.value))
        else:
            high = min(high, max(of_pairs[1], e.value))
        return self.clipped(e, low, high, level)


def auc_of_scores(data: Scored) -> Estimate:
    """Mann–Whitney's AUC of two classes, ties counting ½, with DeLong's standard error and an interval.

    The interval is the logit interval around DeLong's standard error (DeLong, DeLong & Clarke-Pearson 1988), with
    Student's quantile and Satterthwaite's degrees of freedom where a class has fewer than 20 cases. Where the standard
    error rests on few cases (few overlap the other class, or all cases of a class have the same rank) it takes Hanley
    and McNeil's (1982), if that is larger. At 0 and 1 it is exact.

    With groups the standard error is Obuchowski's (1997), with G − 1 degrees of freedom (fewer for unequal groups), G
    the groups of the class that has the fewest; Hanley and McNeil's is multiplied by the root of the design effect.
    """
    value, influence = data.delong
    out = _auc(value, min(data.independent))
    low, high = data.range
    if low == high:
        return out.with_(se_method=None).noting(CONSTANT)
    out = auc_of_influence(out, influence, data.positive.astype(np.intp), data.groups)
    if data.n1 == 1 or data.n0 == 1:
        return out
    if out.se is None:  # all cases of a class have the same rank, or groups do not differ
        return out.with_(interval=FewOverlap(_model_se(value, *data.independent)))
    effect = float(out.provenance.get("design_effect") or 1.0)
    df = None if data.groups is None else out.df
    sign = -1 if value < 0.5 else 1
    up, down = sign * data.up, sign * data.down
    overlapping = int(np.count_nonzero(up <= down.max())), int(np.count_nonzero(down >= up.min()))
    return _with_overlap(out, data.n1, data.n0, overlapping, effect, df)


def auc_of_counts(counted: CountedAuc) -> Estimate:
    """The same from counts of independent cases at each score, without an influence vector."""
    n1, n0 = counted.n1, counted.n0
    out = _auc(counted.value, min(n1, n0))
    if counted.constant:
        return out.with_(se_method=None).noting(CONSTANT)
    if n1 == 1 or n0 == 1:
        return out.with_(se_method=None).noting(ONE_CASE)
    parts, sizes = np.array(counted.parts), np.array([n0, n1])
    if (equal := _equal_ranks(out, parts, sizes)) is not None:
        return equal.with_(interval=FewOverlap(_model_se(out.value, n1, n0)))
    df = _satterthwaite(parts, sizes) if 0 < out.value < 1 else None
    out = out.with_(se=math.sqrt(parts.sum()), df=df)
    return _with_overlap(out, n1, n0, counted.overlapping_inverted if out.value < 0.5 else counted.overlapping)


def _auc(value: float, cases: int) -> Estimate:
    return Estimate(value, metric="auc", bounds=(0.0, 1.0), interval=LOGIT, cases=cases, se_method=DELONG)


def _with_overlap(
    out: Estimate, n1: int, n0: int, overlapping: tuple[int, int], effect: float = 1.0, df: float | None = None
) -> Estimate:
    """With Hanley and McNeil's interval where few cases overlap the other class and DeLong's is smaller."""
    model_se = _model_se(out.value, n1, n0) * math.sqrt(max(1.0, effect))
    ups, downs = overlapping
    few = 0 < min(ups, downs) < MIN_OVERLAPPING_CASES and min(ups / n1, downs / n0) < 0.5
    if not few or model_se <= out.require_se():
        return out
    return out.with_(interval=FewOverlap(model_se, df)).noting(
        Note("few-overlap", positives=ups, negatives=downs, model_se=model_se)
    )


def auc_of_influence(out: Estimate, influence: Floats, codes: Ints, groups: Ints | None = None) -> Estimate:
    """The AUC `out` of any number of classes with the standard error of a vector made of DeLong's.

    Var = Σ_c V_c, V_c = Σ influence² over class c. Satterthwaite's df = V²/Σ_c V_c²/(n_c − 1), as in Welch's t.

    No standard error where V_c is 0 because all m cases of a class have the same rank, and that may hide the larger
    part: one of them at the other end would make it δ²/m², δ = max(AUC, 1 − AUC). The interval then takes Hanley and
    McNeil's for two classes of the smallest size, which is safe: a mean of AUCs varies no more than the worst of them.
    """
    if np.isnan(influence).any():
        return out.with_(se_method=None).noting(ONE_CASE)
    sizes = np.bincount(codes)
    parts = np.bincount(codes, influence**2)[sizes > 0]
    sizes = sizes[sizes > 0]
    if (equal := _equal_ranks(out, parts, sizes)) is not None:
        return equal
    if groups is not None:
        return delong_of_groups(out, influence, codes, groups)
    df = satterthwaite(influence, codes) if 0 < out.value < 1 else None
    return out.with_(se=float(np.linalg.norm(influence)), se_method=DELONG, influence=influence, df=df)


def _equal_ranks(out: Estimate, parts: Array, sizes: Ints) -> Estimate | None:
    """Without a standard error where all cases of a class have the same rank, and that may hide the larger part of the
    variance; None otherwise."""
    note = equal_ranks(max(out.value, 1 - out.value), parts, sizes)
    if note is None or not 0 < out.value < 1:
        return None
    smallest = int(sizes.min())
    return out.with_(se_method=None, interval=FewOverlap(_model_se(out.value, smallest, smallest))).noting(note)


def equal_ranks(most: float, parts: Array, sizes: Ints) -> Note | None:
    """Why an AUC, or a difference of two, has no standard error: the variance of a class is 0, and one of its cases at
    the other end, which moves it by `most` / m, would add more than all there is. None where it has one."""
    hidden = np.where(parts < ROUNDED_VARIANCE, (most / sizes) ** 2, 0.0)
    if hidden.max() <= parts.sum() * (1 + 1e-9):  # equal up to rounding is not larger
        return None
    return NO_VARIANCE


def delong_of_groups(out: Estimate, influence: Floats, codes: Ints, groups: Ints) -> Estimate:
    """An AUC, a part of it or a difference of two with Obuchowski's (1997) standard error; `influence` is DeLong's."""
    scaled = delong_in_groups(influence, codes, groups)
    variance = float((group_sums(scaled, groups) ** 2).sum())
    independent = float((influence**2).sum())
    effect = DesignEffect.of(variance, independent, len(codes), *sizes_by_class(groups, codes))
    out = out.with_(se=math.sqrt(variance), se_method=DELONG.plus(GROUPS_BY_CLASS), influence=scaled)
    if variance < ROUNDED_VARIANCE < independent:
        out = out.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
    return in_groups(out, effect, count_groups(groups))


def satterthwaite(influence: Floats, codes: Ints) -> float | None:
    """df = V²/Σ_c V_c²/(n_c − 1), as in Welch's t; None where every class has enough cases for normal quantiles."""
    sizes = np.bincount(codes)
    return _satterthwaite(np.bincount(codes, influence**2)[sizes > 0], sizes[sizes > 0])


def _satterthwaite(parts: Array, sizes: Ints) -> float | None:
    if sizes.min() >= MIN_CASES_FOR_NORMAL or not parts.sum() > 0:
        return None
    return float(parts.sum() ** 2 / (parts**2 / np.maximum(sizes - 1, 1)).sum())


def _model_se(value: float, n1: int, n0: int) -> float:
    """Hanley and McNeil's standard error. Their formula takes one class for the one that reaches far into the other:
    the larger of the two is taken, since either may be."""
    return math.sqrt(max(0.0, hanley_mcneil_variance(value, n1, n0), hanley_mcneil_variance(value, n0, n1)))
