"""Do the default intervals of table measures cover, alone and together? Prints the tables of docs/appendix/metrics.md.

    python docs/programs/metric_coverage.py --samples 400
    python docs/programs/metric_coverage.py --samples 400 --equal

"--equal": how often the test of several metrics at once rejects, where two models are equal in all of them: LDA on two
exchangeable blocks of four features, correlated by one half. Beside it Wald's statistic with Hotelling's F. The last
row has two rules that are equal themselves, since a holdout is about the rules that were trained, not about the models.

Cohorts with 30 % positives, five normal features, the first shifted. The truth is the measure of the mean table over
training sets of n cases (for AUC and Brier score the mean), from many training sets and one large test set.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from scipy import special, stats
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.api.compare import comparison_of
from trueness.metrics import resolve
from trueness.metrics.table import TableMeasure
from trueness.result.joint import JointTest, correlations
from trueness.sample.rows import Block

METRICS = ("error", "auc", "tpf", "fpf", "ppv", "npv", "f1", "mcc", "balanced_accuracy", "brier")
LEARNERS = {"LDA": LinearDiscriminantAnalysis(), "5-NN": KNeighborsClassifier(5)}
SIZES = (100, 300)
PREVALENCE, SHIFT, FEATURES = 0.3, 1.5, 5
TEST_CASES, TRAINING_SETS = 12_000, 120


def cohort(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """n cases; at least ten of each class, so that ten folds exist."""
    while True:
        y = (rng.random(n) < PREVALENCE).astype(int)
        if 10 <= y.sum() <= n - 10:
            break
    X = rng.normal(size=(n, FEATURES))
    X[:, 0] += SHIFT * y
    return X, y


def truth(learner: str, n: int) -> dict[str, float]:
    """Of every metric, over training sets of n cases."""
    rng = np.random.default_rng(1)
    X, y = cohort(TEST_CASES, rng)
    sample = trueness.sample.Sample.of(y)
    bound = {name: resolve(name).bind(sample) for name in METRICS}
    each: dict[str, list[np.ndarray]] = {name: [] for name in METRICS}
    for _ in range(TRAINING_SETS):
        rule = clone(LEARNERS[learner]).fit(*cohort(n, rng))
        scores, predictions = rule.predict_proba(X)[None, :, 1], rule.predict(X)[None]
        block = Block(y, np.zeros(scores.shape, dtype=int), scores, predictions, np.zeros(1, dtype=int))
        for name, metric in bound.items():
            one = metric.tables if isinstance(metric, TableMeasure) else metric.rows
            each[name].append(one(block, block.ones)[0])
    means = {name: np.mean(values, axis=0) for name, values in each.items()}
    return {
        name: float(metric.value(means[name])) if isinstance(metric, TableMeasure) else float(means[name])
        for name, metric in bound.items()
    }


def covered(learner: str, n: int, samples: int) -> tuple[dict[str, float], float, float, dict[str, float]]:
    """Share of samples whose interval covers, of each metric and of all together; their mean level; mean widths."""
    true = truth(learner, n)
    hits, widths = {name: 0.0 for name in METRICS}, {name: 0.0 for name in METRICS}
    together = level = 0.0
    for seed in range(samples):
        X, y = cohort(n, np.random.default_rng([2, n, seed]))
        design = trueness.CvBootstrap().draw(y, rng=seed)
        fits = trueness.fit(LEARNERS[learner], X, y, design, scores="predict_proba")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimates = {(name, "cv+training"): trueness.estimate(fits, name, "cv+training") for name in METRICS}
        a = trueness.Assessment(estimates, learner, fits=fits, recommended=dict.fromkeys(METRICS, "cv+training"))
        frame = a.simultaneous(0.95)
        for name, e in frame.estimates.items():
            hits[name] += e.ci().covers(true[name]) / samples
            widths[name] += (e.ci().high - e.ci().low) / samples
        together += all(e.ci(frame.each).covers(true[name]) for name, e in frame.estimates.items()) / samples
        level += frame.each / samples
    return hits, together, level, widths


# -- two models that are equal in every metric ----------------------------------------------------------------------

TOGETHER = ("error", "auc", "f1", "mcc", "ppv", "brier")
PLANS = {
    "CvBootstrap()": trueness.CvBootstrap(),
    "Bootstrap(400)": trueness.Bootstrap(400),
    "Holdout(0.5)": trueness.Holdout(0.5),
}
EQUAL_RULES = "two equal rules, 50 test cases"


def wald(t: JointTest, design: trueness.sample.Design) -> float:
    """p of Hotelling's F = W (ν − r + 1)/(r ν), W = tᵀ R⁻ t of rank r, ν the degrees of freedom: not offered."""
    ds = list(t.differences.values())
    values, vectors = np.linalg.eigh(correlations(design.unit_sums(np.stack([d.influence for d in ds]))))
    keep = values > 1e-8
    w, r = float((((vectors.T @ [d.value / d.se for d in ds]) ** 2)[keep] / values[keep]).sum()), int(keep.sum())
    v = min(d.df or 1e6 for d in ds)
    return float(stats.f.sf(w * (v - r + 1) / (r * v), r, v - r + 1))


