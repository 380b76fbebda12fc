"""Drawing: counts of a bootstrap, ordered or not, all replicates at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat.kernels.compiled import twin

# Rows drawn in one call of the generator. A constant, so that the stream does not depend on memory or B.
ROWS = 256
SOME = 1 << 17  # words asked for at a time: they stay in the cache


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> np.ndarray:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    drawn = rng.integers(0, n, size=(rows, n))
    drawn += np.arange(rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> np.ndarray:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n  (seeds/004, lemma 2).

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the
    number of stars between two bars.
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


class Words:
    """The 32-bit words of a generator, in the order in which NumPy's bounded integers use them up."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._raw = raw_words(rng.bit_generator)
        self._words = np.empty(0, dtype=np.uint32)

    def at_least(self, n: int) -> np.ndarray:
        """The next words, n of them or some more; they stay the next ones until they are used."""
        missing = n - len(self._words)
        if missing > 0:
            fresh = self._raw((missing + 1) // 2).view(np.uint32)  # the lower half of 64 bits first
            self._words = np.concatenate([self._words, fresh]) if len(self._words) else fresh
        return self._words

    def used(self, n: int) -> None:
        self._words = self._words[n:]


def add_bootstrap_counts(words: Words, members: np.ndarray, counts: np.ndarray) -> None:
    """Add to counts (rows, n) what `bootstrap_counts` would draw for each row of these members.

    The draws are those of `rng.integers(0, m, size=(rows, m))`, word by word: Lemire's method (2019, ACM Trans.
    Model. Comput. Simul. 29, 3): the index is the upper half of word · m, and a word is passed over
    where the lower half is below 2³² mod m.
    """
    m = len(members)
    if m == 1:  # NumPy uses no word here
        counts[:, members] += 1
        return
    done = 0
    while done < len(counts) * m:
        some = words.at_least(min(len(counts) * m - done, SOME))
        read, done = count_words(some, members, counts, done)
        words.used(read)


@twin
def raw_words(generator: Any) -> Callable[[int], np.ndarray]:
    """What gives the next words of a generator of 64-bit words: as many as asked for, or some more."""
    return generator.random_raw


@twin
def count_words(words: np.ndarray, members: np.ndarray, counts: np.ndarray, done: int) -> tuple[int, int]:
    """Draws from these words, continuing after `done` draws; how many words were read, and the draws done then."""
    m = len(members)
    product = words.astype(np.uint64) * np.uint64(m)
    passed_over = (product & np.uint64(2**32 - 1)) < np.uint64(2**32 % m)
    good = np.flatnonzero(~passed_over)[: len(counts) * m - done]
    rows = (done + np.arange(len(good))) // m
    np.add.at(counts, (rows, members[(product[good] >> np.uint64(32)).astype(np.intp)]), 1)
    done += len(good)
    return int(good[-1]) + 1 if done == len(counts) * m else len(words), done
