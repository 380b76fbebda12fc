"""Sections about scores of two classes: ROC curve with a threshold, precision and recall, distributions,
calibration."""

from __future__ import annotations

import numpy as np
from scipy import special

from trueness.curves.curve import RocCurve
from trueness.curves.pr import PrCurve, pr
from trueness.formulas.groups import count_groups
from trueness.report.page import Section
from trueness.report.parts import folded, small, table
from trueness.report.svg import Picture, cut, thinned
from trueness.report.threshold import MOST_POINTS, POINTS_IN_TABLE, threshold_html
from trueness.result.digits import with_interval
from trueness.result.grouped import share_in_groups
from trueness.sample.left_out import Scale
from trueness.sample.scored import Scored
from trueness.tables.proportion import proportion_interval
from trueness.typing import Record

BINS = 10
CASES_PER_BIN = 10
N_BARS = 40


def score_sections(
    data: Scored, level: float, origin: str = "", scale: Scale = "score", fitted: RocCurve | None = None
) -> tuple[list[Section], Record]:
    """The sections, and what the script reads.

    Each score of `data` is by a rule that was not trained on the case; `origin` says in one sentence where they come
    from. Calibration is shown where the `scale` tells the probabilities, and the curve of a `fitted` model of the
    scores is drawn beside the empirical one.
    """
    html, read = threshold_html(data, level, scale, fitted)
    parts = [("Precision and recall", _pr(data, level)), ("Scores by class", _distributions(data, scale))]
    parts += [("Calibration", _calibration(data, scale, level))] if scale != "score" else []
    boxes = "".join(f"<div><h3>{title}</h3>{part}</div>" for title, part in parts)
    return [
        Section("roc", "ROC curve and threshold", (small(origin) if origin else "") + html),
        Section("scores", "Scores", f'<div class="two">{boxes}</div>'),
    ], read


def pr_picture(curve: PrCurve, height: int = 340) -> Picture:
    """Precision against recall, with the prevalence dashed."""
    keep = thinned(curve.recall, curve.precision, MOST_POINTS)
    share = curve.data.n1 / curve.data.n
    picture = Picture("Precision and recall", "Recall (TPF)", "Precision (PPV)", height=height)
    picture.path([(0, share), (1, share)], "chance")
    picture.line(curve.recall[keep], curve.precision[keep], "curve")
    return picture.axes()


def _pr(data: Scored, level: float) -> str:
    curve = pr(data.positive, data.scores)
    said = f"Average precision {with_interval(curve.average_precision, level)}. Dashed: the prevalence, "
    said += f"{data.n1 / data.n:.3g}, which a rule without knowledge has."
    some = thinned(curve.recall, curve.precision, POINTS_IN_TABLE).tolist()
    rows = [(f"{curve.recall[k]:.3f}", f"{curve.precision[k]:.3f}") for k in some]
    points = folded("Points of the curve", table(("recall", "precision"), rows))
    return f"{pr_picture(curve).svg()}{small(said)}{points}"


def _distributions(data: Scored, scale: Scale) -> str:
    finite = data.scores[np.isfinite(data.scores)]
    if not len(finite) or finite.min() == finite.max():
        return "<p>All scores are equal.</p>"
    low, high = np.quantile(finite, [0.001, 0.999]) if len(finite) > 2000 else (finite.min(), finite.max())
    if low == high:
        low, high = finite.min(), finite.max()
    if scale == "probability":
        low, high = 0.0, 1.0
    edges = np.linspace(low, high, N_BARS + 1)
    of_class = (data.down, data.up)
    shares = [np.histogram(each.clip(low, high), edges)[0] / len(each) for each in of_class]
    top = 1.05 * float(max(h.max() for h in shares))
    wide = float(low), float(high)
    picture = Picture("Scores by class", scale.capitalize(), "Share of the class", wide, (0.0, top), height=366)
    picture.bottom += 26
    kinds, names = ("bar", "bar1"), [str(c) for c in data.classes]
    for kind, heights in zip(kinds, shares, strict=True):
        for a, b, h in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True):
            if h > 0:
                picture.box((a, b), (0.0, h), kind)
    for k, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        picture.legend(
            picture.left + k * (picture.width - picture.left) // 2, picture.height - 16, [(kind, cut(name, 20))]
        )
    picture.axes()
    quantiles = [np.quantile(each, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist() for each in of_class]
    rows = [(name, *(f"{q:.4g}" for q in values)) for name, values in zip(names, quantiles, strict=True)]
    heads = ("class", "5 %", "25 %", "median", "75 %", "95 %")
    return f"{picture.svg()}{folded('Quantiles', table(heads, rows))}"


def _calibration(data: Scored, scale: Scale, level: float) -> str:
    """Observed shares in parts of equal size by predicted probability, with Wilson's intervals (of whole groups)."""
    p = special.expit(data.scores) if scale == "log-odds" else data.scores
    order = np.argsort(data.scores, kind="stable")
    groups = np.array_split(order, min(BINS, max(2, data.n // CASES_PER_BIN)))
    picture = Picture("Calibration", "Predicted probability", "Observed share", height=340)
    picture.path([(0, 0), (1, 1)], "chance")
    rows = []
    for g in groups:
        x, n, mean = int(data.positive[g].sum()), len(g), float(p[g].mean())
        if data.groups is None or count_groups(data.groups[g]) < 2:
            low, high = proportion_interval(x, n, "wilson", level)
        else:
            low, high = share_in_groups(data.positive[g], data.groups[g], "wilson").ci(level)
        picture.path([(mean, low), (mean, high)], "range")
        picture.dot(mean, x / n, "mark", f"{mean:.3f} predicted, {x} of {n} observed")
        rows.append((f"{mean:.3f}", f"{x} of {n}", f"{x / n:.3f}", f"{low:.3f} to {high:.3f}"))
    picture.axes()
    inside = np.clip(p, 1e-15, 1 - 1e-15)
    brier = float(np.mean((p - data.positive) ** 2))
    log_loss = -float(np.mean(special.xlogy(data.positive, inside) + special.xlogy(~data.positive, 1 - inside)))
    said = (
        f"Groups of equal size by predicted probability, with {100 * level:g} % intervals; on the dashed line both "
        f"agree. Brier score {brier:.4f}, log-loss {log_loss:.4f}."
    )
    groups_table = table(("predicted", "observed", "share", f"{100 * level:g} % interval"), rows)
    return f"{picture.svg()}{small(said)}{folded('Groups', groups_table)}"
