"""decision_curve: the formula, published numbers, exact laws, and what is refused; the panel of `validate`."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression

import trueness
from trueness.errors import InputError
from trueness.figures.figure import Area
from trueness.probabilities import validate


def some(n=300, seed=0, signal=1.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return (
        (rng.random(n) < expit(signal * x - 0.5)).astype(int),
        expit(1.2 * x - 0.3),
        expit(0.8 * x + rng.normal(size=n)),
    )


def test_the_formula():
    y, p, _ = some()
    v = trueness.decision_curve(y, p, thresholds=[0.1, 0.3, 0.5, 0.8])
    for row in v.frame().itertuples():
        w = row.threshold / (1 - row.threshold)
        acted = {"model": p >= row.threshold, "treat all": p >= 0, "treat none": p > 1}[row.model]
        benefit = (acted & (y == 1)).mean() - w * (acted & (y == 0)).mean()
        assert row.net_benefit == pytest.approx(benefit)
        assert row.standardized == pytest.approx(benefit / y.mean())
        everybody = y.mean() - w * (1 - y.mean())
        assert row.avoided == pytest.approx(100 * (benefit - everybody) / w)
        if row.model == "model":
            each = np.where(acted, np.where(y == 1, 1.0, -w), 0.0)
            assert row.se == pytest.approx(each.std(ddof=1) / np.sqrt(len(y)))
            assert row.low_simultaneous <= row.low <= row.net_benefit <= row.high <= row.high_simultaneous


def test_the_numbers_of_dcurves():
    """R package dcurves, tests of dca(cancer ~ cancerpredmarker) at 0.25: 72 of 105 positives and 72 of 645 negatives are
    at or above it, net benefit 0.064, and of treating all −0.1466667."""
    y, p = np.repeat([1, 1, 0, 0], [72, 33, 72, 573]), np.repeat([0.3, 0.1, 0.3, 0.1], [72, 33, 72, 573])
    f = trueness.decision_curve(y, p, thresholds=[0.25]).frame().set_index("model")
    assert f.net_benefit["model"] == pytest.approx(0.064, abs=1e-7)
    assert f.net_benefit["treat all"] == pytest.approx(-0.1466667, abs=1e-7)


def test_a_given_prevalence_is_that_of_resampled_classes():
    y, p, _ = some()
    v = trueness.decision_curve(y, p, thresholds=[0.2], prevalence=0.05).frame().set_index("model")
    tpf, fpf = (p[y == 1] >= 0.2).mean(), (p[y == 0] >= 0.2).mean()
    assert v.net_benefit["model"] == pytest.approx(0.05 * tpf - 0.95 * fpf * 0.25)
    assert v.net_benefit["treat all"] == pytest.approx(0.05 - 0.95 * 0.25)
    se = np.hypot(
        0.05 * np.sqrt(tpf * (1 - tpf) / (y == 1).sum()), 0.95 * 0.25 * np.sqrt(fpf * (1 - fpf) / (y == 0).sum())
    )
    assert v.se["model"] == pytest.approx(se, rel=1e-6)
    own = trueness.decision_curve(y, p, thresholds=[0.2], prevalence=y.mean()).frame().net_benefit
    np.testing.assert_allclose(own, trueness.decision_curve(y, p, thresholds=[0.2]).frame().net_benefit)


def test_differences_are_paired():
    y, p, q = some()
    v = trueness.decision_curve(y, {"a": p, "b": q}, thresholds=[0.2, 0.4, 0.6])
    d = v.difference("a", "b").frame()
    np.testing.assert_allclose(d.difference, -v.difference("b", "a").frame().difference)
    for row in d.itertuples():
        w = row.threshold / (1 - row.threshold)
        each = ((p >= row.threshold).astype(float) - (q >= row.threshold)) * np.where(y == 1, 1.0, -w)
        assert row.difference == pytest.approx(each.mean())
        assert row.se == pytest.approx(each.std(ddof=1) / np.sqrt(len(y)), rel=1e-6)
    over = v.difference("a", "treat all").frame()
    for row in over.itertuples():
        w = row.threshold / (1 - row.threshold)
        each = ((p >= row.threshold) - 1.0) * np.where(y == 1, 1.0, -w)
        assert row.difference == pytest.approx(each.mean())
        assert row.se == pytest.approx(each.std(ddof=1) / np.sqrt(len(y)), rel=0.01)
    none = v.difference("a", "treat none").frame()
    np.testing.assert_allclose(none.difference, v.models["a"].value)
    assert (v.difference("a", "a").frame().difference == 0).all()
    with pytest.raises(InputError, match="no model"):
        v.difference("a", "c")


def test_groups_widen_the_intervals():
    y, p, _ = some(200)
    twice = [np.tile(v, 2) for v in (y, p)]
    alone, doubled = (
        trueness.decision_curve(*data, thresholds=[0.3], groups=g).frame().iloc[0]
        for data, g in (((y, p), None), (twice, np.tile(np.arange(200), 2)))
    )
    assert doubled.net_benefit == pytest.approx(alone.net_benefit)
    assert doubled.se == pytest.approx(alone.se, rel=0.02)


def test_worth_using():
    y, p, _ = some(1500, 1, 3.0)
    v = trueness.decision_curve(y, p)
    ((low, high),) = v.useful()
    assert 0.05 < low < 0.4 < high < 0.95
    assert f"{low:g} to {high:g}" in v.sentence()
    for seed in range(6):  # the sentence and the table agree
        curve = trueness.decision_curve(*some(150, seed, 1.5)[:2], thresholds=np.arange(1, 20) / 20)
        rows = curve.frame().query("low_simultaneous > 0")["threshold"].to_numpy()
        over = curve.difference("model").frame().query("low_simultaneous > 0")["threshold"].to_numpy()
        for low, high in curve.useful():
            inside = curve.thresholds[(curve.thresholds >= low) & (curve.thresholds <= high)]
            assert np.isin(inside, rows).all()
            assert np.isin(inside, over).all()
    rng = np.random.default_rng(0)
    assert v.answer() == v.sentence()
    both = trueness.decision_curve(y, {"a": p, "b": p / 2})
    assert both.answer() == f"{both.sentence('a')} {both.sentence('b')}" == both.page().answer
    useless = trueness.decision_curve(y, rng.random(1500))
    assert useless.useful() == []
    assert "thresholds: none shown (" in useless.sentence()
    assert trueness.decision_curve(y, np.full(1500, y.mean())).useful() == []


def test_nobody_at_a_threshold_has_an_interval_with_length():
    y, p, _ = some(100)
    row = trueness.decision_curve(y, np.minimum(p, 0.5), thresholds=[0.9]).frame().iloc[0]
    assert row.net_benefit == 0
    assert row.low < 0 < row.high


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"thresholds": [0, 1]}, "above 0 and below 1"),
        ({"thresholds": [-0.1, 0.5]}, "from 0 to 1"),
        ({"prevalence": 0}, "must lie above 0 and below 1"),
        ({"prevalence": 1.0}, "must lie above 0 and below 1"),
    ],
)
def test_refused(how, words):
    y, p, _ = some(50)
    with pytest.raises(InputError, match=words):
        trueness.decision_curve(y, p, **how)
    with pytest.raises(InputError, match="from 0 to 1"):
        trueness.decision_curve(y, 3 * p)


def test_thresholds_of_0_and_1_are_left_out_and_named():
    y, p, _ = some(50)
    v = trueness.decision_curve(y, p, thresholds=[0, 0.5, 1])
    assert v.thresholds.tolist() == [0.5]
    assert [note.code for note in v.notes] == ["threshold-ends"]


def test_net_benefit_is_a_metric():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (rng.random(120) < expit(X[:, 0])).astype(int)
    nb = trueness.metrics.NetBenefit(threshold=0.3)
    a = trueness.assess(LogisticRegression(), X, y, metrics=[nb, "net_benefit"] if False else [nb], rng=0, checks=False)
    assert a["net_benefit"].se > 0
    with pytest.raises(InputError, match="must lie above 0 and below 1"):
        trueness.metrics.NetBenefit(threshold=1.0)


def test_risks_by_outcome():
    y, p, _ = some()
    r = trueness.calibration(y, p).risks
    assert r.slope.value == pytest.approx(p[y == 1].mean() - p[y == 0].mean())
    assert r.frame()["mean"].tolist() == pytest.approx([p[y == 0].mean(), p[y == 1].mean()])


def test_the_corrected_brier_score_of_the_panel_is_that_of_estimate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (rng.random(80) < expit(X[:, 0])).astype(int)
    fits = trueness.fit(LogisticRegression(), X, y, trueness.Bootstrap(30), rng=0, scores="predict_proba")
    mape = trueness.selection.cases(fits).frame()["mape"]  # Riley & Collins (2023)
    np.testing.assert_allclose(mape, np.abs(fits.held - fits.full_scores).mean(axis=0))
    v = validate(fits).frame().set_index("measure")
    rb = trueness.estimate(fits, "brier", "rb")
    assert v.corrected["B"] == pytest.approx(rb.value)
    page = validate(fits).page()
    assert set(v.estimand) == {"mean over rules trained on samples of this size"}
    assert all(v.estimand.iloc[0] in part for part in (page.answer, page.footer))
    assert f"{y.sum()} of class 1, positive 1" in page.title
    assert f"AUC {(1 + v.corrected['Dxy']) / 2:.3f}" in page.answer
    assert v.corrected["Dxy"] == pytest.approx(2 * trueness.estimate(fits, "auc", "rb").value - 1)


def test_few_replicates_have_no_interval_and_enough_have_a_steady_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (rng.random(200) < expit(X[:, 0])).astype(int)

    def of(replicates, seed):
        return validate(trueness.fit(LDA(), X, y, trueness.Bootstrap(replicates), rng=seed))

    few = of(15, 0)
    rows = few.table.set_index("measure")
    note = next(n for n in few.notes if n.code == "few-replicates")
    assert note.data["needed"] > 15
    assert str(note.data["needed"]) in str(note)
    without = rows.index[rows.se.isna() & (rows.index != "Emax")]
    assert len(without)
    assert rows.loc[without, ["se_mc_se", "low", "high"]].isna().all(axis=None)
    assert rows.corrected.notna().all()
    some = [of(100, seed) for seed in range(3)]
    assert all(n.code != "few-replicates" for v in some for n in v.notes)
    slopes = [v.table.set_index("measure").loc["Slope"] for v in some]
    assert np.std([s.se for s in slopes]) < 0.1 * slopes[0].se
    assert all(0 < s.se_mc_se < 0.25 * s.se for s in slopes)
    assert "Another seed would change the standard errors" in some[0].page().footer


@pytest.mark.filterwarnings("ignore:.*rounded to 0 or 1", "ignore:invalid value:RuntimeWarning")
def test_samples_that_separate_are_counted():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=200), np.arange(200) % 4 == 0])
    y = (rng.random(200) < expit(X[:, 0])) & (X[:, 1] == 0)
    y[:8:4] = True  # 2 of 50 cases of the category
    y = y.astype(int)
    without = LogisticRegression(C=np.inf, max_iter=5000)

    def of(model, X, y=y):
        fits = trueness.fit(model, X, y, trueness.Bootstrap(60, stratified=False), rng=0, scores="predict_proba")
        return fits, [note for note in validate(fits).notes if note.code == "separation"]

    fits, (note,) = of(without, X)
    lacking = int((fits.design.counts[:, :8:4].sum(axis=1) == 0).sum())  # samples with none of the two
    assert (note.severity, note.data["separated"], note.data["of"]) == ("warning", lacking, 60)
    assert 3 < lacking < 20
    assert of(LogisticRegression(), X)[1] == []
    assert of(without, X[:, :1])[1] == []
    strong = 8 * X[:, :1]
    assert of(without, strong, (rng.random(200) < expit(strong[:, 0])).astype(int))[1] == []
    apart, (note,) = of(without, strong, (strong[:, 0] > 0).astype(int))
    assert note.data["separated"] == 60
    assert validate(apart).frame().set_index("measure").loc["Dxy", ["corrected", "se"]].tolist() == [
        1,
        pytest.approx(np.nan, nan_ok=True),
    ]


def test_the_table_of_corrected_measures_can_be_cited():
    y, _, _ = some()
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    v = validate(trueness.fit(LDA(), X, y, trueness.Bootstrap(60), rng=0))
    said = v.methods()
    assert "the refined bootstrap [@harrell_2015]" in said
    assert "calibration slope" in said
    assert "@book{harrell_2015" in v.bibtex()
    row = v.table.set_index("measure").loc["Slope"]
    assert v.flat()["Slope.se"] == row.se
    assert v.flat()["Slope.low"] == row.low
    assert "ICI is the mean distance of a curve by splines" in v.page().footer


def test_the_band_of_a_decision_curve_is_where_its_line_is():
    y, p, _ = some(60)
    for thresholds, limits in ((None, (0.0, 1.0)), (np.arange(0.1, 0.41, 0.05), (0.1, 0.4)), ([0.2], (0.15, 0.25))):
        panel = trueness.decision_curve(y, p, thresholds=thresholds).figure().panels[0]
        assert panel.x_limits == pytest.approx(limits)
        line = next(m for m in panel.marks if getattr(m, "label", "") == "model")
        drawn = np.asarray(line.x)[~np.isnan(line.y)]
        areas = [m for m in panel.marks if isinstance(m, Area)]
        assert sorted(np.concatenate([np.unique(m.x) for m in areas])) == pytest.approx(sorted(drawn))


def test_nothing_is_claimed_between_thresholds_that_were_not_looked_at():
    """At 0.5 the net benefit is −0.175."""
    p = np.repeat([0.1, 0.45, 0.55, 0.9], [100, 300, 300, 100])
    y = np.repeat([0, 1, 0, 1, 0, 1], [100, 270, 30, 30, 270, 100])
    v = trueness.decision_curve(y, p, thresholds=[0.3, 0.7])
    assert v.useful() == [(0.3, 0.3), (0.7, 0.7)]
    assert v.answer().startswith("model is worth using at thresholds: 0.3 to 0.3 and 0.7 to 0.7 (it")
    v = trueness.decision_curve(y, p, thresholds=[0.3, 0.35, 0.4, 0.43, 0.47, 0.57, 0.6, 0.7])
    assert (0.3, 0.43) in v.useful()
    assert all(not low < 0.5 < high for low, high in trueness.decision_curve(y, p).useful())


def test_a_dip_between_close_thresholds_parts_a_range():
    """Just above 0.3 the positives are no longer acted on, and the negatives still are."""
    p = np.repeat([0.1, 0.301, 0.309, 0.9], [400, 300, 300, 400])
    y = np.repeat([0, 1, 0, 1], [400, 300, 300, 400])
    v = trueness.decision_curve(y, p)
    dip = ((p > 0.301) & (y == 1)).mean() - ((p > 0.301) & (y == 0)).mean() * 0.309 / 0.691
    assert dip > 0  # and so it is above treat-none; above treat-all?
    everybody = (y == 1).mean() - (y == 0).mean() * 0.3010001 / 0.6989999
    above = (y[p > 0.301] == 1).sum() / len(y) - (y[p > 0.301] == 0).sum() / len(y) * 0.3010001 / 0.6989999
    assert above < everybody
    assert all(not low < 0.305 < high for low, high in v.useful())


def test_the_picture_has_all_thresholds_and_the_axis_those_that_are_claimed():
    y, p, _ = some(600)
    v = trueness.decision_curve(y, p)
    lines = {m.label: np.asarray(m.y) for m in v.figure().panels[0].marks if type(m).__name__ == "Line"}
    np.testing.assert_array_equal(lines["treat all"], v.treat_all)
    np.testing.assert_array_equal(lines["model"], v.models["model"].value)
    d = v.difference("model")
    (panel,) = d.figure().panels
    last = v.useful()[-1][1]
    assert panel.y_limits[1] > d.frame().set_index("threshold").high_simultaneous[last]
    assert "exact binomial tests" in v.page().footer


def test_the_difference_from_treating_all_has_the_axis_of_the_decision_curve():
    """At a low prevalence treating all costs more and more; what counts is about as large as the prevalence."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    p = expit(1.5 * x - 2.8)
    y = rng.random(2000) < p
    v = trueness.decision_curve(y, p)
    d = v.difference("model")
    assert d.value.max() > 5 * v.prevalence
    (panel,), (beside,) = d.figure().panels, v.figure().panels
    assert panel.y_limits[1] <= 1.5 * beside.y_limits[1]
    assert panel.y_limits[0] < 0 < d.value[np.isclose(v.thresholds, 0.1)] < panel.y_limits[1]


