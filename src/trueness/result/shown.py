"""What every result can do: show itself, keep itself, draw itself, and write its report."""

from __future__ import annotations

import inspect
import json
import math
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from trueness.checks import path_of, write_file
from trueness.errors import visible
from trueness.result.table import Page, as_latex, as_markdown, as_notebook, as_text
from trueness.typing import Axes, Record

if TYPE_CHECKING:
    from trueness.figures import Figure
    from trueness.result.estimate import Estimate


class Shown:
    """What a notebook shows as HTML: its page, and its picture where it has one."""

    @abstractmethod
    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered."""

    def _repr_html_(self) -> str:
        return as_notebook(self.page(), self.figure().html() if isinstance(self, Drawn) else "")


class Drawn(ABC):
    """A result with a picture, which is described once in `figure` and drawn by matplotlib and as SVG."""

    @abstractmethod
    def figure(self, *args: Any, **options: Any) -> Figure:
        """The picture as data: panels of marks, axes and words; `.svg(path)` writes it, `.draw(ax)` draws it."""

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw into matplotlib axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
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
        from trueness.report import methods_of

        return Document(visible(methods_of(cast(Result, self))))

    def bibtex(self) -> str:
        """The sources that `methods()` cites, as BibTeX."""
        from trueness.report import bibtex_of

        return Document(bibtex_of(cast(Result, self)))


class Result(Shown, ABC):
    """A result as text, HTML, Markdown, LaTeX, JSON, CSV and DataFrame.

    A class says what it shows (`page`), its table (`frame`) and its content (`to_dict`); the rest follows.
    """

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """The tidy, unrounded table."""

    @abstractmethod
    def to_dict(self) -> Record:
        """Everything, in types that JSON can hold."""

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
        from trueness.report import html_of

        return written(html_of(self), path)

    def help(self) -> None:
        """Print what this is and what can be asked of it."""
        from trueness.result.shown import help_of

        print(help_of(self))

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text, also written to `path` where one is given. Undefined numbers are null."""
        return kept(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False, default=json_value), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The frame as CSV text, also written to `path` where one is given; texts that a spreadsheet would take for
        formulas begin with an apostrophe."""
        from trueness.result.table import csv_text

        return kept(csv_text(self.frame()), path)

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
        parts = {"": row["value"], ".se": row["se"], ".low": row["low"], ".high": row["high"]}
        known = {part: value for part, value in parts.items() if value is not None and math.isfinite(value)}
        out |= {f"{plain(name)}{part}": float(value) for part, value in known.items()}
    return out


def plain(name: str) -> str:
    """A name of letters, digits, "_", "-", "." and "/", which every logger takes: "632+" is "632plus"."""
    return re.sub(r"[^\w./-]", "_", re.sub(r"\+$", "plus", name), flags=re.ASCII)


class Document(str):
    """A long text that shows its size at a prompt, not itself; otherwise a str."""

    place: str

    def __new__(cls, text: str, place: str = "") -> Document:
        self = super().__new__(cls, text)
        self.place = place
        return self

    def __repr__(self) -> str:
        size = f"{max(1, round(len(self.encode()) / 1000))} KB"
        return f"<{size} written to {self.place}>" if self.place else f"<{size} of text; print() shows it>"


def written(html: str, path: str | Path | None) -> str:
    """A page, which is too long for a prompt, written to `path` where one is given."""
    return Document(kept(html, path), "" if path is None else str(path))


def kept(text: str, path: str | Path | None) -> str:
    """The text, written to `path` where one is given."""
    if path is None:
        return text
    write_file(path_of("path", path), text, "path")
    return Document(text, str(path))


def kept_provenance(provenance: Mapping[str, Any]) -> Record:
    """Without the times of the run: the same seed gives the same JSON."""
    return {name: value for name, value in provenance.items() if name not in ("begun", "seconds")}


def records(frame: pd.DataFrame) -> list[Record]:
    """One object per row, in types that JSON can hold."""
    return [{str(name): json_value(value) for name, value in row.items()} for row in frame.to_dict("records")]


def json_value(value: Any) -> Any:
    """A Python number that JSON can hold; None where it is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


WIDTH = 90  # letters of a line
NAMES_WIDTH = 30  # of names that share a description
SHOWN = "print(), frame(), report(path), to_json(path), to_csv(path), to_markdown(path), to_latex(path)"


def help_of(result: Result) -> str:
    """The first line of the docstring, attributes, and the methods that this kind of result has of its own."""
    kind = type(result)
    common = set(dir(Result)) | set(dir(Drawn))
    asked = {}
    for name in sorted(set(dir(kind)) - common):
        found = inspect.getattr_static(kind, name)
        said = _first(found.__doc__) if isinstance(found, (property, cached_property, FunctionType)) else ""
        if said and not name.startswith("_"):
            asked[f"{name}()" if isinstance(found, FunctionType) else name] = said
    shown = f"plot(), {SHOWN}" if isinstance(result, Drawn) else SHOWN
    blocks = [
        f"{kind.__name__}: {_first(kind.__doc__)}.",
        _listed("Has", _attributes(inspect.getdoc(kind) or "")),
        _listed("Ask", asked),
        f"Show and keep\n  {shown}",
    ]
    return "\n\n".join(block for block in blocks if block)


def _first(doc: str | None) -> str:
    """The first sentence of a docstring, in one line, cut to fit a screen."""
    sentence = " ".join((doc or "").split("\n\n")[0].split()).split(". ")[0].rstrip(".")
    return textwrap.shorten(sentence, WIDTH, placeholder=" …")


def _listed(title: str, lines: dict[str, str]) -> str:
    width = max((len(name) for name in lines), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {said}" for name, said in lines.items())]) if lines else ""


def _attributes(doc: str) -> dict[str, str]:
    """The section Attributes of a numpydoc docstring: names and the first sentence of what each is."""
    _, _, section = doc.partition("Attributes\n----------\n")
    lines = [line for line in section.split("\n\n")[0].splitlines() if line]
    heads = [k for k, line in enumerate(lines) if not line.startswith(" ")] + [len(lines)]
    return {
        textwrap.shorten(lines[a].split(" : ")[0], NAMES_WIDTH, placeholder=" …"): _first(" ".join(lines[a + 1 : b]))
        for a, b in pairwise(heads)
    }
