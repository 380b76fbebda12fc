"""Bad input is an InputError that names the parameter, never an error from inside."""

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness import comparisons, studies
from trueness.errors import InputError
from trueness.studies import populations

Y = np.arange(30) % 2
S = np.random.default_rng(0).normal(size=30) + Y
X = np.random.default_rng(1).normal(size=(30, 2))
FITS = trueness.fit(LDA(), X, Y, trueness.KFold(3), rng=0)


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: trueness.roc([[1, 2], [3]], S), "y"),
        (lambda: trueness.check(X, Y, X_test=[[1], [1, 2]]), "X_test"),
        (lambda: trueness.check(X, Y, batch=[[1], [1, 2]]), "batch"),
        (lambda: trueness.check(X, Y, fast=np.array([])), "fast"),
        (lambda: studies.evaluate(populations.two_gaussians(2, 1.2), LDA(), {"a": 1}), "estimators"),
        (lambda: trueness.compare({"a": LDA(), "b": LDA()}, X, Y, checks=np.array([])), "checks"),
        (lambda: trueness.assess(LDA(), X, Y, checks=None), "checks"),
        (lambda: trueness.compare({"a": LDA(), "b": LDA()}, X.astype([("a", float)]), Y), "X"),
        # what fuzzing found: arrays, unhashable objects and missing values of pandas in place of options
        (lambda: comparisons.mcnemar(Y, Y, Y, alternative=np.array([])), "alternative"),
        (lambda: comparisons.mcnemar(Y, Y, Y, method=[[1]]), "method"),
        (lambda: comparisons.tango(2, 3, 10, level=-1), "level"),
        (lambda: comparisons.conover(np.eye(3), level=object), "level"),
        (lambda: comparisons.nemenyi(np.eye(3), higher_is_better=None), "higher_is_better"),
        (lambda: trueness.KFold(stratified=np.array([])), "stratified"),
        (lambda: trueness.roc(Y, S, method=["binormal"]), "method"),
        (lambda: trueness.roc(Y, S, positive=np.array([])), "positive"),
        (lambda: trueness.roc(Y, S, groups=[[1], [1, 2]]), "groups"),
        (lambda: trueness.roc(Y, S).band(method=[]), "method"),
        (lambda: trueness.roc(Y, S).auc.ci(method=[]), "method"),
        (lambda: trueness.roc(Y.astype([("a", float)]), S), "y"),
        (lambda: trueness.roc(Y, S).partial_auc(np.array(3.0)), "fpf"),
        (lambda: trueness.pr(Y, S).bootstrap([]), "area"),
        (lambda: trueness.tables.proportion_interval(1, 2, []), "method"),
        (lambda: trueness.systems.read_evals([None]), "source"),
        (lambda: trueness.systems.read_evals({}), "source"),
        (lambda: trueness.Fits.from_arrays(Y, [[0, 1], [1]], S), "counts"),
        (lambda: trueness.Fits.from_arrays(Y, Y, S, threshold="x"), "threshold"),
        (lambda: trueness.studies.two_gaussians(None, 1.0), "n_features"),
        (lambda: trueness.studies.Gaussians([["x"]], [[1.0]]), "means"),
        (lambda: trueness.studies.run(None), "name"),
        (lambda: trueness.studies.RegressionPopulation(3), "function"),
        (lambda: trueness.studies.bias_variance(b"x", trueness.studies.two_gaussians(2, 1.0), 20), "model"),
        (lambda: trueness.fit(LDA(), X, [[1, 2], [3]], trueness.KFold(3)), "y"),
        (lambda: trueness.fit(LDA(), [[1, 2], [3]] * 15, Y, trueness.KFold(3)), "X"),
        (lambda: trueness.fit(LDA(), [["a", 2]] * 30, Y, trueness.KFold(3)), "X"),
        (lambda: trueness.fit(LDA(), [1.0] * 30, Y, trueness.KFold(3)), "X"),
        (lambda: trueness.fit(LDA(), 5, Y, trueness.KFold(3)), "X"),
        (lambda: trueness.difference(FITS, None, "auc", "cv"), "fits_b"),
        (lambda: trueness.curves.operating_points(X), "fits"),
        (lambda: trueness.curves.multiclass_roc(X), "fits"),
        (lambda: trueness.fit(LDA(), X, Y, trueness.KFold(3), batch_size=2.5), "batch_size"),
        (lambda: trueness.assess(LDA(), X, Y, plan=trueness.KFold(3), metrics=3), "metric"),
        (lambda: trueness.assess(LDA(), X, Y, plan=trueness.KFold(3), level="95%"), "level"),
        (lambda: trueness.roc(Y, S).auc.ci(None), "level"),
        (lambda: trueness.roc(Y, S).band(None), "level"),
        (lambda: comparisons.bootstrap(Y, S, -S, statistic="auc"), "statistic"),
        (lambda: trueness.roc(Y, S).best(costs="x"), "costs"),
        (lambda: trueness.roc(Y, S).best(costs=[[0, 1], [1]], prevalence=0.2), "costs"),
        (lambda: trueness.pr(Y, S).interpolated(-1), "n_points"),
        (lambda: trueness.pr(Y, S).interpolated(2.5), "n_points"),
        (lambda: trueness.Fits.from_arrays(Y, [[0] * 30], [S], classes=3), "classes"),
        (lambda: trueness.estimate(FITS, trueness.metrics.Error(priors="x"), "cv"), "priors"),
        (lambda: trueness.assess(LDA(), X, Y, metrics=trueness.metrics.Error(priors="x")), "priors"),
        (lambda: populations.Gaussians([[0.0], [1.0]], [[1.0]], priors="x"), "priors"),
        (lambda: comparisons.size_for_auc_difference(0.8, 0.7, correlation="x"), "correlation"),
        (lambda: comparisons.size_for_auc_difference(0.8, 0.7, correlation=(0.1, 0.2, 0.3)), "correlation"),
        (lambda: comparisons.size_for_error_difference(0.1, 0.2, discordant="x"), "discordant"),
        (lambda: comparisons.bayes_correlated_t([0.1, 0.2, 0.3], 20, 10, rope=None), "rope"),
        (lambda: comparisons.bayes_signed_rank([0.1, 0.2, 0.3], [0.2, 0.2, 0.1], rope="x"), "rope"),
        (lambda: comparisons.tango("2", 3, 10), "n"),
        (lambda: trueness.Bootstrap(10**30), "n_resamples"),
        (lambda: trueness.roc(Y, S).band(method="bootstrap", n_resamples=10**30), "n_resamples"),
        (lambda: comparisons.bootstrap(Y, S, -S, n_resamples=10**30), "n_resamples"),
        (lambda: comparisons.tango(2, 3, 0), "n"),
        (lambda: comparisons.tango(2, np.nan, 10), "n"),
        (lambda: comparisons.size_for_auc_difference(pilot=(Y, S)), "pilot"),
    ],
)
def test_the_error_names_the_parameter(call, param):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.param == param


