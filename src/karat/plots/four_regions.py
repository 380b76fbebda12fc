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


@dataclass(frozen=True, eq=False)
class FourRegionsDisplay:
    """Left: the regions by TPF and FPF. Right: by the likelihood ratios, where the unclear ones are smaller."""

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
        from matplotlib.patches import Rectangle

        middle = (np.arange(400) + 0.5) / 400
        fpf, tpf = np.meshgrid(middle, middle)
        finds, spares = shares(fpf, tpf, *self.regions.current)
        codes = 2 * (~finds).astype(int) + (~spares).astype(int)  # A B C D
        colors = ListedColormap([COLORS[r] for r in "ABCD"])
        ax.imshow(codes, origin="lower", extent=(0, 1, 0, 1), cmap=colors, vmin=-0.5, vmax=3.5, zorder=0)
        for code, name in enumerate("ABCD"):
            inside = codes == code
            if inside.sum() > 400:
                at = _inmost(inside)
                ax.text(middle[at[1]], middle[at[0]], name, ha="center", va="center", fontsize=13, color="0.45")
        roc_square(ax)
        new = self.regions.new
        (x0, x1), (y0, y1) = new.joint_region(self.regions.level)
        ax.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, edgecolor="C0", linestyle=":", linewidth=1))
        if new.tpf.plain and new.fpf.plain:
            edge = new.likelihood_region(self.regions.level)
            ax.fill(edge[:, 0], edge[:, 1], facecolor="C0", alpha=0.2, edgecolor="C0", linewidth=1)
        ax.plot(*self.regions.current, "o", color="0.2", markersize=6, label="current test")
        ax.plot(new.fpf.value, new.tpf.value, "D", color="C0", markersize=6, label="new test")
        by = "TPF and FPF" if placed.by == "rates" else "likelihood ratios"
        meaning, _, how = placed.verdict.partition(" (")
        ax.set_title(f"By {by}: {meaning}\n({how}", fontsize="small")
        ax.legend(loc="lower right", fontsize="small", frameon=False)


def _by_rates(fpf: np.ndarray, tpf: np.ndarray, fpf0: float, tpf0: float) -> tuple[np.ndarray, np.ndarray]:
    return tpf >= tpf0, fpf <= fpf0


def _by_dlrs(fpf: np.ndarray, tpf: np.ndarray, fpf0: float, tpf0: float) -> tuple[np.ndarray, np.ndarray]:
    return (1 - tpf) * (1 - fpf0) <= (1 - tpf0) * (1 - fpf), tpf * fpf0 >= tpf0 * fpf


def _inmost(inside: np.ndarray) -> tuple[int, int]:
    """The place deepest inside a region, for its letter."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(depth.argmax(), depth.shape)
    return int(row), int(column)
