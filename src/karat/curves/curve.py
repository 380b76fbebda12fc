"""What every ROC curve has: points with their thresholds, an area, and questions it can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy import special

from karat.curves.rates import ROUNDING
from karat.errors import InputError
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.interval_rules import LOGIT
from karat.sample.scored import Scored

if TYPE_CHECKING:
    from karat.curves.bands import Band
    from karat.curves.choice import Choice

SCORES = "these scores, on cases like these"
BELOW_CHANCE = (
    "The AUC is below ½: low scores go with the positive class here. Are the labels swapped, or does the "
    "score point the other way? karat never turns a curve over by itself."
)


@dataclass(frozen=True, eq=False)
class RocCurve(ABC):
    """A ROC curve: FPF(t) = P[score ≥ t | negative] against TPF(t) = P[score ≥ t | positive]  (seeds/003).

    Attributes
    ----------
    data
        The scores it was made from.
    thresholds
        From high to low: a case is called positive where score ≥ threshold. The first calls nobody positive.
    fpf, tpf
        False and true positive fraction at each threshold, from (0, 0) to (1, 1).
    notes
        What the reader should know.
    """

    data: Scored = field(repr=False)
    thresholds: np.ndarray = field(repr=False)
    fpf: np.ndarray = field(repr=False)
    tpf: np.ndarray = field(repr=False)
    notes: tuple[str, ...] = ()
    method: ClassVar[str]

    # -- what a kind of curve must say ----------------------------------------------------------

    @property
    @abstractmethod
    def auc(self) -> Estimate:
        """Area under the curve."""

    @abstractmethod
    def __call__(self, fpf: Any) -> Any:
        """ROC(t): TPF at any FPF, numbers in and out. `tpf_at` gives its uncertainty too."""

    @abstractmethod
    def tpf_at(self, fpf: float) -> Estimate:
        """TPF where the FPF is this, with its uncertainty."""

    @abstractmethod
    def fpf_at(self, tpf: float) -> Estimate:
        """FPF where the TPF is this, with its uncertainty."""

    @abstractmethod
    def partial_auc(
        self,
        fpf: tuple[float, float] | None = None,
        tpf: tuple[float, float] | None = None,
        standardized: bool = False,
    ) -> Estimate:
        """Area over a range of FPF (or of TPF), with its own standard error."""

    @abstractmethod
    def refitted(self, data: Scored) -> RocCurve:
        """The same kind of curve of other cases."""

    # -- what all of them share -----------------------------------------------------------------

    def rates_at(self, threshold: float) -> tuple[float, float]:
        """(FPF, TPF) of the decision score ≥ threshold on this curve; between thresholds it is interpolated, and
        beyond the finite ones the nearest speaks. NaN stands for calling nobody positive."""
        if np.isnan(threshold) or threshold == np.inf == self.thresholds[0]:
            return 0.0, 0.0
        if threshold == -np.inf:
            return 1.0, 1.0
        finite = np.isfinite(self.thresholds)
        x = self.thresholds[finite][::-1]
        return float(np.interp(threshold, x, self.fpf[finite][::-1])), float(
            np.interp(threshold, x, self.tpf[finite][::-1])
        )

    @property
    def likelihood_ratio(self) -> np.ndarray:
        """Slope of the curve that leads to each point: P[score = t | positive] / P[score = t | negative] for the
        empirical curve, the ratio of densities averaged from one threshold to the next for a smooth one
        (seeds/003: the slope is the likelihood ratio). NaN at the first point."""
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.diff(self.tpf) / np.diff(self.fpf)
        return np.concatenate([[np.nan], slope])

    def to_normal(self, scores: Any) -> np.ndarray:
        """h(s) = −Φ⁻¹(FPF(s)), the monotone transformation that makes the scores of both classes normal if
        the ROC curve is binormal  (seeds/003).

        FPF is the share of negatives at or above s, kept half a case away from 0 and 1 (ours), so that h stays
        finite.
        """
        values = np.asarray(scores, dtype=float)
        ordered = np.sort(self.data.down)
        n0 = len(ordered)
        above = n0 - np.searchsorted(ordered, values, side="left")
        return -special.ndtri(np.clip(above / n0, 0.5 / n0, 1 - 0.5 / n0))

    def at(self, threshold: float) -> Any:
        """What the decision score ≥ threshold does with the cases: of the empirical curve only."""
        raise self._no("points of cases", "at(threshold)", "rates_at(threshold) gives this curve's (FPF, TPF)")

    def threshold_at(self, *, fpf: float | None = None, tpf: float | None = None) -> Any:
        """A threshold for a wanted rate, with an exact interval: of the empirical curve only."""
        raise self._no("exact thresholds", "threshold_at(...)", "best(tpf=...) or best(fpf=...) chooses on this curve")

    def hull(self) -> Any:
        """The concave hull of the points: of the empirical curve only."""
        raise self._no("hull", "hull()", "")

    def _no(self, what: str, call: str, instead: str) -> InputError:
        do = f"Use karat.roc(y, scores).{call}" + (f"; {instead}" if instead else "")
        return InputError(f"the {self.method} curve has no {what}, the empirical one has", fix=do)

    def best(
        self,
        criterion: str | None = None,
        *,
        tpf: float | None = None,
        fpf: float | None = None,
        costs: Any = None,
        prevalence: float | None = None,
        n_resamples: int = 1000,
        rng: Any = None,
    ) -> Choice:
        """Choose an operating point, and say by bootstrap how sure the choice is.

        Parameters
        ----------
        criterion
            "youden" (largest TPF − FPF; also where nothing is said) or "closest" (nearest to (0, 1)).
        tpf
            At least this TPF, at the least FPF.
        fpf
            At most this FPF, at the largest TPF.
        costs, prevalence
            Least expected cost. costs[i][j] is the cost of predicting j where the truth is i, in the order
            negative, positive, by default [[0, 1], [1, 0]]: every error costs 1. The prevalence is that of the
            population, by default that of these cases.
        n_resamples, rng
            Of the stratified bootstrap; 0 leaves it out.

        Notes
        -----
        Candidates are the points of the curve: the observed scores of the empirical and of the binormal one (which
        knows their order only, so that nothing can be said between two of them), the made-up scores of the
        semiparametric one. A normal-theory curve has a point at every threshold, and each is a candidate.
        """
        from karat.curves.choice import choose

        return choose(
            self,
            criterion,
            tpf=tpf,
            fpf=fpf,
            costs=costs,
            prevalence=prevalence,
            n_resamples=n_resamples,
            rng=rng,
        )

    def band(self, level: float = 0.95, method: str | None = None, *, n_resamples: int = 1000, rng: Any = None) -> Band:
        """A confidence band around the curve.

        Parameters
        ----------
        level
            Coverage asked for.
        method
            Simultaneous (the whole true curve lies inside with this probability): "fixed-width" for the
            empirical curve, "working-hotelling" for a binormal one (these are the defaults), and "kolmogorov"
            for the empirical curve where a guarantee is worth a wide band. Pointwise (each point by itself):
            "binomial" (FPF and TPF at a threshold), "vertical" (TPF at an FPF) and "bootstrap" (the same, by
            percentiles; the only one of a semiparametric curve).
        n_resamples, rng
            Of "fixed-width" and "bootstrap".
        """
        from karat.curves.bands import band

        return band(self, level, method, n_resamples=n_resamples, rng=rng)

    def frame(self) -> pd.DataFrame:
        """A row a threshold: `threshold`, `fpf`, `tpf`, `likelihood_ratio`."""
        return pd.DataFrame(
            {
                "threshold": self.thresholds,
                "fpf": self.fpf,
                "tpf": self.tpf,
                "likelihood_ratio": self.likelihood_ratio,
            }
        )

    def plot(
        self,
        ax: Any = None,
        *,
        band: str | None = None,
        level: float = 0.95,
        label: str | None = None,
        rng: Any = None,
    ) -> Any:
        """Draw the curve into matplotlib axes (new ones where none are given) and return them; `rng` is for bands
        that resample."""
        from karat.plots.roc import RocDisplay

        bands = {} if band is None else {label or self.method: self.band(level, band, rng=rng)}
        return RocDisplay({label or self.method: self}, bands).plot(ax)

    def __str__(self) -> str:
        cases = " and ".join(counted(n, name) for n, name in ((self.data.n1, "positive"), (self.data.n0, "negative")))
        return "\n".join([f"{self.method} ROC curve of {cases}, {self.auc}", *self.auc.notes])

    def _area(self, value: float, **fields: Any) -> Estimate:
        """An Estimate of the area, with the notes that belong to it."""
        out = Estimate(
            value,
            metric="auc",
            method=self.method,
            estimand=SCORES,
            bounds=(0.0, 1.0),
            interval=LOGIT,
            cases=min(self.data.n1, self.data.n0),
            **fields,
        )
        return out.noting(*dict.fromkeys((*self.notes, *below_chance(value))))


def below_chance(area: float) -> tuple[str, ...]:
    """The note that an area below ½ gets."""
    return (BELOW_CHANCE,) if area < 0.5 - ROUNDING else ()


def nobody(top: float) -> tuple[float, tuple[str, ...]]:
    """The threshold that calls nobody positive, above the highest score; NaN and a note where there is none."""
    if top < np.inf:
        return np.inf, ()
    return np.nan, ("The highest score is +inf: no threshold calls nobody positive (NaN stands for it).",)
