"""The compiled sums over pairs against sums written out."""

import numpy as np
import pytest
import slow_kernels as slow

import trueness
from trueness.kernels import auc


def block(seed, b, n1, n2, *, ties=False, share=0.37):
    """Scores of b replicates, NaN where a case is in the training set."""
    rng = np.random.default_rng(seed)
    up, down = rng.normal(size=(b, n1)) + 0.5, rng.normal(size=(b, n2))
    if ties:
        up, down = np.round(up), np.round(down)
        up[0, 0], down[0, 0] = -0.0, 0.0
    up[rng.random((b, n1)) >= share], down[rng.random((b, n2)) >= share] = np.nan, np.nan
    up[-1], down[0] = np.nan, np.nan  # replicates that leave nothing of a class out
    return up, down


SHAPES = [(0, 9, 7, 5), (1, 40, 20, 31), (2, 17, 64, 65), (3, 5, 130, 1), (4, 3, 1, 1), (5, 150, 40, 600)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ties", [False, True])
def test_wins_and_residuals(shape, ties):
    up, down = block(*shape, ties=ties)
    won, times, rho = slow.pair_sums(up, down)
    np.testing.assert_array_equal(auc.pair_wins(up, down), won)
    rows, cols, totals = auc.pair_residuals(up, down, won, times)
    corrected = rho / np.maximum(times - 1, 1)
    np.testing.assert_allclose(rows, corrected.sum(axis=2), atol=1e-13)
    np.testing.assert_allclose(cols, corrected.sum(axis=1), atol=1e-13)
    np.testing.assert_allclose(totals, (rho / np.maximum(times, 1)).sum(axis=(1, 2)), atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_squares_of_the_residuals_of_two_rules(ties):
    up, down = block(7, 30, 12, 300, ties=ties)
    other = np.random.default_rng(1).permuted(down, axis=1)
    other = np.where(np.isnan(down), np.nan, np.nan_to_num(other))
    of = [slow.pair_sums(up, d) for d in (down, other)]
    times = of[0][1]
    rho = (of[0][2] - of[1][2]) / np.maximum(times - 1, 1)
    mean = (of[0][0] - of[1][0]) / np.maximum(times, 1)
    contrast = [(1.0, up, down), (-1.0, up, other)]
    assert auc.residual_squares(contrast, mean, times) == pytest.approx((rho**2).sum(), rel=1e-12)


def test_residuals_do_not_depend_on_the_blocks_of_replicates():
    up, down = block(6, 40, 30, 70)
    won, times = np.full((30, 70), 5.0), np.full((30, 70), 10.0)
    whole = auc.pair_residuals(up, down, won, times)
    some = [auc.pair_residuals(up[s], down[s], won, times) for s in (slice(0, 13), slice(13, 40))]
    for k in range(3):
        np.testing.assert_array_equal(whole[k], np.concatenate([part[k] for part in some]))


def test_a_score_far_below_all_others_changes_nothing():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    counts = np.stack([np.bincount(rng.integers(0, 200, 200), minlength=200) for _ in range(200)])
    scores = np.round(rng.normal(size=(200, 200)) + y, 6)

    def lpob(far):
        scores[:, 0] = far
        return trueness.estimate(trueness.Fits.from_arrays(y, counts=counts, scores=scores), "auc", "lpob")

    near, far, farthest = lpob(-1e3), lpob(-1e20), lpob(-1.7e308)
    assert near.value == far.value == farthest.value
    assert near.se == far.se == farthest.se
