"""Decisions: tables of true and decided classes, proportions, costs and Bayes."""

from karat.diagnostic.confusion import confusion
from karat.diagnostic.diagnose import diagnose
from karat.diagnostic.diagnosis import Diagnosis
from karat.diagnostic.measures import MEASURES
from karat.diagnostic.proportion import coverage, proportion_interval
from karat.diagnostic.several import SeveralClasses

__all__ = ["MEASURES", "Diagnosis", "SeveralClasses", "confusion", "coverage", "diagnose", "proportion_interval"]
