"""The sections of a report about predicted numbers: marks, tables, groups, and nothing about classes."""

import numpy as np
from sklearn.linear_model import LinearRegression

import trueness
from trueness.report.numbers import error_by_prediction, held_out, number_sections


def assessed(**how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=60)
    y[7] += 9
    return trueness.assess(LinearRegression(), X, y, plan=trueness.KFold(5), metrics="mae", rng=0, **how)


def test_predictions_are_those_of_rules_that_left_the_case_out():
    fits = assessed().fits
    predicted, truth = held_out(fits)
    np.testing.assert_array_equal(predicted, fits.pooled().scores[0])
    np.testing.assert_array_equal(truth, fits.sample.numbers)


def test_errors_of_fifths_add_up_to_the_mean_absolute_error():
    a = assessed()
    figure, rows = error_by_prediction(*held_out(a.fits), None, 0.95)
    assert [row[1] for row in rows] == ["12"] * 5
    intervals, points = figure.panels[0].marks
    np.testing.assert_allclose(np.mean(points.y), a["mae", "cv_pooled"].value)
    assert (np.asarray(intervals.low) >= 0).all()


def test_the_page_has_the_sections_and_lists_the_largest_error():
    a = assessed()
    titles = [section.title for section in number_sections(a.fits, 0.95)]
    assert titles == ["Predicted and observed", "Errors", "Cases with the largest errors"]
    page = a.report()
    assert "<td>7</td>" in page.split("Cases with the largest errors")[-1]
    assert "misclassified" not in page


def test_groups_and_classes():
    groups = np.arange(60) // 4
    assert len(number_sections(assessed(groups=groups).fits, 0.95)) == 3
    labels = trueness.Fits.from_arrays([0, 1] * 5, [[0] * 10], [np.arange(10.0)], threshold=5)
    assert number_sections(labels, 0.95) == []
