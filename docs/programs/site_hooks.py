"""What mkdocs does to the pages besides its own work: pages that live outside docs/, names of the API, examples, links.

The pages stay plain Markdown that reads well in the repository and runs as doctests.
"""

from __future__ import annotations

import inspect
import posixpath
import re
import textwrap
from html import escape, unescape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {
    "benchmarks.md": "benchmarks/RESULTS.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
WIDTH = 86  # letters of a line that need no scrolling on a wide screen
FENCE = re.compile(r"^(```.*?^```)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Pages made of files outside docs/."""
    from mkdocs.structure.files import File

    for page, path in OUTSIDE.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        text = text.replace("](docs/decisions)", "](decisions/001-kinds-instead-of-plan-classes.md)").replace(
            "](docs/", "]("
        )
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page as mkdocs shall read it."""
    here = posixpath.dirname(page.file.src_uri)
    parts = FENCE.split(api_names(markdown))
    return "".join(example(part) if part.startswith("```") else links(part, here) for part in parts)


def on_page_content(html: str, **_: Any) -> str:
    """The page with buttons that copy the code of an example, without prompts and output (the theme reads data-copy)."""
    return re.sub(r'<div class="([^"]*\bhighlight)">(?=<pre)(.*?)</div>', copied, html, flags=re.DOTALL)


def copied(match: re.Match[str]) -> str:
    """A highlighted session, with its code beside it."""
    code = unescape(re.sub(r"<[^>]+>", "", match[2]))
    lines = [line[4:] for line in code.split("\n") if line.startswith((">>> ", "... ")) or line == "..."]
    if not code.startswith(">>> "):
        return match[0]
    return f'<div class="{match[1]}" data-copy="{escape(chr(10).join(lines))}">{match[2]}</div>'


def api_names(markdown: str) -> str:
    """`::: trueness.assess` becomes the path of the object, whose heading stays the public name."""
    import trueness

    def written(match: re.Match[str]) -> str:
        name = match[1]
        found = getattr(trueness, name)
        if inspect.ismodule(found):
            return match[0]
        return f"::: {found.__module__}.{name}\n    options:\n      heading: trueness.{name}\n      toc_label: {name}\n"

    return re.sub(r"^::: trueness\.(\w+)$", written, markdown, flags=re.MULTILINE)


def example(block: str) -> str:
    """A doctest as a console session, without what only doctest needs."""
    if not re.match(r"```python\n>>>", block):
        return block
    block = block.replace("```python", "```pycon", 1).replace("<BLANKLINE>", "")
    block = re.sub(r"[ ]*# doctest: .*$", "", block, flags=re.MULTILINE)
    block = "\n".join(map(wrapped, block.split("\n")))
    return re.sub(r"\n+```$", "\n```", block)


def wrapped(line: str) -> str:
    """A sentence of the output in several lines; code and tables as they are."""
    if len(line) <= WIDTH or line.startswith((">>>", "...", " ")) or "  " in line:
        return line
    return textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def links(text: str, here: str) -> str:
    """Links to files outside docs/ lead to their pages, or become plain text; `docs/page.md` becomes a link."""
    for page, path in OUTSIDE.items():
        text = re.sub(rf"\]\((?:\.\./)+{re.escape(path)}\)", f"]({posixpath.relpath(page, here or '.')})", text)
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:tests|src)/[^)]+\)", r"\1", text)

    def link(match: re.Match[str]) -> str:
        if not (ROOT / "docs" / match[1]).exists():
            return match[0]
        return f"[{match[1]}]({posixpath.relpath(match[1], here or '.')})"

    return re.sub(r"(?<![\w/(`\[])docs/((?:[\w-]+/)*[\w-]+\.md)(?![)\]`])", link, text)
