"""One renderer: a result describes its pages once; text, HTML, Markdown and LaTeX come from the description.
Frames become CSV that a spreadsheet program does not take for formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import pandas as pd

from trueness.errors import escape, visible
from trueness.result.note import Note


@dataclass(frozen=True)
class Table:
    """Cells of text under heads; `title` stands above where it is given."""

    heads: tuple[str, ...]  # one per column
    rows: tuple[tuple[str, ...], ...]  # cells, already rounded
    title: str = ""  # what the table shows

    @classmethod
    def of(cls, heads: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> Table:
        return cls(tuple(heads), tuple(tuple(row) for row in rows), title)


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
    blocks = [page.title, page.answer, *map(_text_table, page.tables)]
    blocks.append("\n".join(f"{label(n)}: {n}" for n in page.notes))
    blocks.append(page.footer)
    return visible("\n\n".join(block for block in blocks if block))


def _text_table(table: Table) -> str:
    rows = [[visible(cell).replace("\n", "\\n") for cell in row] for row in (table.heads, *table.rows)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.heads))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    rule = "  ".join("─" * w for w in widths)
    return "\n".join([*([table.title] if table.title else []), lines[0], rule, *lines[1:]])


def as_html(page: Page, picture: str = "") -> str:
    """A fragment for a notebook; everything but `picture`, which stands after the answer, is escaped."""
    parts = [_lines(page.title)]
    parts.append(f'<p class="answer">{escape(page.answer)}</p>' if page.answer else "")
    parts.append(picture)
    parts += (f'<div class="wide">{html_table(table)}</div>' for table in page.tables)
    parts += (f"<p><strong>{label(n)}:</strong> {escape(str(n))}</p>" for n in page.notes)
    parts.append(_lines(page.footer))
    return "".join(parts)


def as_notebook(page: Page, picture: str = "") -> str:
    """What a notebook shows, with its own style sheet."""
    from trueness.figures.style import css

    style = css("notebook") + files("trueness.result").joinpath("notebook.css").read_text(encoding="utf-8")
    return f'<div class="trueness"><style>{style}</style>{as_html(page, picture)}</div>'


def _lines(text: str) -> str:
    return f'<p class="about">{"<br>".join(map(escape, text.split(chr(10))))}</p>' if text else ""


def html_table(table: Table) -> str:
    """One table, escaped; without a head where no column has a name."""
    heads = "".join(f'<th scope="col">{escape(h)}</th>' if h else "<td></td>" for h in table.heads)
    head = f"<thead><tr>{heads}</tr></thead>" if any(table.heads) else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>"


def as_markdown(page: Page) -> str:
    """Markdown with pipe tables."""
    blocks = [_md(page.title), f"**{_md(page.answer)}**" if page.answer else ""]
    for table in page.tables:
        lines = ["| " + " | ".join(map(_md, row)) + " |" for row in (table.heads, *table.rows)]
        lines.insert(1, "|" + "---|" * len(table.heads))
        blocks.append("\n".join([*([f"{_md(table.title)}\n"] if table.title else []), *lines]))
    blocks.append("\n".join(f"- {label(n)}: {_md(str(n))}" for n in page.notes))
    blocks.append(_md(page.footer))
    return "\n\n".join(block for block in blocks if block) + "\n"


def as_latex(page: Page) -> str:
    """booktabs tabulars; titles as comments, notes below."""
    about = "\n".join(part for part in (page.title, page.answer) if part)
    lines = [f"% {line}" for line in about.splitlines()]
    lines += [rf"\par {_tex(page.answer)}"] if page.answer and not page.tables else []
    for table in page.tables:
        lines += [f"% {table.title}"] if table.title else []
        lines += [rf"\begin{{tabular}}{{{'l' * len(table.heads)}}}", r"\toprule"]
        lines += [" & ".join(map(_tex, table.heads)) + r" \\", r"\midrule"]
        lines += [" & ".join(map(_tex, row)) + r" \\" for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par {{\footnotesize {label(n)}: {_tex(str(n))}}}" for n in page.notes]
    lines += [rf"\par {{\footnotesize {_tex(page.footer)}}}"] if page.footer else []
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
    return "".join(_TEX.get(c, c) for c in visible(text))


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


def csv_text(frame: pd.DataFrame, index: bool = False) -> str:
    """The frame as CSV; texts in cells and names are `defused`."""
    safe = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, frame.iloc[:, place].astype(object).map(defused))
    safe.columns = [defused(name) for name in frame.columns]
    if index and isinstance(frame.index, pd.MultiIndex):
        safe.index = frame.index.set_levels([level.map(defused) for level in frame.index.levels])
    elif index:
        safe.index = frame.index.map(defused)
    safe.index.names = [defused(name) for name in frame.index.names]
    return str(safe.to_csv(index=index))
