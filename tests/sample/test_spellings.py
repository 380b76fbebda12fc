"""scikit-learn's names of parameters get an error that names ours."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import karat
from karat.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::karat.errors.KaratWarning")

X, Y = np.arange(24.0).reshape(12, 2), np.tile([0, 1], 6)
CALLS = {
    "assess": lambda **given: karat.assess(GaussianNB(), X, Y, **given),
    "compare": lambda **given: karat.compare([GaussianNB(), GaussianNB()], X, Y, **given),
    "roc": lambda **given: karat.roc(Y, X[:, 0], **given),
    "fit": lambda **given: karat.fit(GaussianNB(), X, Y, karat.KFold(3), **given),
    "learning_curve": lambda **given: karat.learning_curve(GaussianNB(), X, Y, **given),
    "diagnose": lambda **given: karat.diagnose(Y, Y, **given),
    "pr": lambda **given: karat.pr(Y, X[:, 0], **given),
}
GIVEN = {"cv": 5, "scoring": "roc_auc", "pos_label": 1, "random_state": 0, "sample_weight": np.ones(12)}


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("name", GIVEN)
def test_every_foreign_name(function, name):
    with pytest.raises(InputError) as e:
        CALLS[function](**{name: GIVEN[name]})
    assert e.value.param == name
    assert e.value.fix


def test_the_error_names_ours():
    expected = {
        ("assess", "cv"): "karat.assess has no parameter cv. Pass plan=5.",
        ("assess", "scoring"): "karat.assess has no parameter scoring. Pass metrics='roc_auc'.",
        ("compare", "scoring"): "karat.compare has no parameter scoring. Pass metric='roc_auc'.",
        ("assess", "random_state"): "karat.assess has no parameter random_state. Pass rng=0.",
        ("roc", "pos_label"): "karat.roc has no parameter pos_label. Pass positive=1.",
        ("pr", "random_state"): "karat.pr has no parameter random_state. Nothing is drawn at random.",
    }
    for (function, name), message in expected.items():
        with pytest.raises(InputError) as e:
            CALLS[function](**{name: GIVEN[name]})
        assert str(e.value) == message


def test_what_the_error_suggests_works():
    cv = StratifiedKFold(3)
    with pytest.raises(InputError) as e:
        CALLS["assess"](cv=cv)
    assert e.value.fix[1].value is cv
    assert CALLS["assess"](plan=cv).fits.n_fits == 3


@pytest.mark.parametrize("function", CALLS)
def test_other_unknown_names_are_type_errors_as_everywhere(function):
    with pytest.raises(TypeError, match="unexpected keyword argument 'levle'"):
        CALLS[function](levle=0.9)
