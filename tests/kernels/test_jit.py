"""Compiled kernels where numba cannot keep them, and those of one file only."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import trueness

KERNELS = Path(trueness.__file__).parent / "kernels"
CODE = """
import numpy as np
from trueness.kernels.auc import auc
assert auc(np.array([1.0, 2.0]), np.array([0.0, 1.0])) == 0.875
"""


def test_without_a_folder_to_write_to_kernels_are_compiled_in_every_process():
    """As in a read-only install for a user without a home."""
    nowhere = {"NUMBA_CACHE_DIR": os.devnull, "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    subprocess.run([sys.executable, "-c", CODE], env={**os.environ, **nowhere}, check=True)


def test_compiled_functions_call_those_of_their_own_file_only():
    """numba does not notice that another file has changed, and would go on with what it compiled before."""
    for path in KERNELS.glob("*.py"):
        imports = [
            node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
        ]
        assert not [name for name in imports if name.startswith("trueness.kernels.")], path.name
