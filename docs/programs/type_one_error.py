"""Type-I error of every comparison at 5 %, by simulation: the table of docs/appendix/comparison.md.

    python docs/programs/type_one_error.py [--trials 2000] [--part PART]...

Each trial draws data without a difference, runs every suitable test, and counts p < 0.05.
With 2000 trials the Monte-Carlo error of a share near 5 % is 0.5 %.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness import comparisons as C
from trueness.api.judged import judge
from trueness.comparisons.auc_tests import hotelling_p
from trueness.comparisons.curve_tests import bootstrapped
from trueness.errors import InputError
from trueness.estimators.cv import fold_values
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast
from trueness.formulas.intervals import tail
from trueness.formulas.roc import curve_rows, partial_area
from trueness.result.test_result import TestResult
from trueness.sample.answers import Answers

ALPHA = 0.05
SECOND_MEAN = 1.0337  # ∫_0^.2 Φ((m + Φ⁻¹(t))/2) dt at this m is ∫_0^.2 Φ(1.19 + Φ⁻¹(t)) dt
FEW_FOR_HALVES, MANY_FOR_HALVES = (60, 100), (200, 300)  # cases of a 5 × 2-fold cross-validation
Asked = Iterator[tuple[str, float]]  # name of the test, p-value


# -- rules that are fixed: scores of one test set -----------------------------------------------------------------


def correlated(rng: np.random.Generator, n: int, k: int, r: float) -> np.ndarray:
    """(n, k) normal scores with correlation r."""
    common = rng.normal(size=(n, 1))
    return np.sqrt(r) * common + np.sqrt(1 - r) * rng.normal(size=(n, k))


def drawn(rng: np.random.Generator, n1: int, n2: int, k: int, r: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Labels and the scores (n, k) of k rules with the same curve, AUC .80."""
    y = np.repeat([1, 0], [n1, n2])
    return y, correlated(rng, n1 + n2, k, r) + 1.19 * y[:, None]


def scores(rng: np.random.Generator) -> Asked:
    """fixed rules, 40 + 60 cases, AUC .80, scores correlated .5"""
    y, s = drawn(rng, 40, 60, 3)
    a, b = s[:, 0], s[:, 1]
    yield "delong", C.delong(y, a, b).p_value
    yield "delong_many", C.delong_many(y, s).p_value
    z = np.repeat([1, 0], [25, 35])
    other = rng.normal(size=60) + 1.19 * z
    yield "delong_unpaired (the second set 25 + 35)", C.delong_unpaired(y, a, z, other).p_value
    yield "venkatraman", C.venkatraman(y, a, b, n_permutations=199, rng=rng).p_value
    p = C.venkatraman_unpaired(y, a, z, other, n_permutations=99, rng=rng).p_value
    yield "venkatraman_unpaired (the second set 25 + 35)", p
    yield "bootstrap (auc)", C.bootstrap(y, a, b, n_resamples=200, rng=rng).p_value
    yield from parts_of_curves(y, a, b, 0.2, rng)


def parts_of_curves(y: np.ndarray, a: np.ndarray, b: np.ndarray, at: float, rng: np.random.Generator) -> Asked:
    more = {"n_resamples": 200, "rng": rng}
    yield f"at_fpf ({at:g})", C.at_fpf(y, a, b, at, **more).p_value
    yield f"at_tpf ({1 - at:g})", C.at_tpf(y, a, b, 1 - at, **more).p_value
    yield f"partial_auc (0 to {at:g})", C.partial_auc(y, a, b, fpf=(0, at), **more).p_value


def many_scores(rng: np.random.Generator) -> Asked:
    """the same, 120 + 120 cases (parts of curves by the normal law)"""
    y, s = drawn(rng, 120, 120, 2)
    yield from parts_of_curves(y, s[:, 0], s[:, 1], 0.2, rng)


def few_scores(rng: np.random.Generator) -> Asked:
    """the same, 25 + 25 cases"""
    y, s = drawn(rng, 25, 25, 3)
    yield "delong", C.delong(y, s[:, 0], s[:, 1]).p_value
    yield "delong_many", C.delong_many(y, s).p_value
    yield "bootstrap (auc)", C.bootstrap(y, s[:, 0], s[:, 1], n_resamples=200, rng=rng).p_value
    yield from parts_of_curves(y, s[:, 0], s[:, 1], 0.1, rng)


