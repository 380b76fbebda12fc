"""Does the default interval cover where errors are few, with and without groups? Prints a table of default-interval.md.

    python docs/programs/few_errors.py --samples 500 --out FOLDER       # run; what is in FOLDER is not run again
    python docs/programs/few_errors.py --out FOLDER --print              # print the table

The settings below were written down before anything was run on them. Two classes, equally likely, are normal in three
features and a shift apart by which the best rule errs in 1, 3 or 8 % of cases. Features of two cases of a group have
the correlation `rho`; groups are of one class, or of both. The truth is the mean error of the rule trained on n cases:
many training sets of this structure, a fresh test set for each. With fewer than five errors the interval counts no more
trials than there are cases, or groups: beside it stands the interval without this rule.
"""

from __future__ import annotations

import argparse
import itertools
import math
import warnings
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import trueness

RATES, SIZES, FEATURES = (0.01, 0.03, 0.08), (60, 200, 500), 3
LEARNERS = {"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB(), "5-NN": KNeighborsClassifier(5)}
TRAINING_SETS, TEST_CASES, FEWEST, VALID = 400, 4000, 4, 0.93


@dataclass(frozen=True)
class Structure:
    """How cases come in groups.

    Attributes
    ----------
    each
        Cases in a group; of unequal groups their mean (geometric).
    rho
        Correlation of a feature of two cases of a group, given their classes.
    pure
        Whether all cases of a group are of one class.
    """

    name: str
    each: int = 1
    rho: float = 0.0
    unequal: bool = False
    pure: bool = True


STRUCTURES = (
    Structure("no groups"),
    Structure("groups of 4, weak", 4, 0.3),
    Structure("groups of 4, strong", 4, 0.9),
    Structure("unequal groups, strong", 4, 0.9, unequal=True),
    Structure("unequal groups of both classes, strong", 4, 0.9, unequal=True, pure=False),
)


def drawn(
    s: Structure, n: int, rate: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Features, labels and groups of one sample, in which at least four units are of each class."""
    while True:
        each = rng.geometric(1 / s.each, n) if s.unequal else np.full(n, s.each)
        groups = np.repeat(np.arange(n), each)[:n]
        coins = rng.random(n) < 0.5
        y = (coins[groups] if s.pure else coins).astype(int)
        if min(len(np.unique(groups[y == k])) for k in (0, 1)) >= FEWEST:
            break
    shared, own = rng.normal(size=(n, FEATURES))[groups], rng.normal(size=(n, FEATURES))
    X = math.sqrt(s.rho) * shared + math.sqrt(1 - s.rho) * own
    X[:, 0] += 2 * ndtri(1 - rate) * y
    return X, y, groups if s.each > 1 else None


def truth(s: Structure, n: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    """(training sets, learners) error on independent cases, whose mean does not depend on the groups."""
    rows = []
    for _ in range(TRAINING_SETS):
        X, y, _ = drawn(s, n, rate, rng)
        X_test, y_test, _ = drawn(STRUCTURES[0], TEST_CASES, rate, rng)
        rows.append([np.mean(clone(m).fit(X, y).predict(X_test) != y_test) for m in LEARNERS.values()])
    return np.array(rows)


def sampled(s: Structure, n: int, rate: float, seed: np.random.SeedSequence) -> list[list[float]]:
    """Of each learner: value, se, limits, limits without the rule for few errors, whether it acts, whether noted."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    X, y, groups = drawn(s, n, rate, rng)
    design = trueness.CvBootstrap().draw(y, groups=groups, rng=int(rng.integers(2**31)))
    rows = []
    for model in LEARNERS.values():
        e = trueness.estimate(trueness.fit(model, X, y, design, progress=False), "error", "cv+training")
        limits, free = e.ci(), e.with_(interval=replace(e.interval, units=math.inf)).ci()
        noted = e.noted("training-variance") is not None
        rows.append([e.value, e.se, *limits, *free, limits != free, noted])
    return rows


def run(s: Structure, n: int, rate: float, samples: int, out: Path) -> tuple[np.ndarray, np.ndarray]:
    """The truths of the learners, and what was found in every sample."""
    name = f"{s.name} {n} {rate}".replace(" ", "_").replace(",", "")
    path = out / f"{name}.npz"
    if not path.exists() and samples:
        warnings.simplefilter("ignore")
        first, *seeds = np.random.SeedSequence(zlib.crc32(name.encode())).spawn(1 + samples)
        known = truth(s, n, rate, np.random.default_rng(first))
        rows = Parallel(n_jobs=-1, batch_size=16)(delayed(sampled)(s, n, rate, seed) for seed in seeds)
        np.savez(path, truth=known, rows=np.array(rows, dtype=float))
    with np.load(path) as found:
        return found["truth"].mean(axis=0), found["rows"]


def table(samples: int, out: Path) -> str:
    """The results as Markdown."""
    lines = [
        "| cases | rule | truth | covers | without the rule | median width | without | / ± 1.96 SD | active | noted |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    shares, below = [], []
    for s, n, rate in itertools.product(STRUCTURES, SIZES, RATES):
        known, rows = run(s, n, rate, samples, out)
        for learner, value, found in zip(LEARNERS, known, rows.transpose(1, 2, 0), strict=True):
            estimate, _, low, high, free_low, free_high, active, noted = found
            covers = np.mean((low <= value) & (value <= high))
            free = np.mean((free_low <= value) & (value <= free_high))
            width, free_width = np.median(high - low), np.median(free_high - free_low)
            needed = 2 * 1.96 * estimate.std()
            lines.append(
                f"| {n}, {s.name} | {learner} | {value:.4f} | {covers:.3f} | {free:.3f} | {width:.3f} "
                f"| {free_width:.3f} | {width / needed:.2f} | {np.mean(active):.3f} | {np.mean(noted):.3f} |"
            )
            shares.append(covers)
            if covers < VALID:
                sides = f"{np.mean(high < value):.3f} end below the truth, {np.mean(value < low):.3f} begin above it"
                below.append(f"- {n}, {s.name}, {learner}, truth {value:.4f}: {covers:.3f}; {sides}")
    summary = f"{len(shares)} questions, {len(rows)} samples each: mean coverage {np.mean(shares):.3f}, lowest "
    listed = "Below .93:\n\n" + "\n".join(below) if below else "None is below .93."
    return "\n\n".join([f"{summary}{min(shares):.3f}.", listed, "\n".join(lines)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--print", action="store_true", help="print the table, run nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(table(0 if options.print else options.samples, options.out))


if __name__ == "__main__":
    main()
