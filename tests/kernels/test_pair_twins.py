"""The compiled pair kernels against their plain NumPy references, and those against sums written out."""

import numpy as np
import pytest

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


def order(up, down, out_up, out_down):
    """`order_pairs` of classes that lie side by side."""
    positive = np.arange(up.shape[1] + down.shape[1]) < up.shape[1]
    return pairs.order_pairs(np.hstack([up, down]), np.hstack([out_up, out_down]), positive)


CASES = [(0, 9, 7, 5), (1, 40, 20, 31), (2, 17, 64, 65), (3, 5, 130, 1), (4, 3, 1, 1)]


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("ties", [False, True])
def test_orders_sums_and_margins(shape, ties):
    up, down, out_up, out_down = given = block(*shape, ties=ties)
    orders = order(*given)
    plain = pairs.Orders(*(np.zeros_like(table) for table in orders))
    plain.rank_up[:] = plain.rank_down[:] = plain.none
    pairs.fill_orders.reference(*given, plain)
    for found, expected in zip(orders, plain, strict=True):
        np.testing.assert_array_equal(found, expected)

    # written out, from the scores
    psi = np.stack([pairs.psi(u, d) for u, d in zip(up, down, strict=True)])
    both = out_up[:, :, None] & out_down[:, None, :]
    times, total = both.sum(axis=0), (both * psi).sum(axis=0)
    np.testing.assert_array_equal(pairs.left_out_together(out_up, out_down), times)
    np.testing.assert_array_equal(pairs.psi_sums_of(orders), total)
    np.testing.assert_array_equal(pairs.psi_sums_of.reference(orders), total)

    mean = total / np.maximum(times, 1)
    for drop in (0, 1):
        rho = both * (psi - mean) / np.maximum(times - drop, 1)
        for kernel in (pairs.margins_of, pairs.margins_of.reference):
            rows, cols = kernel(orders, mean, times.astype(float), drop)
            np.testing.assert_allclose(rows, rho.sum(axis=2), atol=1e-13)
            np.testing.assert_allclose(cols, rho.sum(axis=1), atol=1e-13)
        for kernel in (pairs.totals_of, pairs.totals_of.reference):
            found = kernel(orders, mean, times.astype(float), drop)
            np.testing.assert_allclose(found, rho.sum(axis=(1, 2)), atol=1e-12)


def test_wide_ranks_give_the_same():
    """More cases than two bytes can count."""
    orders = order(*block(5, 6, 70_000, 3))
    assert orders.rank_up.dtype == np.uint32
    np.testing.assert_array_equal(pairs.psi_sums_of(orders), pairs.psi_sums_of.reference(orders))
    mean, times = np.full((70_000, 3), 0.6), np.full((70_000, 3), 4.0)
    for found, expected in zip(
        pairs.margins_of(orders, mean, times, 0), pairs.margins_of.reference(orders, mean, times, 0), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("drop", [0, 1])
def test_weights_of_four_bytes_give_eight_digits(ties, drop, monkeypatch):
    """What large tables use, on a small one with more than one tile."""
    monkeypatch.setattr("karat.kernels.fast.pair_margins.NARROW_FROM", 0)
    monkeypatch.setattr("karat.kernels.fast.pair_orders.WIDTH", 64)
    given = block(7, 200, 90, 150, ties=ties)
    orders = order(*given)
    times = pairs.left_out_together(*given[2:])
    mean = pairs.psi_sums_of(orders) / np.maximum(times, 1)
    found, expected = (k(orders, mean, times, drop) for k in (pairs.margins_of, pairs.margins_of.reference))
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() < 1e-7 * np.abs(b).max()
        assert not np.array_equal(a, b)  # or the narrow weights were not used


@pytest.mark.parametrize("ties", [False, True])
def test_one_sweep_gives_the_totals_and_the_margins(ties):
    given = block(8, 60, 40, 70, ties=ties)
    orders = order(*given)
    times = pairs.left_out_together(*given[2:])
    times[3, 5] = 0  # a pair that is in no sum changes none
    mean = pairs.psi_sums_of(orders) / np.maximum(times, 1)
    given[2][:, 3] = False
    orders = order(*given)
    for found, expected in zip(
        pairs.sweep_of(orders, mean, times), pairs.sweep_of.reference(orders, mean, times), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 30])
def test_noise_and_weighted_counts(m):
    rng = np.random.default_rng(m)
    margins, counts, total = rng.normal(size=(50, m)), rng.poisson(1, (50, m)).astype(np.uint8), rng.normal(size=50)
    np.testing.assert_allclose(
        pairs.noise_of(margins, counts, total), pairs.noise_of.reference(margins, counts, total), rtol=1e-12
    )
    weights = rng.normal(size=(2, 50))
    np.testing.assert_allclose(
        pairs.weighted_counts(counts, weights), pairs.weighted_counts.reference(counts, weights), atol=1e-12
    )


def test_margins_do_not_depend_on_the_grouping_of_replicates():
    given = block(6, 40, 30, 70)
    mean, times = np.full((30, 70), 0.5), np.full((30, 70), 10.0)
    whole = pairs.margins_of(order(*given), mean, times, 0)
    some = [order(*(a[s] for a in given)) for s in (slice(0, 13), slice(13, 40))]
    parts = [pairs.margins_of(orders, mean, times, 0) for orders in some]
    for k in (0, 1):
        np.testing.assert_allclose(whole[k], np.concatenate([part[k] for part in parts]), atol=1e-14)
