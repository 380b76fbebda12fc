"""Small pictures of curves and operating points, for notebooks and their reports."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from trueness.curves.averaged_points import AveragedPoints
from trueness.curves.bands import Band
from trueness.curves.choice import Choice
from trueness.curves.empirical import Hull
from trueness.curves.multiclass import MulticlassRoc
from trueness.curves.point import RocPoint, ThresholdAt
from trueness.curves.pr import PrCurve
from trueness.curves.score_counts import ScoreCounts
from trueness.report.curve import LEVEL, SIZE, small_roc
from trueness.report.dispatch import picture_of
from trueness.report.scores import pr_picture
from trueness.report.svg import Picture, cut, thinned
from trueness.report.threshold import MOST_POINTS, ROC_AXES
from trueness.tables.four_regions import FourRegions
from trueness.typing import Floats

MOST_PAIRS = 3  # of classes
MOST_DOTS = 120


@picture_of.register(PrCurve)
def small_pr(curve: PrCurve) -> str:
    return pr_picture(curve, SIZE).svg()


@picture_of.register(Band)
def band_picture(band: Band) -> str:
    picture = _square("ROC curve with a band")
    keep = thinned(band.fpf, band.high, MOST_POINTS)
    picture.band(band.fpf[keep], band.low[keep], band.high[keep])
    return _curve(picture, band.fpf, band.tpf)


@picture_of.register(Hull)
def hull_picture(hull: Hull) -> str:
    return _curve(_square("Concave hull of a ROC curve"), hull.fpf, hull.tpf)


@picture_of.register(Choice)
def choice_picture(choice: Choice) -> str:
    return small_roc(choice.curve, (choice.fpf, choice.tpf))


@picture_of.register(RocPoint)
def point_picture(point: RocPoint) -> str:
    picture = _square("Operating point")
    (left, right), (foot, top) = point.joint_region(LEVEL)
    picture.box((left, right), (foot, top), "band")
    picture.path([(0, 0), (1, 1)], "chance")
    picture.dot(point.fpf.value, point.tpf.value, "here")
    return picture.axes().svg()


@picture_of.register(AveragedPoints)
def points_picture(points: AveragedPoints) -> str:
    """TPF against FPF, where these are measured."""
    if not {"fpf", "tpf"} <= set(points.per_fold):
        return ""
    fpf, tpf = (np.nanmean(points.per_fold[name], axis=1) for name in ("fpf", "tpf"))
    picture = _square("Operating points")
    picture.path([(0, 0), (1, 1)], "chance")
    for x, y in zip(fpf.tolist(), tpf.tolist(), strict=True):
        picture.dot(x, y, "mark", f"FPF {x:.3f}, TPF {y:.3f}")
    return picture.axes().svg()


@picture_of.register(MulticlassRoc)
def multiclass_picture(roc: MulticlassRoc) -> str:
    """Errors of the first classes two by two at every operating point."""
    means = {name: np.nanmean(roc.per_fold[name], axis=1) for name in roc.class_errors}
    errors = list(zip(roc.classes, means.values(), strict=True))
    out = []
    for (a, x), (b, y) in list(combinations(errors, 2))[:MOST_PAIRS]:
        picture = Picture(
            f"Errors of classes {a} and {b}",
            f"error of class {cut(str(a), 22)}",
            f"error of class {cut(str(b), 22)}",
            (0.0, 1.05 * float(max(x.max(), 1e-3))),
            (0.0, 1.05 * float(max(y.max(), 1e-3))),
            width=270,
            height=250,
        )
        keep = np.linspace(0, len(x) - 1, min(len(x), MOST_DOTS)).astype(int)
        for k in keep.tolist():
            picture.dot(float(x[k]), float(y[k]), "speck")
        out.append(picture.axes().svg())
    return f'<div class="pictures">{"".join(out)}</div>'


@picture_of.register(ThresholdAt)
def threshold_picture(t: ThresholdAt) -> str:
    """The share of the class at or above each threshold; dashed the share that is wanted, shaded the interval."""
    found = t.scores[np.isfinite(t.scores)]
    if len(found) < 2 or found[0] == found[-1] or not np.isfinite(t.value):
        return ""
    high, low = float(found[0]), float(found[-1])
    share = (np.arange(len(t.scores)) + 1) / len(t.scores)
    keep = np.isfinite(t.scores)
    x, y = t.scores[keep][::-1], share[keep][::-1]
    picture = Picture(
        "Threshold", "threshold", f"{t.rate.upper()} at this threshold", (low, high), width=SIZE + 20, height=SIZE
    )
    first, last = t.ci(LEVEL)
    picture.box((max(first, low), min(last, high)), (0.0, 1.0), "band")
    picture.path([(low, t.wanted), (high, t.wanted)], "chance")
    some = thinned((x - low) / (high - low), y, MOST_POINTS)
    picture.line(x[some], y[some], "curve")
    picture.dot(min(max(t.value, low), high), t.wanted, "here")
    return picture.axes().svg()


@picture_of.register(ScoreCounts)
def counts_picture(counts: ScoreCounts) -> str:
    """The ROC curve; nothing of a part that holds one label only."""
    if not counts.both_labels:
        return ""
    points = counts.frame(MOST_POINTS)
    fpf, tpf = (np.append(0.0, points[name].to_numpy(dtype=float)) for name in ("fpf", "tpf"))
    return _curve(_square("ROC curve"), fpf, tpf)


@picture_of.register(FourRegions)
def regions_picture(f: FourRegions) -> str:
    """Both tests; lines through the current one: equal TPF and FPF dashed, equal likelihood ratios solid."""
    picture = _square("Two tests")
    x, y = f.current
    picture.path([(0, y), (1, y)], "chance")
    picture.path([(x, 0), (x, 1)], "chance")
    for ends in (_through((0, 0), f.current), _through(f.current, (1, 1))):
        picture.path(ends, "axis")
    picture.dot(x, y, "hollow", f"current test: FPF {x:.3f}, TPF {y:.3f}")
    picture.dot(*f.new, "here", f"new test: FPF {f.new[0]:.3f}, TPF {f.new[1]:.3f}")
    picture.legend(picture.width - 130, picture.height - 100, [("here", "new test"), ("hollow", "current test")])
    return picture.axes().svg()


def _through(a: tuple[float, float], b: tuple[float, float]) -> list[tuple[float, float]]:
    """The line through two points of the unit square, from edge to edge."""
    (x0, y0), (x1, y1) = a, b
    run, rise = x1 - x0, y1 - y0
    at = sorted([(0 - x0) / run, (1 - x0) / run, (0 - y0) / rise, (1 - y0) / rise])[1:3]
    return [(x0 + t * run, y0 + t * rise) for t in at]


def _square(title: str) -> Picture:
    return Picture(title, *ROC_AXES, width=SIZE + 20, height=SIZE)


def _curve(picture: Picture, fpf: Floats, tpf: Floats) -> str:
    keep = thinned(fpf, tpf, MOST_POINTS)
    picture.path([(0, 0), (1, 1)], "chance")
    picture.line(fpf[keep], tpf[keep], "curve")
    return picture.axes().svg()
