"""What a command prints and writes: its result in the format that was asked for, and files. What cannot be written is noticed
before the work starts."""

import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pandas as pd
import typer

from trueness.checks import check_level, check_workers, path_of, unwarned, write_file
from trueness.cli.command import Answers, Given, Options
from trueness.errors import InputError, visible
from trueness.figures.figure import Figure
from trueness.files.features import CaseTable
from trueness.fitting.progress import TELL
from trueness.leaks.check import check
from trueness.report import html_of
from trueness.result.json import pretty
from trueness.result.notes import Note
from trueness.result.shown import (
    Drawn,
    Page,
    Result,
    as_text,
    csv_text,
)

ENDINGS: dict[str, tuple[str, ...]] = {
    "report": (".html", ".htm"),
    "plot": (".png", ".svg"),
    "json_file": (),
    "csv_file": (),
    "store": (),
    "scores_file": (),
}
"""Options that name a file to write, and how its name must end."""


def check_given(given: Given, data: Sequence[object]) -> None:
    """An error where the command was given a level, workers or files to write that cannot be; no file may be one with the
    data."""
    if (level := given["level"]) is not None:
        check_level(level)
    if given["n_jobs"] is not None:
        check_workers(given["n_jobs"])
    sources = [Path(each) for each in data if isinstance(each, (str, Path))]
    for param, endings in ENDINGS.items():
        if given[param] is None:
            continue
        path = Path(given[param])
        path_of(param, path)
        if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
            raise InputError(f"{path} holds the data", param=param, fix="Name another file")
        if path.is_dir():
            raise InputError(f"{path} is a folder", param=param, fix="Name a file in it")
        check_folder(param, path, path.absolute().parent)
        if endings and path.suffix.lower() not in endings:
            fix = f"Name it e.g. {path.with_suffix(endings[0]).name}"
            raise InputError(f"The name of the file must end in {' or '.join(endings)}", param=param, got=path, fix=fix)


def check_folder(param: str, path: Path, folder: Path) -> None:
    """An error where nothing can be written to a folder."""
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}", param=param, fix="Create it first")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} cannot be written: permission denied", param=param)


@contextmanager
def telling(given: Given) -> Iterator[None]:
    """Within it warnings are among the notes of results, and a line says that a run takes long."""

    def tell(note: Note) -> None:
        if not given["quiet"]:
            typer.echo(visible(str(note)), err=True)

    before = TELL.set(tell)
    try:
        with unwarned():
            yield
    finally:
        TELL.reset(before)


def deliver(
    answers: Answers,
    given: Given,
    *,
    format_: Literal["text", "json", "csv", "markdown", "latex"] = "text",
    quiet: bool = False,
    report: Path | None = None,
    json_file: Path | None = None,
    csv_file: Path | None = None,
    plot: Path | None = None,
) -> None:
    """Print the results of a command, each when it is done, and write the files that were asked for.

    Parameters
    ----------
    answers : Result, or iterator of name, Result, and options of its report
        The results.
    given : Given
        The command.
    format_ : {"text", "json", "csv", "markdown", "latex"}, default "text"
        How to print the result.
    quiet : bool, default False
        Print the result and warnings only.
    report : path, optional
        Write a report, one .html file that needs no network; one each for several models.
    json_file : path, optional
        Write the results to a file, as JSON.
    csv_file : path, optional
        Write the table to a file, as CSV.
    plot : path, optional
        Write a picture, .png or .svg.
    """
    found = []
    for answer in (("", answers, {}),) if isinstance(answers, Result) else answers or ():
        found.append(answer)
        if format_ == "text":
            name, result, _ = answer
            typer.echo("\n" * (len(found) > 1), nl=False)
            page, seed = result.page(), getattr(result, "provenance", {}).get("seed")
            footer = page.footer
            if seed is not None and f"Seed: {seed}." not in footer:  # by which it can be made again
                footer = f"{footer} Seed: {seed}.".strip()
            notes = tuple(note for note in page.notes if note not in given.told)
            title = page.title if page.title.startswith(name) else f"{name}: {page.title}"
            show(given, replace(page, title=title, notes=notes, footer=footer))
    if not found:
        return
    alone = found[0][1]
    forms: dict[str, Callable[[], str]] = {
        "markdown": lambda: "\n".join(result.to_markdown() for _, result, _ in found),
        "latex": lambda: "\n".join(result.to_latex() for _, result, _ in found),
        "json": lambda: pretty({n: r.to_dict() for n, r, _ in found}) if len(found) > 1 else alone.to_json(),
        "csv": lambda: csv_text(pd.concat([r.frame().assign(model=n) for n, r, _ in found], ignore_index=True)),
    }
    if found[0][0] == "":
        forms["csv"] = alone.to_csv
    if format_ != "text":
        typer.echo(forms[format_]().rstrip("\n"))
    main = [(name, result, options) for name, result, options in found if options is not None]
    if report is not None:
        for name, result, options in main:
            own = "-" + re.sub(r"[^\w.]+", "-", name).strip("-") if len(main) > 1 else ""
            written(given, report.with_name(f"{report.stem}{own}{report.suffix}"), html_of(result, **options))
    if json_file is not None:
        written(given, json_file, forms["json"]())
    if csv_file is not None:
        written(given, csv_file, forms["csv"]())
    if plot is not None:
        drawn = {name: result.figure() for name, result, _ in main if isinstance(result, Drawn)}
        first = next(iter(drawn.values()))
        panels = [replace(figure.panels[0], title=name) for name, figure in drawn.items()]
        whole = (first if len(drawn) == 1 else Figure(first.name, panels)).draw().get_figure(root=True)
        assert whole is not None
        picture = io.BytesIO()
        whole.savefig(picture, dpi=150, format=plot.suffix[1:].lower())
        written(given, plot, picture.getvalue())


OUTPUT = Options("Output", deliver, "format_ quiet report json_file csv_file")
DRAWN = Options("Output", deliver, "plot")


def written(given: Given, path: Path, content: str | bytes) -> None:
    """Write a file and print its path."""
    write_file(path, content)
    given.say(f"Wrote {path}")


def introduce(given: Given, cases: CaseTable, checks: bool) -> CaseTable:
    """Say what was understood of a table, and what leaks, where that is checked; the cases with what was found."""
    given.say(f"{cases.words}\n{cases.features.words}")
    if checks:
        sentences = ["L004"] * bool(cases.features.fitted)  # which these models read
        leaks = check(cases.features.as_read, cases.y, groups=cases.groups, ignore=sentences, fast=True).notes
        if leaks and not given["quiet"]:
            show(given, Page(notes=leaks))
        cases = replace(cases, notes=(*cases.notes, *leaks))
    given.told = cases.notes
    given.say("")
    return cases


def show(given: Given, page: Page) -> None:
    """A page as text; `--quiet` leaves the warnings of what stands below the tables. In every other format it is a remark."""
    if given["quiet"]:
        page = replace(page, notes=tuple(note for note in page.notes if note.severity == "warning"), footer="")
    typer.echo(as_text(page), err=given.format != "text")
