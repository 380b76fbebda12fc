"""Votes of neighbours: the compiled twin against NumPy, and both against a plain count."""

import numpy as np
import pytest

from karat.kernels.neighbours import nearest, votes


@pytest.mark.parametrize("k", [1, 3, 8])
def test_votes(k):
    rng = np.random.default_rng(k)
    X, codes = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    order = nearest(X, 30)
    counts = rng.integers(0, 4, size=(6, 30)).astype(np.uint8)
    for function in (votes, votes.reference):
        found, enough = function(counts, order, codes, k, 3)
        assert enough.all()
        for b in range(6):
            for i in range(30):
                rows = np.repeat(np.arange(30), counts[b])
                by = rows[np.argsort(((X[rows] - X[i]) ** 2).sum(axis=1), kind="stable")][:k]
                assert found[:, b, i].tolist() == np.bincount(codes[by], minlength=3).tolist()


def test_too_few_neighbours_are_told():
    order = nearest(np.random.default_rng(0).normal(size=(10, 2)), 4)
    counts = np.ones((2, 10), dtype=np.uint8)
    counts[1, order[3]] = 0
    for function in (votes, votes.reference):
        assert function(counts, order, np.zeros(10, dtype=int), 3, 1)[1].tolist() == [True, False]


def test_equal_distances_are_refused():
    assert nearest(np.array([[0.0], [1.0], [-1.0], [5.0]]), 3) is None
