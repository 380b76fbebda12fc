"""The second-order standard error of a difference outside the setting it was chosen in: docs/appendix/comparison.md.

    python docs/programs/second_order_study.py [--trials 1000] [--setting NAME]...

Populations and rules that its first study did not use: unbalanced classes, skewed features, unequal covariances,
1-NN, trees, 100 cases; and the power for LDA against QDA in the setting of Yousef, ML Assessment, table 4. The true
SD is that of the difference over the trials, of which nulls have twice as many. Last, what the standard error costs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.api.judged import judge
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans, variance
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.loob import spread
from trueness.kernels.auc import auc
from trueness.sample import Design

Rule = Callable[[np.ndarray, np.ndarray, Design], trueness.Fits]


def model(made) -> Rule:
    return lambda X, y, design: trueness.fit(made(), X, y, design)


def nearest(X: np.ndarray, y: np.ndarray, design: Design) -> trueness.Fits:
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
    return trueness.Fits.from_arrays(
        y, counts, closest[0] - closest[1], threshold=0.0, plan="bootstrap", stratified=True
    )


def tree(X: np.ndarray, y: np.ndarray, design: Design, depth: int = 3) -> trueness.Fits:
    """A tree of depth 3 by Gini's impurity, grown on every replicate at once; the features have no ties."""
    counts = design.counts.astype(float)
    node = np.zeros(counts.shape, dtype=int)
    for level in range(depth):
        for number in range(2**level):
            here = node == number + 2**level - 1
            feature, cut = best_split(X, y, counts * here)
            right = X.T[feature] > cut[:, None]  # (B, n)
            node = np.where(here, 2 * node + 1 + right, node)
    score = np.empty(counts.shape)
    for leaf in np.unique(node):
        here = node == leaf
        mass = (counts * here).sum(axis=1)
        share = (counts * here) @ y / np.maximum(mass, 1)
        score[here] = np.repeat(share, here.sum(axis=1))
    return trueness.Fits.from_arrays(y, design.counts, score, threshold=0.5, plan="bootstrap", stratified=True)


