"""Fitting: from a model and a design to Fits. The only room that knows models and joblib."""

from karat.fitting.engine import fit

__all__ = ["fit"]
