"""Compiled kernels where numba has nowhere to keep them."""

import os
import subprocess
import sys

import pytest

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


COLLECTS = """
import gc, sys
import numpy as np
from numba.core import event
from karat.kernels.compiled import compiled
from karat.kernels.fingerprint import mixed_sum

compiled("fingerprint")  # its listener comes first
seen = []
methods = {"on_start": lambda *_: seen.append(gc.isenabled()), "on_end": lambda *_: None}
event.register("numba:compile", type("Ear", (event.Listener,), methods)())
if sys.argv[1] == "off":
    gc.disable()
mixed_sum(np.arange(5, dtype=np.uint64), 3)
print(any(seen), len(seen) > 0, gc.isenabled())
"""


@pytest.mark.parametrize(("before", "after"), [("on", "True"), ("off", "False")])
def test_no_garbage_is_looked_for_while_a_kernel_is_compiled(tmp_path, before, after):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COLLECTS, before], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", after]
    assert done.stderr.count("compiling kernels") == 1
