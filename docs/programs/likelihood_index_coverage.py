"""How often 95 % limits of D and U hold: one fixed rule, 30 % positive, scores normal in both classes.

D is that of the true risks; U is that of risks whose log-odds are .7 times the true ones plus .2 (at AUC .5 .35 times the
score less .4). Settings were written down first: n = 100 and 300; AUC .5, .55 and .7; 300 samples each. Beside it are
Wald's limits. About a minute: python docs/programs/likelihood_index_coverage.py
"""

import sys

import numpy as np
from scipy import special

import trueness

LARGE = 100_000


def sample(rng: np.random.Generator, n: int, auc: float) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes, and the log-odds of the true risks; of an AUC of ½ those of a score that says nothing."""
    y, d = rng.random(n) < 0.3, np.sqrt(2) * special.ndtri(auc)
    x = rng.normal(size=n) + d * y
    return y, special.logit(0.3) + d * x - d**2 / 2 if d else 0.5 * x - 0.85


def given(log_odds: np.ndarray, index: str) -> np.ndarray:
    return special.expit(log_odds if index == "d_index" else 0.7 * log_odds + 0.2)


def covered(index: str, n: int, auc: float, samples: int = 300) -> tuple[float, float]:
    """Share of samples whose limits cover: ours, Wald's."""
    rng = np.random.default_rng(0)
    y, at = sample(rng, LARGE, auc)
    nothing = auc == 0.5 and index == "d_index"
    truth = 0.0 if nothing else trueness.calibration(y.astype(int), given(at, index))[index].value
    hits = []
    for _ in range(samples):
        y, at = sample(rng, n, auc)
        e = trueness.calibration(y.astype(int), given(at, index))[index]
        hits.append((e.ci().covers(truth), e.ci(method="wald").covers(truth)))
    ours, wald = np.mean(hits, axis=0)
    return float(ours), float(wald)


if __name__ == "__main__":
    samples = int(sys.argv[1]) if sys.argv[1:] else 300
    print("| index | n | AUC | noncentral χ² | Wald |\n|---|---|---|---|---|")
    for index in ("d_index", "u_index"):
        for n in (100, 300):
            for auc in (0.5, 0.55, 0.7):
                ours, wald = covered(index, n, auc, samples)
                print(f"| {index[0].upper()} | {n} | {auc:g} | {ours:.3f} | {wald:.3f} |", flush=True)
