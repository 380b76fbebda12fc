"""Neighbours and their votes by brute force."""

import numpy as np
import pytest

from trueness.kernels import engines as kernels


def brute_votes(counts, order, codes, k, n_classes):
    """(C, b, n): walk along the neighbours of each case, one training set after the other."""
    found = np.zeros((n_classes, len(counts), len(order)), dtype=int)
    for b, row in enumerate(counts):
        for i, near in enumerate(order):
            members = np.repeat(near, row[near])[:k]
            found[:, b, i] = np.bincount(codes[members], minlength=n_classes)
    return found


@pytest.mark.parametrize(("n", "p", "m"), [(5, 1, 5), (40, 2, 12), (300, 7, 30), (900, 3, 40)])
def test_neighbours_are_those_of_all_distances(n, p, m):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 3, p) + 1e4
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    order, squares = kernels.nearest(X, m)
    np.testing.assert_array_equal(order, np.argsort(distance, axis=1)[:, :m])
    np.testing.assert_allclose(squares, np.sort(distance, axis=1)[:, :m], rtol=1e-6)


def test_chunks_change_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(100, 3))
    whole = kernels.nearest(X, 9)
    monkeypatch.setattr(kernels, "CHUNK", 700)
    for part, all_at_once in zip(kernels.nearest(X, 9), whole, strict=True):
        np.testing.assert_array_equal(part, all_at_once)


@pytest.mark.parametrize(("n", "b", "k", "classes"), [(30, 7, 3, 2), (150, 70, 5, 3), (90, 33, 1, 2), (70, 3, 300, 2)])
def test_votes(n, b, k, classes):
    rng = np.random.default_rng(n)
    order, _ = kernels.nearest(rng.normal(size=(n, 2)), n)
    codes, counts = rng.integers(0, classes, n), rng.poisson(1.0, (b, n)) * (9 if k > 255 else 1)
    drawn = np.ascontiguousarray(np.minimum(counts, k).T.astype(np.int16))
    found, enough = kernels.votes(drawn, order, codes, np.ones(n, np.int16), k, classes)
    assert enough.all()
    np.testing.assert_array_equal(found, brute_votes(counts, order, codes, k, classes))


def test_too_few_neighbours_are_reported():
    order, _ = kernels.nearest(np.random.default_rng(0).normal(size=(20, 2)), 5)
    counts = np.ones((3, 20), np.int16)
    counts[1, :12] = 0
    assert kernels.votes(np.ascontiguousarray(counts.T), order, np.arange(20) % 2, np.ones(20, np.int16), 5, 2)[
        1
    ].tolist() == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("k", [1, 4])
def test_votes_by_distances_of_every_training_set(k):
    rng = np.random.default_rng(k)
    n, b = 40, 12
    away, counts, codes = rng.random((b, n)), rng.poisson(1.0, (b, n)), rng.integers(0, 3, n)
    near, found = np.arange(n), np.zeros((3, b), np.int16)
    drawn = np.ascontiguousarray(np.minimum(counts, k).T.astype(np.int16))
    sure = kernels.votes_by_distance(
        away, np.full(b, np.inf), drawn, near, codes, np.ones(len(codes), np.int16), k, 1e-9, found
    )
    assert sure.all()
    for r in range(b):
        expected = brute_votes(counts[r : r + 1], np.argsort(away[r])[None], codes, k, 3)[:, 0, 0]
        assert found[:, r].tolist() == expected.tolist()


def test_what_cannot_be_decided():
    away = np.array([[0.1, 0.2, 0.2], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    counts = np.ones((3, 4), np.int16)
    counts[:2, 3] = 0  # one member only
    beyond = np.array([1.0, 1.0, 0.15, 1.0])
    found = np.zeros((1, 4), np.int16)
    codes = np.zeros(3, dtype=int)
    sure = kernels.votes_by_distance(
        away, beyond, counts, np.arange(3), codes, np.ones(len(codes), np.int16), 2, 1e-9, found
    )
    assert sure.tolist() == [False, True, False, False]
