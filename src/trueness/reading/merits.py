"""Merits: the figure of merit of every reading, and how the readings covary over the cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from trueness.checks import check_choice, is_number
from trueness.errors import InputError
from trueness.formulas.auc import delong_influence
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.reading.moments import ReadingSums, sums_of_both, sums_of_cases, sums_of_pairs
from trueness.reading.readings import Readings
from trueness.result.estimate import Estimate
from trueness.result.joint import without_zero_se
from trueness.result.words import StandardError
from trueness.sample.measured import Aucs
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.sample.scored import Scored, auc_of_scores
from trueness.sample.scores import look_like_probabilities
from trueness.typing import Bools, Floats, Ints

Covariance = Literal["delong", "jackknife", "unbiased"]
COVARIANCES = {
    "delong": StandardError("delong", "covariances of the cases by DeLong", "delong_1988"),
    "jackknife": StandardError("jackknife", "covariances of the cases by the jackknife", "efron_1982"),
    "unbiased": StandardError("unbiased", "covariances of the cases without bias", "gallas_2006"),
}
OF_MEANS = StandardError("cases", "the usual covariances of means over cases")
FEWEST_PER_CLASS = 2  # cases of a class that a reading needs
ROWS = 256  # leave-one-out sets at a time


@dataclass(frozen=True, eq=False)
class Merits:
    """The figure of merit of K readings of n cases.

    Attributes
    ----------
    readings : Readings
        Scores and who gave them.
    metric : Metric
        Bound to the cases.
    threshold : float, optional
        Positive where score ≥ threshold, for measures of decisions.
    by : {"delong", "jackknife", "unbiased"}
        How covariances are estimated.
    """

    readings: Readings
    metric: Metric
    threshold: float | None
    by: Covariance

    @classmethod
    def of(
        cls, readings: Readings, metric: MetricLike, threshold: float | None, covariance: Covariance | None
    ) -> Merits:
        """Check that the metric can be computed of every reading, and covariances of this kind."""
        found = resolve(metric)
        labels = np.array(readings.classes)[readings.up.astype(int)]
        bound = found.bind(Sample.of(labels, positive=readings.classes[1], least=1))  # type: ignore[arg-type]
        scores = readings.values[readings.read]
        threshold = _threshold(bound, threshold, scores)
        bound = bound.reading(bool(look_like_probabilities(scores)))
        by_case = isinstance(bound, (AUC, CaseLoss))
        if covariance is None:
            covariance = "delong" if by_case else "jackknife"
        check_choice("covariance", covariance, COVARIANCES, "The covariance is unknown")
        if covariance != "jackknife" and not by_case:
            problem = f"Covariances of {bound.name} are known by the jackknife only"
            raise InputError(problem, param="covariance", got=repr(covariance), fix="Pass covariance='jackknife'")
        out = cls(readings, bound, threshold, covariance)
        for of, label in zip((~readings.up, readings.up), readings.classes, strict=True):
            counts = readings.read[:, of].sum(axis=1)
            if out.counted[of].any() and counts.min() < FEWEST_PER_CLASS:
                at = int(counts.argmin())
                problem = f"A reader needs {FEWEST_PER_CLASS} cases of each class"
                got = f"{counts[at]} of class {label} for {readings.name(at)}"
                raise InputError(problem, param="reader", got=got, fix="Leave this reader out, or add readings")
        return out

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def se_method(self) -> StandardError:
        """Which covariances they are."""
        means = self.by == "delong" and not isinstance(self.metric, AUC)
        return OF_MEANS if means else COVARIANCES[self.by]

    @cached_property
    def counted(self) -> Bools:
        """(n,) the cases that the figure of merit counts."""
        weights = self.metric.class_weights if isinstance(self.metric, CaseLoss) else None
        return np.ones(self.readings.n, dtype=bool) if weights is None else np.asarray(weights[self.codes] > 0)

    @cached_property
    def codes(self) -> Ints:
        """(n,) class of each case, in the order of the metric."""
        labels = np.array(self.readings.classes)[self.readings.up.astype(int)]
        return np.unique(labels, return_inverse=True)[1].astype(np.intp)

    @cached_property
    def losses(self) -> Floats:
        """(K, n) the value of each case, of a mean over cases; NaN where it was not read."""
        assert isinstance(self.metric, CaseLoss)
        given = self.metric.losses(self._block(np.arange(len(self.readings)), np.ones(self.readings.n, dtype=bool)))
        return np.where(self.readings.read, given, np.nan)

    @cached_property
    def sums(self) -> ReadingSums | None:
        """Sums over two readings; None where the figure of merit is neither a mean over pairs nor over cases."""
        if isinstance(self.metric, AUC):
            return sums_of_pairs(self.readings.values, self.readings.up)
        if not isinstance(self.metric, CaseLoss):
            return None
        if len(self._strata) == 1:
            return sums_of_cases(self.losses[:, self.counted] * self._strata[0][1])
        weights = np.sum([np.where(of, w, 0.0) for of, w in self._strata], axis=0)
        return sums_of_both(self.losses * weights, self.readings.up)

    @cached_property
    def _strata(self) -> list[tuple[Bools, float]]:
        """Sets of cases whose means are added, and their weights."""
        weights = self.metric.class_weights if isinstance(self.metric, CaseLoss) else None
        if weights is None:
            return [(np.ones(self.readings.n, dtype=bool), 1.0)]
        return [(self.codes == c, float(weights[c])) for c in np.flatnonzero(weights)]

    @cached_property
    def values(self) -> Floats:
        """(K,) the figure of merit of each reading."""
        if isinstance(self.metric, AUC):
            return np.array([delong[0] for delong in self._delong])
        if isinstance(self.metric, CaseLoss):
            return np.asarray(np.sum([w * np.nanmean(self.losses[:, of], axis=1) for of, w in self._strata], axis=0))
        ones = [np.ones((1, int(mine.sum()))) for mine in self.readings.read]
        found = [self._rows(k, w)[0] for k, w in enumerate(ones)]
        if np.isnan(found).any():
            at = self.readings.name(int(np.isnan(found).argmax()))
            raise InputError(f"{self.name} is undefined for {at}", param="metric")
        return np.array(found)

    @cached_property
    def influence(self) -> Floats:
        """(K, n) vectors whose products are DeLong's covariances, or those of the jackknife; 0 where a case was not
        read."""
        if self.by == "jackknife":
            return self._jackknife()
        out = np.zeros(self.readings.values.shape)
        if isinstance(self.metric, AUC):
            for k, mine in enumerate(self.readings.read):
                out[k, mine] = self._delong[k][1]
            return out
        for of, weight in self._strata:
            part = self.losses[:, of]
            m = (~np.isnan(part)).sum(axis=1, keepdims=True)
            centred = (part - np.nanmean(part, axis=1, keepdims=True)) / np.sqrt(m * (m - 1))
            out[:, of] = weight * np.nan_to_num(centred)
        return out

    @cached_property
    def covariance(self) -> Floats:
        """(K, K) over the cases."""
        if self.by == "unbiased" and isinstance(self.metric, AUC) and self.sums is not None:
            return self.sums.covariance
        if self.by == "unbiased":  # of a mean s_ab/n, of means of two classes their sum
            parts = [sums_of_cases(self.losses[:, of]).covariance * w**2 for of, w in self._strata]
            return np.asarray(np.sum(parts, axis=0))
        return np.asarray(np.where(self.readings.shared, self.influence @ self.influence.T, 0.0))

    @cached_property
    def _delong(self) -> list[tuple[float, Floats]]:
        values, up = self.readings.values, self.readings.up
        return [delong_influence(values[k, mine], up[mine]) for k, mine in enumerate(self.readings.read)]

    def _jackknife(self) -> Floats:
        """√((N − 1)/N) (θ_(−i) − their mean), the case i left out of all readings together (Efron 1982); N cases count.

        A case that a reader did not read leaves their value as it is.
        """
        out, counted = np.zeros(self.readings.values.shape), self.counted
        n = int(counted.sum())
        for k, mine in enumerate(self.readings.read):
            left = np.full(self.readings.n, self.values[k])
            used = mine & counted
            left[used] = self._left_out(k, np.flatnonzero(used[mine]))
            out[k, counted] = np.sqrt((n - 1) / n) * (left[counted] - left[counted].mean())
        if np.isnan(out).any():
            at = self.readings.name(int(np.isnan(out).any(axis=1).argmax()))
            raise InputError(f"{self.name} is undefined when one case is left out, for {at}", param="metric")
        return out

    def _left_out(self, k: int, places: Ints) -> Floats:
        """The figure of merit of a reading without each of its cases."""
        mine = self.readings.read[k]
        if isinstance(self.metric, AUC) and self.sums is not None:
            up = self.readings.up[mine]
            of_case, n1, n0 = np.empty(len(up)), int(up.sum()), int((~up).sum())
            of_case[~up], of_case[up] = (totals[k][terms[k] > 0] for totals, terms in self.sums.factors)
            fewer = np.where(up, (n1 - 1) * n0, n1 * (n0 - 1))
            return np.asarray(((self.sums.totals[k] - of_case) / fewer)[places])
        out = np.empty(len(places))
        for start in range(0, len(places), ROWS):
            some = places[start : start + ROWS]
            weights = np.ones((len(some), int(mine.sum())))
            weights[np.arange(len(some)), some] = 0.0
            out[start : start + ROWS] = self._rows(k, weights)
        return out

    def _rows(self, k: int, weights: Floats) -> Floats:
        """The metric of one reading under each row of weights of the cases that it has."""
        block = self._block(np.full(len(weights), k), self.readings.read[k])
        return self.metric.rows(block, weights)

    def _block(self, of: Ints, cases: Bools) -> Block:
        scores = self.readings.values[np.ix_(of, cases)]
        predictions = None
        if self.threshold is not None:
            code = int(self.codes[self.readings.up][0])
            predictions = np.where(np.isnan(scores), -1, np.where(scores >= self.threshold, code, 1 - code))
        return Block(self.codes[cases], np.zeros(scores.shape), scores, predictions, np.asarray(of))


def _threshold(metric: Metric, threshold: float | None, scores: Floats) -> float | None:
    """Positive where score ≥ threshold, for measures of decisions; scores of 0 and 1 are decisions already."""
    if threshold is not None:
        if not is_number(threshold) or not np.isfinite(threshold):
            raise InputError("threshold must be a finite number", param="threshold", got=repr(threshold))
        if metric.needs not in ("predictions", "any"):
            raise InputError(f"{metric.name} needs no threshold", param="threshold", got=threshold, fix="Leave it out")
        return float(threshold)
    if metric.needs != "predictions":
        return None
    if not np.isin(scores, (0.0, 1.0)).all():
        problem = f"{metric.name} is about decisions, and the scores are ratings"
        raise InputError(problem, param="threshold", fix="Pass threshold=: positive where score ≥ threshold")
    return 1.0


# -- one reader, and two readings compared: about these readers, on cases like these -----------------------


def cases_of(merits: Merits, of: Ints | Sequence[int]) -> list[int]:
    """Cases of each class that these readings have, of classes that count."""
    read, up = merits.readings.read[of].any(axis=0) & merits.counted, merits.readings.up
    return [n for n in (int((read & up).sum()), int((read & ~up).sum())) if n]


def reading_estimate(merits: Merits, k: int) -> Estimate:
    """The figure of merit of one reader in one modality, about this reader; an AUC as `trueness.roc` has it."""
    readings, mine = merits.readings, merits.readings.read[k]
    if isinstance(merits.metric, AUC):
        out = auc_of_scores(Scored(readings.values[k, mine], readings.up[mine]))
        return out.with_(metric=merits.name, estimand="this reader")
    out = Estimate(
        float(merits.values[k]),
        se=math.sqrt(max(float(merits.covariance[k, k]), 0.0)),
        metric=merits.name,
        se_method=merits.se_method,
        bounds=merits.metric.bounds,
        interval=merits.metric.interval,
        cases=min(cases_of(merits, [k])),
        estimand="this reader",
    )
    return out


def reading_difference(merits: Merits, k: int, l: int) -> Estimate:
    """first − second of two readings, about these; of AUCs on the same cases DeLong's, as `trueness.roc` has it."""
    readings = merits.readings
    mine: Bools = readings.read[k]
    if isinstance(merits.metric, AUC) and np.array_equal(mine, readings.read[l]):
        up = readings.up[mine]
        both: list[list[tuple[Floats, Bools]]] = [[(readings.values[a, mine], up)] for a in (k, l)]
        return Aucs.over(both, up.astype(np.intp)).difference()
    c, (low, high) = merits.covariance, merits.metric.bounds
    out = Estimate(
        float(merits.values[k] - merits.values[l]),
        se=math.sqrt(max(float(c[k, k] + c[l, l] - 2 * c[k, l]), 0.0)),
        metric=f"{merits.name} difference",
        se_method=merits.se_method,
        bounds=(low - high, high - low),
        estimand="these two rules",
    )
    return without_zero_se(out, np.array_equal(readings.values[k], readings.values[l], equal_nan=True))
