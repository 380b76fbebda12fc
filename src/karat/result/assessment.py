"""Assessment: all estimates of one model, as a table that can be read, printed and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from karat.errors import InputError, UndefinedError
from karat.result.digits import places, shown
from karat.result.estimate import Estimate
from karat.result.note import Note

RECIPE = (
    "The final model, its features and settings are those of the fit on all cases; the numbers speak of the recipe "
    "that made it."
)


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """What `karat.assess` returns: `a["auc", "lpob"]` is an Estimate, `a.table()` a DataFrame.

    Attributes
    ----------
    estimates
        By (metric, method).
    model
        The model, in words.
    level
        Of the intervals in tables.
    notes
        What the reader should know.
    skipped
        Why an estimate was not computed, by (metric, method).
    fits
        The Fits behind it, for further questions.
    """

    estimates: Mapping[tuple[str, str], Estimate]
    model: str
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Any = field(default=None, repr=False)
    skipped: Mapping[tuple[str, str], Note] = field(default_factory=dict)

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        try:
            return self.estimates[key]
        except (KeyError, TypeError):
            raise self._missing(key) from None

    def _missing(self, key: Any) -> InputError:
        """Why there is no such estimate: the note about it, or what there is instead."""
        name = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if key in self.skipped:
            return UndefinedError(f"{name} was not computed", fix=self.skipped[key].message)
        metric, method = next(iter(self.estimates))
        there = ", ".join(f"{m} {k}" for m, k in self.estimates)
        return InputError(
            "there is no such estimate", got=repr(key), fix=f'Ask e.g. a["{metric}", "{method}"]; here: {there}'
        )

    def __repr__(self) -> str:
        return str(self)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.estimates)

    def table(self, level: float | None = None) -> pd.DataFrame:
        """One row an estimate; blanks (None) where nothing can be said."""
        return pd.DataFrame([e.row(level or self.level) for e in self.estimates.values()])

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "level": self.level,
            "estimates": [e.to_dict(self.level) for e in self.estimates.values()],
            "notes": [n.to_dict() for n in self.notes],
            "skipped": [{"metric": m, "method": k, "note": n.to_dict()} for (m, k), n in self.skipped.items()],
            "provenance": dict(self.provenance),
        }

    def to_json(self, path: str | Path | None = None) -> str | None:
        """JSON text, or nothing where it is written to `path`. Undefined numbers are null."""
        return _kept(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False), path)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """The table as CSV text, or nothing where it is written to `path`."""
        return _kept(self.table().to_csv(index=False), path)

    def to_latex(self, path: str | Path | None = None) -> str | None:
        """A tabular with value, standard error and interval, rounded where the standard error says."""
        lines = [
            r"\begin{tabular}{llrrr}",
            rf"metric & method & value & se & {self.level:.0%} interval \\ \hline".replace("%", r"\%"),
        ]
        for row in self._rows():
            cells = [row["metric"], row["method"], row["value"], row["se"], row["limits"]]
            lines.append(" & ".join(cell.replace("_", r"\_") for cell in cells) + r" \\")
        return _kept("\n".join([*lines, r"\end{tabular}"]) + "\n", path)

    def _rows(self) -> list[dict[str, str]]:
        rows = []
        for e in self.estimates.values():
            raw = e.row(self.level)
            digits = places(e.se if e.se is not None else e.mc_se)
            low, high = raw["low"], raw["high"]
            rows.append(
                {
                    "metric": e.metric,
                    "method": e.method,
                    "value": f"{e.value:.{digits}f}" if e.value == e.value else "undefined",
                    "se": shown(e.se, e.se),
                    "limits": "" if low is None else f"{low:.{digits}f} – {high:.{digits}f}",
                    "mc_se": "" if e.mc_se is None else f"{e.mc_se:.1g}",
                    "how": " ".join(part for part in (e.se_method, raw["interval"]) if part),
                }
            )
        return rows

    def __str__(self) -> str:
        heads = {
            "metric": "metric",
            "method": "method",
            "value": "value",
            "se": "se",
            "limits": f"{self.level:.0%} interval",
            "mc_se": "MC error",
            "how": "standard error, interval",
        }
        rows = [heads, *self._rows()]
        widths = {k: max(len(r[k]) for r in rows) for k in heads}
        lines = [f"{self.model}", f"{self.provenance.get('design', '')}", ""]
        for i, row in enumerate(rows):
            lines.append("  ".join(row[k].ljust(widths[k]) for k in heads).rstrip())
            if i == 0:
                lines.append("  ".join("─" * widths[k] for k in heads))
        lines.append("")
        lines += [f"{'Warning' if n.severity == 'warning' else 'Note'}: {n}" for n in self._said()]
        return "\n".join([*lines, RECIPE])

    def _said(self) -> tuple[Note, ...]:
        return (*self.notes, *self.skipped.values())

    def _repr_html_(self) -> str:
        body = "".join(
            "<tr>"
            + "".join(f"<td>{row[k]}</td>" for k in ("metric", "method", "value", "se", "limits", "how"))
            + "</tr>"
            for row in self._rows()
        )
        said = "".join(f"<p>{n}</p>" for n in self._said())
        above = f"<p><b>{escape(self.model)}</b><br>{escape(str(self.provenance.get('design', '')))}</p>"
        head = f"<tr><th>metric<th>method<th>value<th>se<th>{self.level:.0%} interval<th>how</tr>"
        return f"{above}<table>{head}{body}</table>{said}<p>{RECIPE}</p>"


def _kept(text: str, path: str | Path | None) -> str | None:
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8")
    return None
