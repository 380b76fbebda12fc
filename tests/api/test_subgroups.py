"""Subgroups: the numbers of each group alone, laws, and bad input."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.formulas.groups import DesignEffect
from trueness.formulas.intervals import quantile
from trueness.formulas.meta import MetricScale, hotelling, random_effects, welch
from trueness.plans import LeaveOneOut
from trueness.sample.among import among

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "meta.json").read_text())


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 240)
    X = rng.normal(size=(240, 3)) + 0.7 * y[:, None]
    return X, y, rng.choice(["a", "b", "c"], 240, p=[0.5, 0.3, 0.2])


PLANS = {
    "default": trueness.CvBootstrap(repeats=2),
    "bootstrap": trueness.Bootstrap(200),
    "kfold": trueness.KFold(10, repeats=2),
    "one pass": trueness.KFold(10),
    "holdout": trueness.Holdout(0.4),
}


@pytest.mark.parametrize("metric", ["auc", "error", "tpf", "f1", "average_precision"])
def test_a_group_of_a_test_set_has_the_numbers_of_its_cases_alone(data, metric):
    X, y, by = data
    scores, decisions = X.sum(axis=1), (X.sum(axis=1) > 1).astype(int)
    f = trueness.subgroups(y, scores, metric, by=by, predictions=decisions).frame().set_index("group")
    for name in "abc":
        of = by == name
        zeros = np.zeros((1, of.sum()))
        alone = trueness.Fits.from_arrays(y[of], zeros, scores[None, of], predictions=decisions[None, of])
        e = trueness.estimate(alone, metric, "holdout")
        row = f.loc[name]
        assert row["n"] == of.sum()
        assert row[["value", "se", "low", "high"]].tolist() == pytest.approx([e.value, e.se, *e.ci()])
        assert row["low_simultaneous"] < row["low"] < row["high"] < row["high_simultaneous"]


def test_independent_groups_have_sidaks_level(data):
    X, y, by = data
    s = trueness.subgroups(y, X.sum(axis=1), "auc", by=by)
    assert s.each == pytest.approx(0.95 ** (1 / 3))
    e = s.estimates["a"]
    assert s.frame().loc[0, ["low_simultaneous", "high_simultaneous"]].tolist() == pytest.approx(list(e.ci(s.each)))


def test_group_less_rest_and_its_law(data):
    X, y, by = data
    s = trueness.subgroups(y, X.sum(axis=1), "auc", by=by)
    d, a, b, c = s.differences["a"], *(s.estimates[name] for name in "abc")
    positives = np.array([y[by == name].sum() for name in "bc"])
    w = positives / positives.sum()  # Janes & Pepe (2009): as many as the group has positives
    assert d.value == pytest.approx(a.value - w @ [b.value, c.value])
    assert d.se == pytest.approx(np.linalg.norm([a.se, *(w * [b.se, c.se])]))
    wrong = (X.sum(axis=1) > 1) != y
    error = trueness.subgroups(y, metric="error", predictions=(X.sum(axis=1) > 1).astype(int), by=by)
    assert error.differences["a"].value == pytest.approx(wrong[by == "a"].mean() - wrong[by != "a"].mean())
    assert s.p_adjusted("a") >= d.provenance["p_value"]
    two = trueness.subgroups(y, X.sum(axis=1), "auc", by=by == "a")
    assert two.differences["True"].value == pytest.approx(-two.differences["False"].value)
    assert two.p_adjusted("True") == pytest.approx(two.p_adjusted("False")) == pytest.approx(two.p_value, abs=0.005)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("metric", ["auc", "error", "f1"])
def test_all_cases_are_the_estimate_itself(data, plan, metric):
    X, y, by = data
    a = trueness.assess(LDA(), X, y, plan=PLANS[plan], metrics=metric, rng=0)
    s = a.by(by, metric)
    if plan == "one pass" and metric == "auc":
        assert s.overall.noted("naive-se") is not None  # held-out scores as a test set
    else:
        assert s.overall.value == pytest.approx(a[metric].value)
    tested = a.fits.design.never_tested if plan == "holdout" else np.zeros(len(y), bool)
    assert sum(s.sizes.values()) == (~tested).sum()
    f = s.frame()
    assert (f["low"] < f["value"]).all()
    assert (f["value"] < f["high"]).all()
    assert 0 < s.p_value <= 1


def test_a_group_from_cross_validation_by_a_plain_loop(data):
    X, y, by = data
    a = trueness.assess(LDA(), X, y, plan=trueness.KFold(5, repeats=2), metrics="error", rng=0)
    fits, wrong = a.fits, []
    for f in range(fits.n_fits):
        held = np.flatnonzero((fits.counts[f] == 0) & (by == "b"))
        rule = LDA().fit(X[fits.counts[f] > 0], y[fits.counts[f] > 0])
        wrong.append(rule.predict(X[held]) != y[held])
    assert a.by(by, "error").estimates["b"].value == pytest.approx(np.concatenate(wrong).mean())  # every case alike


@pytest.mark.parametrize("plan", [trueness.CvBootstrap(repeats=2), trueness.KFold(7, repeats=2), trueness.KFold(7)])
@pytest.mark.parametrize("metric", ["error", "tpf", "brier"])
def test_groups_weighted_by_their_cases_are_the_whole(data, plan, metric):
    """Also where folds hold few cases of a group, and not equally many: whole patients of 1 to 12 cases."""
    X, y, _ = data
    patients = np.repeat(np.arange(40), np.arange(40) % 11 + 1)
    by = np.where(patients % 7 == 3, "few", "many")
    a = trueness.assess(GaussianNB(), X[: len(by)], y[: len(by)], groups=patients, plan=plan, metrics=metric, rng=1)
    s, y = a.by(by, metric), y[: len(by)]
    weights = np.array([np.sum((by == name) & ((y == 1) | (metric != "tpf"))) for name in s.estimates])
    assert s.overall.value == pytest.approx(weights / weights.sum() @ [e.value for e in s.estimates.values()])
    if isinstance(plan, trueness.CvBootstrap):
        assert s.overall.value == pytest.approx(a[metric].value)
        assert s.overall.se == pytest.approx(a[metric].se)


def test_the_standard_error_of_a_group_weighs_folds_by_its_cases(data):
    """Nadeau and Bengio's S² of fold means of m_f cases is Σ (m_f/m̄) (mean_f − mean)²/(J − 1)."""
    X, y, _ = data
    by = np.where(np.arange(240) < 40, "few", "many")
    a = trueness.assess(LDA(), X, y, plan=trueness.KFold(5, repeats=3), metrics="error", rng=0)
    fits, of = a.fits, by == "few"
    held = [np.flatnonzero((row == 0) & of) for row in fits.counts]
    wrong = np.concatenate([np.where(block.predictions[0] != block.codes, 1.0, 0.0) for block in fits.tests()])
    where = np.concatenate([fits.design.tested(f) for f in range(15)])
    parts = np.split(wrong, np.cumsum([len(fits.design.tested(f)) for f in range(15)])[:-1])
    cases = np.split(where, np.cumsum([len(fits.design.tested(f)) for f in range(15)])[:-1])
    means = np.array([part[of[c]].mean() for part, c in zip(parts, cases, strict=True)])
    m = np.array([len(h) for h in held], dtype=float)
    mean = (m * means).sum() / m.sum()
    spread = (m / m.mean() * (means - mean) ** 2).sum() / 14
    e = trueness.estimate(among(fits, np.flatnonzero(of)), "error", "cv_pooled", se="nadeau-bengio")
    assert e.value == pytest.approx(mean)
    variance = (1 / 15 + 8 / (40 - 8)) * spread  # and of the class sizes, which stratified folds do not show
    assert e.se >= np.sqrt(variance)
    assert e.se == pytest.approx(np.sqrt(variance), rel=0.05)


