"""Scores of two classes on a page: the ROC curve with a threshold, precision and recall, distributions. The slider shows the
numbers of `trueness.diagnose` at every threshold, computed in the page."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import special

from trueness.curves.common import as_threshold
from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.pr import PrCurve
from trueness.errors import typeset
from trueness.figures.figure import Figure, by_class
from trueness.figures.svg import MOST_POINTS, Drawing, thinned
from trueness.formulas.intervals import quantile
from trueness.result.estimate import Estimate
from trueness.result.words import shortened
from trueness.sample.scored import Scale, Scored
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.study_designs import Cohort
from trueness.typing import Floats, Ints, Record

ROWS = {  # of the panel, by the ids of their numbers
    "tpf": "Sensitivity (TPF)",
    "tnf": "Specificity",
    "fpf": "False positive fraction (FPF)",
    "ppv": "Positive predictive value (PPV)",
    "npv": "Negative predictive value (NPV)",
    "lrp": "Likelihood ratio of a positive result",
    "lrn": "Likelihood ratio of a negative result",
    "called": "Share called positive",
    "cost": "Expected cost per case",
}
MEASURES = ("tpf", "tnf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")  # of the first rows
MOST_IN_GROUPS, LEAST_POINTS = 4_000_000, 50  # cases times points whose intervals are computed here
LARGEST = "TPF − FPF is largest here"


def score_values(
    data: Scored,
    level: float,
    *,
    name: str = "",
    at: str = "",
    origin: str = "",
    scale: Scale = "score",
    fitted: RocCurve | None = None,
    own: float | None = None,
    called: str = "the threshold of the model",
    area: tuple[str, Estimate] | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
) -> Record:
    """What scores.html shows; of it the script reads `read`.

    `name` is that of the score, and `at` begins the ids of its parts, where a page has several. The slider starts at a
    threshold `own`, which is `called` so; without one where TPF − FPF is largest. The legend has the
    name and the AUC of an `area` that was estimated from more than these scores, and the curve of a `fitted` model of the
    scores is drawn beside the empirical one. The `costs` of a miss and of a false alarm stand in the panel at first.
    """
    curve = EmpiricalRoc(data)
    label, estimate = area or ("", None)
    figure = curve.figure(level=level, label=label, area=estimate)
    if fitted is not None and fitted.method != curve.method:
        more = roc_figure({"empirical": curve, fitted.method: fitted}, level=level).panels[0].marks[-1]
        figure = replace(figure, panels=(replace(figure.panels[0], marks=(*figure.panels[0].marks, more)),))
    drawing = Drawing(figure.panels[0], figure)
    few = MOST_POINTS
    if data.groups is not None:
        few = max(LEAST_POINTS, min(few, MOST_IN_GROUPS // data.n))
    cheapest = curve.hull().index.to_numpy()  # for some costs
    place = np.flatnonzero(curve.thresholds >= (np.inf if own is None else own))[-1:]  # the first is infinite
    keep = np.unique(np.concatenate([thinned(curve.fpf, curve.tpf, few), cheapest, place]))
    fpf, tpf, thresholds = curve.fpf[keep], curve.tpf[keep], curve.thresholds[keep]
    start, named, labels = int(np.argmax(tpf - fpf)), LARGEST, threshold_labels(curve.thresholds, keep)
    if own is not None:
        start, named = int(np.flatnonzero(thresholds >= own)[-1]), called
        labels[start] = f"{own:.4g}" if np.isfinite(own) else labels[start]
    if scale == "log-odds":
        odds = zip(labels[1:], special.expit(thresholds[1:]).tolist(), strict=True)
        labels[1:] = [f"{label} (probability {p:.3g})" for label, p in odds]
    marks = f'<path id="{at}same" class="same" d=""/><circle id="{at}here" class="here" r="7"/>'
    return {
        "name": name,
        "origin": origin,
        "picture": drawing.svg(marks),
        "figures": [PrCurve(data).figure(level=level), *_distributions(data, scale)],
        "rows": ROWS,
        "costs": [f"{cost:.12g}" for cost in costs],
        "negative": str(data.classes[0]),
        "positive": str(data.classes[1]),
        "prevalence": f"{data.n1 / data.n:.3g}",
        "level": f"{100 * level:g} %",
        "scale": scale,
        "read": {
            "at": at,
            "z": quantile(level),
            "positives": data.n1,
            "negatives": data.n0,
            "tp": np.rint(tpf * data.n1).astype(int).tolist(),
            "fp": np.rint(fpf * data.n0).astype(int).tolist(),
            "label": [typeset(label) for label in labels],
            "start": start,
            "named": named,
            "x": drawing.x(fpf).round(1).tolist(),
            "y": drawing.y(tpf).round(1).tolist(),
            **_in_groups(data, thresholds, level),
        },
    }


def _in_groups(data: Scored, thresholds: Floats, level: float) -> Record:
    """What the script cannot know of cases in groups: the limits of `trueness.diagnose(..., groups=)` at each threshold,
    and how many cases one group counts for where a table shows no variance."""
    if data.groups is None:
        return {}
    limits: dict[str, list[list[float] | None]] = {name: [] for name in list(ROWS)[: len(MEASURES)]}
    for d in _decided(data, data.groups, thresholds, level):
        for found, measure in zip(limits.values(), MEASURES, strict=True):
            e = d[measure]
            ends = [float(f"{x:.6g}") for x in e.ci(level)] if e.has_interval else [np.nan]
            found.append(ends if np.isfinite(ends).all() else None)
    return {"limits": limits, "unit": data.n / min(data.independent)}


def _decided(data: Scored, groups: Ints, thresholds: Floats, level: float) -> Iterator[Diagnosis]:
    """The table of the decisions at each threshold, as `trueness.diagnose` has it."""
    order = np.argsort(groups, kind="stable")  # sums within groups are fastest
    scores, truth = data.scores[order], data.positive[order].astype(np.intp)
    for threshold in thresholds:
        cells = 2 * truth + (scores >= threshold)
        table = Cohort(np.bincount(cells, minlength=4).reshape(2, 2))
        yield Diagnosis(table, cells=cells, level=level, groups=groups[order])


def threshold_labels(thresholds: Floats, keep: Ints) -> list[str]:
    """What the page calls the thresholds, as `best` does; the first is above all scores."""
    lower = np.append(thresholds[1:], -np.inf)
    return ["none is", *(as_threshold(float(thresholds[k]), float(lower[k])) for k in keep[1:].tolist())]


def _distributions(data: Scored, scale: Scale) -> Iterator[Figure]:
    """The scores of each class, without the thousandth at both ends; nothing where all are equal."""
    finite = data.scores[np.isfinite(data.scores)]
    ends = (0.0, 1.0) if scale == "probability" else np.quantile(finite, [0.001, 0.999]) if len(finite) else (0.0, 0.0)
    if ends[0] < ends[1]:
        names = [shortened(str(c), 60) for c in data.classes]
        of_class = (data.down, data.up)
        yield by_class(of_class, names, "Scores by class", scale, (float(ends[0]), float(ends[1])), height=4.2)
