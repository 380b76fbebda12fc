"""A page on a terminal: colours where it has them, tables and notes as wide as it is."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from trueness.result.table import Page, Table, label

WIDEST = 100  # columns; longer lines are hard to read
STYLES = {"Warning": "bold yellow", "Note": "bold"}


def print_page(page: Page, console: Console | None = None) -> None:
    """Print the answer first in bold, then tables, notes and how it was made."""
    console = console or Console(highlight=False)
    console.width = min(console.width, WIDEST)
    blocks: list[list[Text | RichTable]] = [[Text(page.title, "dim")] if page.title else []]
    blocks.append([Text(page.answer, "bold")] if page.answer else [])
    blocks += [_table(table) for table in page.tables]
    blocks.append([Text.assemble((label(n), STYLES[label(n)]), ": ", str(n)) for n in page.notes])
    blocks.append([Text(page.footer, "dim")] if page.footer else [])
    for k, block in enumerate(block for block in blocks if block):
        if k:
            console.print()
        for part in block:
            console.print(part)


def _table(table: Table) -> list[Text | RichTable]:
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for head in table.heads:
        shown.add_column(Text(head), overflow="fold")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return [*([Text(table.title, "italic")] if table.title else []), shown]
