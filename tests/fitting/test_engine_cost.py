"""Engines where there are many features: the choice, and the same answers."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.errors import InputError
from trueness.fitting.engines.registry import find
from trueness.fitting.engines.run import MAX_NUMBERS, blocks
from trueness.kernels.engines import SWEPT_ROWS, inverses
from trueness.sample import Sample


@pytest.mark.parametrize(
    ("model", "n", "p", "scaled", "together"),
    [
        (LogisticRegression(), 100, 60, True, True),
        (LogisticRegression(), 100, 200, True, False),
        (RidgeClassifier(), 100, 500, True, False),
        (RidgeClassifier(), 500, 400, False, False),
        (LDA(), 500, 100, False, True),
        (KNeighborsClassifier(), 100, 2000, True, False),
        (KNeighborsClassifier(), 100, 2000, False, True),
    ],
)
def test_engines_are_used_where_they_are_faster(model, n, p, scaled, together):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    given = make_pipeline(StandardScaler(), model) if scaled else model
    assert (find(given, Sample.of(y, X=rng.normal(size=(n, p)))) is not None) is together


def wide(n=60, p=200, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(2, 3, size=(n, p)) + 0.6 * y[:, None], y


@pytest.mark.parametrize("model", [LDA(), LogisticRegression(), KNeighborsClassifier(3)])
def test_more_features_than_cases_are_the_models_own(model):
    X, y = wide(40, 150)
    fits = trueness.fit(make_pipeline(StandardScaler(), model), X, y, trueness.KFold(4), rng=0)
    same = trueness.fit(make_pipeline(StandardScaler(), model), X, y, trueness.KFold(4), rng=0, engine="generic")
    if fits.engine == "generic":
        np.testing.assert_array_equal(fits.held, same.held)
    else:
        np.testing.assert_allclose(fits.held, same.held, atol=1e-8)


@pytest.mark.parametrize("p", [140, SWEPT_ROWS + 6])
def test_many_features_without_phi(p):
    X, y = wide(400, p)
    design = trueness.Bootstrap(6).draw(y, rng=0)
    one, other = (trueness.fit(LDA(), X, y, design, engine=engine) for engine in ("auto", "generic"))
    assert one.engine == "closed-form lda"
    np.testing.assert_allclose(one.scores, other.scores, rtol=0, atol=1e-8)


def test_large_matrices_are_inverted_one_by_one():
    rng = np.random.default_rng(0)
    p = SWEPT_ROWS + 5
    root = rng.normal(size=(3, p, 2 * p))
    matrices = root @ np.swapaxes(root, 1, 2)
    matrices[1] = -matrices[1]
    inverse, logdet = inverses(matrices)
    for k in (0, 2):
        np.testing.assert_allclose(inverse[k] @ matrices[k], np.eye(p), atol=1e-9)
        assert logdet[k] == pytest.approx(np.linalg.slogdet(matrices[k])[1])
    assert np.isnan(inverse[1]).all()
    assert np.isnan(logdet[1])


def test_blocks_hold_as_many_training_sets_as_there_is_room_for():
    design = trueness.Bootstrap(300).draw(np.arange(100) % 2, rng=0)
    assert [len(b) for b in blocks(design)] == [300]
    assert {len(b) for b in blocks(design, MAX_NUMBERS // 2)} == {2}
    assert {len(b) for b in blocks(design, 2 * MAX_NUMBERS)} == {1}


def test_too_little_memory_is_said_before_the_first_fit(monkeypatch):
    X, y = wide(40, 5)
    monkeypatch.setattr("trueness.sample.rows.free_memory", lambda: 1000.0)
    for engine in ("auto", "generic"):
        with pytest.raises(InputError, match=r"not enough memory for the fits on 40 cases.*GB needed") as caught:
            trueness.assess(LDA(), X, y, rng=0, engine=engine)
        assert caught.value.param == "plan"


def test_free_memory_is_a_number_of_bytes():
    from trueness.sample.rows import free_memory

    assert free_memory() > 1e6
