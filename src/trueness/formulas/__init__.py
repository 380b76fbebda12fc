"""Textbook arithmetic on arrays with NumPy and SciPy: no input checks, the formula cited at the line."""
