"""Names load what they need, and little more."""

import subprocess
import sys

import pytest

import trueness
import trueness.comparisons
import trueness.metrics
import trueness.plans
import trueness.result
from trueness.estimators.registry import OF_SETS, declared, kinds_of_files

CALL = """
import sys
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
import trueness

rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
X = rng.normal(size=(40, 2)) + y[:, None]
trueness.{call}
print(*(name for name in sys.modules if name.split(".")[0] == "trueness"))
"""


def modules_after_call(call):
    return modules_after(CALL.format(call=call))


def counted(loaded):
    """Modules, without the files of estimators and leak checks, of which there may be any number."""
    own = {f"trueness.estimators.{file}" for file in kinds_of_files()} | {n for n in loaded if ".leaks." in n}
    return len(set(loaded) - own)


def modules_after(program):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_assess_loads_few_modules():
    """Estimators and metrics that were not asked for are not loaded, nor are other rooms."""
    loaded = modules_after_call("assess(LDA(), X, y, rng=0)")
    assert 30 < counted(loaded) <= 68
    others = (
        "estimators.holdout",
        "metrics.probabilities",
        "fitting.engines.knn",
        "curves",
        "comparisons",
        "figures.svg",
        "report",
    )
    assert not {f"trueness.{name}" for name in others} & set(loaded)


def test_compare_loads_only_the_tests_it_uses():
    loaded = modules_after_call("compare([LDA(), GaussianNB()], X, y, rng=0)")
    assert 30 < counted(loaded) <= 77
    used = {"registry"}
    assert {name.rsplit(".", 1)[1] for name in loaded if name.startswith("trueness.comparisons.")} == used


def test_estimators_are_found_by_the_kinds_that_their_files_name():
    """The registry reads `kinds=` in the files, so that it loads those of one design only."""
    for e in declared():
        file = e.function.__module__.rpartition(".")[2]
        assert file in OF_SETS or e.kinds <= kinds_of_files()[file]


def test_importing_trueness_loads_nothing_else():
    assert modules_after("import sys, trueness; print(*(n for n in sys.modules if n.startswith('trueness')))") == [
        "trueness"
    ]


@pytest.mark.parametrize("package", [trueness, trueness.comparisons, trueness.metrics, trueness.plans, trueness.result])
def test_every_public_name_loads_and_an_unknown_one_is_an_attribute_error(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nonsense'"):
        package.nonsense


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("best_of", "Use trueness.selection.best_of"),
        ("mcnemar", "Use trueness.comparisons.mcnemar"),
        ("compare_systems", "Use trueness.systems.compare"),
        ("hygiene", "Use trueness.check, trueness.selection and trueness.sealed"),
        ("seal", "Use trueness.sealed.seal"),
        ("LeaveOneOut", "Use trueness.plans.LeaveOneOut"),
        ("AUC", "Use trueness.metrics.AUC"),
        ("bias_variance", "Use trueness.studies.bias_variance"),
        ("read_model", "Use trueness.files.read_model"),
        ("checklist", "Use trueness.report.checklist"),
        ("asess", "Did you mean trueness.assess?"),
        ("proportion_intervall", "Did you mean trueness.tables.proportion_interval?"),
    ],
)
def test_a_name_that_is_not_at_the_top_says_where_it_is(name, where):
    with pytest.raises(AttributeError) as error:
        getattr(trueness, name)
    assert str(error.value) == f"module 'trueness' has no attribute {name!r}. {where}"


def test_looking_for_a_name_loads_no_room():
    ask = "import sys, trueness; hasattr(trueness, 'best_of'); print(*(n for n in sys.modules if 'trueness' in n))"
    loaded = modules_after(ask)
    assert {name.count(".") for name in loaded} <= {0, 1, 2}
    assert not {"trueness.sealed", "trueness.studies", "trueness.selection", "numpy"} & set(loaded)
