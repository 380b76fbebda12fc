"""Coverage and length of 95 % intervals of an AUC with few cases, unequal variances and ratings.

    python docs/programs/auc_interval.py               prints the table of docs/appendix/roc.md (about two minutes)
    python docs/programs/auc_interval.py --trials 100  a quick look

Negatives are N(0, 1), positives N(δ, 1/β²). "3 ratings" and "hard labels" cut the scores at fixed places. The share of
intervals that contain the truth has a Monte-Carlo error of √(.95·.05/trials): .007 for 1000 trials.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.special import ndtr, ndtri

import trueness

SIZES = ((5, 5), (10, 10), (2, 18), (5, 50), (15, 150), (50, 50))
KINDS: dict[str, tuple[float, tuple[float, ...] | None]] = {
    "β = 1": (1.0, None),
    "β = ½": (0.5, None),
    "β = 2": (2.0, None),
    "3 ratings": (1.0, (-0.5, 0.5)),
    "hard labels": (1.0, (0.0,)),
}
AUCS = (0.6, 0.8, 0.95)
HEADS = ("DeLong, normal", "DeLong, Student", "default")


def true_area(delta: float, beta: float, cuts: np.ndarray | None) -> float:
    """AUC of the population, ties counting ½."""
    if cuts is None:
        return float(ndtr(delta / math.sqrt(1 + 1 / beta**2)))
    up, down = (np.diff(np.r_[0, ndtr(at), 1]) for at in ((cuts - delta) * beta, cuts))
    below = np.cumsum(down) - down
    return float(up @ (below + down / 2))


def limits(area: trueness.Estimate) -> list[tuple[float, float]]:
    """The three intervals; NaN where there is none."""
    if area.se is None:
        return [(math.nan, math.nan), (math.nan, math.nan), tuple(area.ci())]
    return [tuple(e.ci(method="logit")) for e in (area.with_(df=None), area)] + [tuple(area.ci())]


def row(n1: int, n0: int, kind: str, trials: int) -> str:
    beta, places = KINDS[kind]
    cells = []
    for auc in AUCS:
        delta = float(ndtri(auc)) * math.sqrt(1 + 1 / beta**2)
        cuts = None if places is None else np.array(places) + delta / 2
        truth, y = true_area(delta, beta, cuts), np.repeat([1, 0], [n1, n0])
        rng = np.random.default_rng([n1, n0, int(100 * auc), int(10 * beta), len(places or ())])
        found = []
        while len(found) < trials:
            s = np.r_[delta + rng.standard_normal(n1) / beta, rng.standard_normal(n0)]
            s = s if cuts is None else np.digitize(s, cuts).astype(float)
            if np.ptp(s) > 0:
                found.append(limits(trueness.roc(y, s).auc))
        low, high = np.moveaxis(np.array(found), 2, 0)
        inside = (low <= truth) & (truth <= high)  # no interval counts as a miss
        cells += [f"{share:.3f}".lstrip("0") for share in inside.mean(axis=0)]
        cells.append(f"{np.mean(high[:, 2] - low[:, 2]):.2f}")
    return f"| {n1} + {n0}, {kind} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    heads = [f"{name}, AUC {a:g}" for a in AUCS for name in (*HEADS, "length")]
    print("| cases | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 1) + "|")
    for n1, n0 in SIZES:
        for kind in KINDS:
            print(row(n1, n0, kind, trials), flush=True)


if __name__ == "__main__":
    main()
