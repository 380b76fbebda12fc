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


CASES = [(0, 9, 7, 5), (1, 40, 20, 31), (2, 17, 64, 65), (3, 5, 130, 1), (4, 3, 1, 1)]


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("ties", [False, True])
def test_orders_sums_and_margins(shape, ties):
    up, down, out_up, out_down = given = block(*shape, ties=ties)
    orders = pairs.order_pairs(*given)
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
    np.testing.assert_array_equal(pairs.psi_sums(*given), total)
    np.testing.assert_array_equal(pairs.psi_sums_of.reference(orders), total)

    mean = total / np.maximum(times, 1)
    weight = (times > 0) / np.maximum(times - 1, 1)
    rho = both * (psi - mean) * weight
    for margins in (pairs.residual_margins(*given, mean, weight), pairs.margins_of.reference(orders, mean, weight)):
        np.testing.assert_allclose(margins[0], rho.sum(axis=2), atol=1e-13)
        np.testing.assert_allclose(margins[1], rho.sum(axis=1), atol=1e-13)
    np.testing.assert_allclose(pairs.totals_of(orders, mean, weight), rho.sum(axis=(1, 2)), atol=1e-12)
    np.testing.assert_allclose(pairs.totals_of.reference(orders, mean, weight), rho.sum(axis=(1, 2)), atol=1e-12)


def test_wide_ranks_give_the_same():
    """More cases than two bytes can count."""
    orders = pairs.order_pairs(*block(5, 6, 70_000, 3))
    assert orders.rank_up.dtype == np.uint32
    np.testing.assert_array_equal(pairs.psi_sums_of(orders), pairs.psi_sums_of.reference(orders))
    mean, weight = np.full((70_000, 3), 0.6), np.full((70_000, 3), 0.25)
    for found, expected in zip(
        pairs.margins_of(orders, mean, weight), pairs.margins_of.reference(orders, mean, weight), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_margins_are_the_same_bits_for_any_grouping_of_replicates():
    given = block(6, 40, 30, 70)
    mean, weight = np.full((30, 70), 0.5), np.full((30, 70), 0.1)
    whole = pairs.residual_margins(*given, mean, weight)
    parts = [pairs.residual_margins(*(a[s] for a in given), mean, weight) for s in (slice(0, 13), slice(13, 40))]
    for k in (0, 1):
        np.testing.assert_array_equal(whole[k], np.concatenate([part[k] for part in parts]))
