"""The concave hull of an empirical ROC curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt
import pandas as pd

from trueness.curves.notes import columns
from trueness.formulas.roc import height
from trueness.result.shown import Drawn, Result
from trueness.result.table import Page
from trueness.typing import Floats, Record


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Result, Drawn):
    """Corners of the concave hull: every other point of the curve is beaten by one of these or by a mixture of two,
    whatever the costs and the prevalence (Provost & Fawcett 2001). Its slopes, likelihood ratios of pooled scores, fall
    from left to right.

    Attributes
    ----------
    thresholds, fpf, tpf : ndarray
        The corners.
    area : float
        Area under the hull.
    """

    thresholds: Floats
    fpf: Floats
    tpf: Floats
    area: float

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        """TPF of the hull at any FPF."""
        return height(self.fpf, self.tpf, fpf)

    def frame(self) -> pd.DataFrame:
        """One row per corner: `threshold`, `fpf`, `tpf`."""
        return pd.DataFrame({"threshold": self.thresholds, "fpf": self.fpf, "tpf": self.tpf})

    def page(self, level: float | None = None) -> Page:
        return Page(title=f"Concave hull of a ROC curve, {len(self.fpf)} corners", answer=f"Area {self.area:.3f}")

    def to_dict(self) -> Record:
        return {"area": self.area, "corners": columns(self.frame())}
