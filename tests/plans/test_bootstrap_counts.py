"""Counts of bootstrap training sets."""

import numpy as np
import pytest

import trueness
from trueness.plans import bootstrap


@pytest.mark.parametrize("n", [1, 3, 1000, 100_000])
def test_counts_are_those_of_bounded_integers(n, monkeypatch):
    """However many draws are held at a time."""
    found = bootstrap.bootstrap_counts(np.random.default_rng(3), n, 7)
    drawn = np.random.default_rng(3).integers(0, n, size=(7, n))
    np.testing.assert_array_equal(found, [np.bincount(row, minlength=n) for row in drawn])
    monkeypatch.setattr(bootstrap, "DRAWS_HELD", 2 * n)
    np.testing.assert_array_equal(bootstrap.bootstrap_counts(np.random.default_rng(3), n, 7), found)


STORED = [
    [1, 0, 0, 0, 4, 2, 0],
    [1, 2, 1, 1, 0, 1, 1],
    [1, 0, 0, 0, 1, 2, 3],
    [1, 0, 1, 0, 1, 2, 2],
    [2, 0, 0, 0, 2, 1, 2],
]


def test_a_stored_design_is_drawn_again():
    """A seed gives the same training sets in every version."""
    y = np.array([0, 1, 1, 0, 1, 0, 1])
    counts = trueness.Bootstrap(300).draw(y, rng=1).counts
    assert counts[[0, 1, 255, 256, 299]].tolist() == STORED


def test_a_longer_bootstrap_begins_with_the_shorter_one():
    y = np.arange(30) % 2
    long, short = (trueness.Bootstrap(b).draw(y, rng=9).counts for b in (700, 130))
    np.testing.assert_array_equal(long[:130], short)
    assert (long[:, y == 1].sum(axis=1) == 15).all()
