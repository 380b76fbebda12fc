"""Exit codes, warnings, and what help must not import."""

import subprocess
import sys

import pytest

from trueness.cli.command import COMMANDS
from trueness.cli.main import TABLE, application, run


def test_usage_errors_are_exit_code_2(capsys):
    assert run(["assess"]) == 2
    assert run(["asses"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_interrupt_is_exit_code_130(monkeypatch, table, capsys):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("trueness.files.features.read_and_describe", interrupted)
    assert run(["assess", str(table), "--target", "y"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_help_and_version_import_no_numpy():
    code = (
        "import sys; from trueness.cli.main import run\n"
        "assert run(['--help']) == 0 and run(['--version']) == 0\n"
        "heavy = {'numpy', 'sklearn', 'numba', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_is_listed_with_a_first_sentence():
    application()
    assert set(COMMANDS) == {name for commands in TABLE.values() for name in commands}
    assert all(does.endswith((".", "?", "…")) for commands in TABLE.values() for _, does in commands.values())


def test_importing_trueness_does_no_work():
    code = "import sys, trueness; assert not {'numpy', 'sklearn', 'pandas'} & set(sys.modules); trueness.Bootstrap(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [name for commands in TABLE.values() for name in commands])
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
