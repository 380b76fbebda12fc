"""Sections about scores of two classes: ROC curve with a threshold, precision and recall, distributions,
calibration. The slider shows the numbers of `trueness.diagnose` at every threshold, computed in the page."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_FLOOR, Context

import numpy as np
from markupsafe import Markup
from scipy import special

from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.pr import pr
from trueness.figures import Bars, Figure, Intervals, Line, Mark, Panel, Points, unit_square
from trueness.figures.svg import MOST_POINTS, Drawing, cut, thinned
from trueness.formulas.groups import count_groups
from trueness.formulas.intervals import quantile
from trueness.report.page import Section, rendered
from trueness.report.parts import folded, small, table
from trueness.result.grouped import share_in_groups
from trueness.sample.left_out import Scale
from trueness.sample.scored import Scored
from trueness.tables.proportion import proportion_interval
from trueness.typing import Floats, Ints, Record

BINS = 10
CASES_PER_BIN = 10
N_BARS = 40
POINTS_IN_TABLE = 21
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
TOLD_APART = "Orange: thresholds whose expected cost these cases cannot tell from that of the chosen one."


def score_sections(
    data: Scored, level: float, origin: str = "", scale: Scale = "score", fitted: RocCurve | None = None
) -> tuple[list[Section], Record]:
    """The sections, and what the script reads.

    Each score of `data` is by a rule that was not trained on the case; `origin` says in one sentence where they come
    from. Calibration is shown where the `scale` tells the probabilities, and the curve of a `fitted` model of the
    scores is drawn beside the empirical one.
    """
    html, read = _threshold(data, level, scale, fitted)
    parts = [("Precision and recall", _pr(data, level)), ("Scores by class", _distributions(data, scale))]
    parts += [("Calibration", _calibration(data, scale, level))] if scale != "score" else []
    boxes = "".join(f"<div><h3>{title}</h3>{part}</div>" for title, part in parts)
    return [
        Section("roc", "ROC curve and threshold", (small(origin) if origin else "") + html),
        Section("scores", "Scores", f'<div class="two">{boxes}</div>'),
    ], read


def _threshold(data: Scored, level: float, scale: Scale, fitted: RocCurve | None) -> tuple[str, Record]:
    """The curve, beside it that of a `fitted` model, with the slider's panel; and what the script reads."""
    curve = EmpiricalRoc.of(data)
    figure = curve.figure(level=level)
    if fitted is not None:
        more = roc_figure({"empirical": curve, fitted.method: fitted}, level=level).panels[0].marks[-1]
        (panel,) = figure.panels
        figure = replace(figure, panels=(replace(panel, marks=(*panel.marks, more)),))
    drawing = Drawing(figure.panels[0], figure)
    keep = thinned(curve.fpf, curve.tpf, MOST_POINTS)
    fpf, tpf = curve.fpf[keep], curve.tpf[keep]
    labels = threshold_labels(curve.thresholds, keep)
    if scale == "log-odds":
        also = special.expit(curve.thresholds[keep]).tolist()
        labels[1:] = [f"{label} (probability {p:.3g})" for label, p in zip(labels[1:], also[1:], strict=True)]
    some = thinned(fpf, tpf, POINTS_IN_TABLE).tolist()
    points = table(("threshold", "FPF", "TPF"), [(labels[k], f"{fpf[k]:.3f}", f"{tpf[k]:.3f}") for k in some])
    html = rendered(
        "threshold.html",
        picture=Markup(drawing.svg('<path id="same" class="same" d=""/><circle id="here" class="here" r="7"/>')),
        caption=TOLD_APART,
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
        "x": drawing.x(fpf).round(1).tolist(),
        "y": drawing.y(tpf).round(1).tolist(),
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


def _pr(data: Scored, level: float) -> str:
    curve = pr(data.positive, data.scores)
    said = f"Dashed: the prevalence, {data.n1 / data.n:.3g}, which is the precision of a rule without knowledge."
    some = thinned(curve.recall, curve.precision, POINTS_IN_TABLE).tolist()
    rows = [(f"{curve.recall[k]:.3f}", f"{curve.precision[k]:.3f}") for k in some]
    points = folded("Points of the curve", table(("recall", "precision"), rows))
    return f"{curve.figure(level=level).html()}{small(said)}{points}"


def _distributions(data: Scored, scale: Scale) -> str:
    finite = data.scores[np.isfinite(data.scores)]
    if not len(finite) or finite.min() == finite.max():
        return "<p>All scores are equal.</p>"
    low, high = np.quantile(finite, [0.001, 0.999]) if len(finite) > 2000 else (finite.min(), finite.max())
    if low == high:
        low, high = finite.min(), finite.max()
    if scale == "probability":
        low, high = 0.0, 1.0
    edges, of_class = np.linspace(low, high, N_BARS + 1), (data.down, data.up)
    shares = [np.histogram(each.clip(low, high), edges)[0] / len(each) for each in of_class]
    names = [str(c) for c in data.classes]
    marks = [Bars(edges, h, cut(n, 60), f"C{k}") for k, (h, n) in enumerate(zip(shares, names, strict=True))]
    top = 1.05 * float(max(h.max() for h in shares))
    limits = (float(low), float(high)), (0.0, top)
    figure = Figure(
        "Scores by class", (Panel(marks, "", scale, "share of the class", False, False, *limits),), size=(5.2, 4.2)
    )
    quantiles = [np.quantile(each, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist() for each in of_class]
    rows = [(name, *(f"{q:.4g}" for q in values)) for name, values in zip(names, quantiles, strict=True)]
    heads = ("class", "5 %", "25 %", "median", "75 %", "95 %")
    return f"{figure.html()}{folded('Quantiles', table(heads, rows))}"


def _calibration(data: Scored, scale: Scale, level: float) -> str:
    """Observed shares in parts of equal size by predicted probability, with Wilson's intervals (of whole groups)."""
    p = special.expit(data.scores) if scale == "log-odds" else data.scores
    order = np.argsort(data.scores, kind="stable")
    found = []
    for g in np.array_split(order, min(BINS, max(2, data.n // CASES_PER_BIN))):
        x, n, mean = int(data.positive[g].sum()), len(g), float(p[g].mean())
        if data.groups is None or count_groups(data.groups[g]) < 2:
            low, high = proportion_interval(x, n, "wilson", level=level)
        else:
            low, high = share_in_groups(data.positive[g], data.groups[g], "wilson").ci(level)
        found.append((mean, x, n, low, high))
    means, xs, ns, lows, highs = (np.array(column) for column in zip(*found, strict=True))
    names = [f"{mean:.3f} predicted, {x} of {n} observed" for mean, x, n, _, _ in found]
    marks: list[Mark] = [
        Line([0, 1], [0, 1], style="--", color="soft", width=0.9),
        Intervals(means, lows, highs, width=2.0),
        Points(means, xs / ns, color="C0", size=40, names=names),
    ]
    figure = Figure("Calibration", (unit_square(marks, "predicted probability", "observed share"),))
    inside = np.clip(p, 1e-15, 1 - 1e-15)
    brier = float(np.mean((p - data.positive) ** 2))
    log_loss = -float(np.mean(special.xlogy(data.positive, inside) + special.xlogy(~data.positive, 1 - inside)))
    said = (
        f"Groups of equal size by predicted probability, with {100 * level:g} % intervals; on the dashed line both "
        f"agree. Brier score {brier:.4f}, log-loss {log_loss:.4f}."
    )
    rows = [(f"{m:.3f}", f"{x} of {n}", f"{x / n:.3f}", f"{low:.3f} to {high:.3f}") for m, x, n, low, high in found]
    groups_table = table(("predicted", "observed", "share", f"{100 * level:g} % interval"), rows)
    return f"{figure.html()}{small(said)}{folded('Groups', groups_table)}"
