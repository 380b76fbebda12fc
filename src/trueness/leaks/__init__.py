"""The checks of `trueness.check`: of columns in columns.py, of cases in copies.py."""
