"""Notes of fitted curves that disagree with the cases."""

import numpy as np
import pytest

import trueness


def drawn(n, rng=0, shift=1.2):
    generator = np.random.default_rng(rng)
    return np.repeat([1, 0], n), np.r_[shift + generator.standard_normal(n), generator.standard_normal(n)]


@pytest.mark.parametrize("method", ["semiparametric", "normal", "binormal"])
@pytest.mark.parametrize("rng", range(5))
def test_normal_scores_are_what_the_models_take_them_for(method, rng):
    assert trueness.roc(*drawn(60, rng), method).auc.notes == ()


@pytest.mark.parametrize("method", ["semiparametric", "normal"])
def test_skewed_scores_are_said(method):
    y, s = drawn(300)
    skewed = np.exp(1.5 * s)
    c = trueness.roc(y, skewed, method)
    empirical = trueness.roc(y, skewed).auc
    note = c.auc.noted("fit-disagrees")
    assert note.data["empirical"] == empirical.value
    assert note.data["standard_errors"] == pytest.approx(abs(c.auc.value - empirical.value) / empirical.se)
    assert str(note) in str(c)
    assert trueness.roc(y, skewed, "binormal").auc.noted("fit-disagrees") is None


def test_perfect_separation_is_no_contradiction():
    y = np.repeat([0, 1], 30)
    assert trueness.roc(y, np.arange(60) + 50 * y, "normal").auc.notes == ()


def test_a_class_that_loses_its_sd_with_one_case_has_no_standard_error():
    c = trueness.roc([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], "semiparametric")
    assert c.auc.se is None
    assert c.auc.noted("no-se-zero-variance")
