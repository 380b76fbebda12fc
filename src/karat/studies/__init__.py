"""Studies with known truth: published tables and figures reproduced, and the same machinery for your own.

karat.studies.names()                                        names of all studies
karat.studies.run("auc-estimators", trials=1000, rng=0)      → .frame(), .published(), .check(), .plot()
karat.studies.evaluate(population, model, estimators, ...)   the same table for your own estimator
"""

from karat.sample.populations import Discrete, Gaussians, Mixture, Population, highleyman, two_gaussians
from karat.studies.datasets import DataSet
from karat.studies.evaluation import evaluate
from karat.studies.registry import names, run
from karat.studies.regression import RegressionPopulation, parabola_population
from karat.studies.result import Claim, StudyFailed, StudyResult
from karat.studies.trial import Trial

__all__ = [
    "Claim",
    "DataSet",
    "Discrete",
    "Gaussians",
    "Mixture",
    "Population",
    "RegressionPopulation",
    "StudyFailed",
    "StudyResult",
    "Trial",
    "evaluate",
    "highleyman",
    "names",
    "parabola_population",
    "run",
    "two_gaussians",
]
