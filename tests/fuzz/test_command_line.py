"""The command line with arguments and files of any kind: exit code 0 or 2, one message, no traceback, no hang."""

from __future__ import annotations

import contextlib
import io
import os

import numpy as np
import pandas as pd
import pytest
import typer.main
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_public_functions import FUZZ, limited

from trueness.cli.main import application, run
from trueness.errors import InputError
from trueness.files.table_file import read_table

EXAMPLES = 700 if FUZZ else 25
some = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
few = settings(max_examples=EXAMPLES // 5, suppress_health_check=list(HealthCheck))

LEFT_OUT = ("demo", "study")  # these run for minutes and start workers where nothing is wrong
OPTIONS = {
    name: sorted({o for p in command.params for o in p.opts if o.startswith("--")} - {"--jobs", "--cluster", "--store"})
    for name, command in typer.main.get_command(application()).commands.items()  # type: ignore[attr-defined]
    if name not in LEFT_OUT
}
WORDS = (
    "a",
    "b",
    "c",
    "id",
    "y",
    "0",
    "1",
    "-1",
    "2.5",
    "nan",
    "inf",
    "1e400",
    "",
    "\x00",
    "é",
    "auc",
    "lda",
    "kfold:2",
    "x:y",
    ",",
    "0,1;1,0",
    "--",
    "9" * 40,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("fuzz")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": range(24), "a": rng.normal(size=24), "b": rng.integers(0, 2, 24), "c": list("xyz") * 8})
    frame.assign(y=np.arange(24) % 2).to_csv(here / "ok.csv", index=False)
    return here


def answer(arguments: list[str], path: os.PathLike[str]) -> tuple[int, str]:
    """Exit code and what was written to standard error."""
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.chdir(path), limited(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        code = run(arguments)
    return code, wrong.getvalue()


def check(arguments: list[str], path: os.PathLike[str]) -> None:
    code, wrong = answer(arguments, path)
    assert code in (0, 2), (code, wrong)
    assert "Traceback" not in wrong
    assert code == 0 or wrong.strip()


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command with some of its options, some of their values wrong, in any order."""
    command = draw(st.sampled_from(sorted(OPTIONS)))
    out = [command, *draw(st.sampled_from([[], ["ok.csv"], ["ok.csv"], ["none.csv"], ["."]]))]
    for option in draw(st.lists(st.sampled_from(OPTIONS[command] or ["--help"]), max_size=4, unique=True)):
        out += (
            [option, draw(st.sampled_from(WORDS))]
            if option not in ("--report", "--json", "--latex")
            else [option, "out"]
        )
    return out


@pytest.fixture(autouse=True)
def passphrase(monkeypatch):
    """So that none is asked for."""
    monkeypatch.setenv("TRUENESS_PASSPHRASE", "a passphrase of the fuzzer")


@few
@given(
    command=st.sampled_from(["demo", "study", "study auc-estimators", "study --list"]),
    option=st.sampled_from(["--out ok.csv", "--out ok.csv/a", "--sizes x", "--sizes 0", "--trials 1", "--seed x", "x"]),
    more=st.sampled_from(["", "--trials 0", "--sizes ,", "--x", "y"]),
)
def test_demo_and_study_with_wrong_arguments(folder, command, option, more):
    check([*command.split(), *option.split(), *more.split()], folder)


@few
@given(arguments=lines())
def test_any_arguments(folder, arguments):
    check(arguments, folder)


@some
@given(arguments=st.lists(st.sampled_from([*OPTIONS, *WORDS, "--target", "ok.csv"]) | st.text(max_size=5), max_size=5))
def test_any_words(folder, arguments):
    if not set(arguments) & set(LEFT_OUT):
        check(arguments, folder)


cells = st.sampled_from(
    ["", "0", "1", "a", '"', '""', "nan", "NA", "1e999", "é", "\x00", "-", "=1+1", " ", "0x1", "2020-01-01", "True"]
)
tables = st.lists(st.lists(cells, max_size=4).map(",".join), max_size=6).map(lambda rows: "\n".join(rows).encode())


@some
@given(data=st.binary(max_size=80) | tables, name=st.sampled_from(["t.csv", "t.tsv", "t.parquet", "t.txt", "t"]))
def test_any_bytes_as_a_table(folder, data, name):
    (folder / name).write_bytes(data)
    with limited():
        try:
            table = read_table(str(folder / name))
        except InputError:
            return
    assert isinstance(table, pd.DataFrame)


@few
@given(data=tables | st.binary(max_size=80), command=st.sampled_from(["roc", "check", "compare-systems", "assess"]))
def test_any_bytes_in_a_command(folder, data, command):
    (folder / "any.csv").write_bytes(b"y,s,id\n" + data)
    more = {
        "roc": ["--label", "y", "--score", "s"],
        "check": ["--target", "y"],
        "assess": ["--target", "y", "--plan", "kfold:2"],
    }
    check([command, "any.csv", *more.get(command, ["--item", "id", "--system", "y", "--system", "s"])], folder)
