"""Decisions: tables of true classes and decisions, proportions, costs and Bayes decisions."""

from trueness.tables.bayes import bayes_decision, bayes_error, cost_threshold
from trueness.tables.diagnose import confusion
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.estimation import MEASURES
from trueness.tables.proportion import coverage, proportion_interval
from trueness.tables.several_classes import SeveralClasses

__all__ = [
    "MEASURES",
    "Diagnosis",
    "SeveralClasses",
    "bayes_decision",
    "bayes_error",
    "confusion",
    "cost_threshold",
    "coverage",
    "proportion_interval",
]
