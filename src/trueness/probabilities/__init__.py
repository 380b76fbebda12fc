"""Predicted probabilities: calibration, decision curves, optimism, and instability of predictions."""

from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import calibration
from trueness.probabilities.validation import instability, validate

__all__ = [
    "calibration",
    "decision_curve",
    "instability",
    "validate",
]
