"""Compiled kernels where numba has nowhere to keep them."""

import os
import subprocess
import sys

CODE = """
import numpy as np
from karat.kernels.fingerprint import mixed_sum
words = np.arange(5, dtype=np.uint64)
assert mixed_sum(words, 3) == mixed_sum.reference(words, 3)
from numba import config
print(config.CACHE_DIR)
"""


def test_without_a_folder_of_its_own_a_temporary_one_is_taken(tmp_path):
    # this locator finds a folder only where one is named: as for a user without a home
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    env |= {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip().startswith(str(tmp_path))
    assert "cannot be kept" in done.stderr
