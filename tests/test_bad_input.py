"""Bad input is an InputError that names the parameter, never an error from inside."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat
from karat import comparisons
from karat.errors import InputError
from karat.sample import populations

Y = np.arange(30) % 2
S = np.random.default_rng(0).normal(size=30) + Y
X = np.random.default_rng(1).normal(size=(30, 2))
FITS = karat.fit(LDA(), X, Y, karat.KFold(3), rng=0)


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: karat.roc([[1, 2], [3]], S), "y"),
        (lambda: karat.fit(LDA(), X, [[1, 2], [3]], karat.KFold(3)), "y"),
        (lambda: karat.fit(LDA(), [[1, 2], [3]] * 15, Y, karat.KFold(3)), "X"),
        (lambda: karat.fit(LDA(), [["a", 2]] * 30, Y, karat.KFold(3)), "X"),
        (lambda: karat.fit(LDA(), [1.0] * 30, Y, karat.KFold(3)), "X"),
        (lambda: karat.fit(LDA(), 5, Y, karat.KFold(3)), "X"),
        (lambda: karat.difference(FITS, None, "auc", "cv"), "fits_b"),
        (lambda: karat.operating_points(X), "fits"),
        (lambda: karat.multiclass_roc(X), "fits"),
        (lambda: karat.fit(LDA(), X, Y, karat.KFold(3), batch_size=2.5), "batch_size"),
        (lambda: karat.assess(LDA(), X, Y, plan=karat.KFold(3), metrics=None), "metric"),
        (lambda: karat.assess(LDA(), X, Y, plan=karat.KFold(3), level="95%"), "level"),
        (lambda: karat.roc(Y, S).auc.ci(None), "level"),
        (lambda: karat.roc(Y, S).band(None), "level"),
        (lambda: comparisons.bootstrap(Y, S, -S, statistic="auc"), "statistic"),
        (lambda: karat.roc(Y, S).best(costs="x"), "costs"),
        (lambda: karat.roc(Y, S).best(costs=[[0, 1], [1]], prevalence=0.2), "costs"),
        (lambda: karat.pr(Y, S).interpolated(-1), "n_points"),
        (lambda: karat.pr(Y, S).interpolated(2.5), "n_points"),
        (lambda: karat.operating_points(FITS, measures="x"), "measures"),
        (lambda: karat.operating_points(FITS, measures={"x": 1}), "measures"),
        (lambda: karat.operating_points(FITS).cases_needed(1, "tpf", power=None), "power"),
        (lambda: karat.Fits.from_arrays(Y, [[0] * 30], [S], classes=3), "classes"),
        (lambda: karat.estimate(FITS, karat.metrics.Error(priors="x"), "cv"), "priors"),
        (lambda: karat.assess(LDA(), X, Y, metrics=karat.metrics.Error(priors="x")), "priors"),
        (lambda: populations.Gaussians([[0.0], [1.0]], [[1.0]], priors="x"), "priors"),
        (lambda: comparisons.size_for_auc_difference(0.8, 0.7, correlation="x"), "correlation"),
        (lambda: comparisons.size_for_auc_difference(0.8, 0.7, correlation=(0.1, 0.2, 0.3)), "correlation"),
        (lambda: comparisons.size_for_error_difference(0.1, 0.2, discordant="x"), "discordant"),
        (lambda: comparisons.bayes_correlated_t([0.1, 0.2, 0.3], 20, 10, rope=None), "rope"),
        (lambda: comparisons.bayes_signed_rank([0.1, 0.2, 0.3], [0.2, 0.2, 0.1], rope="x"), "rope"),
        (lambda: comparisons.tango("2", 3, 10), "n"),
        (lambda: karat.Bootstrap(10**30), "n_resamples"),
        (lambda: karat.roc(Y, S).band(method="bootstrap", n_resamples=10**30), "n_resamples"),
        (lambda: comparisons.bootstrap(Y, S, -S, n_resamples=10**30), "n_resamples"),
        (lambda: comparisons.tango(2, 3, 0), "n"),
        (lambda: comparisons.tango(2, np.nan, 10), "n"),
        (lambda: comparisons.size_for_auc_difference(pilot=(Y, S)), "pilot"),
        (lambda: comparisons.size_for_error_difference(pilot=Y), "pilot"),
        (lambda: comparisons.simulated_power((Y, S), 10, 10, trials=100), "pilot"),
    ],
)
def test_the_error_names_the_parameter(call, param):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.param == param


@pytest.mark.parametrize("engine", ["auto", "generic"])
def test_a_list_of_rows_is_a_table(engine):
    for rows in (X.tolist(), tuple(map(tuple, X)), list(X)):
        fits = karat.fit(LDA(), rows, Y, karat.KFold(3), rng=0, engine=engine)
        np.testing.assert_array_equal(fits.held, karat.fit(LDA(), X, Y, karat.KFold(3), rng=0, engine=engine).held)
