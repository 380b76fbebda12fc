"""The second-order standard error of a difference where it was not made: the tables of docs/comparison.md.

    python docs/programs/second_order_study.py --trials 1000 [--setting NAME]... [--json FILE]

Populations and rules that its first study did not use: unbalanced classes, skewed features, unequal covariances,
1-NN, trees, 100 cases; and the power for LDA against QDA in the setting of table 4 of seeds/000. The truth is the SD
of the difference over the trials.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import karat
from karat.api.compare import judge
from karat.sample import Design

Rule = Callable[[np.ndarray, np.ndarray, Design], karat.Fits]


def model(made) -> Rule:
    return lambda X, y, design: karat.fit(made(), X, y, design)


def nearest(X: np.ndarray, y: np.ndarray, design: Design) -> karat.Fits:
    """1-NN on every replicate at once; its score is how much nearer the nearest positive is."""
    counts = design.counts
    away = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    closest = []
    for label in (0, 1):
        of = np.flatnonzero(y == label)
        order = of[np.argsort(away[:, of], axis=1)]  # (n, m) cases of the class, nearest first
        first = (counts[:, order] > 0).argmax(axis=2)  # (B, n) the first that is in the replicate
        rows = np.arange(len(y))
        closest.append(away[rows, order[rows, first]])
    return karat.Fits.from_arrays(y, counts, closest[0] - closest[1], threshold=0.0, plan="bootstrap", stratified=True)


def tree(X: np.ndarray, y: np.ndarray, design: Design) -> karat.Fits:
    """A tree of depth 3, trained with the counts as weights."""
    grown = DecisionTreeClassifier(max_depth=3, random_state=0)
    scores = [grown.fit(X, y, sample_weight=w).predict_proba(X)[:, 1] for w in design.counts.astype(float)]
    return karat.Fits.from_arrays(y, design.counts, scores, threshold=0.5, plan="bootstrap", stratified=True)


RULES: dict[str, Rule] = {
    "LDA": model(LDA), "QDA": model(QDA), "NB": model(GaussianNB), "1-NN": nearest, "tree": tree,
}  # fmt: skip


def normal(rng: np.random.Generator, n1: int, n2: int, p: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat([1, 0], [n1, n2])
    return rng.normal(size=(n1 + n2, p)) + shift * y[:, None], y


def skewed(rng: np.random.Generator, n1: int, n2: int, p: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Log-normal features."""
    X, y = normal(rng, n1, n2, p, shift)
    return np.exp(0.8 * X), y


