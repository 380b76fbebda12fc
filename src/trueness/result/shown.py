"""What every result can do: show itself in any format, keep itself, draw itself, and write its report."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import pandas as pd

from trueness.checks import level_of, path_of, write_file
from trueness.errors import escape, typeset, visible
from trueness.figures.figure import Figure, css
from trueness.result.columns import Columns, cells_of, filled, frame_of
from trueness.result.glossary import marked
from trueness.result.json import encoded, pretty
from trueness.result.json import json_value as json_value
from trueness.result.notes import Note, warnings_first
from trueness.result.words import spoken
from trueness.typing import Axes, Record

if TYPE_CHECKING:
    from trueness.result.estimate import Estimate


_ONE = r"-?(?:\d[\d.,]*(?:e[-+]?\d+)?|∞)"
NUMBER = re.compile(
    rf"(?:[<>≤≥] ?)?{_ONE}(?: %)?(?: (?:to|±) {_ONE}(?: %)?)?(?: \({_ONE} to {_ONE}\))?"
)  # or an interval


REPORT: dict[str, Callable[..., str]] = {}
"""How a result is told as "html", "methods" and "bibtex": functions of `trueness.report`, which knows all results and
enters them."""


@dataclass(frozen=True)
class Table:
    """Cells of text under heads; `title` stands above where it is given."""

    heads: Sequence[str]  # one per column
    rows: Sequence[Sequence[str]]  # cells, already rounded
    title: str = ""  # what the table shows

    @property
    def lines(self) -> list[list[str]]:
        """Heads and rows, without line feeds."""
        return [[visible(cell).replace("\n", "\\n") for cell in row] for row in (self.heads, *self.rows)]


@dataclass(frozen=True)
class Page:
    """What a result shows."""

    title: str = ""  # what it is about, e.g. the model and the design
    answer: str = ""  # the answer in one or two sentences
    tables: tuple[Table, ...] = ()  # numbers
    notes: tuple[Note, ...] = ()  # what the reader should know
    footer: str = ""  # what comes at the end, such as assumptions; lines are kept


def label(note: Note) -> str:
    """ "Warning" or "Note"."""
    return "Warning" if note.severity == "warning" else "Note"


def as_text(page: Page) -> str:
    """Plain text, columns aligned."""
    blocks = [page.title, page.answer]
    for table in page.tables:
        widths = [max(map(len, column)) for column in zip(*table.lines, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table.lines]
        lines.insert(1, "  ".join("─" * w for w in widths))
        blocks.append("\n".join([*filter(None, [table.title]), *lines]))
    blocks.append("\n".join(f"{label(n)}: {n}" for n in page.notes))
    blocks.append(page.footer)
    return visible("\n\n".join(block for block in blocks if block))


def as_html(page: Page, picture: str = "") -> str:
    """A fragment for a notebook; everything but `picture`, which stands after the answer, is escaped."""
    parts = [_lines(page.title)]
    parts.append(f'<p class="answer">{typeset(escape(page.answer))}</p>' * bool(page.answer))
    parts.append(picture)
    parts += (f'<div class="wide">{html_table(table)}</div>' for table in page.tables)
    parts += (f"<p><strong>{label(n)}:</strong> {typeset(escape(str(n)))}</p>" for n in page.notes)
    parts.append(_lines(page.footer))
    return "".join(parts)


def _lines(text: str) -> str:
    return f'<p class="about">{"<br>".join(typeset(escape(line)) for line in text.split(chr(10)))}</p>' * bool(text)


def html_table(table: Table) -> str:
    """One table, escaped; without a head where no column has a name. Heads and names of methods say what they mean."""
    heads = "".join(f'<th scope="col">{marked(h)}</th>' if h else "<td></td>" for h in table.heads)
    head = f"<thead><tr>{heads}</tr></thead>" * any(table.heads)

    def box(head: str, text: str) -> str:
        """A number or an interval stays on one line, with real minus signs."""
        if NUMBER.fullmatch(text):
            return f'<td class="n">{typeset(escape(text))}</td>'
        named = spoken(text) if head == "metric" and "_" in text else text  # "log loss" for log_loss
        return f"<td>{marked(named) if head in ('metric', 'method', 'measure') else escape(text)}</td>"

    rows = ("".join(map(box, table.heads, row)) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    caption = f"<caption>{escape(table.title)}</caption>" * bool(table.title)
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>"


def as_markdown(page: Page) -> str:
    """Markdown with pipe tables."""
    blocks = [_md(page.title), f"**{_md(page.answer)}**" * bool(page.answer)]
    for table in page.tables:
        lines = ["| " + " | ".join(map(_md, row)) + " |" for row in table.lines]
        lines.insert(1, "|" + "---|" * len(table.heads))
        blocks.append("\n".join([f"{_md(table.title)}\n"] * bool(table.title) + lines))
    blocks.append("\n".join(f"- {label(n)}: {_md(str(n))}" for n in page.notes))
    blocks.append(_md(page.footer))
    return "\n\n".join(block for block in blocks if block) + "\n"


def as_latex(page: Page) -> str:
    """booktabs tabulars with their titles above, each a paragraph where there are several; notes below."""
    lines = [f"% {line}" for line in f"{page.title}\n{page.answer}".splitlines() if line]
    lines += [rf"\par {_tex(page.answer)}"] * bool(page.answer and not page.tables)
    for table in page.tables:
        lines += [rf"\par {_tex(table.title)}\\"] * bool(table.title)
        lines += [rf"\begin{{tabular}}{{{'l' * len(table.heads)}}}", r"\toprule"]
        head, *rows = (" & ".join(map(_tex, row)) + r" \\" for row in table.lines)
        lines += [head, r"\midrule", *rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par {{\footnotesize {label(n)}: {_tex(str(n))}}}" for n in page.notes]
    lines += [rf"\par {{\footnotesize {_tex(page.footer)}}}"] * bool(page.footer)
    return visible("\n".join(lines)) + "\n"


def _md(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_|<>[]" else c for c in visible(text))


_NAMES = {  # of letters that LaTeX knows by a command only
    **{"≥": "geq", "∞": "infty", "∝": "propto", "√": "surd", "∈": "in", "Δ": "Delta", "Φ": "Phi", "Π": "Pi"},
    **{"Σ": "Sigma", "β": "beta", "γ": "gamma", "δ": "delta", "λ": "lambda", "π": "pi", "ρ": "rho", "σ": "sigma"},
    "χ": "chi",
}
_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    **{letter: rf"$\{name}$" for letter, name in _NAMES.items()},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{c: "\\" + c for c in "&%#$_{}"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in typeset(visible(text)))


BEGINS = tuple("=+-@\t\r\n＝＋－＠")  # of a formula, in one program or another


def defused(value: object) -> object:
    """A text that would be read as a formula, with an apostrophe before it; anything else, and numbers, as they are.

    Examples
    --------
    >>> defused("=1+1"), defused("-1.5"), defused("632+"), defused(-2)
    ("'=1+1", '-1.5', '632+', -2)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")  # pandas quotes line feeds, but not carriage returns
    if not value.startswith(BEGINS):
        return text
    try:
        float(value)
    except ValueError:
        return f"'{text}"
    return text


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV, without its index; texts in cells and names are `defused`."""
    safe = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, frame.iloc[:, place].astype(object).map(defused))
    safe.columns = [defused(name) for name in frame.columns]
    return str(safe.to_csv(index=False))


class Shown:
    """What a notebook shows as HTML: its page, and its picture where it has one."""

    @abstractmethod
    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered."""

    def _repr_html_(self) -> str:
        style = css("notebook") + files("trueness.result").joinpath("notebook.css").read_text(encoding="utf-8")
        picture = self.figure().short_html() if isinstance(self, Drawn) else ""
        return f'<div class="trueness"><style>{style}</style>{as_html(self.page(), picture)}</div>'


