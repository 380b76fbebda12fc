"""Studies of the bootstrap: formulas against enumeration and theory, claims on small runs and on wrong tables."""

from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness import studies
from trueness.studies.published.bootstrap_jackknife import _claims as jackknife_claims
from trueness.studies.published.bootstrap_jackknife import jackknife_trial
from trueness.studies.published.bootstrap_support import (
    MIN_TRIALS_TO_DISTINGUISH,
    ordered_support,
    support_sd,
    unordered_support,
)
from trueness.studies.published.bootstrap_support import _claims as support_claims
from trueness.studies.published.no_information import distinct, nearest_on_noise, no_information_auc
from trueness.studies.published.smoothness import effective_steps
from trueness.studies.published.weak_correlation import PRINTED_AVERAGE, printed_parts


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


def test_both_standard_errors_are_those_of_trueness_statistics():
    seed = np.random.SeedSequence(4)
    found = jackknife_trial((20, 400), seed)
    x = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(0,))).exponential(size=20)
    j = trueness.statistics.jackknife(np.var, x)
    assert np.isclose(found["variance jackknife se"], j.se)
    assert np.isclose(found["variance jackknife bias"], j.bias)
    b = trueness.statistics.bootstrap(np.var, x, n_resamples=4000, rng=0)
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
    assert len(result.frame())
    assert result.pictures


def test_two_trials_can_judge_the_support():
    claim = studies.run("bootstrap-support", trials=2, sizes=(20,), resamples=10, test_size=100, n_jobs=1).claims[1]
    assert claim.holds


def test_star_at_the_wrong_sizes_is_found():
    table = pd.DataFrame({"size": [20, 50], "true": [0.62, 0.67], "star at n/.632": [0.61, 0.66]})
    table["star at n/.5"] = [0.63, 0.68]
    for name in ("true", "star at n/.632", "star at n/.5"):
        table[f"{name}_mc"] = 0.002
    shares = pd.DataFrame({f"{kind}{end}": [0.6] for kind in ("ordered", "unordered") for end in ("", ", exact")})
    shares = shares.assign(n=20)
    assert support_claims(table, shares, MIN_TRIALS_TO_DISTINGUISH)[0].holds
    swapped = table.rename(columns=lambda c: c.replace("/.632", "/x").replace("/.5", "/.632").replace("/x", "/.5"))
    assert not support_claims(swapped, shares, MIN_TRIALS_TO_DISTINGUISH)[0].holds
    same = table.assign(**{"star at n/.632": table["true"] - 1e-4, "star at n/.5": table["true"] + 1e-4})
    assert not support_claims(same, shares, MIN_TRIALS_TO_DISTINGUISH)[0].holds


def test_a_wrong_bias_of_the_bootstrap_is_found():
    table = studies.run("bootstrap-jackknife", trials=600, sizes=(10,), resamples=500, n_jobs=1).frame()
    assert jackknife_claims(table)[1].holds
    n = table["size"]
    wrong = table.assign(**{"bias gap": table["bias gap"] + table["bootstrap bias"] / (n - 1)})  # times n/(n − 1)
    assert not jackknife_claims(wrong)[1].holds


def test_different_cases_by_simulation():
    rng = np.random.default_rng(0)
    seen = [len(np.unique(rng.integers(0, 6, size=7))) for _ in range(20_000)]
    expected = distinct(7, 6)
    assert np.allclose(np.bincount(seen, minlength=8) / 20_000, expected, atol=0.015)
    assert expected.sum() == pytest.approx(1)


def test_nearest_neighbour_on_noise():
    assert round(nearest_on_noise(20), 5) == 0.50538
    assert nearest_on_noise(2) == pytest.approx(  # own: one case; other: 1 or 2 different ones of 2
        0.5 * 1 / 2 + 0.5 * 2 / 3
    )
