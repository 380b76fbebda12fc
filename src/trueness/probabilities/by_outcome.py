"""Distributions of predicted risk by outcome."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from trueness.figures.figure import Figure
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.shown import Drawn, Result, records
from trueness.typing import Record

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False, repr=False)
class Risks(Result, Drawn):
    """Predicted probabilities by outcome; the `risks` of a calibration.

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

    def figure(self) -> Figure:
        """Histograms by outcome."""
        return self.drawn

    def rows(self) -> list[Record]:
        return records(self.table)
