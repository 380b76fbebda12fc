"""Reports: self-contained HTML pages of results, and their methods in sentences. `result.report(path)` is the way in."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueness.report.checklists import checklist
    from trueness.report.methods import bibtex_of, methods_of
    from trueness.report.pages import html_of

FILES = {
    "bibtex_of": "methods",
    "checklist": "checklists",
    "html_of": "pages",
    "methods_of": "methods",
}

__all__ = ["bibtex_of", "checklist", "html_of", "methods_of"]


def __getattr__(name: str) -> Any:
    if name not in FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{FILES[name]}"), name)
