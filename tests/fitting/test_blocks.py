"""Blocks of training sets: each training set and the fit on all cases in one of them, whatever their number."""

import numpy as np
import pytest

import karat
from karat.fitting.batched.run import FEW, ROUND, block_size, blocks


@pytest.mark.parametrize("n_fits", [1, FEW - 1, FEW, ROUND - 1, ROUND, 200, 255, 256, 511, 512, 1000])
@pytest.mark.parametrize("n", [20, 600])
def test_every_fit_is_in_one_block(n_fits, n):
    design = karat.Bootstrap(n_fits).draw(np.arange(n) % 2, rng=0)
    rows, parts = block_size(design), blocks(design)
    assert [f for part in parts for f in part] == list(range(n_fits + 1))
    assert max(len(part) for part in parts) <= rows
    assert rows == FEW if n_fits < FEW else rows % ROUND == 0
    assert len(parts) > 1 or rows <= n_fits + max(FEW, ROUND)  # no more padding than that