@pytest.mark.parametrize("metric", ["npv", "ppv"])
def test_few_decisions_of_a_subgroup_are_too_few_cases(metric):
    rng = np.random.default_rng(0)
    cases = np.arange(60)
    y, site, scores = cases % 2, np.repeat(["A", "B", "C"], 20), rng.normal(size=60) + 1.5 * (cases % 2)
    scores[site == "C"] = np.r_[[-9.0] * 5, [9.0] * 15] * (1 if metric == "npv" else -1)
    s = trueness.subgroups(y, scores, metric, by=site, groups=cases // 2, threshold=0.0)
    assert s.estimates["C"] is None
    (note,) = (note for note in s.notes if note.code == "too-few-cases")
    assert note.data == {"groups": {"C": 3}, "needed": 5}
    known = trueness.subgroups(y, scores, metric, by=site, groups=cases // 2, threshold=0.0, least=3).differences["A"]
    assert known.ci().low < known.value < known.ci().high


@pytest.mark.parametrize("plan", [trueness.CvBootstrap(repeats=3), trueness.Bootstrap(100)])
@pytest.mark.parametrize("metric", ["tpf", "accuracy", "auc"])
def test_a_group_without_an_error_has_an_interval_and_no_standard_error_of_rounding(data, plan, metric):
    _, y, by = data
    X = np.random.default_rng(0).normal(size=(240, 2)) + 0.8 * y[:, None]
    X[by == "c"] += 6 * (2 * y[by == "c", None] - 1)
    s = trueness.assess(LDA(), X, y, groups=np.arange(240) // 3, plan=plan, metrics=metric, rng=0, checks=False)
    s = s.by(by)
    e = s.estimates["c"]
    assert (e.value, e.se) == (1.0, 0.0)
    assert 0.8 < e.ci().low < 0.97
    if s.p_value > 0.05 > s.p_adjusted("c"):
        assert "shows no difference" in s.answer()
        assert re.search(r"Different from the rest: (a, )?c\.$", s.answer())
    assert "1.000 (c)" in s.answer()


def test_folds_without_a_case_of_the_group_are_kept_apart(data):
    X, y, _ = data
    fits = trueness.fit(LDA(), X, y, trueness.KFold(10).draw(y, rng=0))
    last = fits.design.folds[0] != 9
    part = among(fits, np.flatnonzero(last))
    assert part.n_fits == 10
    assert part.design.n_folds == 10
    assert part.pooled().scores.shape == (1, last.sum())
    assert trueness.estimate(part, "error", "cv", undefined="skip").noted("folds-skipped") is not None


def test_laws_of_order_and_names(data):
    X, y, by = data
    order = np.random.default_rng(0).permutation(len(y))
    scores = X.sum(axis=1)
    one, other = (trueness.subgroups(y[k], scores[k], "auc", by=by[k]) for k in (slice(None), order))
    pd.testing.assert_frame_equal(one.frame(), other.frame())
    renamed = trueness.subgroups(y, scores, "auc", by=[{"a": 1, "b": 2, "c": 3}[g] for g in by])
    assert renamed.frame()["value"].tolist() == one.frame()["value"].tolist()
    turned = trueness.subgroups(1 - y, -scores, "auc", by=by)
    assert turned.frame()["value"].tolist() == pytest.approx(one.frame()["value"].tolist())
    assert turned.p_value == pytest.approx(one.p_value)


def test_groups_of_dependent_cases(data):
    X, y, by = data
    patients = np.arange(len(y)) // 3
    nested = trueness.subgroups(y, X.sum(axis=1), "auc", by=np.repeat(by[::3], 3), groups=patients)
    assert nested.test.test.split(": ")[1].startswith("Welch")
    assert "n_groups" not in trueness.subgroups(y, X.sum(axis=1), "auc", by=by).frame()
    assert nested.frame()["n_groups"].tolist() == [np.sum(by[::3] == name) for name in "abc"]
    assert tuple(nested.page().tables[0].heads[:3]) == ("subgroup", "n", "groups")
    long = ["Hôpital Européen Georges-Pompidou " + name for name in by]
    html = trueness.subgroups(y, X.sum(axis=1), "auc", by=long).figure().html()
    assert all(f"(n = {np.sum(by == k)})" in html for k in "abc")
    mixed = trueness.subgroups(y, X.sum(axis=1), "auc", by=by, groups=patients)
    assert mixed.test.test.split(": ")[1].startswith("Hotelling")
    assert mixed.each < 0.95 ** (1 / 3) + 1e-9
    sites = trueness.subgroups(y, X.sum(axis=1), "auc", by=by, groups=by)  # each site is one group: about this site
    alone = trueness.subgroups(y, X.sum(axis=1), "auc", by=by)
    assert sites.frame()["se"].tolist() == alone.frame()["se"].tolist()


# -- the test of equality, and sites -----------------------------------------------------------------------


def test_welch_of_two_is_welchs_t():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=9), rng.normal(1, 3, size=14)
    f, df, df2 = welch(
        np.array([a.mean(), b.mean()]), np.array([a.var(ddof=1) / 9, b.var(ddof=1) / 14]), np.array([8.0, 13.0])
    )
    t = stats.ttest_ind(a, b, equal_var=False)
    assert (f, df, df2) == pytest.approx((t.statistic**2, 1, t.df))


def test_hotelling_of_independent_values_is_q():
    values, variances = np.array([0.3, 0.5, 0.9]), np.array([0.1, 0.2, 0.1])
    f, df, _ = hotelling(values, np.diag(variances), np.inf)
    assert f * df == pytest.approx(random_effects(values, variances).q)


@pytest.mark.filterwarnings("ignore")
def test_few_expected_cases_and_a_standard_error_of_0_are_said():
    y, by = np.repeat([1, 0], [40, 20]), np.repeat(["a", "b", "c", "a"], [10, 15, 15, 20])
    scores = np.repeat([1, 0, 1, 0, 1, 0], [10, 4, 11, 4, 11, 20])
    s = trueness.subgroups(y, scores, "tpf", by=by, threshold=0.5)
    (note,) = [note for note in s.notes if note.code == "few-expected"]
    assert note.data["expected"] == pytest.approx(10 * 8 / 40)
    assert str(note) in str(s)
    assert s.p_value == pytest.approx(stats.chi2_contingency([[10, 11, 11], [0, 4, 4]], correction=False).pvalue)
    rows = {row[0]: row for row in s.page().tables[0].rows}
    assert rows["a"][2:5] == ("1.000", "", "0.722 to 1.000")
    assert rows["b"][3] == "0.11"
    many = trueness.subgroups(np.tile(y, 5), np.tile(scores, 5), "tpf", by=np.tile(by, 5), threshold=0.5)
    assert all(note.code != "few-expected" for note in many.notes)


def test_equal_shares_by_pearson(data):
    X, y, by = data
    decisions = (X.sum(axis=1) > 1).astype(int)
    s = trueness.subgroups(y, None, "error", by=by, predictions=decisions)
    table = pd.crosstab(by, decisions == y)
    assert s.p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


@pytest.mark.parametrize("name", ["bcg", "sites", "alike"])
@pytest.mark.parametrize("method", ["dl", "reml"])
def test_random_effects_against_metafor(name, method):
    r = REFERENCE[name]
    found = random_effects(np.array(r["yi"]), np.array(r["vi"]), method)
    expected = r[method]
    for ours, theirs in (("mean", "mean"), ("se", "se"), ("tau2", "tau2"), ("i2", "i2"), ("q", "q"), ("p_value", "p")):
        assert getattr(found, ours) == pytest.approx(expected[theirs], rel=1e-6, abs=1e-9)
    assert found.tau2_high == pytest.approx(expected["tau2_high"], rel=1e-4)
    low, high = found.prediction(0.95)  # at least as long as metafor's, which takes the estimate of τ² for the truth
    assert low <= expected["pi_low"] + 1e-9
    assert high >= expected["pi_high"] - 1e-9


@pytest.mark.parametrize("name", ["bcg", "sites"])
def test_a_new_site_by_plain_draws(name):
    """μ + τ Z − t se with τ² from Σ w (y − μ)² = χ²: Nagashima, Noma & Furukawa (2019)."""
    y, v = (np.array(REFERENCE[name][key]) for key in ("yi", "vi"))
    rng, k = np.random.default_rng(0), len(y)

    def of(tau2):
        w = 1 / (v + tau2[:, None])
        mean = (w * y).sum(axis=1) / w.sum(axis=1)
        return mean, (w * (y - mean[:, None]) ** 2).sum(axis=1), w.sum(axis=1)

    grid = np.r_[0.0, np.geomspace(1e-8, 1e4, 4000)]
    q, drawn = of(grid)[1], rng.chisquare(k - 1, 40_000)
    tau2 = np.where(drawn >= q[0], 0.0, np.interp(-drawn, -q, grid))
    mean, q, w = of(tau2)
    se = np.sqrt(np.maximum(q / (k - 1), 1.0) / w)
    new = mean + np.sqrt(tau2) * rng.normal(size=len(tau2)) - rng.standard_t(k - 1, len(tau2)) * se
    found = random_effects(y, v)
    assert found.prediction(0.95) == pytest.approx(np.quantile(new, [0.025, 0.975]), abs=0.03)
    assert found.prediction(0.5) == pytest.approx(np.quantile(new, [0.25, 0.75]), abs=0.01)


def test_sites_promise_no_more_than_is_known():
    """Sites that happen to be more alike than their errors make them: the mean is no surer than with one true value."""
    rng = np.random.default_rng(2)
    site = pd.Series(rng.choice([*"abcdefgh", "tiny", None], 900, p=[0.12] * 8 + [0.01, 0.03]), name="hospital")
    y = rng.integers(0, 2, 900)
    r = trueness.subgroups(y, rng.normal(size=900) + y, "auc", by=site).sites()
    assert r.tau2 == 0
    assert r.found.q < r.found.df
    assert r.found.se == pytest.approx((1 / r.found.variances).sum() ** -0.5)
    low, high = r.mean.ci()
    assert r.prediction().low < low
    assert r.prediction().high > high
    assert [note.code for note in r.notes] == ["sites-left-out", "cases-of-no-site", "sites-alike"]
    assert set(r.estimates) == set("abcdefgh")
    assert "by hospital" in r.methods()
    assert "nagashima_2019" in r.bibtex()
    assert "sites-alike" in r.to_json()
    assert r.flat()["auc.mean"] == r.mean.value


def test_sites_are_averaged_on_the_logit_scale(data):
    X, y, by = data
    sites = trueness.subgroups(y, X.sum(axis=1), "auc", by=by).sites("dl")
    values = [e.value for e in sites.estimates.values()]
    scale = MetricScale(0.0, 1.0)
    assert min(values) < sites.mean.value < max(values)
    assert scale.to(sites.mean.value) == pytest.approx(sites.found.mean)
    low, high = sites.mean.ci()
    assert low < sites.mean.value < high
    wide = sites.prediction()
    assert wide.low <= low
    assert high <= wide.high
    assert "A new site has" in str(sites)
    assert sites.frame()["site"].tolist() == ["a", "b", "c", "mean over sites", "a new site"]


def test_leave_one_site_out(data):
    X, y, by = data
    a = trueness.assess(LDA(), X, y, groups=by, plan=LeaveOneOut(), metrics="auc", rng=0)
    s = a.by(by)
    rule = LDA().fit(X[by != "a"], y[by != "a"])
    alone = trueness.roc(y[by == "a"], rule.decision_function(X[by == "a"])).auc
    assert s.estimates["a"].value == pytest.approx(alone.value)
    assert s.estimates["a"].se == pytest.approx(alone.se)
    assert s.estimates["a"].estimand == "the rule trained on the other groups"


# -- what cannot be answered -------------------------------------------------------------------------------


def test_too_few_cases_are_said():
    rng = np.random.default_rng(0)
    y, by = rng.integers(0, 2, 100), np.array(["many"] * 95 + ["few"] * 5)
    y[95:] = 1
    s = trueness.subgroups(y, rng.normal(size=100) + y, "auc", by=by)
    assert s.estimates["few"] is None
    (note,) = s.notes
    assert (note.code, note.data["groups"]) == ("too-few-cases", {"few": 0})
    assert "too few cases" in str(s)
    assert s.frame().set_index("group").loc["few", "value"] != s.frame().set_index("group").loc["few", "value"]
    assert s.p_value is None
    assert trueness.load(s.to_json()).estimates["few"] is None
    assert trueness.subgroups(y, rng.normal(size=100) + y, "tpf", by=by, threshold=0.5).estimates["few"] is not None


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (["a"] * 40, "by has a single value"),
        (["a", "b"] * 19, "different lengths"),
        ([None] * 40, "no values"),
        ("sex", "one value per case"),
        (pd.DataFrame({"a": [1, 2] * 20}), "one value per case"),
        (np.arange(40), "No subgroup has enough cases"),
    ],
)
def test_bad_labels_are_refused(by, words):
    y = [0, 1] * 20
    with pytest.raises((InputError, UndefinedError), match=words) as error:
        trueness.subgroups(y, np.arange(40.0), "auc", by=by)
    assert error.value.param == "by"


