"""Sums in fixed point: the compiled kernels against plain whole numbers, and those against double precision."""

import numpy as np
import pytest

from karat.kernels import byte_sums as kernels
from karat.kernels.fast import byte_sums as fast


def columns(m, p, seed=0):
    rng = np.random.default_rng(seed)
    out = np.ones((1 + p, m))
    out[1:] = rng.normal(size=(p, m)) * np.logspace(-3, 3, p)[:, None]
    return out, *np.triu_indices(1 + p)


@pytest.mark.parametrize("digits", [3, 5, 6])
@pytest.mark.parametrize("m", [1, 4, 30, 43])
def test_digits(m, digits):
    given = *columns(m, 4), digits
    table, quantum, bias = kernels.byte_digits(*given)
    plain = kernels.byte_digits.reference(*given)
    assert table.shape == (15, digits, -(-m // 4) * 4)
    np.testing.assert_array_equal(table, plain[0])
    np.testing.assert_array_equal(quantum, plain[1])
    assert (np.abs(bias - plain[2]) < 0.01 * quantum).all()
    x, first, second, _ = given
    phi = x[first] * x[second]
    value = np.einsum("kdm,d->km", table[:, :, :m].astype(float), 256.0 ** np.arange(digits)) * quantum[:, None]
    assert (np.abs(value - phi) <= quantum[:, None] / 2).all()
    assert (quantum <= np.abs(phi).max(axis=1) * 2.0 ** (2 - 8 * digits) * 1.02).all()  # no bit is given away


@pytest.mark.parametrize("largest", [127 * (256**5 - 1) // 255, -127 * (256**5 - 1) // 255, 0, 1])
def test_the_ends_of_the_range(largest):
    x = np.ones((2, 3))
    x[1] = largest, 1, -1
    for kernel in (kernels.byte_digits, kernels.byte_digits.reference):
        table, quantum, _ = kernel(x, np.array([0, 0]), np.array([0, 1]), 5)
        value = (table[1, :, 0].astype(float) * 256.0 ** np.arange(5)).sum() * quantum[1]
        assert abs(value - largest) <= quantum[1] / 2
        assert (table[:, :, 3] == 0).all()


@pytest.mark.parametrize("digits", [3, 5, 6])
@pytest.mark.parametrize("b", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("m", [1, 3, 4, 50])
def test_sums(b, m, digits):
    rng = np.random.default_rng(b)
    x, first, second = columns(m, 3)
    table, quantum, _ = kernels.byte_digits(x, first, second, digits)
    counts = rng.choice([0, 1, 2, 7, 128, 255], size=(b, 60)).astype(np.uint8)
    cases = rng.permutation(60)[:m]
    found = kernels.byte_sums([(table, quantum)], counts, cases)
    np.testing.assert_allclose(found, kernels.byte_sums.reference([(table, quantum)], counts, cases), rtol=4e-16)
    drawn = counts[:, cases].astype(float)
    np.testing.assert_array_equal(found[0], drawn.sum(axis=1))  # Σ N · 1 is a whole number
    error = np.abs(found - (x[first] * x[second]) @ drawn.T)
    assert (error <= quantum[:, None] / 2 * drawn.sum(axis=1) * (1 + 1e-9)).all()


def test_parts_of_several_digits():
    x, first, second = columns(30, 4)
    parts = [
        kernels.byte_digits(x, first[rows], second[rows], digits)[:2]
        for rows, digits in ((slice(0, 5), 6), (slice(5, 12), 3), (slice(12, None), 5))
    ]
    counts = np.random.default_rng(0).poisson(1, size=(70, 30)).astype(np.uint8)
    found = kernels.byte_sums(parts, counts, np.arange(30))
    one_by_one = [kernels.byte_sums([part], counts, np.arange(30)) for part in parts]
    np.testing.assert_array_equal(found, np.concatenate(one_by_one))
    np.testing.assert_allclose(found, kernels.byte_sums.reference(parts, counts, np.arange(30)), rtol=4e-16)


def test_training_sets_do_not_depend_on_their_neighbours():
    rng = np.random.default_rng(0)
    table, quantum, _ = kernels.byte_digits(*columns(50, 3), 5)
    counts, cases = rng.poisson(1, size=(200, 50)).astype(np.uint8), np.arange(50)
    found = kernels.byte_sums([(table, quantum)], counts, cases)
    for rows in (slice(0, 1), slice(60, 70), slice(150, 200)):
        np.testing.assert_array_equal(found[:, rows], kernels.byte_sums([(table, quantum)], counts[rows], cases))


def test_other_processors_add_whole_numbers(monkeypatch):
    table, quantum, _ = kernels.byte_digits(*columns(20, 2), 5)
    given = [(table, quantum)], np.random.default_rng(0).poisson(1, size=(70, 20)).astype(np.uint8), np.arange(20)
    found = kernels.byte_sums(*given)
    monkeypatch.setattr(fast, "AVAILABLE", False)
    assert not kernels.multiplies_bytes()
    np.testing.assert_array_equal(kernels.byte_sums(*given), found)