class Drawn(ABC):
    """A result with a picture, which is described once in `figure` and drawn by matplotlib and as SVG."""

    @abstractmethod
    def figure(self, *args: Any, **options: Any) -> Figure:
        """The picture as data: panels of marks, axes and words; `.svg(path)` writes it, `.draw(ax)` draws it."""

    def plot(self, ax: Axes | Sequence[Axes] | None = None, **options: Any) -> Axes:
        """Draw into matplotlib axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw the first panel of the picture; by default a new figure with all of them. A sequence of axes
            has one for each. `plt.subplots(..., layout="constrained")` makes room for names and numbers beside rows,
            which are left out where there is none.
        **options
            As `figure` takes them.

        Returns
        -------
        matplotlib.axes.Axes
            Of the first panel, where there are several.
        """
        return self.figure(**options).draw(ax)


class Cited(ABC):
    """A result of estimates that can say for a paper how it was made, and give its numbers to a logger."""

    @abstractmethod
    def _named(self) -> Iterable[tuple[str, Estimate]]:
        """The estimates by the names that `flat()` gives them."""

    def flat(self) -> dict[str, float]:
        """Numbers by name, for MLflow, W&B and the like: `mlflow.log_metrics(a.flat())`.

        Returns
        -------
        dict of str to float
            "auc", "auc.se", "auc.low", "auc.high" and so on; what is undefined is left out.
        """
        return flat(self._named(), getattr(self, "level", 0.95))

    def methods(self) -> str:
        """What was done, for the methods section of a paper: data, plan, estimators, intervals, numbers and software.

        Sources stand as [@key], as Markdown with a bibliography has them; the keys are those of `bibtex()`.
        """
        return visible(REPORT["methods"](cast(Result, self)))

    def bibtex(self) -> str:
        """The sources that `methods()` cites, as BibTeX."""
        return REPORT["bibtex"](cast(Result, self))


