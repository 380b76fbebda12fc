"""What a release says of itself: one list of dependencies, in all files that name them."""

import re
import tomllib
from pathlib import Path

import trueness
from trueness.report.methods import entries

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", each).groups() for each in PROJECT["dependencies"])


def test_the_recipe_needs_what_the_project_needs():
    recipe = (ROOT / "packaging" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("test:\n")[0]
    assert dict(re.findall(r"- ([\w-]+) >=([\d.]+)", run)) == {**NEEDED, "python": PROJECT["requires-python"][2:]}
    assert trueness.__version__.startswith(re.search(r'version = "([\d.]+)"', recipe)[1])


def test_citations_name_this_version():
    entry = entries()["trueness"]
    assert f"version = {{{trueness.__version__}}}" in entry
    assert entry in (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    assert f"\nversion: {trueness.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_lowest_versions_are_those_that_the_project_allows():
    pinned = dict(
        re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "constraints-lowest.txt").read_text("utf-8"), re.MULTILINE)
    )
    for name, lowest in NEEDED.items():
        parts = lowest.split(".")
        assert pinned[name].split(".")[: len(parts)] == parts, name


def test_workflows_try_every_python_that_the_project_names():
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert re.findall(r'"(3\.\d+)"', workflow.partition("python: [")[2].partition("]")[0]) == named


def test_types_are_shipped():
    assert (Path(trueness.__file__).parent / "py.typed").exists()
    assert "Typing :: Typed" in PROJECT["classifiers"]
