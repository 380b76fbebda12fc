"""Gross outliers: do a robust scaler, or ranks of each feature, help? How often the default covers with each.

    python docs/programs/outliers.py [--samples 40]

LDA, 100 + 100 cases, five normal features, the first shifted by 1.5, 1 % of the cells times 30. The truth is the mean
error over training sets of as many cases. Prints a table of docs/default-interval.md.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, RobustScaler

import trueness

LDA = LinearDiscriminantAnalysis()
MODELS = {
    "LDA": LDA,
    "RobustScaler, LDA": make_pipeline(RobustScaler(), LDA),
    "QuantileTransformer, LDA": make_pipeline(QuantileTransformer(n_quantiles=50, output_distribution="normal"), LDA),
}


def drawn(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 5))
    X[:, 0] += 1.5 * y
    X[rng.random(X.shape) < 0.01] *= 30
    return X, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    options = parser.parse_args()
    samples = options.samples
    warnings.simplefilter("ignore")
    print("| model | true error | covers | width / ± 1.96 SD | noted |\n|---|---|---|---|---|")
    for name, model in ((name, MODELS[name]) for name in options.models):
        rng = np.random.default_rng(1)
        test, y_test = drawn(20_000, rng)
        truth = np.mean([(clone(model).fit(*drawn(200, rng)).predict(test) != y_test).mean() for _ in range(100)])
        found = []
        for seed in range(samples):
            X, y = drawn(200, np.random.default_rng([2, seed]))
            fits = trueness.fit(model, X, y, trueness.CvBootstrap(stratified="fixed"), rng=seed, progress=False)
            e = trueness.estimate(fits, "error", "cv+training")
            found.append((e.value, *e.ci(), e.noted("few-cases-decide") is not None))
        value, low, high, noted = np.array(found).T
        covers, ideal = np.mean((low <= truth) & (truth <= high)), 3.92 * value.std()
        print(
            f"| {name} | {truth:.3f} | {covers:.3f} | {np.median(high - low) / ideal:.2f} | {noted.mean():.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
