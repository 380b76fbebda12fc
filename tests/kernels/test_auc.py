"""The compiled kernels of AUC and ROC against their slow versions: ties, −0.0, infinities, empty classes."""

import numpy as np
import pytest
import slow_kernels as slow

from trueness.formulas.auc import delong_influence
from trueness.formulas.roc import curve_rows
from trueness.kernels import auc as kernels
from trueness.kernels.auc import curve_counts, curve_points

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: np.round(rng.normal(size=n), 1),
    "two values": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "constant": lambda rng, n: np.full(n, 0.3),
    "both zeros": lambda rng, n: np.where(rng.random(n) < 0.5, -0.0, 0.0),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 5,
    "one outlier": lambda rng, n: np.where(np.arange(n) == 0, 1e300, rng.normal(size=n)),
    "one far below": lambda rng, n: np.where(np.arange(n) == 0, -1e17, rng.normal(size=n)),
    "lowest of all": lambda rng, n: np.where(np.arange(n) < n // 3, -1.7e308, rng.normal(size=n)),
    "infinities": lambda rng, n: rng.choice([-np.inf, 0.0, 1.0, np.inf], n, p=[0.1, 0.1, 0.4, 0.4]),
    "near one": lambda rng, n: 1 - np.exp(-30 * rng.random(n)),
    "huge": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "tiny": lambda rng, n: rng.integers(0, 50, n) * 5e-324,
    "one unit in the last place": lambda rng, n: 1 + rng.integers(0, 9, n) * 2.0**-52,
}


@pytest.fixture(params=SHAPES)
def scores(request):
    return lambda seed, *shape: SHAPES[request.param](np.random.default_rng(seed), int(np.prod(shape))).reshape(shape)


def classes(seed, n):
    positive = np.random.default_rng(seed).random(n) < 0.4
    positive[:2] = False, True
    return positive


@pytest.mark.parametrize("n", [2, 3, 37, 800])
def test_rows_are_those_of_the_slow_version(scores, n):
    table, positive = scores(n, 5, n), classes(n, n)
    found = [kernels.auc(row[positive], row[~positive]) for row in table]
    assert found == slow.auc_rows(table, positive).tolist()


@pytest.mark.parametrize("n", [2, 37, 800])
@pytest.mark.parametrize("kind", ["left out", "counts", "everyone", "large counts", "fractions"])
def test_weighted_rows_are_those_of_the_slow_version(scores, n, kind):
    rng = np.random.default_rng(n)
    table, positive = scores(n, 6, n), classes(n, n)
    weights = {
        "left out": (rng.random((6, n)) < 0.37).astype(float),
        "counts": rng.poisson(1, (6, n)).astype(float),
        "everyone": np.ones((6, n)),
        "large counts": rng.integers(0, 1000, (6, n)).astype(float),
        "fractions": rng.random((6, n)),
    }[kind]
    weights[0, positive] = 0  # a class that is in the training set as a whole
    found = kernels.weighted_auc_rows(table, positive, weights)
    expected = slow.weighted_auc_rows(table, positive, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)
    assert np.isnan(found[0])


def test_infinite_scores_are_compared_as_numbers():
    up, down = np.array([np.inf, 1.0, -np.inf, np.inf]), np.array([-np.inf, np.inf, 0.5, 2.0])
    assert kernels.auc(up, down) == slow.auc(up, down)
    assert (kernels.placements(up, down) == slow.placements(up, down)).all()
    nothing_finite = np.array([np.inf, -np.inf, np.inf])
    assert kernels.auc(up, nothing_finite) == slow.auc(up, nothing_finite)


def test_minus_zero_is_zero():
    assert kernels.auc(np.array([-0.0]), np.array([0.0])) == 0.5


@pytest.mark.parametrize("n", [1, 40, 900])
def test_placements_are_those_of_the_slow_version(scores, n):
    values, reference = scores(1, n), scores(2, n + 3)
    np.testing.assert_array_equal(kernels.placements(values, reference), slow.placements(values, reference))


def test_large_arrays(scores):
    up, down = scores(3, 70_000), scores(4, 90_000)
    assert kernels.auc(up, down) == slow.auc(up, down)


@pytest.mark.parametrize("n", [3, 50, 700, 150_000])
def test_delong_is_that_of_the_slow_version(scores, n):
    row, positive = scores(n, n), classes(n, n)
    value, g = delong_influence(row, positive)
    expected, h = slow.delong_influence(row, positive)
    assert value == pytest.approx(expected, abs=1e-14)
    np.testing.assert_allclose(g, h, atol=1e-15)


def test_delong_of_infinite_scores_and_of_one_case_of_a_class():
    row = np.array([np.inf, 1.0, -np.inf, np.inf, 2.0, -np.inf, 1.0])
    for positive in (np.arange(7) % 2 == 0, np.arange(7) == 3):
        value, g = delong_influence(row, positive)
        expected, h = slow.delong_influence(row, positive)
        assert value == expected
        np.testing.assert_allclose(g, h, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_arrays_of_any_layout_and_type_are_read(dtype):
    rng = np.random.default_rng(0)
    table, positive = np.asfortranarray(rng.normal(size=(4, 30)).astype(np.float32)), classes(0, 30)
    counts = rng.poisson(1, (4, 30)).astype(dtype)
    for some in (slice(None), slice(None, None, 2)):
        found = kernels.weighted_auc_rows(table[:, some], positive[some], counts[:, some])
        np.testing.assert_allclose(found, slow.weighted_auc_rows(table[:, some], positive[some], counts[:, some]))


@pytest.mark.parametrize("n", [2, 3, 60, 900, 40_000])
def test_the_counts_of_a_curve_are_those_of_the_slow_version(scores, n):
    row, positive = scores(n, n), classes(n, n)
    for found, points, expected, first in zip(
        curve_counts(row, positive),
        curve_points(row, positive),
        slow.curve_counts(row, positive),
        (np.inf, 0, 0),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(points, np.append(first, expected))


def test_the_counts_of_a_curve_of_infinite_scores():
    row = np.array([np.inf, 1.0, -np.inf, np.inf, 2.0, -np.inf, 1.0])
    positive = np.array([True, False, True, False, True, False, True])
    values, tp, fp = curve_counts(row, positive)
    assert values.tolist() == [np.inf, 2.0, 1.0, -np.inf]
    assert tp.tolist() == [1, 2, 3, 4]
    assert fp.tolist() == [1, 1, 2, 3]


def test_infinite_scores_are_ties_of_each_other():
    rng = np.random.default_rng(0)
    scores, positive = rng.normal(size=60), np.arange(60) % 2 == 1
    counts = rng.poisson(1.0, size=(20, 60)).astype(np.uint8)
    for limit in (np.inf, -np.inf):
        infinite = np.where(scores > 0.3, limit, scores) if limit > 0 else np.where(scores < -0.3, limit, scores)
        finite = np.clip(infinite, -99, 99)  # the same order
        rows = (np.tile(s, (20, 1)) for s in (infinite, finite))
        found, expected = (kernels.weighted_auc_rows(s, positive, counts) for s in rows)
        np.testing.assert_array_equal(found, expected)
        for a, b in zip(curve_rows(infinite, positive, counts), curve_rows(finite, positive, counts), strict=True):
            np.testing.assert_array_equal(a, b)
