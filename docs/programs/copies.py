"""Which k a search over k nearest neighbours chooses on noise, inside a bootstrap training set.

The labels have nothing to do with the features, so that no k is better than another, and the inner accuracy should be
½ (a little more, as the best of several). Where copies of a case are on both sides of the inner split, k = 1 finds the
copy of the case.

    python docs/programs/copies.py [data sets]     100 by default, about a minute
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import trueness

NEIGHBOURS = list(range(1, 26, 2))


class Telling(GridSearchCV):
    """A search whose scores are what it chose: k and the accuracy that it expects, in one number."""

    def decision_function(self, X):
        return np.full(len(X), self.best_params_["n_neighbors"] + self.best_score_ / 2)


def search(seed: int) -> Telling:
    splitter = StratifiedKFold(5, shuffle=True, random_state=seed)
    return Telling(KNeighborsClassifier(algorithm="brute"), {"n_neighbors": NEIGHBOURS}, cv=splitter)


def choices(data_sets: int, n: int = 80, p: int = 5) -> dict[str, np.ndarray]:
    """For each way, one (k, expected accuracy) per data set of noise."""
    found: dict[str, list[tuple[int, float]]] = {"copies together": [], "copies apart": [], "no copies": []}
    for seed in range(data_sets):
        X, y = np.random.default_rng(seed).normal(size=(n, p)), np.arange(n) % 2
        design = trueness.Bootstrap(1).draw(y, rng=seed)
        fits = trueness.fit(search(seed), X, y, design, scores="decision_function", engine="generic")
        for way, told in (("copies together", fits.scores[0, 0]), ("no copies", fits.full_scores[0])):
            found[way].append((int(told), 2 * (told % 1)))
        rows = np.repeat(np.arange(n), design.counts[0])
        with threadpool_limits(1):
            rule = search(seed).fit(X[rows], y[rows])
        found["copies apart"].append((rule.best_params_["n_neighbors"], rule.best_score_))
    return {way: np.array(values) for way, values in found.items()}


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for way, told in choices(number).items():
        print(
            f"{way:16} k = 1 in {(told[:, 0] == 1).mean():4.0%} of {number} data sets, "
            f"inner accuracy {told[:, 1].mean():.3f}"
        )
