"""Estimators: pure functions Contrast → Estimate, with the literature's names.

A new estimator is one file here with a `Method` and its functions, named in `ESTIMATORS` of registry.py; `estimate`,
the command line and the tables find it by its name.
"""

from trueness.estimators.estimation import difference, estimate
from trueness.estimators.method import Estimator
from trueness.estimators.registry import available, find

__all__ = ["Estimator", "available", "difference", "estimate", "find"]
