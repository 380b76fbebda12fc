"""Sections of the report about predicted numbers: predicted against observed, residuals, the distribution of errors, errors
by the size of the prediction, and the cases with the largest errors."""

import numpy as np

from trueness.figures.figure import Bars, Figure, Intervals, Line, Mark, Panel, Points, Rule
from trueness.formulas.groups import DesignEffect, group_sizes, variance_of_mean
from trueness.formulas.intervals import quantile
from trueness.report.page import Section
from trueness.report.parts import folded, small, table
from trueness.result.words import between, shown
from trueness.sample.fits import Fits
from trueness.typing import Floats, Ints

MOST_POINTS = 1000  # drawn
MOST_CASES = 15  # listed with the largest errors
PARTS = 5  # of the predictions, from low to high
LEAST_PER_PART = 5  # cases
ORIGIN = (
    "Each case by the rules that were not trained on it (of several, the mean of their predictions). Intervals take the "
    "predictions as given."
)


def held_out(fits: Fits) -> tuple[Floats, Floats] | None:
    """(n,) the mean prediction of the rules that left each case out (NaN where there is none), and the target."""
    part, truth = (fits.parts[0] if fits.parts else fits), fits.sample.numbers
    return None if truth is None else (part.means_left_out(lambda block: block.scores), truth)


def number_sections(fits: Fits, level: float) -> list[Section]:
    """What the held-out predictions of a regression show; empty for classes."""
    found = held_out(fits)
    if found is None:
        return []
    predicted, truth = found
    cases = np.flatnonzero(~np.isnan(predicted))
    if len(cases) < 2:
        return []
    predicted, truth = predicted[cases], truth[cases]
    groups = None if fits.sample.groups is None else fits.sample.groups[cases]
    pictures = "".join(
        f"<div>{f.html()}</div>" for f in (against_observed(predicted, truth), residuals(predicted, truth))
    )
    sizes = error_by_prediction(predicted, truth, groups, level)
    more = "".join(f"<div>{f.html()}</div>" for f in (distribution(predicted, truth), sizes[0]))
    rows = table(("predictions", "cases", "mean prediction", "mean |error|", f"{100 * level:g} % interval"), sizes[1])
    order = np.argsort(-np.abs(predicted - truth), kind="stable")[:MOST_CASES]
    step = float((predicted - truth).std()) / 10
    listed = [
        (str(cases[i]), *(shown(float(v), step) for v in (truth[i], predicted[i], predicted[i] - truth[i])))
        for i in order.tolist()
    ]
    return [
        Section("predicted", "Predicted and observed", f'{small(ORIGIN)}<div class="two">{pictures}</div>'),
        Section(
            "errors", "Errors", f'<div class="two">{more}</div>{folded("Errors by the size of the prediction", rows)}'
        ),
        Section(
            "largest",
            "Cases with the largest errors",
            table(("row (counting from 0)", "target", "prediction", "prediction − target"), listed),
        ),
    ]


def _some(predicted: Floats, truth: Floats) -> Ints:
    """Cases that are drawn: all, or those with the largest errors and a fixed random part of the others."""
    n = len(truth)
    if n <= MOST_POINTS:
        return np.arange(n)
    order = np.argsort(-np.abs(predicted - truth), kind="stable")
    others = np.random.default_rng(0).permutation(order[MOST_CASES:])
    return np.sort(np.append(order[:MOST_CASES], others[: MOST_POINTS - MOST_CASES]))


def against_observed(predicted: Floats, truth: Floats) -> Figure:
    """Points on the diagonal are predicted without error."""
    some, ends = (
        _some(predicted, truth),
        [float(min(predicted.min(), truth.min())), float(max(predicted.max(), truth.max()))],
    )
    marks: list[Mark] = [
        Line(ends, ends, "prediction = target", style="--", color="soft", width=0.9),
        Points(predicted[some], truth[some], color="C0", size=9.0, opacity=0.5),
    ]
    return Figure(
        "Observed targets against predictions",
        (Panel(marks, x_label="predicted", y_label="observed"),),
        size=(4.6, 4.2),
    )


def residuals(predicted: Floats, truth: Floats) -> Figure:
    """Prediction − target against the prediction; a pattern shows what the model misses."""
    some = _some(predicted, truth)
    marks: list[Mark] = [
        Rule(y=0.0),
        Points(predicted[some], (predicted - truth)[some], color="C0", size=9.0, opacity=0.5),
    ]
    panel = Panel(marks, x_label="predicted", y_label="predicted − observed")
    return Figure("Residuals against predictions", (panel,), size=(4.6, 4.2))


def distribution(predicted: Floats, truth: Floats) -> Figure:
    """A histogram of the errors."""
    errors = predicted - truth
    low, high = np.quantile(errors, [0.001, 0.999]) if len(errors) > 2000 else (errors.min(), errors.max())
    heights, edges = np.histogram(errors, bins=min(40, max(8, round(2 * len(errors) ** (1 / 3)))), range=(low, high))
    panel = Panel([Bars(edges, heights), Rule(x=0.0)], x_label="predicted − observed", y_label="cases")
    return Figure("Distribution of errors", (panel,), size=(4.6, 4.2))


def error_by_prediction(
    predicted: Floats, truth: Floats, groups: Ints | None, level: float
) -> tuple[Figure, list[tuple[str, ...]]]:
    """Mean absolute error of fifths of the cases, by ascending prediction, with intervals; and the rows of a table."""
    errors, order = np.abs(predicted - truth), np.argsort(predicted, kind="stable")
    parts, step = min(PARTS, max(1, len(truth) // LEAST_PER_PART)), float((predicted - truth).std()) / 10
    at, mean, half = [], [], []
    rows: list[tuple[str, ...]] = []
    for cases in np.array_split(order, parts):
        m = float(errors[cases].mean())
        of = cases if groups is None else groups[cases]
        variance, alone = variance_of_mean(errors[cases], of), float(errors[cases].var(ddof=1)) / len(cases)
        effect, se = DesignEffect.of(variance, alone, len(cases), group_sizes(of)), float(np.sqrt(variance))
        width = quantile(level, effect.df) * se if effect.groups > 1 else np.nan
        at.append(float(predicted[cases].mean()))
        mean.append(m)
        half.append(width)
        span = between(float(predicted[cases].min()), float(predicted[cases].max()), step)
        said = "" if np.isnan(width) else between(max(m - width, 0.0), m + width, se)
        rows.append((span, str(len(cases)), shown(at[-1], step), shown(m, step if np.isnan(width) else se), said))
    mean_, half_ = np.array(mean), np.array(half)
    marks: list[Mark] = [Intervals(at, np.maximum(mean_ - half_, 0), mean_ + half_), Points(at, mean_, color="C0")]
    panel = Panel(marks, x_label="mean prediction of a fifth of the cases", y_label="mean absolute error")
    return Figure("Error by the size of the prediction", (panel,), size=(4.6, 4.2)), rows
