"""The engine takes a logistic regression only where scikit-learn's solver finds the minimum, too."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting.engines.linear import Logistic
from trueness.fitting.engines.registry import find
from trueness.result.notes import Note
from trueness.sample.sample import Sample


def taken(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the probe hears is no news to the user
        found = find(model, Sample.of(y, X=X))
    return isinstance(found, Logistic)


def shifted(n, p, shift, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + shift * y[:, None], y


def scaled(**options):
    return make_pipeline(StandardScaler(), LogisticRegression(**options))


def with_dates():
    """Seconds since 1970 as one of the features: lbfgs moves along them alone, gains nothing, and stops."""
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    return np.c_[rng.normal(size=(400, 3)) + 0.8 * y[:, None], 1.7e9 + rng.uniform(0, 3e7, 400)], y


def one_large(factor):
    X, y = shifted(100, 3, 1.0)
    X[:, 0] *= factor
    return X, y


def breast_cancer(factor=1.0):
    X, y = load_breast_cancer(return_X_y=True)
    return factor * X, y


def small_scores():
    """Scores so small that a gradient below 1e-4 hardly tells their signs: each training set stops elsewhere."""
    X, y = shifted(60, 1, 1.0, seed=3)
    return 0.05 * (X + 1), y


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (LogisticRegression(), with_dates()),
        (LogisticRegression(), one_large(1e6)),
        (LogisticRegression(), one_large(1e7)),
        (LogisticRegression(), one_large(1e8)),
        (LogisticRegression(solver="newton-cholesky"), one_large(1e8)),  # scipy warns that a matrix is singular
        (LogisticRegression(solver="newton-cholesky"), with_dates()),
        (LogisticRegression(solver="newton-cg", max_iter=3000), breast_cancer(1e3)),  # its line search fails
        (LogisticRegression(C=0.01), small_scores()),
        (LogisticRegression(C=0.01), (1e-4 * shifted(60, 1, 1.0)[0], np.arange(60) % 2)),  # stops where it starts
    ],
)
def test_a_solver_that_stops_elsewhere_is_left_to_itself(model, table):
    assert not taken(model, *table)


def test_the_error_of_the_rule_that_the_user_gets():
    X, y = with_dates()
    design = trueness.Bootstrap(20).draw(y, rng=0)
    ours, generic = (trueness.fit(LogisticRegression(), X, y, design, engine=e) for e in ("auto", "generic"))
    assert ours.engine == "generic"
    np.testing.assert_array_equal(ours.held, generic.held)
    assert trueness.estimate(ours, "error", "apparent").value > 0.35  # that of the minimum is 0.2


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (LogisticRegression(), shifted(200, 5, 0.3)),
        (LogisticRegression(), shifted(1000, 20, 0.3)),
        (LogisticRegression(), one_large(1e3)),
        (LogisticRegression(), one_large(1e-3)),
        (scaled(), breast_cancer()),
        (scaled(C=0.01), breast_cancer()),
        (scaled(solver="newton-cg"), breast_cancer()),
        (LogisticRegression(solver="newton-cholesky"), breast_cancer()),
    ],
)
def test_ordinary_tables_are_taken(model, table):
    X, y = table
    assert taken(model, X, y)
    design = trueness.Bootstrap(20).draw(y, rng=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newton-cg's of single training sets
        ours, generic = (trueness.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
    rules = (f.held_predictions[0:20] for f in (ours, generic))
    assert np.mean(np.not_equal(*rules)) < 2e-3


def test_a_finer_tolerance_settles_small_scores_too():
    assert taken(LogisticRegression(C=0.01, tol=1e-8), *small_scores())


def test_a_penalty_that_scikit_learn_only_calls_old_is_taken():
    assert find(LogisticRegression(penalty="l2"), Sample.of(shifted(200, 5, 0.3)[1], X=shifted(200, 5, 0.3)[0]))


def test_a_note_says_why_the_generic_path_is_taken():
    X, y = with_dates()
    note = find(LogisticRegression(), Sample.of(y, X=X))
    assert isinstance(note, Note)
    assert note.code == "solver-stops-early"
    assert note.data["solver"] == "lbfgs"
    assert note.data["missed"] is None or note.data["missed"] > 0.01
    fits = trueness.fit(LogisticRegression(), X, y, trueness.Bootstrap(3), rng=0)
    assert fits.notes[0].code == "solver-stops-early"


@pytest.mark.parametrize(("solver", "factor"), [("lbfgs", 1e6), ("newton-cg", 1e6), ("newton-cholesky", 1e8)])
def test_curvatures_so_ill_conditioned_that_single_training_sets_fail(solver, factor):
    """All cases may converge, and half of the training sets not: the condition is the square of the factor."""
    assert not taken(LogisticRegression(solver=solver, max_iter=10_000), *one_large(factor))