def test_other_bad_input(data):
    X, y, by = data
    with pytest.raises(InputError, match="scores are required"):
        trueness.subgroups(y, by=by)
    fits = trueness.fit(LDA(), X, y, trueness.KFold(5).draw(y, rng=0))
    with pytest.raises(InputError, match="Fits have this themselves"):
        trueness.subgroups(fits, "auc", by=by, positive=1)
    with pytest.raises(InputError, match="There is no column 'sex'.*features: none"):
        trueness.assess(LDA(), X, y, plan=5, rng=0).by("sex")
    nested = trueness.assess(LDA(), X, y, plan=trueness.plans.NestedKFold(4, repeats=2), metrics="error", rng=0)
    with pytest.raises(InputError, match="Got nested"):
        nested.by(by)
    with pytest.raises(InputError, match="least"):
        trueness.subgroups(y, X[:, 0], by=by, least=1)


def test_rows_of_another_index_are_refused(data):
    X, y, by = data
    table, by = pd.DataFrame(X, columns=list("uvw")), pd.Series(by, name="sex")
    turned, words = by.sample(frac=1, random_state=0), "have different indexes"
    with pytest.raises(InputError, match=f"by and y {words}"):
        trueness.subgroups(pd.Series(y), X[:, 0], "auc", by=turned)
    with pytest.raises(InputError, match=f"groups and y {words}"):
        trueness.subgroups(pd.Series(y), X[:, 0], "auc", by=by, groups=turned)
    a = trueness.assess(LDA(), table, y, plan=trueness.KFold(5, repeats=2), metrics="auc", rng=0)
    with pytest.raises(InputError, match=f"by and X {words}"):
        a.by(turned)
    assert a.by(by).frame().equals(a.by(by.to_numpy()).frame())
    with pytest.raises(InputError, match="have different indexes"):
        trueness.selection.weak_segments(a, turned.to_frame())


