"""Classifiers from ONNX files: the answers of the model that was exported, and trueness's own errors for anything else."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import trueness
from trueness.cli.main import run
from trueness.errors import InputError
from trueness.result.json import decoded

pytest.importorskip("onnxruntime", reason="onnxruntime is an extra: pip install onnx onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is needed by tests alone")


def cases(labels=("sick", "well")):
    rng = np.random.default_rng(0)
    codes = np.arange(90) % len(labels)
    X = rng.normal(size=(90, 3)).astype(np.float32) + codes[:, None].astype(np.float32)
    return X, np.array(labels)[codes]


def saved(model, X, path, **options):
    path.write_bytes(skl2onnx.to_onnx(model, X[:1], options=options or None).SerializeToString())
    return path


@pytest.mark.parametrize("labels", [("sick", "well"), (0, 1), (3, 7), ("a", "b", "c")])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), make_pipeline(StandardScaler(), GaussianNB())], ids=["logistic", "bayes"]
)
def test_a_classifier_answers_as_the_one_that_was_exported(tmp_path, model, labels):
    X, y = cases(labels)
    model.fit(X[:45], y[:45])
    read = trueness.files.read_model(saved(model, X, tmp_path / "m.onnx"))
    assert read.classes_.tolist() == list(labels)
    assert read.predict(X).tolist() == model.predict(X).tolist()
    assert np.allclose(read.predict_proba(X), model.predict_proba(X), atol=1e-5)  # ONNX computes in float32
    positive = labels[0] if len(labels) == 2 else None
    a, b = (trueness.assess(m, X[45:], y[45:], plan="prefit", positive=positive) for m in (model, read))
    assert a["error"].value == b["error"].value
    assert a["auc"].value == pytest.approx(b["auc"].value, abs=1e-3)


@pytest.mark.parametrize("labels", [("sick", "well"), (3, 7)])
def test_probabilities_in_a_table_have_the_classes_of_the_operator_or_are_refused(tmp_path, labels):
    X, y = cases(labels)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    read = trueness.files.read_model(saved(forest, X, tmp_path / "m.onnx", zipmap=False))
    assert read.classes_.tolist() == list(labels)
    assert np.allclose(read.predict_proba(X), forest.predict_proba(X), atol=1e-5)
    with pytest.raises(InputError) as caught:
        trueness.files.read_model(saved(GaussianNB().fit(X, y), X, tmp_path / "m.onnx", zipmap=False))
    assert caught.value.param == "model_file"


def test_one_input_per_column_is_found_by_name(tmp_path, capsys):
    X, y = cases()
    table = pd.DataFrame({"age": X[:, 0], "site": np.where(X[:, 1] > 0, "north", "south"), "dose": X[:, 2]})
    model = make_pipeline(
        make_column_transformer((StandardScaler(), ["age", "dose"]), (OneHotEncoder(), ["site"])), LogisticRegression()
    ).fit(table[:45], y[:45])
    path = saved(model, table, tmp_path / "m.onnx")
    read = trueness.files.read_model(path)
    assert read.feature_names_in_.tolist() == ["age", "site", "dose"]
    assert read.predict(table[["dose", "site", "age"]]).tolist() == model.predict(table).tolist()
    table[45:].assign(y=y[45:], id=range(45))[["y", "id", "dose", "age", "site"]].to_csv(
        tmp_path / "t.csv", index=False
    )
    asked = ["assess", str(tmp_path / "t.csv"), "--target", "y", "--positive", "sick", "--model-file", str(path)]
    assert run([*asked, "--json", str(tmp_path / "a.json")]) == 0
    found = decoded(json.loads((tmp_path / "a.json").read_text()))
    expected = trueness.assess(model, table[45:], y[45:], plan="prefit", positive="sick", metrics="error")[
        "error"
    ].value
    assert expected in [e.value for e in found.estimates.values()]
    assert run([*asked, "--drop", "age"]) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("trueness: --model-file")


def test_what_is_no_classifier_is_an_error_of_trueness(tmp_path):
    X, y = cases((0, 1))
    whole = saved(LogisticRegression().fit(X, y), X, tmp_path / "m.onnx").read_bytes()
    for content in (b"", b"x", whole[:200], b"\x80\x04K\x01."):
        (tmp_path / "bad.onnx").write_bytes(content)
        with pytest.raises(InputError) as caught:
            trueness.files.read_model(tmp_path / "bad.onnx")
        assert caught.value.param == "model_file"
    for other in (LinearRegression().fit(X, y), StandardScaler().fit(X)):
        with pytest.raises(InputError) as caught:
            trueness.files.read_model(saved(other, X, tmp_path / "other.onnx"))
        assert caught.value.param == "model_file"


def test_a_model_from_a_file_is_not_trained_and_takes_its_own_features(tmp_path):
    X, y = cases((0, 1))
    read = trueness.files.read_model(saved(LogisticRegression().fit(X, y), X, tmp_path / "m.onnx"))
    with pytest.raises(InputError) as caught:
        trueness.assess(read, X, y, plan=trueness.KFold(3))
    assert caught.value.param == "plan"
    with pytest.raises(InputError) as caught:
        trueness.assess(read, X[:, :2], y, plan="prefit")
    assert caught.value.param == "X"
