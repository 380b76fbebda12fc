"""One policy: the AUC of given scores has the same interval wherever it is asked for."""

import warnings

import numpy as np
import pytest

import trueness
from trueness.curves.multiclass import one_against_rest
from trueness.errors import TruenessWarning


def holdout(y, scores):
    with warnings.catch_warnings():  # of scores that look like labels
        warnings.simplefilter("ignore", TruenessWarning)
        fits = trueness.Fits.from_arrays(y, counts=np.zeros((1, len(y)), int), scores=[np.asarray(scores, float)])
        return trueness.estimate(fits, "auc", "holdout")


@pytest.mark.parametrize("sizes", [(2, 18), (5, 5), (10, 10), (15, 150), (25, 25), (60, 3), (100, 80)])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.5, 1.5, 4.0])
@pytest.mark.parametrize("digits", [None, 0])
def test_a_curve_and_a_separate_test_set_agree(sizes, shift, digits):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], sizes)
        s = rng.standard_normal(len(y)) + shift * y
        s = s if digits is None else s.round(digits)
        a, b = trueness.roc(y, s).auc, holdout(y, s)
        assert a.value == b.value
        assert (a.se is None) == (b.se is None)
        assert a.se is None or a.se == pytest.approx(b.se, rel=1e-12)
        assert a.df == b.df
        for level in (0.9, 0.95):
            assert a.has_interval == b.has_interval
            if a.has_interval:
                assert a.ci(level) == b.ci(level)
                assert a.ci(level).method == b.ci(level).method


@pytest.mark.parametrize("n", [8, 40])
def test_several_classes_agree(n):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n)
    scores = np.eye(3)[y] + rng.standard_normal((3 * n, 3))
    fits = trueness.Fits.from_arrays(y, counts=np.zeros((1, 3 * n), int), scores=scores[None])
    a, b = one_against_rest(y, scores), trueness.estimate(fits, "auc", "holdout")
    assert a.se == pytest.approx(b.se, rel=1e-12)
    assert tuple(a.ci()) == pytest.approx(tuple(b.ci()), abs=1e-12)
    assert (a.df is None) == (n >= 20)


def test_equal_ranks_have_no_standard_error_and_an_interval():
    """Two positives side by side among a hundred negatives: DeLong's formula sees no variance among positives."""
    area = trueness.roc(np.repeat([1, 0], [2, 100]), np.r_[50.2, 50.4, np.arange(100)]).auc
    assert area.se is None
    assert area.noted("no-se-zero-variance")
    low, high = area.ci()
    assert low < 0.2 < 0.8 < high
