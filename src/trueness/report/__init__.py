"""Reports: self-contained HTML pages of results, and their methods in sentences. `result.report(path)` is the way in."""

from trueness.report.checklists import checklist
from trueness.report.methods import bibtex_of, facts, how, methods_of
from trueness.report.pages import html_of
from trueness.result.shown import REPORT

__all__ = ["bibtex_of", "checklist", "facts", "how", "html_of", "methods_of"]

REPORT.update(html=html_of, methods=methods_of, bibtex=bibtex_of)
