"""Compiled kernels where numba has nowhere to keep them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import karat

CODE = """
import numpy as np
from karat.kernels.fingerprint import mixed_sum
words = np.arange(5, dtype=np.uint64)
assert mixed_sum(words, 3) == mixed_sum.reference(words, 3)
from numba import config
print(config.CACHE_DIR)
"""


def test_without_a_folder_of_its_own_a_temporary_one_is_taken(tmp_path):
    # nothing can be written in the folder named, and no other one is looked for: as for a user without a home
    nowhere = {"NUMBA_CACHE_DIR": os.devnull, "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    env = {**os.environ, **nowhere, "TMPDIR": str(tmp_path)}
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


OTHER_FILE = """
import numpy as np
from karat.kernels import auc, roc
x = np.random.default_rng(0).normal(size=20)
roc.curve_counts(x, x > 0.5)
from numba import config
print(repr(config.CACHE_DIR))
"""


def test_a_change_of_a_kernel_reaches_the_kernels_of_other_files_that_call_it(tmp_path):
    """roc.py calls functions of auc.py: with auc.py changed, nothing compiled of roc.py may be used again."""
    shutil.copytree(Path(karat.__file__).parent, tmp_path / "karat", ignore=shutil.ignore_patterns("__pycache__"))
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def compiles():
        done = subprocess.run([sys.executable, "-c", OTHER_FILE], env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == repr(str(tmp_path / "cache"))  # the user's own kernels go where they did
        return "compiling" in done.stderr

    assert [compiles(), compiles()] == [True, False]
    with open(tmp_path / "karat/kernels/fast/auc.py", "a") as file:
        file.write("# changed\n")
    assert compiles()


THREADS = """
import threading
import numpy as np
from numba import config
from karat.kernels.auc import auc_rows
from karat.kernels.fingerprint import mixed_sum
x, words = np.random.default_rng(0).normal(size=(2, 20)), np.arange(5, dtype=np.uint64)
calls = [lambda: auc_rows(x, x[0] > 0), lambda: mixed_sum(words, 3)] * 4
threads = [threading.Thread(target=call) for call in calls]
[t.start() for t in threads]
[t.join() for t in threads]
print(config.CACHE_DIR)
"""


def test_threads_that_call_their_first_kernel_at_once_leave_the_folder_as_it_was(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", THREADS], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.glob("kernels-*/kernels-*"))
