"""The concave hull of an empirical ROC curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class Hull:
    """Corners of the concave hull: every other point of the curve is beaten by one of these or by a mixture of two,
    whatever the costs and the prevalence (Provost & Fawcett 2001). Its slopes, likelihood ratios of pooled
    scores, fall from left to right.
    """

    thresholds: np.ndarray = field(repr=False)
    fpf: np.ndarray = field(repr=False)
    tpf: np.ndarray = field(repr=False)
    area: float

    def __call__(self, fpf: Any) -> Any:
        return np.interp(fpf, self.fpf, self.tpf)

    def __str__(self) -> str:
        return f"concave hull of {len(self.fpf)} corners, area {self.area:.3f}"

    def frame(self) -> pd.DataFrame:
        """A row a corner: `threshold`, `fpf`, `tpf`."""
        return pd.DataFrame({"threshold": self.thresholds, "fpf": self.fpf, "tpf": self.tpf})

    def plot(self, ax: Any = None) -> Any:
        """Draw the hull into matplotlib axes (new ones where none are given) and return them."""
        from karat.plots.hull import HullDisplay

        return HullDisplay(self).plot(ax)
