"""Choosing among models and features: the best of many, stability, hard cases, learning curves."""

from typing import TYPE_CHECKING

from trueness import lazily

if TYPE_CHECKING:
    from trueness.selection.best import BestOf as BestOf
    from trueness.selection.best import best_of as best_of
    from trueness.selection.hard_cases import Cases as Cases
    from trueness.selection.hard_cases import cases as cases
    from trueness.selection.learning import learning_curve as learning_curve
    from trueness.selection.stable import Stability as Stability
    from trueness.selection.stable import selected as selected
    from trueness.selection.stable import stability as stability

_HOME = {
    "BestOf": "trueness.selection.best",
    "best_of": "trueness.selection.best",
    "Cases": "trueness.selection.hard_cases",
    "cases": "trueness.selection.hard_cases",
    "Stability": "trueness.selection.stable",
    "stability": "trueness.selection.stable",
    "selected": "trueness.selection.stable",
    "learning_curve": "trueness.selection.learning",
}
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
