"""Monte Carlo errors of a decomposition: against the spread over seeds, and against the exact mean error."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness import studies
from trueness.studies.bias_and_variance import PARTS
from trueness.studies.regression import Polynomial, parabola_population
from trueness.studies.truth import coefficients, linear_truth

POPULATION = studies.two_gaussians(2, 1.5)
LDA = LinearDiscriminantAnalysis()


@pytest.fixture(scope="module")
def seeds():
    """The decomposition of LDA with 40 seeds: other training sets and other points."""
    return [
        trueness.studies.bias_variance(LDA, POPULATION, (25, 25), training_sets=20, points=200, rng=seed).row()
        for seed in range(40)
    ]


@pytest.mark.parametrize("part", PARTS)
def test_the_errors_are_what_another_seed_changes(seeds, part):
    spread = np.std([row[part] for row in seeds], ddof=1)
    said = np.sqrt(np.mean([row[f"{part}_mc"] ** 2 for row in seeds]))
    assert 0.7 < said / spread < 1.4  # without the points' part the error would be .3 of it


def test_the_exact_mean_error_is_within_the_errors(seeds):
    rng = np.random.default_rng(0)
    rules = [LinearDiscriminantAnalysis().fit(*POPULATION.draw((25, 25), rng)) for _ in range(500)]
    exact = 0.2356  # the mean of 2000 rules is within .001 of it
    assert abs(np.mean([linear_truth(*coefficients(rule), POPULATION, "error") for rule in rules]) - exact) < 0.002
    z = np.array([(row["error"] - exact) / row["error_mc"] for row in seeds])
    assert np.abs(z).max() < 4
    assert abs(z.mean()) < 3 / np.sqrt(len(z))


def test_points_that_are_given_have_no_error_of_their_own():
    X, _ = POPULATION.draw((100, 100), rng=0)
    drawn = trueness.studies.bias_variance(LDA, POPULATION, (25, 25), training_sets=20, points=200, rng=0)
    given = trueness.studies.bias_variance(LDA, POPULATION, (25, 25), training_sets=20, points=X, rng=0)
    assert given.error_mc < 0.5 * drawn.error_mc


def test_the_errors_of_squared_loss():
    rows = [
        trueness.studies.bias_variance(
            Polynomial(15), parabola_population(), 30, training_sets=20, points=50, rng=seed
        ).row()
        for seed in range(40)
    ]
    for part in ("error", "variance"):
        said = np.sqrt(np.mean([row[f"{part}_mc"] ** 2 for row in rows]))
        assert 0.7 < said / np.std([row[part] for row in rows], ddof=1) < 1.4
    assert rows[0]["noise_mc"] == 0  # σ² is known


def test_two_training_sets():
    found = trueness.studies.bias_variance(LDA, POPULATION, (25, 25), training_sets=2, points=50, rng=0)
    assert found.error_mc > 0
    assert np.isnan(found.bias_mc)
    assert "±" in str(found)
