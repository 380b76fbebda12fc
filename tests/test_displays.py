"""Displays with scikit-learn's names: what they draw is trueness's."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import trueness
from trueness.displays import PrecisionRecallDisplay, RocCurveDisplay
from trueness.errors import InputError

pytest.importorskip("matplotlib").use("agg")

X, Y = make_classification(200, random_state=0)
MODEL = make_pipeline(StandardScaler(), LDA()).fit(X[:100], Y[:100])
SCORES = MODEL.decision_function(X[100:])
BOTH = pytest.mark.parametrize("display", [RocCurveDisplay, PrecisionRecallDisplay])


@BOTH
def test_an_estimator_and_its_scores_give_the_same_curve(display):
    a = display.from_estimator(MODEL, X[100:], Y[100:])
    b = display.from_predictions(Y[100:], SCORES, name="LinearDiscriminantAnalysis")
    assert a.line_.get_label() == b.line_.get_label()
    assert np.array_equal(a.line_.get_xydata(), b.line_.get_xydata())
    assert a.figure_ is a.ax_.figure


def test_the_areas_are_scikit_learns_with_its_intervals():
    a = RocCurveDisplay.from_predictions(Y[100:], SCORES)
    assert a.area.value == pytest.approx(roc_auc_score(Y[100:], SCORES))
    assert tuple(a.area.ci()) == tuple(trueness.roc(Y[100:], SCORES).auc.ci())
    assert len(a.ax_.patches) == 1  # the band
    b = PrecisionRecallDisplay.from_predictions(Y[100:], SCORES)
    assert b.area.value == pytest.approx(average_precision_score(Y[100:], SCORES))


@BOTH
def test_folds_of_cross_validate_are_one_line_each_and_no_band(display):
    r = cross_validate(LDA(), X, Y, cv=5, return_estimator=True, return_indices=True)
    a = display.from_cv_results(r, X, Y, name="LDA")
    assert len(a.line_) == len(a.curves) == 5
    assert not a.ax_.patches
    measure = roc_auc_score if display is RocCurveDisplay else average_precision_score
    each = [
        measure(Y[test], rule.decision_function(X[test]))
        for rule, test in zip(r["estimator"], r["indices"]["test"], strict=True)
    ]
    assert a.area.value == pytest.approx(np.mean(each))


@BOTH
def test_several_displays_share_axes_and_lines_take_options(display):
    a = display.from_predictions(Y[100:], SCORES, name="first")
    b = display.from_predictions(Y[100:], -SCORES, name="second", ax=a.ax_)
    assert a.ax_ is b.ax_
    assert a.line_ is not b.line_
    assert b.line_.get_label().startswith("second")
    assert b.plot(linestyle=":").line_.get_linestyle() == ":"


@BOTH
def test_the_positive_class_is_asked_for_as_everywhere(display):
    labels = np.where(Y[100:] == 1, "sick", "well")
    with pytest.raises(InputError) as caught:
        display.from_predictions(labels, SCORES)
    assert caught.value.param == "positive"
    a = display.from_predictions(labels, SCORES, positive="sick")
    assert a.area.value == pytest.approx(display.from_predictions(Y[100:], SCORES).area.value)


def test_an_estimator_that_is_not_fitted_is_an_error():
    with pytest.raises(InputError):
        RocCurveDisplay.from_estimator(LinearSVC(), X, Y)
