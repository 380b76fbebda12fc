"""Closed-form engines: all training sets of a design at once.

An engine is one file with a function `engine(model, table)` that returns an `Engine` where it covers the parameters of
the model, and None otherwise. Models without one are fitted one by one.
"""
