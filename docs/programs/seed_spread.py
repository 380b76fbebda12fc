"""How much the default standard error varies with the seed, and what more replicates change: a table of
docs/how-many-fits.md.

    python docs/programs/seed_spread.py [--seeds 50]

LDA on the breast-cancer data and on 100 of its cases. The seed draws the folds and the bootstrap replicates; the cases
are the same. The spread is the SD over the seeds as a share of the mean.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness.errors import TruenessWarning

X, Y = load_breast_cancer(return_X_y=True)
SOME = np.random.default_rng(0).permutation(len(Y))[:100]
PLANS = {
    "the default": trueness.CvBootstrap(),
    "400 replicates": trueness.CvBootstrap(n_resamples=400),
    "400 replicates, 40 repeats": trueness.CvBootstrap(n_resamples=400, repeats=40),
}


def spreads(cases: np.ndarray, plan: trueness.CvBootstrap, seeds: int) -> list[tuple[str, ...]]:
    """One row per metric: mean value, its SD over seeds in standard errors, and the spreads of se and half width."""
    found: dict[str, list[tuple[float, float, float]]] = {"error": [], "auc": []}
    for seed in range(seeds):
        a = trueness.assess(LinearDiscriminantAnalysis(), X[cases], Y[cases], plan=plan, rng=seed, checks=False)
        for metric, rows in found.items():
            low, high = a[metric].ci()
            rows.append((a[metric].value, a[metric].se, (high - low) / 2))
    out = []
    for metric, rows in found.items():
        mean, sd = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        shifted, of_se, of_width = sd[0] / mean[1], sd[1] / mean[1], sd[2] / mean[2]
        out.append((metric, f"{mean[1]:.4f}", f"{100 * of_se:.1f} %", f"{100 * of_width:.1f} %", f"{shifted:.2f}"))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=50)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", TruenessWarning)
    print("| n | plan | metric | mean se | spread of the se | spread of the half width | SD of the value, in se |")
    print("|---|---|---|---|---|---|---|")
    for cases in (SOME, np.arange(len(Y))):
        for name, plan in PLANS.items():
            for row in spreads(cases, plan, seeds):
                print(f"| {len(cases)} | {name} | {' | '.join(row)} |", flush=True)
    error = 1 / np.sqrt(2 * (seeds - 1))
    print(f"\nA spread over {seeds} seeds has a Monte-Carlo error of about {100 * error:.0f} % of itself.")


if __name__ == "__main__":
    main()
