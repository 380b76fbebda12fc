"""Nearest centroid decides by distances of which rounding leaves enough, and leaves the rest to scikit-learn."""

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting.engines.registry import find


def both(model, X, y, plan):
    design = plan.draw(y, rng=0)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
    assert ours.engine.startswith("closed-form nearest centroid")
    assert ours.failed == generic.failed
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
    np.testing.assert_array_equal(ours.full_predictions, generic.full_predictions)
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("plan", [trueness.KFold(5, repeats=4), trueness.Bootstrap(40)], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("far", [1e6, 1e10, 1e13])
def test_one_gross_outlier_of_a_class(plan, classes, far):
    """The centroids of the other classes lie close together, seen from there."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 2)) + 2 * y[:, None]
    X[0, 0] = far
    both(NearestCentroid(), X, y, plan)


@pytest.mark.parametrize("far", [1e6, 1e10, 1e13])
def test_an_outlier_leaves_the_others_their_digits(far):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + 2 * y[:, None]
    X[0, 0] = far
    counts = rng.multinomial(60, np.full(60, 1 / 60), size=100)
    undecided = np.flatnonzero(~find(NearestCentroid(), trueness.sample.Sample.of(y, X=X)).rules(counts).trusted)
    np.testing.assert_array_equal(undecided, np.flatnonzero(counts[:, 0] == 0))  # scikit-learn cannot tell the scores


@pytest.mark.filterwarnings("ignore:.* of 60 rows of X are copies")
@pytest.mark.parametrize("model", [NearestCentroid(), make_pipeline(StandardScaler(), NearestCentroid())], ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("p", [1, 2])
def test_equal_distances_are_scikit_learns_to_choose_among(model, classes, p):
    rng = np.random.default_rng(1)
    y = np.arange(60) % classes
    X = np.rint(2 * rng.normal(size=(60, p)) + y[:, None])
    both(model, X, y, trueness.Bootstrap(80))


def test_the_first_of_equal_centroids():
    """Both in the middle: scikit-learn takes the first, and so do we."""
    y = np.repeat([0, 1], 4)
    X = np.array([-3.0, -1.0, 1.0, 3.0, -2.0, -1.0, 1.0, 2.0])[:, None]
    counts = np.ones((1, 8), dtype=np.uint8)
    rules = find(NearestCentroid(), trueness.sample.Sample.of(y, X=X)).rules(counts)
    assert rules.trusted.tolist() == [False]
    assert not NearestCentroid().fit(X, y).predict(X).any()
    assert not rules.predictions.any()


def test_what_is_sure_is_not_fitted_again():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 3
    X = rng.normal(size=(200, 4)) + y[:, None]
    engine = find(NearestCentroid(), trueness.sample.Sample.of(y, X=X))
    assert engine.rules(rng.multinomial(200, np.full(200, 1 / 200), size=100)).trusted.all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", [1.0, 100.0, 1e4, 1e8, 2.0**27, 1e12])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("where", ["a constant column", "all columns"])
def test_far_from_zero_scikit_learn_loses_digits_and_is_followed(size, scaled, where):
    """‖x‖² − 2x·μ + ‖μ‖² cancels. The closed form is exact there: it has the scores without the constant column. The
    rule that is assessed is scikit-learn's, with its rounding."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    X = X + size if where == "all columns" else np.column_stack([X, np.full(60, size)])
    model = make_pipeline(StandardScaler(), NearestCentroid()) if scaled else NearestCentroid()
    design = trueness.Bootstrap(20).draw(y, rng=0)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
    if size <= 100:
        assert ours.engine.startswith("closed-form")
