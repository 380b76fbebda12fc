"""Sums over pairs in vectors: the same bits on a machine without the instructions of this one."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib
import numpy as np
from karat.kernels import pairs
from karat.kernels.fast import pair_margins

pair_margins.NARROW_FROM = 0  # as large tables
rng = np.random.default_rng(0)
scores, out = rng.normal(size=(500, 700)).round(2), rng.random((500, 700)) < 0.4
positive = np.arange(700) % 3 == 0
orders = pairs.order_pairs(scores, out, positive)
won, times = pairs.psi_sums_of(orders), pairs.left_out_together(out, positive)
found = *pairs.sweep_of(orders, won, times), *pairs.margins_of(orders, won, times, 0)
print(hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in found)).hexdigest())
"""


def bits(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_the_same_bits_without_wide_vectors(tmp_path):
    plain = bits(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", NUMBA_CACHE_DIR=str(tmp_path))
    assert len(plain.strip()) == 64
    assert plain == bits()
