"""The engines by class of scikit-learn.

Each is a function `(model, table)` that returns an `Engine` where it covers the parameters of the model, and None
otherwise. Models without one are fitted one by one.
"""

from collections.abc import Callable

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from trueness.fitting.engines import Engine, accepted, has, tabulated
from trueness.fitting.engines.discriminant import lda, naive_bayes, qda
from trueness.fitting.engines.knn import knn
from trueness.fitting.engines.linear import logistic, ols, ridge, ridge_regression
from trueness.result.notes import Note
from trueness.sample.sample import Sample
from trueness.typing import Classifier

ENGINES: dict[str, Callable[..., Engine | Note | None]] = {
    "LinearDiscriminantAnalysis": lda,
    "QuadraticDiscriminantAnalysis": qda,
    "GaussianNB": naive_bayes,
    "RidgeClassifier": ridge,
    "LogisticRegression": logistic,
    "KNeighborsClassifier": knn,
    "KNeighborsRegressor": knn,
    "LinearRegression": ols,
    "Ridge": ridge_regression,
}


def find(model: Classifier, sample: Sample) -> Engine | Note | None:
    """The engine for this model on training sets of these cases; None, or a note that says why, where the generic path
    is taken: there is no engine, it does not cover the parameters, or fits one by one are faster."""
    scaled = False
    if isinstance(model, Pipeline) and type(model) is Pipeline:
        steps = [step for _, step in model.steps]
        if len(steps) == 2 and type(steps[0]) is StandardScaler and has(steps[0], with_mean=True, with_std=True):
            scaled, model = True, steps[1]
        elif len(steps) == 1:
            model = steps[0]
    engine = ENGINES.get(type(model).__name__)
    if engine is None or not isinstance(model, BaseEstimator) or not accepted(model):
        return None
    table = tabulated(sample, scaled)
    return None if table is None else engine(model, table)
