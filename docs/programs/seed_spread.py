"""How much the default standard error varies with the seed, by the number of fits: a table of docs/how-many-fits.md.

    python docs/programs/seed_spread.py [--seeds 20] [--forest]

LDA, and its difference from 5-NN, on 100 cases and on all of the breast-cancer data, and on normal features; with
--forest a forest of 100 trees. The seed draws the folds and the bootstrap samples; the cases are the same. The spread
is the SD over the seeds as a share of the mean; beside it the median of what results report (`se_mc_se`). The time is
CPU time of one `assess` of LDA (or of the forest), estimates included.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.errors import TruenessWarning

X, Y = load_breast_cancer(return_X_y=True)
SOME = np.random.default_rng(0).permutation(len(Y))[:100]


def normal(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal features, of which the first differs between the classes by 1.2."""
    rng, y = np.random.default_rng(n), np.arange(n) % 2
    features = rng.normal(size=(n, p))
    features[:, 0] += 1.2 * y
    return features, y


DATA = {
    "breast cancer, 100 cases": (X[SOME], Y[SOME]),
    "normal, 150 cases": normal(150, 5),
    "breast cancer, 569 cases": (X, Y),
    "normal, 1000 cases": normal(1000, 10),
}


def rows_of(models: dict[str, object], cases: tuple[np.ndarray, np.ndarray], fits: int | None, seeds: int) -> list[str]:
    """One row per question: spread of the se, as reported, SD of the value in standard errors; number of fits, time."""
    found, spent, made = [], [], 0
    first, *others = models.values()
    for seed in range(seeds):
        begun = time.process_time()
        a = trueness.assess(first, *cases, rng=seed, fits=fits, checks=False)
        spent.append(time.process_time() - begun)
        each, made = [a["error"], a["auc"]], a.fits.n_fits
        for other in others:
            b = trueness.fit(other, *cases, a.fits.design)
            each += [trueness.difference(a.fits, b, metric, "cv+training") for metric in ("error", "auc")]
        found.append([(e.value, e.se, e.se_mc_se) for e in each])
    value, se, reported = np.moveaxis(np.array(found), 2, 0)
    names = ["error", "AUC", "difference of the errors", "difference of the AUCs"]
    return [
        f"{made} | {name} | {100 * se[:, k].std(ddof=1) / se[:, k].mean():.1f} % "
        f"| {100 * np.median(reported[:, k] / se[:, k]):.1f} % | {value[:, k].std(ddof=1) / se[:, k].mean():.2f} "
        f"| {np.median(spent):.2f}"
        for k, name in enumerate(names[: value.shape[1]])
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--forest", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", TruenessWarning)
    print("| data | fits | of | spread of the se | as reported | SD of the value, in se | CPU s |")
    print("|---|---|---|---|---|---|---|")
    models: dict[str, object] = {"LDA": LinearDiscriminantAnalysis(), "5-NN": KNeighborsClassifier(5)}
    if options.forest:
        models = {"forest": RandomForestClassifier(100)}
    numbers = (60, None) if options.forest else (60, 200, None)
    for name, cases in list(DATA.items())[:1] if options.forest else DATA.items():
        trueness.assess(next(iter(models.values())), *cases, rng=0, fits=60, checks=False)  # compiled once
        for fits in numbers:
            for row in rows_of(models, cases, fits, options.seeds):
                print(f"| {name} | {row} |", flush=True)
    error = 1 / np.sqrt(2 * (options.seeds - 1))
    print(f"\nA spread over {options.seeds} seeds has a Monte-Carlo error of about {100 * error:.0f} % of itself.")


if __name__ == "__main__":
    main()
