"""`result.help()`: what a result is, and what can be asked of it, from its docstrings."""

from __future__ import annotations

import inspect
import textwrap
from functools import cached_property
from itertools import pairwise
from types import FunctionType

from trueness.result.shown import Drawn, Result

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
