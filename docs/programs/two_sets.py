"""Variance components of two independent sets against their true values: the tables of docs/appendix/two-sets.md.

    python docs/programs/two_sets.py [trials]

Normal classes, 4 features, distance 1.21, test sets of 50 + 50 cases, B = 100 training sets. Every trial draws a
training set and a test set. Further training sets are independent draws from the population, or replicates of the
training set. 1000 trials take some two minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import norm

import trueness
from trueness.estimators.two_sets import Strata, moments_of, over_training_sets, values_of
from trueness.metrics import AUC, Error
from trueness.sample.sample import Sample

P, DISTANCE, TEST, B = 4, 1.21, 50, 100
MEAN = np.full(P, DISTANCE / np.sqrt(P))
Y = np.repeat([0, 1], TEST)
Rule = Callable[[np.ndarray], np.ndarray]  # (m, P) cases -> (B, m) scores; the threshold is 0


def draw(rng: np.random.Generator, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(*shape, P)), rng.normal(size=(*shape, P)) + MEAN


def moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    centred = X - X.mean(axis=-2, keepdims=True)
    return X.mean(axis=-2), np.swapaxes(centred, -1, -2) @ centred / (X.shape[-2] - 1)


def lda(X0: np.ndarray, X1: np.ndarray) -> Rule:
    (m0, s0), (m1, s1) = moments(X0), moments(X1)
    w = np.linalg.solve((s0 + s1) / 2, (m1 - m0)[..., None])[..., 0]
    b = -(w * (m0 + m1) / 2).sum(axis=-1)
    return lambda X: w @ X.T + b[..., None]


def qda(X0: np.ndarray, X1: np.ndarray) -> Rule:
    parts = []
    for X in (X0, X1):
        m, s = moments(X)
        parts.append((m, np.linalg.inv(s), np.linalg.slogdet(s)[1]))

    def score(X: np.ndarray) -> np.ndarray:
        logs = []
        for m, inverse, log_det in parts:
            d = X - m[:, None]
            logs.append(-0.5 * (np.einsum("bij,bjk,bik->bi", d, inverse, d) + log_det[:, None]))
        return logs[1] - logs[0]

    return score


def auc_of(scores: np.ndarray, y: np.ndarray) -> float:
    ranks = scores.argsort().argsort() + 1.0
    n1 = int(y.sum())
    return float((ranks[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y) - n1)))


def lda_truth(rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """(b,) true AUC and error rate of linear rules, in closed form."""
    b = rule(np.zeros((1, P)))[:, 0]
    w = rule(np.eye(P)) - b[:, None]
    length, shift = np.sqrt((w**2).sum(axis=1)), w @ MEAN
    return norm.cdf(shift / length / np.sqrt(2)), (norm.cdf(b / length) + norm.cdf(-(b + shift) / length)) / 2


class Truth:
    """True AUC and error rate of a rule: in closed form for LDA, else on 20 000 + 20 000 further cases."""

    def __init__(self, fit: Callable[..., Rule], rng: np.random.Generator) -> None:
        self.fit = fit
        self.X, self.y = np.concatenate(draw(rng, 20_000)), np.repeat([0, 1], 20_000)

    def __call__(self, rule: Rule) -> tuple[float, float]:
        if self.fit is lda:
            auc, error = lda_truth(rule)
            return float(auc[0]), float(error[0])
        scores = rule(self.X)[0]
        return auc_of(scores, self.y), float(((scores >= 0) != self.y).mean())

    def training(self, trials: np.ndarray, n: int, rng: np.random.Generator) -> list[float]:
        """Variance over training sets: of 100 000 of them for LDA, else of those of the trials (trials, 2)."""
        if self.fit is lda:
            trials = np.concatenate([np.array(lda_truth(lda(*draw(rng, 5000, n)))).T for _ in range(20)])
        return trials.var(axis=0, ddof=1).tolist()


METRICS = {"auc": AUC(), "error": Error()}


def trial(fit: Callable[..., Rule], n: int, independent: bool, truth: Truth, rng: np.random.Generator) -> np.ndarray:
    """(2, 9) per metric: value, truth, three components, limits of the rule and of the mean over training sets."""
    X0, X1 = draw(rng, n)
    X = np.concatenate(draw(rng, TEST))
    once = fit(X0[None], X1[None])
    if independent:
        many = fit(*draw(rng, B, n))
    else:
        many = fit(X0[rng.integers(0, n, (B, n))], X1[rng.integers(0, n, (B, n))])
    true, rows = truth(once), []
    fits = [
        trueness.Fits.from_arrays(Y, np.zeros((len(s), len(Y)), int), s, threshold=0, stratified=False, plan="holdout")
        for s in (once(X), many(X))
    ]
    for (name, metric), value in zip(METRICS.items(), true, strict=True):
        sample = Sample.of(Y)
        bound = metric.bind(sample)
        strata = Strata.of(bound, sample)
        fixed = trueness.estimate(fits[0], name, "holdout")
        of = moments_of(bound, strata, fits[1]).components(strata.sizes)
        mean = over_training_sets(fixed, of, bound.interval)
        rows.append([fixed.value, value, of.total, of.training, of.testing, *fixed.ci(), *mean.ci()])
    assert values_of(METRICS["auc"].bind(sample), fits[1]).shape == (B,)
    return np.array(rows)


def shown(x: float) -> str:
    return f"{1000 * x:.2f}"


def components(trials: int) -> None:
    print("| rule, training cases per class, sets | metric | total | training | testing | training < 0 |", end="")
    print(" this rule | mean over sets | this rule's, of the mean |\n|---|---|---|---|---|---|---|---|---|")
    settings = [("LDA", lda, 20, True), ("LDA", lda, 20, False), ("QDA", qda, 20, False), ("LDA", lda, 50, False)]
    for label, fit, n, independent in settings:
        rng = np.random.default_rng(n + independent)
        truth = Truth(fit, rng)
        found = np.array([trial(fit, n, independent, truth, rng) for _ in range(trials)])
        true_training = truth.training(found[:, :, 1], n, rng)
        for k, metric in enumerate(METRICS):
            value, true, total, training, testing, low, high, low_mean, high_mean = found[:, k].T
            mean = true.mean()
            cells = [
                f"{label} {n}, {'independent' if independent else 'bootstrap'}",
                metric,
                f"{shown(value.var(ddof=1))} / {shown(total.mean())}",
                f"{shown(true_training[k])} / {shown(training.mean())}",
                f"{shown((value - true).var(ddof=1))} / {shown(testing.mean())}",
                f"{(training < 0).mean():.0%}",
                f"{((low <= true) & (true <= high)).mean():.1%}",
                f"{((low_mean <= mean) & (mean <= high_mean)).mean():.1%}",
                f"{((low <= mean) & (mean <= high)).mean():.1%}",
            ]
            print(f"| {' | '.join(cells)} |", flush=True)


def smaller(trials: int) -> None:
    """The training variance at smaller sizes: m of 50 + 50 cases drawn with replacement, against sets of m cases."""
    print("\n| training cases per class | true | from 50 + 50 cases |\n|---|---|---|")
    rng = np.random.default_rng(9)
    sample = Sample.of(Y)
    metric = AUC().bind(sample)
    strata = Strata.of(metric, sample)
    for m in (12, 25, 50):
        true = Truth(lda, rng).training(np.empty(0), m, rng)[0]
        found = []
        for _ in range(trials):
            X0, X1 = draw(rng, 50)
            rules = lda(X0[rng.integers(0, 50, (B, m))], X1[rng.integers(0, 50, (B, m))])
            s = rules(np.concatenate(draw(rng, TEST)))
            fits = trueness.Fits.from_arrays(
                Y, np.zeros((B, len(Y)), int), s, threshold=0, stratified=False, plan="holdout"
            )
            found.append(moments_of(metric, strata, fits).components(strata.sizes).training)
        print(f"| {m} | {shown(true)} | {shown(float(np.mean(found)))} |", flush=True)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    components(wanted)
    smaller(wanted)
