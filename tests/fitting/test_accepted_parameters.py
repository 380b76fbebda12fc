"""Which parameters the engines take: remembered by value and by type, read anew from the model at every call."""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline

from karat.fitting.batched.base import covered
from karat.fitting.batched.registry import valid


def test_parameters_that_change_are_read_anew():
    model = LinearDiscriminantAnalysis()
    for _ in range(2):
        assert valid(model)
        assert covered(model, solver="svd", shrinkage=None)
        model.set_params(tol=-1.0, solver="lsqr")
        assert not valid(model)
        assert not covered(model, solver="svd", shrinkage=None)
        model.set_params(tol=1e-4, solver="svd")


def test_equal_values_of_other_types_are_told_apart():
    for _ in range(2):
        assert valid(KNeighborsClassifier(n_neighbors=5))
        assert not valid(KNeighborsClassifier(n_neighbors=5.0))


def test_what_is_not_a_plain_value_is_asked_about():
    assert valid(LinearDiscriminantAnalysis(priors=[0.5, 0.5]))
    assert not valid(LinearDiscriminantAnalysis(priors=object()))
    assert valid(make_pipeline(NearestCentroid()))


def test_a_stranger_is_not_valid_and_a_subclass_answers_for_itself():
    class Fussy(LinearDiscriminantAnalysis):
        def _validate_params(self):
            raise ValueError("never")

    assert not valid(object())
    assert not valid(Fussy())


def test_a_parameter_that_the_model_has_not_is_passed_over():
    assert covered(LinearDiscriminantAnalysis(), solver="svd", of_another_version=None)
    assert covered(LinearDiscriminantAnalysis(solver="lsqr"), solver=("svd", "lsqr"))
