"""Fitting: from a model and a design to Fits. The only room that knows models and joblib."""

from trueness.fitting.engine import fit

__all__ = ["fit"]
