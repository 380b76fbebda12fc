"""Type-I error of every comparison at 5 %, by simulation: the table of docs/comparison.md.

    python docs/programs/type_one_error.py --trials 2000 [--part PART]... [--json FILE]

Each trial draws data in which there is NO difference, asks every test that suits them, and counts p < 0.05.
With 2000 trials the Monte-Carlo error of a share near 5 % is 0.5 %.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import karat
from karat import comparisons as C
from karat.api.compare import judge
from karat.errors import InputError
from karat.estimators.cv import fold_values
from karat.estimators.registry import bind

ALPHA = 0.05
Asked = Iterator[tuple[str, float]]  # name of the test, p-value


# -- rules that are fixed: scores of one test set -----------------------------------------------------------------


def correlated(rng: np.random.Generator, n: int, k: int, r: float) -> np.ndarray:
    """(n, k) normal scores with correlation r."""
    common = rng.normal(size=(n, 1))
    return np.sqrt(r) * common + np.sqrt(1 - r) * rng.normal(size=(n, k))


def scores(rng: np.random.Generator) -> Asked:
    """40 + 60 cases, AUC .80 of three rules whose scores correlate .5: the curves are the same."""
    y = np.repeat([1, 0], [40, 60])
    s = correlated(rng, 100, 3, 0.5) + 1.19 * y[:, None]
    a, b = s[:, 0], s[:, 1]
    yield "delong", C.delong(y, a, b).p_value
    yield "delong_many", C.delong_many(y, s).p_value
    z = np.repeat([1, 0], [25, 35])
    yield "delong_unpaired", C.delong_unpaired(y, a, z, rng.normal(size=60) + 1.19 * z).p_value
    yield "venkatraman", C.venkatraman(y, a, b, n_permutations=199, rng=rng).p_value
    yield "bootstrap (auc)", C.bootstrap(y, a, b, n_resamples=200, rng=rng).p_value
    yield "at_fpf (.2)", C.at_fpf(y, a, b, 0.2, n_resamples=200, rng=rng).p_value
    yield "at_tpf (.8)", C.at_tpf(y, a, b, 0.8, n_resamples=200, rng=rng).p_value
    yield "partial_auc (0 to .2)", C.partial_auc(y, a, b, (0, 0.2), n_resamples=200, rng=rng).p_value


def few(rng: np.random.Generator) -> Asked:
    """25 + 25 cases, AUC .80 of three rules whose scores correlate .5: few cases, and 2 or 3 within FPF 0 to .1."""
    y = np.repeat([1, 0], 25)
    s = correlated(rng, 50, 3, 0.5) + 1.19 * y[:, None]
    yield "delong", C.delong(y, s[:, 0], s[:, 1]).p_value
    yield "delong_many", C.delong_many(y, s).p_value
    yield "partial_auc (0 to .1): NO GUARANTEE", C.partial_auc(y, s[:, 0], s[:, 1], n_resamples=200, rng=rng).p_value
    table = rng.random((5, 4))
    yield "friedman (Iman–Davenport F, 5 data sets, 4 models)", C.friedman(table).f_p_value


def decisions(rng: np.random.Generator) -> Asked:
    """100 cases, three rules that err with probability .2 and correlate: the error rates are the same."""
    wrong = correlated(rng, 100, 3, 0.5) > 0.8416
    right = ~wrong
    b, c = int((right[:, 0] & wrong[:, 1]).sum()), int((wrong[:, 0] & right[:, 1]).sum())
    for method in ("exact", "mid-p", "chi2", "chi2-cc"):
        yield f"mcnemar ({method})", C.mcnemar_counts(b, c, method).p_value
    yield "cochran_q", C.cochran_q(right).p_value
    yield "permutation (cases)", C.permutation(wrong[:, 0], wrong[:, 1], n_permutations=499, rng=rng).p_value


def data_sets(rng: np.random.Generator) -> Asked:
    """12 data sets of their own difficulty, four models that do equally well on average."""
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
    """20 data sets, a true difference of exactly the margin: neither equivalent nor within what is allowed."""
    base = rng.normal(0.75, 0.1, size=20)
    d = C.paired_t(base + rng.normal(0, 0.02, size=20) - 0.02, base + rng.normal(0, 0.02, size=20)).difference
    yield "equivalence (TOST)", C.equivalence(d, 0.02).p_value
    yield "non_inferiority", C.non_inferiority(d, 0.02).p_value


# -- models that are fitted: one data set ----------------------------------------------------------------------------


def two_blocks(rng: np.random.Generator, n: int = 30, p: int = 4, r: float = 0.5) -> tuple[np.ndarray, ...]:
    """Labels and two blocks of p features with the same law, correlated by r: LDA on either does equally well."""
    y = np.repeat([1, 0], n)
    first = rng.normal(size=(2 * n, p))
    second = r * first + np.sqrt(1 - r * r) * rng.normal(size=(2 * n, p))
    return y, first + 0.6 * y[:, None], second + 0.6 * y[:, None]


def refits(rng: np.random.Generator) -> Asked:
    """30 + 30 cases, LDA on either of two exchangeable blocks of 4 features, trained anew in every resample."""
    y, first, second = two_blocks(rng)
    seed = int(rng.integers(2**31))

    def both(plan):
        design = plan.draw(y, rng=seed)
        return [karat.fit(LinearDiscriminantAnalysis(), X, y, design) for X in (first, second)]

    a, b = both(karat.MonteCarlo(30, test_size=0.2))
    error = bind(a, "error")
    d = fold_values(a, error, "raise") - fold_values(b, error, "raise")
    yield "resampled_t (30 splits): NOT VALID", C.resampled_t(d).p_value
    yield "corrected_t (30 splits)", C.corrected_t(d, 48, 12).p_value
    yield "bayes_correlated_t (tails at 0)", C.bayes_correlated_t(d, 48, 12, rope=0).p_value
    a, b = both(karat.KFold(5, repeats=5))
    yield "compare, error by cv (5 × 5-fold, Nadeau–Bengio)", judge(karat.difference(a, b, "error", "cv")).p_value
    yield "compare, auc by cv (5 × 5-fold, Nadeau–Bengio)", judge(karat.difference(a, b, "auc", "cv")).p_value
    a, b = both(karat.KFold(10))
    e = [fold_values(f, error, "raise") for f in (a, b)]
    t = C.paired_t(*e) if (e[0] != e[1]).any() and np.ptp(e[0] - e[1]) > 0 else None
    yield "t over 10 folds, df K − 1: NO GUARANTEE", 1.0 if t is None else t.p_value
    yield "t over 10 folds, df 2K − 2 as printed in seeds/002: NO GUARANTEE", 1.0 if t is None else wider(t)
    yield "compare, error by cv (one pass, naive): NO GUARANTEE", judge(karat.difference(a, b, "error", "cv")).p_value
    for name, p in halves(*both(karat.KFold(2, repeats=5))):
        yield f"{name}: NO GUARANTEE", p
    a, b = both(karat.Bootstrap(1000))
    for metric, method in (("auc", "lpob"), ("error", "loob")):
        for se in ("second-order", "influence-corrected", "influence"):
            yield f"compare, {metric} by {method}, {se}", judge(karat.difference(a, b, metric, method, se=se)).p_value


def five_by_two(rng: np.random.Generator) -> Asked:
    """The same with 150 + 150 cases, for the 5 × 2-fold tests, which train on half of them."""
    y, first, second = two_blocks(rng, n=150)
    design = karat.KFold(2, repeats=5).draw(y, rng=int(rng.integers(2**31)))
    yield from halves(*(karat.fit(LinearDiscriminantAnalysis(), X, y, design) for X in (first, second)))


def halves(a: karat.Fits, b: karat.Fits) -> Asked:
    error = bind(a, "error")
    d = (fold_values(a, error, "raise") - fold_values(b, error, "raise")).reshape(5, 2)
    for test in (C.five_by_two_t, C.five_by_two_f):
        try:
            yield f"{test.__name__} ({a.sample.n} cases)", test(d).p_value
        except InputError:  # both folds of every repeat have the same difference
            yield f"{test.__name__} ({a.sample.n} cases)", 1.0


def wider(t) -> float:
    from scipy import stats

    return float(2 * stats.t.sf(abs(t.statistic), 2 * (t.df + 1) - 2))


PARTS: dict[str, Callable[[np.random.Generator], Asked]] = {
    "scores": scores,
    "decisions": decisions,
    "data-sets": data_sets,
    "refits": refits,
    "five-by-two": five_by_two,
    "margins": margins,
    "few": few,
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


def reading(share: float, name: str) -> str:
    if "NOT VALID" in name:
        return "not valid"
    if "NO GUARANTEE" in name:
        return "no guarantee"
    if share < 0.03:
        return "conservative"
    return "valid" if share <= 0.07 else "TOO HIGH"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kept = {}
    for part in options.part or PARTS:
        start = time.perf_counter()
        shares = rejections(part, options.trials, options.seed)
        kept[part] = {"trials": options.trials, "shares": shares}
        print(f"\n{PARTS[part].__doc__}  ({options.trials} trials, {time.perf_counter() - start:.0f} s)\n")
        print("| test | rejects, % | reading |\n|---|---|---|")
        for name, share in shares.items():
            print(f"| {name.split(': NO')[0]} | {100 * share:.1f} | {reading(share, name)} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
