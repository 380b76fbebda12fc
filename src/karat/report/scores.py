"""Sections about scores of two classes: ROC curve with a threshold slider, precision and recall, distributions,
calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from scipy import special

from karat.curves.empirical import EmpiricalRoc
from karat.curves.pr import pr
from karat.curves.roc import roc
from karat.diagnostic.proportion import proportion_interval
from karat.formulas.intervals import quantile
from karat.report.page import Section
from karat.report.svg import Picture, thinned
from karat.result.digits import between, shown
from karat.result.table import Table, html_table
from karat.typing import Bools, Floats

MOST_POINTS = 400  # of a drawn curve and of the slider
BINS = 10
N_BARS = 40
BAND_RESAMPLES = 500
MAX_CASES_FOR_BAND = 200_000

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


@dataclass(frozen=True, eq=False)
class Scores:
    """One score per case, by a rule that was not trained on it.

    Attributes
    ----------
    up : ndarray of bool
        Which cases are positive.
    score : ndarray
        High for the positive class.
    probabilities : bool
        Whether scores are probabilities of the positive class.
    level : float
        Level of the intervals.
    names : tuple of str
        Negative and positive label.
    origin : str
        Where the scores come from, in one sentence.
    """

    up: Bools
    score: Floats
    probabilities: bool
    level: float
    names: tuple[str, str]
    origin: str


def score_sections(s: Scores) -> tuple[list[Section], dict[str, Any]]:
    """The sections and the data of the slider."""
    curve = roc(s.up, s.score)
    picture, data = _roc(s, curve)
    sections = [
        Section("roc", "ROC curve and threshold", f'<p class="small">{s.origin}</p>{picture}'),
        Section("pr", "Precision and recall", _pr(s)),
        Section("scores", "Scores by class", _distributions(s)),
    ]
    if s.probabilities:
        sections.append(Section("calibration", "Calibration", _calibration(s)))
    return sections, data


def _roc(s: Scores, curve: EmpiricalRoc) -> tuple[str, dict[str, Any]]:
    positives, negatives = int(s.up.sum()), int((~s.up).sum())
    keep = thinned(curve.fpf, curve.tpf, MOST_POINTS)
    picture = Picture("ROC curve", "False positive fraction (1 − specificity)", "True positive fraction (sensitivity)")
    about = ""
    if len(s.score) <= MAX_CASES_FOR_BAND:
        band = curve.band(s.level, n_resamples=BAND_RESAMPLES, rng=0)
        picture.band(band.fpf, band.low, band.high)
        about = f"Shaded: {band.name}. "
    picture.path([(0, 0), (1, 1)], "chance")
    fpf, tpf = curve.fpf[keep], curve.tpf[keep]
    picture.path(zip(fpf.tolist(), tpf.tolist(), strict=True), "curve")
    picture.axes()
    middle = int(np.argmax(tpf - fpf))
    extra = '<path id="same" class="same" d=""/><circle id="here" class="here" r="7" cx="0" cy="0"/>'
    data = {
        "z": quantile(s.level),
        "positives": positives,
        "negatives": negatives,
        "tp": np.rint(tpf * positives).astype(int).tolist(),
        "fp": np.rint(fpf * negatives).astype(int).tolist(),
        "label": [_threshold(t) for t in curve.thresholds[keep].tolist()],
        "x": [round(picture.x(v), 1) for v in fpf.tolist()],
        "y": [round(picture.y(v), 1) for v in tpf.tolist()],
    }
    area = curve.auc
    low, high = area.ci(s.level) if area.has_interval else (None, None)
    caption = (
        f'<p class="small">Area {shown(area.value, area.se)}'
        f"{f' ({between(low, high, area.se)})' if low is not None else ''}, for these scores. {about}"
        "Orange: thresholds whose expected cost these cases cannot tell from the chosen one.</p>"
    )
    rows = "".join(f'<tr><th scope="row">{name}</th><td><output id="{id}"></output></td></tr>' for id, name in ROWS)
    negative, positive = (escape(n) for n in s.names)
    panel = f"""<div class="controls">
