"""How much the default standard error varies with the seed, by the number of fits: a table of docs/appendix/how-many-fits.md.

    python docs/programs/seed_spread.py [--seeds 20]
    python docs/programs/seed_spread.py --time [--trees 100]

LDA, and its difference from 5-NN, on 100 cases and on all of the breast-cancer data, and on normal features. The seed
draws the folds and the bootstrap samples; the cases are the same. The spread is the SD over the seeds as a share of the
mean; beside it the median of what results report (`se_mc_se`). The time is CPU time of one `assess` of LDA, estimates
included. With --time, the CPU time of a forest's default assessment and of scikit-learn's ten times 10-fold
cross-validation of the same forest, with error and AUC.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
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


def forest_time(trees: int) -> str:
    """A default assessment of a forest against scikit-learn's cross-validation: CPU seconds, by turns, least of two."""
    forest, cases = RandomForestClassifier(trees, random_state=0), DATA["breast cancer, 569 cases"]
    spent: dict[str, list[float]] = {"assess": [], "cross_validate": []}
    trueness.assess(RandomForestClassifier(2), *cases, rng=0, fits=60, checks=False)  # compiled once
    made, e = 0, None
    for _ in range(2):
        for name, times in spent.items():
            begun = time.process_time()
            if name == "assess":
                a = trueness.assess(forest, *cases, rng=0)
                made, e = a.fits.n_fits, a["auc"]
            else:
                cross_validate(forest, *cases, cv=RepeatedStratifiedKFold(n_splits=10), scoring=("accuracy", "roc_auc"))
            times.append(time.process_time() - begun)
    ours, theirs = (min(times) for times in spent.values())
    assert e is not None
    return (
        f"Forest of {trees} trees, breast cancer: assess {ours:.1f} s ({made} fits), 10 × 10 cross_validate {theirs:.1f} s, "
        f"{ours / theirs:.2f} times. Another seed changes the standard error of its AUC by {e.se_mc_se / e.se:.0%} (SD)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--fits", nargs="+", type=int, default=[60, 200, 0], help="0: as many as by default")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--trees", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore", TruenessWarning)
    if options.time:
        print(forest_time(options.trees))
        return
    print("| data | fits | of | spread of the se | as reported | SD of the value, in se | CPU s |")
    print("|---|---|---|---|---|---|---|")
    models: dict[str, object] = {"LDA": LinearDiscriminantAnalysis(), "5-NN": KNeighborsClassifier(5)}
    for name in options.data:
        trueness.assess(models["LDA"], *DATA[name], rng=0, fits=60, checks=False)  # compiled once
        for fits in options.fits:
            for row in rows_of(models, DATA[name], fits or None, options.seeds):
                print(f"| {name} | {row} |", flush=True)
    error = 1 / np.sqrt(2 * (options.seeds - 1))
    print(f"\nA spread over {options.seeds} seeds has a Monte-Carlo error of about {100 * error:.0f} % of itself.")


if __name__ == "__main__":
    main()
