"""Studies with known truth: published tables and figures reproduced, and the same machinery for your own.

trueness.studies.names()                                        names of all studies
trueness.studies.run("auc-estimators", trials=1000, rng=0)      → .frame(), .published(), .check(), .plot()
trueness.studies.evaluate(population, model, estimators, ...)   the same table for your own estimator
"""

from trueness.studies.bias_and_variance import bias_variance
from trueness.studies.datasets import DataSet
from trueness.studies.evaluation import evaluate
from trueness.studies.populations import Discrete, Gaussians, Mixture, Population, highleyman, two_gaussians
from trueness.studies.registry import names, run
from trueness.studies.regression import RegressionPopulation, parabola_population
from trueness.studies.result import Claim, StudyFailed, StudyResult
from trueness.studies.trial import Trial

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
    "bias_variance",
    "evaluate",
    "highleyman",
    "names",
    "parabola_population",
    "run",
    "two_gaussians",
]
