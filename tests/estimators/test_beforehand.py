"""What a design rules out is said before the first fit."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import trueness
from trueness.errors import UndefinedError

N = 60
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 2)) + Y[:, None]


class NotToBeFitted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("a model was fitted")

    def predict(self, X):
        raise AssertionError


@pytest.mark.parametrize(
    ("metric", "plan", "groups"),
    [
        ("error", trueness.Bootstrap(100), Y),  # one group per class
        ("error", trueness.Bootstrap(3), None),
        ("auc", trueness.Bootstrap(3), None),
    ],
)
def test_a_comparison_that_cannot_be_made_fits_nothing(metric, plan, groups):
    with pytest.raises(UndefinedError) as caught:
        trueness.compare(
            {"a": NotToBeFitted(), "b": NotToBeFitted()}, X, Y, metric=metric, plan=plan, groups=groups, rng=0
        )
    assert caught.value.param == "plan"


def test_an_assessment_that_tests_no_case_fits_nothing():
    with pytest.raises(UndefinedError):
        trueness.assess(NotToBeFitted(), X, Y, plan=trueness.Bootstrap(100), groups=Y, rng=0)
