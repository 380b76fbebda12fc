"""The engine takes a logistic regression only where scikit-learn's solver finds the minimum, too."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import karat
from karat.fitting.batched import find, logistic, probe
from karat.fitting.threads import _controller
from karat.sample.sample import Sample


def taken(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the probe hears is no news to the user
        found = find(model, Sample.of(y, X=X))
    return found is not None


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
        (LogisticRegression(C=100, max_iter=10_000), load_wine(return_X_y=True)),
        (LogisticRegression(C=100, max_iter=1000), load_iris(return_X_y=True)),
        (scaled(C=100), load_wine(return_X_y=True)),
        (LogisticRegression(C=0.01), small_scores()),
        (LogisticRegression(C=0.01), (1e-4 * shifted(60, 1, 1.0)[0], np.arange(60) % 2)),  # stops where it starts
    ],
)
def test_a_solver_that_stops_elsewhere_is_left_to_itself(model, table):
    assert not taken(model, *table)


def test_the_error_of_the_rule_that_the_user_gets():
    X, y = with_dates()
    design = karat.Bootstrap(20).draw(y, rng=0)
    ours, generic = (karat.fit(LogisticRegression(), X, y, design, engine=e) for e in ("auto", "generic"))
    assert ours.engine == "generic"
    np.testing.assert_array_equal(ours.held, generic.held)
    assert karat.estimate(ours, "error", "apparent").value > 0.35  # that of the minimum is 0.2


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
        (scaled(), load_iris(return_X_y=True)),
        (scaled(), load_wine(return_X_y=True)),
    ],
)
def test_ordinary_tables_are_taken(model, table):
    X, y = table
    assert taken(model, X, y)
    design = karat.Bootstrap(20).draw(y, rng=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newton-cg's of single training sets
        ours, generic = (karat.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
    rules = (f.held_predictions[0:20] for f in (ours, generic))
    assert np.mean(np.not_equal(*rules)) < 2e-3


def test_a_finer_tolerance_settles_small_scores_too():
    assert taken(LogisticRegression(C=0.01, tol=1e-8), *small_scores())


def test_a_penalty_that_scikit_learn_only_calls_old_is_taken():
    assert find(LogisticRegression(penalty="l2"), Sample.of(shifted(200, 5, 0.3)[1], X=shifted(200, 5, 0.3)[0]))


def test_a_training_set_that_behaves_worse_than_all_cases(monkeypatch):
    """Found in one of 200 tables: all cases settle, a resample of them does not."""
    X, y = shifted(60, 3, 1.0)
    model = LogisticRegression(solver="newton-cholesky")
    assert taken(model, X, y)
    asked = []

    def only_all_cases(model, table, rows, honest=probe.probed):
        asked.append(rows)
        return honest(model, table, rows) if isinstance(rows, slice) else None

    monkeypatch.setattr(probe, "probed", only_all_cases)
    assert not taken(model, X, y)
    assert sorted(set(y[asked[1]])) == [0, 1]
    assert len(asked[1]) == 60
    assert len(set(asked[1])) < 50
    asked.clear()
    assert taken(LogisticRegression(), X, y)  # lbfgs in a few steps: no second question
    assert len(asked) == 1


@pytest.mark.parametrize(("solver", "factor"), [("lbfgs", 1e4), ("newton-cg", 1e4), ("newton-cholesky", 1e6)])
def test_curvatures_so_ill_conditioned_that_single_training_sets_fail(solver, factor, monkeypatch):
    """All cases may settle, and half of the training sets not: the condition is the square of the factor."""
    model = LogisticRegression(solver=solver, max_iter=10_000)
    honest = find(model, Sample.of(one_large(factor)[1], X=one_large(factor)[0]))
    monkeypatch.setattr(probe, "missed", lambda *_: 0.003)
    monkeypatch.setattr(probe, "probed", lambda *_: (np.zeros(100), 20))
    assert taken(model, *one_large(factor))
    assert not taken(model, *one_large(100 * factor))
    assert honest is not None
    scores = honest.scores_alone()
    share = 1 / (1 + np.exp(-scores))
    z = np.c_[np.ones(100), one_large(factor)[0]]
    curvature = (z.T * share * (1 - share)) @ z + np.diag([0, 1, 1, 1])
    assert probe.condition(z[:, 1:], scores, 1.0) == pytest.approx(np.linalg.cond(curvature), rel=1e-3)


def test_what_is_missed_is_measured_against_small_scores_too():
    minimum = np.array([-3.0, -1.0, 1.0, 3.0])
    assert probe.missed(minimum, minimum) == 0
    assert probe.missed(1.1 * minimum, minimum) == pytest.approx(np.sqrt(np.mean([0.05**2, 0.075**2])))
    small = 1e-9 * minimum
    unit = np.std(minimum)
    expected = np.sqrt(np.mean((minimum / (unit + np.abs(minimum))) ** 2))
    assert probe.missed(0 * small, small) == pytest.approx(expected)
    assert not probe.missed(minimum, np.full(4, np.nan)) <= 1
    assert not probe.missed(np.zeros(4), np.zeros(4)) <= 1  # scores that are all the same tell nothing


def test_nothing_is_tried_for_a_table_that_the_engine_cannot_take(monkeypatch):
    monkeypatch.setattr(probe, "probed", lambda *a: pytest.fail("a fit for nothing"))
    X, y = load_digits(return_X_y=True)  # pixels that are never set
    assert not taken(LogisticRegression(solver="newton-cholesky"), X, y)


def test_the_probe_runs_on_one_thread(monkeypatch):
    seen = []

    def settles(*_):
        seen.extend(library.num_threads for library in _controller().lib_controllers)
        return True

    monkeypatch.setattr(logistic, "settles", settles)
    with threadpool_limits(2):
        assert taken(LogisticRegression(), *shifted(100, 2, 0.5))
    assert set(seen) == {1}
