"""Counted draws are those of NumPy's own bounded integers, compiled or not."""

import numpy as np
import pytest

from karat.kernels import draws


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "sizes", [(1,), (2, 3), (7, 1, 200), (1000,), (100_000,)]
)  # of the last, some words are passed over
def test_the_stream_is_that_of_bounded_integers(sizes, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr("karat.kernels.compiled.compiled", lambda home: None)
    order = np.random.default_rng(1).permutation(sum(sizes))
    strata = np.split(order, np.cumsum(sizes)[:-1])
    words, rng = draws.Words(np.random.default_rng(3)), np.random.default_rng(3)
    for rows in (5, 4):  # two blocks: the words go on where they stopped
        counts, expected = np.zeros((rows, len(order)), np.uint8), np.empty((rows, len(order)), int)
        for stratum in strata:
            draws.add_bootstrap_counts(words, stratum, counts)
            expected[:, stratum] = draws.bootstrap_counts(rng, len(stratum), rows)
        np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64])
def test_raw_words_are_those_of_the_generator(kind):
    for seed in (0, 2**70 + 1):
        raw, generator = draws.raw_words(kind(seed)), kind(seed)
        for asked in (1, 511, 512, 513, 5000, 3):
            words = raw(asked)
            assert len(words) >= asked
            np.testing.assert_array_equal(words, generator.random_raw(len(words)))


@pytest.mark.parametrize("count", [draws.count_words, draws.count_words.reference])
def test_words_that_would_bias_are_passed_over(count):
    """Six does not divide 2³²: four words of all must not count."""
    m = 6
    bad = np.uint32(0)  # product 0: lower half 0 is below 2³² mod 6 = 4
    words = np.array([bad, 2**31 + 1, bad, 2**32 - 1, 5, bad], dtype=np.uint32)
    counts = np.zeros((1, m), np.uint8)
    read, done = count(words, np.arange(m), counts, 0)
    assert (read, done) == (6, 3)
    assert counts.tolist() == [[1, 0, 0, 1, 0, 1]]
    read, done = count(words, np.arange(m), counts, done)
    assert (read, done) == (5, 6)  # the last word stays for the next row


def test_a_longer_bootstrap_begins_with_the_shorter_one():
    import karat

    y = np.arange(30) % 2
    long, short = (karat.Bootstrap(b).draw(y, rng=9).counts for b in (700, 130))
    np.testing.assert_array_equal(long[:130], short)
    assert (long[:, y == 1].sum(axis=1) == 15).all()
