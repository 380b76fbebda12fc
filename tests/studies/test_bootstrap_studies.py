"""The studies of the bootstrap itself: their arithmetic against enumeration and theory, their claims on a small run."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import karat
from karat import studies
from karat.studies.published.bootstrap_jackknife import jackknife_trial
from karat.studies.published.bootstrap_support import ordered_support, support_sd, unordered_support
from karat.studies.published.no_information import no_information_auc
from karat.studies.published.smoothness import effective_steps
from karat.studies.published.weak_correlation import PRINTED_AVERAGE, printed_parts


@pytest.mark.parametrize("n", [2, 3, 4])
def test_supports_by_full_enumeration(n):
    ordered = np.mean([len(set(draw)) / n for draw in product(range(n), repeat=n)])
    unordered = np.mean([len(set(draw)) / n for draw in combinations_with_replacement(range(n), n)])
    assert np.isclose(ordered, ordered_support(n))
    assert np.isclose(unordered, unordered_support(n))
    assert np.isclose(np.std([len(set(draw)) / n for draw in product(range(n), repeat=n)]), support_sd(n, True))
    multisets = combinations_with_replacement(range(n), n)
    assert np.isclose(np.std([len(set(draw)) / n for draw in multisets]), support_sd(n, False))


def test_no_information_auc_is_a_half_with_ties_and_unequal_classes():
    rng = np.random.default_rng(0)
    for scores in (rng.normal(size=9), rng.integers(0, 3, size=9).astype(float), np.zeros(9)):
        assert no_information_auc(scores, np.arange(9) < 3) == 0.5


def test_effective_steps():
    assert effective_steps(np.array([0, 0, 1, 1.0])) == 1
    assert np.isclose(effective_steps(np.linspace(0, 5, 51)), 50)
    assert np.isclose(effective_steps(np.array([0, 1, 1, 2, 2, 3.0])), 3)
    assert np.isnan(effective_steps(np.ones(4)))


def test_both_standard_errors_are_those_of_karat_statistics():
    seed = np.random.SeedSequence(4)
    found = jackknife_trial((20, 400), seed)
    x = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(0,))).exponential(size=20)
    j = karat.statistics.jackknife(np.var, x)
    assert np.isclose(found["variance jackknife se"], j.se)
    assert np.isclose(found["variance jackknife bias"], j.bias)
    b = karat.statistics.bootstrap(np.var, x, n_resamples=4000, rng=0)
    assert abs(found["variance bootstrap se"] / b.se - 1) < 0.2


def test_the_printed_decomposition_gives_the_printed_average():
    star = printed_parts()[lambda t: t["estimator"] == "star"]
    assert np.isclose(star["sd_ratio"].mean(), 0.413, atol=6e-4)
    assert np.isclose(star["correlation"].mean(), 0.290, atol=6e-4)
    assert np.isclose(star["gain"].mean(), PRINTED_AVERAGE, atol=1e-3)


SMALL = {
    "weak-correlation": {"trials": 60, "sizes": (20,), "resamples": 50},
    "bootstrap-support": {"trials": 40, "sizes": (20,), "resamples": 50, "test_size": 2000},
    "bootstrap-jackknife": {"trials": 150, "sizes": (10, 51), "resamples": 200},
    "no-information": {"trials": 20, "sizes": (15,), "resamples": 60},
    "smoothness": {"trials": 2, "steps": 40, "resamples": 100},
}


@pytest.mark.parametrize("name", SMALL)
def test_claims_hold_on_a_small_run(name):
    result = studies.run(name, n_jobs=1, rng=1, **SMALL[name])
    result.check()
    assert len(result.table())
    assert result.pictures


def test_two_trials_can_judge_the_support():
    claim = studies.run("bootstrap-support", trials=2, sizes=(20,), resamples=10, test_size=100, n_jobs=1).claims[1]
    assert "the support is" in claim.says
    assert claim.holds
