"""Choosing among models and features: the best of many, stability, hard cases, weak segments, learning curves."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.selection.best import BestOf as BestOf
    from trueness.selection.best import best_of as best_of
    from trueness.selection.hard_cases import Cases as Cases
    from trueness.selection.hard_cases import cases as cases
    from trueness.selection.learning import learning_curve as learning_curve
    from trueness.selection.segments import WeakSegments as WeakSegments
    from trueness.selection.segments import weak_segments as weak_segments
    from trueness.selection.stable import Stability as Stability
    from trueness.selection.stable import selected as selected
    from trueness.selection.stable import stability as stability

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