def test_ordered_categories_keep_their_order(data):
    X, y, _ = data
    rng, names = np.random.default_rng(0), ["low", "middle", "high", "never"]
    by = pd.Series(pd.Categorical(rng.choice(names[:3], 240), names, ordered=True))
    s = trueness.subgroups(y, X[:, 0], "auc", by=by)
    assert list(s.estimates) == names[:3]
    plain = trueness.subgroups(y, X[:, 0], "auc", by=by.astype(str))
    assert {k: e.value for k, e in s.estimates.items()} == {k: e.value for k, e in plain.estimates.items() if e}
    by[:9] = None
    assert list(trueness.subgroups(y, X[:, 0], "auc", by=by).sizes) == [*names[:3], "missing"]
    with pytest.raises(InputError, match="single value"):
        trueness.subgroups(y, X[:, 0], "auc", by=pd.Categorical(["low"] * 240, names, ordered=True))


def test_a_column_of_the_features_by_name(data):
    X, y, by = data
    table = pd.DataFrame(X, columns=list("uvw")).assign(sex=(by == "a").astype(int))
    a = trueness.assess(LDA(), table, y, plan=trueness.KFold(5), metrics="error", rng=0)
    assert a.by("sex").frame()["n"].tolist() == [(by != "a").sum(), (by == "a").sum()]


