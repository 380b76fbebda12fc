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


def number_values(fits: Fits) -> Record:
    """The figures and the largest errors of a regression; empty where no case was left out."""
    held = held_out(fits)
    if np.isnan(held[0]).all():
        return {"numbers": (), "largest": None}
    cases = np.flatnonzero(~np.isnan(held[0]))
    predicted, truth = held[0][cases], held[1][cases]
    errors = predicted - truth
    order = np.argsort(-np.abs(errors), kind="stable")
    largest = zip(cases[order], np.stack([truth, predicted, errors], axis=1)[order[:MOST_CASES]].tolist(), strict=False)
    rows = [(str(case), *(shown(v, float(errors.std()) / 10) for v in row)) for case, row in largest]
    others = np.random.default_rng(0).permutation(order[MOST_CASES:])[: MOST_POINTS - MOST_CASES]
    some = np.sort(np.append(order[:MOST_CASES], others))  # the largest errors and a fixed random part of the others
    ends = [float(min(predicted.min(), truth.min())), float(max(predicted.max(), truth.max()))]
    marks: list[Mark] = [
        Line(ends, ends, "prediction = target", style="--", color="soft", width=0.9),
        Points(predicted[some], truth[some], color="C0", size=9.0, opacity=0.5),
    ]
    against = Panel(marks, x_label="predicted", y_label="observed")
    low, high = np.quantile(errors, [0.0005, 0.9995])
    heights, edges = np.histogram(errors, bins=min(40, max(8, round(2 * len(errors) ** (1 / 3)))), range=(low, high))
    spread = Panel([Bars(edges, heights), Rule(x=0.0)], x_label="predicted − observed", y_label="cases")
    figures = [
        Figure("Observed targets against predictions", (against,), size=(4.6, 4.2)),
        Figure("Distribution of errors", (spread,), size=(4.6, 4.2)),
    ]
    return {"numbers": figures, "largest": Table(HEADS, rows)}
