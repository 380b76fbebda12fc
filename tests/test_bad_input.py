"""Bad input is an InputError that names the parameter, never an error from inside."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat
from karat import comparisons
from karat.errors import InputError

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
