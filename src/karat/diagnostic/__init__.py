"""Decisions: tables of true and decided classes, proportions, costs and Bayes."""

from karat.diagnostic.bayes import bayes_decision, bayes_error, cost_threshold
from karat.diagnostic.confusion import confusion
from karat.diagnostic.diagnose import diagnose
from karat.diagnostic.diagnosis import Diagnosis
from karat.diagnostic.measures import MEASURES
from karat.diagnostic.proportion import coverage, proportion_interval
from karat.diagnostic.several import SeveralClasses

__all__ = [
    "MEASURES",
    "Diagnosis",
    "SeveralClasses",
    "bayes_decision",
    "bayes_error",
    "confusion",
    "cost_threshold",
    "coverage",
    "diagnose",
    "proportion_interval",
]
