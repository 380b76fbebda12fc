"""Arithmetic on arrays: no classes, no input checks, the formula cited at the line."""
