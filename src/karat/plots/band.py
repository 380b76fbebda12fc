"""A confidence band around a ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.curves.bands import Band
from karat.plots.axes import new_axes, roc_square
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

MAX_CROSSES = 40  # more would hide each other


@draw.register(Band)
def draw_band(band: Band, ax: Axes | None = None, *, color: ColorType = "C0") -> Axes:
    """Shaded between its limits, or crosses at thresholds for the binomial band."""
    b, alone = band, ax is None
    ax = roc_square(new_axes(ax), diagonal=alone)
    if b.fpf_low is not None and b.fpf_high is not None:
        at = slice(None, None, max(1, len(b.fpf) // MAX_CROSSES))
        ax.errorbar(
            b.fpf[at],
            b.tpf[at],
            xerr=[(b.fpf - b.fpf_low)[at].clip(0), (b.fpf_high - b.fpf)[at].clip(0)],
            yerr=[(b.tpf - b.low)[at].clip(0), (b.high - b.tpf)[at].clip(0)],
            fmt=".",
            markersize=3,
            elinewidth=0.6,
            color=color,
            alpha=0.6,
            label=b.name,
        )
    else:
        ax.fill_between(b.fpf, b.low, b.high, color=color, alpha=0.15, linewidth=0, label=b.name)
    if alone:
        ax.legend(loc="lower right", fontsize="small", frameon=False)
    return ax
