"""Enumeration, identities between tests, and the examples of Wu (2018)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from trueness import comparisons as C
from trueness.comparisons.rank_tests import signed_rank_tails
from trueness.formulas.roc import curve_rows, depth, height, partial_area

rng = np.random.default_rng(1)


# -- permutation laws by brute force ---------------------------------------------------------------------------


@pytest.mark.parametrize("d", [[1, -2, 3, 3, -1, 2.5], [1, 1, 1, 1], [0.5, -0.5, 2, 4, 4, -4, 1]])
def test_wilcoxon_by_all_signs(d):
    d = np.array(d, dtype=float)
    ranks = stats.rankdata(np.abs(d))
    w = ranks[d > 0].sum()
    every = np.array([ranks[np.array(s) > 0].sum() for s in itertools.product((-1, 1), repeat=len(d))])
    assert signed_rank_tails(ranks, w) == pytest.approx(((every <= w).mean(), (every >= w).mean()))
    t = C.wilcoxon(d + 10, np.full(len(d), 10.0))
    assert t.p_value == pytest.approx(min(1, 2 * min((every <= w).mean(), (every >= w).mean())))


def test_permutation_by_all_signs():
    d = rng.normal(size=9)
    every = np.array([(d * s).sum() for s in itertools.product((-1, 1), repeat=9)])
    t = C.permutation(d, np.zeros(9))
    assert t.p_value == pytest.approx((np.abs(every) >= abs(d.sum()) - 1e-12).mean())
    assert C.permutation(d, np.zeros(9), alternative="greater").p_value == pytest.approx(
        (every >= d.sum() - 1e-12).mean()
    )


def test_random_permutations_approach_all_of_them():
    d = rng.normal(0.3, 1, size=18)
    signs = 1 - 2 * ((np.arange(2**18)[:, None] >> np.arange(18)) & 1)
    exact = (np.abs(signs @ d) >= abs(d.sum()) - 1e-12).mean()
    t = C.permutation(d, np.zeros(18), n_permutations=40_000, rng=5)
    assert t.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000))


def test_venkatraman_by_all_exchanges():
    """Tiny sample: the law over all 2^n exchanges with all ways of breaking ties, against the sampled one."""
    y = np.array([0, 0, 1, 1, 1])
    s1, s2 = np.array([1.0, 3, 2, 5, 4]), np.array([4.0, 2, 1, 3, 5])
    r1, r2 = s1.argsort().argsort(), s2.argsort().argsort()
    sign = np.where(y == 1, 1, -1)

    def curve_gap(a, b):
        path = [np.cumsum(sign[np.argsort(r)]) for r in (a, b)]
        return np.abs(path[0] - path[1]).sum()

    observed, total, beyond = curve_gap(r1, r2), 0.0, 0.0
    for swap in itertools.product((False, True), repeat=5):
        parts = []
        for ranks in (np.where(swap, r2, r1), np.where(swap, r1, r2)):
            orders = [p for p in itertools.permutations(range(5)) if (np.diff(ranks[list(p)]) >= 0).all()]
            parts.append([np.argsort(p) for p in orders])
        gaps = np.array([[curve_gap(a, b) for b in parts[1]] for a in parts[0]])
        total += 1
        beyond += (gaps >= observed).mean()
    t = C.venkatraman(y, s1, s2, n_permutations=20_000, rng=0)
    assert t.statistic == observed
    assert t.p_value == pytest.approx(beyond / total, abs=0.015)


# -- one test is another -----------------------------------------------------------------------------------------


def test_two_rules_are_a_special_case():
    y = np.repeat([0, 1], 25)
    a, b = rng.normal(size=50) + y, rng.normal(size=50) + y
    z, chi2 = C.delong(y, a, b), C.delong_many(y, np.stack([a, b], axis=1))
    assert chi2.statistic == pytest.approx(z.statistic**2)
    assert chi2.p_value == pytest.approx(z.p_value)
    few = np.r_[0:8, 25:40]  # Student's t with Satterthwaite's degrees of freedom, and its square
    t, f = C.delong(y[few], a[few], b[few]), C.delong_many(y[few], np.stack([a, b], axis=1)[few])
    assert f.df == pytest.approx((1, t.df))
    assert (f.statistic, f.p_value) == (pytest.approx(t.statistic**2), pytest.approx(t.p_value))
    known = C.delong_many(y[few], np.stack([a, b], axis=1)[few], method="chi2")
    assert known.statistic == pytest.approx(f.statistic)
    assert known.p_value == pytest.approx(stats.chi2.sf(known.statistic, 1))
    pa, pb = (a > 0.5).astype(int), (b > 0.5).astype(int)
    q = C.cochran_q(np.stack([pa == y, pb == y], axis=1))
    m = C.mcnemar(y, pa, pb, method="chi2")
    assert (q.statistic, q.p_value) == (pytest.approx(m.statistic), pytest.approx(m.p_value))


def test_delong_any_contrast():
    """Adding a copy of a rule to the curves changes nothing: the covariance is singular, the rank counts."""
    y = np.repeat([0, 1], 30)
    s = rng.normal(size=(60, 3)) + y[:, None] * [0.2, 0.6, 1.0]
    plain, doubled = C.delong_many(y, s), C.delong_many(y, s[:, [0, 1, 2, 2]])
    assert doubled.df == plain.df == 2
    assert doubled.statistic == pytest.approx(plain.statistic)
    some = np.r_[0:12, 30:60]  # few cases: F does not depend on which rule the others are compared with either
    f = [C.delong_many(y[some], s[some][:, order]) for order in ([0, 1, 2], [2, 0, 1])]
    assert f[0].df == pytest.approx(f[1].df)
    assert f[0].p_value == pytest.approx(f[1].p_value)
    assert f[0].df[0] == 2
    assert 10 < f[0].df[1] < 40
    first = C.delong_many(y, s[:, :2])
    assert first.statistic == pytest.approx(C.delong(y, s[:, 0], s[:, 1]).statistic ** 2)


def test_hotellings_degrees_of_freedom_are_those_of_two_covariances_added():
    """Krishnamoorthy & Yu (2004): ν = r(r + 1)/Σ_c (tr (S_c S⁻¹)² + (tr S_c S⁻¹)²)/(n_c − 1), here from the placements
    of DeLong et al. (1988) and their plain covariances."""
    y = np.repeat([1, 0], [9, 14])
    s = rng.normal(size=(23, 4)) + y[:, None]
    up, down = s[y == 1], s[y == 0]
    wins = (up[:, None] > down[None]).astype(float)  # (n1, n0, k)
    L = np.hstack([np.eye(3), -np.ones((3, 1))])
    parts = [L @ np.cov(wins.mean(axis=1 - side).T) @ L.T / n for side, n in ((0, 9), (1, 14))]
    inverse, total = np.linalg.inv(parts[0] + parts[1]), 0.0
    for part, n in zip(parts, (9, 14), strict=True):
        a = part @ inverse
        total += (np.trace(a @ a) + np.trace(a) ** 2) / (n - 1)
    theta, nu = L @ wins.mean(axis=(0, 1)), 3 * 4 / total
    f = theta @ inverse @ theta * (nu - 2) / (3 * nu)
    t = C.delong_many(y, s)
    assert t.df == pytest.approx((3, nu - 2))
    assert (t.statistic, t.p_value) == (pytest.approx(f), pytest.approx(stats.f.sf(f, 3, nu - 2)))


def test_hotellings_degrees_of_freedom_match_the_spread_of_the_covariance():
    """Why this ν: a Wishart matrix with ν degrees of freedom and mean I has E tr (S − I)² = r(r + 1)/ν, and of two
    independent ones with means A_1 + A_2 = I it is Σ_c (tr A_c² + (tr A_c)²)/(n_c − 1)."""
    draw, a, sizes = np.random.default_rng(3), np.diag([0.9, 0.5, 0.2]), (7, 20)
    found = 0.0
    for part, n in zip((a, np.eye(3) - a), sizes, strict=True):
        found = found + stats.wishart.rvs(n - 1, part / (n - 1), size=40_000, random_state=draw)
    spread = ((found - np.eye(3)) ** 2).sum(axis=(1, 2)).mean()
    expected = sum(
        (np.trace(p @ p) + np.trace(p) ** 2) / (n - 1) for p, n in zip((a, np.eye(3) - a), sizes, strict=True)
    )
    assert spread == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("positives", "negatives", "rules"), [(10, 100, 3), (15, 15, 4)])
def test_several_curves_of_few_cases_hold_their_level(positives, negatives, rules):
    """χ² rejects 9 % of the first kind; Hotelling's F is on the safe side."""
    draw, y = np.random.default_rng(5), np.repeat([1, 0], [positives, negatives])
    found = []
    for _ in range(400):
        s = draw.normal(size=(len(y), rules)) + draw.normal(size=(len(y), 1)) + 1.4 * y[:, None]
        found.append([C.delong_many(y, s, method=how).p_value < 0.05 for how in ("hotelling", "chi2")])
    f, chi2 = np.mean(found, axis=0)
    assert f <= 0.05 + 3 * 0.011
    assert f < chi2


