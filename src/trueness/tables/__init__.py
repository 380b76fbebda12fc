"""Decisions: tables of true classes and decisions, proportions, costs and Bayes decisions."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.tables.bayes import bayes_decision as bayes_decision
    from trueness.tables.bayes import bayes_error as bayes_error
    from trueness.tables.bayes import cost_threshold as cost_threshold
    from trueness.tables.diagnose import confusion as confusion
    from trueness.tables.diagnosis import Diagnosis as Diagnosis
    from trueness.tables.estimation import MEASURES as MEASURES
    from trueness.tables.proportion import ProportionCoverage as ProportionCoverage
    from trueness.tables.proportion import coverage as coverage
    from trueness.tables.proportion import proportion_interval as proportion_interval
    from trueness.tables.several_classes import SeveralClasses as SeveralClasses

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
