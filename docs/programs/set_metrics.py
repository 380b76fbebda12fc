"""Average precision and the TPF at an FPF of 0.1 by the default plan: how often 95 % intervals cover.

    python docs/programs/set_metrics.py --samples 200                       # prints the table of docs/default-interval.md
    python docs/programs/set_metrics.py --samples 100 --learners LDA forest
    python docs/programs/set_metrics.py --samples 100 --differences         # and of differences of learners

Cohorts with 5, 8 and 30 % positives (at least ten), five normal features, two of them shifted. The truth is the mean of
the metric over training sets of n cases, on one large test set. "Folds" is the mean over test folds, with Nadeau and
Bengio's standard error and logit limits: what was reported before.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.estimators.cv import fold_values, mean_of_folds, nadeau_bengio
from trueness.metrics import AveragePrecision, Scorer
from trueness.result.interval import LOGIT

LEARNERS = {
    "LDA": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "15-NN": KNeighborsClassifier(15),
    "logistic": LogisticRegression(),
    "forest": RandomForestClassifier(20, min_samples_leaf=3, random_state=0),
}
SIZES = ((300, 0.08), (1000, 0.05), (150, 0.3))
TEST_CASES, TRAINING_SETS = 20_000, 60


def tpf_at(y: np.ndarray, score: np.ndarray) -> float:
    """TPF at an FPF of 0.1: the empirical ROC curve, with straight lines between its points."""
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    tpf, fpf = (np.append(0, np.cumsum(of[order])[ends]) / of.sum() for of in (y == 1, y == 0))
    return float(np.interp(0.1, fpf, tpf))


METRICS = {"average precision": AveragePrecision(), "TPF at FPF .1": Scorer(tpf_at, limits=(0.0, 1.0))}


def cohort(n: int, prevalence: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    while True:
        y = (rng.random(n) < prevalence).astype(int)
        if y.sum() >= 10:
            break
    X = rng.normal(size=(n, 5))
    X[:, 0] += 1.2 * y
    X[:, 1] += 0.6 * y
    return X, y


def truth(learner: str, n: int, prevalence: float) -> list[float]:
    """Of every metric, over training sets of n cases."""
    rng = np.random.default_rng(1)
    X, y = cohort(TEST_CASES, prevalence, rng)
    test, found = trueness.sample.Sample.of(y), []
    for _ in range(TRAINING_SETS):
        rule = clone(LEARNERS[learner]).fit(*cohort(n, prevalence, rng))
        scores = rule.predict_proba(X)[:, 1]
        fits = trueness.Fits.from_arrays(y, [[0] * len(y)], scores[None])
        block = next(fits.tests())
        found.append([metric.bind(test).rows(block, block.ones)[0] for metric in METRICS.values()])
    return np.mean(found, axis=0).tolist()


def sampled(n: int, prevalence: float, learners: list[str], seed: int) -> dict[tuple[str, ...], list[list[float]]]:
    """By learner, or by pair of learners: value, limits of the default, value and limits by folds, for each metric."""
    X, y = cohort(n, prevalence, np.random.default_rng([2, n, seed]))
    design = trueness.CvBootstrap().draw(y, rng=seed)
    fits = {name: trueness.fit(LEARNERS[name], X, y, design, progress=False) for name in learners}
    out: dict[tuple[str, ...], list[list[float]]] = {}
    for name in learners:
        out[name,] = []
        for metric in METRICS.values():
            e, cv = trueness.estimate(fits[name], metric, "cv+training"), fits[name].parts[0]
            values = fold_values(cv, metric.bind(cv.sample), "skip")
            folds = mean_of_folds(values, cv.design.repeats())
            folds = nadeau_bengio(folds, values, cv).with_(bounds=(0.0, 1.0), interval=LOGIT)
            out[name,].append(
                [e.value, *e.ci(), folds.value, *folds.ci(), e.noted("scores-not-comparable") is not None]
            )
    for a, b in combinations(learners, 2):
        ds = [trueness.difference(fits[a], fits[b], metric, "cv+training") for metric in METRICS.values()]
        out[a, b] = [[d.value, *d.ci(), *[np.nan] * 3, False] for d in ds]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[n for n, _ in SIZES])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        "| cases, positives | learner | metric | truth | mean value | covers | too low, too high | width / ± 1.96 SD "
        "| mean of folds | folds cover | noted |\n|" + "---|" * 11
    )
    for n, prevalence in (s for s in SIZES if s[0] in options.sizes):
        true = {name: np.array(truth(name, n, prevalence)) for name in options.learners}
        answers = [sampled(n, prevalence, options.learners, seed) for seed in range(options.samples)]
        for key in answers[0]:
            if len(key) == 2 and not options.differences:
                continue
            known = true[key[0]] - (true[key[1]] if len(key) == 2 else 0)
            for k, name in enumerate(METRICS):
                v, low, high, folds, below, above, noted = np.array([a[key][k] for a in answers]).T
                short, beyond = np.mean(high < known[k]), np.mean(low > known[k])
                of_folds = np.mean((below <= known[k]) & (known[k] <= above))
                print(
                    f"| {n}, {prevalence:.0%} | {' − '.join(key)} | {name} | {known[k]:.3f} | {v.mean():.3f} "
                    f"| {1 - short - beyond:.3f} | {short:.3f}, {beyond:.3f} | {np.median(high - low) / 3.92 / v.std():.2f} "
                    + (f"| {folds.mean():.3f} | {of_folds:.3f} | {noted.mean():.2f} |" if len(key) == 1 else "| | | |"),
                    flush=True,
                )


if __name__ == "__main__":
    main()
