"""What every result can do: show itself, keep itself, draw itself, and write its report."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.result.table import Page, Spell, as_latex, as_markdown, as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawn:
    """A result with a picture."""

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw into matplotlib axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        **options
            As the figure takes them; see karat.plots.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from karat.plots import draw

        return draw(self, ax, **options)


class Result(ABC):
    """A result as text, HTML, Markdown, LaTeX, JSON, CSV and DataFrame.

    A class says what it shows (`page`), its table (`frame`) and its content (`to_dict`); the rest follows.
    """

    @abstractmethod
    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered."""

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """The tidy, unrounded table."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON can hold."""

    def text(self, spell: Spell = str) -> str:
        """Plain text, with parameters spelled by `spell`."""
        return as_text(self.page(), spell)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from karat.report import notebook_html

        return notebook_html(self)

    def report(self, path: str | Path | None = None) -> str:
        """A page in one HTML file that needs no network: the answer, tables, pictures, notes and how it was made.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.

        Returns
        -------
        str
            The HTML.
        """
        from karat.report import html_of

        return kept(html_of(self), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text, also written to `path` where one is given. Undefined numbers are null."""
        return kept(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The frame as CSV text, also written to `path` where one is given; texts that a spreadsheet would take for
        formulas begin with an apostrophe."""
        from karat.result.csv import csv_text

        return kept(csv_text(self.frame()), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """booktabs tables, rounded to the standard errors, also written to `path` where one is given."""
        return kept(as_latex(self.page()), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Markdown tables, rounded to the standard errors, also written to `path` where one is given."""
        return kept(as_markdown(self.page()), path)


def kept(text: str, path: str | Path | None) -> str:
    """The text, written to `path` where one is given."""
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
