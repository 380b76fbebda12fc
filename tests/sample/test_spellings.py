"""scikit-learn's names of parameters get an error that names ours."""

import inspect
import re

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.displays import RocCurveDisplay
from trueness.errors import InputError
from trueness.plans import Plan

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

X, Y = np.arange(24.0).reshape(12, 2), np.tile([0, 1], 6)
CALLS = {
    "assess": lambda **given: trueness.assess(GaussianNB(), X, Y, **given),
    "compare": lambda **given: trueness.compare([GaussianNB(), GaussianNB()], X, Y, **given),
    "roc": lambda **given: trueness.roc(Y, X[:, 0], **given),
    "fit": lambda **given: trueness.fit(GaussianNB(), X, Y, trueness.KFold(3), **given),
    "learning_curve": lambda **given: trueness.learning_curve(GaussianNB(), X, Y, **given),
    "diagnose": lambda **given: trueness.diagnose(Y, Y, **given),
    "pr": lambda **given: trueness.pr(Y, X[:, 0], **given),
}
GIVEN = {
    "cv": 5,
    "scoring": "roc_auc",
    "pos_label": 1,
    "random_state": 0,
    "costs": [[0, 1], [5, 0]],
    "sample_weight": np.ones(12),
}


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("name", GIVEN)
def test_every_foreign_name(function, name):
    with pytest.raises(InputError) as e:
        CALLS[function](**{name: GIVEN[name]})
    assert e.value.param == name
    assert e.value.fix


def test_the_error_names_ours():
    expected = {
        ("assess", "cv"): "assess() has no parameter cv. Pass plan=5.",
        ("assess", "scoring"): "assess() has no parameter scoring. Pass metrics='roc_auc'.",
        ("compare", "scoring"): "compare() has no parameter scoring. Pass metric='roc_auc'.",
        ("assess", "random_state"): "assess() has no parameter random_state. Pass rng=0.",
        (
            "assess",
            "costs",
        ): "assess() has no parameter costs. The metric Cost(matrix=...) has them; threshold(costs=...) of a result chooses by them.",
        ("roc", "pos_label"): "roc() has no parameter pos_label. Pass positive=1.",
        ("pr", "random_state"): "pr() has no parameter random_state. Nothing is drawn at random.",
    }
    for (function, name), message in expected.items():
        with pytest.raises(InputError) as e:
            CALLS[function](**{name: GIVEN[name]})
        assert str(e.value) == message


def test_what_the_error_suggests_works():
    cv = StratifiedKFold(3)
    with pytest.raises(InputError) as e:
        CALLS["assess"](cv=cv)
    assert e.value.fix == f"Pass {{plan={cv!r}}}"
    assert CALLS["assess"](plan=cv).fits.n_fits == 3


OURS = {
    "cv": {"plan", "splits"},
    "scoring": {"metric", "metrics"},
    "pos_label": {"positive"},
    "random_state": {"rng"},
    "sample_weight": {"y", "y_true"},
}
OWNERS = (
    trueness,
    trueness.comparisons,
    trueness.statistics,
    trueness.studies,
    trueness.Fits,
    RocCurveDisplay,
)
PUBLIC = {
    f"{getattr(owner, '__name__', '')}.{name}": found
    for owner in OWNERS
    for name in getattr(owner, "__all__", [n for n in dir(owner) if n.startswith("from_")])
    if inspect.isroutine(found := getattr(owner, name))
}
CASES = [  # every public function with a parameter that scikit-learn spells otherwise, or with labels of cases
    pytest.param(function, name, ours & set(inspect.signature(function).parameters), id=f"{called}-{name}")
    for called, function in PUBLIC.items()
    for name, ours in OURS.items()
    if ours & set(inspect.signature(function).parameters) and called != "trueness.comparisons.tango"  # y is a count
]


def test_the_functions_are_found():
    assert {case.id.split("-")[0] for case in CASES} >= {
        "trueness.assess",
        "trueness.comparisons.delong",
        "Fits.from_frame",
        "Fits.from_cv_results",
        "RocCurveDisplay.from_estimator",
    }


@pytest.mark.parametrize(("function", "name", "ours"), CASES)
def test_every_public_function_refuses_foreign_names_before_anything_else(function, name, ours):
    with pytest.raises(InputError) as e:
        function(**{name: GIVEN[name]})
    assert e.value.param == name
    if name == "sample_weight":
        assert e.value.fix
    else:
        assert re.search(r"\{(\w+)=", e.value.fix)[1] in ours


PLANS = [
    plan for name in trueness.__all__ if inspect.isclass(plan := getattr(trueness, name)) and issubclass(plan, Plan)
]


@pytest.mark.parametrize("name", GIVEN)
def test_plans_say_where_the_setting_belongs(name):
    assert trueness.KFold in PLANS
    for plan in PLANS:
        with pytest.raises(InputError) as e:
            plan(**{name: GIVEN[name]})
        assert e.value.param == name
        assert e.value.fix


def test_the_design_of_a_study_is_no_plan():
    with pytest.raises(InputError) as e:
        trueness.diagnose(Y, Y, cv=5)
    assert isinstance(e.value.fix, str)


@pytest.mark.parametrize("function", CALLS)
def test_other_unknown_names_are_type_errors_as_everywhere(function):
    with pytest.raises(TypeError, match="unexpected keyword argument 'levle'. .*It has [a-z]"):
        CALLS[function](levle=0.9)


C = trueness.roc([0, 0, 0, 1, 1, 1], [1.0, 3.0, 2.0, 4.0, 2.5, 6.0])


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (C.tpf_at, {"specificity": 0.9}, "tpf_at() has no parameter specificity. Pass fpf=0.1."),
        (C.threshold_at, {"specificity": 0.95}, "threshold_at() has no parameter specificity. Pass fpf=0.05."),
        (C.best, {"sensitivity": 0.9}, "best() has no parameter sensitivity. Pass tpf=0.9."),
        (C.auc.ci, {"conf_level": 0.9}, "ci() has no parameter conf_level. Pass level=0.9."),
        (trueness.roc, {"ci": True}, "roc() has no parameter ci. The result has intervals: its ci(level) or frame()."),
        (trueness.roc, {"response": 1}, "roc() has no parameter response. Pass y=1."),
        (trueness.diagnose, {"TP": 3}, "diagnose() has no parameter TP. Pass tp=3."),
        (trueness.systems.compare, {"groups": "id"}, "compare() has no parameter groups. Pass cluster='id'."),
        (
            trueness.comparisons.size_for_validation,
            {"cstatistic": 0.8},
            "size_for_validation() has no parameter cstatistic. Pass auc=0.8.",
        ),
        (
            trueness.comparisons.size_for_proportion,
            {"p": 0.5, "width": 0.1},
            "size_for_proportion() has no parameter width. Pass half_width=0.05.",
        ),
    ],
)
def test_names_of_r_are_answered_by_functions_and_methods(function, given, said):
    with pytest.raises(InputError) as e:
        function(**given)
    assert str(e.value) == said


def test_an_unknown_name_of_a_method_is_told_those_that_it_has():
    with pytest.raises(
        TypeError, match=r"best\(\) got an unexpected keyword argument 'prevalance'. Did you mean 'preval"
    ):
        C.best(prevalance=0.1)
