"""Columns: how the rows of a result become the table that people read and the frame that programs read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, Any

import pandas as pd

from trueness.result.words import cells, listed, rounded_p, shown, shown_df, spoken, titled, with_interval

if TYPE_CHECKING:
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


Columns = Mapping[str, Column]
"""By their names in the frame."""


def written(value: Any, form: str, level: float) -> str:
    """A value in a cell or in a sentence."""
    if value is None:
        return ""
    match form:
        case "ci":
            return with_interval(value, level)
        case "se" if not (value.se or 0.0) > ZERO_SE:
            return ""
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

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        self.level = getattr(args[0], "level", 0.95)
        found = f"{100 * self.level:g} %" if key == "percent" else getattr(args[0], str(key))
        return found() if callable(found) else found

    def format_field(self, value: Any, form: str) -> str:
        return written(value, form, self.level)


def filled(template: str, result: Any) -> str:
    """The template with attributes of the result: "AUC {auc:ci} of {model}"; {percent} is the level."""
    return _Template().format(template, result)


def frame_of(columns: Columns, rows: Iterable[Record], result: Any) -> pd.DataFrame:
    """The rows as a tidy, unrounded table; a column that no row has is left out."""
    found, numbers = [], set[str]()
    for row in rows:
        out: Record = {}
        for name, column in columns.items():
            if name in row and column.form not in OF_ESTIMATES:
                out[name] = row[name]
                numbers |= {name} if column.form == "p" else set()
            elif name in row:
                e = row[name] if hasattr(row[name], "ci") else None
                before = "" if name == "value" else f"{name}_"
                low, high = e.ci(getattr(result, column.level, 0.95)) if e and e.has_interval else (None, None)
                own = {
                    "value": {name: e and e.value},
                    "se": {name if column.form == "se" else f"{before}se": e and e.se},
                    "limits": {f"low_{name}": low, f"high_{name}": high},
                }
                own["estimate"] = {**own["value"], **own["se"], f"{before}low": low, f"{before}high": high}
                out |= own[column.form]
                numbers |= own[column.form].keys()
        found.append(out)
    return pd.DataFrame(found).astype(dict.fromkeys(numbers, float))


def cells_of(columns: Columns, rows: Iterable[Record], result: Any) -> tuple[list[str], list[tuple[str, ...]]]:
    """Heads and cells of the table that people read; a column without a head, or with blanks only, is left out."""
    given, heads, across = list(rows), list[str](), list[tuple[str, ...]]()
    for name, column in columns.items():
        level, forms = getattr(result, column.level, 0.95), {column.head: column.form}
        if column.form == "estimate":
            forms = {column.head: "value", "std. error": "se", "{percent} interval": "limits"}
        for head, form in forms.items():
            values = [row.get(name) for row in given]  # a word stands where there is no number
            cells = tuple(v * (head == column.head) if isinstance(v, str) else written(v, form, level) for v in values)
            if head and any(cells):
                heads.append(filled(head, result))
                across.append(cells)
    return heads, list(zip(*across, strict=True))
