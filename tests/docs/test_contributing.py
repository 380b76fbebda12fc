"""The estimator, the metric, the figure and the command that CONTRIBUTING.md shows work, and have the right types."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

import trueness
from trueness.cli.command import COMMANDS, Given
from trueness.errors import UndefinedError
from trueness.estimators import registry

PAGE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"


CODES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def shown(name):
    """The program on the page that has this name in it."""
    (code,) = (code for code in CODES if name in code)
    return code


def test_the_types_of_the_page(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.chdir(PAGE.parent)  # its settings
    paths = [tmp_path / f"shown_{k}.py" for k in range(len(CODES))]
    for path, code in zip(paths, CODES, strict=True):
        path.write_text(code, encoding="utf-8")
    said, wrong, _ = api.run(list(map(str, paths)))
    assert (said, wrong) == (f"Success: no issues found in {len(CODES)} source files\n", "")


def test_the_result_of_the_page(monkeypatch):
    module = ModuleType("trueness.by_site")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(shown("class BySite"), str(PAGE), "exec"), vars(module))
    found = module.BySite({"a": trueness.roc([0, 1, 1, 0], [1, 2, 3, 4]).auc})
    assert found.frame().columns.tolist() == ["site", "value", "se", "low", "high", "n"]
    assert str(trueness.load(found.to_json())) == str(found)
    assert str(found).startswith("A metric at every site.")
    assert found.plot().get_xlabel() == "AUC"


def test_the_command_of_the_page(tmp_path):
    made = {}
    exec(compile(shown("def prevalence("), str(PAGE), "exec"), made)
    command = COMMANDS.pop("prevalence")  # other tests do not see it
    assert {"label", "positive", "level", "report"} <= set(command.options)
    (tmp_path / "a.csv").write_text("y\nsick\nwell\nwell\nwell\nsick\n")
    given = Given(command, {"label": "y", "positive": "sick", "level": 0.9})
    found = command.function(given, str(tmp_path / "a.csv"))
    assert found.prevalence.value == 0.4


def test_the_metric_of_the_page():
    made = {"__name__": "jaccard"}
    exec(compile(shown("Jaccard"), str(PAGE), "exec"), made)
    y, p = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 1, 1, 0, 1, 0])
    fits = trueness.Fits.from_arrays(y, [[0] * 6], None, predictions=[p])
    e = trueness.estimate(fits, made["Jaccard"](), "holdout")
    assert e.value == pytest.approx(jaccard_score(y, p)) == trueness.diagnose(y, p)[made["Jaccard"]()].value
    assert e.ci().low < e.value < e.ci().high


def test_the_estimator_of_the_page(monkeypatch):
    made = {"__name__": "median_star"}
    exec(compile(shown("median_star"), str(PAGE), "exec"), made)
    monkeypatch.setattr(registry, "ESTIMATORS", [*registry.ESTIMATORS, made["median_star"]])
    y = np.repeat([0, 1], 10)
    counts = trueness.Bootstrap(30).draw(y, rng=0).counts
    scores = np.random.default_rng(1).normal(size=counts.shape) + y
    fits = trueness.Fits.from_arrays(y, counts, scores, threshold=0.5)
    e = trueness.estimate(fits, "error", "median_star")
    wrong = (scores > 0.5) != y
    assert e.value == pytest.approx(np.median([np.mean(w[c == 0]) for w, c in zip(wrong, counts, strict=True)]))
    assert [note.code for note in e.notes] == ["no-se-method"]
    nothing = trueness.Fits.from_arrays(y, [[1] * 20], scores[:1], threshold=0.5, plan="bootstrap", stratified=True)
    with pytest.raises(UndefinedError, match="No replicate has a value"):
        trueness.estimate(nothing, "error", "median_star")


def test_every_path_on_the_page_exists():
    """Paths in backquotes, from the root or from src/trueness."""
    root = PAGE.parent
    named = re.findall(r"`([a-z_./]+(?:\.py|\.md|\.toml|/))`", PAGE.read_text(encoding="utf-8"))
    rooms = [
        root,
        root / "src",
        root / "src" / "trueness",
        *(root / "src" / "trueness").iterdir(),
        root / "tests" / "comparisons",
    ]
    assert len(named) > 20
    assert [path for path in named if not any((room / path).exists() for room in rooms)] == []