def test_delong_difference_of_a_rule_and_its_mirror():
    y = np.repeat([0, 1], 30)
    s = rng.normal(size=60) + y
    t = C.delong(y, s, -s)
    assert t.difference.value == pytest.approx(2 * C.delong(y, s, np.zeros(60)).difference.value)


def test_friedman_of_two_models_is_the_sign_test():
    table = rng.random((15, 2))
    f, wins = C.friedman(table), int((table[:, 0] > table[:, 1]).sum())
    assert f.statistic == pytest.approx((2 * wins - 15) ** 2 / 15)


def test_conover_without_friedman():
    """Two-way analysis of variance of the ranks: its residual mean square is Conover's."""
    r = stats.rankdata(-rng.random((7, 4)), axis=1)
    residual = r - r.mean(axis=0) - r.mean(axis=1, keepdims=True) + r.mean()
    se = math.sqrt(2 * (residual**2).sum() / (6 * 3) / 7)
    t = abs(r[:, 0].mean() - r[:, 1].mean()) / se
    got = C.conover(-r).p_values.iloc[0, 1]
    # unadjusted p of this pair, then Holm among the six
    raw = [
        2 * stats.t.sf(abs(r[:, i].mean() - r[:, j].mean()) / se, 18) for i, j in itertools.combinations(range(4), 2)
    ]
    assert raw[0] == pytest.approx(2 * stats.t.sf(t, 18))
    assert got == pytest.approx(C.holm(raw)[0])