@pytest.mark.parametrize("engine", ["auto", "generic"])
def test_a_list_of_rows_is_a_table(engine):
    for rows in (X.tolist(), tuple(map(tuple, X)), list(X)):
        fits = trueness.fit(LDA(), rows, Y, trueness.KFold(3), rng=0, engine=engine)
        np.testing.assert_array_equal(
            fits.held, trueness.fit(LDA(), X, Y, trueness.KFold(3), rng=0, engine=engine).held
        )


def test_numbers_of_numpy_are_written_as_json():
    assert '"level": 0.5' in comparisons.size_for_auc(0.8, 0.1, level=np.float16(0.5)).to_json()


MASKED = np.ma.masked_array([0.1, 0.4, 0.35, 0.8], mask=[0, 0, 1, 0])


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: trueness.roc([0, 0, 1, 1], MASKED), "scores"),
        (lambda: trueness.roc(np.ma.masked_array([0, 0, 1, 1], mask=[1, 0, 0, 0]), [0.1, 0.4, 0.35, 0.8]), "y"),
        (lambda: trueness.comparisons.split_mean(MASKED), "values"),
        (lambda: trueness.comparisons.friedman(np.ma.masked_array(np.eye(4, 3), mask=np.eye(4, 3))), "table"),
        (lambda: trueness.roc([0, 0, 1, 1], [1j, 0.4, 0.35, 0.8]), "scores"),
        (lambda: trueness.comparisons.split_mean([1j, 2, 3]), "values"),
    ],
)
def test_what_a_mask_hides_is_missing_and_complex_numbers_are_no_scores(call, param):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.param == param


def test_masked_rows_of_a_list_are_missing():
    y, scores = [0, 0, 0, 1, 1], [9.0, 0.1, 0.2, 0.3, 0.4]
    masked = np.ma.masked_array(scores, mask=[1, 0, 0, 0, 0])
    fits = trueness.Fits.from_arrays(y, [[0] * 5], [masked])
    with pytest.raises(InputError, match="missing"):
        trueness.estimate(fits, "auc", "holdout")


def test_a_masked_array_that_hides_nothing_is_an_array():
    y, scores = np.ma.masked_array([0, 0, 1, 1]), np.ma.masked_array([0.1, 0.4, 0.35, 0.8])
    assert trueness.roc(y, scores).auc.value == trueness.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).auc.value


def test_masked_features_are_missing_values():
    hidden = np.ma.masked_array(X, mask=np.arange(60).reshape(30, 2) == 7)
    assert np.isnan(trueness.sample.Sample.of(Y, X=hidden).X).sum() == 1
    with pytest.raises(InputError) as caught:
        trueness.sample.Sample.of(Y, X=np.ma.masked)
    assert caught.value.param == "X"


ONE = np.array(3.0)  # has the method to go through it, and refuses


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: trueness.assess(LDA(), X, Y, metrics=ONE), "metric"),
        (lambda: trueness.assess(LDA(), X, Y, plan=ONE), "plan"),
        (lambda: trueness.plans.Splits(ONE), "plan"),
        (lambda: trueness.check(X, Y, plan=ONE), "plan"),
        (lambda: trueness.learning_curve(LDA(), X, Y, sizes=ONE), "sizes"),
        (lambda: trueness.learning_curve(LDA(), X, Y, sizes=[[8], 10]), "sizes"),
        (lambda: trueness.learning_curve(LDA(), X, Y, sizes=[10], extrapolate=ONE), "extrapolate"),
        (lambda: trueness.curves.ScoreCounts.merge(ONE), "parts"),
        (lambda: trueness.systems.compare(pd.DataFrame({"y": Y, "a": Y}), systems=ONE, truth="y"), "systems"),
    ],
)
def test_an_array_without_axes_does_not_hold_several_things(call, param):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.param == param
