"""What a command prints and writes: its result in the format that was asked for, remarks beside it, and files. What cannot be
written is noticed before the work starts.

Other programs read standard output, so in every format but text the remarks go to standard error.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from trueness.checks import check_level, check_workers, path_of, write_file
from trueness.cli.options import Format
from trueness.cli.spelling import given
from trueness.errors import InputError, visible

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    from trueness.api.assessment import Assessment
    from trueness.api.comparison import Comparison
    from trueness.api.threshold import ThresholdChoice
    from trueness.files.features import CaseTable
    from trueness.leaks.findings import Finding
    from trueness.result.notes import Note
    from trueness.result.shown import Page, Result, Table
    from trueness.typing import Axes

MOST_NAMED = 5  # labels in a message
OUTPUTS = {
    "report": (".html", ".htm"),
    "plot": (".png", ".svg"),
    "json_file": (),
    "csv_file": (),
    "store": (),
    "scores_file": (),
}
"""Options that name a file to write, and how its name must end."""


def check_given(*data: str | None) -> None:
    """An error where the running command was given a level, workers or files to write that cannot be; no file may be
    one with the data."""
    if (level := given("level")) is not None:
        check_level(level)
    if (jobs := given("jobs")) is not None:
        check_workers(jobs)
        if jobs > 2:  # fewer are never too many
            from trueness.fitting.workers import workers_of

            if (workers := workers_of(jobs)) < jobs:
                say(f"--jobs {jobs}: {workers} workers are used, one per core of this machine")
    for param, endings in OUTPUTS.items():
        for source in data or (None,):
            check_output(param, given(param), endings, source)


def check_different(param: str, names: list[str]) -> None:
    """An error where a name is given twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError("The same name is given twice", param=param, got=", ".join(twice))


def check_output(param: str, path: Path | None, endings: tuple[str, ...] = (), data: Path | str | None = None) -> None:
    """An error where the file that an option names cannot be written, holds the data, or has another ending."""
    if path is None:
        return
    path_of(param, path)
    if data is not None and path.exists() and Path(data).exists() and path.samefile(data):
        raise InputError(f"{path} holds the data", param=param, fix="Name another file")
    if path.is_dir():
        raise InputError(f"{path} is a folder", param=param, fix="Name a file in it")
    _check_folder(param, path, path.absolute().parent)
    if endings and path.suffix.lower() not in endings:
        fix = f"Name it e.g. {path.with_suffix(endings[0]).name}"
        raise InputError(f"The name of the file must end in {' or '.join(endings)}", param=param, got=path, fix=fix)


def check_output_folder(param: str, path: Path | None) -> None:
    """An error where a folder cannot be made or written to at the place that an option names."""
    if path is None:
        return
    there = path.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    _check_folder(param, path, there)


def _check_folder(param: str, path: Path, folder: Path) -> None:
    if not folder.exists():
        fix = "Create the folder first, or choose another one"
        raise InputError(f"{path} cannot be written: there is no folder {folder}", param=param, fix=fix)
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: {folder} is a file, not a folder", param=param)
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} cannot be written: permission denied", param=param)


LEAVE_OUT = ("L001", "L003")  # checks whose advice is to leave a column out
DESCRIBED = (
    "unlabelled-rows",
    "labels-in-one-spelling",
    "columns-dropped",
)  # notes that the description of the table has already


def progress() -> bool | None:
    """Whether to show progress: on a terminal, unless the command was asked to be quiet."""
    return False if given("quiet") else None


def say(text: str) -> None:
    """A remark beside the result."""
    if not given("quiet"):
        typer.echo(visible(text), err=given("format_", Format.text) != Format.text)


def table_of(source: str) -> pd.DataFrame:
    """The table of a file, and a line where it is not plain CSV; --missing adds codes of missing values."""
    from trueness.files.table_file import read_and_describe

    table, written = read_and_describe(source, given("missing") or ())
    if written:
        say(f"{'Standard input' if source == '-' else source}: {written}.")
    return table


