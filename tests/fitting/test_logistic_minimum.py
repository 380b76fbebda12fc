"""Minima of logistic regressions against those in long double, and how many training sets get there together."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting.engines import TrainingTable, standardised
from trueness.fitting.engines.linear import Logistic

LONG = np.longdouble
long_enough = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="long double is double here")


def solved(a, b):
    """Cholesky's way, which NumPy has for double only."""
    q, upper, x = len(a), np.zeros_like(a), b.copy()
    for i in range(q):
        upper[i, i:] = a[i, i:] - upper[:i, i] @ upper[:i, i:]
        upper[i, i:] /= np.sqrt(upper[i, i])
        x[i] = (x[i] - upper[:i, i] @ x[:i]) / upper[i, i]
    for i in reversed(range(q)):
        x[i] = (x[i] - upper[i, i + 1 :] @ x[i + 1 :]) / upper[i, i]
    return x


def minimum(X, y, counts, C, scaled):
    """Decision values (n,) at the minimum, second class minus first, by damped Newton steps.

    The penalty of the one vector w of two classes is that of (−w/2, w/2), taken twice.
    """
    X, N, k = X.astype(LONG), counts.astype(LONG), y.max() + 1
    mean = N @ X / N.sum()
    sd = np.sqrt(N @ (X - mean) ** 2 / N.sum())
    z = np.c_[np.ones(len(X), dtype=LONG), (X - mean) / sd]
    q = z.shape[1]
    D = np.r_[LONG(0), np.ones(q - 1, dtype=LONG) if scaled else 1 / sd**2] * (2 if k == 2 else 1)
    T, g = np.eye(k, dtype=LONG)[y].T, np.zeros((k, q), dtype=LONG)

    def cost(g):
        eta = g @ z.T
        top = eta.max(axis=0)
        total = top + np.log(np.exp(eta - top).sum(axis=0))
        return C * (N @ (total - (eta * T).sum(axis=0))) + (D * g**2).sum() / 2, np.exp(eta - total)

    value, share = cost(g)
    for _ in range(200):
        slope = C * ((N * (T - share)) @ z) - D * g
        H = np.zeros((k, q, k, q), dtype=LONG)
        for c in range(k):
            for d in range(k):
                H[c, :, d, :] = C * ((z.T * (N * share[c] * ((c == d) - share[d]))) @ z) + np.eye(q) * C * N.sum() / k
        step = solved(H.reshape(k * q, k * q) + np.diag(np.tile(D, k)), slope.ravel()).reshape(k, q)
        if np.abs(step @ z.T).max() < 1e-12:
            scores = ((g + step) @ z.T).T
            return scores[:, 1] - scores[:, 0] if k == 2 else scores
        length = LONG(1)
        while (new := cost(g + length * step))[0] > value + 1e-16 * abs(value):
            length /= 2
        g, (value, share) = g + length * step, new
    raise ArithmeticError("no minimum")


def engine(C, X, y, scaled):
    """Without the question whether scikit-learn gets there, too."""
    return Logistic(TrainingTable(X, *standardised(X), y, 2, scaled), C)


@long_enough
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("seed", [2, 3])
def test_minima_are_those_of_long_double(seed, C, scaled):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 3)) + rng.normal(size=(2, 3))[y]
    X[:, 0] = np.exp(1.5 * X[:, 0])  # some cases lie far out
    X = X * [1, 0.1, 1e4] + [0, 0, 3e4]
    found = engine(C, X, y, scaled)
    counts = np.asarray(trueness.Bootstrap(6).draw(y, rng=0).counts)
    rules = found.rules(counts)
    assert rules.trusted.all()
    for row in range(6):
        exact = minimum(X, y, counts[row], C, scaled)
        np.testing.assert_allclose(rules.values[row], exact.astype(float), atol=2e-8, rtol=2e-8)


@long_enough
def test_a_weak_penalty_where_scikit_learn_at_its_finest_is_further_away():
    """Nearly separable: its gradient is below 1e-10, and its scores miss the minimum by 3.5e-6."""
    rng = np.random.default_rng(4)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 8)) + 1.5 * rng.normal(size=8) * y[:, None]
    counts = np.asarray(trueness.Bootstrap(4).draw(y, rng=0).counts)
    ours = engine(1e3, X, y, False).rules(counts).values
    exact = np.array([minimum(X, y, row, 1e3, False) for row in counts])
    finest = LogisticRegression(C=1e3, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    rows = [np.repeat(np.arange(120), row) for row in counts]
    theirs = np.array([finest.fit(X[r], y[r]).decision_function(X) for r in rows])
    missed = np.abs(ours - exact).max()
    assert missed < 1e-8
    assert np.abs(theirs - exact).max() > 10 * missed


def test_training_sets_that_need_curvatures_of_their_own(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    calls = []
    honest = Logistic._newton
    monkeypatch.setattr(
        Logistic, "_newton", lambda self, counts, *a: calls.append(len(counts)) or honest(self, counts, *a)
    )
    design = trueness.Bootstrap(60).draw(y, rng=0)
    exact = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10))
    ours, generic = (trueness.fit(exact, X, y, design, engine=e) for e in ("auto", "generic"))
    assert ours.engine == "closed-form logistic"
    assert sum(calls) > 1
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-6, atol=1e-6)


def test_training_sets_that_lack_a_feature_are_left_to_scikit_learn():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2))
    X[:, 1] = np.arange(60) < 2
    counts = np.ones((5, 60), dtype=np.int64)
    counts[:3, :2] = 0
    assert engine(1.0, X, y, True).rules(counts).trusted.tolist() == [False, False, False, True, True]
