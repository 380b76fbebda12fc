"""How often equal systems are called different where clusters have unequal sizes: the table of docs/systems.md.

    python docs/programs/unequal_groups.py --samples 1000

Three systems answer the items of 12 clusters. They are equal on average, but each is better in some clusters than in
others (`interaction`, the SD of that in units of the items' SD). Sizes of clusters: all equal, geometric, lognormal
(σ = 1), and one with half of the items. "One pair" is the share of samples in which the first two differ at .05, "any"
the share in which any of the three pairs does, by adjusted p-values; "G − 1" is one pair with 11 degrees of freedom.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from scipy import stats

from trueness.result.joint import largest_difference, paired_test
from trueness.sample.measured import Means

CLUSTERS = 12
SIZES = {
    "equal": lambda rng: np.full(CLUSTERS, 20),
    "geometric": lambda rng: rng.geometric(1 / 15, CLUSTERS) + 1,
    "lognormal": lambda rng: np.maximum(2, np.round(np.exp(rng.normal(2.5, 1.0, CLUSTERS)))).astype(int),
    "one has half": lambda rng: np.array([10 * (CLUSTERS - 1), *[10] * (CLUSTERS - 1)]),
}


def answers(sizes: np.ndarray, interaction: float, binary: bool, rng: np.random.Generator) -> tuple:
    """(3, n) correctness or scores of the systems, and the cluster of each item."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    items = rng.normal(size=len(sizes))[groups] + rng.normal(size=len(groups))
    own = interaction * rng.normal(size=(3, len(sizes)))[:, groups]
    if binary:
        return (rng.random((3, len(groups))) < 1 / (1 + np.exp(-1 - items - own))).astype(float), groups
    return items + own + rng.normal(size=(3, len(groups))), groups


def rejected(kind: str, interaction: float, binary: bool, samples: int) -> np.ndarray:
    """Shares of samples: one pair, any pair, one pair with G − 1 degrees of freedom."""
    rng, found = np.random.default_rng(1), np.zeros(3)
    for _ in range(samples):
        values, groups = answers(SIZES[kind](rng), interaction, binary, rng)
        measured = Means.over(values, groups, metric="accuracy" if binary else "score", binary=binary)
        pairs = [measured.difference(i, j) for i, j in combinations(range(3), 2)]
        p = [1.0 if test is None else test.p_value for test in (paired_test(d, "paired t") for d in pairs)]
        law = largest_difference(pairs, measured.sums)
        plain = 2 * stats.t.sf(abs(pairs[0].value / (pairs[0].se or np.inf)), CLUSTERS - 1)
        found += p[0] < 0.05, min(p) < 0.05 and law.adjusted(min(p)) < 0.05, plain < 0.05
    return found / samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    samples = parser.parse_args().samples
    print("| values | sizes of 12 clusters | interaction | one pair | any of three | one pair, G − 1 |")
    print("|---|---|---|---|---|---|")
    for binary in (True, False):
        for kind in SIZES:
            for interaction in (0.0, 0.7):
                shares = " | ".join(f"{share:.3f}" for share in rejected(kind, interaction, binary, samples))
                print(f"| {'0/1' if binary else 'scores'} | {kind} | {interaction} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