def test_several_classes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 2)) + y[:, None]
    s = trueness.assess(LDA(), X, y, plan=trueness.KFold(5, repeats=2), metrics=["auc", "error"], rng=0).by(
        rng.integers(0, 2, 300)
    )
    assert s.metric == "auc"
    assert s.p_value is not None


def test_figure_has_all_groups(data):
    X, y, by = data
    s = trueness.subgroups(y, X.sum(axis=1), "auc", by=by)
    panel = s.figure().panels[0]
    assert [name.split()[0] for name in panel.y_ticks.values()] == ["all", "a", "b", "c"]
    assert len(s.sites().figure().panels[0].y_ticks) == 5


def test_a_single_group_with_enough_cases_is_said():
    y = np.tile([0, 1], 30)
    by = np.where(np.arange(60) < 57, "large", "small")
    s = trueness.subgroups(y, y + np.random.default_rng(0).normal(size=60), "auc", by=by)
    assert s.answer().endswith("(large); subgroups with enough cases: 1 of 2.")


def test_predicted_numbers(data):
    _, _, by = data
    rng = np.random.default_rng(0)
    y, groups = rng.normal(size=len(by)), np.arange(len(by)) // 2
    predicted = y + np.where(by == "a", 1.0, 2.0) * rng.normal(size=len(by))
    s = trueness.subgroups(y, predicted, "mae", by=by)
    assert [e.value for e in s.estimates.values()] == pytest.approx(
        [np.abs(y - predicted)[by == name].mean() for name in "abc"]
    )
    again = trueness.subgroups(y, metric="mae", predictions=predicted, by=by, groups=groups)
    assert again.estimates["b"].value == s.estimates["b"].value
    assert again.estimates["b"].se != s.estimates["b"].se
    with pytest.raises(InputError, match="y holds numbers, and the AUC is of classes. Use a metric of numbers"):
        trueness.subgroups(y, predicted, by=by)
    with pytest.raises(InputError, match=r"Got shape \(1, 240\)\. One score per class, or kind='regression'"):
        trueness.Fits.from_arrays(np.arange(len(y)), np.zeros((1, len(y)), dtype=int), [predicted])


