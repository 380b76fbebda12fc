"""The page on a terminal: within its width, complete, in colour there and plain in a pipe; and the help texts."""

import io
import os
import pty
import re
import subprocess
import sys
from collections import Counter

import pytest
from rich.console import Console

import trueness
from trueness.cli.output import WIDEST, print_page
from trueness.result.notes import Note
from trueness.result.shown import Page, Table

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PAGE = Page(
    "LDA: 569 cases",
    "Error 0.0445 (95 % CI 0.0288 to 0.0680).",
    (
        Table.of(
            ("metric", "estimate", "interval", "what it estimates"),
            [("[red]error[/red]", "0.0445 ± 0.0094", "0.0288 to 0.0680", "mean over training sets of n cases")] * 3,
            "Recommended",
        ),
    ),
    (Note("k", "A long remark " * 12, "warning"), Note("k2", "A short one.")),
    "How it was made.",
)


def shown(width, colour=True, page=PAGE):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, color_system="standard" if colour else None)
    print_page(page, console)
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    lines = ESCAPE.sub("", shown(width)).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= min(width, WIDEST)


@pytest.mark.parametrize("width", [60, 80])
def test_nothing_is_cut_off(width):
    words = "".join(ESCAPE.sub("", shown(width)).split())
    for line in (PAGE.tables[0].title, PAGE.answer, PAGE.title, PAGE.footer, str(PAGE.notes[0])):
        assert "".join(line.split()) in words
    letters = sorted("".join(cell for table in PAGE.tables for row in (table.heads, *table.rows) for cell in row))
    assert not Counter(letters) - Counter(shown(width)) - Counter(" ")  # cells may be folded
    assert "…" not in words
    assert "[red]error[/red]" in "".join(ESCAPE.sub("", shown(100)).split())  # names are no markup


def test_the_answer_comes_before_the_numbers_in_bold_and_warnings_in_colour():
    text = shown(100)
    plain = ESCAPE.sub("", text)
    places = [plain.index(part) for part in (PAGE.title, PAGE.answer, "Recommended", "Warning:", "Note:", PAGE.footer)]
    assert places == sorted(places)
    assert f"\x1b[1m{PAGE.answer}" in text
    assert re.search(r"\x1b\[1;33mWarning", text)


def test_without_colours_the_words_are_the_same():
    assert "\x1b" not in shown(80, colour=False)
    assert shown(80, colour=False) == ESCAPE.sub("", shown(80))


def test_a_pipe_has_no_colours_and_a_terminal_has(tmp_path):
    command = [sys.executable, "-m", "trueness", "diagnose", "--tp", "10", "--fn", "5", "--fp", "24", "--tn", "61"]
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    environment = {**kept, "TERM": "xterm-256color", "COLUMNS": "80"}
    piped = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert "\x1b" not in piped
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    assert process.returncode == 0
    text = b"".join(parts).decode().replace("\r\n", "\n")
    assert "\x1b[1m" in text
    plain = ESCAPE.sub("", text)
    assert max(map(len, plain.splitlines())) <= 80
    measures = trueness.diagnose(tp=10, fn=5, fp=24, tn=61).frame()["measure"]
    assert all(name in plain for name in measures)
