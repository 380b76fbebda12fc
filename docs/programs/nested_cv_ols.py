"""Ordinary least squares and nested cross-validation: the example of Bates, Hastie and Tibshirani (2024), section 5.

p = 20 normal features without signal, unit noise, squared error, 10 folds, 90 % intervals, for the error of the rule that
was trained on all cases. The paper draws its result (miscoverage against n): intervals of plain cross-validation miss too
often in small samples, those of nested cross-validation about as often as they should.

    python docs/programs/nested_cv_ols.py [SAMPLES] [SIZE ...]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.linear_model import LinearRegression

import trueness

FEATURES, FOLDS, REPEATS, LEVEL = 20, 10, 10, 0.90


def one(n: int, seed: int) -> tuple[float, list[tuple[float, float]]]:
    """The error of the rule trained on all cases, σ² + |β̂|² + β̂₀², and the intervals of both."""
    rng = np.random.default_rng([2024, n, seed])
    X, y = rng.normal(size=(n, FEATURES)), rng.normal(size=n)
    rule = LinearRegression().fit(X, y)
    error = 1 + float((rule.coef_**2).sum() + rule.intercept_**2)
    plain = trueness.fit(rule, X, y, trueness.KFold(FOLDS), rng=seed)
    nested = trueness.fit(rule, X, y, trueness.plans.NestedKFold(FOLDS, repeats=REPEATS), rng=seed)
    estimates = (
        trueness.estimate(plain, "mse", "cv_pooled", se="naive"),
        trueness.estimate(nested, "mse", "nested_cv"),
    )
    return error, [tuple(e.ci(LEVEL, "wald")) if e.se is not None else (np.nan, np.nan) for e in estimates]


def main() -> None:
    samples, *sizes = [int(v) for v in sys.argv[1:]] or [200, 100, 200]
    warnings.simplefilter("ignore")
    print("| n | samples | cv misses | nested_cv misses | width nested_cv/cv |")
    print("|---|---|---|---|---|", flush=True)
    for n in sizes or [100, 200]:
        found = [one(n, seed) for seed in range(samples)]
        limits = np.array([intervals for _, intervals in found])  # (samples, 2, 2)
        known, truth = ~np.isnan(limits).any(axis=(1, 2)), np.array([error for error, _ in found])
        low, high = np.moveaxis(limits[known], 2, 0)
        missed = ((truth[known, None] < low) | (truth[known, None] > high)).mean(axis=0)
        widths = (high - low).mean(axis=0)
        print(f"| {n} | {known.sum()} | {missed[0]:.1%} | {missed[1]:.1%} | {widths[1] / widths[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
