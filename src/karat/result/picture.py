"""Picture: a figure as data. What is drawn can be read, tested and kept without a plotting library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class Line:
    """A curve; `error` (its standard error) is drawn as bars."""

    x: Any
    y: Any
    label: str = ""
    style: str = "-"
    color: str | None = None
    error: Any = None
    width: float = 1.4


@dataclass(frozen=True, eq=False)
class Points:
    """Points without a line between them."""

    x: Any
    y: Any
    label: str = ""
    marker: str = "o"
    color: str | None = None
    size: float = 18.0


@dataclass(frozen=True, eq=False)
class Band:
    """The region between two curves."""

    x: Any
    low: Any
    high: Any
    label: str = ""
    color: str | None = None


@dataclass(frozen=True, eq=False)
class Surface:
    """A function of two features: a contour at each level, and its sign as a shade where `shaded`."""

    x: Any  # (a,)
    y: Any  # (b,)
    z: Any  # (b, a)
    levels: tuple[float, ...] = (0.0,)
    label: str = ""
    shaded: bool = False
    color: str | None = None
    style: str = "-"


Mark = Line | Points | Band | Surface


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes."""

    marks: tuple[Mark, ...]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = False
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    x_ticks: dict[float, str] = field(default_factory=dict)
    y_ticks: dict[float, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Picture:
    """Panels in a grid of `columns`, each of `panel_size` inches."""

    name: str
    panels: tuple[Panel, ...]
    caption: str = ""
    columns: int = 3
    panel_size: tuple[float, float] = (4.0, 3.6)

    def frame(self) -> pd.DataFrame:
        """Every line, point and band as rows: `panel`, `label`, `x`, `y` (and `high` of a band)."""
        parts = []
        for i, panel in enumerate(self.panels):
            for mark in panel.marks:
                where = {"panel": panel.title or i, "label": mark.label}
                if isinstance(mark, Band):
                    parts.append(pd.DataFrame({**where, "x": mark.x, "y": mark.low, "high": mark.high}))
                elif isinstance(mark, Line | Points):
                    parts.append(pd.DataFrame({**where, "x": np.asarray(mark.x), "y": np.asarray(mark.y)}))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def plot(self) -> Any:
        """A matplotlib figure."""
        from karat.plots.picture import draw

        return draw(self)
