"""Reports: self-contained HTML pages of results."""

from karat.report.comparison import comparison_page

__all__ = ["comparison_page"]
