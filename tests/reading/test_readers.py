"""What trueness.readers returns: estimates, tables, models among readers, sizes, pictures, reports."""

from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trueness
from trueness.errors import InputError
from trueness.reading import power_for_readers, size_for_readers
from trueness.reading.sizes import Pilot

VAN_DYKE = pd.read_csv(files("trueness.studies") / "data" / "VanDyke.csv", dtype={"case2": str, "case3": str})


@pytest.fixture(scope="module")
def study():
    return trueness.readers(VAN_DYKE, score="rating", modality="treatment")


def test_means_and_differences(study):
    table = study.frame()
    assert table.modality.tolist() == [1, 2, 1]
    assert table.minus.tolist() == [None, None, 2]
    assert study.minus((2, 1)).value == -study.difference.value
    with pytest.raises(InputError, match="There is no pair \\(1, 3\\)"):
        study.minus((1, 3))
    with pytest.raises(InputError, match="no such table. Choose one of study"):
        study.frame("all")
    assert study.auc[1].ci(method="wald").low == pytest.approx(0.825344, abs=1e-5)
    for e in study.auc.values():
        assert 0 <= e.ci(0.999).low < e.ci(0.999).high <= 1


def test_order_of_categories():
    named = VAN_DYKE.assign(treatment=pd.Categorical(VAN_DYKE.treatment.map({1: "spin", 2: "cine"}), ["spin", "cine"]))
    r = trueness.readers(named, score="rating", modality="treatment")
    assert list(r.auc) == ["spin", "cine"]
    assert r.difference.value == pytest.approx(-0.0438003)


def test_non_inferiority(study):
    worse = study.non_inferiority(0.05)
    assert worse.p_value == pytest.approx(0.383, abs=0.01)
    better = study.non_inferiority(0.05, 2, 1)
    t = (0.0438003 + 0.05) / study.difference.se
    assert better.statistic == pytest.approx(t, rel=1e-5)
    assert better.df == study.df
    assert (better.names, worse.names) == (("2", "1"), ("1", "2"))
    assert better.answer().startswith(
        "2 − 1: 0.044 (95 % CI 0.000 to 0.088). Non-inferior: the margin is -0.05 (p = 0.0002, one-sided"
    )
    assert "2 not worse than 1" in str(better)
    assert better.names == ("2", "1")
    kept = study.beside(better, study.sizes(0.05, readers=[6]))
    assert [also.assumptions != () for also in trueness.load(kept.to_json()).also] == [True, True]
    with pytest.raises(InputError, match="margin must be a number between 0 and 1. Got 5"):
        study.non_inferiority(5)


def test_the_words_of_non_inferiority_are_those_of_its_interval(study):
    """Significant where the 95 % interval is above −margin, not where one of 90 % is."""
    limits = [study.difference.ci(level)[0] for level in (0.95, 0.9)]
    assert limits[0] < limits[1] < 0
    tests = [study.non_inferiority(-limit + 1e-4, 1, 2) for limit in limits]
    assert [round(t.p_value, 3) for t in tests] == [0.025, 0.05]
    assert ["not shown" in t.answer() for t in tests] == [False, True]


def test_equality_of_three_modalities_by_u_is_that_of_obuchowski_and_rockette():
    third = VAN_DYKE[VAN_DYKE.treatment == 2].assign(
        treatment=3, rating=lambda v: v.rating.where(v.case % 5 > 0, 6 - v.rating)
    )
    three = pd.concat([VAN_DYKE, third])
    u, by_anova = (trueness.readers(three, score="rating", modality="treatment", **o).equality
                   for o in ({"method": "u"}, {"covariance": "unbiased"}))  # fmt: skip
    assert (u.test, u.statistic, u.p_value) == (by_anova.test, by_anova.statistic, by_anova.p_value)
    assert u.test == "Obuchowski–Rockette, F"
    assert "hillis_2007" in u.sources


def test_covariances_are_named(study):
    def how(**options):
        return str(trueness.readers(VAN_DYKE, score="rating", modality="treatment", **options))

    assert "covariances of the cases by DeLong" in str(study)
    assert "the usual covariances of means over cases" in how(metric="tpf", threshold=3)
    assert "covariances of the cases by the jackknife" in how(metric="tpf", threshold=3, covariance="jackknife")
    assert (
        "DeLong"
        not in trueness.readers(VAN_DYKE, score="rating", modality="treatment", metric="tpf", threshold=3).methods()
    )


