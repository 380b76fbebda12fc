"""Four regions around the current test: where a new one is better, worse, or neither."""

from __future__ import annotations

import numpy as np

from trueness.plots.axes import new_axes, roc_square
from trueness.plots.draw import draw
from trueness.tables.four_regions import MEASURES_BY, By, FourRegions, Limits, Relative, describe
from trueness.typing import Axes, Bools, Floats

COLORS = {"A": "#cfe8cf", "B": "#f2f2f2", "C": "#f2f2f2", "D": "#f6d5d5"}
POINTS = 400  # along each side of the square
LEAST_POINTS_FOR_A_NAME = 4000
LEFT, RIGHT = (0.0, 0.0, 0.44, 1.0), (0.56, 0.0, 0.44, 1.0)


@draw.register(FourRegions)
def draw_four_regions(regions: FourRegions, ax: Axes | None = None) -> Axes:
    """Left: the regions by TPF and FPF. Right: by the likelihood ratios, where regions B and C are smaller.

    The blue area is where the intervals place the new test relative to the current one. The two squares are insets of
    the axes: `ax.child_axes`.
    """
    from matplotlib.colors import ListedColormap

    ax = new_axes(ax, figsize=(9.6, 5.2))
    ax.set_axis_off()
    middle = (np.arange(POINTS) + 0.5) / POINTS
    fpf, tpf = np.meshgrid(middle, middle)
    marked = np.abs(fpf - 0.5) > 0.45  # no name of a region over an edge, or over the marks of the two tests
    for x, y in (regions.current, regions.new):
        marked |= (np.abs(fpf - x) < 0.11) & (np.abs(tpf - y) < 0.045)
    for placed, place in ((regions.rates, LEFT), (regions.dlrs, RIGHT)):
        panel = ax.inset_axes(place)
        first, second = MEASURES_BY[placed.by]
        values = relative(placed.by, fpf, tpf, regions.current)
        codes = 2 * _worse(values[0], first) + _worse(values[1], second)  # A B C D
        colors = ListedColormap([COLORS[region] for region in "ABCD"])
        panel.imshow(
            codes,
            origin="lower",
            extent=(0, 1, 0, 1),
            cmap=colors,
            vmin=-0.5,
            vmax=3.5,
            zorder=0,
            interpolation="nearest",
        )
        for code, region in enumerate("ABCD"):
            free = (codes == code) & ~marked
            if (codes == code).sum() > LEAST_POINTS_FOR_A_NAME and free.any():
                row, column = _deepest(free)
                name = describe(region, placed.by).replace(", ", ",\n")
                panel.text(middle[column], middle[row], name, ha="center", va="center", fontsize=8, color="0.35")
        roc_square(panel)
        reach = reached(values, placed.limits).astype(float)
        panel.contourf(fpf, tpf, reach, levels=[0.5, 1.5], colors=["C0"], alpha=0.2)
        panel.contour(fpf, tpf, reach, levels=[0.5], colors=["C0"], linewidths=1)
        panel.plot(*regions.current, "o", color="0.2", markersize=6, label="current test")
        panel.plot(*regions.new, "D", color="C0", markersize=6, label="new test")
        by = "TPF and FPF" if placed.by == "rates" else "likelihood ratios"
        title = f"By {by}: {placed.shown}\n(at {100 * regions.level:g} %; estimates alone: {placed.estimated})"
        panel.set_title(title, fontsize="small")
        panel.legend(loc="lower right", fontsize="small", frameon=False)
    return ax


def relative(by: By, fpf: Floats, tpf: Floats, current: tuple[float, float]) -> tuple[Floats, Floats]:
    """TPF and FPF minus, or DLR− and DLR+ divided by, those of the current test."""
    fpf0, tpf0 = current
    if by == "rates":
        return tpf - tpf0, fpf - fpf0
    return (1 - tpf) * (1 - fpf0) / ((1 - tpf0) * (1 - fpf)), tpf * fpf0 / (tpf0 * fpf)


def reached(values: tuple[Floats, Floats], limits: tuple[Limits, Limits]) -> Bools:
    """Whether both values lie within their limits."""
    one, two = ((low <= v) & (v <= high) for v, (low, high) in zip(values, limits, strict=True))
    return one & two


def _worse(values: Floats, measure: Relative) -> Bools:
    return values < measure.neutral if measure.higher_is_better else values > measure.neutral


def _deepest(inside: Bools) -> tuple[int, int]:
    """The point deepest inside a region, for its name."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(depth.argmax(), depth.shape)
    return int(row), int(column)