def unequal(rng: np.random.Generator, n1: int, n2: int, p: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal features that spread 1.6 times as far in the positive class."""
    y = np.repeat([1, 0], [n1, n2])
    return rng.normal(size=(n1 + n2, p)) * (1 + 0.6 * y[:, None]) + shift * y[:, None], y


@dataclass(frozen=True)
class Setting:
    """Which cases, which rules; with `null` the same rule on two exchangeable blocks, correlated .7."""

    draw: Callable
    sizes: tuple[int, int]
    features: int
    shift: float
    rules: tuple[str, str]
    null: bool = False
    resamples: int = 1000

    def words(self) -> str:
        a, b = self.rules
        pair = f"{a} on two blocks (null)" if self.null else f"{a} − {b}"
        law = self.draw.__name__
        return f"{law}, {self.sizes[0]} + {self.sizes[1]} cases, {self.features} features: {pair}"

    def blocks(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if not self.null:
            X, y = self.draw(rng, *self.sizes, self.features, self.shift)
            return X, X, y
        first, y = self.draw(rng, *self.sizes, self.features, self.shift)
        own = rng.normal(size=first.shape)
        if self.draw is skewed:  # correlate the logarithms, so that the second block has the same law
            z = np.log(first) / 0.8 - self.shift * y[:, None]
            return first, np.exp(0.8 * (0.7 * z + np.sqrt(0.51) * own + self.shift * y[:, None])), y
        spread = 1 + 0.6 * y[:, None] if self.draw is unequal else 1.0
        z = (first - self.shift * y[:, None]) / spread
        return first, (0.7 * z + np.sqrt(0.51) * own) * spread + self.shift * y[:, None], y


SETTINGS = {
    "unbalanced": Setting(skewed, (15, 60), 4, 0.6, ("LDA", "NB")),
    "unbalanced-1nn": Setting(skewed, (15, 60), 4, 0.6, ("LDA", "1-NN")),
    "skewed-1nn": Setting(skewed, (30, 30), 4, 0.6, ("NB", "1-NN")),
    "tree": Setting(skewed, (25, 25), 4, 0.6, ("LDA", "tree"), resamples=500),
    "n100": Setting(unequal, (50, 50), 6, 0.4, ("LDA", "QDA")),
    "n100-nb": Setting(unequal, (50, 50), 6, 0.4, ("LDA", "NB")),
    "null-unbalanced": Setting(skewed, (15, 60), 4, 0.6, ("LDA", "LDA"), null=True),
    "null-1nn": Setting(normal, (25, 25), 3, 0.7, ("1-NN", "1-NN"), null=True),
    "null-tree": Setting(skewed, (25, 25), 4, 0.6, ("tree", "tree"), null=True, resamples=500),
    "null-n100": Setting(unequal, (50, 50), 6, 0.4, ("QDA", "QDA"), null=True),
    "null-nb": Setting(skewed, (20, 40), 4, 0.6, ("NB", "NB"), null=True),
    # power: table 4 of seeds/000 (20 per class), and larger samples of the same population
    "table4-20": Setting(normal, (20, 20), 4, 0.6, ("LDA", "QDA")),
    "table4-40": Setting(normal, (40, 40), 4, 0.6, ("LDA", "QDA")),
    "table4-80": Setting(normal, (80, 80), 4, 0.6, ("LDA", "QDA")),
}

KINDS = ("second-order", "influence-corrected", "influence")


def study(setting: Setting, trials: int, seed: int = 0) -> dict[str, dict]:
    """For lpob and loob: the true mean and SD, and of each standard error its mean, coverage and rejections."""
    values: dict[str, list[float]] = {"lpob": [], "loob": []}
    errors = {(m, k): [] for m in values for k in KINDS}
    covers = {(m, k): [] for m in values for k in KINDS}
    rejects = {(m, k): [] for m in values for k in KINDS}
    for child in np.random.SeedSequence(seed).spawn(trials):
        rng = np.random.default_rng(child)
        first, second, y = setting.blocks(rng)
        design = karat.Bootstrap(setting.resamples).draw(y, rng=int(rng.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a, b = RULES[setting.rules[0]](first, y, design), RULES[setting.rules[1]](second, y, design)
            for metric, method in (("auc", "lpob"), ("error", "loob")):
                for kind in KINDS:
                    d = karat.difference(a, b, metric, method, se=kind)
                    errors[method, kind].append(d.se)
                    covers[method, kind].append(tuple(d.ci()))
                    rejects[method, kind].append(judge(d).p_value < 0.05)
                values[method].append(d.value)
    out: dict[str, dict] = {}
    for method, each in values.items():
        mean, sd = float(np.mean(each)), float(np.std(each, ddof=1))
        out[method] = {"mean": mean, "sd": sd}
        for kind in KINDS:
            limits = np.array(covers[method, kind])
            out[method][kind] = {
                "ratio": float(np.mean(errors[method, kind]) / sd),
                "coverage": float(((limits[:, 0] <= mean) & (mean <= limits[:, 1])).mean()),
                "rejects": float(np.mean(rejects[method, kind])),
            }
    return out


def row(setting: Setting, method: str, found: dict) -> str:
    cells = [setting.words(), method, f"{found['mean']:+.4f}", f"{found['sd']:.4f}"]
    for kind in KINDS:
        f = found[kind]
        cells.append(f"{f['ratio']:.2f} / {100 * f['coverage']:.1f} / {100 * f['rejects']:.1f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--setting", choices=list(SETTINGS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kept = {}
    print("mean se / true SD, coverage % of the 95 % interval, rejections % of no difference\n")
    print("| setting | method | mean | true SD | second-order, t | influence-corrected, z | influence, z |")
    print("|---|---|---|---|---|---|---|")
    for name in options.setting or SETTINGS:
        start = time.perf_counter()
        found = study(SETTINGS[name], options.trials, options.seed)
        kept[name] = {"trials": options.trials, "seconds": round(time.perf_counter() - start), **found}
        for method, result in found.items():
            print(row(SETTINGS[name], method, result), flush=True)
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
