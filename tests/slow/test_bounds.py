"""No compiled kernel reads or writes outside its arrays: their tests once more, with every index checked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
KERNELS = Path(__file__).parents[1] / "kernels"

BEYOND = """
import numpy as np
from numba import njit
try:
    njit(lambda a, i: a[i])(np.zeros(3), 3)
except IndexError:
    print("checked")
"""


def test_every_index_is_inside(tmp_path):
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    sure = subprocess.run([sys.executable, "-c", BEYOND], env=env, capture_output=True, text=True, check=True)
    assert sure.stdout.strip() == "checked"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(KERNELS)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=KERNELS.parents[1])
    assert done.returncode == 0, done.stdout[-3000:]
