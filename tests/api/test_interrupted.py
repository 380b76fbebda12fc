"""Ctrl-C: the result of what is finished at a prompt, the interrupt in a program."""

import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import Interrupted

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


class Other(Slow):
    """Another model."""


@pytest.fixture
def prompt(monkeypatch):
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)


@pytest.fixture
def press(monkeypatch):
    """Presses Ctrl-C at the k-th fit from now on."""

    def at(k):
        monkeypatch.setattr(Slow, "left", k)

    return at


def same(a, b):
    frames = [each.frame(details=True).drop(columns="notes") for each in (a, b)]
    return frames[0].equals(frames[1])


@pytest.mark.parametrize(
    ("plan", "k", "shorter"),
    [
        (trueness.Bootstrap(60), 42, lambda n: trueness.Bootstrap(n)),
        (trueness.Bootstrap(until=0.001, at_most=300), 152, lambda n: trueness.Bootstrap(n)),
        (trueness.KFold(5, repeats=8), 24, lambda n: trueness.KFold(5, repeats=n // 5)),
        (trueness.CvBootstrap(5, 4, 60), 55, lambda n: trueness.CvBootstrap(5, 4, n - 20)),
        (trueness.CvBootstrap(5, 4, 60), 15, lambda n: None),
    ],
)
def test_the_replicates_that_are_finished_are_those_of_a_shorter_plan(prompt, press, plan, k, shorter):
    press(k)
    a = trueness.assess(Slow(), X, y, plan, rng=3)
    (note,) = [n for n in a.notes if n.code == "interrupted"]
    assert note.severity == "warning"
    assert 20 <= a.fits.n_fits == note.data["fits"] <= note.data["done"] < note.data["of"] or shorter(20) is None
    press(0)
    if shorter(a.fits.n_fits) is not None:
        assert same(a, trueness.assess(Slow(), X, y, shorter(a.fits.n_fits), rng=3))
    whole = a.continue_()
    assert "interrupted" not in {n.code for n in whole.notes}
    assert same(whole, trueness.assess(Slow(), X, y, plan, rng=3))


def test_too_little_is_said_and_raised(prompt, press):
    press(12)
    with pytest.raises(Interrupted, match="of 60 fits") as caught:
        trueness.assess(Slow(), X, y, trueness.Bootstrap(60), rng=3)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.fits is None


def test_a_program_is_interrupted_and_fit_hands_over_what_is_done(press, tmp_path):
    assert not hasattr(sys, "ps1")
    press(42)
    with pytest.raises(KeyboardInterrupt):
        trueness.assess(Slow(), X, y, trueness.Bootstrap(60), rng=3)
    press(42)
    with pytest.raises(Interrupted) as caught:
        trueness.fit(Slow(), X, y, trueness.Bootstrap(60), rng=3)
    assert 20 <= caught.value.fits.n_fits <= 40
    press(42)
    with pytest.raises(KeyboardInterrupt, match="the same call goes on"):
        trueness.assess(Slow(), X, y, trueness.Bootstrap(60), rng=3, store=tmp_path / "run.db")
    press(42)  # the same call would be interrupted again if it began anew
    trueness.assess(Slow(), X, y, trueness.Bootstrap(60), rng=3, store=tmp_path / "run.db")


def test_models_that_are_finished_are_compared(prompt, press):
    models = {"a": Slow(), "b": Other(), "c": Slow()}
    press(61 * 2 + 30)
    k = trueness.compare(models, X, y, "error", plan=trueness.Bootstrap(60), rng=1)
    assert list(k.estimates) == ["a", "b"]
    (note,) = [n for n in k.notes if n.code == "models-left-out"]
    assert note.data["models"] == ("c",)
    press(61 + 30)
    with pytest.raises(KeyboardInterrupt, match="while b was fitted"):
        trueness.compare(models, X, y, "error", plan=trueness.Bootstrap(60), rng=1)
    press(303 + 50)  # the second block of replicates
    k = trueness.compare(models, X, y, "error", plan=trueness.Bootstrap(until=0.001, at_most=300), rng=1)
    assert list(k.estimates) == ["a", "b", "c"]
    assert k.provenance["plan"] == str(trueness.Bootstrap(100))


def test_continuing_without_a_number_doubles_the_fits():
    a = trueness.assess(GaussianNB(), X, y, trueness.Bootstrap(40), rng=0)
    assert a.continue_().fits.n_fits == 80
    b = trueness.assess(GaussianNB(), X, y, trueness.KFold(5, repeats=3), rng=0)
    assert b.continue_().fits.design.plan.repeats == 6