class Result(Shown, ABC):
    """A result as text, HTML, Markdown, LaTeX, JSON, CSV and DataFrame.

    A dataclass declares its `columns` and, as templates with {fields}, its `heading`, `template` and `footnote`, and says
    in `rows` what stands in the table; all else follows, also what `trueness.load` reads.
    """

    heading: ClassVar[str] = ""  # what the page is about
    template: ClassVar[str] = ""  # of the answer
    footnote: ClassVar[str] = ""  # such as assumptions
    columns: ClassVar[Columns] = {}

    def rows(self) -> Iterable[Record]:
        """What stands in the columns, by their names; one row of attributes unless the class says otherwise."""
        return [{name: getattr(self, name) for name in self.columns}]

    def frame(self) -> pd.DataFrame:
        """The tidy, unrounded table."""
        return frame_of(self.columns, self.rows(), self)

    def _tables(self) -> tuple[Table, ...]:
        """The numbers, rounded."""
        heads, rows = cells_of(self.columns, self.rows(), self)
        return (Table(heads, rows),) * bool(rows)

    def answer(self) -> str:
        """The answer in a sentence or two."""
        return filled(self.template, self)

    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered; where a level is given, with intervals of this level."""
        of = self if level is None else replace(cast(Any, self), level=level_of(level))
        heading, footnote = (filled(text, of) for text in (of.heading, of.footnote))
        footer = "\n".join([*filter(None, [footnote]), *(f"Assumes: {a}" for a in getattr(of, "assumptions", ()))])
        return Page(heading.strip(), of.answer(), of._tables(), warnings_first(getattr(of, "notes", ())), footer)

    def noting(self, *notes: Note | None) -> Self:
        """A copy with these notes added, each once; None is skipped."""
        has: tuple[Note, ...] = getattr(self, "notes", ())
        new = tuple(n for n in dict.fromkeys(notes) if n is not None and n not in has)
        return replace(cast(Any, self), notes=has + new) if new else self

    def noted(self, code: str) -> Note | None:
        """The first note with this code, or None."""
        return next((n for n in getattr(self, "notes", ()) if n.code == code), None)

    def to_dict(self) -> Record:
        """Everything but fits, samples and functions, in types that JSON can hold."""
        return cast(Record, encoded(self))

    def text(self) -> str:
        """Plain text."""
        return as_text(self.page())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return str(self)

    def report(self, path: str | Path | None = None) -> str:
        """A page in one HTML file that needs no network: the answer, tables, pictures, notes and how it was made.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.

        Returns
        -------
        str
            The HTML; a prompt shows its size and where it was written, not all of it.
        """
        return kept(REPORT["html"](self), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text, also written to `path` where one is given; `trueness.load` reads it."""
        return kept(pretty(self.to_dict()), path)

    def to_csv(self, path: str | Path | None = None, **options: Any) -> str:
        """The frame as CSV text, also written to `path` where one is given; texts that a spreadsheet would take for
        formulas begin with an apostrophe. Options are those of `frame`, e.g. details=True."""
        return kept(csv_text(self.frame(**options)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """booktabs tables, rounded to the standard errors, also written to `path` where one is given."""
        return kept(as_latex(self.page()), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Markdown tables, rounded to the standard errors, also written to `path` where one is given."""
        return kept(as_markdown(self.page()), path)


def flat(named: Iterable[tuple[str, Estimate]], level: float) -> dict[str, float]:
    """`name`, `name.se`, `name.low` and `name.high` of each estimate; what is undefined is left out."""
    out: dict[str, float] = {}
    for name, e in named:
        row = e.row(level)
        for part in ("value", "se", "low", "high"):
            if row[part] is not None and math.isfinite(row[part]):
                out[plain(name) + f".{part}" * (part != "value")] = float(row[part])
    return out


def plain(name: str) -> str:
    """A name of letters, digits, "_", "-", "." and "/", which every logger takes: "632+" is "632plus"."""
    return re.sub(r"[^\w./-]", "_", re.sub(r"\+$", "plus", name), flags=re.ASCII)


class Document(str):
    """A long text that shows its size at a prompt, not itself; otherwise a str."""

    def __repr__(self) -> str:
        return f"<{max(1, round(len(self.encode()) / 1000))} KB of text; print() shows it>"


def kept(text: str, path: str | Path | None) -> str:
    """The text, written to `path` where one is given."""
    if path is not None:
        write_file(path_of("path", path), text, "path")
    return Document(text)


DETAILS = frozenset(
    {"mc_se", "se_mc_se", "fold_sd", "se_method", "interval", "estimand", "p_low", "p_high", "other_se", "notes"}
)
"""Columns that `frame(details=True)` adds: simulation errors, names of formulas, and sentences."""


def tidy(rows: Iterable[Record] | pd.DataFrame, details: bool, *more: str) -> pd.DataFrame:
    """The rows as a table, without `DETAILS` and the columns of `more` unless these are asked for."""
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    return frame if details else frame.drop(columns=[name for name in frame if name in DETAILS or name in more])


def records(frame: pd.DataFrame) -> list[Record]:
    """One object per row, in types that JSON can hold."""
    return [{str(name): json_value(value) for name, value in row.items()} for row in frame.to_dict("records")]