def test_a_table_has_the_thresholds_that_were_asked_for_and_those_of_the_answer():
    y, p, _ = some()
    asked = np.arange(0.1, 0.61, 0.05).round(2)
    rows = trueness.decision_curve(y, p, thresholds=asked).page().tables[0].rows
    assert [row[1] for row in rows if row[0] == "model"] == [f"{t:g}" for t in asked]
    v = trueness.decision_curve(y, p)
    rows = [row[1] for row in v.page().tables[0].rows if row[0] == "model"]
    assert {f"{end:g}" for ends in v.useful() for end in ends} <= set(rows)
    assert all(row[-1] != "-0" for row in v.page().tables[0].rows)


def test_methods_of_curves_and_of_validation_are_ready_to_paste():
    y, p, q = some()
    v = trueness.decision_curve(y, {"a": p, "b": q}, prevalence=0.2)
    words = v.methods()
    assert words.startswith("Decision curve, prevalence 0.2.")
    assert "vickers_elkin_2006" in v.bibtex()
    assert v.provenance["data"].startswith("sha256:")
    assert "binomial" not in words
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    words = validate(trueness.fit(LDA(), X, y, trueness.Bootstrap(60, stratified=False), rng=3)).methods()
    assert "60 bootstrap samples" in words
    assert "seed 3" in words


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_where_a_case_shows_a_model_to_be_worse(prevalence):
    """In a plain loop: at the risk of each case, and just above it, against treating none and all."""
    y, _, p = some(200)
    p = p.round(2)
    prior, up, down = prevalence or y.mean(), p[y == 1], p[y == 0]
    worse = []
    for t in np.unique(p[p < 1]):
        odds, just = t / (1 - t), np.nextafter(t, 1)
        at, above = (prior * (up >= s).mean() - (1 - prior) * (down >= s).mean() * odds for s in (t, just))
        everybody = prior - (1 - prior) * odds
        if at <= 1e-12 or above - everybody <= 1e-12:
            worse.append(t)
    found = trueness.decision_curve(y, p, prevalence=prevalence, thresholds=[0.2, 0.3]).models["model"]._worse()
    np.testing.assert_allclose(found[found < 1], worse)
