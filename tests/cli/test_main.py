"""Exit codes, warnings, and what help must not import."""

import subprocess
import sys
import warnings

import pandas as pd
import pytest

from trueness.cli.main import COMMANDS, app, run
from trueness.result.notes import Note, warn


def test_usage_errors_are_exit_code_2(capsys):
    assert run(["assess"]) == 2
    assert run(["asses"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_interrupt_is_exit_code_130(monkeypatch, table, capsys):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("trueness.files.features.read_and_describe", interrupted)
    assert run(["assess", str(table), "--target", "y"]) == 130
    assert "interrupted; with --store FILE" in capsys.readouterr().err


def test_warnings_are_one_line_and_name_options(monkeypatch, capsys):
    def read(source, missing=()):
        warn(Note("some-code", "Use groups= for this.", "warning"))
        warnings.warn("not ours", DeprecationWarning, stacklevel=1)
        return pd.DataFrame(), ""

    monkeypatch.setattr("trueness.files.features.read_and_describe", read)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["assess", "x.csv", "--target", "y"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "Warning: Use --groups for this."


def test_help_and_version_do_not_import_scikit_learn():
    code = (
        "import sys; from trueness.cli.main import run\n"
        "assert run(['--help']) == 0 and run(['--version']) == 0 and run(['assess', '--help']) == 0\n"
        "heavy = {'sklearn', 'numba', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_trueness_does_no_work():
    code = "import sys, trueness; assert not {'numpy', 'sklearn', 'pandas'} & set(sys.modules); trueness.Bootstrap(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [each.__name__.replace("_", "-") for group in COMMANDS.values() for each in group])
def test_help_fits_80_columns_and_examples_have_lines_of_their_own(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    if command in ("assess", "compare", "roc", "diagnose", "size", "check", "two-sets", "compare-systems"):
        assert shown.count(f"\n  • trueness {command} ") >= 2


def test_trueness_alone_says_what_to_do_first(capsys):
    assert run([]) == 0
    shown = capsys.readouterr().out
    assert "trueness demo" in shown
    assert "trueness assess data.csv --target" in shown
    assert max(map(len, shown.splitlines())) <= 100


POSITIVE = ["--positive", "sick"]


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["asess"], "assess"),
        (["roc-curve"], "roc"),
        (["assess", "DATA", "--target", "Y"], "'y'"),
        (["assess", "DATA", "--target", "y", "--model", "logistics"], "'logistic'"),
        (["assess", "DATA", "--target", "y", "--metric", "aucc"], "'auc'"),
        (["assess", "DATA", "--target", "y", "--plan", "bootstraps"], "'bootstrap'"),
        (["assess", "DATA", "--target", "y", "--drop", "sites"], "'site'"),
        (["assess", "DATA", "--target", "y", "--modle", "lda"], "--model"),
        (
            ["compare", "DATA", "--target", "y", "--model", "lda", "--model", "qda", "--method", "lopb", *POSITIVE],
            "'lpob'",
        ),
        (["roc", "DATA", "--label", "y", "--score", "agee"], "'age'"),
        (["assess", "FOLDER/dataa.csv", "--target", "y"], "'data.csv'"),
        (["study", "eror-estimators"], "'error-estimators'"),
    ],
)
def test_did_you_mean(table, capsys, arguments, meant):
    given = [a.replace("DATA", str(table)).replace("FOLDER", str(table.parent)) for a in arguments]
    assert run(given) == 2
    shown = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert meant in shown
    assert "Traceback" not in shown


def test_completion_knows_models_and_columns(table):
    from typer.testing import CliRunner

    def completed(line):
        words = {"_TRUENESS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        return CliRunner().invoke(app, [], env=words, prog_name="trueness").output.split()

    assert completed("trueness comp") == ["compare", "compare-systems"]
    assert completed("trueness assess x.csv --model l") == ["lda", "logistic", "logit"]
    assert completed(f"trueness assess {table} --target p") == ["patient"]


def test_a_terminal_without_dashes(table):
    options = ["--target", "y", "--positive", "sick", "--plan", "kfold:3"]
    env = {"PYTHONIOENCODING": "cp1252", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-m", "trueness", "assess", str(table), *options]
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr


def test_the_module_of_the_commands_runs_as_a_program():
    command = [sys.executable, "-m", "trueness.cli.main", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "trueness")


def test_a_warning_is_said_once_in_a_command(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{(1.5, 2.5)[i % 2]}\n" for i in range(60)))
    asked = ["assess", str(path), "--target", "y", "--model", "ols", "--plan", "kfold:3", "--seed", "0"]
    for _ in range(2):  # and again in the next command
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            assert run(asked) == 0
        assert capsys.readouterr().err.count("The target has two values") == 1
