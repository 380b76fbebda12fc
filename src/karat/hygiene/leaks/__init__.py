"""The checks of `karat.check`, one topic per file."""

from karat.hygiene.leaks import batches, columns, copies, identifiers, order, preprocessing, splits

__all__ = ["batches", "columns", "copies", "identifiers", "order", "preprocessing", "splits"]
