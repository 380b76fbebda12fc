"""ROC curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping

from trueness.curves.bands import Band, BandMethod
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.plots.axes import drawn, emptier, new_axes, roc_square
from trueness.plots.draw import draw
from trueness.plots.on_roc import draw_band
from trueness.result.digits import with_interval
from trueness.sample.left_out import LeftOut
from trueness.typing import Axes, Rng


@draw.register(RocCurve)
def draw_roc(
    curve: RocCurve,
    ax: Axes | None = None,
    *,
    band: BandMethod | None = None,
    level: float = 0.95,
    label: str | None = None,
    rng: Rng = None,
) -> Axes:
    """One curve; `band` names a band to draw with it, `rng` seeds bands that resample."""
    name = label or curve.method
    bands = {} if band is None else {name: curve.band(level, band, rng=rng)}
    return draw_curves({name: curve}, ax, bands=bands, level=level)


@draw.register(LeftOut)
def draw_left_out(
    left_out: LeftOut, ax: Axes | None = None, *, band: BandMethod | None = "fixed-width", level: float = 0.95
) -> Axes:
    """The ROC curve of left-out scores, with its band."""
    return draw_roc(EmpiricalRoc.of(left_out.data), ax, band=band, level=level, label="left-out scores", rng=0)


def draw_curves(
    curves: Mapping[str, RocCurve],
    ax: Axes | None = None,
    *,
    bands: Mapping[str, Band] | None = None,
    level: float = 0.95,
) -> Axes:
    """Several curves by name, with their areas and intervals in the legend, and bands by the name of their curve."""
    ax = roc_square(new_axes(ax))
    for name, curve in curves.items():
        (line,) = ax.plot(*drawn(curve), linewidth=1.6, label=f"{name}: AUC {with_interval(curve.auc, level)}")
        if bands and name in bands:
            draw_band(bands[name], ax, color=line.get_color())
    ax.legend(loc=emptier([c.auc.value for c in curves.values()]), fontsize="small", frameon=False)
    return ax
