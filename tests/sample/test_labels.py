"""Labels, groups and the positive class: what is accepted, and the parameter that an error names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness import comparisons
from trueness.curves.multiclass import hand_till
from trueness.errors import InputError
from trueness.sample.labels import classes_of, positive_code
from trueness.sample.sample import Sample

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.repeat([0, 1], 6)
S = np.arange(12.0)

DOORS = {
    "sample": lambda y: Sample.of(y),
    "fit": lambda y: trueness.fit(LDA(), X, y, trueness.Bootstrap(5)),
    "plan": lambda y: trueness.KFold(2).draw(y),
    "from_arrays": lambda y: trueness.Fits.from_arrays(y, np.zeros((1, 12)), [S]),
    "roc": lambda y: trueness.roc(y, S),
    "pr": lambda y: trueness.pr(y, S),
    "delong": lambda y: comparisons.delong(y, S, S[::-1]),
    "mcnemar": lambda y: comparisons.mcnemar(y, Y, Y),
    "diagnose": lambda y: trueness.diagnose(y, Y),
    "hand_till": lambda y: hand_till(y, np.stack([S, -S], axis=1)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("y", "problem"),
    [
        ([], "There are no cases"),
        ([0.0] * 5 + [np.nan] + [1.0] * 6, "y has missing labels"),
        ([None, None, *["a"] * 4, *["b"] * 6], "y has missing labels"),
        (np.linspace(0, 1, 12), "y holds numbers that are not labels"),
        (Y.reshape(6, 2), "y must have one label per case"),
        (["a"] * 6 + [1] * 6, "y mixes labels of different types"),
        (np.array(["a", 1] * 6, dtype=object), "y mixes labels of different types"),
        (Y + 1j, "y holds no labels"),
        (pd.Series([[0], [1]] * 6), "y must have one label per case"),
        (pd.Series([(0,), (1,)] * 6), "y must have one label per case"),
    ],
)
def test_the_same_mistake_has_the_same_message_at_every_door(door, y, problem):
    if door == "plan" and "numbers that are not labels" in problem:
        pytest.skip("a design may be drawn for numbers to predict")
    with pytest.raises(InputError) as e:
        DOORS[door](y)
    assert (e.value.param, e.value.problem) == ("y", problem)


@pytest.mark.parametrize("door", [d for d in DOORS if d not in ("mcnemar", "diagnose")])
def test_one_class_is_not_enough(door):
    with pytest.raises(InputError, match="^y has one class only") as e:
        DOORS[door](np.zeros(12))
    assert e.value.param == "y"


@pytest.mark.parametrize("door", ["from_arrays", "roc", "pr", "delong", "diagnose"])
def test_the_positive_class_is_never_guessed(door):
    y = np.array(["sick", "well"])[Y]
    calls = {
        "from_arrays": lambda: trueness.Fits.from_arrays(y, np.zeros((1, 12)), [S], threshold=0.0),
        "diagnose": lambda: trueness.diagnose(y, y),
    }
    with pytest.raises(InputError) as e:
        calls.get(door, lambda: DOORS[door](y))()
    assert e.value.param == "positive"
    assert e.value.fix == "Pass positive='sick' or positive='well'"
    assert str(e.value) == (
        "Cannot infer the positive class from labels 'sick' and 'well'. Pass positive='sick' or positive='well'."
    )


def test_positive_labels_that_need_no_naming():
    assert Sample.of(["Yes", "No"] * 3).positive == 1
    assert Sample.of(["yes", "zero"] * 3).positive is None
    assert Sample.of(["yes", "no", "never"] * 3).positive is None
    assert Sample.of(Y).positive == 1
    assert Sample.of([-1, 1] * 3).classes.tolist() == [-1, 1]
    assert Sample.of(np.array([True, False] * 3)).positive == 1
    assert Sample.of([0.0, 1.0] * 3).positive == 1
    assert Sample.of([1, 2] * 3).positive is None
    assert Sample.of([0, 1] * 3, classes=[1, 0]).positive == 0


def test_a_positive_label_as_text():
    assert Sample.of([1, 2] * 3, positive="2").positive == 1
    assert Sample.of([True, False] * 3, positive="true").positive == 1
    for labels, positive in ((["sick", "well"] * 3, "ill"), ([0, 1, 2] * 2, 1)):
        with pytest.raises(InputError) as e:
            Sample.of(labels, positive=positive)
        assert e.value.param == "positive"


@pytest.mark.parametrize(
    ("y", "problem"),
    [
        ([0] * 11 + [1], "only 1 case of 1"),
        ([0] * 10 + [1, 2], "only 1 case of 1, 2"),
        ([f"c{i}" for i in range(12)], "only 1 case of 'c0', 'c1', 'c10', 'c11', 'c2' and 7 more"),
    ],
)
@pytest.mark.parametrize("door", ["sample", "fit", "plan", "delong"])
def test_two_cases_per_class(door, y, problem):
    with pytest.raises(InputError, match="^At least 2 cases per class are required") as e:
        DOORS[door](y)
    assert (e.value.param, e.value.got) == ("y", problem)


def test_a_number_to_predict_is_not_taken_for_classes():
    disease = load_diabetes().target  # whole numbers, 214 different ones in 442 cases
    for y in (disease, disease.astype(int), np.arange(30)):
        with pytest.raises(InputError, match="looks like a number to predict"):
            Sample.of(y)
    digits = load_digits().target
    for y in (digits, digits * 7 + 3, np.repeat(np.arange(40), 2)):
        assert Sample.of(y).n == len(y)
    lonely = np.r_[np.repeat(np.arange(100), 5), 100]  # many classes, one of them with a single case
    names = np.array([f"p{i}" for i in range(30)])
    for y in (lonely, names, np.r_[digits[digits > 0], 0], [0, 1, 2]):
        with pytest.raises(InputError, match="only 1 case"):
            Sample.of(y)


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        ([1, 2], "y and groups have different lengths"),
        (np.ones((12, 2)), "groups must have one value per case"),
        ([1.0, np.nan] * 6, "groups has missing values"),
        (["a", 1] * 6, "groups mixes values of different types"),
        ([1] * 12, "groups has a single value; at least 2 groups are required"),
        (pd.Series(range(12), index=range(1, 13)), "groups and y have different indexes, so their rows may not belong"),
    ],
)
def test_groups(groups, problem):
    groups = np.array(groups, dtype=object) if isinstance(groups, list) and isinstance(groups[0], str) else groups
    with pytest.raises(InputError, match=f"^{problem}") as e:
        trueness.Bootstrap(5).draw(pd.Series(Y), groups=groups)
    assert e.value.param == "groups"


@pytest.mark.parametrize(
    ("x", "y", "param"),
    [
        (X, Y[:10], "X"),
        (X[:, 0], Y, "X"),
        (X[:, :0], Y, "X"),
        (pd.DataFrame({"a": S, "y": Y}), pd.Series(Y, name="y"), "X"),
        (pd.DataFrame(X), pd.Series(Y, index=range(1, 13)), "y"),
    ],
)
def test_features(x, y, param):
    with pytest.raises(InputError) as e:
        trueness.fit(LDA(), x, y, trueness.Bootstrap(5))
    assert e.value.param == param


def test_indexes_that_differ_are_an_error_at_every_door():
    shifted = pd.Series(Y, index=range(1, 13))
    scores = pd.Series(S)
    for call in (
        lambda: trueness.roc(shifted, scores),
        lambda: comparisons.delong(shifted, scores, scores),
        lambda: comparisons.mcnemar(shifted, pd.Series(Y), pd.Series(Y)),
        lambda: trueness.diagnose(shifted, pd.Series(Y)),
    ):
        with pytest.raises(InputError, match="different indexes"):
            call()


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.uint64, float, str])
@pytest.mark.parametrize(
    "labels", [[0, 1, 1, 0], [2, 0, 1, 0, 1, 2], [0, 2, 2, 0], [1, 2, 2, 1], [0, 100, 0, 100]], ids=str
)
def test_classes_and_codes_are_those_of_unique(labels, dtype):
    y = np.array(labels).astype(dtype)
    sample = Sample.of(y)
    classes, codes = np.unique(y.astype(int) if dtype is float else y, return_inverse=True)
    np.testing.assert_array_equal(sample.classes, classes)
    assert sample.classes.dtype == classes.dtype
    np.testing.assert_array_equal(sample.codes, codes)
    assert sample.codes.dtype == np.intp


@pytest.mark.parametrize(
    "labels", [[1, 0, 0, 1], ["b", "a", "b"], ["a", "b"], [True, False], [3], [2, 1, 0, 1], [-1, 1, 1]]
)
def test_labels_of_any_type_are_sorted(labels):
    known, codes = classes_of(np.array(labels))
    expected, places = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(known, expected)
    np.testing.assert_array_equal(codes, places)


def test_the_codes_are_not_the_callers_array():
    y = np.array([0, 1, 0, 1])
    sample = Sample.of(y)
    y[:] = 5
    assert sample.codes.tolist() == [0, 1, 0, 1]


def test_a_sample_is_not_checked_twice():
    sample = Sample.of(Y, X=X)
    assert Sample.of(sample) is sample
    design = trueness.KFold(2).draw(sample, rng=0)
    again = trueness.fit(LDA(), X, Y, design).scores
    np.testing.assert_array_equal(trueness.fit(LDA(), None, sample, design).scores, again)


def test_classes_are_listed_with_one_and():
    sample = Sample.of(["a", "b", "c", "a", "b", "c"])
    assert "2 of class a, 2 of class b and 2 of class c" in sample.described


@pytest.mark.parametrize(
    "labels",
    [
        "no yes",
        "N Y",
        "Negative Positive",
        "neg pos",
        "- +",
        "absent present",
        "control case",
    ],
)
def test_words_whose_positive_one_is_beyond_doubt(labels):
    negative, positive = labels.split()
    assert positive_code([negative, positive]) == 1
    assert positive_code([positive, negative]) == 0


@pytest.mark.parametrize("labels", ["F T", "N T", "benign malignant", "well sick", "yes ja", "no nein", "alive dead"])
def test_words_that_may_be_either(labels):
    assert positive_code(labels.split()) is None
