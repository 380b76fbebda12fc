"""The AUC of cases in sites that hold both classes: within sites, between sites, mixed, beside the truth for new sites.

    python docs/programs/sites.py [--samples 60]

Prints a table of docs/default-interval.md. A site shifts the first feature of all its cases, so that cases of one site
are easier to order than cases of different sites. LDA is trained on some sites; the truth is its AUC on 300 new ones.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.metrics import roc_auc_score

import trueness
from trueness.kernels.pairs import won_in_groups

SETTINGS = ((14, 60, 1.0), (12, 80, 1.0), (8, 60, 1.0), (30, 20, 0.7))  # sites, cases per site, SD of the site effect


def drawn(rng: np.random.Generator, sites: int, cases: int, sd: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and sites."""
    site = np.repeat(np.arange(sites), cases)
    y = (rng.random(len(site)) < 0.4).astype(int)
    X = rng.normal(size=(len(site), 5))
    X[:, 0] += 1.2 * y + sd * rng.normal(size=sites)[site]
    return X, y, site


def within(fits: trueness.Fits) -> float:
    """Share of ordered pairs among the pairs of cases of one site that one rule left out."""
    won = made = 0.0
    for block in fits.parts[0].tests():
        cases = fits.parts[0].design.tested(int(block.fits[0]))
        positive = block.codes == 1
        each = won_in_groups(block.scores[0], positive, fits.sample.groups[cases])
        won, made = won + each[0][positive].sum(), made + each[1][positive].sum()
    return won / made


def row(sites: int, cases: int, sd: float, samples: int) -> str:
    rng = np.random.default_rng(0)
    known = []
    for _ in range(60):
        X, y, _ = drawn(rng, sites, cases, sd)
        new = drawn(rng, 300, 40, sd)
        known.append(roc_auc_score(new[1], LDA().fit(X, y).decision_function(new[0])))
    truth, found, covered = float(np.mean(known)), [], 0
    for seed in range(samples):
        X, y, site = drawn(rng, sites, cases, sd)
        fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(), groups=site, rng=seed)
        e = trueness.estimate(fits, "auc", "cv+training")
        folds = trueness.estimate(fits, "auc", "cv").value
        found.append((e.value, within(fits), folds, e.ci().high - e.ci().low))
        covered += e.ci().low <= truth <= e.ci().high
    value, inside, folds, width = np.mean(found, axis=0)
    ideal = 2 * 1.96 * np.std([one[0] for one in found])
    shown = (truth, value, inside, folds, covered / samples)
    return f"| {sites} × {cases}, {sd} | " + " | ".join(f"{v:.3f}" for v in shown) + f" | {width / ideal:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=60)
    samples = parser.parse_args().samples
    warnings.simplefilter("ignore")
    print("| sites × cases, SD | truth | between sites | within | mean of folds | covers | width / ± 1.96 SD |")
    print("|---|---|---|---|---|---|---|")
    for setting in SETTINGS:
        print(row(*setting, samples), flush=True)


if __name__ == "__main__":
    main()
