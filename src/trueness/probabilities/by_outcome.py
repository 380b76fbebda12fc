"""Distributions of predicted risk by outcome, and tables of reclassification."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.checks import check_level, number_array
from trueness.errors import InputError
from trueness.figures.figure import Figure, by_class
from trueness.formulas.calibration import quantile_of
from trueness.probabilities.given import Given
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result, Table, records
from trueness.sample.fits import Fits
from trueness.typing import Label, Labels, Record, Scores

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NO_NRI = Note("no-nri")


@dataclass(frozen=True, eq=False, repr=False)
class Risks(Result, Drawn):
    """Predicted probabilities by outcome; what `trueness.probabilities.risks` returns.

    Attributes
    ----------
    table : DataFrame
        One row per outcome: cases, mean and quantiles.
    slope : Estimate
        Discrimination slope: mean probability of the positives less that of the negatives.
    """

    columns = {"outcome": Column("outcome")} | {
        name: Column(name, ".3f") for name in ("mean", *(f"{100 * q:g} %" for q in QUANTILES))
    }
    heading = "Predicted probabilities by outcome"
    template = "Discrimination slope {slope:ci}."

    table: pd.DataFrame
    slope: Estimate
    drawn: Figure
    level: float = 0.95

    @classmethod
    def of(cls, given: Given, level: float = 0.95) -> Risks:
        j, code = given.judged, given.fits.require_positive()
        names = tuple(str(given.fits.sample.classes[c]) for c in (1 - code, code))
        rows, of_class = [], [(j.p[of], j.w[of]) for of in (~j.y, j.y)]
        for name, (p, w) in zip(names, of_class, strict=True):
            values = quantile_of(p, w, QUANTILES)
            quantiles = {f"{100 * q:g} %": value for q, value in zip(QUANTILES, values.tolist(), strict=True)}
            rows.append({"outcome": name, "mean": float(w @ p / w.sum()), **quantiles})
        risks, weights = zip(*of_class, strict=True)
        figure = by_class(risks, names, "Risks by outcome", "predicted probability", (0.0, 1.0), weights)
        return cls(pd.DataFrame(rows), given.estimate("discrimination_slope"), figure, level)

    def figure(self) -> Figure:
        """Histograms by outcome."""
        return self.drawn

    def rows(self) -> list[Record]:
        return records(self.table)


def risks(
    y: Labels | Fits,
    p: Scores | None = None,
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
    level: float = 0.95,
) -> Risks:
    """The distribution of predicted probabilities by outcome, with the discrimination slope.

    Parameters
    ----------
    y, p, positive, groups, level
        As in `trueness.calibration`; of two classes.

    Returns
    -------
    Risks

    Examples
    --------
    >>> from trueness.probabilities import risks
    >>> print(risks([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.7, 0.9]).slope)
    discrimination_slope holdout: 0.33 ± 0.21
    """
    check_level(level)
    return Risks.of(Given.of(y, p, positive, groups), level)


@dataclass(frozen=True, eq=False, repr=False)
class Reclassification(Result):
    """How a second model moves cases between categories of risk; what `reclassification` returns.

    Attributes
    ----------
    table : DataFrame
        One row per outcome and category of the first model; the columns are categories of the second, in cases.
    notes : tuple of Note
        Why there is no net reclassification improvement.
    """

    heading = "Reclassification: rows by the first model, columns by the second"

    table: pd.DataFrame
    notes: tuple[Note, ...] = (NO_NRI,)

    def frame(self) -> pd.DataFrame:
        """One row per outcome and category of the first model."""
        return self.table.copy()

    def _tables(self) -> tuple[Table, ...]:
        return (Table.of(list(map(str, self.table)), self.table.astype(str).to_numpy().tolist()),)


def reclassification(
    y: Labels, first: Scores, second: Scores, thresholds: npt.ArrayLike = (0.1, 0.2), *, positive: Label | None = None
) -> Reclassification:
    """Cases by outcome and by the category of risk that two models put them in. A table only, without an NRI.

    Parameters
    ----------
    y : array-like of shape (n,)
        Outcomes.
    first, second : array-like of shape (n,)
        Probabilities of two models.
    thresholds : sequence of float, default (0.1, 0.2)
        Between the categories; a category holds its lower threshold.
    positive : label, optional
        The positive class.

    Returns
    -------
    Reclassification

    Examples
    --------
    >>> from trueness.probabilities import reclassification
    >>> r = reclassification([0, 0, 1, 1], [0.05, 0.3, 0.15, 0.4], [0.1, 0.1, 0.3, 0.5], thresholds=[0.2])
    >>> r.frame().values.tolist()
    [['0', '< 0.2', 1, 0], ['0', '≥ 0.2', 1, 0], ['1', '< 0.2', 0, 1], ['1', '≥ 0.2', 0, 1]]
    """
    cuts = np.sort(number_array("thresholds", thresholds))
    if not len(cuts) or (cuts <= 0).any() or (cuts >= 1).any() or len(np.unique(cuts)) < len(cuts):
        raise InputError(
            "thresholds must be different numbers above 0 and below 1", param="thresholds", got=cuts.tolist()
        )
    both = [Given.of(y, p, positive).judged for p in (first, second)]
    sample = Given.of(y, first, positive).fits.sample
    code = sample.require_positive()
    labels = [f"< {cuts[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(cuts.tolist())), f"≥ {cuts[-1]:g}"]
    places = [np.searchsorted(cuts, j.p, side="right") for j in both]
    rows = []
    for outcome, of in ((sample.classes[1 - code], ~both[0].y), (sample.classes[code], both[0].y)):
        for k, label in enumerate(labels):
            counts = np.bincount(places[1][of & (places[0] == k)], minlength=len(labels))
            rows.append([str(outcome), label, *counts.tolist()])
    return Reclassification(pd.DataFrame(rows, columns=["outcome", "first", *labels]))
