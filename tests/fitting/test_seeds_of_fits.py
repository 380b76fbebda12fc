"""Random states inside a model come from the seed of the fit."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import trueness


def test_an_unseeded_splitter_inside_a_search_has_the_fits_own_seed(two_gaussians):
    X, y = two_gaussians
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=StratifiedKFold(3, shuffle=True))
    design = trueness.Bootstrap(6).draw(y, rng=0)
    one, two = (trueness.fit(search, X, y, design).scores for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert search.cv.random_state is None
    forest = RandomForestClassifier(3, random_state=None)
    np.testing.assert_array_equal(*(trueness.fit(forest, X, y, design).scores for _ in range(2)))
