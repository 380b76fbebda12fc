"""A threshold from an assessment: chosen and judged on different cases."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import trueness
from trueness.curves import guarantee, operating_points
from trueness.errors import InputError, TruenessWarning, UndefinedError
from trueness.metrics import Cost

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 200)
X = RNG.normal(size=(200, 2)) + 0.8 * Y[:, None]
RULE = LDA().fit(X[:80], Y[:80])


@pytest.fixture(scope="module")
def folds():
    return trueness.assess(LDA(), X, Y, plan=trueness.KFold(5, repeats=2), rng=0)


def youden(scores, up):
    """The highest threshold with the largest TPF − FPF, in a plain loop."""
    return max(np.unique(scores)[::-1], key=lambda t: (scores[up] >= t).mean() - (scores[~up] >= t).mean())


def test_by_a_plain_loop(folds):
    """Every fold has the threshold of the held-out scores of the other folds."""
    fits = folds.fits
    pooled, hits, alarms = fits.pooled().scores, [], []
    for f in range(fits.n_fits):
        test, row = fits.counts[f] == 0, pooled[f // 5]
        t = youden(row[~test], Y[~test] == 1)
        hits.append((row[test & (Y == 1)] >= t).mean())
        alarms.append((row[test & (Y == 0)] >= t).mean())
    h = folds.threshold()
    assert (h.tpf.value, h.fpf.value) == pytest.approx((np.mean(hits), np.mean(alarms)))
    assert h.threshold.value == youden(pooled.ravel(), np.tile(Y, 2) == 1)


def test_bootstrap_by_a_plain_loop():
    a = trueness.assess(LDA(), X, Y, plan=trueness.Bootstrap(50), rng=0)
    scores, counts = a.fits.scores, a.fits.counts
    total, times = np.zeros(200), np.zeros(200)
    for b in range(50):
        inside = []
        for i in np.flatnonzero(counts[b] > 0):
            later = [*range(b + 1, 50), *range(b)]
            found = next((k for k in later if counts[k, i] == 0), None)
            inside += [] if found is None else [(scores[found, i], Y[i])] * counts[b, i]
        s, up = np.array([x for x, _ in inside]), np.array([y == 1 for _, y in inside])
        wrong = (scores[b] >= youden(s, up)) != Y
        out = counts[b] == 0
        total[out] += wrong[out]
        times[out] += 1
    assert a.threshold().cost.value == pytest.approx((total / times).mean())


def test_costs_and_prevalence(folds):
    h = folds.threshold(costs=[[0, 1], [9, 0]], prevalence=0.2)
    expected = 0.2 * 9 * (1 - h.tpf.value) + 0.8 * h.fpf.value
    assert h.cost.value == pytest.approx(expected)
    assert h.tpf.value > folds.threshold(costs=[[0, 9], [1, 0]], prevalence=0.2).tpf.value
    assert h.ppv is None
    assert "least expected cost" in h.criterion
    assert h.always == pytest.approx((0.2 * 9, 0.8))  # what needs no model
    assert "Always deciding negative costs 1.8" in h.answer()
    assert "Always" not in folds.threshold(tpf=0.9).answer()


@pytest.mark.parametrize(
    "plan", [None, trueness.Bootstrap(60), trueness.KFold(5), trueness.Holdout(0.5)], ids=["default", "b", "k", "h"]
)
def test_rates_that_are_wanted_are_nearly_met_elsewhere(plan):
    a = trueness.assess(LDA(), X, Y, plan=plan, rng=0)
    for given in ({"tpf": 0.9}, {"fpf": 0.2}, {"ppv": 0.75}):
        h = a.threshold(**given)
        (name, wanted) = next(iter(given.items()))
        e = getattr(h, name)
        assert e.value == pytest.approx(wanted, abs=0.12)
        assert e.ci().covers(wanted)
    frame = a.threshold(tpf=0.9, level=0.8).frame()
    assert frame["measure"].tolist() == ["threshold", "as probability", "tpf", "fpf", "ppv", "cost"]


def test_a_test_set_has_the_threshold_of_all_its_cases():
    a = trueness.assess(RULE, X[80:], Y[80:], plan="prefit")
    curve = trueness.roc(Y[80:], RULE.decision_function(X[80:]))
    assert a.threshold(tpf=0.9).threshold.value == curve.best(tpf=0.9).threshold
    promised = guarantee(Y[80:], RULE.decision_function(X[80:]), tpf=0.8, confidence=0.9)
    h = a.threshold(tpf=0.8, confidence=0.9)
    assert h.threshold.value == promised.threshold
    assert h.tpf.value > 0.8
    assert not any(note.code == "guarantee-of-refit" for note in h.notes)


def test_a_promise_from_cross_validation_says_that_it_is_not_exact(folds):
    h = folds.threshold(tpf=0.8, confidence=0.9)
    assert any(note.code == "guarantee-of-refit" for note in h.notes)
    assert h.threshold.value < folds.threshold(tpf=0.8).threshold.value
    with pytest.raises(UndefinedError, match="at least 299 are needed"):
        folds.threshold(tpf=0.99, confidence=0.95)


@pytest.mark.parametrize("plan", [trueness.KFold(5), trueness.Bootstrap(30), "prefit"], ids=["k", "b", "t"])
@pytest.mark.parametrize("rate", ["tpf", "fpf"])
def test_rates_need_a_promise_of_every_training_set(plan, rate):
    """22 cases can promise .9 with confidence .9, and so can all of the 24 here, but not those of training sets."""
    y = np.repeat([0, 1], [176, 24] if rate == "tpf" else [24, 176])
    x = np.random.default_rng(0).normal(size=(200, 2)) + y[:, None]
    a = trueness.assess(RULE if plan == "prefit" else LDA(), x, y, plan=plan, rng=0)
    h = a.threshold(confidence=0.9, **{rate: 0.9 if rate == "tpf" else 0.1})
    assert np.isfinite(h.threshold.value)
    for e in (h.tpf, h.fpf, h.cost, h.ppv):
        assert math.isnan(e.value)
        assert "no-promise-inside" in [note.code for note in e.notes]
    assert "no-promise-inside" in [note.code for note in h.notes]
    assert a.threshold(confidence=0.5, **{rate: 0.9 if rate == "tpf" else 0.1}).fpf.value < 1


def test_groups():
    patients = np.arange(200) // 4
    a = trueness.assess(LDA(), X, Y, groups=patients, plan=trueness.KFold(5, repeats=2), rng=0)
    assert a.threshold(tpf=0.8).tpf.value == pytest.approx(0.8, abs=0.1)
    h = a.threshold(tpf=0.8, confidence=0.9)
    assert (
        h.threshold.value
        <= trueness.assess(LDA(), X, Y, plan=trueness.KFold(5), rng=0)
        .threshold(tpf=0.8, confidence=0.9)
        .threshold.value
        + 0.5
    )


@pytest.mark.parametrize("plan", [trueness.KFold(4, repeats=2), trueness.Bootstrap(60)], ids=["k", "b"])
@pytest.mark.parametrize("rate", ["tpf", "fpf", "ppv"])
def test_a_promise_of_groups_is_judged_by_the_mean_over_groups(plan, rate):
    """Against a plain loop over groups: of each case the share of rules that left it out and call it positive."""
    patients = np.repeat(np.arange(100), np.tile([1, 3], 50))
    a = trueness.assess(LDA(), X, Y, groups=patients, plan=plan, rng=0)
    h = a.threshold(confidence=0.8, **{rate: {"tpf": 0.7, "fpf": 0.4, "ppv": 0.6}[rate]})
    decided = np.full((h.fits.n_fits, 200), np.nan)
    for k, test in enumerate(h.fits.tests()):
        decided[k, h.fits.design.tested(k)] = test.predictions[0] == 1
    called = np.nanmean(decided, axis=0)
    each = []
    for patient in np.unique(patients):
        own = patients == patient
        of = {"tpf": own & (Y == 1), "fpf": own & (Y == 0), "ppv": own}[rate]
        weights = called[of] if rate == "ppv" else np.ones(of.sum())
        if weights.sum() > 0:
            each.append(np.average(Y[of] if rate == "ppv" else called[of], weights=weights))
    assert h.mean_over_groups.value == pytest.approx(np.mean(each))
    assert ", as mean over groups, of at" in h.criterion
    assert f"{rate}, mean over groups" in h.frame()["measure"].tolist()
    assert f"mean over groups of the {rate.upper()} {np.mean(each):.3f}. Of all cases together" in h.answer()
    assert "mean-over-groups" in [note.code for note in h.notes]


def test_a_promise_has_no_interval_of_bootstrap_thresholds():
    """Bootstrap samples hold fewer different cases, so their thresholds are stricter than that of all cases."""
    a = trueness.assess(LDA(), X, Y, plan=trueness.Bootstrap(60), rng=0)
    assert a.threshold(tpf=0.8).threshold.has_interval
    h = a.threshold(tpf=0.8, confidence=0.9)
    row = h.frame().set_index("measure").loc["threshold"]
    assert row[["se", "low", "high"]].isna().all()
    assert not h.probability.has_interval
    assert "bootstrap samples" not in h.answer()


def test_a_threshold_that_calls_all_cases_alike_is_a_warning(folds):
    with pytest.warns(TruenessWarning, match="Neither the error rate"):
        noise = trueness.assess(LDA(), np.random.default_rng(0).normal(size=X.shape), Y, plan=trueness.KFold(5), rng=0)
    for a, given, code in (
        (noise, {"fpf": 0.05, "confidence": 0.99}, None),
        (noise, {"ppv": 0.95, "confidence": 0.95}, "all-negative"),
        (noise, {"ppv": 0.999}, None),
        (noise, {"costs": [[0, 1], [0.001, 0]]}, "all-negative"),
        (noise, {"costs": [[0, 1], [1000, 0]]}, "all-positive"),
        (folds, {"tpf": 0.8}, None),
    ):
        h = a.threshold(**given)
        found = [note.code for note in h.notes if note.code in ("all-negative", "all-positive")]
        cut, scores = h.threshold.value, a.fits.pooled().scores
        assert (cut == np.inf, bool(cut <= scores.min())) == ("all-negative" in found, "all-positive" in found)
        assert code is None or found == [code]
        assert h.answer().startswith("Decide negative for every case (") == ("all-negative" in found)
    assert "(PPV at least 0.6 at prevalence 0.1)" in folds.threshold(ppv=0.6, prevalence=0.1).answer()


def test_roc_of_an_assessment(folds):
    c = trueness.roc(folds)
    assert c.auc.value == trueness.roc(Y, folds.fits.pooled().scores[0]).auc.value
    assert trueness.roc(folds.fits).auc.value == c.auc.value
    with pytest.raises(InputError, match="has this itself"):
        trueness.roc(folds, positive=1)
    with pytest.raises(InputError, match="scores are required"):
        trueness.roc(Y)


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"prevalence": 0.0, "costs": [[0, 1], [1, 0]]}, "prevalence"),
        ({"prevalence": 1.0}, "prevalence"),
        ({"costs": [[0, 0], [0, 0]]}, "costs"),
        ({"costs": [1, 2]}, "costs"),
        ({"tpf": 0.9, "fpf": 0.1}, "criterion"),
        ({"ppv": 0.9, "tpf": 0.1}, "ppv"),
        ({"tpf": 2}, "tpf"),
        ({"confidence": 0.9}, "tpf"),
        ({"tpf": 0.9, "confidence": 0.9, "costs": [[0, 1], [1, 0]]}, "costs"),
        ({"ppv": 0.9, "confidence": 0.9, "prevalence": 0.3}, "prevalence"),
    ],
)
def test_bad_input(folds, given, param):
    with pytest.raises(InputError) as error:
        folds.threshold(**given)
    assert error.value.param == param


def test_what_has_no_threshold():
    three = trueness.assess(LDA(), X, np.digitize(X[:, 0], (0, 1)), plan=trueness.KFold(5), rng=0, checks=False)
    with pytest.raises(InputError, match="two classes"):
        three.threshold()
    shuffled = trueness.assess(LDA(), X, Y, plan=trueness.plans.MonteCarlo(5), rng=0)
    with pytest.raises(UndefinedError, match="do not test every case"):
        shuffled.threshold()


@pytest.mark.parametrize(
    ("model", "scale"), [(LDA(), "log-odds"), (RandomForestClassifier(5), "probability"), (LinearSVC(), "score")]
)
def test_the_answer_says_what_the_threshold_is_of(two_gaussians, model, scale):
    X, y = two_gaussians
    h = trueness.assess(model, X, y, plan=trueness.KFold(4), metrics="auc", rng=0, checks=False).threshold()
    assert h.scale == scale == h.to_dict()["scale"]
    assert h.answer().startswith(f"Decide positive where {scale} ≥ ")
    if scale == "log-odds":
        fitted = LDA().fit(X, y)
        odds = fitted.decision_function(X) >= h.threshold.value
        probable = fitted.predict_proba(X)[:, 1] >= 1 / (1 + np.exp(-h.threshold.value))
        assert (odds == probable).all()
        assert f", a probability of {1 / (1 + np.exp(-h.threshold.value)):.3g} (" in h.answer()


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
@pytest.mark.parametrize("positive", ["a", "b"])
def test_a_table_of_costs_is_read_by_the_names_of_its_rows_and_columns(order, positive):
    """Of cases that are truly "a" and called "b", 5, the other way round 1, in whatever order the table has them."""
    y = np.where(Y == 1, positive, "b" if positive == "a" else "a")
    known = pd.DataFrame([[0, 5], [1, 0]], ["a", "b"], ["a", "b"])
    named, plain = known.loc[order, order], [[0, 1], [5, 0]] if positive == "a" else [[0, 5], [1, 0]]
    a = trueness.assess(LDA(), X, y, plan=trueness.KFold(5), rng=0, positive=positive, checks=False)
    scores = a.fits.pooled().scores[0]
    doors = {
        "threshold": lambda costs: a.threshold(costs=costs).threshold.value,
        "metric": lambda costs: trueness.estimate(a.fits, Cost(matrix=costs), "cv").value,
        "roc": lambda costs: trueness.roc(y, scores, positive=positive).best(costs=costs, n_resamples=0).threshold,
        "criterion": lambda costs: (
            trueness.roc(y, scores, positive=positive).best(Cost(matrix=costs), n_resamples=0).threshold
        ),
        "points": lambda costs: (o := operating_points(a.fits)).thresholds[o.choose(costs=costs)],
        "table": lambda costs: (
            trueness.diagnose(y, np.where(scores > 0, positive, "b" if positive == "a" else "a"), positive=positive)
            .cost(costs)
            .value
        ),
    }
    for door, asked in doors.items():
        assert asked(named) == asked(plain), door
        with pytest.raises(InputError, match=r"named by the classes. Got rows good, bad"):
            asked(pd.DataFrame([[0, 5], [1, 0]], ["good", "bad"], ["good", "bad"]))
    assert doors["threshold"](pd.DataFrame(plain)) == doors["threshold"](plain)  # without names
    with pytest.raises(InputError, match=r"rows 0, 1 and columns a, b"):
        a.threshold(costs=pd.DataFrame(plain, columns=["a", "b"]))
    with pytest.raises(InputError, match="must be a matrix.*Rows are the true class"):
        a.threshold(costs={"fn": 5, "fp": 1})


def test_models_are_compared_at_the_thresholds_that_are_cheapest_inside():
    """Against a plain loop: each fold has the cheapest threshold of the held-out scores of the other folds."""
    models, costs = {"both": LDA(), "one": make_pipeline(SelectKBest(k=1), LDA())}, [[0, 1], [5, 0]]
    k = trueness.compare(models, X, Y, "error", plan=trueness.KFold(5), rng=0)
    mean = {}
    for name, fits in k.fits.items():
        row, total = fits.pooled().scores[0], []
        for f in range(5):
            test = fits.counts[f] == 0
            cuts = [np.inf, *np.unique(row[~test])[::-1]]
            prices = [(np.where(Y == 1, 5 * (row < t), row >= t)[~test].astype(float)).mean() for t in cuts]
            t = cuts[int(np.flatnonzero(np.isclose(prices, min(prices)))[0])]
            total.append(np.where(Y == 1, 5 * (row < t), row >= t)[test].mean())
        mean[name] = np.mean(total)
    found = k.threshold(costs=costs)
    assert {name: e.value for name, e in found.estimates.items()} == pytest.approx(mean)
    assert found.difference.value == pytest.approx(mean["both"] - mean["one"])
    named = k.threshold(costs=pd.DataFrame([[0, 5], [1, 0]], [1, 0], [1, 0]))
    assert named.difference.value == found.difference.value
    at_once = {name: trueness.assess(fits).threshold(costs=costs).fits for name, fits in k.fits.items()}
    assert trueness.compare(at_once, metric=Cost(matrix=costs)).difference.value == found.difference.value
    assert {"threshold-inside"} <= {note.code for note in found.notes}


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_cost_is_shown_beside_that_of_the_cheapest_constant_decision():
    y, well = np.where(Y == 1, "sick", "well"), (Y == 0).mean()
    fits = trueness.assess(LDA(), X, y, plan=trueness.KFold(5), positive="sick", rng=0, checks=False).fits
    a = trueness.assess(fits, metrics=[Cost(matrix=[[0, 1], [5, 0]])])
    assert a["cost", "constant"].value == pytest.approx(well)
    assert f"Always predicting sick has cost {well:.2f}" in a.answer()
    priors = trueness.assess(fits, metrics=[Cost(matrix=[[0, 1], [5, 0]], priors=[0.9, 0.1])])
    assert priors["cost", "constant"].value == pytest.approx(0.5)  # well for all: 0.1 · 5
    k = trueness.compare({"a": fits, "b": fits}, metric=Cost(matrix=[[0, 1], [5, 0]]))
    for found, said in ((a, "above 0.495 of the best constant prediction"), (k, "a: ")):
        (note,) = (note for note in found.notes if note.code == "dearer-than-constant")
        assert (note.severity, note.data["constant"]) == ("warning", pytest.approx(well))
        assert said in str(note)
    at_costs = k.threshold(costs=[[0, 1], [5, 0]])
    assert at_costs.estimates["a"].value < well
    assert "model's own threshold" not in str(at_costs.notes)


def test_the_report_of_a_threshold_says_what_it_is_of(folds):
    y = np.where(Y == 1, "bad", "good")
    a = trueness.assess(
        LDA(), X, y, plan=trueness.KFold(5), positive="bad", rng=4, name="scores of today", checks=False
    )
    h = a.threshold(costs=[[0, 1], [5, 0]])
    assert h.answer().startswith("Decide bad where log-odds")
    assert "; good decided as bad costs 1, bad decided as good costs 5)" in h.answer()
    html = h.report()
    for said in (
        "scores of today",
        "200 cases",
        '<td>seed</td><td class="n">4</td>',
        "decided good",
    ):
        assert said in html, said
    asked = a.threshold(ppv=0.7)
    assert f"PPV {asked.ppv.value:.3f}" in asked.answer()
    assert "Always" not in asked.answer()


@pytest.mark.parametrize("plan", [None, trueness.KFold(5, repeats=2), trueness.Bootstrap(40), trueness.Holdout(0.4)])
def test_the_fits_of_a_choice_are_assessed_and_asked_by_group(plan):
    a = trueness.assess(LDA(), X, Y, plan=plan, rng=0, checks=False, metrics="auc", fits=80 if plan is None else None)
    h = a.threshold(costs=[[0, 1], [5, 0]])
    found = trueness.assess(h.fits, metrics=["tpf", "fpf"])
    assert found["tpf"].value == pytest.approx(h.tpf.value)
    assert found["fpf"].ci() == pytest.approx(h.fpf.ci())
    assert trueness.assess(h.fits)["error"].value > 0
    by = np.random.default_rng(1).choice(["u", "v"], len(Y))
    held = ~a.fits.design.never_tested if h.fits.sample.n < len(Y) else np.ones(len(Y), dtype=bool)
    s = trueness.subgroups(h.fits, "fpf", by=by[held])
    assert s.overall.value == pytest.approx(h.fpf.value, rel=0.05)
    if plan is None:
        full = h.fits.full()
        assert (full.predictions[0] == (full.scores[0] >= h.threshold.value)).all()


def test_fits_without_scores_have_no_auc():
    a = trueness.assess(trueness.Fits.from_arrays(Y, np.zeros((1, len(Y))), None, predictions=RULE.predict(X)[None]))
    assert {metric for metric, _ in a.estimates} == {"error"}
    assert "no-scores" in {note.code for note in a.notes}


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
@pytest.mark.parametrize(
    "model", [LDA(), RandomForestClassifier(20, random_state=0), LinearSVC()], ids=["log-odds", "probability", "score"]
)
def test_a_threshold_is_given_as_a_probability_with_its_interval_where_that_is_known(model):
    h = trueness.assess(model, X, Y, plan=trueness.Bootstrap(40), rng=0, checks=False).threshold(costs=[[0, 1], [2, 0]])
    cut, limits = h.threshold.value, np.array(h.threshold.ci(0.95))
    if h.scale == "score":
        assert h.probability is None
    else:
        if h.scale == "log-odds":  # quantiles are of the same replicates
            cut, limits = 1 / (1 + np.exp(-cut)), 1 / (1 + np.exp(-limits))
            row = h.frame().set_index("measure").loc["as probability"]
            np.testing.assert_allclose(row[["value", "low", "high"]].astype(float), [cut, *limits], atol=0.01)
            assert "as probability" in str(h)
        assert h.probability.value == pytest.approx(cut)
        np.testing.assert_allclose(h.probability.ci(0.95), limits, atol=0.01)
    assert " in 95 % of bootstrap samples (" in h.answer()


def test_methods_of_a_threshold(folds):
    said = folds.threshold(costs=[[0, 1], [5, 0]]).methods()
    assert said.startswith("Threshold: least expected cost")
    assert "judged on the cases that it left out" in said
    assert "positive decided as negative costs 5" in said
    assert "@article{nadeau_bengio_2003" in folds.threshold().bibtex()


def test_a_threshold_that_is_no_cheaper_than_a_constant_says_so():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    for shift, said in ((0.1, True), (3.0, False)):
        a = trueness.assess(LDA(), rng.normal(size=(200, 1)) + shift * y[:, None], y, rng=0, fits=60, checks=False)
        h = a.threshold(costs=[[0, 1], [5, 0]])
        assert ("No threshold is shown to be cheaper than always deciding positive." in h.answer()) is said
        assert (h.cost.ci().high >= min(h.always)) is said
