"""trueness roc of a file that is too large for memory: areas of each score, read in blocks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import typer

from trueness.cli.options import Format
from trueness.cli.output import say_notes, show_page, write_and_say, write_pages
from trueness.cli.spelling import given
from trueness.curves.score_counts import ScoreCounts
from trueness.errors import InputError
from trueness.result import Note

NO_TEST = Note("no-test", "No test of the scores: the file is read in blocks, and the test needs all scores of a case.")

NEED_ALL = ("groups", "sensitivity_at", "specificity_at", "partial_auc", "best", "band", "plot", "csv_file")


def roc_in_blocks(
    source: str,
    label: str,
    scores: list[str],
    positive: str | None,
    level: float,
    report: Path | None,
    json_file: Path | None,
) -> None:
    """Print the ROC and PR areas of every score; options that need all scores at once are refused."""
    refused = [name for name in NEED_ALL if given(name)]
    refused += ["level"] if report is not None and level != 0.95 else []  # the report has 95 % limits
    refused += [] if given("format_") in (Format.text, Format.json) else ["format_"]
    if refused:
        raise InputError(
            "This is not available for a folder or a file of this size, which is read in blocks",
            param=refused[0],
            fix="Leave it out, or write a random sample of the rows to a file and use that",
        )
    counts = {name: ScoreCounts.read(source, label, name, positive) for name in scores}
    found = {
        "auc": [{"score": name, **c.auc.to_dict(level)} for name, c in counts.items()],
        "pr": [{"score": name, **e.to_dict(level)} for name, c in counts.items() for e in c.pr_areas()],
        "delong": [],
    }
    as_json = json.dumps(found, indent=2, ensure_ascii=False)
    if given("format_", Format.text) == Format.json:
        typer.echo(as_json)
    else:
        for name, c in counts.items():
            page = c.page(level)
            show_page(replace(page, title=f"{name}: {page.title}"))
    if len(counts) > 1:
        say_notes((NO_TEST,))
    if report is not None:
        write_pages(report, {name: c.report() for name, c in counts.items()})
    if json_file is not None:
        write_and_say(json_file, as_json)
