"""How often 95 % intervals cover where groups differ in size: the tables of docs/appendix/groups.md.

    python docs/programs/group_coverage.py [samples] [fits]

Settings, written down before the first run. Sizes of G = 4, 8, 12, 30 or 60 groups: all 10; lognormal (σ = 1, median
8); two of 40 and the others of 4. Groups of both classes (40 % positives), or pure. Scores are 1.5 y + √.3 u_group +
√.7 e, so that two scores of one class and group have the correlation .3. One rule is fixed: it calls positive above
.75, and its probability of a score is that of independent normal scores. A second rule shares .6 of its score. "Rare"
is an error of 4 %. Samples in which a class has fewer than two groups are drawn again. With "fits" it simulates the
default interval of the error rate: an LDA of three features, the default plan; the truth is the mean over training sets
of this kind.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import expit, ndtr, ndtri
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness import comparisons

ICC, DELTA, PREVALENCE, CUT, RARE = 0.3, 1.5, 0.4, 0.75, 0.04
GROUPS = (4, 8, 12, 30, 60)
SIZES: dict[str, Callable[[int, np.random.Generator], np.ndarray]] = {
    "equal": lambda g, rng: np.full(g, 10),
    "lognormal": lambda g, rng: np.maximum(1, np.round(8 * np.exp(rng.normal(size=g)))).astype(int),
    "two large": lambda g, rng: np.r_[40, 40, np.full(g - 2, 4)],
}
TABLE = ("accuracy", "tpf", "ppv", "f1", "mcc", "kappa")


def drawn(sizes: np.ndarray, pure: bool, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Labels, the scores of both rules and groups; each class in two groups at least."""
    g = np.repeat(np.arange(len(sizes)), sizes)
    while True:
        y = (rng.random(len(sizes)) < PREVALENCE)[g] if pure else rng.random(len(g)) < PREVALENCE
        if min(len(np.unique(g[y])), len(np.unique(g[~y]))) > 1:
            break
    noise = math.sqrt(ICC) * rng.normal(size=(2, len(sizes)))[:, g] + math.sqrt(1 - ICC) * rng.normal(size=(2, len(g)))
    return y.astype(int), DELTA * y + noise[0], DELTA * y + 0.6 * noise[0] + 0.8 * noise[1], g


def probability(s: np.ndarray) -> np.ndarray:
    return expit(math.log(PREVALENCE / (1 - PREVALENCE)) + DELTA * (s - DELTA / 2))


@cache
def truths() -> dict[str, float]:
    """Of the population; the Brier score from two million cases."""
    tpf, fpf, rho = float(ndtr(DELTA - CUT)), float(ndtr(-CUT)), PREVALENCE
    decided = rho * tpf + (1 - rho) * fpf
    accuracy, chance = rho * tpf + (1 - rho) * (1 - fpf), rho * decided + (1 - rho) * (1 - decided)
    y, s, _, _ = drawn(np.ones(2_000_000, dtype=int), False, np.random.default_rng(0))
    return {
        "accuracy": accuracy,
        "tpf": tpf,
        "ppv": rho * tpf / decided,
        "f1": 2 * rho * tpf / (rho + decided),
        "mcc": (tpf - fpf) * math.sqrt(rho * (1 - rho) / (decided * (1 - decided))),
        "kappa": (accuracy - chance) / (1 - chance),
        "brier": float(np.mean((probability(s) - y) ** 2)),
        "brier, one fold per group": float(np.mean((probability(s) - y) ** 2)),
        "mcc, one fold per group": (tpf - fpf) * math.sqrt(rho * (1 - rho) / (decided * (1 - decided))),
        "tpf at fpf .2": float(ndtr(DELTA + ndtri(0.2))),
        "two error rates": 0.0,
        "rare": RARE,
        "rare, one fold per group": RARE,
    }


def interval_of(e: trueness.Estimate) -> trueness.Interval | None:
    """None where few groups show no variance, and the estimate says so."""
    try:
        return e.ci()
    except trueness.errors.InputError:
        return None


