"""What a design rules out is said before the first fit, and the advice works."""

import itertools
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness.errors import TruenessWarning, UndefinedError
from trueness.estimators.influence.draws import chance, chance_of_case, chance_of_pair

N = 60
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 2)) + Y[:, None]


class NotToBeFitted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("a model was fitted")

    def predict(self, X):
        raise AssertionError


MODELS = {"a": NotToBeFitted(), "b": NotToBeFitted()}


@pytest.mark.parametrize(
    ("metric", "plan", "groups"),
    [
        ("auc", trueness.Bootstrap(1000), np.arange(N) % 4 // 2),  # two groups of both classes: a replicate holds one
        ("error", trueness.Bootstrap(100), Y),  # one group per class
        ("auc", trueness.Bootstrap(20), None),
        ("error", trueness.Bootstrap(3), None),
        ("auc", trueness.plans.LeaveOneOut(), None),
        ("auc", trueness.KFold(25, stratified=False), None),
    ],
)
def test_a_comparison_that_cannot_be_made_fits_nothing(metric, plan, groups):
    with pytest.raises(UndefinedError) as caught:
        trueness.compare(MODELS, X, Y, metric=metric, plan=plan, groups=groups, rng=0)
    assert caught.value.param == "plan"


def test_an_assessment_that_tests_no_case_fits_nothing():
    with pytest.raises(UndefinedError):
        trueness.assess(NotToBeFitted(), X, Y, plan=trueness.Bootstrap(100), groups=Y, rng=0)


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
@pytest.mark.parametrize("groups", [None, np.arange(N) // 20, np.arange(N) // 12])
@pytest.mark.parametrize("metric", ["error", "auc"])
def test_the_advised_number_of_replicates_is_enough(metric, groups):
    with pytest.raises(UndefinedError) as caught:
        trueness.compare(MODELS, X, Y, metric=metric, plan=trueness.Bootstrap(2), groups=groups, rng=0)
    needed = int(re.search(r"about (\d+) replicates", str(caught.value)).group(1))
    assert needed <= 1000
    models = {"a": LDA(), "b": LDA(solver="lsqr")}
    for seed in range(5):
        trueness.compare(models, X, Y, metric=metric, plan=trueness.Bootstrap(needed), groups=groups, rng=seed)


def test_no_advice_where_no_number_of_replicates_helps():
    with pytest.raises(UndefinedError) as caught:
        trueness.compare(MODELS, X, Y, metric="auc", plan=trueness.Bootstrap(1000), groups=np.arange(N) % 4 // 2, rng=0)
    assert not re.search(r"about \d+", str(caught.value))


def test_the_same_error_as_after_the_fits():
    design = trueness.Bootstrap(20).draw(Y, rng=0)
    with pytest.raises(UndefinedError) as before:
        trueness.compare(MODELS, X, Y, plan=design)
    with pytest.raises(UndefinedError) as after:
        trueness.estimate(trueness.fit(LDA(), X, Y, design), "auc", "lpob")
    assert str(before.value) == str(after.value)


def test_a_metric_without_a_standard_error_is_said_before_the_fits():
    with pytest.warns(TruenessWarning) as caught, pytest.raises(trueness.errors.FitError):
        trueness.compare(MODELS, X, Y, metric="jaccard_weighted", plan=trueness.Bootstrap(50), rng=0)
    assert caught[0].message.args[0].code == "no-se-known"


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("gone", [1, 2])
def test_chances_by_enumeration(m, gone):
    draws = np.array([np.bincount(d, minlength=max(m, gone)) for d in itertools.product(range(m), repeat=m)])
    out = (draws[:, : min(gone, m)] == 0).all(axis=1) & (gone <= m)
    assert chance(np.array([float(m)]), gone, ordered=True)[0] == pytest.approx(out.mean())
    sets, first = np.unique(draws, axis=0, return_index=True)
    assert chance(np.array([float(m)]), gone, ordered=False)[0] == pytest.approx(out[first].mean())
    assert len(sets) == len(first)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("stratified", [True, False])
def test_chances_of_a_design_are_those_of_its_draws(ordered, stratified):
    y = np.array([0, 0, 0, 0, 1, 1, 1])
    counts = (design := trueness.Bootstrap(40_000, stratified=stratified, ordered=ordered).draw(y, rng=0)).counts
    out = counts == 0
    assert chance_of_case(design) == pytest.approx(out.mean(axis=0).min(), abs=0.01)
    pairs = np.einsum("bi,bj->ij", out[:, y == 1].astype(float), out[:, y == 0].astype(float)) / len(out)
    assert chance_of_pair(design, y == 1) == pytest.approx(pairs.min(), abs=0.01)
