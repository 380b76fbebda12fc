"""Runs that are interrupted, and runs that are continued."""

import contextlib

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import trueness

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 25)
X = rng.normal(size=(50, 2)) + y[:, None]


class Slow(ClassifierMixin, BaseEstimator):
    """Naive Bayes in which Ctrl-C is pressed at a fit."""

    left = 10**9

    def fit(self, X, y):
        Slow.left -= 1
        if Slow.left == 0:
            raise KeyboardInterrupt
        self.rule_ = GaussianNB().fit(X, y)
        self.classes_ = self.rule_.classes_
        return self

    def predict_proba(self, X):
        return self.rule_.predict_proba(X)

    def predict(self, X):
        return self.rule_.predict(X)


@pytest.fixture
def press(monkeypatch):
    """Presses Ctrl-C at the k-th fit from now on."""

    def at(k):
        monkeypatch.setattr(Slow, "left", k)

    return at


def test_a_run_that_is_interrupted_goes_on_from_its_store(press, tmp_path):
    for _ in range(2):  # the same call would be interrupted again if it began anew
        press(42)
        with contextlib.suppress(KeyboardInterrupt):
            a = trueness.assess(Slow(), X, y, trueness.Bootstrap(60), rng=3, store=tmp_path / "run.db")
    assert a.fits.n_fits == 60


def test_continuing_without_a_number_doubles_the_fits():
    a = trueness.assess(GaussianNB(), X, y, trueness.Bootstrap(40), rng=0)
    assert a.continue_().fits.n_fits == 80
    b = trueness.assess(GaussianNB(), X, y, trueness.KFold(5, repeats=3), rng=0)
    assert b.continue_().fits.design.plan.repeats == 6
