"""One registry: a metric by any of its names, through every door."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness.errors import InputError
from trueness.metrics import FBeta, names, resolve
from trueness.metrics.registry import canonical, measure_of
from trueness.metrics.table import OfTable
from trueness.result.words import spoken, titled

SAME = {
    "tpf": ["sensitivity", "recall", "tpr", "TPR", "hit rate", "Hit_Rate", "Se"],
    "tnf": ["specificity", "TNR", "true negative rate"],
    "ppv": ["precision", "Precision", "PPV"],
    "fpf": ["fall-out", "fpr", "false alarm rate"],
    "fnf": ["miss rate", "FNR"],
    "auc": ["roc_auc", "AUROC", "AUC", "c-statistic", "c statistic", "C_statistic"],
    "f1": ["F1", "F-score"],
    "dlr_positive": ["LR+", "positive_likelihood_ratio"],
}


@pytest.mark.parametrize(("name", "others"), SAME.items())
def test_every_name_of_a_metric_is_that_metric(name, others):
    for other in others:
        assert type(resolve(other)) is type(resolve(name))
        assert canonical(other) == name
    for other in ("se", "c-index", "Concordance"):  # a standard error; of times until an event
        assert canonical(other) is None


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [70, 50])
    return rng.normal(size=(120, 2)) + y[:, None], y


def test_assess_takes_any_name_and_answers_to_any(cases):
    a = trueness.assess(LDA(), *cases, plan=trueness.KFold(5, repeats=2), metrics=["sensitivity", "LR+"], rng=0)
    assert a["sensitivity"].metric == "sensitivity"
    assert a["recall"] is a["tpf"] is a["sensitivity"]
    assert "hit rate" in a
    assert "fpf" not in a
    assert a["dlr_positive"].ci().method == "log"
    assert "Sensitivity 0." in str(a)
    both = trueness.assess(LDA(), *cases, plan=trueness.KFold(5), metrics=["tpf", "recall"], rng=0)
    assert (both["tpf"].metric, both["recall"].metric) == ("tpf", "recall")


@pytest.mark.parametrize("name", [n for n in names() if isinstance(resolve(n), OfTable)])
def test_a_function_of_the_table_has_one_value_through_every_door(cases, name):
    X, y = cases
    scores = X.sum(axis=1)
    said = (scores >= 1).astype(int)
    d = trueness.diagnose(y, said)
    fits = trueness.Fits.from_arrays(y, [[0] * len(y)], [scores], threshold=1)
    e = trueness.estimate(fits, name, "holdout")
    assert e.value == pytest.approx(d[name].value) == pytest.approx(float(measure_of(name).function(d.design.table)))
    assert e.se == pytest.approx(d[name].se)
    assert list(e.ci()) == pytest.approx(list(d[name].ci()))


@pytest.mark.parametrize("name", ["dlr_positive", "dlr_negative", "odds_ratio"])
def test_a_ratio_under_every_plan(cases, name):
    for plan in (trueness.CvBootstrap(5, repeats=2, n_resamples=40), trueness.Bootstrap(60), trueness.Holdout(0.5)):
        e = trueness.assess(LDA(), *cases, plan=plan, metrics=name, rng=0)[name]
        assert 0 < e.ci().low < e.value < e.ci().high
        assert e.ci().method == "log"
        assert e.value / e.ci().low == pytest.approx(e.ci().high / e.value)


def test_a_ratio_over_zero_has_one_half_in_every_cell_as_in_diagnose():
    y = np.repeat([1, 1, 0], [8, 2, 20])
    said = np.repeat([1, 0, 0], [8, 2, 20])
    fits = trueness.Fits.from_arrays(y, [[0] * 30], None, predictions=[said])
    e, d = trueness.estimate(fits, "LR+", "holdout"), trueness.diagnose(y, said).dlr_positive
    assert (e.value, e.se) == pytest.approx((d.value, d.se))
    assert e.noted("half-added")
    folds = trueness.Fits.from_arrays(y, trueness.KFold(5).draw(y, rng=0).counts, None, predictions=[said] * 5)
    e = trueness.estimate(folds, "dlr_positive", "cv_pooled")
    assert e.value == pytest.approx(d.value)
    assert e.noted("half-added")


def test_two_rules_are_compared_by_any_name(cases):
    X, y = cases
    models = {"both": LDA(), "both again": LDA(priors=[0.5, 0.5])}
    k = trueness.compare(models, X, y, metric="sensitivity", plan=trueness.KFold(5, repeats=3), rng=0)
    assert k.difference.metric == "sensitivity difference"
    plain = trueness.compare(models, X, y, metric="tpf", plan=trueness.KFold(5, repeats=3), rng=0)
    assert k.difference.value == plain.difference.value
    ratio = trueness.compare(models, X, y, metric="DLR+", plan=trueness.KFold(5, repeats=3), rng=0)
    assert ratio.difference.se > 0


def test_diagnose_takes_metrics_that_it_does_not_show(cases):
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    assert d["recall"].value == d.tpf.value
    assert d[FBeta(2)].value == d.f_beta(2).value
    with pytest.raises(trueness.errors.InputError, match="not a function of the table"):
        d["auc"]
    fits = trueness.Fits.from_arrays([0, 1, 1, 0], [[0] * 4], None, predictions=[[0, 1, 0, 1]])
    assert trueness.estimate(fits, FBeta(2), "holdout").metric == "f2"


def test_words_of_metrics():
    assert [spoken(n) for n in ("auc", "error", "log_loss", "roc_auc")] == ["AUC", "error rate", "log loss", "ROC AUC"]
    assert [titled(n) for n in ("auc difference", "roc-auc", "rmse")] == ["AUC difference", "ROC-AUC", "RMSE"]
    assert [titled(n) for n in ("f1", "error", "log_loss", "sensitivity")] == ["F1", "Error", "Log loss", "Sensitivity"]


# -- roc(...).best -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["f1", "Dice's coefficient", "mcc", "kappa", "error", "accuracy", "ppv", "odds_ratio", "J"]
)
def test_the_best_threshold_by_any_metric_is_that_of_a_plain_search(cases, name):
    X, y = cases
    scores = X.sum(axis=1)
    choice = trueness.roc(y, scores).best(name, n_resamples=20, rng=0)
    values = {}
    for threshold in np.unique(scores):
        said = scores >= threshold
        table = np.array(
            [[np.sum(~said & (y == 0)), np.sum(said & (y == 0))], [np.sum(~said & (y == 1)), np.sum(said & (y == 1))]]
        )
        with np.errstate(all="ignore"):
            values[threshold] = float(measure_of(name).function(table))
    sign = 1 if resolve(name).higher_is_better else -1
    best = max(sign * v for v in values.values() if not np.isnan(v))
    assert sign * values[choice.threshold] == pytest.approx(best)


def test_the_best_threshold_at_another_prevalence(cases):
    X, y = cases
    c = trueness.roc(y, X.sum(axis=1))
    rare, own = c.best("f1", prevalence=0.05, n_resamples=20, rng=0), c.best("f1", n_resamples=20, rng=0)
    assert rare.threshold > own.threshold
    assert [n.code for n in own.notes if n.code == "prevalence-of-sample"]
    by_cost = c.best(prevalence=0.3, n_resamples=20, rng=0)  # 0–1 costs: the least error
    assert c.best("error", prevalence=0.3, n_resamples=20, rng=0).threshold == by_cost.threshold
    for wrong in ("prevalence", "auc", "beauty"):
        with pytest.raises(trueness.errors.InputError):
            c.best(wrong)
    with pytest.raises(trueness.errors.InputError, match="does not depend on the prevalence"):
        c.best("youden", prevalence=0.1)


def test_what_other_libraries_call_measures():
    assert {type(resolve(name)).__name__ for name in ("f1_score", "kappa_score", "logloss")} == {
        "F1",
        "Kappa",
        "LogLoss",
    }
    with pytest.raises(InputError, match="There is no metric 'pr_auc'. Choose one of auc, "):
        resolve("pr_auc")
