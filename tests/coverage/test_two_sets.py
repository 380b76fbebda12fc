"""Variance components against the true ones, and coverage of the intervals: docs/programs/two_sets.py in short."""

import numpy as np
import pytest
from two_sets import Truth, lda, trial

pytestmark = pytest.mark.coverage

TRIALS = 300


@pytest.mark.parametrize(("independent", "least", "most"), [(True, 0.75, 1.3), (False, 1.4, 3.0)])
def test_training_variance_has_no_bias_with_independent_sets_and_is_too_large_with_replicates(independent, least, most):
    rng = np.random.default_rng(7)
    truth = Truth(lda, rng)
    found = np.array([trial(lda, 20, independent, truth, rng) for _ in range(TRIALS)])
    true_training = truth.training(found[:, :, 1], 20, rng)
    for k in (0, 1):
        value, true, total, training, testing, low, high, low_mean, high_mean = found[:, k].T
        assert least < training.mean() / true_training[k] < most
        assert 0.8 < testing.mean() / (value - true).var(ddof=1) < 1.25
        assert total.mean() == pytest.approx(training.mean() + testing.mean())
        assert np.mean((low <= true) & (true <= high)) > 0.91
        assert np.mean((low_mean <= true.mean()) & (true.mean() <= high_mean)) > 0.92
