"""Names load what they need, and little more."""

import subprocess
import sys
from pathlib import Path

import pytest

import trueness
import trueness.metrics
import trueness.plans
import trueness.result
from trueness.estimators.registry import FILES

ASSESS = """
import sys
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
import trueness

rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
trueness.assess(LinearDiscriminantAnalysis(), rng.normal(size=(40, 2)) + y[:, None], y, rng=0)
print(*(name for name in sys.modules if name.split(".")[0] == "trueness"))
"""


def modules_after(program):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_assess_loads_few_modules():
    """Estimators and metrics that were not asked for are not loaded, nor are other rooms."""
    loaded = modules_after(ASSESS)
    assert 30 < len(loaded) <= 80
    others = ("estimators.holdout", "metrics.probabilities", "fitting.engines.knn", "curves", "comparisons", "plots")
    assert not {f"trueness.{name}" for name in others} & set(loaded)


def test_the_tables_list_every_estimator_and_every_metric():
    folder = Path(trueness.__file__).parent / "estimators"
    declaring = {path.stem for path in folder.glob("*.py") if "\n@estimator(" in path.read_text(encoding="utf-8")}
    assert {file for files in FILES.values() for file in files} == declaring
    for name, of_class in trueness.metrics.CLASSES.items():
        assert getattr(trueness.metrics, of_class).name == name


def test_importing_trueness_loads_nothing_else():
    assert modules_after("import sys, trueness; print(*(n for n in sys.modules if n.startswith('trueness')))") == [
        "trueness"
    ]


@pytest.mark.parametrize("package", [trueness, trueness.metrics, trueness.plans, trueness.result])
def test_every_public_name_loads_and_an_unknown_one_is_an_attribute_error(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nonsense'"):
        package.nonsense
