"""The generic way: what is found out once for all fits changes none of them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.checks import FIT, child
from trueness.fitting.one import seeded


def data(n=40, p=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.poisson(2.0 + y[:, None], size=(n, p)).astype(float) + 0.01 * rng.random((n, 1)), y


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(random_state=3),
        RandomForestClassifier(5),
        SGDClassifier(),
        GaussianNB(priors=[0.3, 0.7]),
        make_pipeline(StandardScaler(), DecisionTreeClassifier()),
        make_pipeline(SelectKBest(k=2), SGDClassifier()),
    ],
    ids=repr,
)
def test_every_fit_is_that_of_a_seeded_clone(model):
    X, y = data()
    design = trueness.Bootstrap(6).draw(y, rng=5)
    wanted = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    fits = trueness.fit(model, X, y, design, engine="generic", scores=wanted)
    for f, counts in enumerate(design.counts):
        rows = np.repeat(np.arange(len(y)), counts)
        rule = seeded(model, child(design.seed, FIT, f)).fit(X[rows], y[rows])
        has_scores = hasattr(rule, "decision_function")
        scores = rule.decision_function(X) if has_scores else rule.predict_proba(X)[:, 1]
        np.testing.assert_array_equal(fits.scores[f], scores)
        np.testing.assert_array_equal(fits.held_predictions[f : f + 1][0], rule.predict(X))


@pytest.mark.parametrize(
    "model", [BernoulliNB(binarize=2.0), MultinomialNB(), ComplementNB(), CategoricalNB()], ids=repr
)
@pytest.mark.parametrize("plan", [trueness.Bootstrap(20), trueness.KFold(4)], ids=lambda p: type(p).__name__)
def test_weights_for_rows_where_models_sum_their_cases(model, plan):
    X, y = data(80)
    X = np.minimum(np.floor(X), 3)
    X[:4] = np.arange(4)[:, None]  # every category is there
    X = np.vstack([X[:4]] * 4 + [X])
    y = np.concatenate([np.repeat([0, 1, 0, 1], 4), y])
    design = plan.draw(y, rng=0)
    fits = trueness.fit(model, X, y, design, scores="predict_proba")
    assert fits.engine == "generic"
    for f, counts in enumerate(design.counts):
        rows = np.repeat(np.arange(len(y)), counts)
        rule = clone(model).fit(X[rows], y[rows])
        tested = np.isfinite(fits.scores[f])
        np.testing.assert_allclose(fits.scores[f][tested], rule.predict_proba(X)[tested, 1], rtol=1e-12)
