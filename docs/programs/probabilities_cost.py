"""What calibration and the decision curve cost beside `assess`, in CPU seconds at n = 10⁴: prints the table of
docs/calibration.md. The least of several runs each; 10 features, the default plan.

    python docs/programs/probabilities_cost.py [RUNS]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

import trueness

MODELS = {
    "logistic regression": LogisticRegression(),
    "LDA": LinearDiscriminantAnalysis(),
}


def clock(step: Callable[[], object]) -> tuple[object, float]:
    start = time.process_time()
    found = step()
    return found, time.process_time() - start


def main(runs: int = 3, n: int = 10_000) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    y = (rng.random(n) < 1 / (1 + np.exp(1 - X[:, 0]))).astype(int)
    print(
        f"| model, n = {n} | assess | calibration | decision curve with its sentence | share |\n|---|---|---|---|---|"
    )
    for name, model in MODELS.items():
        trueness.assess(model, X[:500], y[:500], rng=0, checks=False).calibration()  # what is compiled or loaded once
        best = np.full(3, np.inf)
        for _ in range(runs):
            a, own = clock(lambda: trueness.assess(model, X, y, rng=0, checks=False))  # noqa: B023 - called at once
            _, of_calibration = clock(a.calibration)  # type: ignore[attr-defined]
            _, of_benefit = clock(lambda: a.decision_curve().sentence())  # type: ignore[attr-defined]  # noqa: B023
            best = np.minimum(best, [own, of_calibration, of_benefit])
        print(f"| {name} | {' | '.join(f'{v:.2f}' for v in best)} | {best[1:].sum() / best[0]:.0%} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*(int(word) for word in sys.argv[1:]))