def complete(
    table: pd.DataFrame, drop: bool, named: Mapping[str, str], advice: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The rows with a value in every named column (option by column), and a line about the others."""
    from trueness.files.table_file import without_gaps
    from trueness.result.words import counted

    kept = without_gaps(table, named, drop, advice or {})
    if len(kept) < len(table):
        say(f"{counted(len(table) - len(kept), 'row')} with a gap in {', '.join(map(repr, named))} left out.")
    if not given("quiet"):
        _say_codes(kept, [name for name, param in named.items() if param == "score" and name in kept])
        if "groups" not in named.values():
            _say_repeated(kept, named)
    return kept


def _say_codes(table: pd.DataFrame, scores: Sequence[str]) -> None:
    """A line where a score holds a number that seems to stand for missing values."""
    from trueness.leaks.gaps import code_of_gaps
    from trueness.result.words import counted

    for name in scores:
        values = table[name]
        if values.dtype.kind in "if" and (code := code_of_gaps(values.to_numpy(dtype=float), times=1)) is not None:
            holds = f"Column {name!r} holds {code} {counted(int((values == code).sum()), 'time')}, unlike the others"
            advice = f"--missing {code}"
            say(f"{holds}. If it stands for a missing value, mark it as one: {advice}.")


def _say_repeated(table: pd.DataFrame, named: Mapping[str, str]) -> None:
    """A line where a column looks like the number of a patient with several rows, and no groups are given."""
    from trueness.leaks.repeats import called_case, values_of_repeated

    for name in filter(called_case, table.columns):
        if name not in named and (values := values_of_repeated(name, table[name].to_numpy())):
            rows = f"Column {name!r} has {values} values in {len(table)} rows"
            advice = f"--groups {name}"
            say(f"{rows}: several rows per patient or object? They are not independent; then add {advice}.")
            return


@dataclass(frozen=True)
class Labelled:
    """Labels of a file, predicted labels where they were asked for, and the positive one as it is spelled there."""

    y: pd.Series
    predictions: pd.Series | None
    positive: str | None


def labelled(table: pd.DataFrame, label: str, positive: str | None, prediction: str | None = None) -> Labelled:
    """The labels of a table in one spelling; those of several classes as two, where one of them is named as positive. A
    line says what was done."""
    from trueness.files.features import in_one_spelling
    from trueness.files.table_file import column

    y = column(table, label, "label")
    found = in_one_spelling(y, None if prediction is None else column(table, prediction, "prediction"))
    if found.note is not None:
        say(found.note.message)
    y, predicted, positive = found.y, found.predictions, found.of(positive)
    two = against_rest(y, positive)
    if two is None:
        return Labelled(y, predicted, positive)
    say(two.said)
    return Labelled(two.of(y), None if predicted is None else two.of(predicted), positive)


@dataclass(frozen=True)
class ClassAgainstRest:
    """One class of several against all others."""

    positive: str
    rest: list[str]

    @property
    def said(self) -> str:
        """In a sentence."""
        more = ", …" if len(self.rest) > MOST_NAMED else ""
        return f"{self.positive} against all other classes ({', '.join(self.rest[:MOST_NAMED])}{more})."

    def of(self, labels: pd.Series) -> pd.Series:
        """The labels as two classes."""
        texts = labels.astype(str)
        return texts.where(texts == self.positive, f"not {self.positive}").where(labels.notna())


def against_rest(y: pd.Series, positive: str | None) -> ClassAgainstRest | None:
    """How labels of several classes become two, where one of them is named as positive; None where nothing changes."""
    from trueness.sample.labels import same_answers

    texts = y.astype(str)[y.notna()]
    if positive is None or positive not in set(texts) or texts.nunique() < 3:
        return None
    rest = sorted(set(texts) - {positive})
    if same := [labels for labels in same_answers([positive, *rest]) if positive in labels]:
        problem = "Other labels look like the positive one"
        fix = "Write them in one way in the file: they would count as negative"
        raise InputError(problem, param="positive", got=", ".join(map(repr, same[0])), fix=fix)
    return ClassAgainstRest(positive, rest)


def of_positive(cases: CaseTable, positive: str | None, numbers: bool = False) -> tuple[CaseTable, str | None]:
    """The cases of a table with the positive label as it is spelled there: of several classes this one against the rest.
    An error where the target holds numbers to predict, unless these may be `numbers` of classes."""
    from trueness.sample.labels import looks_numeric

    positive = cases.spelled.get(positive or "", positive)
    if positive is not None and not numbers and looks_numeric(cases.y):
        got = f"{cases.y.nunique()} different numbers"
        fix = "Leave --positive out to predict the number, or write a column with the classes to the file"
        raise InputError(
            "The target holds numbers to predict, which have no positive label", param="positive", got=got, fix=fix
        )
    two = against_rest(cases.y, positive)
    if two is None:
        return cases, positive
    return replace(cases, y=two.of(cases.y), words=f"{cases.words} {two.said}"), positive


def require_two(y: pd.Series) -> None:
    """An error where labels have more than two values."""
    from trueness.sample.labels import one_spelling

    if (n := y.nunique()) > 2:
        values = sorted(y.dropna().unique().tolist(), key=str)
        got = f"{n} values: {', '.join(map(str, values[:MOST_NAMED]))}{', …' * (n > MOST_NAMED)}"
        fix = (
            one_spelling(values)
            or f"Name the one that the scores are of, e.g. --positive {values[-1]!s}, against all others"
        )
        raise InputError("The labels have more than two values", param="y", got=got, fix=fix)


@contextmanager
def telling() -> Iterator[None]:
    """Within it, a line on standard error says that a run takes long, where no progress is shown."""
    from trueness.fitting.progress import TELL

    def tell(note: Note) -> None:
        if not given("quiet"):
            typer.echo(visible(str(note)), err=True)

    before = TELL.set(tell)
    try:
        yield
    finally:
        TELL.reset(before)


def introduce(cases: CaseTable, checks: bool) -> CaseTable:
    """Say what was understood of a table, and what leaks, where that is checked; the cases with what was found."""
    say(cases.described())
    if checks:
        from trueness.leaks.check import check

        sentences = ["L004"] if cases.features.fitted else []  # which these models read
        leaks = check(cases.features.as_read, cases.y, groups=cases.groups, ignore=sentences, fast=True).found
        cases = replace(cases, notes=(*cases.notes, *leaks, *_advice(cases, leaks)))
    say_notes(tuple(note for note in cases.notes if note.code not in DESCRIBED))
    return cases


def _advice(cases: CaseTable, leaks: Sequence[Finding]) -> Iterator[Note]:
    """What to type to leave suspicious columns out, and to pass an identifier with repeated values as groups."""
    from trueness.files.features import NAMED_AT_MOST
    from trueness.result.notes import Note

    suspect = list(dict.fromkeys(str(c) for leak in leaks if leak.code in LEAVE_OUT for c in leak.columns))
    numbered = [str(c) for leak in leaks if leak.code in ("L003", "L018") for c in leak.columns]
    repeated = [name for name in numbered if cases.features.as_read[name].nunique() < len(cases.y)]
    said: list[str] = []
    if suspect and given("drop", False) is not False:  # the command has this option
        drop = " ".join(f"--drop {name}" for name in suspect[:NAMED_AT_MOST])
        said.append(f"These columns stay among the features unless they are dropped: {drop}.")
    if repeated and cases.groups is None:
        keep, leave = f"--groups {repeated[0]}", f"--drop {repeated[0]}"
        said.append(f"{keep} keeps the rows of one {repeated[0]} together; {leave} if it identifies nothing.")
    if said:
        yield Note("columns-to-drop", " ".join(said), columns=list(dict.fromkeys([*suspect, *repeated])))


def say_notes(notes: tuple[Note, ...]) -> None:
    """What was found in the data, before the result; nothing where there is nothing."""
    from trueness.result.shown import Page

    if not notes or given("quiet"):
        return
    if given("format_", Format.text) == Format.text:
        show_page(Page(notes=notes))
    else:
        from trueness.result.shown import as_text

        typer.echo(as_text(Page(notes=notes)), err=True)


def write_and_say(path: Path, text: str) -> None:
    """Write a file and print its path."""
    from trueness.result.shown import kept

    kept(text, path)
    say(f"Wrote {path}")


def write_files(
    result: Result, report: Path | None = None, json_file: Path | None = None, csv_file: Path | None = None
) -> None:
    """The files that were asked for."""
    if report is not None:
        write_and_say(report, result.report())
    if json_file is not None:
        write_and_say(json_file, result.to_json())
    if csv_file is not None:
        write_and_say(csv_file, result.to_csv())


def write_pages(path: Path, pages: Mapping[str, str]) -> None:
    """Write one page to the path itself, several to files with their names added: r-lda.html, r-qda.html."""
    for name, page in pages.items():
        own = re.sub(r"[^\w.]+", "-", name).strip("-")
        write_and_say(path if len(pages) == 1 else path.with_name(f"{path.stem}-{own}{path.suffix}"), page)


def draw_and_say(ax: Axes, path: Path) -> None:
    """Write the figure of these axes and print its path."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    picture = io.BytesIO()
    figure.savefig(picture, dpi=150, format=path.suffix[1:].lower())
    write_file(path, picture.getvalue(), "plot")
    say(f"Wrote {path}")


def show_page(page: Page) -> None:
    """A page as text; with colours and as wide as the terminal where there is one. `--quiet` leaves of what stands below
    the tables the warnings only."""
    if given("quiet"):
        page = replace(page, notes=tuple(note for note in page.notes if note.severity == "warning"), footer="")
    if sys.stdout.isatty():
        print_page(page)
    else:
        from trueness.result.shown import as_text

        typer.echo(as_text(page))


def seeded(page: Page, provenance: Mapping[str, Any]) -> Page:
    """The page with the seed, by which it can be made again, in its last line."""
    said = f"Seed: {provenance['seed']}." if provenance.get("seed") is not None else ""
    if not said or said in page.footer:
        return page
    before = page.footer.rstrip()
    return replace(page, footer=f"{before}{'' if before.endswith('.') or not before else '.'} {said}".strip())


def show(result: Result) -> None:
    """A result in the format that was asked for."""
    chosen = given("format_", Format.text)
    if chosen == Format.text:
        show_page(seeded(result.page(), getattr(result, "provenance", {})))
    else:
        ways = {"json": result.to_json, "csv": result.to_csv, "markdown": result.to_markdown, "latex": result.to_latex}
        typer.echo(ways[chosen]().rstrip("\n"))


def show_assessments(results: Mapping[str, Assessment], chosen: Mapping[str, ThresholdChoice], every: bool) -> None:
    """All models, and thresholds that costs chose, in the format that was asked for. As text each was shown when it was
    done."""
    from trueness.result.shown import as_latex, as_markdown

    how = given("format_", Format.text)
    if how == Format.json:
        typer.echo(assessments_json(results, chosen))
    elif how == Format.csv:
        typer.echo(assessments_csv(results, chosen).rstrip("\n"))
    elif how != Format.text:
        render = as_markdown if how == Format.markdown else as_latex
        pages = [a.page(all=every) for a in results.values()] + [h.page() for h in chosen.values()]
        typer.echo("\n".join(map(render, pages)).rstrip("\n"))


def assessments_json(results: Mapping[str, Assessment], chosen: Mapping[str, ThresholdChoice]) -> str:
    """One object per model, by name; a threshold that costs chose is its "threshold"."""
    from trueness.result.json import json_value

    found = {name: a.to_dict() for name, a in results.items()}
    for name, h in chosen.items():
        found[name]["threshold"] = h.to_dict()
    return json.dumps(found, indent=2, ensure_ascii=False, default=json_value)


def assessments_csv(results: Mapping[str, Assessment], chosen: Mapping[str, ThresholdChoice]) -> str:
    """One table, with a column that names the model; what a threshold that costs chose achieves is in rows of its own,
    whose metrics say so."""
    import pandas as pd

    from trueness.result.shown import csv_text

    rows = [a.frame().assign(model=name) for name, a in results.items()]
    for name, h in chosen.items():
        table = h.frame(details=True)
        metric = [what if what == "threshold" else f"{what} at threshold" for what in table["measure"]]
        rows.append(table.assign(model=name, metric=metric)[[c for c in rows[0].columns if c in (*table, "model")]])
    return csv_text(pd.concat(rows))


def show_compared(k: Comparison, priced: Comparison | None) -> None:
    """A comparison, and that of costs where they were given, in the format that was asked for."""
    from trueness.result.shown import as_latex, as_markdown

    chosen = given("format_", Format.text)
    if priced is None:
        show(k)
    elif chosen == Format.json:
        typer.echo(compared_json(k, priced))
    elif chosen == Format.csv:
        typer.echo(compared_csv(k, priced).rstrip("\n"))
    elif chosen == Format.text:
        show_page(seeded(k.page(), k.provenance))
        typer.echo()
        show_page(replace(priced.page(), title="Costs, each model at its cheapest threshold"))
    else:
        render = as_markdown if chosen == Format.markdown else as_latex
        typer.echo("\n".join(render(each.page()) for each in (k, priced)).rstrip("\n"))


def compared_json(k: Comparison, priced: Comparison | None) -> str:
    """The comparison; that of costs is its "costs"."""
    from trueness.result.json import json_value

    found = {**k.to_dict(), **({} if priced is None else {"costs": priced.to_dict()})}
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False, default=json_value)


