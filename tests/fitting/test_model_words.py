"""Models in words: what was changed, and everything on demand."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import InputError
from trueness.fitting.described import describe, parameters


class Stranger:
    """No parameters to tell, and an address in its repr."""


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (GaussianNB(), "GaussianNB()"),
        (LogisticRegression(C=0.5, tol=1e-4), "LogisticRegression(C=0.5)"),
        (RandomForestClassifier(max_features=None), "RandomForestClassifier(max_features=None)"),
        (make_pipeline(StandardScaler(), GaussianNB()), "StandardScaler() → GaussianNB()"),
        (
            GridSearchCV(LogisticRegression(), {"C": [1, 2]}),
            "GridSearchCV(estimator=LogisticRegression(), param_grid={'C': [1, 2]})",
        ),
        ("lda", "lda"),
    ],
)
def test_only_what_was_changed_is_shown(model, said):
    assert describe(model) == said


def test_a_title_has_no_address_and_an_end():
    assert " at 0x" not in describe(Stranger())
    assert len(describe(LogisticRegression(class_weight={k: 1.0 for k in range(999)}))) <= 200


def test_xgboost_without_its_28_nones():
    xgboost = pytest.importorskip("xgboost")
    said = describe(xgboost.XGBClassifier(max_depth=3, learning_rate=0.1))
    assert said == "XGBClassifier(learning_rate=0.1, max_depth=3)"


def test_all_parameters_on_demand():
    known = parameters(make_pipeline(StandardScaler(), LogisticRegression(C=2.0)))
    assert known["logisticregression__C"] == "2.0"
    assert known["logisticregression__tol"] == "0.0001"
    assert parameters(Stranger()) == {}


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_name_is_the_title_everywhere():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 2 * y[:, None]
    a = trueness.assess(DecisionTreeClassifier(max_depth=2), X, y, fits=60, rng=0, name="my tree", checks=False)
    assert (a.name, a.model) == ("my tree", "DecisionTreeClassifier(max_depth=2)")
    both = "my tree (DecisionTreeClassifier(max_depth=2))"
    assert a.text().startswith(both)
    assert a.methods().startswith(f"{both} was assessed on")
    assert both in a.to_latex()
    kept = a.to_dict()
    assert kept["name"] == "my tree"
    assert kept["parameters"]["min_samples_leaf"] == "1"
    page = a.report()
    assert "<title>Assessment: " in page
    assert "All parameters of the model" in page
    assert a.continue_(1).name == "my tree"
    assert trueness.assess(a.fits, name="kept").text().startswith("kept (DecisionTreeClassifier(max_depth=2))\n")
    plain = trueness.assess(DecisionTreeClassifier(max_depth=2), X, y, fits=60, rng=0, checks=False)
    assert plain.text().startswith("DecisionTreeClassifier(max_depth=2)\n")
    assert plain.name == ""
    for wrong in ("", "  ", 3):
        with pytest.raises(InputError, match="name must be a text"):
            trueness.assess(DecisionTreeClassifier(), X, y, name=wrong)