def trained(plan: str, n: int, seed: int) -> dict[str, trueness.Fits]:
    """LDA on two exchangeable blocks of n cases. The models are equal; two rules trained on some cases are not."""
    rng = np.random.default_rng([3, n, seed])
    y = np.repeat([1, 0], n // 2)
    design = PLANS[plan].draw(y, rng=seed)
    return {
        name: trueness.fit(LEARNERS["LDA"], X + 0.6 * y[:, None], y, design, scores="predict_proba")
        for name, X in blocks(n, rng).items()
    }


def fixed(n: int, seed: int) -> dict[str, trueness.Fits]:
    """The best rule of each block on n test cases: two rules that are equal themselves."""
    rng = np.random.default_rng([4, seed])
    y = np.repeat([1, 0], n // 2)
    scores = {name: special.expit(0.6 * (X + 0.6 * y[:, None] - 0.3).sum(axis=1)) for name, X in blocks(n, rng).items()}
    return {name: trueness.Fits.from_arrays(y, np.zeros((1, n)), s[None], threshold=0.5) for name, s in scores.items()}


def blocks(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    first = rng.normal(size=(n, 4))
    return {"first": first, "second": 0.5 * first + np.sqrt(0.75) * rng.normal(size=(n, 4))}


def rejected(plan: str, n: int, samples: int) -> dict[str, float]:
    """Share of samples of n cases with p < .05: by max-t, by Wald's statistic, by one of the metrics alone, by any."""
    found = []
    for seed in range(samples):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits = fixed(n, seed) if plan == EQUAL_RULES else trained(plan, n, seed)
            t = comparison_of(fits, "auc").joint_test(TOGETHER)
        design = fits["first"].design
        alone = np.array(list(t.alone.values()))
        found.append([t.p_value < 0.05, wald(t, design) < 0.05, (alone < 0.05).mean(), (alone < 0.05).any()])
    return dict(zip(("max-t", "Wald", "each alone", "any alone"), np.mean(found, axis=0).tolist(), strict=True))


def print_rejected(samples: int) -> None:
    print(
        "| plan | n | max-t | Wald's F (not offered) | one metric alone | any of six alone |\n|---|---|---|---|---|---|"
    )
    for plan, n in (*((plan, 100) for plan in PLANS), (EQUAL_RULES, 50)):
        row = rejected(plan, n, samples)
        print(f"| {plan} | {n} | {' | '.join(f'{share:.3f}' for share in row.values())} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--equal", action="store_true", help="two equal models and the test of several metrics")
    options = parser.parse_args()
    samples = options.samples
    if options.equal:
        return print_rejected(samples)
    print("| learner | n | " + " | ".join(METRICS) + " | all ten | level of each |")
    print("|" + "---|" * (len(METRICS) + 4))
    for learner in LEARNERS:
        for n in SIZES:
            hits, together, level, _ = covered(learner, n, samples)
            cells = [f"{hits[name]:.3f}" for name in METRICS]
            print(f"| {learner} | {n} | {' | '.join(cells)} | {together:.3f} | {level:.3f} |", flush=True)


if __name__ == "__main__":
    main()
