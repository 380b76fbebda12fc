"""What the public functions have in common: names, defaults, and what may be passed by position."""

import inspect
import re

import pytest
from sklearn.linear_model import LogisticRegression

import trueness
import trueness.curves
from trueness.errors import InputError

ROOMS = ("comparisons", "statistics", "systems", "sealed", "selection", "tables", "studies", "curves")
FUNCTIONS = {
    f"{room.__name__}.{name}": found
    for room in (trueness, *(getattr(trueness, name) for name in ROOMS))
    for name in room.__all__
    if inspect.isfunction(found := getattr(room, name))
}
DEFAULTS = {"rng": None, "n_jobs": None, "positive": None, "groups": None, "progress": None, "level": 0.95}
OTHER_DEFAULTS = {  # and why
    "trueness.sealed.seal": {"rng"},  # the split of a sealed study is on record
    "trueness.studies.run": {"rng"},  # a published table is the same in every run, and a store goes on with it
    "trueness.studies.evaluate": {"rng"},
}
ALWAYS_BY_NAME = {"rng", "n_jobs", "level", "positive", "groups", "progress", "alternative", "se", "undefined", "store"}
NO_DEFAULT = {"trueness.comparisons.critical_value"}  # its level is what it is about
FOREIGN = {  # ours: as scikit-learn spells it
    "plan": "cv",
    "metrics": "scoring",
    "metric": "scoring",
    "positive": "pos_label",
    "rng": "random_state",
    "model": "estimator",
    "level": "confidence_level",
    "predictions": "y_pred",
    "scores": "y_score",
}
OURS_IN_ANOTHER_SENSE = {
    "trueness.comparisons.results_table",  # the column of the model
    "trueness.comparisons.tango",  # plain numbers
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_name_has_one_default_and_settings_are_passed_by_name(name):
    for param in inspect.signature(FUNCTIONS[name]).parameters.values():
        if param.name in DEFAULTS and param.name not in OTHER_DEFAULTS.get(name, ()) and name not in NO_DEFAULT:
            assert param.default == DEFAULTS[param.name], param
        if param.name in ALWAYS_BY_NAME and name not in NO_DEFAULT:
            assert param.kind is param.KEYWORD_ONLY, param


def test_arguments_of_r_are_known():
    y, s = [0, 1, 0, 1], [1, 2, 3, 4]
    for given, fix in (
        ({"levels": ["control", "case"]}, "trueness.roc has positive, the label of the positive class."),
        ({"direction": "<"}, "High scores must mean the positive class; pass -scores where low ones do."),
        ({"cluster": [1, 1, 2, 2]}, "Pass groups=[1, 1, 2, 2]."),
    ):
        with pytest.raises(InputError) as refused:
            trueness.roc(y, s, **given)
        assert str(refused.value).endswith(fix)
    with pytest.raises(AttributeError, match=r"Use trueness.roc\(y, scores\).auc"):
        trueness.auc


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OURS_IN_ANOTHER_SENSE))
def test_every_public_function_knows_the_names_of_scikit_learn(name):
    known = inspect.signature(FUNCTIONS[name]).parameters
    for ours, foreign in FOREIGN.items():
        if ours in known and foreign not in known:
            with pytest.raises(InputError, match=f"has no parameter {foreign}. Pass {ours}=5"):
                FUNCTIONS[name](**{foreign: 5})


@pytest.mark.parametrize(
    ("plan", "given", "said"),
    [
        (trueness.KFold, "n_splits", "Pass n_folds=5"),
        (trueness.KFold, "n_repeats", "Pass repeats=5"),
        (trueness.plans.NestedKFold, "n_splits", "Pass n_folds=5"),
        (trueness.Bootstrap, "random_state", "Pass rng to"),
        (trueness.plans.LeaveOneOut, "n_splits", "The plan has the number"),
    ],
)
def test_plans_know_them_too(plan, given, said):
    with pytest.raises(InputError, match=said):
        plan(**{given: 5})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, X, y: trueness.calibration(m, X, y), "pass what it returns to calibration"),
        (lambda m, X, y: trueness.probabilities.validate(m, X, y), "pass what it returns to validate"),
        (lambda m, X, y: trueness.diagnose(3, 2, 3, 9), "by name tp, fn, fp, tn"),
        (lambda m, X, y: trueness.diagnose([[3, 2], [3, 9]]), "Counts are passed by name: tp=, fn=, fp=, tn="),
        (lambda m, X, y: trueness.roc_test, "trueness.comparisons.delong"),
        (lambda m, X, y: trueness.comparisons.roc_test, "trueness.comparisons.delong"),
        (lambda m, X, y: trueness.val_prob, "trueness.calibration"),
        (lambda m, X, y: trueness.comparisons.size_for_development(9, prevalence=0.1, csrsquared=0.05), "Pass r2=0.05"),
    ],
)
def test_calls_as_elsewhere_say_what_to_call(call, said):
    with pytest.raises((TypeError, AttributeError, trueness.errors.InputError), match=re.escape(said)):
        call(LogisticRegression(), [[0.0], [1.0]], [0, 1])
