"""Where the command line writes: checked before the work, and a full disk is one line without a traceback."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from trueness.cli.main import run

TABLE = "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 2}\n" for i in range(40))
FITS = ["--target", "y", "--plan", "kfold:3", "--seed", "0"]
TWO = ["--model", "lda", "--model", "naive-bayes"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(TABLE)
    return str(path)


def commands(table):
    return {
        "assess": ["assess", table, *FITS],
        "compare": ["compare", table, *FITS, *TWO],
        "diagnose": ["diagnose", "--tp", "10", "--fn", "5", "--fp", "24", "--tn", "61"],
        "roc": ["roc", table, "--label", "y", "--score", "a"],
        "size": ["size", "auc", "--value", "0.8"],
        "study": ["study", "loss-functions"],
        "list": ["study", "--list"],
        "help": ["--help"],
        "help of a command": ["assess", "--help"],
        "version": ["--version"],
    }


FORKS = """
import contextlib, io, json, os, runpy, sys
from trueness.cli.main import run

for line in sys.stdin:
    err, buffered, arguments = json.loads(line)
    if buffered:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run(arguments)  # loads what the children need
    child = os.fork()
    if child == 0:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT), 2)
        raw = io.FileIO(1, "w", closefd=False)
        full = io.TextIOWrapper(io.BufferedWriter(raw) if buffered else raw, "utf-8", write_through=not buffered)
        sys.stdout, sys.argv = full, ["trueness", *arguments]
        try:
            runpy.run_module("trueness", run_name="__main__")
        except SystemExit as end:
            full.flush()  # as Python does when it ends; the rest of its end takes long here
            os._exit(end.code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def forks():
    """A process that runs commands in children, with a full disk to write to."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        yield server


def assert_one_line(err, code):
    said = [line for line in err.splitlines() if not line.startswith(("Warning: ", "trueness: compiling"))]
    assert said == ["trueness: No space left on device"]
    assert code == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("name", list(commands("")))
def test_a_full_disk_is_one_line(table, name, forks, tmp_path):
    for buffered in (True, False):
        err = tmp_path / f"err{buffered}"
        forks.stdin.write(json.dumps([str(err), buffered, commands(table)[name]]) + "\n")
        forks.stdin.flush()
        code = int(forks.stdout.readline())
        assert_one_line(err.read_text(), code)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_is_one_line_until_python_ends(table, buffered):
    env = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "trueness", *commands(table)["version"]]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=env, check=False)
    assert_one_line(done.stderr, done.returncode)


OUTPUTS = [
    ("assess", "--json", "r.json"),
    ("assess", "--csv", "r.csv"),
    ("compare", "--report", "r.html"),
    ("compare", "--json", "r.json"),
    ("compare", "--csv", "r.csv"),
    ("diagnose", "--json", "r.json"),
    ("roc", "--plot", "r.png"),
    ("roc", "--json", "r.json"),
]


@pytest.fixture
def no_work(monkeypatch):
    """Nothing may be read, fitted or counted before the places are checked."""

    def work(*args, **options):
        raise AssertionError("work was begun")

    names = {
        "files.table_file": "read_and_describe",
        "files.features": "read_and_describe",
        "tables.diagnose": "diagnose",
        "studies": "run",
    }
    modules = [import_module(f"trueness.{module}") for module in names]  # all before the first is changed
    for module, name in zip(modules, names.values(), strict=True):
        monkeypatch.setattr(module, name, work)
    monkeypatch.setattr("trueness.assess", work, raising=False)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(("name", "option", "file"), OUTPUTS)
def test_files_that_cannot_be_written_are_noticed_before_the_work(tmp_path, table, capsys, name, option, file):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file").write_text("")
    for place, message in (
        (tmp_path / "none" / file, f"cannot be written: there is no folder {tmp_path / 'none'}"),
        (tmp_path / ("long" * 70 + file), "is longer than file systems allow"),
        (tmp_path / "file" / file, f"cannot be written: there is no folder {tmp_path / 'file'}"),
        (tmp_path / "folder.html", f"{tmp_path / 'folder.html'} is a folder. Name a file in it"),
    ):
        assert run([*commands(table)[name], option, str(place)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"trueness: {option}: ")
        assert message in said


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("name", ["demo", "study"])
def test_folders_that_cannot_be_made_are_noticed_before_the_work(tmp_path, capsys, name):
    (tmp_path / "file").write_text("")
    command = ["demo"] if name == "demo" else ["study", "loss-functions"]
    for place in ("file", "file/deeper"):
        assert run([*command, "--out", str(tmp_path / place)]) == 2
        assert f"there is no folder {tmp_path / 'file'}" in capsys.readouterr().err


@pytest.mark.usefixtures("no_work")
def test_a_folder_without_permission(tmp_path, table, capsys, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # who runs the tests may write everywhere
    assert run([*commands(table)["assess"], "--csv", str(tmp_path / "r.csv")]) == 2
    assert "cannot be written: permission denied" in capsys.readouterr().err


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("file", ["rep.md", "rep", "rep.pdf"])
def test_a_page_needs_the_ending_of_a_page(tmp_path, table, capsys, file):
    assert run([*commands(table)["compare"], "--report", str(tmp_path / file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: --report: The name of the file must end in .html or .htm.")
    assert "Name it e.g. rep.html" in said
    assert not (tmp_path / file).exists()


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(("name", "option"), [("assess", "--csv"), ("compare", "--json"), ("roc", "--json")])
def test_the_data_are_not_overwritten(table, capsys, name, option):
    assert run([*commands(table)[name], option, table]) == 2
    assert "holds the data. Name another file." in capsys.readouterr().err
    assert Path(table).read_text() == TABLE