# -- McNemar's intervals -----------------------------------------------------------------------------------------


def test_tango_inverts_its_test():
    """At the limits the score statistic is ±z, with the restricted estimate found by search."""
    for x, y, n in ((9, 3, 40), (0, 0, 25), (7, 0, 30), (30, 0, 30), (0, 5, 12)):
        low, high = C.tango(x, y, n)
        assert -1 <= low <= (x - y) / n <= high <= 1
        assert low < high
        assert C.tango(y, x, n) == pytest.approx((-high, -low), abs=1e-9)
        for delta in (low, high):
            if not -0.999 < delta < 0.999:
                continue
            q = np.linspace(max(0, -delta), (1 - delta) / 2, 200_001)[1:-1]
            with np.errstate(divide="ignore", invalid="ignore"):
                ll = sum(
                    k * np.log(p) if k else 0 * q for k, p in ((x, q + delta), (y, q), (n - x - y, 1 - 2 * q - delta))
                )
            best = q[np.nanargmax(ll)]
            z = (x - y - n * delta) / math.sqrt(n * (2 * best + delta * (1 - delta)))
            assert abs(z) == pytest.approx(1.959964, rel=2e-3)


def test_tango_without_disagreement():
    """x = y = 0: z²/(n + z²) on either side."""
    z2 = stats.norm.ppf(0.975) ** 2
    assert C.tango(0, 0, 50) == pytest.approx((-z2 / (50 + z2), z2 / (50 + z2)))
    t = C.mcnemar_counts(0, 0, n=50)
    assert t.p_value == 1
    assert t.difference.se is None


# -- the examples of Wu (2018), section 5 -----------------------------------------------------------------------


