"""Predicted probabilities: calibration, decision curves, optimism, distributions of risk, and instability of predictions."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.probabilities.benefit import decision_curve as decision_curve
    from trueness.probabilities.by_outcome import reclassification as reclassification
    from trueness.probabilities.by_outcome import risks as risks
    from trueness.probabilities.calibrated import calibration as calibration
    from trueness.probabilities.validation import instability as instability
    from trueness.probabilities.validation import validate as validate

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
