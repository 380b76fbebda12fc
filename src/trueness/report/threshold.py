"""The ROC curve with a threshold slider: the numbers of `trueness.diagnose` at every threshold, computed in the page."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context

import numpy as np
from markupsafe import Markup
from scipy import special

from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.formulas.intervals import quantile
from trueness.report.page import rendered
from trueness.report.parts import folded, table
from trueness.report.svg import Picture, thinned
from trueness.result.digits import with_interval
from trueness.sample.left_out import Scale
from trueness.sample.scored import Scored
from trueness.typing import Floats, Ints, Record

MOST_POINTS = 400  # of a drawn curve and of the slider
POINTS_IN_TABLE = 21
BAND_RESAMPLES = 500
MAX_CASES_FOR_BAND = 100_000  # of more cases the band is no wider than the line

ROWS = (
    ("tpf", "Sensitivity (TPF)"),
    ("tnf", "Specificity"),
    ("fpf", "False positive fraction (FPF)"),
    ("ppv", "Positive predictive value (PPV)"),
    ("npv", "Negative predictive value (NPV)"),
    ("lrp", "Likelihood ratio of a positive result"),
    ("lrn", "Likelihood ratio of a negative result"),
    ("called", "Share called positive"),
    ("cost", "Expected cost per case"),
)
ROC_AXES = ("False positive fraction (1 − specificity)", "True positive fraction (sensitivity)")
TOLD_APART = "Orange: thresholds whose expected cost these cases cannot tell from that of the chosen one."


def roc_picture(data: Scored, level: float, size: int = 420) -> tuple[Picture, EmpiricalRoc, str]:
    """The empirical curve with its band, without axes; and the name of the band."""
    curve = EmpiricalRoc.of(data)
    picture = Picture("ROC curve", *ROC_AXES, width=size + 20, height=size)
    name = ""
    if data.n <= MAX_CASES_FOR_BAND and min(data.n1, data.n0) > 1:
        band = curve.band(level, n_resamples=BAND_RESAMPLES, rng=0)
        keep = thinned(band.fpf, band.high, MOST_POINTS)
        picture.band(band.fpf[keep], band.low[keep], band.high[keep])
        name = band.name
    picture.path([(0, 0), (1, 1)], "chance")
    keep = thinned(curve.fpf, curve.tpf, MOST_POINTS)
    picture.line(curve.fpf[keep], curve.tpf[keep], "curve")
    return picture, curve, name


def threshold_html(
    data: Scored, level: float, scale: Scale = "score", fitted: RocCurve | None = None
) -> tuple[str, Record]:
    """The curve, beside it that of a `fitted` model, with the slider's panel; and what the script reads."""
    picture, curve, band = roc_picture(data, level)
    keep = thinned(curve.fpf, curve.tpf, MOST_POINTS)
    fpf, tpf = curve.fpf[keep], curve.tpf[keep]
    said = [f"Area {with_interval(curve.auc, level)}, for these scores."]
    if fitted is not None:
        x = np.linspace(0, 1, 201)
        picture.line(x, np.asarray(fitted(x), dtype=float), "curve2")
        said.append(f"Green: {fitted.method} curve, area {with_interval(fitted.auc, level)}.")
    said += [f"Shaded: {band}."] if band else []
    picture.axes()
    labels = threshold_labels(curve.thresholds, keep)
    if scale == "log-odds":
        also = special.expit(curve.thresholds[keep]).tolist()
        labels[1:] = [f"{label} (probability {p:.3g})" for label, p in zip(labels[1:], also[1:], strict=True)]
    some = thinned(fpf, tpf, POINTS_IN_TABLE).tolist()
    points = table(("threshold", "FPF", "TPF"), [(labels[k], f"{fpf[k]:.3f}", f"{tpf[k]:.3f}") for k in some])
    html = rendered(
        "threshold.html",
        picture=Markup(picture.svg('<path id="same" class="same" d=""/><circle id="here" class="here" r="7"/>')),
        caption=" ".join([*said, TOLD_APART]),
        points=Markup(folded("Points of the curve", points)),
        negative=str(data.classes[0]),
        positive=str(data.classes[1]),
        prevalence=f"{data.n1 / data.n:.3g}",
        level=f"{100 * level:g}",
        last=len(keep) - 1,
        first=int(np.argmax(tpf - fpf)),
        rows=ROWS,
        scale="log-odds" if scale == "log-odds" else f"a {scale}",
    )
    return html, {
        "z": quantile(level),
        "positives": data.n1,
        "negatives": data.n0,
        "tp": np.rint(tpf * data.n1).astype(int).tolist(),
        "fp": np.rint(fpf * data.n0).astype(int).tolist(),
        "label": labels,
        "x": [round(picture.x(v), 1) for v in fpf.tolist()],
        "y": [round(picture.y(v), 1) for v in tpf.tolist()],
    }


def threshold_labels(thresholds: Floats, keep: Ints) -> list[str]:
    """The shortest numbers that make the same decisions: above the next lower score, and at most the threshold."""
    lower = np.append(thresholds[1:], -np.inf)
    return ["none is" if k == 0 else _shortest(float(thresholds[k]), float(lower[k])) for k in keep.tolist()]


def _shortest(high: float, low: float) -> str:
    for digits in range(2, 17):
        down = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal_from_float(high))
        if low < down <= high:
            return f"{down:.{digits}g}"
    return repr(high)
