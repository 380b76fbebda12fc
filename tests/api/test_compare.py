"""compare: one design, paired differences, all pairs, and every plan."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import trueness
from trueness import comparisons as C
from trueness.errors import FitError, InputError, UndefinedError
from trueness.figures import Rule
from trueness.sample import Sample

rng = np.random.default_rng(11)
y = np.repeat([0, 1], [22, 28])
X = rng.normal(size=(50, 3)) * (1 + 0.5 * y[:, None]) + 0.9 * y[:, None]
PLAN = trueness.Bootstrap(200)
TWO = {"lda": LDA(), "qda": QDA()}


@pytest.fixture(scope="module")
def k():
    return trueness.compare(TWO, X, y, plan=PLAN, rng=1)


def test_it_is_the_difference(k):
    design = PLAN.draw(y, rng=1)
    a, b = (trueness.fit(m, X, y, design) for m in TWO.values())
    d = trueness.difference(a, b, "auc", "lpob")
    assert k.metric == "auc"
    assert k.method == "lpob"
    assert k.difference.value == d.value
    assert k.difference.se == d.se
    assert k.p_value == pytest.approx(2 * stats.t.sf(abs(d.value / d.se), 21))
    row = k.frame(details=True).iloc[0]
    assert row["se_influence_corrected"] == trueness.difference(a, b, "auc", "lpob", se="influence-corrected").se
    assert row["se_influence"] == pytest.approx(trueness.difference(a, b, "auc", "lpob", se="influence").se)
    assert k["qda", "lda"].value == -k["lda", "qda"].value
    assert (k.estimates["lda"].value - k.estimates["qda"].value) == pytest.approx(d.value)


def test_fits_give_the_same(k):
    again = trueness.compare(k.fits)
    assert again.verdict == k.verdict
    assert again.frame(details=True).equals(k.frame(details=True))


def test_order_of_the_models_turns_signs(k):
    turned = trueness.compare(dict(reversed(list(k.fits.items()))))
    assert turned.difference.value == pytest.approx(-k.difference.value)
    assert turned.p_value == pytest.approx(k.p_value)


def test_several_models(k):
    fits = {**k.fits, "nb": trueness.fit(GaussianNB(), X, y, k.fits["lda"].design)}
    three = trueness.compare(fits)
    assert len(three.frame()) == 3
    p = three.frame()["p_value"].to_numpy()
    adjusted = three.frame()["p_adjusted"].to_numpy()
    assert (p <= adjusted).all()
    assert (adjusted <= np.minimum(3 * p, 1)).all()
    assert 0.95 < three.pair_level < 1 - 0.05 / 3
    best, second = three.pair
    assert [best, second] == three.ranking()[:2] == list(three.frame().loc[0, ["first", "second"]])
    alone = three.differences[best, second]
    assert three.frame()["low"][0] == three[best, second].ci().low == alone.ci(three.pair_level).low
    pair = three[second, best]  # shown as the table of the comparison shows it, from the other side
    low, high = three.frame().loc[0, ["low", "high"]]
    assert (pair.frame()["low"][0], pair.frame()["high"][0]) == pytest.approx((-high, -low))
    page, figure = pair.page(), pair.figure()
    assert page.answer == pair.verdict == str(pair)
    assert dict(figure.panels[0].y_ticks) == {0: f"{second} − {best}"}
    assert figure.panels[0].x_label == "difference of the AUC, 95 % interval for all pairs together"
    assert any(isinstance(mark, Rule) and mark.x == 0 for mark in figure.panels[0].marks)
    assert pair.test.p_value < pair.p_value
    assert "this pair alone, unadjusted" in pair.test.text()
    assert f"{second} − {best}" in pair.test.text()
    assert str(three.difference) == three[three.pair].verdict
    best, second = three.ranking()[:2]
    assert set(three.pair) == {best, second}
    assert three.p_value == three.adjusted[three.pair]
    others = [p for pair, p in three.adjusted.items() if best in pair]
    assert max(others) >= 0.05
    close = [name for name in three.ranking()[1:] if three.adjusted[best, name] >= 0.05]
    assert three.verdict.startswith(f"Of 3 models, {best} comes first in AUC; not shown to differ from it: ")
    assert all(name in three.verdict for name in close)
    assert three["lda", "qda"].se == k.difference.se
    assert list(three.frame("models")["model"]) == three.ranking()
    with pytest.raises(InputError) as wrong:
        three.frame("model")
    assert wrong.value.param == "of"


def test_the_best_of_several_names_those_it_is_not_shown_to_differ_from():
    """It does beat the one that knows only noise."""
    noisy = np.column_stack([X, np.random.default_rng(0).normal(size=50)])
    models = {
        name: make_pipeline(ColumnTransformer([("some", "passthrough", columns)]), LDA())
        for name, columns in {"all": [0, 1, 2], "noise": [3], "more": [0, 1, 2, 3]}.items()
    }
    k = trueness.compare(models, noisy, y, plan=PLAN, rng=1)
    best, close, last = k.ranking()
    assert last == "noise"
    assert k.adjusted[best, last] < 0.05 < k.adjusted[best, close]
    assert k.verdict.startswith(f"Of 3 models, {best} comes first in AUC; not shown to differ from it: {close}. ")


@pytest.mark.parametrize(
    ("plan", "metric", "method", "se_method"),
    [
        (trueness.Bootstrap(150), "error", "loob", "second-order"),
        (trueness.Bootstrap(150), "brier", "loob", "second-order"),
        (trueness.Bootstrap(100), "auc", "632+", None),
        (trueness.Bootstrap(100), "jaccard_weighted", "star", None),
        (trueness.Bootstrap(150), "accuracy", "loob", "second-order"),
        (trueness.Bootstrap(150), "f1", "loob", "second-order"),
        (trueness.KFold(5, repeats=4), "mcc", "cv", "nadeau-bengio, class sizes"),
        (trueness.Holdout(0.5), "ppv", "holdout", "delta"),
        (trueness.KFold(5, repeats=4), "error", "cv", "nadeau-bengio, class sizes"),
        (trueness.KFold(5, repeats=4), "auc", "cv", "nadeau-bengio"),
        (trueness.KFold(5), "error", "cv", "naive"),
        (trueness.KFold(5), "auc", "cv", None),
        (trueness.plans.MonteCarlo(10), "error", "cv", "nadeau-bengio, class sizes"),
        (trueness.Holdout(0.5), "auc", "holdout", "delong"),
        (trueness.Holdout(0.5), "error", "holdout", "binomial"),
    ],
)
@pytest.mark.filterwarnings("ignore:No standard error is known:trueness.errors.TruenessWarning")
def test_every_plan(plan, metric, method, se_method):
    k = trueness.compare(TWO, X, y, metric=metric, plan=plan, rng=2, method=method)
    assert k.difference.se_method == se_method
    assert (k.p_value is None) == (se_method is None and k.difference.value != 0)
    assert k.method == trueness.compare(TWO, X, y, metric=metric, plan=plan, rng=2).method or method == "632+"
    assert str(k).startswith(k.verdict)
    assert json.loads(k.to_json())["verdict"] == k.verdict
    assert (k.outcome == "no-test") == (se_method is None)


def test_holdout_is_delong_and_mcnemar():
    k = trueness.compare(TWO, X, y, plan=trueness.Holdout(0.5), rng=3)
    test = k.fits["lda"].design.tested(0)
    scores = [f.scores[0, test] for f in k.fits.values()]
    d = C.delong(y[test], *scores)
    assert k.difference.value == pytest.approx(d.difference.value)
    assert k.tests[k.pair].statistic == d.statistic
    assert k.p_value == d.p_value == pytest.approx(2 * stats.t.sf(abs(d.statistic), d.df))  # 11 cases of each class
    k = trueness.compare(TWO, X, y, metric="error", plan=trueness.Holdout(0.5), rng=3)
    said = [next(f.tests()).predictions[0] for f in k.fits.values()]
    assert k.p_value == C.mcnemar(y[test], *said).p_value


def holdout(wrong_a, wrong_b, n=44):
    """Two models whose scores differ, wrong about these cases of a test set of n."""
    labels = np.tile([0, 1], n)
    design = trueness.Holdout(0.5).draw(labels, rng=0)
    test = design.tested(0)
    out = {}
    for name, wrong, far in (("a", wrong_a, 0.4), ("b", wrong_b, 0.3)):
        scores = np.where(labels == 1, 0.5 + far, 0.5 - far) + np.arange(2 * n) / 1e4
        scores[test[wrong]] = 1 - scores[test[wrong]]
        held = np.full((1, len(labels)), np.nan)
        held[0, test] = scores[test]
        out[name] = trueness.Fits.from_arrays(labels, design.counts, held, threshold=0.5, plan="holdout")
    return out, len(test)


def test_models_without_a_discordant_case_are_not_identical():
    fits, n = holdout([0, 1], [0, 1])
    k = trueness.compare(fits, metric="error", margin=0.01)
    low, high = C.tango(0, 0, n)
    row = k.frame(details=True).iloc[0]
    assert (row["low"], row["high"], row["interval"]) == (low, high, "tango")
    assert high > 0.05
    assert k.outcome == "open"
    assert "Tango" in k.verdict
    assert k.p_value == 1
    assert trueness.compare(fits, metric="error", margin=0.2).outcome == "equivalent"


def test_two_perfect_models_are_not_shown_to_be_the_same():
    fits, _ = holdout([], [])
    k = trueness.compare(fits, metric="auc", margin=0.01)
    assert k.difference.value == 0
    assert k.difference.se is None
    assert k.p_value == 1  # whatever the law, no difference is smaller
    assert k.frame()["low"].isna().all()
    assert k.outcome == "no-test"


def test_holdout_error_has_tangos_interval():
    fits, n = holdout([0], [0, 1, 2, 3, 4, 5, 6])
    k = trueness.compare(fits, metric="error")
    assert k.difference.value == pytest.approx(-6 / n)
    assert tuple(k.difference.ci(0.9)) == pytest.approx(C.tango(0, 6, n, level=0.9))
    assert tuple(k["b", "a"].ci()) == pytest.approx(C.tango(6, 0, n))
    assert k.p_value == pytest.approx(C.mcnemar_counts(6, 0, "exact").p_value)


def test_names_are_escaped():
    html = trueness.compare(dict(zip(("<b>a", "b&c"), holdout([0], [1])[0].values(), strict=True)), metric="error")
    assert "<b>a" not in html._repr_html_()
    assert "b&amp;c" in html._repr_html_()
    assert "&lt;" in C.holm_ranks(pd.DataFrame([[1, 2], [1, 2]], columns=["<i>", "j"]), control="<i>")._repr_html_()


def test_identical_models_give_one():
    for plan, metric in (
        (PLAN, "auc"),
        (PLAN, "error"),
        (trueness.KFold(5, repeats=2), "error"),
        (trueness.Holdout(0.5), "auc"),
    ):
        k = trueness.compare({"a": LDA(), "b": LDA()}, X, y, metric=metric, plan=plan, rng=4)
        assert k.p_value == 1
        assert k.outcome == "identical"
        assert json.loads(k.to_json())["p_value"] == 1


@pytest.mark.filterwarnings("ignore:All scores are equal")
@pytest.mark.parametrize("plan", [None, PLAN, trueness.KFold(5, repeats=2), trueness.Holdout(0.5)])
def test_identical_models_without_a_standard_error_give_one(plan):
    k = trueness.compare({"a": DummyClassifier(), "b": DummyClassifier()}, X, y, metric="auc", plan=plan, rng=4)
    assert [e.se for e in k.estimates.values()] == [None, None]  # all scores are equal
    assert (k.p_value, k.outcome, k.difference.value, k.difference.se) == (1, "identical", 0, 0)


def test_names_of_a_list():
    k = trueness.compare(
        [LDA(), make_pipeline(StandardScaler(), LDA()), QDA()], X, y, plan=trueness.KFold(5), metric="error", rng=1
    )
    assert list(k.estimates) == [
        "LinearDiscriminantAnalysis",
        "LinearDiscriminantAnalysis 2",
        "QuadraticDiscriminantAnalysis",
    ]


def test_labels_that_need_a_positive_class():
    labels = np.where(y == 1, "sick", "well")
    with pytest.raises(InputError, match="sick"):
        trueness.compare(TWO, X, labels, plan=PLAN)
    k = trueness.compare(TWO, X, labels, plan=PLAN, positive="sick", rng=1)
    assert k.difference.value == pytest.approx(
        trueness.compare(TWO, X, y[::1], plan=PLAN, rng=1).difference.value, abs=0.2
    )


def test_where_the_second_order_is_not_worked_out():
    groups = np.arange(50) // 2
    k = trueness.compare(TWO, X, np.arange(50) // 2 % 2, metric="error", plan=PLAN, groups=groups, rng=1)
    assert k.difference.se_method == "influence-corrected"
    assert k.notes
    three = np.arange(50) % 3
    k = trueness.compare({"lda": LDA(), "nb": GaussianNB()}, X + three[:, None], three, plan=PLAN, rng=1)
    assert k.difference.se_method == "influence-corrected"
    assert k.notes


def test_a_wide_margin_shows_equivalence():
    k = trueness.compare(TWO, X, y, plan=PLAN, rng=1, margin=0.9)
    assert k.outcome in ("equivalent", "better-within-margin")
    assert k.to_dict()["margin"] == 0.9


def test_intervals_of_several_pairs_are_called_so(k):
    three = trueness.compare({**k.fits, "again": k.fits["lda"]})
    for text in (str(three), three._repr_html_()):
        assert "95 % interval for all pairs" in text
        assert "p for all pairs" in text
    for text in (str(k), k._repr_html_()):
        assert "for all pairs" not in text
        assert "95 % interval" in text


def test_two_models_are_in_the_order_given_and_several_best_first(k):
    fits = {"qda": k.fits["qda"], "lda": k.fits["lda"], "nb": trueness.fit(GaussianNB(), X, y, k.fits["lda"].design)}
    names = k.ranking()
    for given in (names, names[::-1]):
        assert trueness.compare({name: fits[name] for name in given}).pair == tuple(given)
    three = trueness.compare(fits)
    order = three.ranking()
    pairs = [(order[0], order[1]), (order[0], order[2]), (order[1], order[2])]
    assert list(three.differences) == pairs
    assert all(d.value >= 0 for d in three.differences.values())
    shown = [" − ".join(pair) for pair in pairs]
    assert [row[0] for row in three.page().tables[1].rows] == shown
    assert list(dict(three.figure().panels[0].y_ticks).values()) == shown
    error = trueness.compare(fits, metric="error")
    assert error.ranking()[0] == error.pair[0]
    assert all(d.value <= 0 for d in error.differences.values())
    with pytest.raises(InputError, match="margin must be a number between 0 and 1. Got 5"):
        trueness.compare(fits, metric="error", margin=5)


def bad(k):
    other = trueness.fit(LDA(), X, y, trueness.Bootstrap(200).draw(y, rng=9))
    fewer = trueness.fit(LDA(), X[1:], y[1:], trueness.Bootstrap(200).draw(y[1:], rng=1))
    turned = trueness.fit(LDA(), X, y, k.fits["lda"].design, positive=0)
    fits = k.fits["lda"]
    svms = {"a": LinearSVC(), "b": LinearSVC(C=2)}
    return {  # name: (call, the parameter at fault, None where another room names it)
        "one model": (lambda: trueness.compare({"a": LDA()}, X, y), "models"),
        "not models": (lambda: trueness.compare(LDA(), X, y), "models"),
        "mixed": (lambda: trueness.compare({"a": fits, "b": LDA()}, X, y), "models"),
        "no data": (lambda: trueness.compare(TWO), "X"),
        "no labels": (lambda: trueness.compare(TWO, X), "y"),
        "fits and data": (lambda: trueness.compare({"a": fits, "b": fits}, X, y), "X"),
        "fits and a plan": (lambda: trueness.compare(k.fits, plan=PLAN), "plan"),
        "fits and a positive class": (lambda: trueness.compare(k.fits, positive=0), "positive"),
        "fits, groups and a seed": (lambda: trueness.compare(k.fits, groups=y, rng=1), "groups"),
        "fits and an engine": (lambda: trueness.compare(k.fits, engine="generic"), "engine"),
        "nested": (lambda: trueness.compare(TWO, X, y, plan=trueness.plans.NestedKFold(3)), "plan"),
        "level": (lambda: trueness.compare(TWO, X, y, level=95), "level"),
        "margin": (lambda: trueness.compare(TWO, X, y, margin=0), "margin"),
        "margin as text": (lambda: trueness.compare(TWO, X, y, margin="0.1"), "margin"),
        "plan as text": (lambda: trueness.compare(TWO, X, y, plan="bootstrap:100"), None),
        "design and a seed": (lambda: trueness.compare(TWO, X, y, plan=fits.design, rng=1), None),
        "no probabilities": (lambda: trueness.compare(svms, X, y, metric="brier", plan=trueness.KFold(3)), None),
        "other design": (lambda: trueness.compare({"a": fits, "b": other}), None),
        "other cases": (lambda: trueness.compare({"a": fits, "b": fewer}), None),
        "other positive class": (lambda: trueness.compare({"a": fits, "b": turned}), None),
        "method": (lambda: trueness.compare(TWO, X, y, method="holdout"), None),
        "metric": (lambda: trueness.compare(TWO, X, y, metric="acurracy"), None),
        "indexes": (lambda: trueness.compare(TWO, pd.DataFrame(X), pd.Series(y, index=range(1, 51))), None),
    }


def test_bad_input_names_the_parameter(k):
    for name, (call, param) in bad(k).items():
        with pytest.raises(InputError) as raised:
            call()
        assert param is None or raised.value.param == param, name


def test_an_error_of_one_model_says_its_name():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.repeat([0, 1], 20)
    plan = trueness.KFold(3)
    with pytest.raises(FitError, match="^second: ") as failed:
        trueness.compare({"first": LDA(), "second": GaussianNB(priors=[2, 3])}, X, y, plan=plan, rng=0)
    assert failed.value.about == "second"
    with pytest.raises(InputError, match="^second: ") as failed:
        trueness.compare({"first": LDA(), "second": LinearSVC()}, X, y, metric="brier", plan=plan, rng=0)
    assert failed.value.about == "second"


def test_an_error_of_all_models_names_none():
    two = {"first": LDA(), "second": GaussianNB()}
    for wrong in ({"metric": "acurracy"}, {"method": "best"}, {"engine": "fast"}):
        with pytest.raises(InputError) as failed:
            trueness.compare(two, X, y, plan=trueness.KFold(3), **wrong)
        assert failed.value.about == ""
    with pytest.raises(UndefinedError) as undefined:
        trueness.compare(two, X, y, plan=trueness.Bootstrap(5), rng=0)
    assert undefined.value.about == ""


def test_the_sample_is_built_once(monkeypatch):
    built, of = [], Sample.of.__func__

    def counting(cls, y, *args, **options):
        if not isinstance(y, Sample):
            built.append(y)
        return of(cls, y, *args, **options)

    monkeypatch.setattr(Sample, "of", classmethod(counting))
    trueness.compare(TWO, X, y, plan=trueness.KFold(3), rng=0)
    assert len(built) == 1


def test_models_may_come_from_any_iterator():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    models = {"a": LDA(), "b": GaussianNB()}
    for given in (models.values(), (model for model in models.values()), iter(models.values())):
        k = trueness.compare(given, X, y, metric="error", plan=trueness.KFold(3), rng=0)
        assert list(k.estimates) == ["LinearDiscriminantAnalysis", "GaussianNB"]


def test_one_model_of_a_comparison_is_assessed_under_its_name(two_gaussians):
    X, y = two_gaussians
    k = trueness.compare({"lda": LDA(), "nb": GaussianNB()}, X, y, fits=60, rng=0)
    assert trueness.assess(k.fits["nb"], name="Bayes").text().startswith("Bayes (GaussianNB())\n")
    a = trueness.assess(k.fits["nb"])
    assert a.name == "nb"
    assert trueness.assess(trueness.fit(GaussianNB(), X, y, trueness.Holdout(0.3), rng=0)).name == "GaussianNB"
    assert set(a.recommended) == {"error", "auc"}  # the fits hold predictions, too
    assert a.text().startswith("nb (GaussianNB())\n")
    assert a.methods().startswith("nb (GaussianNB()) was assessed on ")
    assert "Fits (" not in a.report() + a.text(all=True)
    with pytest.raises(InputError, match="There is no column 'sex'"):
        a.by("sex")
    with pytest.raises(InputError, match="There is no pair"):
        k["nb"]