def test_algorithm_2():
    """Steps 3–11 of algorithm 2 (Wu 2018), two-tailed and one-tailed, decide as p < α does."""
    for seed in range(40):
        g = np.random.default_rng(seed)
        n = int(g.integers(3, 12))
        e1 = g.random(n) * 0.3
        e2 = e1 + g.normal(0.02, 0.03, n)
        x = e1 - e2
        t = x.mean() / (math.sqrt(((x - x.mean()) ** 2).sum() / (n - 1)) / math.sqrt(n))
        for alpha in (0.05, 0.01):
            c_two, c_one = stats.t.ppf([1 - alpha / 2, 1 - alpha], n - 1)
            assert C.paired_t(e1, e2).statistic == pytest.approx(t)
            assert (abs(t) > c_two) == (C.paired_t(e1, e2).p_value < alpha)
            assert (t < -c_one) == (C.paired_t(e1, e2, alternative="less").p_value < alpha)
            assert (t > c_one) == (C.paired_t(e1, e2, alternative="greater").p_value < alpha)


def test_more_degrees_of_freedom_are_bolder():
    """The 2K − 2 of Paclík et al. for K = 10 folds, where K − 1 is right: 6.5 % instead of 5 (docs/comparison.md)."""
    assert 2 * stats.t.sf(stats.t.ppf(0.975, 18), 9) == pytest.approx(0.065, abs=5e-4)


def test_paired_t_looks_at_its_assumptions():
    skewed = np.array([0.01, 0.01, 0.012, 0.011, 0.009, 0.3, 0.01, 0.011])
    t = C.paired_t(0.2 + skewed, np.full(8, 0.2))
    assert t.noted("not-normal").data["p_value"] < 0.05
    e = rng.random(10)
    turned = C.paired_t(e, -e + rng.normal(size=10) * 0.01)
    assert turned.noted("negative-correlation")
    few = C.paired_t([0.1, 0.2, 0.4], [0.1, 0.15, 0.2])
    assert few.noted("few-pairs").data["pairs"] == 3


def test_overlap_rule():
    clear, not_clear = C.overlap(0.08, 0.002, 0.06, 0.003), C.overlap(0.08, 0.01, 0.06, 0.012)
    assert clear.statistic == pytest.approx(4)
    assert clear.p_value < 0.01  # "confident enough (> 99 %)"
    assert round(not_clear.statistic, 2) == 0.91
    assert not_clear.p_value > 1 - 0.6827
    assert [t.noted("overlap").data["overlap"] for t in (clear, not_clear)] == [False, True]


@pytest.mark.parametrize("values", [[0.9, 1, 1, 0.98, 1], [0.01, 0.02, 0, 0]])
def test_the_interval_of_split_means_stays_in_range(values):
    low, high = C.split_mean(values).ci()
    assert 0 <= low < np.mean(values) < high <= 1
    low, high = C.split_mean([v + 1 for v in values]).ci()  # no rates: no range is known
    assert high - low == pytest.approx(2 * (high - np.mean(values) - 1))


def test_splits_that_are_all_alike_have_no_standard_error():
    e = C.split_mean([0.1, 0.1, 0.1])
    assert e.se is None
    assert e.noted("no-se-zero-variance")
    assert C.split_mean([0.1, 0.1, 0.1], sigma=0.03).se == pytest.approx(0.03 / np.sqrt(3))


def test_split_mean():
    values = np.array([0.10, 0.12, 0.08, 0.11, 0.09])
    known = C.split_mean(values, sigma=0.03)
    half = 2 * 0.03 / math.sqrt(5)  # Wu (2018), eq. 32
    assert list(known.ci(stats.norm.cdf(2) * 2 - 1)) == pytest.approx([0.1 - half, 0.1 + half])
    t = C.split_mean(values)
    assert t.df == 4
    assert list(t.ci()) == pytest.approx(
        list(stats.t.interval(0.95, 4, loc=0.1, scale=values.std(ddof=1) / math.sqrt(5)))
    )
    assert t.noted("dependent-splits").severity == "warning"
    inside = C.split_mean(np.stack([values - 0.01, values + 0.01], axis=1))  # cross-validation inside each split
    assert (inside.value, inside.se) == (pytest.approx(t.value), pytest.approx(t.se))


# -- curves under weights -----------------------------------------------------------------------------------------