def compared_csv(k: Comparison, priced: Comparison | None) -> str:
    """One row per difference; with costs those of both, and a column of the metric."""
    import pandas as pd

    from trueness.result.shown import csv_text

    if priced is None:
        return k.to_csv()
    return csv_text(pd.concat([each.frame().assign(metric=each.metric) for each in (k, priced)]))


def write_compared(
    k: Comparison, priced: Comparison | None, report: Path | None, json_file: Path | None, csv_file: Path | None
) -> None:
    """The files that were asked for, with the costs."""
    from trueness.report.pages import html_of

    if report is not None:
        write_and_say(report, html_of(k, priced=priced) if priced is not None else k.report())
    if json_file is not None:
        write_and_say(json_file, compared_json(k, priced))
    if csv_file is not None:
        write_and_say(csv_file, compared_csv(k, priced))


WIDEST = 100  # columns; longer lines are hard to read
STYLES = {"Warning": "bold yellow", "Note": "bold"}


def print_page(page: Page, console: Console | None = None) -> None:
    """Print the answer first in bold, then tables, notes and how it was made."""
    from rich.console import Console
    from rich.text import Text

    from trueness.result.shown import label

    console = console or Console(highlight=False)
    console.width = min(console.width, WIDEST)
    blocks: list[list[Text | RichTable]] = [[Text(visible(page.title), "dim")] if page.title else []]
    blocks.append([Text(visible(page.answer), "bold")] if page.answer else [])
    blocks += [_table(table) for table in page.tables]
    blocks.append([Text.assemble((label(n), STYLES[label(n)]), ": ", str(n)) for n in page.notes])
    blocks.append([Text(visible(page.footer), "dim")] if page.footer else [])
    if any("method" in table.heads for table in page.tables):
        blocks.append([Text("trueness help WORD explains a word of a table.", "dim")])
    for k, block in enumerate(block for block in blocks if block):
        if k:
            console.print()
        for part in block:
            console.print(part)


def _table(table: Table) -> list[Text | RichTable]:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for head in table.heads:
        shown.add_column(Text(visible(head)), overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(visible(cell)) for cell in row))
    return [*([Text(visible(table.title), "italic")] if table.title else []), shown]
