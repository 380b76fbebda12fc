"""pr: precision and recall at every threshold, with three areas and their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.formulas.precision_recall import counts_at_thresholds, interpolated_area, rectangles, trapezoids
from karat.result import Estimate
from karat.result.digits import shown, with_se
from karat.result.interval_rules import LOGIT
from karat.sample.scored import Scored
from karat.sample.seeds import DRAW, child, seed_sequence
from karat.statistics import BootstrapEstimate, JackknifeEstimate, jackknife
from karat.statistics.bootstrap import summary

MANY = (
    "More than half of the cases are positive: the standard error counts the positives alone, and the interval may be "
    "too short; with many cases bootstrap() covers better."
)
PERFECT = "Every resample of a perfect curve is perfect: take the interval of the area itself, which is exact there."


def pr(y: Any, scores: Any, positive: Any = None) -> PrCurve:
    """Precision–recall curve of scores.

    Parameters
    ----------
    y
        (n,) two labels.
    scores
        (n,) high for the positive class; ±inf is legal, NaN is not.
    positive
        The positive label; may be left out where the labels are 0/1, −1/1 or booleans.

    Examples
    --------
    Exercise 5 of seeds/001:

    >>> import karat
    >>> p = karat.pr([1, 2, 1, 1, 2, 1, 2, 2, 1, 2], [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], positive=1)
    >>> round(p.auc.value, 4), round(p.average_precision.value, 4)
    (0.6906, 0.7278)
    """
    return PrCurve(Scored.of(y, scores, positive))


@dataclass(frozen=True, eq=False)
class PrCurve:
    """Precision (PPV) against recall (TPF), one point a distinct score; the first is (0, 1) at the threshold +∞.

    Both depend on the prevalence: a curve of a case-control sample holds for the prevalence of that sample only.
    """

    data: Scored = field(repr=False)

    def __str__(self) -> str:
        lines = [f"PR curve of {self.data.n} cases, {self.data.n1} of them positive"]
        for name, e in (
            ("area by trapezoids", self.auc),
            ("average precision", self.average_precision),
            ("area, Davis and Goadrich", self.auc_interpolated),
        ):
            low, high = e.ci()
            lines.append(f"{name}: {with_se(e.value, e.se)} (95 %: {shown(low, e.se)} to {shown(high, e.se)})")
        return "\n".join(lines)

    @cached_property
    def _counts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return counts_at_thresholds(self.data.scores, self.data.positive)

    @property
    def thresholds(self) -> np.ndarray:
        """(m + 1,) all cases at or above are called positive."""
        return np.concatenate([[np.inf], self._counts[0]])

    @property
    def recall(self) -> np.ndarray:
        """(m + 1,) TP / P  (seeds/001, eq. 18)."""
        return np.concatenate([[0.0], self._counts[1] / self.data.n1])

    @property
    def precision(self) -> np.ndarray:
        """(m + 1,) TP / (TP + FP)  (seeds/001, eq. 17); 1 at the pseudo-point."""
        _, tp, fp = self._counts
        return np.concatenate([[1.0], tp / (tp + fp)])

    @property
    def prevalence(self) -> float:
        """Share of positives: the precision of a rule that calls everything positive, and of chance."""
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

    def bootstrap(
        self, area: str = "auc", n_resamples: int = 2000, rng: Any = None, design: str = "cohort"
    ) -> BootstrapEstimate:
        """The same area with a bootstrap standard error, and percentile and BCa intervals.

        Parameters
        ----------
        area
            "auc", "average_precision" or "auc_interpolated".
        design
            "cohort": cases are drawn as they come, so that the prevalence varies (a draw without a positive case is
            drawn again). "case-control": each class is drawn for itself.
        """
        statistic, cases = _area(area), self._cases
        if design not in ("cohort", "case-control"):
            raise InputError('design must be "cohort" or "case-control"', got=repr(design))
        if isinstance(n_resamples, bool) or not isinstance(n_resamples, int) or n_resamples < 2:
            raise InputError("n_resamples must be a whole number, 2 or more", got=repr(n_resamples))
        generator = np.random.default_rng(child(seed_sequence(rng), DRAW))
        strata = [np.arange(len(cases))] if design == "cohort" else [np.flatnonzero(cases[:, 1] == k) for k in (1, 0)]
        distribution = np.empty(n_resamples)
        for b in range(n_resamples):
            drawn = _draw(generator, strata)
            while not cases[drawn, 1].any():
                drawn = _draw(generator, strata)
            distribution[b] = statistic(cases[drawn])
        return (
            summary(statistic(cases), distribution)
            .with_(
                metric=f"pr {area}",
                method=f"bootstrap, {design}",
                bounds=(0.0, 1.0),
                delete=lambda: self._without_each(statistic),
                provenance={"cases": self.data.n, "positives": self.data.n1, "resamples": n_resamples},
            )
            .noting(PERFECT if statistic(cases) == 1 else "")
        )

    def _without_each(self, statistic: Callable[[np.ndarray], float]) -> JackknifeEstimate:
        if self.data.n1 == 1:
            raise InputError(
                "BCa leaves out every case in turn, and without the only positive one there is no curve",
                got="1 positive case",
                fix="Use the percentile interval",
            )
        return jackknife(statistic, self._cases)

    def frame(self) -> pd.DataFrame:
        """One row a point: threshold, recall, precision."""
        return pd.DataFrame({"threshold": self.thresholds, "recall": self.recall, "precision": self.precision})

    def interpolated(self, n_points: int = 201) -> pd.DataFrame:
        """recall, precision along the curve of Davis & Goadrich: FP linear in TP between thresholds."""
        _, tp, fp = self._counts
        t, f = np.concatenate([[0], tp]), np.concatenate([[0], fp])
        at = np.linspace(0, self.data.n1, n_points)[1:]
        keep = np.append(np.diff(t) > 0, True)  # at equal TP the point with fewest FP ends a step
        first = np.append(True, np.diff(t) > 0)
        base = np.searchsorted(t[first], at, side="left") - 1  # the step that at lies in
        low_t, low_f = t[keep][base], f[keep][base]
        high_t, high_f = t[first][base + 1], f[first][base + 1]
        between = low_f + (high_f - low_f) * (at - low_t) / (high_t - low_t)
        return pd.DataFrame({"recall": at / self.data.n1, "precision": at / (at + between)})

    def plot(self, ax: Any = None) -> Any:
        """The curve in axes (new ones where none are given); returns them."""
        from karat.plots.pr import PrDisplay

        return PrDisplay({"": self}).plot(ax)

    @property
    def _cases(self) -> np.ndarray:
        """(n, 2) score and 1 for a positive."""
        return np.stack([self.data.scores, self.data.positive.astype(float)], axis=1)

    def _estimate(self, area: str) -> Estimate:
        """se √(θ(1 − θ)/n1) and the logit interval: what held best of those tried by Boyd, Eng & Page (2013).

        They had few positives. Where most cases are positive the few negatives decide the precision, and n1 does not
        know them: the interval is too short (docs/diagnostic.md).
        """
        value = _area(area)(self._cases)
        return Estimate(
            value,
            se=math.sqrt(value * (1 - value) / self.data.n1),
            se_method="binomial in the positives (Boyd, Eng & Page 2013)",
            metric=f"pr {area}",
            method="empirical",
            estimand="these scores, at the prevalence of this sample",
            bounds=(0.0, 1.0),
            interval=LOGIT,
            cases=self.data.n1,
        ).noting(MANY if self.prevalence > 0.5 else "")


def _area(name: str) -> Callable[[np.ndarray], float]:
    if name not in _AREAS:
        raise InputError(f"there is no area {name!r}", fix=f"Choose one of {', '.join(_AREAS)}")
    inner = _AREAS[name]

    def area(cases: np.ndarray) -> float:
        _, tp, fp = counts_at_thresholds(cases[:, 0], cases[:, 1] > 0)
        return min(1.0, inner(tp, fp))

    return area


def _by_points(rule: Callable[[np.ndarray, np.ndarray], float]) -> Callable[[np.ndarray, np.ndarray], float]:
    def area(tp: np.ndarray, fp: np.ndarray) -> float:
        return rule(np.concatenate([[0.0], tp / tp[-1]]), np.concatenate([[1.0], tp / (tp + fp)]))

    return area


_AREAS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "auc": _by_points(trapezoids),
    "average_precision": _by_points(rectangles),
    "auc_interpolated": interpolated_area,
}


def _draw(generator: np.random.Generator, strata: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([rows[generator.integers(0, len(rows), size=len(rows))] for rows in strata])
