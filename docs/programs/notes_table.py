"""Write the table of docs/notes.md from the catalogue: `python docs/programs/notes_table.py`."""

import re
from pathlib import Path

from trueness.result.notes import CATALOGUE

PAGE = Path(__file__).parents[1] / "notes.md"
HEAD = "| code | severity | text |\n|---|---|---|\n"


def table() -> str:
    """One row per kind of note."""
    kinds = sorted(CATALOGUE)
    return HEAD + "".join(f"| `{kind.code}` | {kind.severity} | {kind.text} |\n" for kind in kinds)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"\| code \|.*?\n(?!\|)", lambda _: table(), text, count=1, flags=re.S), encoding="utf-8")
