"""Columns: how the rows of a result become the table that people read and the frame that programs read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, Any

import pandas as pd

from trueness.result.words import cells, listed, rounded_p, shown, shown_df, spoken, titled, with_interval

if TYPE_CHECKING:
    from trueness.result.estimate import Estimate
    from trueness.typing import Record


ZERO_SE = 1e-12  # where all cases are alike the plug-in formula gives 0, which is no standard error
OF_ESTIMATES = ("estimate", "value", "se", "limits")


@dataclass(frozen=True)
class Column:
    """What stands in a column.

    Attributes
    ----------
    head : str
        Its head, with {fields} of the result; "" where only the frame has the column.
    form : {"", "estimate", "value", "se", "limits", "ci", "p", "df", "%", "words", "title"} or str
        How its values are written. An "estimate" has columns of its own for the standard error and the limits; "value",
        "se" and "limits" show a part of it, and "ci" is "0.91 (0.85 to 0.95)". Anything else is a format of Python, such
        as ".3f".
    level : str
        The attribute with the level of its intervals.
    """

    head: str
    form: str = ""
    level: str = "level"

    def heads(self) -> tuple[str, ...]:
        """Heads of the table: one, or those of an estimate."""
        return (self.head, "std. error", "{percent} interval") if self.form == "estimate" else (self.head,)

    def cells(self, value: Any, level: float) -> tuple[str, ...]:
        """Cells of the table, one per head."""
        if value is None or isinstance(value, str):  # a word stands where there is no number
            return (value or "", *[""] * (len(self.heads()) - 1))
        if self.form == "estimate":
            number, se, limits, _ = cells(value, level)
            return number, se if (value.se or 0.0) > ZERO_SE else "", limits
        return (written(value, self.form, level),)

    def values(self, name: str, value: Any, level: float) -> Record:
        """What the frame has of it, unrounded."""
        if self.form not in OF_ESTIMATES:
            return {name: value}
        e: Estimate | None = None if isinstance(value, str) else value
        number, se = (None, None) if e is None else (e.value, e.se)
        if self.form in ("value", "se"):
            return {name: number if self.form == "value" else se}
        low, high = e.ci(level) if e is not None and e.has_interval else (None, None)
        if self.form == "limits":
            return {f"low_{name}": low, f"high_{name}": high}
        before = "" if name == "value" else f"{name}_"
        return {name: number, f"{before}se": se, f"{before}low": low, f"{before}high": high}


Columns = Mapping[str, Column]
"""By their names in the frame."""


def written(value: Any, form: str, level: float) -> str:
    """A value in a cell or in a sentence."""
    if value is None:
        return ""
    match form:
        case "ci":
            return with_interval(value, level)
        case "value" | "se" | "limits":
            return str(getattr(cells(value, level), form))
        case "df":
            return shown_df(value)
        case "p":
            return rounded_p(value)
        case "%":
            return f"{100 * value:.0f} %"
        case "words":
            return spoken(value)
        case "title":
            return titled(value)
        case "" if isinstance(value, float):
            return shown(value)
        case "" if isinstance(value, (tuple, list)):
            return listed(value)
    if isinstance(value, float):  # z: never -0.00
        return format(value, form.replace(".", "z.")).replace("inf", "∞").replace("nan", "undefined")
    return format(value, form)


class _Template(Formatter):
    """Fields are attributes of a result, written as cells of a table are."""

    def __init__(self, result: Any, level: float) -> None:
        self.result, self.level = result, level

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        found = f"{100 * self.level:g} %" if key == "percent" else getattr(self.result, str(key))
        return found() if callable(found) else found

    def format_field(self, value: Any, form: str) -> str:
        return written(value, form, self.level)


def filled(template: str, result: Any, level: float) -> str:
    """The template with attributes of the result: "AUC {auc:ci} of {model}"; {percent} is the level."""
    return _Template(result, level).format(template)


def own_level(result: Any, name: str = "level") -> float:
    """The level of its intervals."""
    return float(getattr(result, name, 0.95))


def frame_of(columns: Columns, rows: Iterable[Record], result: Any) -> pd.DataFrame:
    """The rows as a tidy, unrounded table; a column that no row has is left out."""
    found = []
    for row in rows:
        given = {name: column for name, column in columns.items() if name in row}
        parts = (c.values(name, row[name], own_level(result, c.level)) for name, c in given.items())
        found.append({name: value for part in parts for name, value in part.items()})
    frame = pd.DataFrame(found)
    numbers = [n for name, c in columns.items() if c.form in OF_ESTIMATES for n in c.values(name, None, 0.95)]
    return frame.astype({name: float for name in numbers if name in frame})


def cells_of(columns: Columns, rows: Iterable[Record], result: Any) -> tuple[list[str], list[tuple[str, ...]]]:
    """Heads and cells of the table that people read; a column without a head, or with blanks only, is left out."""
    given, heads, across = list(rows), list[str](), list[tuple[str, ...]]()
    for name, column in columns.items():
        level = own_level(result, column.level)
        of_rows = [column.cells(row.get(name), level) for row in given]
        for k, head in enumerate(column.heads()):
            cells = tuple(found[k] for found in of_rows)
            if head and any(cells):
                heads.append(filled(head, result, own_level(result)))
                across.append(cells)
    return heads, list(zip(*across, strict=True))
