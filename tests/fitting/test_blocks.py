"""Blocks of training sets: each training set is in one of them, whatever their number."""

import numpy as np
import pytest

import trueness
from trueness.fitting.engines.run import blocks


@pytest.mark.parametrize("n_fits", [1, 63, 64, 511, 512, 513, 1300])
@pytest.mark.parametrize("n", [20, 600, 20_000])
def test_every_fit_is_in_one_block(n_fits, n):
    design = trueness.Bootstrap(n_fits).draw(np.arange(n) % 2, rng=0) if n < 1000 or n_fits < 100 else None
    if design is not None:
        assert [f for part in blocks(design) for f in part] == list(range(n_fits))
