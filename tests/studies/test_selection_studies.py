"""Selection outside cross-validation, and the three-way split."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from trueness import studies
from trueness.studies.published.three_way_split import NEIGHBOURS, POPULATION, errors_of_k


def test_noise_seems_to_predict_where_features_are_selected_outside():
    r = studies.run("selection-outside", trials=4, rng=0, n_jobs=1)
    assert r.check()
    table = r.frame().set_index("selection")
    assert table.loc["outside", "error"] < 0.1
    assert abs(table.loc["inside", "error"] - 0.5) < 4 * table.loc["inside", "error_mc"]
    assert r.published()["error"].tolist() == [0.03]


def test_without_selection_inside_and_outside_are_the_same():
    table = studies.run("selection-outside", trials=3, features=20, kept=20, rng=0, n_jobs=1).frame()
    assert table["error"].nunique() == 1


@pytest.mark.parametrize("n", [6, 60])
def test_all_k_at_once_are_scikit_learns(n):
    rng = np.random.default_rng(n)
    train, test = POPULATION.draw([n // 2] * 2, rng), POPULATION.draw([40, 40], rng)
    ks = [min(k, n) for k in NEIGHBOURS]
    slow = [1 - KNeighborsClassifier(k).fit(*train).score(*test) for k in ks if k % 2]
    fast = [e for e, k in zip(errors_of_k(train, test), ks, strict=True) if k % 2]
    assert np.allclose(fast, slow)


def test_the_three_way_split_fails_with_few_cases_and_works_with_many():
    r = studies.run("three-way-split", trials=100, sizes=(100, 1000), rng=0, n_jobs=1)
    assert r.check()
    table = r.frame().set_index(["size", "validation"])
    assert table.loc[(100, "1/10"), "regret"] > table.loc[(1000, "1/10"), "regret"]
