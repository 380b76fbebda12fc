"""trueness assess --store and --cluster, and trueness runs."""

import pytest

from trueness import studies
from trueness.cli.main import run

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

COMMON = ["--target", "y", "--positive", "sick", "--model", "tree"]


def test_a_run_is_stored_listed_and_goes_on_without_a_seed(table, tmp_path, capsys):
    store = str(tmp_path / "r.db")
    command = ["assess", str(table), *COMMON, "--plan", "bootstrap:30", "--store", store]
    assert run(command) == 0
    first = capsys.readouterr().out
    assert run(command) == 0
    assert capsys.readouterr().out == first
    assert run(["runs", store]) == 0
    shown = capsys.readouterr().out
    assert "30 of 30" in shown
    assert "scikit-learn" in shown


def test_another_plan_is_refused_in_one_line(table, tmp_path, capsys):
    store = str(tmp_path / "r.db")
    command = ["assess", str(table), *COMMON, "--store", store]
    assert run([*command, "--plan", "bootstrap:10", "--seed", "1"]) == 0
    capsys.readouterr()
    assert run([*command, "--plan", "bootstrap:10", "--seed", "2"]) == 2
    assert "another plan or seed" in capsys.readouterr().err


def test_the_data_are_not_overwritten_by_a_store(table, capsys):
    before = table.read_bytes()
    assert run(["assess", str(table), *COMMON, "--store", str(table)]) == 2
    assert "--store" in capsys.readouterr().err
    assert table.read_bytes() == before


def test_trials_of_a_study_are_listed(tmp_path, capsys):
    model = studies.two_gaussians(2, 1.2)
    from sklearn.naive_bayes import GaussianNB

    studies.evaluate(model, GaussianNB(), ("star",), sizes=(8,), trials=2, n_jobs=1, store=tmp_path / "t.db", rng=0)
    assert run(["runs", str(tmp_path / "t.db")]) == 0
    assert "trials done" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["data.csv", "nothing.db"])
def test_what_is_no_store(table, tmp_path, name, capsys):
    assert run(["runs", str(tmp_path / name)]) == 2
    assert "STORE" in capsys.readouterr().err


def test_no_scheduler_is_one_line(table, monkeypatch, capsys):
    pytest.importorskip("distributed", reason="dask is an extra: pip install dask distributed")
    monkeypatch.setattr("trueness.fitting.cluster.CONNECT", 0.2)
    assert run(["assess", str(table), *COMMON, "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "--cluster" in capsys.readouterr().err
