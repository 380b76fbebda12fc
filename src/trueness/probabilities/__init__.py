"""Predicted probabilities: calibration, decision curves, optimism, distributions of risk, and instability of predictions."""

from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.by_outcome import reclassification, risks
from trueness.probabilities.calibrated import calibration
from trueness.probabilities.validation import instability, validate

__all__ = [
    "calibration",
    "decision_curve",
    "instability",
    "reclassification",
    "risks",
    "validate",
]