def test_components_of_every_kind(study):
    c = study.components
    n = 114
    assert c.dbm["case"] == n * c.cov3
    assert sum(c.dbm.values()) == pytest.approx(c.var_r + c.var_tr + n * c.var)
    assert c["cov2"] == c.cov2
    with pytest.raises(InputError, match="There is no component"):
        c["cov4"]
    assert set(study.frame("components").kind) == {"OR", "DBM"}


def test_other_figures_of_merit():
    def youden(y, score):
        return np.mean(score[y == 1] >= 3) - np.mean(score[y == 0] >= 3)

    own = trueness.readers(VAN_DYKE, score="rating", modality="treatment", metric=youden)
    known = trueness.readers(
        VAN_DYKE, score="rating", modality="treatment", metric="youden", threshold=3, covariance="jackknife"
    )
    assert own.p_value == pytest.approx(known.p_value)
    assert own.provenance["covariance"] == "jackknife"
    binary = VAN_DYKE.assign(rating=(VAN_DYKE.rating >= 3) * 1)
    r = trueness.readers(binary, score="rating", modality="treatment", metric="accuracy")
    same = trueness.readers(VAN_DYKE, score="rating", modality="treatment", metric="accuracy", threshold=3)
    assert r.p_value == same.p_value
    u = trueness.readers(VAN_DYKE, score="rating", modality="treatment", metric="sensitivity", threshold=3, method="u")
    o = trueness.readers(
        VAN_DYKE, score="rating", modality="treatment", metric="sensitivity", threshold=3, covariance="unbiased"
    )
    assert u.difference.se == pytest.approx(o.difference.se)


def test_a_model_among_readers():
    """The model as a reader of its own: the difference of each reader is DeLong's, of the mean reader Hillis' (2007)."""
    rng = np.random.default_rng(1)
    truth = VAN_DYKE.groupby("case").truth.first()
    scores = truth + rng.normal(size=len(truth))
    frame = VAN_DYKE.assign(ai=VAN_DYKE.case.map(scores))
    r = trueness.readers(frame, score="rating", modality="treatment", model="ai")
    alone = trueness.roc(truth, scores)
    assert r.model.alone.value == alone.auc.value
    assert r.model.alone.ci() == alone.auc.ci()
    for t, mean in r.auc.items():
        assert r.model.minus_mean[t].value == pytest.approx(alone.auc.value - mean.value)
    each = r.model.each.set_index(["modality", "reader"])
    one = VAN_DYKE[(VAN_DYKE.treatment == 2) & (VAN_DYKE.reader == 3)].set_index("case").rating
    test = trueness.comparisons.delong(truth, scores, one)
    row = each.loc[(2, 3)]
    assert (row.difference, row.p_value) == pytest.approx((test.difference.value, test.p_value))
    assert (each.p_adjusted >= each.p_value).all()
    # one modality of the differences: se² = MS(R)/r + max(Cov2, 0)
    merits = r.analysis.merits
    of = merits.readings.of(0)
    from trueness.formulas.auc import delong_influence

    _, g = delong_influence(scores.to_numpy(), truth.to_numpy() == 1)
    c = (g - merits.influence[of]) @ (g - merits.influence[of]).T
    ms = np.var(merits.values[of], ddof=1)
    cov2 = (c.sum() - np.trace(c)) / 20
    d = r.model.minus_mean[1]
    assert d.se**2 == pytest.approx(ms / 5 + max(cov2, 0))
    assert d.df == pytest.approx((ms + 5 * max(cov2, 0)) ** 2 * 4 / ms**2)
    by_case = trueness.readers(VAN_DYKE, score="rating", modality="treatment", model=scores)
    assert by_case.model.minus_mean[1].se == d.se
    assert len(r.model.frame()) == 3
    assert r.model.figure().panels[0].marks
    assert "among readers" in str(r.model)
    assert "90 % interval" in r.model.page(0.9).tables[0].heads
    assert trueness.load(r.to_json()).model.frame().equals(r.model.frame())
    u = trueness.readers(frame, score="rating", modality="treatment", model="ai", method="u")
    assert u.model.minus_mean[1].se == pytest.approx(d.se, rel=0.02)


