"""A case that made up most of a variance is left out: what remains of the variance has lost its digits with it."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness

MODELS = [
    GaussianNB(),
    GaussianNB(var_smoothing=0.01),
    make_pipeline(StandardScaler(), GaussianNB()),
    QDA(),
    QDA(reg_param=0.1),
]


def a_code_for_missing(code):
    """Both classes vary alike in the first feature, so that however far away a case is, the second decides."""
    rng = np.random.default_rng(0)
    y = np.append(np.repeat([0, 1], 30), 1)
    second = rng.normal(size=15).repeat(2)
    X = np.column_stack([np.tile([-1.0, 1.0], 30), np.concatenate([second, 1.5 * second + 0.5])])
    return np.vstack([X, [code, 0.3]]), y


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("code", [9.0, 99.0, 999.0, 9999.0])
@pytest.mark.parametrize(
    "plan", [trueness.plans.LeaveOneOut(), trueness.KFold(20, repeats=3)], ids=lambda p: type(p).__name__
)
def test_a_code_for_missing_in_a_feature_of_two_values(model, code, plan):
    X, y = a_code_for_missing(code)
    design = plan.draw(y, rng=0)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
    assert ours.engine.startswith("closed-form")
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
