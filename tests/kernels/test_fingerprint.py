"""The fingerprint: the same compiled or not, and another one for every change."""

import numpy as np
import pytest

from karat.kernels.fingerprint import SEEDS, fingerprint, mixed_sum


def test_compiled_and_plain_are_the_same():
    words = np.random.default_rng(0).integers(0, 2**64, 1000, dtype=np.uint64)
    for seed in SEEDS:
        assert int(mixed_sum(words, np.uint64(seed))) == int(mixed_sum.reference(words, np.uint64(seed)))


def test_every_change_is_seen():
    table = np.random.default_rng(0).integers(0, 3, (40, 30)).astype(np.uint8)
    seen = {fingerprint(table), fingerprint(table[::-1]), fingerprint(table[:, ::-1]), fingerprint(table[:-1])}
    for i, j in ((0, 0), (17, 3), (39, 29)):
        other = table.copy()
        other[i, j] += 1
        seen.add(fingerprint(other))
    swapped = table.copy()
    swapped[0, :8], swapped[0, 8:16] = table[0, 8:16], table[0, :8]  # two whole words change places
    seen.add(fingerprint(swapped))
    assert len(seen) == 8
    assert fingerprint(table) == fingerprint(table.copy())


@pytest.mark.parametrize("start", [0, 1, 8])
@pytest.mark.parametrize("length", [0, 5, 8, 13, 64])
def test_where_the_bytes_lie_does_not_matter(start, length):
    lying = np.random.default_rng(0).integers(0, 256, 100).astype(np.uint8)[start : start + length]
    padded = np.zeros(-(-length // 8) * 8, np.uint8)
    padded[:length] = lying
    words = padded.view(np.uint64)
    expected = np.array([mixed_sum.reference(words, np.uint64(seed)) for seed in SEEDS], dtype=np.uint64)
    assert fingerprint(lying) == expected.tobytes()
