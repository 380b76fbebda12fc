"""Figures as data: they can be read and tested without a plotting library, and matplotlib draws them."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from trueness.errors import InputError
from trueness.typing import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Line:
    """A curve; `error` (its standard error) is drawn as bars."""

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    style: str = "-"
    color: str | None = None
    error: ArrayLike | None = None
    width: float = 1.4

    def draw(self, ax: Axes) -> None:
        options: Record = {"label": self.label or None, "linewidth": self.width, "markersize": 3}
        if self.color is not None:  # a color of None would override that of the style
            options["color"] = self.color
        (drawn,) = ax.plot(self.x, self.y, self.style, **options)
        if self.error is not None:
            ax.errorbar(self.x, self.y, yerr=self.error, fmt="none", ecolor=drawn.get_color(), elinewidth=0.8)


@dataclass(frozen=True, eq=False)
class Points:
    """Points without a line between them."""

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    marker: str = "o"
    color: str | None = None
    size: float = 18.0

    def draw(self, ax: Axes) -> None:
        label = self.label or None
        ax.scatter(self.x, self.y, s=self.size, marker=self.marker, color=self.color, label=label, linewidths=0.8)


@dataclass(frozen=True, eq=False)
class Band:
    """The region between two curves."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    label: str = ""
    color: str | None = None

    def draw(self, ax: Axes) -> None:
        low, high = np.asarray(self.low), np.asarray(self.high)
        ax.fill_between(np.asarray(self.x), low, high, alpha=0.2, color=self.color, label=self.label, linewidth=0)


@dataclass(frozen=True, eq=False)
class Surface:
    """The sign of a function of two features as a shade, and its border as a line.

    Attributes
    ----------
    x, y : array of shape (a,) and (b,)
        Grid.
    z : array of shape (b, a)
        Values of the function on the grid.
    """

    x: ArrayLike
    y: ArrayLike
    z: ArrayLike
    label: str = ""

    def draw(self, ax: Axes) -> None:
        z = np.asarray(self.z)
        ax.contourf(self.x, self.y, z, levels=[-np.inf, 0, np.inf], colors=["C0", "C1"], alpha=0.15)
        ax.contour(self.x, self.y, z, levels=[0.0], colors="k", linestyles="-")
        if self.label:
            ax.plot([], [], "-", color="k", label=self.label)


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

    def draw(self, ax: Axes) -> None:
        for mark in self.marks:
            mark.draw(ax)
        ax.set(title=self.title, xlabel=self.x_label, ylabel=self.y_label)
        ax.title.set_fontsize(10)
        if self.x_log:
            ax.set_xscale("log")
        if self.y_log:
            ax.set_yscale("log")
        if self.x_limits is not None:
            ax.set_xlim(self.x_limits)
        if self.y_limits is not None:
            ax.set_ylim(self.y_limits)
        if self.x_ticks:
            ax.set_xticks(list(self.x_ticks), list(self.x_ticks.values()))
            ax.minorticks_off()
        if self.y_ticks:
            ax.set_yticks(list(self.y_ticks), list(self.y_ticks.values()), fontsize=7)
        if any(mark.label for mark in self.marks):
            ax.legend(fontsize=7)


@dataclass(frozen=True, eq=False)
class Picture:
    """Panels in a grid of `columns`, each of `panel_size` inches."""

    name: str
    panels: tuple[Panel, ...]
    columns: int = 3
    panel_size: tuple[float, float] = (4.0, 3.6)

    def frame(self) -> pd.DataFrame:
        """One row per point of every line, set of points and band: `panel`, `label`, `x`, `y` (`high` of a band)."""
        parts = []
        for i, panel in enumerate(self.panels):
            for mark in panel.marks:
                where = {"panel": panel.title or i, "label": mark.label}
                if isinstance(mark, Band):
                    parts.append(pd.DataFrame({**where, "x": mark.x, "y": mark.low, "high": mark.high}))
                elif isinstance(mark, Line | Points):
                    parts.append(pd.DataFrame({**where, "x": np.asarray(mark.x), "y": np.asarray(mark.y)}))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def plot(self) -> Figure:
        """A matplotlib figure, as pyplot makes it."""
        figure: Figure = _pyplot().figure(figsize=self.size, layout="constrained")
        return self._drawn(figure)

    def png(self) -> bytes:
        """The figure as PNG, without a window and without the time when it was made."""
        _pyplot()
        from matplotlib.figure import Figure

        out = io.BytesIO()
        figure = self._drawn(Figure(figsize=self.size, layout="constrained"))
        figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
        return out.getvalue()

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        rows, columns = self._grid
        width, height = self.panel_size
        return (max(5.6, width * columns), height * rows + 0.4)

    @property
    def _grid(self) -> tuple[int, int]:
        columns = min(self.columns, len(self.panels))
        return math.ceil(len(self.panels) / columns), columns

    def _drawn(self, figure: Figure) -> Figure:
        for i, panel in enumerate(self.panels):
            panel.draw(figure.add_subplot(*self._grid, i + 1))
        return figure


def _pyplot() -> ModuleType:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("Plots need matplotlib", fix="pip install matplotlib") from None
    return plt