def test_weighted_curves():
    """Weights are copies of cases; areas are Mann–Whitney's; heights and depths are inverse to each other."""
    from trueness.kernels.auc import auc

    y = np.repeat([True, False], [9, 12])
    s = np.round(rng.normal(size=21) + y, 1)
    weights = rng.integers(0, 3, size=(6, 21)).astype(float)
    weights[:, [0, 20]] = 1
    fpf, tpf = curve_rows(s, y, weights)
    for w, f, t, area in zip(weights.astype(int), fpf, tpf, partial_area(fpf, tpf), strict=True):
        cases = np.repeat(np.arange(21), w)
        assert area == pytest.approx(auc(s[cases][y[cases]], s[cases][~y[cases]]))
        for cut in np.unique(s):
            at = (f == (s[cases][~y[cases]] >= cut).mean()) & (t == (s[cases][y[cases]] >= cut).mean())
            assert at.any()
    parts = sum(partial_area(fpf, tpf, a, b) for a, b in ((0, 0.15), (0.15, 0.6), (0.6, 1)))
    assert parts == pytest.approx(partial_area(fpf, tpf))
    for at in (0.07, 0.33, 0.81):
        up = np.array([height(f, t, at) for f, t in zip(fpf, tpf, strict=True)])
        inside = up < 1
        back = np.array([depth(f, t, h) for f, t, h in zip(fpf, tpf, up, strict=True)])
        assert (back[inside] <= at + 1e-12).all()
        assert up == pytest.approx(
            np.array([np.interp(at, f + 1e-13 * np.arange(len(f)), t) for f, t in zip(fpf, tpf, strict=True)]), abs=1e-9
        )


def test_bootstrap_of_any_measure():
    y = np.repeat([0, 1], 30)
    a, b = rng.normal(size=60) + 1.5 * y, rng.normal(size=60) + 0.5 * y
    own = C.bootstrap(y, a, b, rng=1)

    def area(labels, s):
        return float(stats.mannwhitneyu(s[labels == 1], s[labels == 0]).statistic / (labels.sum() * (1 - labels).sum()))

    few, other = (C.bootstrap(y, a, b, n_resamples=200, rng=1, **by) for by in ({}, {"statistic": area}))
    assert other.difference.value == pytest.approx(own.difference.value)
    assert other.difference.se == pytest.approx(few.difference.se)  # the same resamples
    assert own.difference.se == pytest.approx(C.delong(y, a, b).difference.se, rel=0.1)


# -- tables ----------------------------------------------------------------------------------------------------------


def test_tables_wide_long_and_turned():
    import pandas as pd

    wide = pd.DataFrame(rng.random((5, 3)), columns=["b", "a", "c"], index=[f"set {i}" for i in range(5)])
    long = wide.rename_axis("data_set").reset_index().melt("data_set", var_name="model", value_name="value")
    shuffled = long.sample(frac=1, random_state=1)
    assert (
        C.results_table(long)
        .loc[wide.index]
        .equals(wide.astype(float).rename_axis("data_set").rename_axis("model", axis=1))
    )
    assert C.friedman(C.results_table(shuffled)).statistic == pytest.approx(C.friedman(wide).statistic)
    assert C.friedman(C.results_table(wide)).statistic == pytest.approx(C.friedman(wide).statistic)
    lower = C.friedman(wide, higher_is_better=False)
    assert lower.p_value == pytest.approx(C.friedman(wide).p_value)
    assert (lower.ranks + C.friedman(wide).ranks).round(9).eq(4).all()


def test_groups_of_the_critical_difference():
    import pandas as pd

    g = np.random.default_rng(3)
    table = pd.DataFrame(g.normal(size=(30, 4)) + np.array([0, 0.1, 3, 6]), columns=list("wxyz"))
    n = C.nemenyi(table)
    assert n.groups() == [["x", "w"]] or n.groups() == [["w", "x"]]
    assert C.nemenyi(table[["w", "x"]]).groups() in ([["w", "x"]], [["x", "w"]])
    close = C.holm_ranks(g.normal(size=(12, 5)))
    for group in close.groups():
        assert (close.p_values.loc[group, group] >= 0.05).all(axis=None)


def test_unanimous_ranks_are_not_certain():
    f = C.friedman(np.tile([0.1, 0.2, 0.3], (4, 1)))
    assert f.f_p_value == pytest.approx(1 / 6**3)
    assert C.conover(np.tile([0.1, 0.2, 0.3], (4, 1))).p_value > 0
