"""Reports: self-contained HTML pages of results, and what notebooks show. `result.report(path)` is the way in."""

from karat.report import assessment, comparison, curve, opening, two_sets  # noqa: F401  (each registers its pages)
from karat.report.dispatch import html_of, notebook_html

__all__ = ["html_of", "notebook_html"]
