"""Scores of a model that doubles would merge are refused, and ranks give no standard error that they do not know."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import RidgeClassifier

import trueness
from trueness.errors import TruenessError

RNG = np.random.default_rng(0)
Y = np.arange(80) % 2
X = RNG.normal(size=(80, 3)) + 0.8 * Y[:, None]


class Shifted(RidgeClassifier):
    def predict(self, X):
        return self.classes_[(super().decision_function(X) > 0).astype(int)]

    def decision_function(self, X):
        return 2**60 + np.round(10 * super().decision_function(X)).astype(np.int64)


class Turned(RidgeClassifier):
    def predict(self, X):
        return self.classes_[(super().decision_function(X) > 0).astype(int)]

    def decision_function(self, X):
        return 1j * super().decision_function(X)


@pytest.mark.parametrize("model", [Shifted(), Turned()], ids=lambda m: type(m).__name__)
def test_scores_that_would_be_merged_or_cut_are_no_scores(model):
    with pytest.raises(TruenessError, match="double precision|complex"):
        trueness.assess(model, X, Y, plan=trueness.KFold(4), metrics="auc", rng=0)


def test_subgroups_refuse_them_as_roc_does():
    y = np.repeat([0, 1], 20)
    with pytest.raises(TruenessError, match="double precision"):
        trueness.subgroups(y, 2**53 + y, "auc", by=np.arange(40) % 2)


def test_ranks_of_random_splits_give_cv_pairs_no_standard_error():
    fits = trueness.fit(LDA(), X, Y, trueness.plans.MonteCarlo(50, test_size=0.1), rng=0)
    exact = trueness.estimate(fits, "auc", "cv_pairs", undefined="skip", sums="exact")
    ranks = trueness.estimate(fits, "auc", "cv_pairs", undefined="skip", sums="ranks")
    assert exact.se > 0
    assert ranks.se is None
    assert "no-se-by-ranks" in [note.code for note in ranks.notes]