def test_power_and_sizes(study):
    """Power is that of the noncentral F, equal to the test's own without a difference; sizes reach it just so."""
    assert power_for_readers(5, 114, 1e-9, components=study) == pytest.approx(0.05, abs=1e-6)
    sizes = study.sizes(0.05, readers=[4, 6, 10]).frame()
    for row in sizes.itertuples():
        assert power_for_readers(row.readers, row.cases, 0.05, components=study) >= 0.8
        assert power_for_readers(row.readers, row.cases - 1, 0.05, components=study) < 0.8
    c = study.components
    published = {name: c[name] for name in ("var_tr", "var", "cov1", "cov2", "cov3", "n_cases")}
    as_correlations = {"var_tr": c.var_tr, "var": c.var, "n_cases": 114} | {
        f"r{k}": c[f"cov{k}"] / c.var for k in (1, 2, 3)
    }
    powers = [power_for_readers(8, 150, 0.04, components=x) for x in (study, c, published, as_correlations)]
    assert powers == pytest.approx([powers[0]] * 4)
    none = size_for_readers(0.05, components=published, readers=3).frame()
    assert none.cases.isna().all()
    fixed = size_for_readers(0.05, components=published, readers=[1, 5], random="cases").frame()
    assert fixed.cases.notna().all()
    for wrong, message in (
        ({"var": 1}, "Components are missing"),
        (3, "components must be"),
        ({**published, "var": -1}, "var must"),
        ({**published, "cov2": published["var"]}, "No study has such components"),
    ):
        with pytest.raises(InputError, match=message):
            power_for_readers(5, 100, 0.05, components=wrong)
    with pytest.raises(InputError, match="a difference of 0"):
        size_for_readers(0, components=study)
    assert study.sizes(0.05).figure().panels[0].marks


def test_sizes_where_more_cases_lower_the_power(study):
    """With few readers power has a peak, since df₂ falls to r − 1: a size before the peak is found although infinitely many
    cases do not suffice, and each row that has none says so beside the others."""
    published = {"var_tr": 0.0002, "var": 0.0008, "r1": 0.43, "r2": 0.43, "r3": 0.30, "n_cases": 114}
    all_cases = [power_for_readers(3, n, 0.06, components=published) for n in range(4, 3000)]
    peak = max(all_cases)
    limit = power_for_readers(3, 10**6, 0.06, components=published)
    assert limit < 0.76 < peak
    for power in (0.3, limit - 1e-3, 0.76, peak - 1e-9):
        found = size_for_readers(0.06, components=published, power=power, readers=3).frame().cases[0]
        assert found == 4 + next(k for k, p in enumerate(all_cases) if p >= power)
    sizes = size_for_readers(0.06, components=published, power=peak + 1e-6, readers=[3, 6])
    assert sizes.frame().cases.isna().tolist() == [True, False]
    assert sizes.frame().power[0] == pytest.approx(peak)
    fixed = {**published, "var_tr": 0.0}
    sizes = size_for_readers(0.0008, components=fixed, readers=[3, 20])
    assert sizes.frame().cases.isna().tolist() == [False, False]
    sizes = size_for_readers(0.0005, components=fixed, readers=[3, 20])
    assert sizes.frame().cases.isna().tolist() == [True, False]
    alone = size_for_readers(0.0005, components=fixed, readers=3)
    assert "no number of cases up to 1,000,000 suffices" in alone.answer()


def test_the_size_of_non_inferiority_is_that_of_margin_plus_difference(study):
    """The one-sided test at 0.025 of d + margin has the power of the two-sided one, less the other tail."""
    row = study.sizes(0.05, readers=[8]).frame().iloc[0]
    variance, df = Pilot.of(study).variance(int(row.readers), int(row.cases), "both")
    one_sided = stats.nct.sf(stats.t.ppf(0.975, df), df, (0.02 + 0.03) / variance**0.5)
    assert one_sided == pytest.approx(row.power, abs=1e-5)


def test_power_of_hillis_obuchowski_and_berbaum():
    """Their test's own study as the pilot: with its readers and cases, λ and df are those of the study."""
    r = trueness.readers(VAN_DYKE, score="rating", modality="treatment")
    variance, df = Pilot.of(r).variance(5, 114, "both")
    assert variance == pytest.approx(r.difference.se**2)
    assert df == pytest.approx(r.df)


