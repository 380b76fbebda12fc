"""Small pictures of further results, for notebooks and their reports."""

from __future__ import annotations

import numpy as np

from karat.curves.averaged_points import AveragedPoints
from karat.curves.bands import Band
from karat.curves.choice import Choice
from karat.curves.hull import Hull
from karat.curves.point import RocPoint
from karat.curves.pr import PrCurve
from karat.diagnostic.table_result import TableResult
from karat.hygiene.best_of import BestOf
from karat.report.curve import small_roc
from karat.report.dispatch import picture_of
from karat.report.dots import Dot, dots_svg
from karat.report.scores import pr_picture
from karat.report.svg import Picture, thinned
from karat.report.threshold import MOST_POINTS, ROC_AXES
from karat.result.estimate import Estimate
from karat.result.joint import Simultaneous
from karat.result.test_result import TestResult
from karat.typing import Floats

LEVEL = 0.95
SIZE = 330


@picture_of.register(Estimate)
def estimate_picture(e: Estimate) -> str:
    return dots_svg([Dot.of(e.method, e, LEVEL)], e.metric, f"{e.metric}, 95 % interval") if e.has_interval else ""


@picture_of.register(Simultaneous)
def simultaneous_picture(s: Simultaneous) -> str:
    dots = [Dot.of(name, e, s.each) for name, e in s.estimates.items()]
    return dots_svg(dots, "Simultaneous intervals", f"{100 * s.level:g} % intervals together")


@picture_of.register(BestOf)
def best_picture(b: BestOf) -> str:
    named = {"corrected": b.corrected, "nested": b.nested, "naive": b.naive}
    kinds = {"naive": "hollow"}
    dots = [Dot.of(k, e, b.level, kinds.get(k, "mark"), b.corrected.se) for k, e in named.items() if e is not None]
    return dots_svg(dots, "Best of several models", f"{b.corrected.metric}, {100 * b.level:g} % interval")


@picture_of.register(TestResult)
def test_picture(t: TestResult) -> str:
    if t.difference is None or not t.difference.has_interval:
        return ""
    return dots_svg([Dot.of("first − second", t.difference, LEVEL)], t.test, "difference, 95 % interval", zero=True)


@picture_of.register(TableResult)
def table_picture(d: TableResult) -> str:
    """The measures between 0 and 1."""
    some = [e for e in d.shown_estimates() if e.bounds == (0.0, 1.0) and e.has_interval]
    return dots_svg([Dot.of(e.metric, e, d.level) for e in some], "Measures", f"{100 * d.level:g} % interval")


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
    picture.axes()
    return picture.svg()


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
    picture.axes()
    return picture.svg()


def _square(title: str) -> Picture:
    return Picture(title, *ROC_AXES, width=SIZE + 20, height=SIZE)


def _curve(picture: Picture, fpf: Floats, tpf: Floats) -> str:
    keep = thinned(fpf, tpf, MOST_POINTS)
    picture.path([(0, 0), (1, 1)], "chance")
    picture.line(fpf[keep], tpf[keep], "curve")
    picture.axes()
    return picture.svg()
