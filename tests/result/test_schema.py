"""The JSON of an assessment follows its published schema."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat
from karat.result.assessment import SCHEMA

FILE = Path(__file__).parents[2] / "docs" / "schema" / "assessment.json"

pytestmark = pytest.mark.filterwarnings("ignore::karat.errors.KaratWarning")


def test_assessments_are_valid_and_others_are_not():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install 'karat[test]'")
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    assert schema["properties"]["schema"]["const"] == SCHEMA
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    X = rng.normal(size=(30, 2)) + y[:, None]
    for plan in (None, karat.Bootstrap(10), karat.Holdout(0.5), "prefit"):
        a = karat.assess(LDA().fit(X, y), X, y, plan, metrics=["error", "auc", "brier"], rng=0)
        check.validate(json.loads(a.to_json()))
        broken = json.loads(a.to_json())
        broken["estimates"][0]["value"] = "high"
        assert not check.is_valid(broken)
        assert not check.is_valid({**json.loads(a.to_json()), "schema": "karat/assessment/2"})
