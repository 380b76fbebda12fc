"""Textbook arithmetic on arrays with NumPy and SciPy: no classes, no input checks, the formula cited at the line."""
