"""Mistakes in data and in the use of test sets."""
