"""Choosing among models and features: the best of many, stability, hard cases, weak segments, learning curves."""

from trueness.selection.best import BestOf, best_of
from trueness.selection.hard_cases import Cases, cases
from trueness.selection.learning import learning_curve
from trueness.selection.segments import WeakSegments, weak_segments
from trueness.selection.stable import Stability, selected, stability

__all__ = [
    "BestOf",
    "Cases",
    "Stability",
    "WeakSegments",
    "best_of",
    "cases",
    "learning_curve",
    "selected",
    "stability",
    "weak_segments",
]
