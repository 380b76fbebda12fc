"""Fitted models from files: read as data, types that are not trusted are refused, pickles always."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from deadly import Tree
from sklearn.linear_model import LogisticRegression

import trueness
from trueness.cli.main import run
from trueness.errors import InputError

skops = pytest.importorskip("skops.io", reason="skops is an extra: pip install skops")


@pytest.fixture
def test_set(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["sick", "well"], 40)
    X = pd.DataFrame(rng.normal(size=(80, 2)) + (y == "sick")[:, None], columns=["a", "b"])
    X.assign(y=y).iloc[::2].to_csv(tmp_path / "test.csv", index=False)
    return X, y


def saved(model, path):
    skops.dump(model, path)
    return path


def test_a_model_that_was_saved_answers_as_before(test_set, tmp_path):
    X, y = test_set
    model = LogisticRegression().fit(X[1::2], y[1::2])
    read = trueness.files.read_model(saved(model, tmp_path / "m.skops"))
    a, b = (trueness.assess(m, X[::2], y[::2], plan="prefit", positive="sick") for m in (model, read))
    assert a.frame().equals(b.frame())


def test_types_that_are_not_trusted_are_listed_and_accepted_by_name(test_set, tmp_path):
    path = saved(Tree().fit(*test_set), tmp_path / "m.skops")
    with pytest.raises(InputError) as caught:
        trueness.files.read_model(path)
    assert caught.value.param == "model_file"
    names = caught.value.got.split(", ")
    assert "deadly.Tree" in names
    assert isinstance(trueness.files.read_model(path, trust=names), Tree)


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return exec, (f"open({self.path!r}, 'w')",)


def test_a_pickle_is_refused_whatever_its_name(tmp_path):
    (tmp_path / "m.skops").write_bytes(pickle.dumps(Evil(str(tmp_path / "evil"))))
    with pytest.raises(InputError, match="pickle"):
        trueness.files.read_model(tmp_path / "m.skops")
    assert not (tmp_path / "evil").exists()


def test_what_is_no_model_is_an_error_of_trueness(test_set, tmp_path):
    whole = saved(LogisticRegression().fit(*test_set), tmp_path / "m.skops").read_bytes()
    for content in (b"", b"x", whole[:200], whole[:-30]):
        (tmp_path / "bad.skops").write_bytes(content)
        with pytest.raises(InputError):
            trueness.files.read_model(tmp_path / "bad.skops")
    for path in (tmp_path / "none.skops", tmp_path, saved({"a": 1}, tmp_path / "d.skops")):
        with pytest.raises(InputError):
            trueness.files.read_model(path)


def test_the_command_line_assesses_a_model_file(test_set, tmp_path, capsys):
    X, y = test_set
    data, out = str(tmp_path / "test.csv"), tmp_path / "a.json"
    good = str(saved(LogisticRegression().fit(X[1::2], y[1::2]), tmp_path / "m.skops"))
    asked = ["assess", data, "--target", "y", "--positive", "sick", "--model-file"]
    assert run([*asked, good, "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    assert "holdout" in json.dumps(found)
    assert run([*asked, good, "--model", "lda"]) == 2
    assert run([*asked, good, "--plan", "loo"]) == 2
    own = str(saved(Tree().fit(X[1::2], y[1::2]), tmp_path / "own.skops"))
    capsys.readouterr()
    assert run([*asked, own]) == 2
    assert "trust=['deadly.Tree'" in capsys.readouterr().err
    assert run([*asked, own, "--trust", "deadly.Tree", "--trust", "sklearn.tree._tree.Tree"]) == 0


def test_a_fitted_model_gets_its_own_columns(test_set, tmp_path, capsys):
    X, y = test_set
    X = X.assign(site=np.arange(80) % 4)
    good = str(saved(LogisticRegression().fit(X[1::2], y[1::2]), tmp_path / "m.skops"))
    held, out = X[::2].assign(site=3), tmp_path / "a.json"  # all of one site, among other columns, in another order
    held.assign(y=y[::2], id=range(40), note="x")[["note", "site", "b", "y", "a", "id"]].to_csv(
        tmp_path / "test.csv", index=False
    )
    asked = ["assess", str(tmp_path / "test.csv"), "--target", "y", "--positive", "sick", "--model-file", good]
    assert run([*asked, "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    expected = trueness.assess(trueness.files.read_model(good), held, y[::2], plan="prefit", positive="sick")
    assert found["estimates"] == expected.to_dict()["estimates"]
    capsys.readouterr()
    assert run([*asked, "--drop", "a"]) == 2
    assert capsys.readouterr().err.startswith("trueness: --model-file")


@pytest.mark.parametrize(("path", "trust"), [(None, ()), (5, ()), ("a\0", ()), ("m.skops", None), ("m.skops", "a.B")])
def test_wrong_arguments(path, trust):
    with pytest.raises(InputError):
        trueness.files.read_model(path, trust)
