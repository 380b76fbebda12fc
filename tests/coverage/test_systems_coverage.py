"""Simultaneous intervals, ranks and tests of systems: how often they hold where the truth is known."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trueness
from trueness.formulas import intervals

pytestmark = pytest.mark.coverage

TRIALS = 500
SYSTEMS = list("abcde")


@pytest.fixture(autouse=True)
def fewer_points(monkeypatch):
    monkeypatch.setattr(intervals, "LOG2_POINTS", 12)  # right to about 0.02 in the critical value, and much faster


def draw(seed, means, n, clusters=None, runs=1):
    """0/1 answers of systems that share the difficulty of items, half of it within clusters; P(right) = Φ(mean/√2)."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(n) if clusters is None else np.arange(n) * clusters // n
    hard = rng.normal(size=n)
    if clusters is not None:
        hard = np.sqrt(0.5) * hard + np.sqrt(0.5) * rng.normal(size=clusters)[cluster]
    parts = []
    for r in range(runs):
        right = (hard[:, None] + means + rng.normal(size=(n, len(means))) > 0).astype(int)
        parts.append(pd.DataFrame(right, columns=SYSTEMS).assign(id=np.arange(n), cluster=cluster, run=r))
    return pd.concat(parts)


@pytest.mark.parametrize(
    ("means", "n", "options"),
    [
        ([0.5, 0.5, 0.5, 0.5, 0.5], 100, {}),
        ([1.2, 0.9, 0.8, 0.2, 0.0], 100, {}),
        ([2.2, 2.2, 2.0, 1.9, 1.9], 50, {}),  # few errors
        ([1.2, 0.9, 0.8, 0.2, 0.0], 200, {"cluster": "cluster"}),
        ([0.5, 0.5, 0.5, 0.5, 0.5], 100, {"run": "run"}),
    ],
    ids=["equal", "different", "few errors", "40 clusters of 5", "3 runs"],
)
def test_all_intervals_and_all_ranks_hold_together(means, n, options):
    means = np.array(means)
    truth = dict(zip(SYSTEMS, stats.norm.cdf(means / np.sqrt(2)), strict=True))
    held = ranked = rejected = 0
    for seed in range(TRIALS):
        frame = draw(seed, means, n, 40 if "cluster" in options else None, 3 if "run" in options else 1)
        k = trueness.systems.compare(frame, systems=SYSTEMS, **options)
        held += all(k.interval((a, b)).covers(truth[a] - truth[b]) for a, b in combinations(SYSTEMS, 2))
        # a tied system may have any of the tied ranks; the set must hold all of them
        best = {s: 1 + sum(truth[o] > truth[s] + 1e-12 for o in SYSTEMS) for s in SYSTEMS}
        worst = {s: 5 - sum(truth[o] < truth[s] - 1e-12 for o in SYSTEMS) for s in SYSTEMS}
        ranked += all(k.ranks[s][0] <= best[s] and worst[s] <= k.ranks[s][1] for s in SYSTEMS)
        rejected += any(k.adjusted[pair] < 0.05 for pair in k.differences)
    print(f"intervals {held / TRIALS:.3f}, ranks {ranked / TRIALS:.3f}, any difference {rejected / TRIALS:.3f}")
    noise = 3 * np.sqrt(0.05 * 0.95 / TRIALS)
    assert held / TRIALS > 0.95 - noise
    assert ranked / TRIALS > 0.95 - noise
    if np.ptp(means) == 0:
        assert rejected / TRIALS < 0.05 + noise
