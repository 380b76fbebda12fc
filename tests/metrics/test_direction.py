"""Which way is better: of scorers, of scikit-learn's functions, and of a function of one's own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.metrics import Scorer, resolve
from trueness.metrics.scorer import direction_of

LOSSES = (
    sk.brier_score_loss,
    sk.log_loss,
    sk.hamming_loss,
    sk.zero_one_loss,
    sk.hinge_loss,
    sk.mean_squared_error,
    sk.mean_absolute_error,
    sk.max_error,
    sk.mean_poisson_deviance,
)
GAINS = (sk.roc_auc_score, sk.accuracy_score, sk.matthews_corrcoef, sk.f1_score, sk.d2_log_loss_score)


def gini(y, score):
    return 2 * sk.roc_auc_score(y, score) - 1


def test_functions_of_scikit_learn():
    assert all(direction_of(f) is False for f in LOSSES)
    assert all(direction_of(f) is True for f in GAINS)
    assert direction_of(partial(sk.log_loss, labels=[0, 1])) is False


def test_scorers_are_always_gains():
    for scorer in ("jaccard_weighted", "accuracy", sk.make_scorer(sk.zero_one_loss, greater_is_better=False)):
        assert resolve(scorer).higher_is_better is True


def test_a_function_of_ones_own():
    def my_loss(y, score):
        return float(np.mean((y - score) ** 2))

    assert resolve(gini).higher_is_better is None
    assert resolve(my_loss).higher_is_better is False
    told = Scorer(gini, higher_is_better=True)
    assert told.higher_is_better is True
    assert replace(told, probabilities=True).higher_is_better is True


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 1.5 * y[:, None]
    design = trueness.KFold(5, repeats=4).draw(y, rng=1)
    both = {"dummy": DummyClassifier(strategy="prior"), "nb": GaussianNB()}
    return {name: trueness.fit(m, X, y, design, scores="predict_proba") for name, m in both.items()}


def test_the_smaller_loss_wins(models):
    """A loss that is given as a function has the verdict of the loss that trueness has itself."""
    given = trueness.compare(models, metric=sk.brier_score_loss)
    built_in = trueness.compare(models, metric="brier")
    assert given.difference.value == pytest.approx(built_in.difference.value)
    assert given.difference.value > 0
    assert given.verdict.endswith(": nb is better.")
    assert built_in.verdict.endswith(": nb is better.")
    assert given.ranking() == built_in.ranking() == ["nb", "dummy"]
    assert trueness.compare(models, metric=sk.roc_auc_score).verdict.endswith(": nb is better.")


@pytest.mark.parametrize("margin", [None, 0.01, 0.9])
def test_neither_is_better_where_the_direction_is_not_known(models, margin):
    k = trueness.compare(models, metric=gini, margin=margin)
    assert "dummy's gini is lower than nb's" in k.verdict
    assert "the two differ" in k.verdict
    assert k.higher_is_better is None
    assert "nb is better" not in k.verdict
    assert k.ranking() == ["nb", "dummy"]
    told = trueness.compare(models, metric=Scorer(gini, higher_is_better=False), margin=margin)
    assert "dummy is better" in told.verdict
    assert told.ranking() == ["dummy", "nb"]


def test_the_highest_of_several(models):
    three = {**models, "again": models["dummy"]}
    assert trueness.compare(three, metric=gini).verdict.startswith("Of 3 models, nb comes first in gini")
    assert trueness.compare(three, metric="brier").verdict.startswith("Of 3 models, nb comes first in Brier score")


def test_a_partial_function_is_called_by_its_name_and_values():
    def share_below(y, score, cut):
        return (score < cut).mean()

    assert Scorer(partial(share_below, cut=0.2)).name == "share_below(cut=0.2)"
    assert Scorer(partial(partial(share_below, cut=0.2), cut=0.3)).name == "share_below(cut=0.3)"
