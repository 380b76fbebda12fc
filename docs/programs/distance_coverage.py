"""How often the 95 % intervals of ICI, E50 and E90 cover on a test set, and how often the limits of E90 are below those of
E50.

Settings, written down before the first run: x ~ N(0, 0.7²), logit P(y = 1) = a + b x, p = expit(x); 400 samples of n = 400
cases. (a, b) = (0, 1), calibrated; (0.9, 1), all too low; (0, 0.5), too extreme; (0.3, 0.8), a little of both.

    python docs/programs/distance_coverage.py [SAMPLES]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy.special import expit

import trueness

RULES = {
    "calibrated": (0.0, 1.0),
    "all too low": (0.9, 1.0),
    "too extreme": (0.0, 0.5),
    "a little of both": (0.3, 0.8),
}
NAMES = ("ici", "e50", "e90")


def main(samples: int = 400, n: int = 400) -> None:
    print(
        "| probabilities | ICI | E50 | E90 | lower limit of E90 below that of E50 | upper |\n|---|---|---|---|---|---|"
    )
    for name, (a, b) in RULES.items():
        x = np.random.default_rng(1).normal(0, 0.7, 10**6)
        d = np.abs(expit(a + b * x) - expit(x))
        truth = np.array([d.mean(), *np.quantile(d, (0.5, 0.9))])
        rows = []
        for seed in range(samples):
            rng = np.random.default_rng([seed, 7])
            x = rng.normal(0, 0.7, n)
            q = trueness.calibration((rng.random(n) < expit(a + b * x)).astype(int), expit(x))
            low, high = np.array([q[measure].ci() for measure in NAMES]).T
            rows.append([*((low <= truth) & (truth <= high)), low[2] < low[1], high[2] < high[1]])
        print(f"| {name} | {' | '.join(f'{share:.3f}' for share in np.mean(rows, axis=0))} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*(int(word) for word in sys.argv[1:]))
