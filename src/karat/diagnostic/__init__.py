"""Decisions: tables of true classes and decisions, proportions, costs and Bayes decisions."""

from karat.diagnostic.bayes import bayes_decision, bayes_error, cost_threshold
from karat.diagnostic.confusion import confusion
from karat.diagnostic.diagnose import diagnose
from karat.diagnostic.diagnosis import Diagnosis
from karat.diagnostic.measures import MEASURES
from karat.diagnostic.proportion import ProportionCoverage, coverage, proportion_interval
from karat.diagnostic.several_classes import SeveralClasses

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
