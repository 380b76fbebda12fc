"""The empirical ROC curve: all thresholds, DeLong's standard error, exact binomial points; its hull and its resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import check_choice, fraction, is_number
from trueness.curves.common import SCORES, Axis, Range, above_all, below_chance, infinite_top, kept, ranges
from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.point import ThresholdAt, table_of
from trueness.curves.rates import partial_area_of, rate_at_rate, rate_in_groups, turned
from trueness.errors import InputError, UndefinedError
from trueness.figures.figure import Figure
from trueness.formulas import roc
from trueness.formulas.auc import hanley_mcneil_variance, q1q2_variance
from trueness.formulas.roc import count_within, height, resampled_counts, snapped
from trueness.kernels.auc import curve_points
from trueness.result.estimate import Estimate
from trueness.result.grouped import OfEffectiveCases, few_groups, share_in_groups
from trueness.result.notes import Note
from trueness.result.words import EMPIRICAL
from trueness.sample.among import against_rest
from trueness.sample.fits import Fits
from trueness.sample.scored import ONE_CASE, Scored, auc_of_scores
from trueness.sample.scores import CONSTANT
from trueness.tables.diagnosis import Diagnosis
from trueness.typing import Array, Bools, Floats, Ints

AucStandardError = Literal["delong", "q1q2", "hanley-mcneil"]


@dataclass(frozen=True, eq=False, repr=False)
class EmpiricalRoc(RocCurve):
    """TPF and FPF as shares of the cases at or above each score.

    Points are joined by straight lines; scores that both classes share make them slanted. Every distinct score is a
    threshold. Points and notes are computed on first use; the AUC needs none of them.
    """

    data: Scored
    level: float = 0.95
    method: ClassVar[str] = EMPIRICAL

    @classmethod
    def of(cls, data: Scored) -> EmpiricalRoc:
        return cls(data)

    # -- points ---------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> tuple[Floats, Ints, Ints]:
        """(v + 1,) thresholds, high to low, and the positives and negatives at or above each."""
        values, tp, fp = curve_points(self.data.scores, self.data.positive)
        values[0] = above_all(values[1])
        return values, tp, fp

    @property
    def thresholds(self) -> Floats:
        """From high to low: a case is labelled positive where score ≥ threshold. At the first no case is."""
        return self._counted[0]

    @cached_property
    def fpf(self) -> Floats:
        """False positive fraction at each threshold."""
        return self._counted[2] / self.data.n0

    @cached_property
    def tpf(self) -> Floats:
        """True positive fraction at each threshold."""
        return self._counted[1] / self.data.n1

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        low, high = self.data.range
        return kept(infinite_top(high), CONSTANT if low == high else None, below_chance(self.data.area))

    @cached_property
    def places(self) -> Ints:
        """(n,) which of the distinct scores, high to low, each case has."""
        return roc.places(self.thresholds[1:], self.data.scores)

    def hull(self) -> pd.DataFrame:
        """Corners of the concave hull: `threshold`, `fpf`, `tpf`.

        Every other point of the curve is beaten by one of these or by a mixture of two, whatever the costs and the
        prevalence (Provost & Fawcett 2001).
        """
        table = pd.DataFrame({"threshold": self.thresholds, "fpf": self.fpf, "tpf": self.tpf})
        return table.iloc[roc.hull(*self._counted[1:])]

    # -- areas ----------------------------------------------------------------------------------

    @cached_property
    def auc(self) -> Estimate:
        """Mann–Whitney's AUC, ties counting ½, with DeLong's standard error."""
        out = auc_of_scores(self.data)
        return out.with_(method=self.method, estimand=SCORES, notes=kept(*self.notes, *out.notes))

    def auc_with(self, se: AucStandardError) -> Estimate:
        """The AUC with another standard error.

        Parameters
        ----------
        se : {"delong", "q1q2", "hanley-mcneil"}
            "q1q2" estimates Q1 and Q2 of the exact variance from the cases (Bamber 1975); "hanley-mcneil" takes them
            from a model of the scores (1982), which is larger than the truth for good rules, and reliable where so few
            cases overlap that DeLong's is too small.

        Returns
        -------
        Estimate
        """
        check_choice("se", se, get_args(AucStandardError), f"The AUC has no standard error {se!r}")
        if se == "delong":
            return self.auc
        if self.data.groups is not None:
            raise InputError(
                f"The standard error {se!r} assumes independent cases, and these come in groups",
                param="se",
                fix="Use se='delong', which sums within groups",
            )
        data, out = self.data, self._estimate(self.data.area, "auc")
        if data.range[0] == data.range[1]:
            return out.noting(CONSTANT)
        if se == "hanley-mcneil":
            variance = hanley_mcneil_variance(out.value, data.n1, data.n0)
        elif min(data.n1, data.n0) == 1:
            return out.noting(ONE_CASE)
        else:
            variance = q1q2_variance(data.up, data.down)
        if variance <= 0 and 0 < out.value < 1:
            return out.noting(Note("no-se-negative-variance", variance=variance))
        return out.with_(se=math.sqrt(max(variance, 0.0)), se_method=se)

    def partial_auc(self, fpf: Range | None = None, tpf: Range | None = None, standardized: bool = False) -> Estimate:
        axis, low, high = ranges(fpf, tpf, standardized)
        if axis == "fpf":
            return partial_area_of(self, low, high, standardized)
        # with classes swapped and scores negated it is the FPF range (1 − high, 1 − low)
        return partial_area_of(EmpiricalRoc(self.data.turned()), 1 - high, 1 - low, standardized)

    # -- questions ------------------------------------------------------------------------------

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        """ROC(t): the largest TPF at this FPF."""
        return height(self.fpf, self.tpf, snapped(fpf, self.data.n0))

    def rates_at(self, threshold: float) -> tuple[float, float]:
        if math.isnan(threshold):  # labels every case negative
            return 0.0, 0.0
        fpf, tpf = (1 - float(np.searchsorted(v, threshold, side="left")) / len(v) for v in self._ordered)
        return fpf, tpf

    @cached_property
    def _ordered(self) -> tuple[Floats, Floats]:
        """Scores of negatives and of positives from low to high."""
        return np.sort(self.data.down), np.sort(self.data.up)

    def at(self, threshold: float) -> Diagnosis:
        """The table of the decision score ≥ threshold, which is given, not estimated, with every measure."""
        if not is_number(threshold) or math.isnan(threshold):
            raise InputError("threshold must be a number", param="threshold", got=repr(threshold))
        return table_of(self.data, self.data.scores >= threshold, self.level)

    def tpf_at(self, fpf: float) -> Estimate:
        """TPF at this FPF: the largest TPF of the thresholds with at most this FPF, and interpolated where both classes
        share a score, so that no single threshold has this FPF.

        The threshold is itself estimated (from the negatives), and the standard error includes that: it is that of the
        ideal bootstrap, of all resamples, which has a closed form; with groups it is that of the delta method.

        The interval, "harrell-davis", is Wilson's, whose tail probabilities are averaged over the negatives at which the
        threshold of this FPF may lie, with the weights that Harrell & Davis (1982) give to order statistics for a quantile.

        Parameters
        ----------
        fpf : float
            A rate within rounding of an attained one counts as that one.

        Returns
        -------
        Estimate
        """
        t = float(snapped(fraction("fpf", fpf), self.data.n0))
        if self.data.groups is not None:
            return rate_in_groups(self, t, f"TPF at FPF = {t:g}")
        return rate_at_rate(self.fpf, self.tpf, self.data.n1, self.data.n0, t, f"TPF at FPF = {t:g}")

    def fpf_at(self, tpf: float) -> Estimate:
        """FPF at this TPF; as `tpf_at` with the axes exchanged."""
        u = float(snapped(fraction("tpf", tpf), self.data.n1))
        if self.data.groups is not None:
            return turned(rate_in_groups(EmpiricalRoc(self.data.turned()), 1 - u, f"FPF at TPF = {u:g}"))
        # the curve turned about: 1 − TPF and 1 − FPF of the swapped classes
        x, y = (1 - self.tpf)[::-1], (1 - self.fpf)[::-1]
        return turned(rate_at_rate(x, y, self.data.n0, self.data.n1, 1 - u, f"FPF at TPF = {u:g}"))

    def threshold_at(self, *, fpf: float | None = None, tpf: float | None = None) -> ThresholdAt:
        """The threshold that has this FPF (or TPF) in the population, with an exact interval: the lowest with at most
        this FPF, or the highest with at least this TPF."""
        data, top = self.data, float(self.data.scores.max())
        if (fpf is None) == (tpf is None):
            raise InputError("threshold_at needs either an FPF or a TPF", param="fpf", fix="Pass fpf=0.1 or tpf=0.9")
        if tpf is not None:
            rate: Axis = "tpf"
            scores = np.sort(data.up)[::-1]
            wanted = float(snapped(fraction("tpf", tpf), data.n1))
            k = -count_within(-wanted, data.n1)  # rounded up
            allowed = scores[k - 1 : k]
        else:
            rate, scores = "fpf", np.sort(data.down)[::-1]
            wanted = float(snapped(fraction("fpf", fpf), data.n0))
            k = count_within(wanted, data.n0)
            allowed = data.scores[data.scores > scores[k]] if k < data.n0 else data.scores
        value = float(allowed.min()) if len(allowed) else above_all(top)
        effect, notes = None, [infinite_top(top)] if math.isnan(value) else []
        if data.groups is not None:
            of = data.positive == (rate == "tpf")
            share = share_in_groups(data.scores >= value, data.groups, "wilson", of)
            assert isinstance(share.interval, OfEffectiveCases)
            effect = share.interval.effect
            notes.append(few_groups(effect.groups))
        return ThresholdAt(value, rate, wanted, scores, kept(*notes), effect)


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """The points of one resample's empirical curve, at the thresholds of the whole sample."""

    thresholds: Floats
    fpf: Floats
    tpf: Floats

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        return height(self.fpf, self.tpf, fpf)


