"""Family-wise error with few items or clusters, the order of the systems, and many of them."""

import time
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.result.joint import largest_difference, paired_test
from trueness.sample.measured import Means


@pytest.mark.parametrize(("systems", "items", "clusters"), [(8, 10, None), (8, 20, None), (4, 32, 8)], ids=str)
def test_noise_is_seldom_a_difference_of_any_pair(systems, items, clusters):
    """300 samples: .05 + 2.5 standard errors; common denominators had .11 with 8 systems and 10 items."""
    rng, samples, found = np.random.default_rng(1), 300, 0
    groups = None if clusters is None else np.repeat(np.arange(clusters), items // clusters)
    for _ in range(samples):
        measured = Means.over(rng.normal(size=(systems, items)), groups, metric="score")
        differences = [measured.difference(*pair) for pair in combinations(range(systems), 2)]
        law = largest_difference(differences, measured.sums)
        found += law.adjusted(min(paired_test(d, "t").p_value for d in differences)) < 0.05
    assert found / samples < 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / samples)


@pytest.mark.parametrize("metric", ["score", "accuracy"])
@pytest.mark.parametrize("items", [20, 120])
def test_the_order_of_systems_changes_no_number(metric, items):
    values = np.random.default_rng(0).normal(size=(items, 6)) + np.linspace(0, 0.6, 6)
    table = pd.DataFrame(values if metric == "score" else (values > 0).astype(float), columns=[*"abcdef"])
    table["id"] = range(items)
    first = trueness.systems.compare(table, item="id", systems=[*"abcdef"], metric=metric)
    for order in ("fedcba", "cafebd"):
        k = trueness.systems.compare(table, item="id", systems=[*order], metric=metric)
        for pair, p in first.adjusted.items():
            there = pair if pair in k.adjusted else pair[::-1]
            assert k.adjusted[there] == p
        assert k.pair_level == first.pair_level


def test_a_hundred_systems_take_seconds():
    """Of the process, not of the clock; it was minutes, half of them for the laws of McNemar's test."""
    rng = np.random.default_rng(0)
    able = rng.normal(size=(500, 1)) + 0.5 * rng.normal(size=100)
    table = pd.DataFrame((rng.random((500, 100)) < 1 / (1 + np.exp(-able))).astype(int)).add_prefix("s")
    begun = time.process_time()
    k = trueness.systems.compare(table.assign(id=range(500)), systems=[*table])
    assert time.process_time() - begun < 15
    assert len(k.adjusted) == 4950
