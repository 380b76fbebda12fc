"""Predicted numbers on a page: predicted against observed, residuals, their distribution, and the largest errors."""

import numpy as np

from trueness.figures.figure import Bars, Figure, Line, Mark, Panel, Points, Rule
from trueness.result.shown import Table
from trueness.result.words import shown
from trueness.sample.fits import Fits
from trueness.typing import Floats, Record

MOST_POINTS = 1000  # drawn
MOST_CASES = 15  # listed with the largest errors
HEADS = ("row (counting from 0)", "target", "prediction", "prediction − target")


def held_out(fits: Fits) -> tuple[Floats, Floats]:
    """(n,) the mean prediction of the rules that left each case out (NaN where there is none), and the target."""
    assert fits.sample.numbers is not None
    part = (*fits.parts, fits)[0]
    return part.means_left_out(lambda block: block.scores), fits.sample.numbers


def number_values(fits: Fits | None) -> Record:
    """The figures and the largest errors of a regression; empty for classes."""
    if fits is None or fits.sample.numbers is None:
        return {"numbers": (), "largest": None}
    predicted, truth = held_out(fits)
    cases = np.flatnonzero(~np.isnan(predicted))
    if not len(cases):
        return {"numbers": (), "largest": None}
    predicted, truth = predicted[cases], truth[cases]
    order = np.argsort(-np.abs(predicted - truth), kind="stable")
    numbers = np.stack([truth, predicted, predicted - truth], axis=1)[order[:MOST_CASES]]
    step = float((predicted - truth).std()) / 10
    rows = [
        (str(case), *(shown(v, step) for v in row)) for case, row in zip(cases[order], numbers.tolist(), strict=False)
    ]
    others = np.random.default_rng(0).permutation(order[MOST_CASES:])[: MOST_POINTS - MOST_CASES]
    some = np.sort(np.append(order[:MOST_CASES], others))  # the largest errors and a fixed random part of the others
    drawn = predicted[some], truth[some]
    figures = [against_observed(*drawn), residuals(*drawn), distribution(predicted - truth)]
    return {"numbers": figures, "largest": Table.of(HEADS, rows)}


def against_observed(predicted: Floats, truth: Floats) -> Figure:
    """Points on the diagonal are predicted without error."""
    both = np.append(predicted, truth)
    ends = [float(both.min()), float(both.max())]
    marks: list[Mark] = [
        Line(ends, ends, "prediction = target", style="--", color="soft", width=0.9),
        Points(predicted, truth, color="C0", size=9.0, opacity=0.5),
    ]
    panel = Panel(marks, x_label="predicted", y_label="observed")
    return Figure("Observed targets against predictions", (panel,), size=(4.6, 4.2))


def residuals(predicted: Floats, truth: Floats) -> Figure:
    """Prediction − target against the prediction; a pattern shows what the model misses."""
    marks: list[Mark] = [Rule(y=0.0), Points(predicted, predicted - truth, color="C0", size=9.0, opacity=0.5)]
    panel = Panel(marks, x_label="predicted", y_label="predicted − observed")
    return Figure("Residuals against predictions", (panel,), size=(4.6, 4.2))


def distribution(errors: Floats) -> Figure:
    """A histogram of the errors."""
    bins = min(40, max(8, round(2 * len(errors) ** (1 / 3))))
    low, high = np.quantile(errors, [0.0005, 0.9995])
    heights, edges = np.histogram(errors, bins=bins, range=(low, high))
    panel = Panel([Bars(edges, heights), Rule(x=0.0)], x_label="predicted − observed", y_label="cases")
    return Figure("Distribution of errors", (panel,), size=(4.6, 4.2))
