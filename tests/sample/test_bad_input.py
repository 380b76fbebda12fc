"""Bad input gets one clear error of karat's own: what, got, do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat
from karat.errors import InputError, KaratError, KaratWarning, UndefinedError
from karat.estimators.influence.case_influence import never_tested
from karat.result.digits import counted

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.repeat([0, 1], 6)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X[:0], Y[:0], "no cases"),
        (X, np.zeros(12), "one class only"),
        (X, [0] * 11 + [1], "class 1 has a single case"),
        (X, [0.0] * 5 + [np.nan] + [1.0] * 6, "1 missing label. .*row 5"),
        (X, [None, *["a"] * 5, *["b"] * 6], "1 missing label. "),
        (X, [None, None, *["a"] * 4, *["b"] * 6], "2 missing labels. "),
        (X, [0] * 10 + [1, 2], r"2 classes have a single case each \(1, 2\): left out"),
        (
            X,
            [f"c{i}" for i in range(12)],
            r"12 classes have a single case each \('c0', 'c1', 'c10', 'c11', 'c2' and 7 more\)",
        ),
        (X, np.linspace(0, 1, 12), "not labels"),
        (X, Y[:10], "different lengths.*12 rows and 10 labels"),
        (X, Y.reshape(6, 2), "one label a case"),
        (X[:, 0], Y, "table"),
        (X, ["a"] * 6 + [1] * 6, "different types"),
        (pd.DataFrame(X), pd.Series(Y, index=range(1, 13)), "different indexes"),
    ],
)
def test_samples(x, y, message):
    with pytest.raises(InputError, match=message):
        karat.fit(LDA(), x, y, karat.Bootstrap(5))


def test_mixed_labels_of_an_object_array():
    with pytest.raises(InputError, match="different types"):
        karat.Sample.of(np.array(["a", 1] * 6, dtype=object))


def test_positive_labels():
    assert karat.Sample.of(Y).positive == 1
    assert karat.Sample.of([-1, 1] * 3).classes.tolist() == [-1, 1]
    assert karat.Sample.of(np.array([True, False] * 3)).positive == 1
    assert karat.Sample.of([0.0, 1.0] * 3).positive == 1
    assert karat.Sample.of([1, 2] * 3).positive is None
    with pytest.raises(InputError, match=r"not among the classes.*'ill'.*\['sick', 'well'\]"):
        karat.Sample.of(["sick", "well"] * 3, positive="ill")
    with pytest.raises(InputError, match="1 and 2"):
        karat.Sample.of([1, 2] * 3).require_positive()


@pytest.mark.parametrize(
    ("groups", "message"),
    [([1, 2], "one value a case.*shape"), ([1.0, np.nan] * 6, "missing"), ([1] * 12, "one group only")],
)
def test_groups(groups, message):
    with pytest.raises(InputError, match=message):
        karat.Bootstrap(5).draw(Y, groups=groups)


def arrays(**changes):
    rng = np.random.default_rng(1)
    given = {
        "y": Y,
        "counts": karat.Bootstrap(50).draw(Y, rng=0).counts,
        "scores": rng.normal(size=(50, 12)),
        "threshold": 0.0,
    }
    return given | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": np.zeros((3, 11))}, "row a fit and a column a case"),
        ({"counts": -np.ones((50, 12))}, "negative"),
        ({"counts": np.full((50, 12), 0.5)}, "whole numbers"),
        ({"counts": np.full((50, 12), np.nan)}, "whole numbers"),
        ({"counts": np.full((50, 12), "x")}, "whole numbers"),
        ({"scores": np.zeros((50, 11))}, "wrong shape"),
        ({"scores": np.full((50, 12), np.inf)}, "infinite"),
        ({"scores": [["a"] * 12] * 50}, "must be numbers"),
        ({"scores": None, "threshold": None}, "neither scores nor predictions"),
        ({"predictions": np.full((50, 12), 7)}, "label that no case has"),
        ({"predictions": np.zeros((50, 11))}, "wrong shape"),
        ({"full_scores": np.full(12, np.nan)}, "full_scores has NaN"),
        ({"repeat": [1, 2]}, "one value a fit"),
        ({"plan": "jackknife"}, "plan must be one of"),
        ({"classes": [0, 2]}, "not in classes"),
        ({"groups": np.arange(12) // 2}, "both sides of a split"),
        ({"counts": np.ones((50, 12), dtype=int) * 2}, "do not tell how they were drawn"),
    ],
)
def test_arrays(changes, message):
    with pytest.raises(InputError, match=message):
        karat.Fits.from_arrays(**arrays(**changes))


def test_what_arrays_mean():
    fits = karat.Fits.from_arrays(**arrays())
    assert fits.design.kind == "bootstrap"
    assert fits.design.stratified
    few = arrays()
    few["counts"], few["scores"] = few["counts"][:5], few["scores"][:5]
    with pytest.raises(InputError, match="stratified=True or False"):
        karat.Fits.from_arrays(**few)
    folds = karat.KFold(3).draw(Y, rng=0).counts
    cv = karat.Fits.from_arrays(Y, folds, np.random.default_rng(0).normal(size=(3, 12)), threshold=0.0)
    assert cv.design.kind == "cv"
    assert 0 <= karat.estimate(cv, "auc", "cv_pooled").value <= 1


def test_nan_means_not_scored_and_methods_that_need_it_say_so():
    given = arrays(threshold=0.0)
    in_bag = given["counts"] > 0
    given["scores"] = np.where(in_bag, np.nan, given["scores"])
    fits = karat.Fits.from_arrays(**given, full_scores=np.arange(12.0))
    for metric, methods in {"error": ("loob", "star", "632", "632+"), "auc": ("lpob", "star", "632", "632+")}.items():
        for method in methods:
            assert np.isfinite(karat.estimate(fits, metric, method).value)
        for method in ("sb", "rb"):
            with pytest.raises(InputError, match="not there"):
                karat.estimate(fits, metric, method)


def test_no_full_fit():
    fits = karat.Fits.from_arrays(**arrays())
    for method in ("apparent", "rb", "632", "632+"):
        with pytest.raises(InputError, match="trained on all cases.*full_scores"):
            karat.estimate(fits, "auc", method)


def test_neither_predictions_nor_threshold():
    fits = karat.Fits.from_arrays(**arrays(threshold=None))
    with pytest.raises(InputError, match="needs decisions.*predictions=.*threshold="):
        karat.estimate(fits, "error", "loob")


def test_a_case_or_pair_never_left_out():
    given = arrays()
    given["counts"], given["scores"] = given["counts"][:4], given["scores"][:4]
    fits = karat.Fits.from_arrays(**given, stratified=True)
    with pytest.raises(UndefinedError, match=r"cases were never left out.*Got 4 replicates.*Use about \d+ replicates"):
        karat.estimate(fits, "error", "loob")
    with pytest.raises(UndefinedError, match=r"pairs of cases were never left out together.*Use about \d+ replicates"):
        karat.estimate(fits, "auc", "lpob")
    skipped = karat.estimate(fits, "error", "loob", undefined="skip")
    assert "never left out and are skipped" in " ".join(skipped.notes)
    assert "skipped" in " ".join(karat.estimate(fits, "auc", "lpob", undefined="skip").notes)
    with pytest.raises(InputError, match="undefined must be"):
        karat.estimate(fits, "error", "loob", undefined="ignore")


def test_methods_metrics_and_standard_errors_that_do_not_exist():
    fits = karat.Fits.from_arrays(**arrays())
    with pytest.raises(InputError, match="no method 'boot'"):
        karat.estimate(fits, "auc", "boot")
    with pytest.raises(InputError, match="needs fits of a KFold, LeaveOneOut or MonteCarlo plan"):
        karat.estimate(fits, "auc", "cv")
    with pytest.raises(InputError, match="loob does not serve the metric auc"):
        karat.estimate(fits, "auc", "loob")
    with pytest.raises(InputError, match="no metric 'eror'.*Did you mean 'error'"):
        karat.estimate(fits, "eror", "loob")
    with pytest.raises(InputError, match="lpob has no standard error 'delong'.*'influence'"):
        karat.estimate(fits, "auc", "lpob", se="delong")
    with pytest.raises(InputError, match="takes no option rule"):
        karat.estimate(fits, "auc", "lpob", rule="printed")
    with pytest.raises(InputError, match="rule must be"):
        karat.estimate(karat.Fits.from_arrays(**arrays(), full_scores=np.arange(12.0)), "auc", "632+", rule="x")


def test_constant_scores_are_a_half_without_a_standard_error():
    given = arrays(scores=np.ones((50, 12)))
    fits = karat.Fits.from_arrays(**given)
    with pytest.warns(KaratWarning, match="constant"):
        e = karat.estimate(fits, "auc", "lpob")
    assert e.value == 0.5
    assert e.se is None
    assert "constant" in " ".join(e.notes)
    with pytest.raises(InputError, match="no standard error"):
        e.ci()


def test_hard_labels_as_scores_are_warned_of():
    with pytest.warns(KaratWarning, match="hard labels"):
        karat.Fits.from_arrays(**arrays(scores=np.random.default_rng(0).integers(0, 2, size=(50, 12))))


def test_unpaired_designs_have_no_difference():
    a = karat.Fits.from_arrays(**arrays())
    other = karat.Fits.from_arrays(**arrays(counts=karat.Bootstrap(50).draw(Y, rng=9).counts))
    with pytest.raises(InputError, match="do not share a design.*plan.draw"):
        karat.difference(a, other, "auc", "lpob")
    turned = karat.Fits.from_arrays(**arrays(positive=0))
    with pytest.raises(InputError, match="different positive"):
        karat.difference(a, turned, "auc", "lpob")


def test_one_family_of_errors():
    assert issubclass(InputError, KaratError)
    assert issubclass(InputError, ValueError)
    assert str(InputError("a is wrong", got=3, fix="Use b")) == "a is wrong. Got 3. Use b."


def test_a_test_set_may_have_one_positive_and_then_has_no_standard_error():
    test = karat.Fits.from_arrays([0, 0, 0, 1], [[0] * 4], [[0.1, 0.4, 0.3, 0.35]])
    e = karat.estimate(test, "auc", "holdout")
    assert e.value == pytest.approx(2 / 3)
    assert e.se is None
    assert "one test case" in " ".join(e.notes)


def test_a_number_to_be_predicted_is_not_taken_for_classes():
    disease = load_diabetes().target  # whole numbers, 214 different ones in 442 cases
    for y in (disease, disease.astype(int), np.arange(30)):
        with pytest.raises(InputError, match="looks like a number to be predicted.*different values.*classification"):
            karat.Sample.of(y)
    digits = load_digits().target
    for y in (digits, digits * 7 + 3, np.repeat(np.arange(40), 2)):
        assert karat.Sample.of(y).n == len(y)
    lonely = np.r_[np.repeat(np.arange(100), 5), 100]  # many classes, one of them with a single case
    names = np.array([f"p{i}" for i in range(30)])
    for y in (lonely, names, np.r_[digits[digits > 0], 0], [0, 1, 2]):
        with pytest.raises(InputError, match="single case"):
            karat.Sample.of(y)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("what.", None, ""), "what."),
        (("what", "no parquet file.", "Do it."), "what. Got no parquet file. Do it."),
        (("what", "saw 4\n", "Is it so?"), "what. Got saw 4. Is it so?"),
        (("two\n lines", 3, ""), "two lines. Got 3."),
    ],
)
def test_a_message_is_one_line_with_one_stop_a_sentence(parts, text):
    what, got, do = parts
    assert str(InputError(what, got=got, fix=do)) == text


def test_one_is_not_many():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40, 2))
    y = np.repeat([0, 1], 20)
    twin = np.vstack([x, x[:1]])
    with pytest.warns(KaratWarning, match="1 of 41 rows of X is a copy of another one"):
        karat.fit(LDA(), twin, np.r_[y, 0], karat.KFold(3), rng=0)
    with pytest.warns(KaratWarning, match="2 of 42 rows of X are copies of another one"):
        karat.fit(LDA(), np.vstack([x, x[:2]]), np.r_[y, 0, 0], karat.KFold(3), rng=0)
    with pytest.raises(UndefinedError, match="cases were never left out, so they were never tested. Got 1 replicate. "):
        karat.estimate(karat.fit(LDA(), x, y, karat.Bootstrap(1), rng=0), "error", "loob")
    found = [counted(n, "case was", "cases were") for n in (0, 1, 2)] + [counted(n, "fold") for n in (1, 2)]
    assert found == ["0 cases were", "1 case was", "2 cases were", "1 fold", "2 folds"]
    assert [never_tested(n, 9, "cases", "left out") for n in (1, 2)] == [
        "1 of 9 cases was never left out, so it was never tested",
        "2 of 9 cases were never left out, so they were never tested",
    ]
