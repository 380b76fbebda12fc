"""How often do intervals of a mean squared error cover where errors have heavy tails? Prints a table of docs/regression.md.

A test set of n errors of a fixed rule: no training, so that nothing but the tail matters. The formulas of
`trueness.estimators.estimation` were chosen among others with normal, exponential, Laplace, t₃, t₄ and heteroscedastic
errors (logarithm of the standard deviation 0.5) and n = 60, 100, 250; the settings below are others, but for normal and t₃
errors; the thresholds of the note were set after they had been seen. "het" is heteroscedastic with 0.8, "mixed" has 5 %
errors of four times the standard deviation.

    python docs/programs/heavy_tails.py [SAMPLES]
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import replace

import numpy as np

import trueness

SIZES = (40, 80, 160, 500)
TRUTH = {
    "normal": 1.0,
    "uniform": 1 / 3,
    "gamma": 2.0,
    "lognormal": math.exp(0.36) * (math.exp(0.36) - 1),
    "t5": 5 / 3,
    "t3": 3.0,
    "het": math.exp(1.28),
    "mixed": 0.95 + 0.05 * 16,
}


def errors(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "uniform":
        return rng.uniform(-1, 1, size=n)
    if kind == "gamma":
        return rng.gamma(2, size=n) - 2
    if kind == "lognormal":
        return np.exp(0.6 * rng.normal(size=n)) - math.exp(0.18)
    if kind in ("t3", "t5"):
        return rng.standard_t(int(kind[1]), size=n)
    scale = {"het": np.exp(0.8 * rng.normal(size=n)), "mixed": np.where(rng.random(n) < 0.05, 4.0, 1.0)}
    return rng.normal(size=n) * scale.get(kind, 1.0)


def main() -> None:
    warnings.simplefilter("ignore")
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("| errors | n | covers, log scale alone | covers | no interval | noted | covers or noted | width |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for k, (kind, truth) in enumerate(TRUTH.items()):
        for n in SIZES:
            rng, rows = np.random.default_rng([30, k, n]), []
            for _ in range(samples):
                y = errors(kind, n, rng)
                fits = trueness.Fits.from_arrays(y, np.zeros((1, n), dtype=int), [np.zeros(n)], kind="regression")
                e = trueness.estimate(fits, "mse", "holdout")
                none, noted = e.se is None, e.noted("heavy-tails") is not None
                e = e.with_(se=float((y**2).std(ddof=1)) / math.sqrt(n)) if none else e
                now, before = e.ci(), e.with_(interval=replace(e.interval, skew=0.0)).ci()
                wider = (now.high - now.low) / (before.high - before.low)
                rows.append((before.covers(truth), now.covers(truth), none, noted, wider))
            before, now, none, noted, wider = np.array(rows, dtype=float).T
            known = none == 0
            cells = [before[known].mean(), now[known].mean(), none.mean(), noted.mean()]
            cells.append(np.maximum(np.maximum(now * known, none), noted).mean())
            print(f"| {kind} | {n} | {' | '.join(f'{100 * v:.0f}' for v in cells)} | {wider.mean():.2f} |", flush=True)


if __name__ == "__main__":
    main()
