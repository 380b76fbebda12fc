"""Sums in fixed point: the compiled kernels against plain whole numbers, and those against double precision."""

import os
import subprocess
import sys

import numpy as np
import pytest

from karat.kernels import byte_sums as kernels
from karat.kernels.fast import byte_sums as fast


def digits_of(x, first, second, digits):
    """Digits and quanta."""
    quantum = kernels.quanta(kernels.largest_products(x, first, second), digits)
    return kernels.byte_digits(x, first, second, digits, quantum)[0], quantum


def columns(m, p, seed=0):
    rng = np.random.default_rng(seed)
    out = np.ones((1 + p, m))
    out[1:] = rng.normal(size=(p, m)) * np.logspace(-3, 3, p)[:, None]
    return out, *np.triu_indices(1 + p)


@pytest.mark.parametrize("digits", [3, 5, 6])
@pytest.mark.parametrize("m", [1, 4, 30, 43])
def test_digits(m, digits):
    x, first, second = columns(m, 4)
    largest = kernels.largest_products(x, first, second)
    np.testing.assert_array_equal(largest, kernels.largest_products.reference(x, first, second))
    given = x, first, second, digits, kernels.quanta(largest, digits)
    quantum = given[-1]
    table, bias = kernels.byte_digits(*given)
    plain = kernels.byte_digits.reference(*given)
    assert table.shape == (15, digits, -(-m // 4) * 4)
    np.testing.assert_array_equal(table, plain[0])
    assert (np.abs(bias - plain[1]) < 0.01 * quantum).all()
    phi = x[first] * x[second]
    value = np.einsum("kdm,d->km", table[:, :, :m].astype(float), 256.0 ** np.arange(digits)) * quantum[:, None]
    assert (np.abs(value - phi) <= quantum[:, None] / 2).all()
    assert (quantum <= np.abs(phi).max(axis=1) * 2.0 ** (2 - 8 * digits) * 1.02).all()  # no bit is given away


@pytest.mark.parametrize("largest", [127 * (256**5 - 1) // 255, -127 * (256**5 - 1) // 255, 0, 1])
def test_the_ends_of_the_range(largest):
    x = np.ones((2, 3))
    x[1] = largest, 1, -1
    first, second = np.array([0, 0]), np.array([0, 1])
    quantum = kernels.quanta(kernels.largest_products(x, first, second), 5)
    for kernel in (kernels.byte_digits, kernels.byte_digits.reference):
        table, _ = kernel(x, first, second, 5, quantum)
        value = (table[1, :, 0].astype(float) * 256.0 ** np.arange(5)).sum() * quantum[1]
        assert abs(value - largest) <= quantum[1] / 2
        assert (table[:, :, 3] == 0).all()


@pytest.mark.parametrize("digits", [3, 5, 6])
@pytest.mark.parametrize("b", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("m", [1, 3, 4, 50])
def test_sums(b, m, digits):
    rng = np.random.default_rng(b)
    x, first, second = columns(m, 3)
    table, quantum = digits_of(x, first, second, digits)
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
        digits_of(x, first[rows], second[rows], digits)
        for rows, digits in ((slice(0, 5), 6), (slice(5, 12), 3), (slice(12, None), 5))
    ]
    counts = np.random.default_rng(0).poisson(1, size=(70, 30)).astype(np.uint8)
    found = kernels.byte_sums(parts, counts, np.arange(30))
    one_by_one = [kernels.byte_sums([part], counts, np.arange(30)) for part in parts]
    np.testing.assert_array_equal(found, np.concatenate(one_by_one))
    np.testing.assert_allclose(found, kernels.byte_sums.reference(parts, counts, np.arange(30)), rtol=4e-16)


def test_training_sets_do_not_depend_on_their_neighbours():
    rng = np.random.default_rng(0)
    table, quantum = digits_of(*columns(50, 3), 5)
    counts, cases = rng.poisson(1, size=(200, 50)).astype(np.uint8), np.arange(50)
    found = kernels.byte_sums([(table, quantum)], counts, cases)
    for rows in (slice(0, 1), slice(60, 70), slice(150, 200)):
        np.testing.assert_array_equal(found[:, rows], kernels.byte_sums([(table, quantum)], counts[rows], cases))


def test_other_processors_add_whole_numbers(monkeypatch):
    table, quantum = digits_of(*columns(20, 2), 5)
    given = [(table, quantum)], np.random.default_rng(0).poisson(1, size=(70, 20)).astype(np.uint8), np.arange(20)
    found = kernels.byte_sums(*given)
    monkeypatch.setattr(fast, "AVAILABLE", False)
    assert not kernels.multiplies_bytes()
    np.testing.assert_array_equal(kernels.byte_sums(*given), found)


def test_one_column_and_no_case():
    counts = np.random.default_rng(0).poisson(1, size=(70, 20)).astype(np.uint8)
    one = digits_of(np.ones((1, 20)), np.array([0]), np.array([0]), 3)
    np.testing.assert_array_equal(kernels.byte_sums([one], counts, np.arange(20))[0], counts.sum(axis=1))
    nobody = np.zeros((2, 5, 0), np.int8), np.ones(2)
    np.testing.assert_array_equal(kernels.byte_sums([nobody], counts, np.arange(0)), np.zeros((2, 70)))


def test_python_alone_works_too():
    """Without compilation there is no instruction to ask for."""
    program = """
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
import karat
rng = np.random.default_rng(0)
y = np.arange(120) % 2
X = rng.normal(size=(120, 6)) + 0.4 * y[:, None]
from karat.fitting.batched import summands
summands.SMALL = 0
print(karat.fit(LinearDiscriminantAnalysis(), X, y, karat.Bootstrap(65), rng=0).engine)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "batched lda"