def intervals(y: np.ndarray, s: np.ndarray, t: np.ndarray, g: np.ndarray) -> dict[str, trueness.Interval | None]:
    """Of every measure, by name; those of one fold per group are cross-validations whose rules are all the same."""
    table, n, groups = trueness.diagnose(y, s > CUT, groups=g), len(y), int(g.max()) + 1
    p = probability(s)
    one = trueness.Fits.from_arrays(y, np.zeros((1, n), int), [p], threshold=0.5, groups=g)
    trained = (g != np.arange(groups)[:, None]).astype(int)
    folds = trueness.Fits.from_arrays(y, trained, np.tile(p, (groups, 1)), threshold=float(probability(CUT)), groups=g)
    rare = s - DELTA * y < ndtri(RARE)
    wrong = trueness.Fits.from_arrays(
        y, trained, None, predictions=np.tile(np.where(rare, 1 - y, y), (groups, 1)), groups=g
    )
    out = {name: table[name] for name in TABLE}
    out["brier"] = trueness.estimate(one, "brier", "holdout")
    out["brier, one fold per group"] = trueness.estimate(folds, "brier", "cv_pooled")
    out["mcc, one fold per group"] = trueness.estimate(folds, "mcc", "cv_pooled")
    out["tpf at fpf .2"] = trueness.roc(y, s, groups=g).tpf_at(0.2)
    out["two error rates"] = comparisons.mcnemar(y, s > CUT, t > CUT, groups=g).difference
    out["rare"] = trueness.diagnose(y, np.where(rare, y, 1 - y), groups=g).accuracy
    out["rare, one fold per group"] = trueness.estimate(wrong, "error", "cv_pooled")
    return {name: interval_of(e) for name, e in out.items()}


def covered(kind: str, groups: int, pure: bool, samples: int) -> dict[str, float]:
    """Coverage of every interval, among the samples that have it."""
    rng, true = np.random.default_rng([groups, pure, list(SIZES).index(kind)]), truths()
    hits: dict[str, list[bool]] = {name: [] for name in true}
    for _ in range(samples):
        for name, interval in intervals(*drawn(SIZES[kind](groups, rng), pure, rng)).items():
            if interval is not None:
                hits[name].append(interval.covers(true[name]))
    return {name: float(np.mean(each)) for name, each in hits.items()}


def default_covers(kind: str, groups: int, pure: bool, samples: int) -> float:
    """Of the default interval of the error rate of an LDA."""

    def study(rng: np.random.Generator, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        y, _, _, g = drawn(sizes, pure, rng)
        X = math.sqrt(ICC) * rng.normal(size=(len(sizes), 3))[g] + math.sqrt(1 - ICC) * rng.normal(size=(len(g), 3))
        X[:, 0] += DELTA * y
        return X, y, g

    rng = np.random.default_rng([groups, pure, list(SIZES).index(kind)])
    X_new, y_new, _ = study(np.random.default_rng(1), np.ones(40_000, dtype=int))
    studies = [study(rng, SIZES[kind](groups, rng)) for _ in range(samples)]
    rules = [LinearDiscriminantAnalysis().fit(X, y) for X, y, _ in studies]
    truth = float(np.mean([np.mean(rule.predict(X_new) != y_new) for rule in rules]))
    hits = 0
    for seed, (X, y, g) in enumerate(studies):
        found = trueness.assess(LinearDiscriminantAnalysis(), X, y, metrics="error", groups=g, rng=seed)
        hits += found["error"].ci().covers(truth)
    return hits / samples


def rows(groups: tuple[int, ...], samples: int) -> None:
    names = list(truths())
    print("| sizes | groups | " + " | ".join(names) + " |\n|---|" + "---|" * (len(names) + 1))
    for pure in (False, True):
        for kind in SIZES:
            for g in groups:
                found = covered(kind, g, pure, samples)
                shares = " | ".join(f".{round(1000 * share):03d}" if share < 1 else "1" for share in found.values())
                print(f"| {kind}{', pure' if pure else ''} | {g} | {shares} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    if "fits" not in sys.argv:
        rows(GROUPS, count)
    else:
        for kind, groups, pure in (("two large", 12, False), ("two large", 22, True), ("lognormal", 12, False)):
            print(
                f"| {kind}{', pure' if pure else ''} | {groups} | {default_covers(kind, groups, pure, count):.3f} |",
                flush=True,
            )
