"""pr: precision and recall at every threshold, with three areas and their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from trueness.checks import DRAW, check_choice, check_whole, child, seed_sequence
from trueness.curves.common import left_out_scores
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, Mark, Points, Rule, unit_square
from trueness.formulas.groups import DesignEffect, count_groups, group_factor, group_sizes, group_sums
from trueness.formulas.pr import STEPS, area_of, reached_counts, step_influence
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.grouped import in_groups
from trueness.result.interval import LOGIT
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result
from trueness.result.words import EMPIRICAL, GROUPS, POSITIVES, sentence, with_interval
from trueness.sample.fits import Assessed, Fits
from trueness.sample.scored import Scored
from trueness.statistics.cases import BootstrapEstimate
from trueness.statistics.resampling import summary
from trueness.typing import Floats, Ints, Label, Labels, Record, Rng, Scores

Area = Literal["auc", "average_precision", "auc_interpolated"]

PR_AXES = "recall (TPF)", "precision (PPV)"
MAX_MARKS = 60  # with more points marks cannot be told apart
MOSTLY_POSITIVE = Note("mostly-positive")
PERFECT = Note("perfect-curve")


def pr(
    y: Labels | Assessed | Fits,
    scores: Scores | None = None,
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> PrCurve:
    """Precision–recall curve of scores.

    Parameters
    ----------
    y : array-like of shape (n,), Assessment or Fits
        Two labels; or what was assessed, `pr(a)`, for one score per case by a rule that was not trained on it.
    scores : array-like of shape (n,)
        High for the positive class; NaN is not allowed. Positives that no score reached, such as objects that a
        detector missed, have −inf: no threshold calls them, and they count in the recall.
    positive : label, optional
        The positive class; may be omitted where the labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        The group of each case (patient, site, document), where only whole groups are independent.

    Returns
    -------
    PrCurve

    See Also
    --------
    trueness.roc : ROC curves.

    Examples
    --------
    >>> import trueness
    >>> p = trueness.pr([1, 2, 1, 1, 2, 1, 2, 2, 1, 2], [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], positive=1)
    >>> round(p.auc.value, 4), round(p.average_precision.value, 4)
    (0.6906, 0.7278)
    """
    if isinstance(y, (Assessed, Fits)):
        return PrCurve(left_out_scores("precision–recall curve", y, scores=scores, positive=positive, groups=groups))
    if scores is None:
        raise InputError("scores are required", param="scores", fix="Pass scores, or an assessment in place of y")
    return PrCurve(Scored.of(y, scores, positive, groups))


@dataclass(frozen=True, eq=False, repr=False)
class PrCurve(Result, Drawn, Cited):
    """Precision (PPV) against recall (TPF), one point per distinct score; the first is (0, 1) at the threshold +∞.

    Precision depends on the prevalence: a curve of a case-control sample is valid for the prevalence of that sample
    only.

    Attributes
    ----------
    data : Scored
        The scores it was made from.
    """

    data: Scored
    level: float = 0.95

    heading = "Precision–recall curve of {data.described}"
    footnote = "Assumes: independent {data.units}; scores from one fixed rule; the prevalence of this sample."
    columns: ClassVar[Columns] = {"area": Column("area"), "value": Column("value", "estimate")}

    @property
    def provenance(self) -> dict[str, str]:
        """A hash of the data."""
        return self.data.provenance

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(e.metric, e) for e in self._beside(self.level).values()]  # "auc" is that of the ROC curve

    def figure(self, *, label: str = "", level: float = 0.95) -> Figure:
        """The points, the interpolation between them, and the precision of chance (the prevalence)."""
        smooth, color = self.interpolated(), "C0"
        named = f"{label} AP {with_interval(self.average_precision, level)}".strip()
        line = Line(smooth["recall"], smooth["precision"], named, color=color, width=1.8)
        marks: list[Mark] = [Rule(y=self.prevalence, color=color), line]
        if len(self._counts[0]) < MAX_MARKS:
            marks.append(Points(self.recall[1:], self.precision[1:], color=color, size=12))
        return Figure("Precision–recall curve", (unit_square(marks, *PR_AXES),))

    def rows(self) -> list[Record]:
        """The three areas."""
        return [{"area": e.metric.removeprefix("pr ").replace("_", " "), "value": e} for _, e in self._named()]

    def answer(self) -> str:
        """The average precision with its interval."""
        return sentence(self.average_precision, self.level, "Average precision")

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        return self.average_precision.notes

    def _beside(self, level: float) -> Record:
        """The three areas, which JSON has beside the fields."""
        return {name: getattr(self, name) for name in get_args(Area)}

    @cached_property
    def _counts(self) -> tuple[Floats, Ints, Ints]:
        return reached_counts(self.data.scores, self.data.positive)

    @property
    def thresholds(self) -> Floats:
        """(m + 1,) all cases at or above are labelled positive."""
        return np.concatenate([[np.inf], self._counts[0]])

    @property
    def recall(self) -> Floats:
        """(m + 1,) TP / P."""
        return np.concatenate([[0.0], self._counts[1] / self.data.n1])

    @property
    def precision(self) -> Floats:
        """(m + 1,) TP / (TP + FP); 1 at the first point."""
        _, tp, fp = self._counts
        return np.concatenate([[1.0], tp / (tp + fp)])

    @property
    def prevalence(self) -> float:
        """Share of positives: the precision of labelling every case positive, and of chance."""
        return self.data.n1 / self.data.n

    @property
    def auc(self) -> Estimate:
        """Area by trapezoids from (0, 1)."""
        return self._estimate("auc")

    @property
    def average_precision(self) -> Estimate:
        """Area by rectangles, Σ (r_i − r_{i−1}) p_i."""
        return self._estimate("average_precision")

    @property
    def auc_interpolated(self) -> Estimate:
        """Area by the interpolation of Davis & Goadrich (2006)."""
        return self._estimate("auc_interpolated")

    def bootstrap(self, area: Area = "auc", n_resamples: int = 2000, rng: Rng = None) -> BootstrapEstimate:
        """The same area with a bootstrap standard error and percentiles.

        All cases are drawn together, or all groups, so that the prevalence varies; a draw without a positive case is
        drawn again.

        Parameters
        ----------
        area : {"auc", "average_precision", "auc_interpolated"}
        n_resamples : int, default 2000
        rng : int, SeedSequence or Generator, optional

        Returns
        -------
        BootstrapEstimate
        """
        check_choice("area", area, STEPS, f"There is no area {area!r}")
        check_whole("n_resamples", n_resamples, 2)
        data, generator = self.data, np.random.default_rng(child(seed_sequence(rng), DRAW))
        units = np.arange(data.n) if data.groups is None else np.unique(data.groups, return_inverse=True)[1]
        n_units, distribution = int(units.max()) + 1, np.empty(n_resamples)
        for b in range(n_resamples):
            up = np.zeros(1, dtype=bool)
            while not up.any():
                times = np.bincount(generator.integers(0, n_units, n_units), minlength=n_units)[units]
                up = np.repeat(data.positive, times)
            distribution[b] = PrCurve(Scored(np.repeat(data.scores, times), up))._area(area)
        value = self._area(area)
        return (
            summary(value, distribution)
            .with_(
                metric=f"pr {area}",
                method="bootstrap",
                bounds=(0.0, 1.0),
                alternatives=(),
                provenance={"cases": data.n, "positives": data.n1, "resamples": n_resamples},
            )
            .noting(PERFECT if value == 1 else None)
        )

    def frame(self) -> pd.DataFrame:
        """One row per point: `threshold`, `recall`, `precision`."""
        return pd.DataFrame({"threshold": self.thresholds, "recall": self.recall, "precision": self.precision})

    def interpolated(self, n_points: int = 201) -> pd.DataFrame:
        """`recall` and `precision` of Davis & Goadrich's curve (2006): FP is linear in TP between thresholds."""
        check_whole("n_points", n_points, 2)
        _, tp, fp = self._counts
        t, f = np.concatenate([[0], tp]), np.concatenate([[0], fp])
        at = np.linspace(0, t[-1], n_points)[1:]
        keep = np.append(np.diff(t) > 0, True)  # at equal TP the point with fewest FP ends a step
        first = np.append(True, np.diff(t) > 0)
        base = np.searchsorted(t[first], at, side="left") - 1  # the step that at lies in
        low_t, low_f = t[keep][base], f[keep][base]
        high_t, high_f = t[first][base + 1], f[first][base + 1]
        with np.errstate(invalid="ignore"):  # no positive is reached
            between = low_f + (high_f - low_f) * (at - low_t) / (high_t - low_t)
        return pd.DataFrame({"recall": at / self.data.n1, "precision": at / (at + between)})

    def _area(self, area: Area) -> float:
        return area_of(STEPS[area], *self._counts[1:], self.data.n1)

    def _estimate(self, area: Area) -> Estimate:
        out = area_estimate(area, self._area(area), self.data.n1, self.data.n0)
        return out if self.data.groups is None else self._in_groups(out, area, self.data.groups)

    def _in_groups(self, out: Estimate, area: Area, groups: Ints) -> Estimate:
        """With the standard error times the root of the design effect.

        The design effect is that of the infinitesimal jackknife: the variance of its influence summed within groups
        over that of single cases.
        """
        data = self.data
        g = step_influence(STEPS[area], data.scores, data.positive)
        variance = float((group_sums(g * np.sqrt(group_factor(groups)), groups) ** 2).sum())
        independent = data.n / max(data.n - 1, 1) * float((g**2).sum())
        effect = DesignEffect.of(variance, independent, data.n, group_sizes(groups[data.positive]))
        grouped = out.with_(se=(out.se or 0.0) * math.sqrt(effect.value), se_method=POSITIVES.plus(GROUPS))
        return in_groups(grouped, effect, count_groups(groups))


def area_estimate(area: Area, value: float, n1: int, n0: int) -> Estimate:
    """se √(θ(1 − θ)/n1) and the logit interval: the best of those compared by Boyd, Eng & Page (2013).

    They had few positives. Where most cases are positive the few negatives determine the precision, which n1 ignores:
    the interval is too short (docs/diagnostic.md).
    """
    return Estimate(
        value,
        se=math.sqrt(value * (1 - value) / n1),
        se_method=POSITIVES,
        metric=f"pr {area}",
        method=EMPIRICAL,
        estimand="these scores, at the prevalence of this sample",
        bounds=(0.0, 1.0),
        interval=LOGIT,
        cases=n1,
    ).noting(MOSTLY_POSITIVE if n1 > n0 else None)