def test_a_difference_without_a_standard_error_says_why():
    """The rest of "many" are the few cases of "few", whose errors have no variance."""
    rng = np.random.default_rng(3)
    by = np.repeat(["many", "few"], [2000, 400])
    errors = np.where(by == "few", rng.standard_t(1.2, 2400), rng.normal(size=2400))
    y = rng.normal(size=2400)
    s = trueness.subgroups(y, y + errors, "rmse", by=by)
    rows = s.frame().set_index("group")
    assert rows.loc["many"].notna()["se"]
    assert rows.loc[["many", "few"], "difference_se"].isna().all()
    said = [str(note) for note in s.notes if note.code == "no-se-heavy-tails"]
    assert [text.split(":")[0] for text in said] == ["few", "all but many"]


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_columns_of_a_comparison_and_every_form_of_by():
    rng = np.random.default_rng(5)
    y, sex = rng.integers(0, 2, 200), rng.choice(["f", "m"], 200)
    frame = pd.DataFrame({"x": y + rng.normal(size=200), "z": rng.normal(size=200), "sex": pd.Categorical(sex)})
    frame.iloc[7] = frame.iloc[3]
    numeric = make_column_transformer(("passthrough", ["x", "z"]))
    models = {"one": make_pipeline(numeric, LDA()), "two": make_pipeline(numeric, GaussianNB())}
    k = trueness.compare(models, frame, y, plan=trueness.KFold(5), rng=0)
    a = trueness.assess(k.fits["one"])
    assert k.fits["one"].source.X is frame  # no copy
    assert pickle.loads(pickle.dumps(k.fits["one"])).source.X is None
    by_name = a.by("sex")
    assert (by_name.by, by_name.page().title.split("\n")[0]) == ("sex", "AUC by sex")
    html = by_name.report()
    assert "by sex" in html
    assert f">{a.provenance['seed']}</td>" in html
    pd.testing.assert_frame_equal(a.by(frame["sex"]).frame(), by_name.frame())
    same = [a.report(by=by) for by in ("sex", ["sex"], frame["sex"], {"sex": sex})]
    assert len({page.count("By sex") for page in same}) == 1
    assert "<h3>By sex</h3>" in same[0]
    assert "<h3>By group</h3>" in a.report(by=sex)
    with pytest.raises(InputError, match="There is no column 'Sex'.*: 'x', 'z', 'sex'"):
        a.by("Sex")
    codes = [note.code for note in k.notes if note.code.startswith("L0")]
    assert codes  # the copy
    assert [note.code for note in a.notes if note.code.startswith("L0")] == codes
    assert "checks" in a.provenance
    assert ">Checks</h2>" in a.report()


