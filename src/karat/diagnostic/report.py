"""A table of measures as text, JSON, LaTeX, Markdown and DataFrame."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from karat.result import Estimate
from karat.result.digits import places

HEADS = ("measure", "value", "se", "interval", "method")


class TableReport(ABC):
    """What a table of measures looks like; `_rows` are its Estimates."""

    @abstractmethod
    def _rows(self) -> list[Estimate]: ...

    @abstractmethod
    def _heading(self) -> str: ...

    @abstractmethod
    def _facts(self) -> dict[str, Any]: ...

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """One row a measure: value, se, low, high, method of the interval, notes; blanks where nothing can be said."""
        rows = [(e, e.row(level)) for e in self._rows()]
        return pd.DataFrame(
            [
                {
                    "measure": e.metric,
                    **{k: row[k] for k in ("value", "se", "low", "high")},
                    "method": row["interval"],
                    "notes": row["notes"],
                }
                for e, row in rows
            ]
        )

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """What JSON can hold: undefined numbers are None."""
        measures = {}
        for e in self._rows():
            full = e.to_dict(level)
            measures[e.metric] = {k: full[k] for k in ("value", "se", "low", "high", "interval", "notes")}
        return {**self._facts(), "level": level, "measures": measures}

    def to_json(self, path: str | Path | None = None, level: float = 0.95) -> str:
        """JSON text, written to `path` where one is given. Undefined numbers are null."""
        return _kept(json.dumps(self.to_dict(level), indent=2, ensure_ascii=False, allow_nan=False), path)

    def to_latex(self, path: str | Path | None = None, level: float = 0.95) -> str:
        """A tabular with value, standard error and interval, rounded where the standard error says; notes below."""
        lines = [f"% {line}" if line else "%" for line in self._heading().split("\n")]
        lines += [rf"\begin{{tabular}}{{l{'r' * 3}l}}", " & ".join(map(_tex, self._heads(level))) + r" \\ \hline"]
        lines += [" & ".join(map(_tex, row)) + r" \\" for row in self._cells(level)]
        notes = [rf"\par {{\footnotesize Note: {_tex(note)}}}" for note in self._notes()]
        return _kept("\n".join([*lines, r"\end{tabular}", *notes]) + "\n", path)

    def to_markdown(self, path: str | Path | None = None, level: float = 0.95) -> str:
        """A table in Markdown, and its notes below."""
        lines = [
            "```",
            self._heading(),
            "```",
            "",
            "| " + " | ".join(self._heads(level)) + " |",
            "|---|---:|---:|---:|---|",
        ]
        lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in self._cells(level)]
        notes = [f"- {note}" for note in self._notes()]
        return _kept("\n".join([*lines, *([""] if notes else []), *notes]) + "\n", path)

    def text(self, level: float = 0.95) -> str:
        """The table in plain text, and its notes below."""
        rows = [self._heads(level), *self._cells(level)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADS))]
        lines = [self._heading(), ""]
        for i, row in enumerate(rows):
            lines.append("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
            if i == 0:
                lines.append("  ".join("─" * w for w in widths))
        return "\n".join([*lines, *([""] if self._notes() else []), *[f"Note: {note}" for note in self._notes()]])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{h}</th>" for h in self._heads(0.95))
        body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in self._cells(0.95))
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f"<pre>{escape(self._heading())}</pre><table><tr>{head}</tr>{body}</table>{notes}"

    def _heads(self, level: float) -> list[str]:
        return [h if h != "interval" else f"{100 * level:g} % interval" for h in HEADS]

    def _cells(self, level: float) -> list[list[str]]:
        out = []
        for e in self._rows():
            row, digits = e.row(level), places(e.se)
            limits = "" if row["low"] is None else " – ".join(_limit(row[k], digits) for k in ("low", "high"))
            value = "undefined" if e.value != e.value else f"{e.value:.{digits}f}"
            out.append([e.metric, value, "" if e.se is None else f"{e.se:.{digits}f}", limits, row["interval"] or ""])
        return out

    def _notes(self) -> list[str]:
        """Each note once, with the measures it is about."""
        about: dict[str, list[str]] = {}
        for e in self._rows():
            for note in e.notes:
                about.setdefault(note, []).append(e.metric)
        return [f"{', '.join(names)}: {note}" for note, names in about.items()]


def _limit(value: float, digits: int) -> str:
    """As many digits as the value, and more where nothing but zeros would be seen (the lower limit of a ratio)."""
    if value == 0 or round(value, digits) != 0:
        return f"{value:.{digits}f}"
    return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"


_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{c: "\\" + c for c in "&%#$_{}"},
}


def _tex(text: str) -> str:
    """Text in which no character means anything to LaTeX."""
    return "".join(_TEX.get(c, c) for c in text)


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