<label>Threshold: called {positive} at a score of at least <output id="at" for="threshold"></output>
<input type="range" id="threshold" min="0" max="{len(keep) - 1}" step="1" value="{middle}" aria-label="Threshold"></label>
<label>Prevalence of {positive} (empty: as in these cases)
<input type="number" id="prevalence" min="0" max="1" step="any" placeholder="{positives / len(s.up):.3g}"></label>
<label>Cost of a missed {positive} <input type="number" id="cost-fn" min="0" step="any" value="1"></label>
<label>Cost of a false alarm <input type="number" id="cost-fp" min="0" step="any" value="1"></label>
<p><button type="button" id="cheapest">Go to the cheapest threshold</button></p>
</div>
<div class="wide"><table><caption>At this threshold, with {100 * s.level:g} % intervals</caption>
<tbody>{rows}</tbody></table></div>
<div class="wide"><table><caption>Cases</caption><thead><tr><th></th><th scope="col">called {positive}</th>
<th scope="col">called {negative}</th></tr></thead><tbody>
<tr><th scope="row">{positive}</th><td id="tp" class="num"></td><td id="fn" class="num"></td></tr>
<tr><th scope="row">{negative}</th><td id="fp" class="num"></td><td id="tn" class="num"></td></tr></tbody></table></div>"""
    some = thinned(fpf, tpf, 21)
    table = _table(
        ("threshold", "FPF", "TPF"), [(data["label"][k], f"{fpf[k]:.3f}", f"{tpf[k]:.3f}") for k in some.tolist()]
    )
    left = f"<div>{picture.svg(extra)}{caption}<details><summary>Points of the curve</summary>{table}</details></div>"
    return f'<div class="two">{left}<div>{panel}</div></div>', data


def _pr(s: Scores) -> str:
    curve = pr(s.up, s.score)
    keep = thinned(curve.recall, curve.precision, MOST_POINTS)
    recall, precision = curve.recall[keep], curve.precision[keep]
    share = float(s.up.mean())
    picture = Picture("Precision and recall", "Recall (TPF)", "Precision (PPV)")
    picture.path([(0, share), (1, share)], "chance")
    picture.path(zip(recall.tolist(), precision.tolist(), strict=True), "curve")
    picture.axes()
    ap = curve.average_precision
    low, high = ap.ci(s.level) if ap.has_interval else (None, None)
    said = f"Average precision {shown(ap.value, ap.se)}{f' ({between(low, high, ap.se)})' if low is not None else ''}. "
    some = thinned(recall, precision, 21).tolist()
    table = _table(("recall", "precision"), [(f"{recall[k]:.3f}", f"{precision[k]:.3f}") for k in some])
    caption = f'<p class="small">{said}Dashed: the prevalence, {share:.3g}, which a rule without knowledge has.</p>'
    return f"{picture.svg()}{caption}<details><summary>Points of the curve</summary>{table}</details>"


def _distributions(s: Scores) -> str:
    finite = s.score[np.isfinite(s.score)]
    if not len(finite) or finite.min() == finite.max():
        return "<p>All scores are equal.</p>"
    low, high = np.quantile(finite, [0.001, 0.999]) if len(finite) > 2000 else (finite.min(), finite.max())
    if low == high:
        low, high = finite.min(), finite.max()
    edges = np.linspace(low, high, N_BARS + 1)
    of_class = [s.score[s.up == side] for side in (False, True)]
    shares = [np.histogram(each.clip(low, high), edges)[0] / len(each) for each in of_class]
    top = float(max(h.max() for h in shares))
    picture = Picture(
        "Scores by class", "Score", "Share of the class", (float(low), float(high)), (0.0, 1.05 * top), 720, 300
    )
    for kind, heights in zip(("bar", "barother"), shares, strict=True):
        for a, b, h in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True):
            if h > 0:
                picture.bar((a, b), h, kind)
    for k, (kind, name) in enumerate(zip(("bar", "barother"), s.names, strict=True)):
        picture.parts.append(
            f'<rect class="{kind}" x="{picture.width / 2 - 40:.0f}" y="{20 + 20 * k}" width="12" height="12"/>'
        )
        picture.text(picture.width / 2 - 22, 31 + 20 * k, name)
    picture.axes()
    quantiles = [np.quantile(each, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist() for each in of_class]
    rows = [(name, *(f"{q:.4g}" for q in values)) for name, values in zip(s.names, quantiles, strict=True)]
    table = _table(("class", "5 %", "25 %", "median", "75 %", "95 %"), rows)
    return f"{picture.svg()}<details><summary>Quantiles</summary>{table}</details>"


def _calibration(s: Scores) -> str:
    """Observed shares in ten groups of equal size by predicted probability, with Wilson's intervals."""
    order = np.argsort(s.score, kind="stable")
    groups = [g for g in np.array_split(order, min(BINS, max(2, len(order) // 10))) if len(g)]
    picture = Picture("Calibration", "Predicted probability", "Observed share")
    picture.path([(0, 0), (1, 1)], "chance")
    rows = []
    for g in groups:
        x, n, mean = int(s.up[g].sum()), len(g), float(s.score[g].mean())
        low, high = proportion_interval(x, n, "wilson", s.level)
        picture.path([(mean, low), (mean, high)], "range")
        picture.dot(mean, x / n, "mark", f"{mean:.3f} predicted, {x} of {n} observed")
        rows.append((f"{mean:.3f}", f"{x} of {n}", f"{x / n:.3f}", f"{low:.3f} to {high:.3f}"))
    picture.axes()
    inside = np.clip(s.score, 1e-15, 1 - 1e-15)
    brier = float(np.mean((s.score - s.up) ** 2))
    log_loss = -float(np.mean(special.xlogy(s.up, inside) + special.xlogy(~s.up, 1 - inside)))
    said = f"Brier score {brier:.4f}, log-loss {log_loss:.4f}. A point on the dashed line is well calibrated."
    table = _table(("predicted", "observed", "share", f"{100 * s.level:g} % interval"), rows)
    return f'{picture.svg()}<p class="small">{said}</p><details><summary>Groups</summary>{table}</details>'


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f'<div class="wide">{html_table(Table.of(heads, rows))}</div>'


def _threshold(value: float) -> str:
    if np.isposinf(value):
        return "∞ (none called)"
    return "−∞ (all called)" if np.isneginf(value) else f"{value:.4g}"
