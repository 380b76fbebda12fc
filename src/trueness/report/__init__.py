"""Reports: self-contained HTML pages of results, and what notebooks show. `result.report(path)` is the way in."""

from trueness.report import (  # noqa: F401  (each registers its pages)
    assessment,
    comparison,
    curve,
    curve_pictures,
    learning,
    parts_shown,
    pictures,
    two_sets,
)
from trueness.report.checklists import checklist
from trueness.report.dispatch import html_of, notebook_html
from trueness.report.methods import bibtex_of, methods_of

__all__ = ["bibtex_of", "checklist", "html_of", "methods_of", "notebook_html"]
