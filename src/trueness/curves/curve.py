"""What every ROC curve has: points with their thresholds, an area, and questions it can be asked."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import check_choice, check_level, check_whole
from trueness.curves.common import SCORES, Range, kept, too_few_groups
from trueness.figures.figure import Figure, Line, Mark, roc_panel
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT, WALD
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Page, Result
from trueness.result.words import how, sentence, with_interval
from trueness.sample.scored import Scored
from trueness.typing import Floats, Record, Rng

if TYPE_CHECKING:
    from trueness.curves.bands import Band, BandMethod
    from trueness.curves.choice import Choice, Costs, Criterion

MAX_CASES_FOR_BAND = 100_000  # of more cases the band is no wider than the line
BAND_RESAMPLES = 500  # of a band that is drawn


class RocCurve(Result, Drawn, Cited):
    """A ROC curve: FPF(t) = P[score ≥ t | negative] against TPF(t) = P[score ≥ t | positive].

    Attributes
    ----------
    data : Scored
        The scores it was made from.
    thresholds : ndarray
        From high to low: a case is labelled positive where score ≥ threshold. At the first no case is.
    fpf, tpf : ndarray
        False and true positive fraction at each threshold, from (0, 0) to (1, 1).
    notes : tuple of Note
        What the reader should know.
    """

    method: ClassVar[str]
    assumption: ClassVar[str] = ""
    heading = "ROC curve ({method}) of {data.described}"
    footnote = "Standard error and interval: {made}. Assumes: independent {data.units}; one fixed rule{assumption}."

    if TYPE_CHECKING:  # fields of fitted curves; computed on first use by the empirical one

        @property
        def data(self) -> Scored: ...
        @property
        def thresholds(self) -> Floats: ...
        @property
        def fpf(self) -> Floats: ...
        @property
        def tpf(self) -> Floats: ...
        @property
        def notes(self) -> tuple[Note, ...]: ...
        @property
        def level(self) -> float: ...

    # -- what a kind of curve defines -----------------------------------------------------------

    @classmethod
    @abstractmethod
    def of(cls, data: Scored) -> RocCurve:
        """The curve of these scores."""

    @property
    def provenance(self) -> dict[str, str]:
        """A hash of the data."""
        return self.data.provenance

    @property
    @abstractmethod
    def auc(self) -> Estimate:
        """Area under the curve."""

    @abstractmethod
    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        """ROC(t): TPF at any FPF. `tpf_at` gives its uncertainty too."""

    @abstractmethod
    def tpf_at(self, fpf: float) -> Estimate:
        """TPF at this FPF, with its uncertainty."""

    @abstractmethod
    def fpf_at(self, tpf: float) -> Estimate:
        """FPF at this TPF, with its uncertainty."""

    @abstractmethod
    def partial_auc(self, fpf: Range | None = None, tpf: Range | None = None, standardized: bool = False) -> Estimate:
        """Area over a range of FPF (or of TPF), with its own standard error.

        Over FPF it is ∫ ROC(t) dt, at most the length of the range; over TPF it is the area to the right of the curve,
        ∫ (1 − ROC⁻¹(u)) du.

        Parameters
        ----------
        fpf, tpf : tuple of two floats
            The range, e.g. fpf=(0, .1) or tpf=(.9, 1).
        standardized : bool, default False
            McClish's scale (1989): ½ is chance and 1 is best.

        Returns
        -------
        Estimate
        """

    # -- what all of them share -----------------------------------------------------------------

    def rates_at(self, threshold: float) -> tuple[float, float]:
        """(FPF, TPF) of the decision score ≥ threshold on this curve, interpolated between thresholds; beyond the
        finite thresholds the nearest one counts. NaN labels every case negative."""
        if np.isnan(threshold) or threshold == np.inf == self.thresholds[0]:
            return 0.0, 0.0
        if threshold == -np.inf:
            return 1.0, 1.0
        finite = np.isfinite(self.thresholds)
        x = self.thresholds[finite][::-1]
        fpf, tpf = (float(np.interp(threshold, x, rate[finite][::-1])) for rate in (self.fpf, self.tpf))
        return fpf, tpf

    @property
    def likelihood_ratio(self) -> Floats:
        """Slope of the segment that leads to each point: P[score = t | positive] / P[score = t | negative] for the
        empirical curve, the ratio of densities averaged from one threshold to the next for a smooth one. NaN at the
        first point."""
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.diff(self.tpf) / np.diff(self.fpf)
        return np.concatenate([[np.nan], slope])

    def best(
        self,
        criterion: Criterion | None = None,
        *,
        tpf: float | None = None,
        fpf: float | None = None,
        costs: Costs | None = None,
        prevalence: float | None = None,
        n_resamples: int = 1000,
        rng: Rng = 0,
    ) -> Choice:
        """Choose an operating point, and estimate by bootstrap how certain the choice is.

        Parameters
        ----------
        criterion : str or Metric, optional
            Best value of a metric that is a function of the table, by any of its names ("f1", "balanced accuracy",
            "LR+"), or "closest": nearest to (0, 1). By default, and where nothing else is given, "youden": the largest
            TPF − FPF.
        tpf : float, optional
            At least this TPF, at the least FPF.
        fpf : float, optional
            At most this FPF, at the largest TPF.
        costs : array of shape (2, 2), optional
            Least expected cost: `costs[i][j]` is the cost of predicting j where the truth is i, in the order negative,
            positive, or a DataFrame with the labels. [[0, 1], [1, 0]] where only `prevalence` is given.
        prevalence : float, optional
            Of the population, for costs and metrics that depend on it; that of these cases by default.
        n_resamples : int, default 1000
            Of the stratified bootstrap; 0 skips it.
        rng : int, SeedSequence, Generator or None, default 0
            Seed of the bootstrap, so that the same call gives the same interval; None draws another one.

        Returns
        -------
        Choice

        Notes
        -----
        Candidates are the points of the curve: the observed scores of the empirical and of the binormal curve (which
        knows only their order), the pooled standardized scores of the semiparametric one. A normal-theory curve has a
        point at every threshold, and each is a candidate.
        """
        from trueness.curves.choice import choose, rule_for

        rule, note = rule_for(criterion, tpf, fpf, costs, prevalence, self.data.n1 / self.data.n, self.data.classes)
        return choose(self, rule, note, n_resamples, rng)

    def band(
        self, level: float = 0.95, method: BandMethod | None = None, *, n_resamples: int = 1000, rng: Rng = 0
    ) -> Band:
        """A confidence band around the curve.

        Parameters
        ----------
        level : float, default 0.95
            Coverage asked for.
        method : str, optional
            Simultaneous bands contain the whole true curve with this probability: "fixed-width" (default of the
            empirical curve), "working-hotelling" (default of a binormal one), and "kolmogorov" for the empirical curve
            (guaranteed, and wide). Pointwise bands contain each point by itself: "binomial" (FPF and TPF at a
            threshold), "vertical" (TPF at an FPF) and "bootstrap" (the same, by percentiles; the only one of a
            semiparametric curve).
        n_resamples : int, default 1000
            Of "fixed-width" and "bootstrap".
        rng : int, SeedSequence, Generator or None, default 0
            Seed of the resamples; None draws another one.

        Returns
        -------
        Band
        """
        from trueness.curves.bands import BANDS

        check_level(level)
        check_whole("n_resamples", n_resamples, 1)
        served = {name: build for name, kind, build in BANDS if isinstance(self, kind)}
        if self.data.groups is not None:
            served.pop("kolmogorov", None)  # Kolmogorov's distribution is that of independent cases
        name = next(iter(served)) if method is None else method
        check_choice("method", name, served, f"There is no {name} band for the {self.method} curve")
        found = served[name](self, level, n_resamples, rng)
        return replace(found, notes=kept(*found.notes, too_few_groups(self.data)))

    def _estimate(self, value: float, metric: str, bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        """A number of this curve, still without a standard error."""
        return Estimate(
            value,
            metric=metric,
            method=self.method,
            estimand=SCORES,
            bounds=bounds,
            interval=LOGIT if bounds[1] < math.inf else WALD,
            cases=min(self.data.n1, self.data.n0),
            notes=self.notes,
        )

    # -- showing --------------------------------------------------------------------------------

    def frame(self) -> pd.DataFrame:
        """One row per threshold: `threshold`, `fpf`, `tpf`, `likelihood_ratio`."""
        return pd.DataFrame(
            {"threshold": self.thresholds, "fpf": self.fpf, "tpf": self.tpf, "likelihood_ratio": self.likelihood_ratio}
        )

    def figure(
        self,
        *,
        band: BandMethod | Literal["auto"] | None = "auto",
        level: float = 0.95,
        label: str = "",
        rng: Rng = 0,
        area: Estimate | None = None,
    ) -> Figure:
        """The curve in the unit square, with its area and a band.

        Parameters
        ----------
        band : str, optional
            As in `band`; "auto" is the default band of an empirical curve, None draws none.
        level : float, default 0.95
            Level of the band and of the interval of the area.
        label : str, optional
            Name in the legend; by default the name of the assessment that the scores are from, or the method.
        rng : int, Generator or SeedSequence, default 0
            Random numbers of bands that resample.
        area : Estimate, optional
            The AUC in the legend, where it is estimated from more than these scores; that of the curve by default.

        Returns
        -------
        Figure
        """
        name = label or self.data.name or self.method
        if band == "auto":
            few = min(self.data.n1, self.data.n0) < 2 or self.data.n > MAX_CASES_FOR_BAND
            band = "fixed-width" if self.method == "empirical" and not few else None
        shaded = self.band(level, band, n_resamples=BAND_RESAMPLES, rng=rng).marks("C0") if band else ()
        return roc_figure({name: self}, level, {name: area or self.auc}, shaded)

    def drawn(self) -> tuple[Floats, Floats]:
        """FPF and TPF to draw it through: its points, or a fine grid where it is smooth."""
        if self.method not in ("binormal", "normal"):
            return self.fpf, self.tpf
        x = np.concatenate([[0.0], np.geomspace(1e-4, 1, 400)])
        return x, np.append(0.0, self(x[1:]))

    def answer(self) -> str:
        """The area with its interval."""
        return sentence(self.auc, self.level, "AUC")

    def page(self, level: float | None = None) -> Page:
        return replace(super().page(level), notes=self.auc.notes)

    @property
    def made(self) -> str:
        """How the standard error and the interval of the area were computed."""
        return how(self.auc, self.level) or "none"

    def _named(self) -> list[tuple[str, Estimate]]:
        return [("auc", self.auc)]

    def _beside(self, level: float) -> Record:
        """What JSON has for readers beside the fields."""
        return {"auc": self.auc}


def roc_figure(
    curves: Mapping[str, RocCurve],
    level: float = 0.95,
    areas: Mapping[str, Estimate] | None = None,
    band: Sequence[Mark] = (),
) -> Figure:
    """Several curves by name, with their areas and intervals in the legend, over a band; `areas` are estimates that the
    legend has instead of the areas of the curves."""
    areas, lines = areas or {}, list[Mark]()
    for k, (name, curve) in enumerate(curves.items()):
        label = f"{name}: AUC {with_interval(areas.get(name) or curve.auc, level)}"
        lines.append(Line(*curve.drawn(), label, ("-", "--", ":")[k % 3], f"C{k % 8}", width=1.8))
    return Figure("ROC curve", (roc_panel([*band, *lines]),))


@dataclass(frozen=True, eq=False, repr=False)
class FittedRoc(RocCurve):
    """A curve from a model of the scores."""

    data: Scored
    thresholds: Floats
    fpf: Floats
    tpf: Floats
    notes: tuple[Note, ...]
    level: float = field(default=0.95, kw_only=True)
