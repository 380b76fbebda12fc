"""The package as it is imported: its public names, and without its source."""

import compileall
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trueness


@pytest.mark.parametrize("package", [trueness, trueness.comparisons, trueness.metrics, trueness.plans, trueness.result])
def test_every_public_name_loads_and_an_unknown_one_is_an_attribute_error(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nonsense'"):
        package.nonsense


def test_assessments_and_comparisons_are_found_among_results():
    assert trueness.result.Assessment is trueness.api.Assessment
    assert trueness.result.Comparison is trueness.api.Comparison


def test_a_copy_without_source_runs_the_demo(tmp_path):
    """Nothing is found by reading files of Python."""
    copy = tmp_path / "trueness"
    shutil.copytree(Path(trueness.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    (tmp_path / "here").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "trueness", "demo"],
        cwd=tmp_path / "here",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "AUC" in done.stdout


def test_signatures_name_arrays_in_a_word():
    assert "numpy._typing" not in str(inspect.signature(trueness.roc))
    assert "Labels" in str(inspect.signature(trueness.roc))
