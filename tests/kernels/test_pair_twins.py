"""The compiled pair kernels against their plain NumPy references, and those against sums written out."""

import numpy as np
import pytest

import karat
from karat.kernels import pairs


def block(seed, b, n1, n2, *, ties=False, share=0.37):
    rng = np.random.default_rng(seed)
    up, down = rng.normal(size=(b, n1)) + 0.5, rng.normal(size=(b, n2))
    if ties:
        up, down = np.round(up), np.round(down)
        up[0, 0], down[0, 0] = -0.0, 0.0
    out_up, out_down = rng.random((b, n1)) < share, rng.random((b, n2)) < share
    out_up[-1], out_down[0] = False, False  # a replicate that leaves nothing of a class out
    return up, down, out_up, out_down


def mixed(up, down, out_up, out_down):
    """Scores, what is left out, and which cases are positive; the classes are mixed, each in its order."""
    positive = np.zeros(up.shape[1] + down.shape[1], dtype=bool)
    positive[np.random.default_rng(0).permutation(len(positive))[: up.shape[1]]] = True
    scores, out = np.empty((len(up), len(positive))), np.empty((len(up), len(positive)), dtype=bool)
    scores[:, positive], scores[:, ~positive] = up, down
    out[:, positive], out[:, ~positive] = out_up, out_down
    return scores, out, positive


def order(*given):
    return pairs.order_pairs(*mixed(*given))


def together(*given):
    return pairs.left_out_together(*mixed(*given)[1:])