def test_cases_without_a_value_are_a_group():
    rng = np.random.default_rng(6)
    y, by = rng.integers(0, 2, 300), pd.Series(rng.choice(["own", "rent"], 300), name="Home")
    scores, some = y + rng.normal(size=300), rng.permutation(300)[:60]
    named = trueness.subgroups(y, scores, by=by.where(~by.index.isin(some), "z")).frame()
    for kind in (object, "category"):
        s = trueness.subgroups(y, scores, by=by.where(~by.index.isin(some)).astype(kind))
        assert s.frame()["group"].tolist() == ["own", "rent", "missing"]
        pd.testing.assert_frame_equal(s.frame().drop(columns="group"), named.drop(columns="group"))
        assert next(n for n in s.notes if n.code == "group-missing").data["cases"] == 60
    by[0] = None
    one = trueness.subgroups(y, scores, by=by)
    assert (one.sizes["missing"], one.estimates["missing"]) == (1, None)
    numbers = pd.Series(rng.integers(1, 3, 300), dtype=float)
    numbers[some] = np.nan
    assert list(trueness.subgroups(y, scores, by=numbers).sizes) == ["1", "2", "missing"]
    assert list(trueness.subgroups(y, scores, by=numbers.replace(2.0, 1.0)).sizes) == ["1", "missing"]
    ages = pd.Series(rng.integers(20, 70, 300).astype(float), name="Age")
    assert any(n.code == "many-groups" for n in trueness.subgroups(y, scores, by=ages, least=2).notes)
    bands = trueness.subgroups(y, scores, by=pd.cut(ages, 4).astype(str))
    assert len(bands.frame()) == 4
    assert "many-groups" not in {n.code for n in bands.notes}


