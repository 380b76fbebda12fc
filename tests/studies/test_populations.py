"""Populations: moments, densities, posteriors and the Bayes rule against what theory says."""

import numpy as np
import pytest
from scipy import stats

from trueness.errors import InputError
from trueness.studies.populations import Discrete, Gaussians, Mixture, highleyman, two_gaussians


def test_densities_are_scipys():
    population = highleyman()
    X = np.random.default_rng(0).normal(size=(7, 2))
    for label in (0, 1):
        expected = stats.multivariate_normal(population.means[label], population.covariances[label]).logpdf(X)
        assert np.allclose(population.log_densities(X)[:, label], expected)


def test_moments_of_the_draw():
    population = Gaussians([[0, 1], [2, 3]], [[2, 0.5], [0.5, 1]])
    X, y = population.draw((40_000, 40_000), rng=0)
    assert np.allclose(X[y == 1].mean(axis=0), [2, 3], atol=4 * np.sqrt(2 / 40_000))
    assert np.allclose(np.cov(X[y == 0].T), [[2, 0.5], [0.5, 1]], atol=0.06)


def test_priors_set_the_classes_of_an_iid_draw():
    _, y = two_gaussians(1, 1.0, priors=(0.9, 0.1)).draw(100_000, rng=0)
    assert abs(y.mean() - 0.1) < 4 * np.sqrt(0.09 / 100_000)


def test_distance_and_bayes_error_of_two_gaussians():
    population = two_gaussians(5, 1.2)
    step = population.means[1] - population.means[0]
    assert np.isclose(np.sqrt(step @ np.linalg.solve(population.covariances[0], step)), 1.2)
    X, y = population.draw((100_000, 100_000), rng=0)
    wrong = (population.bayes_rule(X) != y).mean()
    assert abs(wrong - stats.norm.cdf(-0.6)) < 4 * np.sqrt(0.25 / 200_000)


def test_costs_move_the_bayes_rule():
    # Wu (2018), exercise 7: N(−1, ¼) and N(1, ¼); missing class 1 costs ten: the border moves by ln 10 / 8
    population = Gaussians([[-1], [1]], [[0.25]])
    border = np.log(10) / 8
    X = np.array([border - 1e-6, border + 1e-6])
    assert population.bayes_rule(X).tolist() == [1, 1]
    assert population.bayes_rule(X, [[0, 10], [1, 0]]).tolist() == [0, 1]


def test_a_mixture_of_one_component_is_that_component():
    plain = highleyman()
    mixture = Mixture(plain, np.eye(2))
    X = plain.draw((3, 3), rng=1)[0]
    assert np.allclose(mixture.log_densities(X), plain.log_densities(X))


def test_mixture_density_integrates_to_one():
    mixture = Mixture(Gaussians([[-2], [0], [3]], [[0.5]]), [[0.2, 0.5, 0.3], [0.6, 0.0, 0.4]])
    grid = np.linspace(-8, 9, 20_001)
    assert np.allclose(np.trapezoid(np.exp(mixture.log_densities(grid)), grid, axis=0), 1)
    X, _ = mixture.draw((50_000, 0), rng=0)
    assert abs(X.mean() - 0.5) < 0.05


def test_discrete_posterior_is_bayes_theorem():
    population = Discrete([0, 1, 2], [[0.5, 0.5, 0], [0.1, 0.3, 0.6]], priors=(0.6, 0.4))
    assert np.allclose(population.posterior([[0], [1], [2]])[:, 1], [0.04 / 0.34, 0.12 / 0.42, 1])
    X, y = population.draw(50_000, rng=0)
    assert abs((X[y == 1, 0] == 2).mean() - 0.6) < 0.02


def test_same_seed_same_cases():
    for population in (highleyman(), Mixture(highleyman(), [[0.5, 0.5], [0.1, 0.9]])):
        assert (population.draw(50, rng=3)[0] == population.draw(50, rng=3)[0]).all()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Gaussians([[0, 0]], np.eye(3)), "covariances"),
        (lambda: Gaussians([[0, 0]], [[1, 2], [2, 1]]), "positive definite"),
        (lambda: two_gaussians(2, 1, priors=(0.5, 0.6)), "sum 1"),
        (lambda: Discrete([0, 0], [[0.5, 0.5]]), "the same"),
        (lambda: Discrete([0, 1], [[0.5, 0.5]]).log_densities([[3.0]]), "none of the points"),
        (lambda: highleyman().draw((1, 2, 3)), "size"),
        (lambda: highleyman().log_densities([[1.0, 2.0, 3.0]]), "2 columns"),
    ],
)
def test_what_is_not_accepted(make, says):
    with pytest.raises(InputError, match=says):
        make()