def best_split(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(B,) the feature and the cut with the smallest impurity; a cut at ∞ where there is nothing to split."""
    rows = np.arange(len(weights))
    best, feature, cut = np.full(len(rows), np.inf), np.zeros(len(rows), dtype=int), np.full(len(rows), np.inf)
    for f, x in enumerate(X.T):
        order = np.argsort(x)
        mass = np.cumsum(weights[:, order], axis=1)
        ups = np.cumsum(weights[:, order] * y[order], axis=1)
        rest, ups_rest = mass[:, -1:] - mass, ups[:, -1:] - ups
        with np.errstate(divide="ignore", invalid="ignore"):
            impurity = ups * (mass - ups) / mass + ups_rest * (rest - ups_rest) / rest
        impurity = np.where((mass > 0) & (rest > 0), impurity, np.inf)
        at = impurity.argmin(axis=1)  # the last case on the left
        after = (mass > mass[rows, at][:, None]).argmax(axis=1)  # the first on the right
        better = impurity[rows, at] < best - 1e-9
        best[better], feature[better] = impurity[rows, at][better], f
        cut[better] = ((x[order][at] + x[order][after]) / 2)[better]
    return feature, cut


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
    # power: Yousef, ML Assessment, table 4 (20 per class), and larger samples of the same population
    "table4-20": Setting(normal, (20, 20), 4, 0.6, ("LDA", "QDA")),
    "table4-40": Setting(normal, (40, 40), 4, 0.6, ("LDA", "QDA")),
    "table4-80": Setting(normal, (80, 80), 4, 0.6, ("LDA", "QDA")),
}

KINDS = ("second-order", "influence-corrected", "influence")
COLUMNS = "second-order, t | influence-corrected, z | influence, z"


def all_errors(a: trueness.Fits, b: trueness.Fits, method: str) -> dict[str, trueness.Estimate]:
    """The difference with each standard error, from one reading of the replicates: as `trueness.difference` gives them."""
    if method == "lpob":
        means = PairMeans.over(c := Contrast(a, bind(a, "auc"), b, se="second-order"))
    else:
        loss = bind(a, "error")
        means = CaseMeans.over(c := Contrast(a, loss, b, se="second-order"))
    second = spread(means, c)
    exact = second.with_(se=math.sqrt(variance(a.design, second.influence)), df=None)
    return dict(zip(KINDS, (second, spread(means, replace(c, se="influence-corrected")), exact), strict=True))


def study(setting: Setting, trials: int, seed: int = 0) -> dict[str, dict]:
    """For lpob and loob: the true mean and SD, and of each standard error its mean, coverage and rejections."""
    values: dict[str, list[float]] = {"lpob": [], "loob": []}
    errors = {(m, k): [] for m in values for k in KINDS}
    covers = {(m, k): [] for m in values for k in KINDS}
    rejects = {(m, k): [] for m in values for k in KINDS}
    for child in np.random.SeedSequence(seed).spawn(trials):
        rng = np.random.default_rng(child)
        first, second, y = setting.blocks(rng)
        design = trueness.Bootstrap(setting.resamples).draw(y, rng=int(rng.integers(2**31)))
        a, b = RULES[setting.rules[0]](first, y, design), RULES[setting.rules[1]](second, y, design)
        for method in values:
            for kind, d in all_errors(a, b, method).items():
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


def truth(setting: Setting, trials: int, seed: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The true difference that LPOB and LOOB estimate: AUC and error on 500 + 500 fresh cases of the two rules, trained
    on one bootstrap sample of fresh cases a trial; each with its Monte-Carlo error."""
    found = []
    for child in np.random.SeedSequence([seed, 4]).spawn(trials):
        rng = np.random.default_rng(child)
        X, y = setting.draw(rng, *setting.sizes, setting.features, setting.shift)
        fresh, labels = setting.draw(rng, 500, 500, setting.features, setting.shift)
        cases = np.concatenate([rng.choice(np.flatnonzero(y == c), int((y == c).sum())) for c in (1, 0)])
        each = []
        for rule in (LDA(), QDA()):
            scores = rule.fit(X[cases], y[cases]).decision_function(fresh)
            each.append((auc(scores[labels == 1], scores[labels == 0]), np.mean((scores > 0) != labels)))
        found.append(np.subtract(*each))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(trials)
    return (means[0], errors[0]), (means[1], errors[1])


def costs(sizes: tuple[int, ...] = (20, 50, 100, 200)) -> None:
    """Milliseconds of a difference with each standard error, the best of 7 calls, each on new fits without sums."""
    print("\n| cases | method | influence | influence-corrected | second-order | over the corrected one |")
    print("|---|---|---|---|---|---|")
    for n in sizes:
        X, y = normal(np.random.default_rng(0), n, n, 4, 0.6)
        design = trueness.Bootstrap(1000).draw(y, rng=1)
        for metric, method in (("auc", "lpob"), ("error", "loob")):
            best = {}
            for kind in reversed(KINDS):
                took = []
                for _ in range(7):
                    a, b = RULES["LDA"](X, y, design), RULES["QDA"](X, y, design)
                    start = time.process_time()
                    trueness.difference(a, b, metric, method, se=kind)
                    took.append(time.process_time() - start)
                best[kind] = 1000 * min(took)
            cells = " | ".join(f"{t:.1f}" for t in best.values())
            ratio = best["second-order"] / best["influence-corrected"]
            print(f"| {n} + {n} | {method} | {cells} | {ratio:.1f} |", flush=True)


def calibration(found: dict) -> str:
    """Mean se / true SD, coverage and rejections, of each standard error."""
    cells = [found[kind] for kind in KINDS]
    return " | ".join(f"{c['ratio']:.2f} / {100 * c['coverage']:.1f} / {100 * c['rejects']:.1f}" for c in cells)


def settings_table(names: list[str], trials: int, seed: int) -> None:
    print("mean se / true SD, coverage % of the 95 % interval, rejections % of no difference\n")
    print(f"| population, cases, rules | method | trials | true SD | {COLUMNS} |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        setting = SETTINGS[name]
        count = 2 * trials if setting.null else trials
        words = setting.words()
        for method, found in study(setting, count, seed).items():
            print(f"| {words} | {method} | {count} | {found['sd']:.4f} | {calibration(found)} |", flush=True)
            words = ""


def power_table(names: list[str], trials: int, seed: int) -> None:
    print("\nPower against the known truth, and the same cells\n")
    print(f"| cases | method | true difference | mean estimate | true SD | {COLUMNS} |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        setting = SETTINGS[name]
        known = truth(setting, 2 * trials, seed)
        words = f"{setting.sizes[0]} + {setting.sizes[1]}"
        for (mean, error), (method, found) in zip(known, study(setting, trials, seed).items(), strict=True):
            cells = [words, method, f"{mean:+.4f} ± {error:.4f}", f"{found['mean']:+.4f}", f"{found['sd']:.4f}"]
            print(f"| {' | '.join(cells)} | {calibration(found)} |", flush=True)
            words = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--setting", choices=list(SETTINGS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = options.setting or list(SETTINGS)
    settings_table([n for n in names if not n.startswith("table4")], options.trials, options.seed)
    power_table([n for n in names if n.startswith("table4")], options.trials, options.seed)
    costs()


if __name__ == "__main__":
    main()
