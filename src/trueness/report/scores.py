"""Sections about scores: ROC curve with a threshold, precision and recall, distributions, calibration, net benefit. The
slider shows the numbers of `trueness.diagnose` at every threshold, computed in the page."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from markupsafe import Markup
from scipy import special

from trueness.curves.common import as_threshold
from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.pr import PrCurve
from trueness.errors import InputError, UndefinedError, typeset
from trueness.figures.figure import by_class
from trueness.figures.svg import MOST_POINTS, Drawing, cut, thinned
from trueness.formulas.intervals import quantile
from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import SeveralCalibrations, calibration
from trueness.report.page import Section, rendered
from trueness.report.parts import CHANCE, folded, paragraph, scrolling, small, table
from trueness.result.estimate import Estimate
from trueness.result.words import with_interval
from trueness.sample.fits import Fits
from trueness.sample.left_out import Scale
from trueness.sample.scored import Scored
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.study_designs import Cohort
from trueness.typing import Floats, Ints, Record

POINTS_IN_TABLE = 21
MOST_PANELS = 4  # of classes that are not folded
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
MEASURES = {  # with an interval, by their place on the page
    "tpf": "tpf",
    "tnf": "tnf",
    "fpf": "fpf",
    "ppv": "ppv",
    "npv": "npv",
    "lrp": "dlr_positive",
    "lrn": "dlr_negative",
}
MOST_IN_GROUPS, LEAST_POINTS = 4_000_000, 50  # cases times points whose intervals are computed here
SAME_AS_END = 1e-9  # a rate this close to 0 or 1 is that but for rounding
OWN = "the model's own threshold"
FIXED = "with the interval of one fixed rule, as the numbers at the threshold and the band have it"
FIXED_BEFOREHAND = (
    "Intervals at a threshold are those of one that was fixed beforehand; of one that was chosen on these cases they are too "
    "short, because it looks better here than it is."
)
SIGNS = f"{CHANCE} Point: the chosen threshold."
TOLD_APART = "Orange line: thresholds whose expected cost these cases cannot tell from that of the chosen one."


def score_sections(
    data: Scored,
    level: float,
    origin: str = "",
    scale: Scale = "score",
    fitted: RocCurve | None = None,
    fits: Fits | None = None,
    own: float | None = None,
    area: Estimate | None = None,
    called: str = "",
    name: str = "",
    place: str = "",
    costs: tuple[float, float] = (1.0, 1.0),
    label: str = "left-out scores",
) -> tuple[list[Section], Record]:
    """The sections, and what the script reads.

    Each score of `data` is by a rule that was not trained on the case; `origin` says in one sentence where they come
    from. Calibration and net benefit are shown where scores of `fits` tell probabilities, and the curve of a `fitted` model
    of the scores is drawn beside the empirical one. The slider starts at the threshold of the model, `own`; without one,
    where TPF − FPF is largest; `called` says what it is. Several scores on a page have a `name`, and a `place` that begins
    the ids of their parts. The legend has `label` and the AUC `area` where one was estimated from more than these scores.
    The `costs` of a miss and of a false alarm stand in the panel at first.
    """
    declared = fits is not None and fits.threshold is not None
    called = called or ("the declared threshold" if declared else OWN)
    html, read = _threshold(data, level, scale, fitted, own, called, area, place, name, costs, label)
    parts = [("Precision and recall", _pr(data, level, name)), ("Scores by class", _distributions(data, scale, name))]
    of = f" of {name}" if name else ""
    boxes = "".join(f"<div><h3>{title}</h3>{part}</div>" for title, part in parts)
    return [
        Section(f"{place}roc", f"ROC curve and threshold{of}", (small(origin) if origin else "") + html),
        *([] if fits is None else probability_sections(fits, level)),
        Section(f"{place}scores", f"Scores{of}", f'<div class="two">{boxes}</div>'),
    ], read


def _threshold(
    data: Scored,
    level: float,
    scale: Scale,
    fitted: RocCurve | None,
    own: float | None,
    called: str,
    area: Estimate | None,
    at: str,
    name: str,
    costs: tuple[float, float],
    label: str,
) -> tuple[str, Record]:
    """The curve, beside it that of a `fitted` model, with the slider's panel; and what the script reads."""
    curve = EmpiricalRoc.of(data)
    if area is not None and np.allclose([area.value, area.se or 0], [curve.auc.value, curve.auc.se or 0]):
        area = None  # one fixed rule: a test set
    figure = curve.figure(level=level, label="" if area is None else label, area=area)
    if fitted is not None:
        more = roc_figure({"empirical": curve, fitted.method: fitted}, level=level).panels[0].marks[-1]
        (panel,) = figure.panels
        figure = replace(figure, panels=(replace(panel, marks=(*panel.marks, more)),))
    drawing = Drawing(figure.panels[0], figure)
    few = MOST_POINTS if data.groups is None else max(LEAST_POINTS, min(MOST_POINTS, MOST_IN_GROUPS // data.n))
    cheapest = np.isin(curve.thresholds, curve.hull().thresholds)  # for some costs
    keep = np.union1d(thinned(curve.fpf, curve.tpf, few), np.flatnonzero(cheapest))
    if own is not None:
        place = np.flatnonzero(curve.thresholds >= own)[-1:]  # the first is infinite
        keep = np.union1d(keep, place)
    fpf, tpf = curve.fpf[keep], curve.tpf[keep]
    labels = threshold_labels(curve.thresholds, keep)
    if scale == "log-odds":
        also = special.expit(curve.thresholds[keep]).tolist()
        labels[1:] = [f"{label} (probability {p:.3g})" for label, p in zip(labels[1:], also[1:], strict=True)]
    first = int(np.argmax(tpf - fpf))
    if own is not None:
        first = int(np.searchsorted(keep, place)[0])
    if own is not None and np.isfinite(own):
        labels[first] = f"{own:.4g}" + (f" (probability {special.expit(own):.3g})" if scale == "log-odds" else "")
    some = thinned(fpf, tpf, POINTS_IN_TABLE).tolist()
    points = table(("threshold", "FPF", "TPF"), [(labels[k], f"{fpf[k]:.3f}", f"{tpf[k]:.3f}") for k in some], name)
    named = "TPF − FPF is largest here" if own is None else called
    x, y = drawing.x(fpf).round(1).tolist(), drawing.y(tpf).round(1).tolist()
    here = f'<circle id="{at}here" class="here" r="7" cx="{x[first]}" cy="{y[first]}"/>'
    (start,) = _decided(data, curve.thresholds[keep][[first]], level)
    html = rendered(
        "threshold.html",
        at=at,
        picture=Markup(drawing.svg(f'<path id="{at}same" class="same" d=""/>{here}')),
        start=_shown(start, costs),
        costs=[f"{cost:.12g}" for cost in costs],
        cells=start.design.counts,
        label=typeset(labels[first]),
        named=named,
        captions=[
            *(
                []
                if area is None
                else [f"These scores alone have an AUC of {with_interval(curve.auc, level)}, {FIXED}."]
            ),
            f"{SIGNS} {TOLD_APART}" if data.groups is None else SIGNS,
            FIXED_BEFOREHAND,
        ],
        points=Markup(folded("Points of the curve", points, "unprinted")),
        negative=str(data.classes[0]),
        positive=str(data.classes[1]),
        prevalence=f"{data.n1 / data.n:.3g}",
        level=f"{100 * level:g}",
        units="" if data.groups is None else "; groups are the independent units",
        last=len(keep) - 1,
        first=first,
        rows=ROWS,
        scale="log-odds" if scale == "log-odds" else f"a {scale}",
    )
    return html, {
        **({"at": at} if at else {}),
        "z": quantile(level),
        "positives": data.n1,
        "negatives": data.n0,
        "tp": np.rint(tpf * data.n1).astype(int).tolist(),
        "fp": np.rint(fpf * data.n0).astype(int).tolist(),
        "label": [typeset(label) for label in labels],
        "start": first,
        "named": named,
        "x": x,
        "y": y,
        **({} if data.groups is None else _in_groups(data, curve.thresholds[keep], level)),
    }


def _decided(data: Scored, thresholds: Floats, level: float) -> Iterator[Diagnosis]:
    """The table of the decisions at each threshold, as `trueness.diagnose` has it."""
    order = (
        slice(None) if data.groups is None else np.argsort(data.groups, kind="stable")
    )  # sums within groups are fastest
    scores, truth = data.scores[order], data.positive[order].astype(np.intp)
    units = None if data.groups is None else data.groups[order]
    for threshold in thresholds:
        cells = 2 * truth + (scores >= threshold)
        table = Cohort(np.bincount(cells, minlength=4).reshape(2, 2))
        yield Diagnosis(table, cells=cells, level=level, groups=units)


def _shown(d: Diagnosis, costs: tuple[float, float]) -> dict[str, str]:
    """What the page says at first, as the script writes it."""
    found = {name: d[measure] for name, measure in MEASURES.items()}
    said = {
        name: " (".join(
            [_number(e.value), *([" to ".join(map(_number, e.ci(d.level))) + ")"] if e.has_interval else [])]
        )
        for name, e in found.items()
    }
    (tn, fp), (fn, tp) = d.design.counts.tolist()
    n = tn + fp + fn + tp
    return {**said, "called": _number((tp + fp) / n), "cost": _number((costs[0] * fn + costs[1] * fp) / n)}


def _number(value: float) -> str:
    """Three decimals, fewer above 10, more near 0 and 1; as the script has it."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    from_end = min(value, 1 - value)
    near = 1 - math.floor(math.log10(from_end)) if SAME_AS_END < from_end < 0.01 else 3
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else near}f}"


def _in_groups(data: Scored, thresholds: Floats, level: float) -> Record:
    """What the script cannot know of cases in groups: the limits of `trueness.diagnose(..., groups=)` at each threshold,
    and how many cases one group counts for where a table shows no variance."""
    limits: dict[str, list[list[float] | None]] = {name: [] for name in MEASURES}
    for d in _decided(data, thresholds, level):
        for name, measure in MEASURES.items():
            e = d[measure]
            ends = [float(f"{x:.6g}") for x in e.ci(level)] if e.has_interval else []
            limits[name].append(ends if ends and np.isfinite(ends).all() else None)
    return {"limits": limits, "unit": data.n / min(data.independent)}


def threshold_labels(thresholds: Floats, keep: Ints) -> list[str]:
    """What the page calls the thresholds, as `best` does."""
    lower = np.append(thresholds[1:], -np.inf)
    return ["none is" if k == 0 else as_threshold(float(thresholds[k]), float(lower[k])) for k in keep.tolist()]


def _pr(data: Scored, level: float, name: str) -> str:
    curve = PrCurve(data)
    said = f"Dashed: the prevalence, {data.n1 / data.n:.3g}, which is the precision of a rule without knowledge."
    some = thinned(curve.recall, curve.precision, POINTS_IN_TABLE).tolist()
    rows = [(f"{curve.recall[k]:.3f}", f"{curve.precision[k]:.3f}") for k in some]
    points = folded("Points of the curve", table(("recall", "precision"), rows, name), "unprinted")
    return f"{curve.figure(level=level).html()}{small(said)}{points}"


def _distributions(data: Scored, scale: Scale, name: str) -> str:
    finite = data.scores[np.isfinite(data.scores)]
    if not len(finite) or finite.min() == finite.max():
        return "<p>All scores are equal.</p>"
    low, high = np.quantile(finite, [0.001, 0.999]) if len(finite) > 2000 else (finite.min(), finite.max())
    if low == high:
        low, high = finite.min(), finite.max()
    if scale == "probability":
        low, high = 0.0, 1.0
    of_class, names = (data.down, data.up), [str(c) for c in data.classes]
    called = [cut(label, 60) for label in names]
    figure = by_class(of_class, called, "Scores by class", scale, (float(low), float(high)), height=4.2)
    quantiles = [np.quantile(each, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist() for each in of_class]
    rows = [(label, *(f"{q:.4g}" for q in values)) for label, values in zip(names, quantiles, strict=True)]
    heads = ("class", "5 %", "25 %", "median", "75 %", "95 %")
    return f"{figure.html()}{folded('Quantiles', table(heads, rows, name))}"


def probability_sections(fits: Fits, level: float) -> list[Section]:
    """Calibration and decision curve of fits whose scores are probabilities or log-odds; of several classes the
    calibration of each against the rest. Nothing where they are not, or where too few cases were left out."""
    try:
        return _of_probabilities(fits, level) if fits.probabilities or fits.log_odds else []
    except (InputError, UndefinedError):
        return []


def _of_probabilities(fits: Fits, level: float) -> list[Section]:
    q = calibration(fits, level=level)
    page = q.page()
    tables = "".join(scrolling(t) for t in page.tables)
    said, picture = small(" ".join((*map(str, page.notes), page.footer))), q.figure().html()
    if isinstance(q, SeveralCalibrations):
        each = ((f"{label} against the rest", one.page(level).tables[0]) for label, one in q.classes.items())
        more = folded("All measures of each class", "".join(scrolling(replace(t, title=title)) for title, t in each))
        curves = picture if len(q.classes) <= MOST_PANELS else folded("Curves of all classes", picture)
        return [Section("calibration", "Calibration", f"{paragraph(page.answer)}{tables}{curves}{more}{said}", (q,))]
    sections = [Section("calibration", "Calibration", f"{paragraph(page.answer)}{picture}{tables}{said}", (q,))]
    v = decision_curve(fits, level=level)
    page = v.page()
    points = folded("Net benefit by threshold", "".join(scrolling(t) for t in page.tables))
    pictures = "".join(f"<div>{f.html()}</div>" for f in (v.figure(), v.difference("model").figure()))
    figure = f'<div class="two">{pictures}</div>'
    sections.append(
        Section("benefit", "Net benefit", f"{paragraph(page.answer)}{figure}{points}{small(page.footer)}", (v,))
    )
    return sections
