"""How often every 95 % interval that trueness offers contains the truth, in samples of 100 cases or more.

    python docs/programs/interval_coverage.py            prints the table of docs/appendix/coverage.md
    python docs/programs/interval_coverage.py 50 tables  one part, with fewer samples

`PARTS` simulate: each draws one sample and yields (name of the interval, whether it contains the truth). `NOT_CLAIMED`
has the intervals that are not documented as valid, with the reason. `offered()` lists what the registries of trueness
offer; a test compares it with both. The rule: an interval fails where so few hits have a probability below `ALARM` if
the true coverage is 93 %.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache

import groups_coverage
import numpy as np
import pandas as pd
import pr_coverage
import roc_coverage
import two_sets
from scipy import special, stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness import comparisons as C
from trueness import statistics
from trueness.curves.bands import BANDS
from trueness.curves.empirical import EmpiricalRoc
from trueness.estimators.registry import available
from trueness.formulas.proportions import METHODS
from trueness.metrics import resolve
from trueness.tables import MEASURES

NOT_DEFAULT = (  # words of intervals of curves that docs/roc.md shows for comparison
    *(", wald", "hanley-mcneil", "q1q2", "newcombe", ", wilson", "without resamples", "normal theory"),
    *("of best()", "best(fpf", "FPF of the threshold of best", "FPF 0 to .05"),
)
LEAST, ALARM = 0.93, 0.01
Hits = Iterator[tuple[str, bool]]
Rng = np.random.Generator

SPREAD = "quantiles of replicates: a spread, not a confidence interval (docs/standard-errors.md)"
SINGLE = "treats the tested cases as independent, right for the rules of the folds only (docs/standard-errors.md)"
SHORT = "covers about 90 % with 100 cases; the default of compare is cv+training (docs/standard-errors.md)"
EXPERIMENT = "experimental (docs/standard-errors.md)"


def _named(metrics: tuple[str, ...], methods: tuple[str, ...], errors: tuple[str, ...], why: str) -> dict[str, str]:
    return {f"estimate: {m}, {k}, {se}": why for m in metrics for k in methods for se in errors}


NOT_CLAIMED = {
    "proportion: wald": "Do not use Wald for small n or for p near 0 or 1 (docs/diagnostic.md)",
    "proportion: cloglog": "not symmetric in successes and failures; for comparison with R (docs/diagnostic.md)",
    "proportion: likelihood": "for comparison (docs/diagnostic.md)",
    "comparison: resampled_t": "not valid for splits; it warns (docs/comparison.md)",
    "comparison: overlap": "a screening rule without an interval (docs/comparison.md)",
    "band: binomial": "pointwise; that of TPF and FPF at a given threshold, which stand in the table (docs/roc.md)",
    "pr: average precision, bootstrap percentiles": "covers .91 to .93; the default is the logit (docs/diagnostic.md)",
    **{f"difference: {m}, {k}": SHORT for m, k in (("error", "loob"), ("f1", "loob"), ("auc", "lpob"))},
    **_named(("error", "f1"), ("cv", "cv_pooled"), ("naive", "within-fold"), SINGLE),
    **_named(("error",), ("cv", "cv_pooled"), ("continuity",), SINGLE),
    **_named(("error", "f1"), ("cv", "cv_pooled"), ("influence", "influence-corrected"), EXPERIMENT),
    **_named(("auc",), ("cv_pairs",), ("influence", "influence-corrected"), EXPERIMENT),
    **_named(("error", "auc", "f1"), ("632", "rb", "sb", "star"), ("quantile",), SPREAD),
    **_named(("error", "auc"), ("632+",), ("quantile",), SPREAD),
    **_named(("error", "auc"), ("632+",), ("scaled",), "both estimators are assumed to vary alike"),
}


# -- proportions -------------------------------------------------------------------------------------------


def proportions(rng: Rng) -> Hits:
    """x of 100 with p between .05 and .95 (docs/appendix/diagnostic.md has the exact coverage at every p)."""
    p = rng.uniform(0.05, 0.95)
    x = int(rng.binomial(100, p))
    for method in METHODS:
        yield f"proportion: {method}", trueness.tables.proportion_interval(x, 100, method).covers(p)


# -- scores ------------------------------------------------------------------------------------------------

TRUTH = roc_coverage.Truth(0.8, 1.0)
BAND_NAMES = {
    "whole curve, fixed-width band": "band: fixed-width",
    "whole curve, binormal ML, Working–Hotelling band": "band: working-hotelling",
    "whole curve, kolmogorov band": "band: kolmogorov",
}


def scores(rng: Rng) -> Hits:
    """Binormal scores, 100 + 100 cases, AUC .8: the intervals of trueness.roc that docs/roc.md calls defaults."""
    hits: dict[str, list[bool]] = defaultdict(list)
    data = TRUTH.draw(100, 100, rng)
    curve = EmpiricalRoc.of(data)
    roc_coverage.quick(curve, TRUTH, hits)
    roc_coverage.fitted(data, TRUTH, hits)
    roc_coverage.several(TRUTH, 100, 100, hits, rng)
    roc_coverage.slow(data, TRUTH, hits, rng)
    for name, (hit, *_) in hits.items():
        if name != "(binormal fit exists)":
            yield BAND_NAMES.get(name, f"roc: {name}"), hit
    true = TRUTH.rates(TRUTH.youden_threshold)["fpf"]
    for name in ("vertical", "bootstrap"):  # pointwise; "binomial" is that of a given threshold
        band = curve.band(method=name, n_resamples=200, rng=0)
        yield f"band: {name}", roc_coverage.inside(band.at(true), float(TRUTH.roc(true)))


def precision_recall(rng: Rng) -> Hits:
    """200 cases, prevalence .2."""
    area = _area()
    y = (rng.random(200) < 0.2).astype(int)
    curve = trueness.pr(y, rng.normal(size=200) + y)
    yield "pr: average precision, logit", curve.average_precision.ci().covers(area)
    yield (
        "pr: average precision, bootstrap percentiles",
        curve.bootstrap("average_precision", 200, rng=0).ci().covers(area),
    )


@cache
def _area() -> float:
    return pr_coverage.truth(1.0, 0.2)


# -- tables --------------------------------------------------------------------------------------------------

SHARES = np.array([0.06, 0.24, 0.56, 0.14])  # fn, tp, tn, fp
FOLDS = (np.arange(30) % 5 != np.arange(5)[:, None]).astype(int)  # 1: a case of the training set


@cache
def _true_measures() -> dict[str, float]:
    fn, tp, tn, fp = (10**7 * SHARES).astype(int).tolist()
    return _values(trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn))


def _values(d: trueness.tables.Diagnosis) -> dict[str, float]:
    return {name: d[name].value for name in MEASURES}


def tables(rng: Rng) -> Hits:
    """200 cases, prevalence .3, TPF .8, FPF .2; two tests on the same cases."""
    fn, tp, tn, fp = rng.multinomial(200, SHARES).tolist()
    d = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn)
    for name, truth in _true_measures().items():
        if d[name].has_interval:
            yield f"diagnose: {name}", d[name].ci().covers(truth)
    fpf, tpf = d.joint_region()
    yield "diagnose: joint region", fpf.covers(0.2) and tpf.covers(0.8)
    y = (rng.random(200) < 0.3).astype(int)
    first, second = (rng.random((2, 200)) < np.where(y, [[0.8], [0.7]], [[0.2], [0.3]])).astype(int)
    both = trueness.diagnose(y, first).versus(trueness.diagnose(y, second))
    yield "diagnose: difference of TPFs", both.difference("tpf").ci().covers(0.1)
    yield "diagnose: ratio of TPFs", both.ratio("tpf").ci().covers(8 / 7)
    yield "diagnose: difference of PPVs", both.difference("ppv").ci().covers(24 / 38 - 21 / 42)
    y = np.repeat([0, 1], 15)  # with an empty cell in most samples
    said = np.where(rng.random(30) < 0.95, y, 1 - y)
    fits = trueness.Fits.from_arrays(
        y, FOLDS, None, predictions=np.tile(said, (5, 1)), plan="cv", repeat=np.zeros(5, int)
    )
    for name, truth in (("dlr_positive", 19), ("odds_ratio", 361)):
        yield f"estimate: {name} of 30 cases, cv", trueness.estimate(fits, name, "cv").ci().covers(truth)


# -- resampling ----------------------------------------------------------------------------------------------

N, Y = 50, np.repeat([0, 1], 50)  # 100 cases: normal classes, four features, distance 1.21 (docs/programs/two_sets.py)
PLANS = {
    "cv+bootstrap": trueness.CvBootstrap(),
    "bootstrap": trueness.Bootstrap(500),
    "nested": trueness.plans.NestedKFold(10, repeats=5),
    "paired": trueness.plans.PairedSubsampling(),
    "cv+halves": trueness.plans.CvHalves(),
}
METRICS = ("error", "auc", "f1")


@cache
def _target(sets: str, features: int) -> dict[str, float]:
    """Mean over 20,000 training sets of n cases, of 9n/10 or of bootstrap replicates, of LDA on the first features."""
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(10):
        X0, X1 = (X[..., :features] for X in two_sets.draw(rng, 2000, {"folds": 45}.get(sets, N)))
        if sets == "bootstrap":
            X0, X1 = (np.take_along_axis(X, rng.integers(0, N, (2000, N))[..., None], axis=1) for X in (X0, X1))
        (m0, s0), (m1, s1) = two_sets.moments(X0), two_sets.moments(X1)
        w = np.linalg.solve((s0 + s1) / 2, (m1 - m0)[..., None])[..., 0]
        cut, shift, length = (
            (w * (m0 + m1)).sum(axis=-1) / 2,
            w @ two_sets.MEAN[:features],
            np.sqrt((w**2).sum(axis=-1)),
        )
        parts.append(
            [
                stats.norm.sf(cut / length),
                stats.norm.cdf((cut - shift) / length),
                stats.norm.cdf(shift / length / np.sqrt(2)),
            ]
        )
    fpf, fnf, auc = np.mean(np.concatenate(parts, axis=1), axis=1)
    return {"error": (fpf + fnf) / 2, "auc": auc, "f1": 2 * (1 - fnf) / (2 * (1 - fnf) + fpf + fnf)}


def _sets(estimand: str) -> str:
    return "bootstrap" if "bootstrap" in estimand else "folds" if "folds" in estimand else "all"


def resampling(rng: Rng) -> Hits:
    """LDA on 100 cases, and its difference from LDA on two of the four features."""
    X = np.concatenate(two_sets.draw(rng, N))
    seed = int(rng.integers(2**31))
    for kind, plan in PLANS.items():
        design = plan.draw(Y, rng=seed)
        fits, other = (trueness.fit(LDA(), part, Y, design) for part in (X, X[:, :2]))
        for metric in METRICS:
            for e in available(kind, resolve(metric).bind(fits.sample)):  # type: ignore[arg-type]
                if (kind not in e.method.kinds and "bootstrap" in e.method.kinds) or (
                    kind in ("paired", "cv+halves") and "cv" in e.method.kinds
                ):
                    continue  # those of a part, asked for with the bootstrap alone and with the default plan
                sets = _sets(e.estimand)
                truth, less = (_target(sets, p)[metric] for p in (4, 2))
                for se in e.se:
                    name = f"estimate: {metric}, {e.name}, {se}"
                    if se in ("none", "quantile") or name in NOT_CLAIMED:
                        continue
                    yield name, trueness.estimate(fits, metric, e.name, se=se).ci().covers(truth)
                if (
                    e.pairs is not None
                    and e.se[0] != "none"
                    and f"estimate: {metric}, {e.name}, {e.se[0]}" not in NOT_CLAIMED
                ):
                    difference = trueness.difference(fits, other, metric, e.name)
                    yield f"difference: {metric}, {e.name}", difference.ci().covers(truth - less)


def holdout(rng: Rng) -> Hits:
    """A test set of 100 + 100 cases: the rule score ≥ .75 on normal scores at distance 1.5."""
    y = np.repeat([0, 1], 100)
    scores = rng.normal(size=200) + 1.5 * y
    fits = trueness.Fits.from_arrays(y, np.zeros(200, int), scores, threshold=0.75)
    wrong = stats.norm.cdf(-0.75)
    truths = {
        "error": wrong,
        "auc": stats.norm.cdf(1.5 / np.sqrt(2)),
        "f1": 1 - wrong,
        "average_precision": pr_coverage.truth(1.5, 0.5),
    }
    for metric, truth in truths.items():
        for e in available("holdout", resolve(metric).bind(fits.sample)):
            for se in e.se if e.name == "holdout" else ():
                yield (
                    f"estimate: {metric}, holdout, {se}",
                    trueness.estimate(fits, metric, "holdout", se=se).ci().covers(truth),
                )
    own = trueness.estimate(fits, lambda y, s: float(s[y == 1].mean() - s[y == 0].mean()), "holdout")
    yield "estimate: a function of your own, holdout, jackknife", own.ci().covers(1.5)


# -- comparisons -----------------------------------------------------------------------------------------------


def comparisons(rng: Rng) -> Hits:
    """Two rules with correlated scores on 100 + 100 cases, decisions, values on 100 data sets, and splits."""
    y = np.repeat([0, 1], 100)
    common, one, two = rng.normal(size=(3, 200))
    s1, s2 = ((common + own) / np.sqrt(2) + d * y for own, d in ((one, 1.5), (two, 1.0)))
    areas = [float(stats.norm.cdf(d / np.sqrt(2))) for d in (1.5, 1.0)]
    at = [float(stats.norm.cdf(d + stats.norm.ppf(0.2))) for d in (1.5, 1.0)]
    out = [float(stats.norm.sf(d + stats.norm.ppf(0.2))) for d in (1.5, 1.0)]
    parts = [roc_coverage.Truth(a, 1.0).part for a in areas]
    p1, p2 = (s1 > 0.75).astype(int), (s2 > 0.5).astype(int)
    errors = [float(stats.norm.cdf(-c)) for c in (0.75, 0.5)]
    other = rng.normal(size=200) + 1.0 * y
    e1, e2 = rng.normal(size=(2, 100)) + np.array([[0.3], [0.0]])
    rho = 0.1
    splits = 0.1 + np.sqrt(rho) * rng.normal() + np.sqrt(1 - rho) * rng.normal(size=100)
    asked = {
        "delong": (C.delong(y, s1, s2), areas[0] - areas[1]),
        "delong_unpaired": (C.delong_unpaired(y, s1, y, other), areas[0] - areas[1]),
        "bootstrap": (C.bootstrap(y, s1, s2, n_resamples=200, rng=0), areas[0] - areas[1]),
        "partial_auc": (C.partial_auc(y, s1, s2, fpf=(0.0, 0.2), n_resamples=200, rng=0), parts[0] - parts[1]),
        "at_fpf": (C.at_fpf(y, s1, s2, 0.2, n_resamples=200, rng=0), at[0] - at[1]),
        "at_tpf": (C.at_tpf(y, s1, s2, 0.8, n_resamples=200, rng=0), out[0] - out[1]),
        "paired_t": (C.paired_t(e1, e2), 0.3),
        "wilcoxon": (C.wilcoxon(e1, e2), 0.3),
        "sign": (C.sign(e1, e2), 0.3),
        "permutation": (C.permutation(e1, e2, n_permutations=99, rng=0), 0.3),
        "corrected_t": (C.corrected_t(splits, 90, 10), 0.1),
        "five_by_two_t": (C.five_by_two_t(0.1 + rng.normal(size=(5, 2))), 0.1),
    }
    for name, (result, truth) in asked.items():
        if result.difference is not None and result.difference.has_interval:
            yield f"comparison: {name}", result.difference.ci().covers(truth)
    yield "comparison: mcnemar", C.mcnemar(y, p1, p2).difference.ci().covers(errors[0] - errors[1])
    yield "comparison: split_mean", C.split_mean(rng.normal(size=100)).ci().covers(0.0)
    frame = pd.DataFrame({"id": range(200), "truth": y, "a": p1, "b": p2})
    k = trueness.systems.compare(frame, systems=["a", "b"], truth="truth")
    yield "compare_systems: accuracy", bool(k.difference.ci().covers(errors[1] - errors[0]))


# -- the rest ----------------------------------------------------------------------------------------------------


def others(rng: Rng) -> Hits:
    """Statistics of 100 numbers, two sets, the best of ten models, the stability of a selection."""
    x = rng.normal(size=100)
    yield "statistics: jackknife", statistics.jackknife(np.mean, x).ci().covers(0)
    yield "statistics: influence", statistics.influence(lambda x, w: float(w @ x), x).ci().covers(0)
    drawn = statistics.bootstrap(np.mean, x, n_resamples=400, rng=0)
    for method in (None, "percentile", "bca"):
        yield f"statistics: bootstrap, {method or 'default'}", drawn.ci(method=method).covers(0)
    (_, true, *_, low, high, low_mean, high_mean), _ = two_sets.trial(two_sets.lda, N, True, _truth(), rng)
    yield "two_sets: this rule, AUC", low <= true <= high
    yield "two_sets: mean over training sets, AUC", low_mean <= _target("all", 4)["auc"] <= high_mean
    errors = np.linspace(0.2, 0.4, 10)
    said = np.where(rng.random((10, 100)) < errors[:, None], 1 - Y, Y)
    counts = (np.arange(100) % 5 != np.arange(5)[:, None]).astype(int)
    fits = {
        str(k): trueness.Fits.from_arrays(
            Y, counts, None, predictions=np.tile(p, (5, 1)), plan="cv", repeat=np.zeros(5, int)
        )
        for k, p in enumerate(said)
    }
    best = trueness.selection.best_of(fits, n_resamples=200, rng=0)
    yield "best_of: corrected", best.corrected.ci().covers(errors[int(best.chosen)])
    shares = np.repeat([0.9, 0.5, 0.1], 10)
    chosen = rng.random((100, 30)) < shares
    between = shares.mean() * (1 - shares.mean())
    yield (
        "stability",
        trueness.selection.stability(chosen).index.ci().covers(1 - float(np.mean(shares * (1 - shares))) / between),
    )


@cache
def _truth() -> two_sets.Truth:
    return two_sets.Truth(two_sets.lda, np.random.default_rng(0))


def grouped(rng: Rng) -> Hits:
    """40 groups of 3 to 8 cases with intraclass correlation .3 (docs/groups.md)."""
    y, s, g = groups_coverage.scored(rng, 40, pure=False)
    for name, truth, estimate in groups_coverage.CASES:
        yield f"groups: {name}", estimate(y, s, g).ci().covers(truth)


def learning(rng: Rng) -> Hits:
    """A point of the learning curve at half of 100 cases; the truth is that of 25 + 25 cases."""
    X = np.concatenate(two_sets.draw(rng, N))
    curve = trueness.learning_curve(LDA(), X, Y, sizes=[90], splits=30, rng=0, progress=False)
    row = curve.frame().iloc[0]
    yield "learning_curve: error", row["low"] <= _target("folds", 4)["error"] <= row["high"]


EXTREME = (1.0, 5.0, 20.0, 60.0)  # times the true log-odds; up to log-odds of 36


@cache
def _log_loss(times: float) -> float:
    """The mean log loss of probabilities whose log-odds are `times` those of the truth, which are standard normal."""
    z = np.linspace(-9, 9, 200_001)
    p, eta = special.expit(z), np.clip(times * z, -36, 36)
    loss = p * np.logaddexp(0, -eta) + (1 - p) * np.logaddexp(0, eta)
    return float(np.trapezoid(loss * stats.norm.pdf(z), z))


def overconfident(rng: Rng) -> Hits:
    """Log loss on 200 test cases of probabilities that are right, or more and more extreme."""
    z = rng.normal(size=200)
    y = (rng.random(200) < special.expit(z)).astype(int)
    for times in EXTREME:
        p = special.expit(np.clip(times * z, -36, 36))
        e = trueness.estimate(trueness.Fits.from_arrays(y, None, p), "log_loss", "holdout")
        yield f"holdout: log loss of log-odds x {times:g}", e.ci().covers(_log_loss(times))


PARTS: dict[str, tuple[Callable[[Rng], Hits], int]] = {  # samples of a whole run
    "proportions": (proportions, 2000),
    "scores": (scores, 400),
    "precision_recall": (precision_recall, 500),
    "tables": (tables, 1500),
    "holdout": (holdout, 1500),
    "overconfident": (overconfident, 1000),
    "resampling": (resampling, 300),
    "comparisons": (comparisons, 500),
    "others": (others, 400),
    "grouped": (grouped, 400),
    "learning": (learning, 300),
}


def simulate(part: str, samples: int | None = None, seed: int = 0) -> dict[str, tuple[int, int]]:
    """Hits and samples of every interval of a part."""
    one, whole = PARTS[part]
    found: dict[str, list[bool]] = defaultdict(list)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(samples or whole):
            for name, hit in one(np.random.default_rng([seed, k])):
                found[name].append(bool(hit))
    return {name: (sum(hits), len(hits)) for name, hits in found.items()}


def claimed(name: str) -> bool:
    """Whether the documentation calls the interval valid. Of the curves, docs/roc.md recommends the defaults only."""
    others = name.startswith("roc: ") and any(word in name for word in NOT_DEFAULT) and "its optimism" not in name
    return name not in NOT_CLAIMED and not others


def too_low(hits: int, samples: int) -> bool:
    """Whether so few hits are improbable with a coverage of 93 %."""
    return bool(stats.binom.cdf(hits, samples, LEAST) < ALARM)


def offered() -> set[str]:
    """Intervals by the names of trueness's registries."""
    sample = trueness.sample.Sample.of(Y)
    kinds = ("cv+bootstrap", "bootstrap", "nested", "paired", "cv+halves", "holdout")
    estimates = set()
    for metric in (resolve(name).bind(sample) for name in METRICS):
        for e in (e for kind in kinds for e in available(kind, metric)):  # type: ignore[arg-type]
            estimates |= {f"estimate: {metric.name}, {e.name}, {se}" for se in e.se if se != "none"}
    bands = {f"band: {name}" for name, *_ in BANDS}
    return estimates | bands | {f"proportion: {m}" for m in METHODS} | {f"diagnose: {m}" for m in MEASURES}


def row(name: str, hits: int, samples: int) -> str:
    share = hits / samples
    low = "TOO LOW" if claimed(name) else "too low, not claimed"
    remark = low if too_low(hits, samples) else "wide" if stats.binom.sf(hits - 1, samples, 0.975) < ALARM else ""
    return f"| {name} | {samples} | {share:.3f} | {remark} |"


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else None
    print("| interval | samples | covers | |\n|---|---:|---:|---|")
    for part in sys.argv[2:] or PARTS:
        start = time.process_time()
        for name, (hits, n) in sorted(simulate(part, samples).items()):
            print(row(name, hits, n), flush=True)
        print(f"{part}: {time.process_time() - start:.0f} s of one core", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
