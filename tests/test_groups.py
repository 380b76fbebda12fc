"""Cases in groups: laws that hold wherever `groups` is taken. Numbers of R are in tests/reference."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trueness
from trueness import comparisons
from trueness.errors import InputError
from trueness.formulas.groups import DesignEffect, degrees_of_freedom, delong_in_groups, group_sums, variance_of_mean
from trueness.result.grouped import few_groups, share_in_groups


def cases(groups=40, seed=0, pure=False, digits=1):
    """Labels, two scores with effects of groups, ties among them, and groups of 2 to 6 cases."""
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(groups), rng.integers(2, 7, groups))
    y = rng.integers(0, 2, groups)[g] if pure else rng.integers(0, 2, len(g))
    s = [(y + rng.normal(size=groups)[g] + rng.normal(size=len(g))).round(digits) for _ in range(2)]
    return y, s[0], s[1], g


ESTIMATES = {
    "auc": lambda y, s, t, g: trueness.roc(y, s, groups=g).auc,
    "partial auc": lambda y, s, t, g: trueness.roc(y, s, groups=g).partial_auc(fpf=(0, 0.3)),
    "partial auc over tpf": lambda y, s, t, g: trueness.roc(y, s, groups=g).partial_auc(tpf=(0.7, 1)),
    "point, tpf": lambda y, s, t, g: trueness.roc(y, s, groups=g).at(0.5).tpf,
    "average precision": lambda y, s, t, g: trueness.pr(y, s, groups=g).average_precision,
    "difference of aucs": lambda y, s, t, g: comparisons.delong(y, s, t, groups=g).difference,
    "difference of errors": lambda y, s, t, g: comparisons.mcnemar(y, s > 0.5, t > 0.5, groups=g).difference,
    **{
        name: lambda y, s, t, g, name=name: trueness.diagnose(y, s > 0.5, groups=g)[name]
        for name in ("tpf", "ppv", "accuracy", "youden", "dlr_positive", "odds_ratio", "mcc", "kappa", "f1")
    },
    "holdout auc": lambda y, s, t, g: trueness.estimate(one_rule(y, s, g), "auc", "holdout"),
    "holdout error": lambda y, s, t, g: trueness.estimate(one_rule(y, s, g), "error", "holdout"),
}


def two_sets_of(y, s, t, g):
    return comparisons.delong_unpaired(y, s, y, t, groups1=g, groups2=g)


def one_rule(y, s, g):
    return trueness.Fits.from_arrays(y, np.zeros((1, len(y)), int), [s], threshold=0.5, groups=g)


@pytest.mark.parametrize("name", ESTIMATES)
@pytest.mark.parametrize("pure", [False, True])
def test_copies_of_every_case_within_its_group_change_no_standard_error(name, pure):
    y, s, t, g = cases(pure=pure)
    once, four = (ESTIMATES[name](*(np.repeat(v, k) for v in (y, s, t, g))) for k in (1, 4))
    assert four.value == pytest.approx(once.value, abs=1e-12)
    # precision–recall areas have a binomial standard error, with n and n − 1 in their design effect
    assert four.se == pytest.approx(once.se, rel=1e-9 if name != "average precision" else 0.01)
    # copies look like cases that are alike within groups: large groups count for more, and the degrees of freedom fall
    assert 1 <= four.df <= once.df


@pytest.mark.parametrize("name", ["auc", "partial auc", "difference of aucs", "holdout auc"])
def test_groups_of_one_case_give_delongs_standard_error(name):
    y, s, t, _ = cases()
    single, none = (ESTIMATES[name](y, s, t, given) for given in (np.arange(len(y)), None))
    assert single.se == pytest.approx(none.se, rel=1e-12)


@pytest.mark.parametrize("name", ["tpf", "ppv", "accuracy", "point, tpf"])
def test_groups_of_one_case_give_shares_with_n_minus_1_and_the_same_interval(name):
    y, s, t, _ = cases()
    single, none = (ESTIMATES[name](y, s, t, given) for given in (np.arange(len(y)), None))
    n = none.cases
    assert single.se == pytest.approx(none.se * math.sqrt(n / (n - 1)), rel=1e-12)
    assert single.provenance["design_effect"] == pytest.approx(1, abs=1e-12)
    for method in ("wilson", "exact", "jeffreys", "mid-p", "logit", "likelihood"):
        assert list(single.ci(method=method)) == pytest.approx(list(none.ci(method=method)), abs=1e-9)


@pytest.mark.parametrize("name", ESTIMATES)
def test_names_and_order_of_groups_do_not_matter(name):
    y, s, t, g = cases()
    order = np.random.default_rng(1).permutation(len(y))
    first = ESTIMATES[name](y, s, t, g)
    other = ESTIMATES[name](y[order], s[order], t[order], np.array([f"patient {k}" for k in 99 - g])[order])
    assert other.se == pytest.approx(first.se, rel=1e-9)
    assert list(other.ci()) == pytest.approx(list(first.ci()), rel=1e-9)


@pytest.mark.parametrize("name", [n for n in ESTIMATES if n != "average precision"])
def test_the_influence_sums_within_groups_to_the_standard_error(name):
    y, s, t, g = cases()
    e = ESTIMATES[name](y, s, t, g)
    if e.influence is not None:
        assert np.linalg.norm(group_sums(e.influence, g)) == pytest.approx(e.se, rel=1e-9)
    else:
        assert name == "point, auc"


def test_roc_and_fits_agree_about_an_auc_of_groups():
    y, s, t, g = cases()
    a, b = trueness.roc(y, s, groups=g).auc, ESTIMATES["holdout auc"](y, s, t, g)
    assert (a.value, a.se, a.df, tuple(a.ci())) == (b.value, b.se, b.df, tuple(b.ci()))


def test_a_mean_has_the_clustered_standard_error_of_inspect():
    """C/(C − 1) Σ_c Σ_ij (s_i − mean)(s_j − mean) of clusters c, root over n: inspect_ai's stderr(cluster=), with
    1/(1 − n_c/n) of each cluster in place of C/(C − 1) where they differ in size."""
    rng = np.random.default_rng(2)
    x = rng.random(200)
    for g in (rng.integers(0, 30, 200), rng.permutation(200) % 25):
        total = 0.0
        for c in np.unique(g):
            d = x[g == c] - x.mean()
            total += sum(a * b for a in d for b in d) / (1 - np.mean(g == c))
        assert math.sqrt(variance_of_mean(x, g)) == pytest.approx(math.sqrt(total) / 200, rel=1e-12)
    equal = math.sqrt(sum((x[g == c] - x.mean()).sum() ** 2 for c in range(25)) * 25 / 24) / 200
    assert math.sqrt(variance_of_mean(x, g)) == pytest.approx(equal, rel=1e-12)
    g = rng.integers(0, 30, 200)
    right = (x > 0.4).astype(float)
    y = np.tile([0, 1], 100)
    found = trueness.diagnose(y, np.where(right == 1, y, 1 - y), groups=g).accuracy
    assert found.se == pytest.approx(math.sqrt(variance_of_mean(right, g)), rel=1e-12)


def test_the_tpf_at_an_fpf_is_near_the_bootstrap_of_groups():
    y, s, _, g = cases(groups=150, digits=3)
    e = trueness.roc(y, s, groups=g).tpf_at(0.2)
    rng, members = np.random.default_rng(3), [np.flatnonzero(g == k) for k in range(150)]
    drawn = []
    for _ in range(300):
        rows = np.concatenate([members[k] for k in rng.integers(0, 150, 150)])
        drawn.append(float(trueness.roc(y[rows], s[rows])(0.2)))
    assert e.value == float(trueness.roc(y, s)(0.2))
    assert e.se == pytest.approx(np.std(drawn), rel=0.2)


def test_the_rates_at_rates_agree_with_the_curve_where_scores_are_tied():
    y, s, _, g = cases(digits=0)
    c = trueness.roc(y, s, groups=g)
    for t in (0.0, 0.05, 0.3, 0.77, 1.0):
        assert c.tpf_at(t).value == pytest.approx(float(c(t)), abs=1e-12)
        assert c.fpf_at(t).value == pytest.approx(trueness.roc(y, s).fpf_at(t).value, abs=1e-12)
        low, high = c.tpf_at(t).ci()
        assert 0 <= low <= c.tpf_at(t).value <= high <= 1


def test_two_groups_have_one_degree_of_freedom_and_a_warning():
    y, s, _, _ = cases(groups=10)
    e = trueness.roc(y, s, groups=np.arange(len(y)) % 2).auc
    assert e.df == pytest.approx(1, abs=1e-9)
    assert e.noted("very-few-groups")
    assert e.noted("groups").data["groups"] == 2


@pytest.mark.parametrize(("groups", "severity"), [(1, "warning"), (9, "warning"), (10, "info"), (29, "info")])
def test_few_groups_are_noted(groups, severity):
    assert few_groups(groups).severity == severity
    assert few_groups(groups).data == {"groups": groups, "needed": 30}
    assert few_groups(30) is None


def test_number_of_groups_and_design_effect_are_printed():
    y, s, _, g = cases()
    n = len(y)
    assert f"{n} cases in 40 groups" in str(trueness.roc(y, s, groups=g))
    assert f"{n} cases in 40 groups" in str(trueness.pr(y, s, groups=g))
    d = trueness.diagnose(y, s > 0, groups=g)
    assert f"Cases: {n}, groups: 40" in str(d)
    assert "design effect" in str(d)
    assert d.frame()["design_effect"].notna().all()


def test_ends_of_the_range_count_groups():
    y = np.repeat([0, 1], 60)
    g = np.repeat(np.arange(24), 5)
    assert list(trueness.diagnose(y, y, groups=g).tpf.ci(method="exact")) == pytest.approx([0.025 ** (1 / 12), 1])
    assert list(trueness.roc(y, y * 1.0, groups=g).auc.ci()) == pytest.approx([0.025 ** (1 / 12), 1])
    assert trueness.roc(y, y + g / 1000, groups=g).auc.ci().low < 0.75
    test = comparisons.mcnemar(y, y, y, groups=g)
    assert test.p_value == 1
    low, high = test.difference.ci()
    assert -low == pytest.approx(high)
    assert high > comparisons.mcnemar(y, y, y).difference.ci().high


def test_all_measures_of_a_table_without_an_error_have_limits():
    y, g = np.tile([0, 1], 60), np.repeat(np.arange(24), 5)
    frame = trueness.diagnose(y, y, groups=g).frame()
    assert frame[["se", "low", "high"]].notna().all().all()


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_measures_of_groups_stay_in_their_range_and_hold_their_value(design):
    y, s, _, g = cases()
    d = trueness.diagnose(y, s > 0.5, groups=g, design=design, prevalence=0.2 if design != "cohort" else None)
    frame = d.frame()
    assert ((frame["low"] <= frame["value"]) & (frame["value"] <= frame["high"]))[frame["low"].notna()].all()


def test_two_tests_on_the_same_groups():
    y, s, t, g = cases()
    a, b = trueness.diagnose(y, s > 0.5, groups=g), trueness.diagnose(y, t > 0.5, groups=g)
    d = a.versus(b).difference("tpf")
    up = y == 1
    expected = math.sqrt(variance_of_mean((s[up] > 0.5).astype(float) - (t[up] > 0.5), g[up]))
    assert d.se == pytest.approx(expected, rel=1e-9)
    assert a.versus(b).frame().notna().all().all()
    same = a.versus(a).difference("tpf")
    assert same.value == 0
    assert same.se is None
    assert same.ci().low < 0 < same.ci().high
    with pytest.raises(InputError, match="groups"):
        a.versus(trueness.diagnose(y, t > 0.5))


def test_bands_and_choices_of_groups():
    y, s, _, g = cases()
    c = trueness.roc(y, s, groups=g)
    alone = trueness.roc(y, s)
    for method in ("fixed-width", "binomial", "vertical", "bootstrap"):
        band = c.band(method=method, n_resamples=100, rng=0)
        assert (band.low <= band.tpf + 1e-12).all()
        assert (band.tpf <= band.high + 1e-12).all()
    with pytest.raises(InputError) as error:
        c.band(method="kolmogorov")
    assert "fixed-width" in str(error.value)
    first, second = (c.best(n_resamples=100, rng=0) for _ in range(2))
    assert first.ci("threshold") == second.ci("threshold")
    assert first.threshold == alone.best(n_resamples=0).threshold
    assert first.ci("tpf").low < c.at(first.threshold).tpf.value < first.ci("tpf").high
    low, high = c.threshold_at(fpf=0.2).ci()
    inner = alone.threshold_at(fpf=0.2).ci()
    assert low <= inner.low <= inner.high <= high


def test_the_bootstrap_of_precision_and_recall_draws_groups():
    y, s, _, g = cases()
    p = trueness.pr(y, s, groups=g)
    assert p.bootstrap(n_resamples=50, rng=0).se == p.bootstrap(n_resamples=50, rng=0).se
    with pytest.raises(InputError):
        p.bootstrap(n_resamples=50, rng=0).ci(method="bca")


def test_counts_by_group_are_a_proportion():
    _, s, _, g = cases()
    x, n = (np.bincount(g, v) for v in (s > 0.5, np.ones(len(g))))
    labels = np.arange(len(n))
    found = trueness.tables.proportion_interval(x.astype(int), n.astype(int), "jeffreys", groups=labels)
    assert tuple(found) == tuple(share_in_groups(s > 0.5, g, "jeffreys").ci())
    more = trueness.tables.proportion_interval([*x, 0], [*n, 0], "jeffreys", groups=[*labels, len(n)])
    assert tuple(more) == tuple(found)
    parts = np.r_[x[:1] // 2, x[:1] - x[:1] // 2, x[1:]], np.r_[n[:1] // 2, n[:1] - n[:1] // 2, n[1:]]
    rows = trueness.tables.proportion_interval(*parts, "jeffreys", groups=np.r_[0, labels])  # a group in two rows
    assert tuple(rows) == pytest.approx(tuple(found))


def test_the_design_effect_of_full_groups_is_their_size():
    hits = np.repeat(np.random.default_rng(0).integers(0, 2, 50), 4)
    effect = share_in_groups(hits, np.repeat(np.arange(50), 4), "wilson").provenance["design_effect"]
    assert effect == pytest.approx(4 * 199 / 196, rel=1e-9)  # (n − 1)/(n − n/G) for copies
    assert DesignEffect.of(0.0, 0.0, 200, np.full(50, 4)).divisor(0.95) == 4
    assert DesignEffect(0.5, 200, 200, 199.0).divisor(0.95) == 1  # never more effective cases than cases


def test_delong_in_groups_takes_several_vectors_at_once():
    g = np.repeat(np.arange(5), 4)
    codes = np.tile([0, 1], 10)
    vectors = np.random.default_rng(0).normal(size=(3, 20))
    both = delong_in_groups(vectors, codes, g)
    assert both[1] == pytest.approx(delong_in_groups(vectors[1], codes, g))
    assert group_sums(both, g).shape == (3, 5)


# -- two curves: parts, and two test sets ------------------------------------------------------------

PARTS = {
    "at_fpf": lambda y, s, t, g: comparisons.at_fpf(y, s, t, 0.2, n_resamples=300, rng=0, groups=g),
    "at_tpf": lambda y, s, t, g: comparisons.at_tpf(y, s, t, 0.8, n_resamples=300, rng=0, groups=g),
    "partial_auc": lambda y, s, t, g: comparisons.partial_auc(y, s, t, fpf=(0, 0.3), n_resamples=300, rng=0, groups=g),
    "bootstrap": lambda y, s, t, g: comparisons.bootstrap(y, s, t, n_resamples=300, rng=0, groups=g),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("groups", [12, 60])
def test_groups_of_one_case_change_parts_of_curves_in_their_degrees_of_freedom_alone(name, groups):
    y, s, t, _ = cases(groups)
    alone, singles = PARTS[name](y, s, t, None), PARTS[name](y, s, t, np.arange(len(y)))
    assert singles.difference.value == alone.difference.value
    assert singles.difference.se == alone.difference.se
    assert singles.statistic == alone.statistic
    assert singles.noted("groups").data["design_effect"] == 1
    if singles.df is None:
        assert singles.p_value == alone.p_value  # exchanged: no quantiles
    else:
        assert singles.df == min(y.sum(), (1 - y).sum()) - 1
        assert alone.p_value <= singles.p_value < alone.p_value + 0.01


@pytest.mark.parametrize("name", PARTS)
def test_copies_within_groups_change_no_test_of_a_part(name):
    y, s, t, g = cases(30, digits=6)
    once, four = (PARTS[name](*(np.repeat(v, k) for v in (y, s, t, g))) for k in (1, 4))
    assert four.difference.value == pytest.approx(once.difference.value, abs=1e-12)
    assert four.p_value == pytest.approx(once.p_value, abs=0.12)  # other random numbers
    assert (four.df is None) == (once.df is None)
    assert four.df is None or four.df <= once.df + 1e-9
    assert four.noted("groups").data["groups"] == 30


def test_the_bootstrap_of_groups_is_near_obuchowskis_standard_error():
    y, s, t, g = cases(80, pure=True)
    obuchowski = comparisons.delong(y, s, t, groups=g).difference
    drawn = comparisons.bootstrap(y, s, t, n_resamples=2000, rng=0, groups=g).difference
    assert drawn.se == pytest.approx(obuchowski.se, rel=0.06)  # 1.6 % by 2000 resamples, and 1/G
    assert drawn.df == pytest.approx(obuchowski.df, rel=0.02)
    effects = [d.provenance["design_effect"] for d in (drawn, obuchowski)]
    assert effects[0] == pytest.approx(effects[1], rel=0.15)


def test_whole_groups_are_exchanged():
    """Of 4 groups there are 16 exchanges, so that a p-value is near a multiple of 1/8."""
    rng = np.random.default_rng(3)
    y, g = np.tile([0, 1], 20), np.repeat(np.arange(4), 10)
    s, t = y + rng.normal(size=40), rng.normal(size=40)
    p = comparisons.partial_auc(y, s, t, fpf=(0, 0.5), n_resamples=2000, rng=0, groups=g).p_value
    assert 8 * p == pytest.approx(round(8 * p), abs=0.35)
    assert p >= 1 / 8 - 0.03
    assert comparisons.partial_auc(y, s, t, fpf=(0, 0.5), n_resamples=2000, rng=0).p_value < 1 / 8


def test_two_sets_of_groups_have_obuchowskis_variances():
    y, s, t, g = cases()
    d = two_sets_of(y, s, t, g)
    one, two = (trueness.roc(y, v, groups=g).auc for v in (s, t))
    assert d.difference.se**2 == pytest.approx(one.se**2 + two.se**2, rel=1e-12)
    assert d.df == pytest.approx((one.se**2 + two.se**2) ** 2 / (one.se**4 / one.df + two.se**4 / two.df))
    assert [n.data["set"] for n in d.notes if n.code == "groups"] == [1, 2]
    assert d.noted("groups").data["design_effect"] == pytest.approx(one.provenance["design_effect"])
    singles, alone = (two_sets_of(y, s, t, k) for k in (np.arange(len(y)), None))
    assert singles.statistic == pytest.approx(alone.statistic, rel=1e-12)
    assert singles.df < alone.df
    four = two_sets_of(*(np.repeat(v, 4) for v in (y, s, t, g)))
    assert four.statistic == pytest.approx(d.statistic, rel=1e-9)
    assert four.df <= d.df
    half = comparisons.delong_unpaired(y, s, y, t, groups2=g)  # groups in one set only
    assert half.difference.se**2 == pytest.approx(trueness.roc(y, s).auc.se ** 2 + two.se**2, rel=1e-12)
    few = comparisons.delong_unpaired(y[:60], s[:60], y, t, groups1=g[:60], groups2=g)
    assert few.noted("few-groups").data["set"] == 1
    with pytest.raises(InputError) as error:
        comparisons.delong_unpaired(y, s, y, t, groups2=g[:5])
    assert error.value.param == "groups2"


def test_operating_points_of_fits_know_their_groups():
    y, s, _, g = cases(24)
    X = np.c_[s, np.random.default_rng(0).normal(size=len(s))]
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

    def points(groups):
        design = trueness.KFold(8).draw(y, groups=groups, rng=0)
        return trueness.curves.operating_points(trueness.fit(LDA(), X, y, design), n_points=10)

    o, alone = points(g), points(None)
    assert {n.code for n in o.notes} == {"groups", "few-groups"}
    assert not alone.notes
    assert o.curve.auc.se == pytest.approx(trueness.roc(y, o.curve.data.scores, groups=g).auc.se)
    most = min(len(np.unique(g[y == k])) for k in (0, 1)) - 1
    assert o.n_groups == most + 1
    assert set(o.test(3, "fpf")["df"]) == {min(14, most)}
    assert set(alone.test(3, "fpf")["df"]) == {14}
    few = points(g % 8)
    assert set(few.test(3, "fpf")["df"]) == {few.n_groups - 1}


# -- wrong input -----------------------------------------------------------------------------------

CALLS = {
    "roc": lambda y, s, g: trueness.roc(y, s, groups=g),
    "pr": lambda y, s, g: trueness.pr(y, s, groups=g),
    "delong": lambda y, s, g: comparisons.delong(y, s, s[::-1], groups=g),
    "delong_many": lambda y, s, g: comparisons.delong_many(y, np.c_[s, s[::-1]], groups=g),
    "mcnemar": lambda y, s, g: comparisons.mcnemar(y, s > 0, s > 1, groups=g),
    "diagnose": lambda y, s, g: trueness.diagnose(y, s > 0, groups=g),
    "at_fpf": lambda y, s, g: comparisons.at_fpf(y, s, s[::-1], 0.2, groups=g),
    "partial_auc": lambda y, s, g: comparisons.partial_auc(y, s, s[::-1], groups=g),
}
WRONG = {
    "another length": np.arange(7),
    "missing values": np.array([np.nan] + [1.0, 2.0] * 50)[:100],
    "missing text": np.array([None] + ["a", "b"] * 50, dtype=object)[:100],
    "one group": np.zeros(100, int),
    "a table": np.zeros((100, 2)),
    "mixed types": np.array([1, "a"] * 50, dtype=object),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_groups_are_one_clear_error(call, wrong):
    rng = np.random.default_rng(0)
    y, s = np.tile([0, 1], 50), rng.normal(size=100)
    with pytest.raises(InputError) as error:
        CALLS[call](y, s, WRONG[wrong])
    assert error.value.param == "groups"


@pytest.mark.parametrize("call", CALLS)
def test_groups_with_another_index_are_an_error(call):
    y = pd.Series(np.tile([0, 1], 50))
    with pytest.raises(InputError) as error:
        CALLS[call](y, np.random.default_rng(0).normal(size=100), pd.Series(np.arange(100), index=np.arange(100) + 1))
    assert error.value.param == "groups"


@pytest.mark.parametrize("call", ["delong", "delong_many", "at_fpf", "partial_auc"])
def test_a_test_needs_two_groups_of_each_class(call):
    y = np.repeat([0, 1], 50)
    with pytest.raises(InputError) as error:
        CALLS[call](y, np.random.default_rng(0).normal(size=100), np.where(y == 1, -1, np.arange(100)))
    assert error.value.param == "groups"


def test_one_group_of_positives_has_no_standard_error():
    y = np.repeat([0, 1], 50)
    s, g = np.random.default_rng(0).normal(size=100) + y, np.where(y == 1, -1, np.arange(100))
    area, tpf = trueness.roc(y, s, groups=g).auc, trueness.diagnose(y, s > 0.5, groups=g).tpf
    for e in (area, tpf):
        assert e.se is None
        assert e.noted("very-few-groups")
    assert not tpf.has_interval
    assert trueness.diagnose(y, s > 0.5, groups=g).fpf.se > 0


@pytest.mark.parametrize("method", ["binormal", "semiparametric", "normal"])
def test_fitted_curves_have_no_groups_and_name_the_method_that_has(method):
    y, s, _, g = cases()
    with pytest.raises(InputError) as error:
        trueness.roc(y, s, method=method, groups=g)
    assert error.value.param == "groups"
    assert "empirical" in str(error.value)


def test_methods_of_independent_cases_name_the_one_for_groups():
    y, s, t, g = cases()
    with pytest.raises(InputError, match="Groups have a test of their own"):
        comparisons.mcnemar(y, s > 0, t > 0, method="exact", groups=g)
    with pytest.raises(InputError, match="delong"):
        trueness.roc(y, s, groups=g).auc_with("q1q2")
    with pytest.raises(InputError, match="two classes"):
        trueness.diagnose([0, 1, 2] * 4, [0, 1, 2] * 4, groups=[0, 1] * 6)
    with pytest.raises(InputError) as error:
        trueness.diagnose(tp=1, fn=2, fp=3, tn=4, groups=[1, 2])
    assert error.value.param == "groups"


@pytest.mark.parametrize(
    ("x", "n"), [([1, 2], [3]), ([1, 2], 5), ([4, 1], [3, 3]), ([1], [2]), ([1, 0], [2, 0]), ([0.5, 1], [2, 2])]
)
def test_wrong_counts_by_group(x, n):
    with pytest.raises(InputError):
        trueness.tables.proportion_interval(x, n, groups=range(len(x)))


@pytest.mark.parametrize("name", ["error", "balanced_accuracy", "tpf", "ppv", "npv", "f1", "mcc", "kappa"])
def test_diagnose_and_fits_agree_about_the_standard_error_of_groups(name):
    y, s, _, g = cases(groups=8)
    e = trueness.estimate(one_rule(y, s, g), name, "holdout")
    assert e.se == pytest.approx(trueness.diagnose(y, s > 0.5 - 1e-9, groups=g)[name].se, rel=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "error",
        "accuracy",
        "tpf",
        "fpf",
        "tnf",
        "fnf",
        "balanced_accuracy",
        "youden",
        "ppv",
        "npv",
        "f1",
        "mcc",
        "kappa",
    ],
)
@pytest.mark.parametrize("pure", [False, True])
def test_diagnose_and_fits_have_the_same_limits_of_groups(name, pure):
    y, s, _, g = cases(groups=30, pure=pure, digits=6)
    e = trueness.estimate(one_rule(y, s, g), name, "holdout")
    for level in (0.8, 0.95):
        assert list(e.ci(level)) == pytest.approx(
            list(trueness.diagnose(y, s > 0.5, groups=g)[name].ci(level)), abs=1e-9
        )


@pytest.mark.parametrize("metric", ["f1", "mcc", "average_precision"])
def test_groups_of_one_case_have_n_minus_1_in_the_holdout(metric):
    y, s, _, _ = cases(groups=8)
    n = len(y)
    alone = trueness.estimate(one_rule(y, s, None), metric, "holdout", se="delta")
    e = trueness.estimate(one_rule(y, s, np.arange(n)), metric, "holdout", se="delta")
    assert e.se == pytest.approx(alone.se * np.sqrt(n / (n - 1)), rel=1e-10)


def test_the_kappa_of_a_rule_that_says_the_same_of_all_has_a_standard_error():
    y, _, _, g = cases(groups=8)
    e = trueness.estimate(one_rule(y, np.zeros(len(y)), g), "kappa", "holdout")
    assert e.value == 0
    assert e.se > 0


def test_the_jackknife_of_groups_is_that_of_the_mean():
    y, s, _, g = cases(groups=8)

    def error(y, score):
        return np.mean(y != (score >= 0.5))

    fits = one_rule(y, s, g)
    assert trueness.estimate(fits, error, "holdout").se == pytest.approx(trueness.estimate(fits, "error", "holdout").se)


@pytest.mark.parametrize("one_group", ["positives", "predicted positives"])
@pytest.mark.parametrize("measure", ["tpf", "tnf", "ppv", "npv", "f1", "mcc", "kappa", "error"])
def test_a_holdout_has_a_standard_error_where_diagnose_has_one(measure, one_group):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = [rng.normal(size=60) + 2 * y for _ in range(2)]
    decided = (scores[0] > 1).astype(int)
    groups = np.where(y == 1 if one_group == "positives" else decided == 1, 0, 1 + np.arange(60) % 6)
    fits = [
        trueness.Fits.from_arrays(y, np.zeros((1, 60), int), s[None], threshold=1.0, groups=groups, plan="holdout")
        for s in scores
    ]
    expected = trueness.diagnose(y, decided, groups=groups)[measure]
    found = trueness.estimate(fits[0], measure, "holdout")
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert (found.se is None) == (expected.se is None)
    assert (found.noted("very-few-groups").data["groups"] < 2) == (expected.se is None)
    if found.se is None:
        assert trueness.difference(*fits, measure, "holdout").se is None
    else:
        assert found.se == pytest.approx(expected.se, abs=1e-12)


def test_degrees_of_freedom_of_groups_by_the_matrix_of_their_covariance():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 40, size=15)
    for rho in (0.0, 0.3, 1.0):
        keep = np.eye(15) - np.outer(sizes, np.ones(15)) / sizes.sum()  # T_g − n_g/n Σ T_h
        keep /= np.sqrt(1 - sizes / sizes.sum())[:, None]
        m = keep @ np.diag(sizes * (1 + (sizes - 1) * rho)) @ keep.T
        assert degrees_of_freedom(sizes, rho) == pytest.approx(np.trace(m) ** 2 / np.trace(m @ m), rel=1e-12)
    assert degrees_of_freedom(np.full(9, 7), 0.4) == 8
    assert degrees_of_freedom(np.array([7, 7, 7, 8]), 0.4) == pytest.approx(3, abs=0.05)


def test_one_large_group_leaves_few_degrees_of_freedom():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), [120, *[10] * 11])
    hits = rng.random(230) < 0.2 + 0.6 * rng.random(12)[groups]
    large, equal = (share_in_groups(hits, g, "wilson") for g in (groups, np.arange(230) % 12))
    assert large.df < 6
    assert 10.9 < equal.df <= 11


def test_the_variance_of_a_mean_is_unbiased_where_groups_differ_in_size():
    """E Σ_g T_g²/(1 − w_g) = Var of independent cases, whatever the sizes; G/(G − 1) has 0.77 of it here."""
    sizes = np.array([30, 30, *[2] * 10])
    g, n = np.repeat(np.arange(12), sizes), sizes.sum()
    centred = np.eye(n) - 1 / n  # of cases with variance 1: E x x' is the identity
    assert sum(variance_of_mean(row, g) for row in np.eye(n)) == pytest.approx(1 / n, rel=1e-12)
    sums = group_sums(centred, g)
    assert (sums**2).sum() * 12 / 11 / n**2 < 0.8 / n


def test_unequal_groups_widen_an_interval_by_their_own_degrees_of_freedom():
    """Two groups of 30 and ten of 2: Student's quantile has about 2 degrees of freedom, not 11."""
    rng = np.random.default_rng(2)
    sizes = np.array([30, 30, *[2] * 10])
    g, truth, inside = np.repeat(np.arange(12), sizes), 0.6, 0
    for _ in range(400):
        hits = rng.random(80) < rng.beta(6, 4, 12)[g]
        inside += share_in_groups(hits, g, "wilson").ci().covers(truth)
    assert inside / 400 > 0.92


def test_tango_of_unequal_clusters_has_their_degrees_of_freedom():
    effect = DesignEffect.of(2.0, 1.0, 105, np.array([20] * 5 + [1] * 5))
    assert effect.df < 5
    assert effect.divisor(0.95) == pytest.approx(2 * (stats.t.ppf(0.975, effect.df) / stats.t.ppf(0.975, 104)) ** 2)