def resampled_curves(curve: RocCurve, rng: np.random.Generator, n_resamples: int) -> Iterator[CurvePoints | RocCurve]:
    """The curve of each stratified resample that has one of this kind; an error where none has."""
    data = curve.data
    if isinstance(curve, EmpiricalRoc):  # sorted once: a resample is a new set of counts
        places, up, v = curve.places, data.positive, len(curve.thresholds) - 1
        if data.groups is None:
            blocks = resampled_counts(places[up], places[~up], v, rng, n_resamples)
        else:
            blocks = _of_groups(data.groups, places, up, v, rng, n_resamples)
        for ups, downs in (pair for block in blocks for pair in zip(*block, strict=True)):
            yield CurvePoints(curve.thresholds, np.append(0.0, downs / downs[-1]), np.append(0.0, ups / ups[-1]))
        return
    n1, n0, found = data.n1, data.n0, False
    for _ in range(n_resamples):
        drawn = curve.data.rows(rng.integers(0, n1, n1), rng.integers(0, n0, n0))
        try:
            resampled = curve.of(drawn)
        except UndefinedError:
            continue
        found = True
        yield resampled
    if not found:
        raise UndefinedError(f"No resample has a {curve.method} curve", param="method", fix="Use method='empirical'")


def _of_groups(
    groups: Ints, places: Ints, up: Bools, v: int, rng: np.random.Generator, n_resamples: int
) -> Iterator[tuple[Array, Array]]:
    """Positives and negatives at or above each score, of whole groups: class sizes vary, and a draw without one of the
    classes is drawn again."""
    codes = np.unique(groups, return_inverse=True)[1]
    g = int(codes.max()) + 1
    for _ in range(n_resamples):
        counts = np.zeros((2, 1, v))
        while not counts[..., -1].all():
            times = np.bincount(rng.integers(0, g, g), minlength=g)[codes].astype(float)
            counts = np.array([[np.bincount(places[of], times[of], v).cumsum()] for of in (up, ~up)])
        yield counts[0], counts[1]


def left_out_curves(fits: Mapping[str, Fits], names: Iterable[str]) -> dict[str, EmpiricalRoc]:
    """The ROC curves of the left-out scores of models by name, of those that have one per case of two classes."""
    found = {name: fits[name].left_out() for name in names if name in fits}
    return {name: EmpiricalRoc.of(left) for name, left in found.items() if left is not None}


def roc_of_classes(fits: Fits, level: float = 0.95, most: int | None = None) -> Figure | None:
    """ROC curves of several classes, each against the rest by its own score; of more than `most` those with the lowest
    areas. None where there are no such scores."""
    if fits.sample.n_classes <= 2 or fits.part(("cv",)).held is None:
        return None
    names = [str(label) for label in fits.sample.classes.tolist()]
    curves = left_out_curves({name: against_rest(fits, k) for k, name in enumerate(names)}, names)
    lowest = sorted(curves, key=lambda label: curves[label].auc.value)[:most]
    return roc_figure({name: c for name, c in curves.items() if name in lowest}, level=level) if curves else None
