"""Names load what they need, and little more."""

import inspect
import subprocess
import sys

import pytest
from size_of_tree import CALLS, modules_after

import trueness
import trueness.comparisons
import trueness.metrics
import trueness.plans
import trueness.result
from trueness.estimators.registry import OF_SETS, declared, kinds_of_files


def test_estimators_are_found_by_the_kinds_that_their_files_name():
    """The registry reads `kinds=` in the files, so that it loads those of one design only."""
    for e in declared():
        file = e.function.__module__.rpartition(".")[2]
        assert file in OF_SETS or e.kinds <= kinds_of_files()[file]


def test_importing_trueness_loads_nothing_else():
    assert modules_after(CALLS["import trueness"]) == ["trueness"]


def test_showing_an_estimate_loads_few_modules():
    assert 5 < len(modules_after(CALLS["showing an Estimate"])) <= 20


def test_few_names_are_at_the_top():
    """Functions and classes; the others are in rooms."""
    assert sum(home != "" for home in trueness._HOME.values()) <= 21


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
    loaded = modules_after("import sys, trueness; hasattr(trueness, 'best_of'); assert 'numpy' not in sys.modules")
    assert {name.count(".") for name in loaded} <= {0, 1, 2}
    assert not {"trueness.sealed", "trueness.studies", "trueness.selection"} & set(loaded)


@pytest.mark.parametrize("room", ["comparisons", "curves", "probabilities", "systems", "tables", "selection"])
def test_completion_finds_public_names_of_a_fresh_room(room):
    code = f"import trueness; print(*dir(trueness.{room})); print(*dir(trueness))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    inside, top = map(str.split, out.splitlines())
    assert set(getattr(trueness, room).__all__) <= set(inside)
    assert {"roc", "assess", "report", "probabilities", room} <= set(top)
    assert "TYPE_CHECKING" not in inside


def test_signatures_name_arrays_in_a_word():
    assert "numpy._typing" not in str(inspect.signature(trueness.roc))
    assert "Labels" in str(inspect.signature(trueness.roc))