def by_the_normal_law(y: np.ndarray, s: np.ndarray, high: float, rng: np.random.Generator) -> float:
    """p of the bootstrap z of a partial AUC, whatever the number of negatives within the range."""

    def areas(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return partial_area(*curve_rows(scores, y == 1, weights), 0.0, high)

    rules = Answers(("a", "b"), s[:, :2].T[:, None], y == 1)
    d = bootstrapped(rules, areas, "partial auc", np.inf, 200, rng)
    return tail(d.value / d.se, "two-sided") if d.se else 1.0


def fewer_negatives(rng: np.random.Generator) -> Asked:
    """the same, 50 + 20 cases, scores not correlated"""
    y, s = drawn(rng, 50, 20, 2, r=0.0)
    yield from parts_of_curves(y, s[:, 0], s[:, 1], 0.1, rng)
    yield from parts_of_curves(y, s[:, 0], s[:, 1], 0.03, rng)
    yield "partial_auc (0 to 0.1), bootstrap z: NOT OFFERED", by_the_normal_law(y, s, 0.1, rng)


def fewer_still(rng: np.random.Generator) -> Asked:
    """the same, 10 + 10 and 15 + 15 cases, scores correlated .5"""
    for n in (10, 15):
        y, s = drawn(rng, n, n, 3)
        yield f"delong ({n} + {n})", C.delong(y, s[:, 0], s[:, 1]).p_value
        yield f"delong_many ({n} + {n})", C.delong_many(y, s).p_value


def few_errors(rng: np.random.Generator) -> Asked:
    """the same, 30 + 30 cases, five rules of AUC .95, not correlated"""
    y, s = drawn(rng, 30, 30, 5, r=0.0)
    t = C.delong_many(y, s + 1.11 * y[:, None])
    yield "delong_many (χ²): OUTSIDE", t.p_value
    yield "delong_many (Hotelling's F, in its note)", hotelling_p(t.statistic, int(t.df), 30)


def crossing(rng: np.random.Generator) -> Asked:
    """fixed rules, 60 + 60 cases, curves that cross: the same partial AUC to FPF .2, SDs of the positives 1 and 2"""
    y = np.repeat([1, 0], 60)
    s = correlated(rng, 120, 2, 0.5) * np.where(y[:, None] == 1, [1.0, 2.0], 1.0) + y[:, None] * [1.19, SECOND_MEAN]
    yield "partial_auc (0 to 0.2)", C.partial_auc(y, s[:, 0], s[:, 1], fpf=(0, 0.2), n_resamples=200, rng=rng).p_value


def decisions(rng: np.random.Generator) -> Asked:
    """fixed rules, 100 cases, error .2, correlated"""
    wrong = correlated(rng, 100, 3, 0.5) > 0.8416
    right = ~wrong
    b, c = int((right[:, 0] & wrong[:, 1]).sum()), int((wrong[:, 0] & right[:, 1]).sum())
    for method in ("exact", "mid-p", "chi2", "chi2-cc"):
        yield f"mcnemar ({method})", C.mcnemar_counts(b, c, method).p_value
    yield "cochran_q", C.cochran_q(right).p_value
    yield "permutation (cases)", C.permutation(wrong[:, 0], wrong[:, 1], n_permutations=499, rng=rng).p_value


def data_sets(rng: np.random.Generator) -> Asked:
    """12 data sets, 4 models"""
    table = rng.normal(0.75, 0.1, size=(12, 1)) + rng.normal(0, 0.03, size=(12, 4))
    a, b = table[:, 0], table[:, 1]
    yield "paired_t", C.paired_t(a, b).p_value
    yield "wilcoxon", C.wilcoxon(a, b).p_value
    yield "sign", C.sign(a, b).p_value
    yield "permutation (data sets)", C.permutation(a, b).p_value
    yield "bayes_signed_rank (tails at 0)", C.bayes_signed_rank(a, b, rope=0, n_draws=1000, rng=rng).p_value
    yield "overlap of mean ± SD", C.overlap(a.mean(), a.std(ddof=1), b.mean(), b.std(ddof=1)).p_value
    f = C.friedman(table)
    yield "friedman (χ²)", f.p_value
    yield "friedman (Iman–Davenport F)", f.f_p_value
    yield "nemenyi (any pair)", C.nemenyi(table).p_value
    yield "holm_ranks (any pair)", C.holm_ranks(table).p_value
    yield "conover (any pair, asked without Friedman)", C.conover(table).p_value
    yield "conover (any pair, after Friedman's F)", max(C.conover(table).p_value, f.f_p_value)


def margins(rng: np.random.Generator) -> Asked:
    """20 data sets, true difference = margin"""
    base = rng.normal(0.75, 0.1, size=20)
    d = C.paired_t(base + rng.normal(0, 0.02, size=20) - 0.02, base + rng.normal(0, 0.02, size=20)).difference
    yield "equivalence (TOST)", C.equivalence(d, 0.02).p_value
    yield "non_inferiority", C.non_inferiority(d, 0.02, higher_is_better=True).p_value


def few_sets(rng: np.random.Generator) -> Asked:
    """5 and 8 data sets, 4 models"""
    for n in (5, 8):
        table = rng.random((n, 4))
        f = C.friedman(table)
        yield f"friedman (χ², {n} data sets)", f.p_value
        yield f"friedman (Iman–Davenport F, {n} data sets)", f.f_p_value


def skewed_sets(rng: np.random.Generator) -> Asked:
    """data sets whose differences are skewed (exponential), 4, 5, 10 and 20 of them"""
    for n in (4, 5, 10, 20):
        d = rng.exponential(size=n) - 1
        yield f"paired_t ({n} data sets): SKEWED", C.paired_t(d, np.zeros(n)).p_value
        yield f"Shapiro–Wilk p < .05 ({n} data sets): SHARE", float(stats.shapiro(d).pvalue)


# -- models that are fitted: one data set ----------------------------------------------------------------------------


def two_blocks(rng: np.random.Generator, n: int = 30, p: int = 4, r: float = 0.5) -> tuple[np.ndarray, ...]:
    """Labels and two blocks of p features with the same law, correlated by r: LDA on either does equally well."""
    y = np.repeat([1, 0], n)
    first = rng.normal(size=(2 * n, p))
    second = r * first + np.sqrt(1 - r * r) * rng.normal(size=(2 * n, p))
    return y, first + 0.6 * y[:, None], second + 0.6 * y[:, None]


def refits(rng: np.random.Generator) -> Asked:
    """LDA on two exchangeable blocks of 4 features, 30 + 30 cases"""
    y, first, second = two_blocks(rng)
    seed = int(rng.integers(2**31))

    def both(plan):
        design = plan.draw(y, rng=seed)
        return [trueness.fit(LinearDiscriminantAnalysis(), X, y, design) for X in (first, second)]

    a, b = both(trueness.plans.MonteCarlo(30, test_size=0.2))
    error = bind(a, "error")
    d = fold_values(Contrast(a, error)) - fold_values(Contrast(b, error))
    yield "resampled_t (30 splits): NOT VALID", C.resampled_t(d).p_value
    yield "corrected_t (30 splits)", C.corrected_t(d, 48, 12).p_value
    yield "bayes_correlated_t (tails at 0)", C.bayes_correlated_t(d, 48, 12, rope=0).p_value
    a, b = both(trueness.KFold(5, repeats=5))
    yield "compare, error by cv (5 × 5-fold, Nadeau–Bengio)", judge(trueness.difference(a, b, "error", "cv")).p_value
    yield "compare, auc by cv (5 × 5-fold, Nadeau–Bengio)", judge(trueness.difference(a, b, "auc", "cv")).p_value
    a, b = both(trueness.KFold(10))
    e = [fold_values(Contrast(f, error)) for f in (a, b)]
    t = C.paired_t(*e) if (e[0] != e[1]).any() and np.ptp(e[0] - e[1]) > 0 else None
    yield "t over 10 folds, df K − 1: NO GUARANTEE", 1.0 if t is None else t.p_value
    yield "t over 10 folds, df 2K − 2: NO GUARANTEE", 1.0 if t is None else wider(t)
    yield (
        "compare, error by cv (one pass, naive): NO GUARANTEE",
        judge(trueness.difference(a, b, "error", "cv")).p_value,
    )
    a, b = both(trueness.Bootstrap(1000))
    for metric, method in (("auc", "lpob"), ("error", "loob")):
        for se in ("second-order", "influence-corrected", "influence"):
            yield (
                f"compare, {metric} by {method}, {se}",
                judge(trueness.difference(a, b, metric, method, se=se)).p_value,
            )


def five_by_two(rng: np.random.Generator) -> Asked:
    """the same, LDA and naive Bayes, 60 to 300 cases"""
    for n in FEW_FOR_HALVES + MANY_FOR_HALVES:
        y, first, second = two_blocks(rng, n=n // 2)
        design = trueness.KFold(2, repeats=5).draw(y, rng=int(rng.integers(2**31)))
        outside = ": OUTSIDE" if n in FEW_FOR_HALVES else ""
        for model in (LinearDiscriminantAnalysis(), GaussianNB()):
            a, b = (trueness.fit(model, X, y, design) for X in (first, second))
            error = bind(a, "error")
            d = (fold_values(Contrast(a, error)) - fold_values(Contrast(b, error))).reshape(5, 2)
            rule = "LDA" if model.__class__ is LinearDiscriminantAnalysis else "naive Bayes"
            for test in (C.five_by_two_t, C.five_by_two_f):
                try:
                    p = test(d).p_value
                except InputError:  # both folds of every repeat have the same difference
                    p = 1.0
                yield f"{test.__name__} ({n} cases, {rule}){outside}", p


def wider(t: TestResult) -> float:
    """p with the degrees of freedom of two independent samples, as Paclík et al. print them."""
    return float(2 * stats.t.sf(abs(t.statistic), 2 * (t.df + 1) - 2))


def points(rng: np.random.Generator) -> Asked:
    """Paclík et al., eq. 3: LDA, 100 + 100 cases, 10 stratified folds, 30 points of the stacked outputs

    The population is symmetric, so the errors at point k from the one end and at point k from the other are the same.
    """
    y, X, _ = two_blocks(rng, n=100, p=2)
    o = trueness.curves.operating_points(
        trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.KFold(10).draw(y, rng=rng)), n_points=30
    )
    for k, where in ((12, "near each other"), (8, "far apart")):
        for df, words in ((None, "2K − 2 as printed"), ("paired", "K − 1")):
            p = float(o.test(k, "error", df=df)["p_value"].iloc[29 - k])
            yield f"error at two points {where}, df {words}", p


PARTS: dict[str, Callable[[np.random.Generator], Asked]] = {
    "scores": scores,
    "many-scores": many_scores,
    "few-scores": few_scores,
    "fewer-negatives": fewer_negatives,
    "fewer-still": fewer_still,
    "few-errors": few_errors,
    "crossing": crossing,
    "decisions": decisions,
    "data-sets": data_sets,
    "few-sets": few_sets,
    "skewed-sets": skewed_sets,
    "margins": margins,
    "refits": refits,
    "five-by-two": five_by_two,
    "points": points,
}
TAGS = {  # behind the name of a row: what it is where it is not offered as valid
    "NOT VALID": "**not valid**, warns when called",
    "NOT OFFERED": "not offered, for comparison",
    "NO GUARANTEE": "no guarantee",
    "OUTSIDE": "outside its domain, as its note says",
    "SKEWED": "its assumption does not hold; a note may say so",
    "SHARE": "how often the note appears",
}


def rejections(part: str, trials: int, seed: int = 0) -> dict[str, float]:
    """Share of p < 0.05 of every test of a part."""
    found: dict[str, list[bool]] = {}
    children = np.random.SeedSequence([seed, list(PARTS).index(part)]).spawn(trials)
    for child in children:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, p in PARTS[part](np.random.default_rng(child)):
                found.setdefault(name, []).append(p < ALPHA)
    return {name: float(np.mean(hits)) for name, hits in found.items()}


def reading(share: float, tag: str) -> str:
    if tag:
        return TAGS[tag]
    if share < 0.03:
        return "conservative"
    return "valid" if share <= 0.07 else "TOO HIGH"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| setting | test | rejects, % | reading |\n|---|---|---|---|")
    for part in options.part or PARTS:
        words = (PARTS[part].__doc__ or "").splitlines()[0]
        for row, share in rejections(part, options.trials, options.seed).items():
            name, _, tag = row.partition(": ")
            print(f"| {words} | {name} | {100 * share:.1f} | {reading(share, tag)} |", flush=True)
            words = ""


if __name__ == "__main__":
    main()
