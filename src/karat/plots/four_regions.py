"""Four regions around the current test: where a new one is better, worse, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.plots.axes import roc_square

if TYPE_CHECKING:
    from karat.diagnostic.four_regions import FourRegions, Placed

COLORS = {"A": "#cfe8cf", "B": "#f2f2f2", "C": "#f2f2f2", "D": "#f6d5d5"}
WORDS = {
    "rates": ("better", "finds more,\nmore false alarms", "finds less,\nfewer false alarms", "worse"),
    "dlrs": ("better", "negative result\nsays more", "positive result\nsays more", "worse"),
}


@dataclass(frozen=True, eq=False)
class FourRegionsDisplay:
    """Left: the regions by TPF and FPF. Right: by the likelihood ratios, where the unclear ones are smaller.

    The blue area is what the verdict rests on: where the new test may lie as seen from the current one, with the
    errors of both where both were estimated.
    """

    regions: FourRegions

    def frame(self) -> pd.DataFrame:
        return self.regions.frame()

    def plot(self, axes: Any = None) -> Any:
        """Draw into two axes (new ones where none are given); returns them."""
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(1, 2, figsize=(9.6, 5.2), layout="constrained")
        for ax, placed, shares in zip(
            axes, (self.regions.rates, self.regions.dlrs), (_by_rates, _by_dlrs), strict=True
        ):
            self._panel(ax, placed, shares)
        return axes

    def _panel(self, ax: Any, placed: Placed, shares: Any) -> None:
        from matplotlib.colors import ListedColormap

        middle = (np.arange(400) + 0.5) / 400
        fpf, tpf = np.meshgrid(middle, middle)
        finds, spares = shares(fpf, tpf, *self.regions.current)
        codes = 2 * (~finds).astype(int) + (~spares).astype(int)  # A B C D
        colors = ListedColormap([COLORS[r] for r in "ABCD"])
        ax.imshow(codes, origin="lower", extent=(0, 1, 0, 1), cmap=colors, vmin=-0.5, vmax=3.5, zorder=0)
        for code, words in enumerate(WORDS[placed.by]):
            inside = codes == code
            if inside.sum() > 4000:
                at = _inmost(inside)
                ax.text(middle[at[1]], middle[at[0]], words, ha="center", va="center", fontsize=8, color="0.35")
        roc_square(ax)
        reach = _reach(placed, fpf, tpf, *self.regions.current)
        ax.contourf(fpf, tpf, reach, levels=[0.5, 1.5], colors=["C0"], alpha=0.2)
        ax.contour(fpf, tpf, reach, levels=[0.5], colors=["C0"], linewidths=1)
        ax.plot(*self.regions.current, "o", color="0.2", markersize=6, label="current test")
        ax.plot(*self.regions.new, "D", color="C0", markersize=6, label="new test")
        by = "TPF and FPF" if placed.by == "rates" else "likelihood ratios"
        meaning, _, how = placed.verdict.partition(" (")
        ax.set_title(f"By {by}: {meaning}\n({how}", fontsize="x-small")
        ax.legend(loc="lower right", fontsize="small", frameon=False)


def _by_rates(fpf: np.ndarray, tpf: np.ndarray, fpf0: float, tpf0: float) -> tuple[np.ndarray, np.ndarray]:
    return tpf >= tpf0, fpf <= fpf0


def _by_dlrs(fpf: np.ndarray, tpf: np.ndarray, fpf0: float, tpf0: float) -> tuple[np.ndarray, np.ndarray]:
    return (1 - tpf) * (1 - fpf0) <= (1 - tpf0) * (1 - fpf), tpf * fpf0 >= tpf0 * fpf


def _reach(placed: Placed, fpf: np.ndarray, tpf: np.ndarray, fpf0: float, tpf0: float) -> np.ndarray:
    """1 where the intervals of both measures, seen from the current test, leave the new one."""
    if placed.by == "rates":
        finds, spares = tpf - tpf0, fpf - fpf0
    else:
        with np.errstate(divide="ignore"):
            finds = (1 - tpf) * (1 - fpf0) / ((1 - tpf0) * (1 - fpf))
            spares = tpf * fpf0 / (tpf0 * fpf)
    inside = (placed.finds[0] <= finds) & (finds <= placed.finds[1])
    return (inside & (placed.spares[0] <= spares) & (spares <= placed.spares[1])).astype(float)


def _inmost(inside: np.ndarray) -> tuple[int, int]:
    """The place deepest inside a region, for its name."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(depth.argmax(), depth.shape)
    return int(row), int(column)