# the last one leaves more than 255 cases out, so that a bucket holds several
CASES = [(0, 9, 7, 5), (1, 40, 20, 31), (2, 17, 64, 65), (3, 5, 130, 1), (4, 3, 1, 1), (5, 4, 900, 1600)]


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("ties", [False, True])
def test_orders_sums_and_margins(shape, ties):
    up, down, out_up, out_down = given = block(*shape, ties=ties)
    orders = order(*given)
    plain = pairs.Orders(*(np.full_like(table, orders.none) for table in orders))
    scores, out, positive = mixed(*given)
    pairs.fill_orders.reference(scores, out, np.flatnonzero(positive), np.flatnonzero(~positive), plain)
    for found, expected in zip(orders, plain, strict=True):
        np.testing.assert_array_equal(found, expected)

    # written out, from the scores
    psi = np.stack([pairs.psi(u, d) for u, d in zip(up, down, strict=True)])
    both = out_up[:, :, None] & out_down[:, None, :]
    times, total = both.sum(axis=0), (both * psi).sum(axis=0)
    np.testing.assert_array_equal(pairs.left_out_together(out, positive), times)
    np.testing.assert_array_equal(pairs.left_out_together.reference(out, positive), times)
    np.testing.assert_array_equal(pairs.psi_sums_of(orders), total)
    np.testing.assert_array_equal(pairs.psi_sums_of.reference(orders), total)

    mean = total / np.maximum(times, 1)
    np.testing.assert_array_equal(pairs.means_of(total, times), mean)
    sums = *(mean.sum(axis=k) for k in (1, 0)), *((times > 0).sum(axis=k) for k in (1, 0))
    for kernel in (pairs.mean_sums, pairs.mean_sums.reference):
        for found, expected in zip(kernel(total, times), sums, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    for drop in (0, 1):
        rho = both * (psi - mean) / np.maximum(times - drop, 1)
        for kernel in (pairs.margins_of, pairs.margins_of.reference):
            rows, cols = kernel(orders, total, times, drop)
            np.testing.assert_allclose(rows, rho.sum(axis=2), atol=1e-13)
            np.testing.assert_allclose(cols, rho.sum(axis=1), atol=1e-13)
        for kernel in (pairs.totals_of, pairs.totals_of.reference):
            found = kernel(orders, total, times, drop)
            np.testing.assert_allclose(found, rho.sum(axis=(1, 2)), atol=1e-12)


def test_wide_ranks_give_the_same():
    """More cases than two bytes can count."""
    orders = order(*block(5, 6, 70_000, 3))
    assert orders.order_up.dtype == np.uint32
    np.testing.assert_array_equal(pairs.psi_sums_of(orders), pairs.psi_sums_of.reference(orders))
    won, times = np.full((70_000, 3), 2.5), np.full((70_000, 3), 4.0)
    for found, expected in zip(
        pairs.margins_of(orders, won, times, 0), pairs.margins_of.reference(orders, won, times, 0), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


NARROW = [(7, 200, 90, 150), (9, 12, 1200, 900)]  # more than one tile, and buckets of several cases


@pytest.fixture
def narrow(monkeypatch):
    """What large tables use, on small ones."""
    monkeypatch.setattr("karat.kernels.fast.pair_margins.NARROW_FROM", 0)
    monkeypatch.setattr("karat.kernels.fast.pair_orders.WIDTH", 64)


@pytest.mark.parametrize("shape", NARROW)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("drop", [0, 1])
def test_weights_of_two_bytes_and_their_rests_give_seven_digits(shape, ties, drop, narrow):
    orders, won, times = sums_of(block(*shape, ties=ties))
    found, expected = (k(orders, won, times, drop) for k in (pairs.margins_of, pairs.margins_of.reference))
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() < 1e-6 * np.abs(b).max()
        assert not np.array_equal(a, b)  # or the narrow weights were not used
    total = pairs.totals_of(orders, won, times, drop)
    np.testing.assert_allclose(total, expected[0].sum(axis=1), atol=1e-6 * np.abs(expected[0]).max())


@pytest.mark.parametrize("shape", NARROW)
@pytest.mark.parametrize("ties", [False, True])
def test_the_sweep_of_large_tables(shape, ties, narrow):
    """Margins of negatives are needed for noise alone, and come without the rests."""
    given = sums_of(block(*shape, ties=ties))
    found, expected = pairs.sweep_of(*given), pairs.sweep_of.reference(*given)
    for a, b, digits in zip(found, expected, (1e-6, 1e-6, 1e-3), strict=True):
        assert np.abs(a - b).max() < digits * np.abs(b).max()


@pytest.mark.parametrize("power", [1, 4])
def test_no_lane_overflows_where_every_case_is_left_out_and_weights_differ_much(power, monkeypatch):
    monkeypatch.setattr("karat.kernels.fast.pair_margins.NARROW_FROM", 0)
    rng = np.random.default_rng(power)
    up, down = rng.normal(size=(6, 5)), rng.normal(size=(6, 4500))
    up[0], up[1] = 9, -9  # above all, and below
    orders = order(up, down, np.ones(up.shape, dtype=bool), np.ones(down.shape, dtype=bool))
    times = np.floor(65 + 10_000 * rng.random((5, 4500)) ** power)
    won = np.where(rng.random(times.shape) < 0.5, 0, times)
    found, expected = (k(orders, won, times, 1) for k in (pairs.margins_of, pairs.margins_of.reference))
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() < 1e-6 * np.abs(b).max()


def sums_of(given):
    """Orders, the pairs won and D."""
    orders = order(*given)
    return orders, pairs.psi_sums_of(orders), together(*given)


@pytest.mark.parametrize("ties", [False, True])
def test_one_sweep_gives_the_totals_and_the_margins(ties):
    given = block(8, 60, 40, 70, ties=ties)
    orders = order(*given)
    times = together(*given)
    times[3, 5] = 0  # a pair that is in no sum changes none
    won = pairs.psi_sums_of(orders)
    given[2][:, 3] = False
    orders = order(*given)
    for found, expected in zip(
        pairs.sweep_of(orders, won, times), pairs.sweep_of.reference(orders, won, times), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 30])
def test_noise_and_weighted_counts(m):
    rng = np.random.default_rng(m)
    counts, total = rng.poisson(1, (50, m)).astype(np.uint8), rng.normal(size=50)
    margins = rng.normal(size=(50, m)) * (counts == 0)
    np.testing.assert_allclose(
        pairs.products_of(margins, total), pairs.products_of.reference(margins, total), atol=1e-12
    )
    weights = np.stack([rng.normal(size=50), total**2])
    found, expected = pairs.weighted_counts(counts, weights), pairs.weighted_counts.reference(counts, weights)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    squared = pairs.weighted_squares(counts, total**2)
    np.testing.assert_allclose(squared, pairs.weighted_squares.reference(counts, total**2), rtol=1e-12)

    # written out, as MATH 2.6 has it
    y = margins - total[:, None] / m + (counts - m / max(m - 1, 1)) * (total[:, None] - margins)
    np.testing.assert_allclose(pairs.noise_of(margins, total, found[1], squared), (y**2).sum(axis=0), rtol=1e-12)


def test_margins_do_not_depend_on_the_grouping_of_replicates():
    given = block(6, 40, 30, 70)
    won, times = np.full((30, 70), 5.0), np.full((30, 70), 10.0)
    whole = pairs.margins_of(order(*given), won, times, 0)
    some = [order(*(a[s] for a in given)) for s in (slice(0, 13), slice(13, 40))]
    parts = [pairs.margins_of(orders, won, times, 0) for orders in some]
    for k in (0, 1):
        np.testing.assert_allclose(whole[k], np.concatenate([part[k] for part in parts]), atol=1e-14)


def test_a_score_far_below_all_others_changes_nothing_but_its_own_place():
    """The others are then so close together that all of them are in the last bucket."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    counts = np.stack([np.bincount(rng.integers(0, 200, 200), minlength=200) for _ in range(200)])
    scores = np.round(rng.normal(size=(200, 200)) + y, 6)

    def lpob(far):
        scores[:, 0] = far
        return karat.estimate(karat.Fits.from_arrays(y, counts=counts, scores=scores), "auc", "lpob")

    near, far, farthest = lpob(-1e3), lpob(-1e20), lpob(-1.7e308)
    assert near.value == far.value == farthest.value
    assert near.se == far.se == farthest.se
