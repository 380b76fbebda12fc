"""The JSON of results follows the published schemas."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness

FOLDER = Path(__file__).parents[2] / "docs" / "schema"

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 15)
X = rng.normal(size=(30, 2)) + y[:, None]
MODELS = {"a": LDA(), "b": GaussianNB(), "c": LDA()}


def assessments():
    for plan in (None, trueness.Bootstrap(10), trueness.Holdout(0.5), "prefit"):
        yield trueness.assess(LDA().fit(X, y), X, y, plan, metrics=["error", "auc", "brier"], rng=0)
    yield trueness.assess(LDA(), X, np.arange(30) % 3, trueness.KFold(5), metrics="error", rng=0)


def comparisons():
    for plan in (None, trueness.KFold(3)):
        yield trueness.compare(MODELS, X, y, "error", plan=plan, rng=0)


def systems():
    answers = pd.DataFrame({"id": range(30), **{name: rng.integers(0, 2, 30) for name in "abc"}})
    yield trueness.systems.compare(answers, item="id", systems=["a", "b", "c"])


def readers():
    rows = [(m, j, i, y[i], X[i, 0] + rng.normal()) for m in "abc" for j in range(3) for i in range(30)]
    frame = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])
    yield trueness.readers(frame, modality="modality", model=dict(enumerate(X[:, 1])))
    yield trueness.readers(frame[frame.modality == "a"], method="u")


def two_sets():
    yield trueness.two_sets(LDA(), X[::2], y[::2], X[1::2], y[1::2], plan=trueness.Bootstrap(15), rng=0)


def curves():
    yield trueness.roc(y, X[:, 0])
    yield trueness.roc(y, X[:, 0], method="binormal")


RESULTS = {
    "assessment": (assessments, "level"),
    "comparison": (comparisons, "pairs"),
    "readers": (readers, "means"),
    "systems": (systems, "pair_level"),
    "two-sets": (two_sets, "fixed"),
    "roc": (curves, "auc"),
}


def test_every_schema_has_results():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_valid_and_others_are_not(name):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install 'trueness[test]'")
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    make, field = RESULTS[name]
    for result in make():
        written = json.loads(result.to_json())
        check.validate(written)
        assert not check.is_valid({**written, field: "high"})
        assert not check.is_valid({**written, "schema": f"trueness/{name}/2"})
        assert not check.is_valid({k: v for k, v in written.items() if k != field})
