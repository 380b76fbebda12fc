"""trueness study: what it refuses, what it never overwrites, and how it ends."""

from functools import wraps

import pytest

from trueness import studies
from trueness.cli.main import run as cli
from trueness.studies.registry import find

ONE_SIZE = (
    "overfitting",
    "adaboost",
    "bias-variance",
    "decision-surfaces",
    "early-stopping",
    "least-squares",
    "three-class-roc",
    "ridge",
    "semiparametric-roc",
    "smoothness",
)


@pytest.mark.parametrize("name", ONE_SIZE)
def test_a_second_size_is_refused_not_dropped(name, capsys):
    assert cli(["study", name, "--sizes", "60,70", "--jobs", "1"]) == 2
    assert "one size at a time" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in studies.names() if find(name).sizes])
def test_a_size_that_is_too_small_is_refused_with_the_smallest(name, capsys):
    least = find(name).least
    assert cli(["study", name, "--sizes", str(least - 1), "--jobs", "1"]) == 2
    assert f"at least {least}" in capsys.readouterr().err


SMALLEST_SIZE = {
    "auc-estimators": ("--sizes", "15"),
    "no-information": ("--sizes", "10"),
    "bootstrap-jackknife": ("--sizes", "4"),
    "overfitting": ("--sizes", "17"),
    "bias-variance": ("--sizes", "17"),
    "least-squares": ("--sizes", "5"),
    "ridge": ("--sizes", "16"),
    "operating-points": ("--sizes", "10"),
    "semiparametric-roc": ("--sizes", "20"),
    "decision-surfaces": ("--sizes", "5"),
    "adaboost": ("--sizes", "5"),
    "batch-shift": ("--sizes", "2"),
    "stratified-folds": (),
    "population-lda": (),
}


@pytest.mark.parametrize("name", SMALLEST_SIZE)
def test_the_least_size_and_two_trials_end_in_a_table(name, capsys):
    code = cli(
        ["study", name, "--trials", "2", "--jobs", "1", *SMALLEST_SIZE[name]]
    )  # an exception would not come back here
    out = capsys.readouterr().out
    assert code == ("FAILS" in out)  # two trials may contradict a claim, and that is all that 1 means
    assert "holds" in out


@pytest.mark.parametrize("name", [name for name in studies.names() if find(name).trials > 1])
def test_one_trial_is_refused(name, capsys):
    assert cli(["study", name, "--trials", "1", "--jobs", "1"]) == 2
    assert "at least 2" in capsys.readouterr().err


def test_studies_without_trials_or_with_few_cases_refuse_more(capsys):
    assert cli(["study", "loss-functions", "--trials", "5"]) == 2
    assert "has no trials" in capsys.readouterr().err
    assert cli(["study", "three-class-roc", "--sizes", "300"]) == 2
    assert "at most 200" in capsys.readouterr().err


def test_zero_workers_are_refused(capsys):
    assert cli(["study", "stratified-folds", "--jobs", "0"]) == 2
    assert "n_jobs must be a whole number" in capsys.readouterr().err
    assert cli(["study", "loss-functions", "--jobs", "0"]) == 2  # though it needs none


def test_the_folder_of_another_study_is_left_alone(tmp_path, capsys):
    assert cli(["study", "loss-functions", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "index.html").read_bytes()
    capsys.readouterr()
    assert cli(["study", "three-class-roc", "--out", str(tmp_path)]) == 2  # neither of them has trials to keep
    assert "loss-functions in the store, three-class-roc asked for" in capsys.readouterr().err
    assert (tmp_path / "index.html").read_bytes() == page


def test_a_folder_that_cannot_be_made_is_noticed_before_any_work(tmp_path, capsys, monkeypatch):
    begun = wraps(studies.run)(lambda *_, **__: pytest.fail("the study was begun"))
    monkeypatch.setattr("trueness.studies.run", begun)
    (tmp_path / "file").write_text("no folder")
    assert cli(["study", "auc-estimators", "--jobs", "1", "--out", str(tmp_path / "file" / "deeper")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_a_message(tmp_path, capsys):
    (tmp_path / "losses.csv").mkdir()
    assert cli(["study", "loss-functions", "--out", str(tmp_path)]) == 2
    assert "losses.csv cannot be written" in capsys.readouterr().err
