"""compare(baseline=...), and the answer about one pair in one line."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.errors import InputError
from trueness.result import Estimate
from trueness.result.joint import largest_difference


@pytest.fixture(scope="module")
def fits():
    rng = np.random.default_rng(5)
    y = np.arange(90) % 2
    X = rng.normal(size=(90, 5))
    X[:, 0] += 1.5 * y
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB(), "knn": KNeighborsClassifier(3)}
    design = trueness.CvBootstrap(repeats=2, n_resamples=40).draw(y, rng=0)
    return {name: trueness.fit(model, X, y, design) for name, model in models.items()}


def test_a_pair_answers_in_either_order(fits):
    k = trueness.compare(fits, metric="error")
    one, other = k["nb", "lda"], k["lda", "nb"]
    assert isinstance(one, Estimate)
    assert one.value == -other.value == trueness.difference(fits["nb"], fits["lda"], "error", "cv+training").value
    assert one.p_value == other.p_value == k.adjusted["lda", "nb"]
    assert one.p_range == other.p_range
    assert one.test.statistic == -other.test.statistic
    assert one.test.difference.value == one.value
    assert one.verdict.startswith("nb's error rate is ")
    assert "adjusted for 3 pairs" in one.verdict
    assert repr(one) == one.verdict
    assert one.ci().low == -other.ci().high
    assert one.frame().loc[0, "value"] == one.value


def test_a_baseline_is_compared_with_each_of_the_others_and_only_these_count(fits):
    k, every = trueness.compare(fits, baseline="nb"), trueness.compare(fits)
    assert list(k.differences) == [("lda", "nb"), ("knn", "nb")]
    assert k.baseline == "nb"
    assert k.estimates.keys() == every.estimates.keys()
    law = largest_difference(k.differences.values(), fits["nb"].design.unit_sums)
    for pair, test in k.tests.items():
        assert k.adjusted[pair] == law.adjusted(test.p_value)
        assert test.p_value <= k.adjusted[pair] <= every[pair].p_value * (1 + 1e-9)  # fewer pairs, more power
        assert k[pair].value == every[pair].value
    assert k.pair[1] == "nb"
    assert k.verdict.startswith("Beside nb: not shown to differ: lda, knn. lda's AUC is ")
    assert k.verdict.count("nb's") == 1
    assert "adjusted for 2 pairs" in k.verdict
    assert k.to_dict()["baseline"] == "nb"
    assert every.to_dict()["baseline"] is None
    with pytest.raises(InputError, match=r"Choose one of \('lda', 'nb'\), \('knn', 'nb'\)"):
        k["lda", "knn"]


def test_two_models_with_a_baseline_are_two_models(fits):
    two = {name: fits[name] for name in ("lda", "knn")}
    k, plain = trueness.compare(two, baseline="lda"), trueness.compare(two)
    assert k.difference.value == -plain.difference.value
    assert k.p_value == pytest.approx(plain.p_value)
    assert k.verdict.startswith("knn's AUC is ")


def test_the_baseline_must_be_one_of_the_models(fits):
    with pytest.raises(InputError, match="Names: lda") as e:
        trueness.compare(fits, baseline="ldaa")
    assert e.value.param == "baseline"
    with pytest.raises(InputError, match="no pair"):
        trueness.compare(fits)["lda", "svm"]
    with pytest.raises(InputError, match="no pair"):
        trueness.compare(fits)["lda"]


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_the_verdict_of_three_models_points_to_the_baseline_in_one_line():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    models = {"a": LinearDiscriminantAnalysis(), "b": GaussianNB(), "c": KNeighborsClassifier(3)}
    options = {"plan": trueness.KFold(3, repeats=2), "rng": 0, "checks": False}
    k = trueness.compare(models, X, y, **options)
    (note,) = [note for note in k.notes if note.code == "first-two-models"]
    assert "the two best models; baseline= compares" in str(note)
    assert str(note) in str(k)
    two = {name: models[name] for name in "ab"}
    for other in (trueness.compare(models, X, y, baseline="c", **options), trueness.compare(two, X, y, **options)):
        assert "first-two-models" not in [note.code for note in other.notes]
