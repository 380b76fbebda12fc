"""Neighbours and votes: compiled, plain, and by brute force."""

import numpy as np
import pytest

from karat.kernels import neighbours as kernels


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("n", "p", "m"), [(5, 1, 5), (40, 2, 12), (300, 7, 30), (900, 3, 40)])
def test_neighbours_are_those_of_all_distances(n, p, m, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr("karat.kernels.compiled.compiled", lambda home: None)
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 3, p) + 1e4
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(kernels.nearest(X, m), np.argsort(distance, axis=1)[:, :m])


def test_clusters_that_single_precision_cannot_tell_apart():
    """A thousand times closer together than the clusters are apart: the candidates grow until they are certain."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * 1e-5 + np.repeat([[0.0, 0.0], [1.0, 1.0]], 100, axis=0)
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(kernels.nearest(X, 10), np.argsort(distance, axis=1)[:, :10])


@pytest.mark.parametrize("compiled", [True, False])
def test_equal_distances_are_refused(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr("karat.kernels.compiled.compiled", lambda home: None)
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert kernels.nearest(X, 10) is not None
    assert kernels.nearest(np.vstack([X, X[:1]]), 10) is None
    assert kernels.nearest(np.arange(30.0)[:, None], 10) is None


@pytest.mark.parametrize(("n", "b", "k", "classes"), [(30, 7, 3, 2), (150, 70, 5, 3), (90, 33, 1, 2), (70, 3, 300, 2)])
def test_votes(n, b, k, classes):
    rng = np.random.default_rng(n)
    order = kernels.nearest(rng.normal(size=(n, 2)), n)
    codes, counts = rng.integers(0, classes, n), rng.poisson(1.0, (b, n)).astype(np.uint8)
    if k > 255:
        counts *= 9
    found, enough = kernels.votes(counts, order, codes, k, classes)
    expected = kernels.votes.reference(counts, order, codes, k, classes)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(enough, expected[1])
    for r in range(b):
        for i in range(0, n, 11):
            members = np.repeat(order[i], counts[r, order[i]])[:k]
            np.testing.assert_array_equal(found[:, r, i], np.bincount(codes[members], minlength=classes))


def test_too_few_neighbours_are_said():
    order, codes = kernels.nearest(np.random.default_rng(0).normal(size=(20, 2)), 5), np.arange(20) % 2
    counts = np.ones((3, 20), np.uint8)
    counts[1, :12] = 0
    for kernel in (kernels.votes, kernels.votes.reference):
        assert kernel(counts, order, codes, 5, 2)[1].tolist() == [True, False, True]
