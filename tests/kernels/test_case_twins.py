"""Sums over left-out cases: compiled and plain, and written out."""

import numpy as np
import pytest

from karat.kernels import cases


@pytest.mark.parametrize(("b", "n"), [(1, 1), (7, 2), (40, 31), (300, 64)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_sums(b, n, dtype):
    rng = np.random.default_rng(n)
    counts, losses = rng.poisson(1.0, (b, n)).astype(dtype), rng.random((b, n))
    means, scale = rng.random(n), rng.random(n)
    out = counts == 0
    for kernel in (cases.case_sums, cases.case_sums.reference):
        total, times = kernel(counts, losses)
        np.testing.assert_allclose(total, (out * losses).sum(axis=0), rtol=1e-12)
        np.testing.assert_array_equal(times, out.sum(axis=0))
    for kernel in (cases.residual_sums, cases.residual_sums.reference):
        found = kernel(counts, losses, means, scale)
        np.testing.assert_allclose(found, (out * (losses - means) * scale).sum(axis=1), atol=1e-12)


def test_a_count_that_a_byte_cannot_hold_is_not_left_out():
    counts = np.array([[256, 0]])
    for kernel in (cases.case_sums, cases.case_sums.reference):
        assert kernel(counts, np.ones((1, 2)))[1].tolist() == [0, 1]


def test_a_loss_that_is_not_used_may_be_anything():
    counts, losses = np.array([[1, 0]], np.uint8), np.array([[np.nan, 2.0]])
    for sums, residuals in (
        (cases.case_sums, cases.residual_sums),
        (cases.case_sums.reference, cases.residual_sums.reference),
    ):
        assert sums(counts, losses)[0].tolist() == [0, 2]
        assert residuals(counts, losses, np.zeros(2), np.ones(2)).tolist() == [2]


@pytest.mark.parametrize("classes", [2, 4])
def test_losses_are_looked_up(classes):
    rng = np.random.default_rng(classes)
    table, codes = rng.random((classes, classes)), rng.integers(0, classes, 13)
    predictions = rng.integers(-1, classes, (5, 13)).astype(np.int16)
    expected = [
        [np.nan if p < 0 else table[c, p] for c, p in zip(codes, row, strict=True)] for row in predictions.tolist()
    ]
    for kernel in (cases.looked_up, cases.looked_up.reference):
        np.testing.assert_array_equal(kernel(table, codes, predictions), expected)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("b", "n"), [(1, 1), (9, 20), (60, 33)])
def test_sums_of_losses_that_are_looked_up(classes, b, n):
    rng = np.random.default_rng(n)
    rows, counts = rng.random((n, classes)), rng.poisson(1.0, (b, n)).astype(np.uint8)
    predictions = np.where(counts > 0, -1, rng.integers(0, classes, (b, n))).astype(np.int16)
    lookup = cases.Lookup(rows, predictions)
    for kernel in (cases.case_sums_looked_up, cases.case_sums_looked_up.reference):
        for found, expected in zip(
            kernel(counts, *lookup), cases.case_sums.reference(counts, lookup.table), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    means, scale = rng.random(n), rng.random(n)
    expected = cases.residual_sums.reference(counts, lookup.table, means, scale)
    np.testing.assert_allclose(cases.residual_sums_of(counts, lookup, means, scale), expected, atol=1e-12)
    plain = cases.residual_sums_looked_up.reference(counts, (rows - means[:, None]) * scale[:, None], predictions)
    np.testing.assert_allclose(plain, expected, atol=1e-12)


def test_more_replicates_than_two_bytes_can_count():
    counts, predictions = np.zeros((70_000, 2), np.uint8), np.zeros((70_000, 2), np.int16)
    counts[0, 1], predictions[1:5, 0] = 1, 1
    rows = np.array([[0.0, 1.0], [0.5, 0.0]])
    for kernel in (cases.case_sums_looked_up, cases.case_sums_looked_up.reference):
        total, times = kernel(counts, rows, predictions)
        assert (total.tolist(), times.tolist()) == ([4, 34_999.5], [70_000, 69_999])
