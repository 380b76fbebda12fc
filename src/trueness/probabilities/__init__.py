"""Predicted probabilities: calibration, decision curves, and optimism."""

from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import calibration
from trueness.probabilities.validation import validate

__all__ = [
    "calibration",
    "decision_curve",
    "validate",
]
