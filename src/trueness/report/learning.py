"""The section on training sizes: a learning curve where one is given, else what the fits of the plan say."""

from __future__ import annotations

import math

import numpy as np

from trueness.estimators.registry import recommended
from trueness.report.dispatch import picture_of
from trueness.report.parts import folded, scrolling, small, table
from trueness.report.svg import Picture
from trueness.result.assessment import Assessment
from trueness.result.digits import shown, with_interval
from trueness.result.learning_curve import LearningCurve

DISTINCT = 1 - math.exp(-1)  # share of the cases in a bootstrap training set


@picture_of.register(LearningCurve)
def learning_svg(curve: LearningCurve) -> str:
    """Estimates with intervals by training cases, the power law through them, and where it leads."""
    points = [
        (n, e, source == "bootstrap")
        for n, e, source in zip(curve.sizes, curve.estimates, curve.sources, strict=True)
        if math.isfinite(e.value)
    ]
    rows = [(e.row(curve.level), n, e, minor) for n, e, minor in points]
    ends = [v for row, *_ in rows for v in (row["value"], row["low"], row["high"]) if v is not None]
    ends += [v for x in curve.extrapolations for v in (x.low, x.high)]
    sizes = [*(n for n, _, _ in points), *(x.n_train for x in curve.extrapolations)]
    if not ends:
        return ""
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 1e-6)
    wide = (0.0, 1.05 * max(sizes))
    metric = curve.estimates[0].metric
    picture = Picture(
        f"Learning curve: {metric}", "Training cases", metric, wide, (low - room, high + room), height=320
    )
    if curve.law is not None:
        at = np.linspace(min(sizes), max(sizes), 100)
        law = zip(at.tolist(), np.asarray(curve.law(at)).tolist(), strict=True)
        picture.path([(a, b) for a, b in law if low - room <= b <= high + room], "chance")
    for row, n, e, minor in rows:
        if row["low"] is not None:
            picture.path([(n, row["low"]), (n, row["high"])], "rangeminor" if minor else "range")
        picture.dot(n, e.value, "minor" if minor else "mark", f"{n} training cases: {shown(e.value, e.se)}")
    for x in curve.extrapolations:
        picture.path([(x.n_train, x.low), (x.n_train, x.high)], "rangeminor")
        picture.dot(x.n_train, x.value, "hollow", f"{x.n_train} training cases, extrapolated: {x.value:.3f}")
    return picture.axes().svg()


def learning_html(a: Assessment, curve: LearningCurve | None) -> str:
    """The curve that was given; else two training sizes that the default plan has anyway."""
    if curve is not None:
        said = "Dashed: the power law. Grey: the bootstrap, or the range of an extrapolation."
        tables = "".join(map(scrolling, curve.page().tables))
        return f"{learning_svg(curve)}{small(said)}{folded('Points of the curve', tables)}"
    if a.fits is None or a.fits.design.kind != "cv+bootstrap":
        return ""
    n, folds = a.fits.sample.n, a.fits.design.parts[0].n_folds
    rows = []
    for metric in a.recommended:
        smaller = next((a.estimates[metric, k] for k in recommended("bootstrap") if (metric, k) in a.estimates), None)
        if smaller is not None:
            rows.append((metric, with_interval(smaller, a.level), with_interval(a[metric], a.level)))
    heads = (
        "metric",
        f"about {round(DISTINCT * n)} distinct cases (bootstrap)",
        f"about {round(n * (1 - 1 / folds))} cases (cross-validation)",
    )
    said = (
        "Where the two columns differ, the model still gains from more cases. trueness.learning_curve(model, X, y) tries "
        "other sizes; report(path, learning_curve=...) shows them here."
    )
    return table(heads, rows) + small(said) if rows else ""