CUTS = {
    "split-plot": lambda v: v[(v.reader <= 2) == (v.case % 2 == 0)],
    "cases-in-readers": lambda v: v.assign(case=v.case2),
    "cases-in-modalities": lambda v: v.assign(case=v.case3),
    "readers-in-modalities": lambda v: v.assign(reader=v.reader + 10 * v.treatment),
}


@pytest.mark.parametrize("design", CUTS)
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_sizes_of_other_designs(design):
    """A study as its own pilot has its own variance; what the pilot does not show cannot be planned."""
    r = trueness.readers(CUTS[design](VAN_DYKE), score="rating", modality="treatment")
    c, pilot = r.components, Pilot.of(r)
    assert (r.design, pilot.design) == (design, design)
    assert c.n_read == (57 if design == "split-plot" else 114)
    variance, df = pilot.variance(5, c.n_read, "both")
    if design == "split-plot":  # σ²_TR is estimated below 0 here, and counts as 0
        assert c.var_tr < 0
        variance += 2 * c.var_tr / 5
    assert variance == pytest.approx(r.difference.se**2)
    if design in ("cases-in-readers", "cases-in-modalities"):
        assert df == pytest.approx(r.df)
    sizes = r.sizes(0.1, readers=[8])
    frame = sizes.frame()
    sets = {"split-plot": 2, "cases-in-readers": 8, "cases-in-modalities": 2}.get(design, 1)
    assert frame.total[0] == sets * frame.cases[0]
    assert sizes.design == design
    assert trueness.load(sizes.to_json()).frame().equals(frame)
    if design == "split-plot":
        assert r.sizes(0.1, readers=[8], design="crossed").frame().cases[0] >= frame.cases[0]
    else:
        with pytest.raises(InputError, match="does not show what this design needs"):
            r.sizes(0.06, design="crossed")


def test_sizes_of_designs_from_published_components(study):
    c = study.components
    known = {name: c[name] for name in ("var_r", "var_tr", "var", "cov1", "cov2", "cov3", "n_cases")}
    for design in ("crossed", *CUTS):
        of_study = power_for_readers(6, 120, 0.05, components=study, design=design)
        assert power_for_readers(6, 120, 0.05, components=known, design=design) == pytest.approx(of_study)
        dbm = c.dbm | {"n_cases": 114}
        assert power_for_readers(6, 120, 0.05, components=dbm, design=design) == pytest.approx(of_study)
    # one group per reader is the nested study; variance falls with the groups
    nested, split = Pilot.of(known, "cases-in-readers"), Pilot.of(known, "split-plot", 6)
    assert split.variance(6, 100, "cases")[0] == pytest.approx(nested.variance(6, 100, "cases")[0])
    several = [Pilot.of(known, "split-plot", g).variance(12, 100, "both")[0] for g in (2, 3, 4)]
    assert several == sorted(several, reverse=True)
    for wrong, message in (
        ({"design": "latin"}, "The design is unknown"),
        ({"groups": 1}, "groups"),
        (
            {"components": {k: v for k, v in known.items() if k != "var_r"}, "design": "readers-in-modalities"},
            "var_r = None",
        ),
        ({"components": {**known, "cov2": 1.0}}, "above the covariances"),
        ({"components": {**known, "var_tr": float("nan")}}, "var_tr = nan"),
        ({"design": "split-plot", "groups": 6}, "n_readers"),
    ):
        with pytest.raises(InputError, match=message):
            power_for_readers(6, 120, 0.05, **{"components": known} | wrong)


def test_shown_and_kept(study, tmp_path):
    text = str(study)
    assert "1 − 2: -0.044 (95 % CI -0.088 to 0.000)" in text
    again = trueness.load(study.to_json())
    assert str(again) == text
    for of in ("study", "readers", "components"):
        assert again.frame(of).equals(study.frame(of))
    figure = again.figure()
    assert [p.title for p in figure.panels] == ["modality 1", "modality 2", "Difference"]
    assert len([m for m in figure.panels[0].marks if getattr(m, "label", "") == "mean"]) == 1
    assert "obuchowski_rockette_1995" in study.methods()
    assert "@article{hillis_2007" in study.bibtex()
    page = study.report(tmp_path / "r.html")
    assert "Reader study" in page
    assert {"auc.1", "1_minus_2.low"} <= set(study.flat())
    one = trueness.readers(VAN_DYKE[VAN_DYKE.treatment == 1], score="rating")
    assert len(one.figure().panels) == 2
    assert "all, mean AUC: " in str(one)
