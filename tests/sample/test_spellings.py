"""scikit-learn's and R's names of parameters get an error that names ours."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

X, Y = np.arange(24.0).reshape(12, 2), np.tile([0, 1], 6)
CALLS = {
    "assess": lambda **given: trueness.assess(GaussianNB(), X, Y, **given),
    "compare": lambda **given: trueness.compare([GaussianNB(), GaussianNB()], X, Y, **given),
    "roc": lambda **given: trueness.roc(Y, X[:, 0], **given),
    "fit": lambda **given: trueness.fit(GaussianNB(), X, Y, trueness.KFold(3), **given),
    "diagnose": lambda **given: trueness.diagnose(Y, Y, **given),
    "estimate": lambda **given: trueness.estimate(None, "error", "loob", **given),
}


@pytest.mark.parametrize(
    ("function", "name", "ours"),
    [
        ("assess", "cv", "plan"),
        ("assess", "scoring", "metrics"),
        ("assess", "random_state", "rng"),
        ("compare", "scoring", "metric"),
        ("compare", "conf_level", "level"),
        ("fit", "random_state", "rng"),
        ("roc", "pos_label", "positive"),
        ("roc", "cluster", "groups"),
        ("diagnose", "y_pred", "predictions"),
        ("estimate", "scoring", "metric"),
    ],
)
def test_the_error_names_ours(function, name, ours):
    with pytest.raises(InputError) as e:
        CALLS[function](**{name: 5})
    assert str(e.value) == f"{function}() has no parameter {name}. Pass {ours}=."
    assert e.value.param == name


@pytest.mark.parametrize("function", [name for name in CALLS if name != "estimate"])  # which has options of methods
def test_other_unknown_names_are_type_errors_as_everywhere(function):
    with pytest.raises(TypeError, match="levle"):
        CALLS[function](levle=0.9)
