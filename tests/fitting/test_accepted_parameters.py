"""Which parameters the engines take: what scikit-learn fits."""

import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from trueness.fitting.engines import accepted, has


def test_parameters_that_change_are_read_anew():
    model = LinearDiscriminantAnalysis()
    for _ in range(2):
        assert accepted(model)
        assert has(model, solver="svd", shrinkage=None)
        model.set_params(tol=-1.0, solver="lsqr")
        assert not accepted(model)
        assert not has(model, solver="svd", shrinkage=None)
        model.set_params(tol=1e-4, solver="svd")


def test_equal_values_of_other_types_are_told_apart():
    for _ in range(2):
        assert accepted(KNeighborsClassifier(n_neighbors=5))
        assert not accepted(KNeighborsClassifier(n_neighbors=5.0))


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(C=-1), GaussianNB(var_smoothing=-1), RidgeClassifier(alpha="1"), KNeighborsClassifier(0)],
)
def test_what_scikit_learn_refuses(model):
    assert not accepted(model)


def test_only_models_of_scikit_learn_are_taken():
    class Child(LinearDiscriminantAnalysis):
        pass

    assert not accepted(Child())


def test_a_parameter_that_the_model_does_not_have_is_ignored():
    assert has(LinearDiscriminantAnalysis(), solver="svd", of_another_version=None)
    assert has(LinearDiscriminantAnalysis(solver="lsqr"), solver=("svd", "lsqr"))