@pytest.mark.parametrize("metric", ["auc", "average_precision", "f1"])
def test_groups_of_equal_values_differ_by_nothing(metric):
    """The same cases twice, with other scores in the second group: pairs of two groups are no evidence of a difference."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 80)
    scores = y + rng.normal(size=80)
    twice, by = np.tile(y, 3), np.repeat(["a", "b", "c"], 80)
    apart = np.concatenate([scores, scores + 5, scores - 5])
    s = trueness.subgroups(twice, apart, metric, by=by, predictions=np.tile(scores > 0.5, 3).astype(int))
    assert [d.value for d in s.differences.values()] == pytest.approx([0.0] * 3, abs=1e-12)
    assert [s.p_adjusted(name) for name in "abc"] == pytest.approx([1.0] * 3)


def test_groups_of_other_base_rates_are_not_different_by_their_pairs():
    rng, marked = np.random.default_rng(3), []
    for _ in range(20):
        by = rng.integers(0, 3, 600)
        y = (rng.random(600) < np.array([0.15, 0.4, 0.7])[by]).astype(int)
        s = trueness.subgroups(y, 2.0 * by + y + rng.normal(size=600), "auc", by=by)
        marked.append(min(s.p_adjusted(name) for name in "012") < 0.05)
    assert np.mean(marked) <= 0.2


@pytest.mark.parametrize("metric", ["auc", "error", "f1", "brier"])
def test_the_interval_of_a_difference_and_its_p_agree(metric):
    rng = np.random.default_rng(12)
    for _ in range(15):
        by = rng.choice(list("abcd"), 240)
        risk = rng.uniform(size=240)
        y = (rng.random(240) < np.where(by == "a", 0.5 + (risk - 0.5) * 0.4, risk)).astype(int)
        s = trueness.subgroups(y, risk, metric, by=by, threshold=0.5)
        f = s.frame()
        outside = (f.difference_low > 0) | (f.difference_high < 0)
        clear = (f.p_adjusted - 0.05).abs() > 2e-3  # the joint law is integrated over points
        assert (outside == (f.p_adjusted < 0.05))[clear].all()
        for d in s.differences.values():
            p = d.provenance["p_value"]
            low, high = d.ci(1 - p) if 1e-9 < p < 1 else (0.0, 0.0)
            assert min(abs(low), abs(high)) < 1e-4


def test_quantiles_near_level_0_are_proportional_to_it():
    for df in (1, 2, 3, 4, 5, 6, 8, 100):
        slope = 1 / (2 * stats.t.pdf(0, df))
        for level in (1e-12, 1e-7, 0.9e-4, 1.1e-4):
            assert quantile(level, df) == pytest.approx(slope * level, rel=1e-7)


@pytest.mark.parametrize("cases", [5, 7])
def test_few_cases_in_groups_have_an_interval_at_every_level(cases):
    """The p-value of a difference asks for intervals at levels near 0, where SciPy's t quantile is 0 for 4 and 6 df."""
    effect = DesignEffect(1.5, cases, 4, 3.0)
    assert effect.divisor(1e-10) == pytest.approx(effect.divisor(1e-3), rel=1e-5)


def test_a_column_of_numbers_with_fractions_is_refused_and_bands_are_not():
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 300)
    scores, X = y + rng.normal(size=300), pd.DataFrame({"ratio": rng.random(300)})
    with pytest.raises(UndefinedError, match="No subgroup has enough cases .* Use fewer subgroups"):
        trueness.subgroups(y, scores, by=X["ratio"])
    bands = trueness.subgroups(y, scores, by=pd.qcut(X["ratio"], 4))
    assert (len(bands.sizes), bands.by) == (4, "ratio")
    assert len(trueness.subgroups(y, scores, by=X["ratio"].round(1)).sizes) == 11


def test_many_subgroups_with_too_few_cases_are_one_note_and_the_answer_counts_the_others():
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 300)
    by = np.where(np.arange(300) < 250, np.where(np.arange(300) % 2, "a", "b"), np.arange(300).astype(str))
    s = trueness.subgroups(y, y + rng.normal(size=300), by=by)
    (note,) = (n for n in s.notes if n.code == "too-few-cases")
    assert len(note.data["groups"]) == 50
    assert "subgroups with enough cases: 2 of 52." in s.answer()


def test_an_overall_auc_outside_those_of_the_subgroups_is_explained():
    rng = np.random.default_rng(4)
    group = rng.integers(0, 2, 600)
    y = (rng.random(600) < np.where(group, 0.8, 0.2)).astype(int)
    by = pd.Series(np.where(group, "yes", "no"), name="afam")
    s = trueness.subgroups(y, 2.0 * group + 0.5 * y + rng.normal(size=600), by=by)
    assert any(n.code == "auc-within-subgroups" for n in s.notes)
    assert s.overall.value > max(e.value for e in s.estimates.values())
    assert re.match(r"AUC by afam: 0\.\d+ \((yes|no)\) to 0\.\d+ \((yes|no)\)", s.answer())
    assert "no (n = " in s.figure().svg()
    for fair in (group, np.where(rng.random(600) < 0.5, "north", "south")):
        same = trueness.subgroups(y, y + rng.normal(size=600) + 3 * (fair == 1) * y, by=fair)
        low, high = sorted(e.value for e in same.estimates.values())
        assert (low <= same.overall.value <= high) != ("auc-within-subgroups" in {n.code for n in same.notes})
