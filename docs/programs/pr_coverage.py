"""How often 95 % intervals of average precision contain the truth: normal scores, random class sizes.

    python docs/programs/pr_coverage.py              prints the table of docs/appendix/diagnostic.md (about two minutes)
    python docs/programs/pr_coverage.py --trials 50  a quick look

Negatives N(0, 1), positives N(δ, 1). The share of intervals that contain the truth has a Monte-Carlo error of
√(.95·.05/trials): .007 for 1000 trials.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import stats

import trueness

SETTINGS = ((60, 0.3, 1.0), (100, 0.1, 1.5), (200, 0.2, 1.0), (500, 0.05, 2.0), (1000, 0.1, 1.0), (2000, 0.8, 0.5))


def truth(distance: float, prevalence: float) -> float:
    """∫ precision d recall of the population."""
    t = np.linspace(-8, 8 + distance, 200_001)
    tpf, fpf = stats.norm.sf(t - distance), stats.norm.sf(t)
    return float(np.trapezoid((prevalence * tpf / (prevalence * tpf + (1 - prevalence) * fpf))[::-1], tpf[::-1]))


def row(n: int, prevalence: float, distance: float, trials: int, resamples: int = 200) -> str:
    area, rng = truth(distance, prevalence), np.random.default_rng(0)
    values, errors, held, drawn = [], [], [], []
    for trial in range(trials):
        y = (rng.random(n) < prevalence).astype(int)
        if not 2 <= y.sum() < n:
            continue
        p = trueness.pr(y, rng.normal(size=n) + distance * y)
        e = p.average_precision
        values.append(e.value)
        errors.append(e.se)
        held.append(e.ci().low <= area <= e.ci().high)
        low, high = p.bootstrap("average_precision", resamples, rng=trial).ci()
        drawn.append(low <= area <= high)
    cells = [area, np.mean(values), np.std(values), np.sqrt(np.mean(np.square(errors))), np.mean(held), np.mean(drawn)]
    return f"| {n} | {prevalence:g} | {distance:g} | " + " | ".join(f"{v:.3f}" for v in cells) + " |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    print("| n | prevalence | δ | truth | mean AP | SD of AP | mean se | logit covers | percentile covers |")
    print("|" + "---:|" * 9)
    for setting in SETTINGS:
        print(row(*setting, trials), flush=True)
