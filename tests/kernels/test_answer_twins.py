"""Answers of two classes: compiled, plain, and scipy's logistic function."""

import numpy as np
import pytest
from scipy.special import expit

from karat.kernels.answers import two_class_answers

BOTH = (two_class_answers, two_class_answers.reference)


def answered(kernel, values, turned, logistic):
    scores, predictions = np.array(values, dtype=float), np.empty(np.shape(values), np.int16)
    kernel(scores, predictions, turned, logistic)
    return scores, predictions


@pytest.mark.parametrize("kernel", BOTH)
@pytest.mark.parametrize("turned", [False, True])
def test_decisions_and_probabilities(kernel, turned):
    values = np.random.default_rng(0).normal(size=(7, 203)) * 20
    values[0, :3] = 0, 1e-300, -1e-300
    scores, predictions = answered(kernel, values, turned, False)
    np.testing.assert_array_equal(predictions, values > 0)
    np.testing.assert_array_equal(scores, -values if turned else values)
    scores, predictions = answered(kernel, values, turned, True)
    np.testing.assert_array_equal(predictions, values > 0)
    np.testing.assert_allclose(scores, expit(-values if turned else values), rtol=1e-15)


def test_the_compiled_one_is_scipys_over_its_whole_range():
    values = np.linspace(-709.5, 60, 1_000_003)[None]
    scores, _ = answered(two_class_answers, values, False, True)
    np.testing.assert_allclose(scores, expit(values), rtol=1e-15)
    assert (np.diff(scores) >= 0).all()


@pytest.mark.parametrize("kernel", BOTH)
def test_limits(kernel):
    values = np.array([[0.0, -0.0, np.inf, -np.inf, 1e300, -1e300, 800.0, -800.0, 37.0, np.nan]])
    scores, predictions = answered(kernel, values, False, True)
    np.testing.assert_array_equal(scores, [[0.5, 0.5, 1, 0, 1, 0, 1, 0, 1, np.nan]])
    np.testing.assert_array_equal(predictions, [[0, 0, 1, 0, 1, 0, 1, 0, 1, 0]])
