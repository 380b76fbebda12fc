"""Decisions: tables of true classes and decisions, proportions, costs and Bayes decisions."""

from trueness.diagnostic.bayes import bayes_decision, bayes_error, cost_threshold
from trueness.diagnostic.confusion import confusion
from trueness.diagnostic.diagnose import diagnose
from trueness.diagnostic.diagnosis import Diagnosis
from trueness.diagnostic.measures import MEASURES
from trueness.diagnostic.proportion import ProportionCoverage, coverage, proportion_interval
from trueness.diagnostic.several_classes import SeveralClasses

__all__ = [
    "MEASURES",
    "Diagnosis",
    "ProportionCoverage",
    "SeveralClasses",
    "bayes_decision",
    "bayes_error",
    "confusion",
    "cost_threshold",
    "coverage",
    "diagnose",
    "proportion_interval",
]
