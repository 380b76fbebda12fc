"""assess: one call, every estimate, and what the reader must know."""

import json
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import trueness
from trueness.api.assessment import RECIPE
from trueness.api.cautions import no_better
from trueness.errors import InputError, TruenessWarning, UndefinedError
from trueness.estimators import available
from trueness.metrics import resolve


def test_it_holds_every_estimate_of_its_plan(two_gaussians):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(150), rng=0)
    declared = {(m, e.name) for m in ("error", "auc") for e in available("bootstrap", resolve(m))}
    assert {("error", "loob"), ("auc", "lpob"), ("auc", "632+")} <= declared
    assert set(a) == declared | {("error", "majority")}
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(150), rng=0)
    assert a["auc", "lpob"].value == trueness.estimate(fits, "auc", "lpob").value
    assert a["error", "majority"].value == 0.5
    table = a.frame()
    assert list(table.columns[:6]) == ["metric", "method", "value", "se", "low", "high"]
    assert len(table) == len(list(a))
    assert RECIPE in str(a)
    with pytest.raises(InputError):
        a["auc", "loob"]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (trueness.KFold(5), "apparent cv cv_pooled"),
        (trueness.plans.LeaveOneOut(), "apparent cv cv_pooled"),
        (trueness.plans.MonteCarlo(40), "apparent cv cv_pooled"),
        (trueness.Holdout(0.6), "apparent holdout"),
        (trueness.plans.NestedKFold(4, repeats=2), "apparent nested_cv"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # 24 test cases settle nothing
def test_every_plan(two_gaussians, plan, expected):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=plan, metrics=["error"], rng=0)
    assert {*expected.split(), "majority"} <= {k for _, k in a}


def test_warnings_point_at_the_line_that_called_trueness(two_gaussians):
    X, y = two_gaussians
    noise = np.random.default_rng(0).normal(size=X.shape)
    frame = pd.DataFrame({"case": range(len(y)), "y": y, "s": y})  # labels in place of scores
    calls = [
        lambda: trueness.assess(LDA(), noise, y, plan=trueness.Holdout(0.6), metrics="error", rng=0),
        lambda: trueness.Fits.from_frame(frame, case="case", truth="y", score="s"),
        lambda: trueness.Fits.from_arrays(y, [[0] * len(y)], [y]),
    ]
    for call in calls:
        with pytest.warns(TruenessWarning) as seen:
            call()
        assert {w.filename for w in seen} == {__file__}


def test_what_is_undefined_is_named_not_dropped(two_gaussians):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=trueness.plans.LeaveOneOut(), rng=0)
    assert ("auc", "cv") not in set(a)
    assert a.skipped["auc", "cv"].code == "undefined"
    assert ("auc", "cv_pooled") in set(a)


def test_asking_for_what_is_undefined_quotes_the_reason_and_the_cure(two_gaussians, monkeypatch):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(20), rng=0)
    with pytest.raises(UndefinedError, match="pairs of cases were never left out"):
        a["auc", "lpob"]
    assert a["auc"] is a["auc", "star"]  # what is left to recommend
    with pytest.raises(InputError, match="error.apparent"):
        a["f1"]
    monkeypatch.setattr("trueness.api.assess.MAX_REPLICATE_SCORES", 1)
    long = trueness.assess(LDA(), X, y, rng=0)
    with pytest.raises(UndefinedError, match="trueness.estimate"):
        long["auc", "lpob"]


def test_the_same_seed_gives_the_same_json_for_any_jobs(two_gaussians):
    X, y = two_gaussians
    texts = {
        trueness.assess(GaussianNB(), X, y, plan=trueness.Bootstrap(60), rng=5, n_jobs=j).to_json() for j in (1, 2)
    }
    assert len(texts) == 1
    other = trueness.assess(GaussianNB(), X, y, plan=trueness.Bootstrap(60), rng=6).to_json()
    assert other not in texts


def test_json_csv_latex_and_html(two_gaussians, tmp_path):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(150), rng=0)
    a.to_json(tmp_path / "a.json")
    read = trueness.load(tmp_path / "a.json")
    assert (str(read), read.figure().svg()) == (str(a), a.figure().svg())
    assert read.text(all=True) == a.text(all=True)
    assert read.provenance["fingerprint"] == a.fits.design.fingerprint
    a.to_csv(tmp_path / "a.csv")
    frame = pd.read_csv(tmp_path / "a.csv")
    assert frame["value"].tolist() == pytest.approx(a.frame()["value"].tolist())
    assert r"\begin{tabular}" in a.to_latex()
    assert "<table>" in a._repr_html_()


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(100), rng=0)
    assert a["auc", "lpob"].value > 0.95
    assert a["error", "loob"].se > 0


def test_leaks_in_the_data_are_the_first_notes(two_gaussians):
    X, y = two_gaussians
    leaky = np.column_stack([X, y])
    with pytest.warns(TruenessWarning) as caught:
        a = trueness.assess(LDA(), leaky, y, plan=4, metrics="error", rng=0)
    assert caught[0].message.args[0].code == a.notes[0].code == "L001"
    assert a.to_dict()["notes"][0]["columns"] == [3]
    assert "[L001]" in str(a)
    quiet = trueness.assess(LDA(), leaky, y, plan=4, metrics="error", rng=0, checks=False)
    assert "L001" not in [note.code for note in quiet.notes]
    assert quiet["error"].value == a["error"].value


def test_the_positive_class_is_asked_for_before_any_fit(two_gaussians):
    X, y = two_gaussians

    class Never(LDA):
        def fit(self, X, y):
            raise AssertionError("fitted too early")

    with pytest.raises(InputError, match="'sick' and 'well'") as e:
        trueness.assess(Never(), X, np.array(["well", "sick"])[y])
    assert e.value.param == "positive"


def test_imbalance_and_a_useless_model_are_warned_of():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat([0, 1], [90, 10])
    with pytest.warns(TruenessWarning) as caught:
        a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(150), metrics="error", rng=0)
    codes = ["unbalanced-classes", "worse-than-chance"]
    assert [w.message.args[0].code for w in caught] == codes
    assert [n.code for n in a.notes if n.severity == "warning"] == codes
    unbalanced = next(n for n in a.notes if n.code == codes[0])
    assert unbalanced.data == {"share": 0.1, "label": 1}
    assert "10.0% of the cases are 1" in str(unbalanced)
    assert "Warning: " in str(a)


@pytest.mark.parametrize(
    ("value", "code", "severity"),
    [
        (0.5, "worse-than-chance", "warning"),
        (0.53, "no-better-than-majority", "info"),
    ],
)
def test_the_auc_decides_whether_the_majoritys_error_is_warned_of(value, code, severity):
    error, auc = trueness.Estimate(0.48, se=0.05, metric="error"), trueness.Estimate(value, se=0.05, metric="auc")
    majority = trueness.Estimate(0.5, metric="error", method="majority")
    (note,) = no_better(error, majority, 0.95, auc)
    assert (note.code, note.severity) == (code, severity)


def test_a_metric_that_was_not_asked_for_says_how_to_ask(two_gaussians):
    a = trueness.assess(LDA(), *two_gaussians, plan=trueness.KFold(2), metrics=["error", "auc"], rng=0)
    with pytest.raises(InputError, match="pass others to assess as metrics="):
        a["f1"]


def test_ten_equal_classes_are_balanced():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 8)
    a = trueness.assess(LDA(), rng.normal(size=(80, 2)) + y[:, None], y, plan=trueness.KFold(4), metrics="error", rng=0)
    assert not [n for n in a.notes if n.code == "unbalanced-classes"]


def test_lpob_of_very_many_pairs_is_by_ranks_whatever_the_door(two_gaussians, monkeypatch):
    X, y = two_gaussians
    monkeypatch.setattr("trueness.estimators.influence.pair_influence.MAX_PAIRS", 10)
    monkeypatch.setattr("trueness.estimators.influence.pair_influence.MAX_PAIRS_OF_SECOND_ORDER", 10)
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(60), rng=0)
    assert a["auc"].method == "lpob"
    assert not a.skipped
    assert a["auc"].noted("pairs-by-ranks").data["pairs"] == 20 * 20
    same = trueness.estimate(a.fits, "auc", "lpob", undefined="failed")
    k = trueness.compare({"a": a.fits, "b": a.fits}, method="lpob")
    assert a["auc"].value == same.value == k.estimates["a"].value
    default = trueness.assess(LDA(), X, y, rng=0)
    assert default["auc", "lpob"].noted("pairs-by-ranks")
    assert not default.skipped


def test_many_cases_skip_what_only_the_bootstrap_of_the_default_plan_answers(two_gaussians, monkeypatch):
    X, y = two_gaussians
    whole = trueness.assess(LDA(), X, y, rng=0, fits=100)
    every = set(whole)
    monkeypatch.setattr("trueness.api.assess.MAX_REPLICATE_SCORES", 10)
    a = trueness.assess(LDA(), X, y, rng=0, fits=100)
    known = {(m, e.name): e for m in ("error", "auc") for e in available("bootstrap", resolve(m))}
    left_out = {key for key, e in known.items() if e.method.kinds == {"bootstrap"}}
    assert {key for key, note in a.skipped.items() if note.code == "too-many-scores"} == left_out
    assert every - set(a) == left_out
    assert a.skipped["auc", "star"].data["scores"] == 40 * 70
    assert (a["error"].to_dict(), a["auc"].to_dict()) == (whole["error"].to_dict(), whole["auc"].to_dict())
    asked = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(60), rng=0)  # asked for by name: nothing is left out
    assert ("error", "loob") in set(asked)


def test_bad_calls(two_gaussians):
    X, y = two_gaussians
    for options, param in (
        ({"level": 95}, "level"),
        ({"metrics": []}, "metrics"),
        ({"metrics": ["x"]}, "metric"),
    ):
        with pytest.raises(InputError) as e:
            trueness.assess(LDA(), X, y, **options)
        assert e.value.param == param


def test_a_target_that_is_also_a_feature():
    frame = pd.DataFrame({"a": np.arange(20.0), "y": [0, 1] * 10})
    with pytest.raises(InputError, match="also a feature"):
        trueness.assess(LDA(), frame, frame["y"])


def test_other_metrics_and_groups(two_gaussians):
    X, y = two_gaussians
    groups = np.arange(40) // 2
    a = trueness.assess(
        LDA(),
        X,
        y,
        plan=trueness.Bootstrap(200),
        metrics=["brier", "fnf", "f1", trueness.metrics.Cost(matrix=[[0, 1], [2, 0]])],
        groups=groups,
        rng=0,
    )
    assert {m for m, _ in a} == {"brier", "fnf", "f1", "cost"}
    assert a.fits.design.n_units == 20


def test_a_monte_carlo_plan_names_what_it_cannot_pool(two_gaussians):
    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, plan=trueness.plans.MonteCarlo(30), rng=0)
    assert ("auc", "cv") in set(a)
    assert a.skipped["auc", "cv_pooled"].code == "undefined"


def test_metrics_of_one_name_plans_that_are_none_and_classes_for_models(two_gaussians):
    X, y = two_gaussians
    two = [trueness.metrics.Cost(matrix=[[0, c], [1, 0]]) for c in (1, 2)]
    for options, param in (({"metrics": two}, "metrics"), ({"plan": "kfold"}, "plan"), ({"plan": 1}, "plan")):
        with pytest.raises(InputError) as e:
            trueness.assess(LDA(), X, y, **options)
        assert e.value.param == param
    with pytest.raises(InputError, match="object with fit and predict"):
        trueness.assess(LDA, X, y)
    with pytest.raises(InputError, match="attribute fits of an assessment"):
        trueness.estimate(trueness.assess(LDA(), X, y, plan=trueness.KFold(3), rng=0), "auc", "cv")


def test_the_sample_is_built_once(two_gaussians, monkeypatch):
    X, y = two_gaussians
    checked, label_array = [], trueness.sample.sample.label_array

    def counted(labels, *rest):
        checked.append(len(labels))
        return label_array(labels, *rest)

    monkeypatch.setattr("trueness.sample.sample.label_array", counted)
    trueness.assess(LDA(), X, y, plan=trueness.KFold(3), rng=0)
    assert checked == [40]


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_two_values_for_a_regressor_may_be_classes(two_gaussians):
    from sklearn.linear_model import LinearRegression

    X, y = two_gaussians
    with pytest.warns(TruenessWarning, match="two values, 0 and 1; for classes use a classifier"):
        a = trueness.assess(LinearRegression(), X, y, plan=trueness.KFold(5), rng=0)
    assert list(a.recommended) == ["rmse", "mae", "r2"]


@pytest.mark.parametrize(
    ("plan", "method"),
    [
        (trueness.Bootstrap(600), "loob"),
        (trueness.KFold(10, repeats=10), "cv"),
        (trueness.KFold(10, repeats=10), "cv_pooled"),
        (trueness.plans.MonteCarlo(200), "cv"),
        (trueness.plans.NestedKFold(5, repeats=5), "nested_cv"),
    ],
    ids=lambda value: str(value),
)
def test_class_sizes_are_random_unless_the_study_fixed_them(plan, method):
    """The same data: stratified draws have the standard error of unstratified ones, unless "fixed" is said."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [170, 30])
    X = rng.normal(size=(200, 2)) + 0.8 * y[:, None]
    designs = (replace(plan, stratified=s).draw(y, rng=0) for s in (False, True, "fixed"))
    free, default, fixed = (trueness.estimate(trueness.fit(LDA(), X, y, d), "error", method) for d in designs)
    note = fixed.noted("fixed-class-sizes")
    assert default.se == pytest.approx(free.se, rel=0.4 if method == "nested_cv" else 0.2)
    assert default.noted("fixed-class-sizes") is free.noted("fixed-class-sizes") is None
    if method == "nested_cv":  # at least the naive standard error, of all cases
        return
    assert fixed.se < 0.8 * default.se
    assert note.severity == "info"
    assert note.data == {"se": pytest.approx(default.se, rel=0.05), "fixed_se": fixed.se}


@pytest.mark.parametrize(
    "plan", [trueness.Bootstrap(100), trueness.KFold(10, repeats=3), trueness.plans.NestedKFold(5, repeats=2)]
)
def test_always_the_same_class_has_the_error_of_its_share(plan):
    y = np.repeat([0, 1], [70, 30])
    X = np.random.default_rng(0).normal(size=(100, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruenessWarning)
        a = trueness.assess(DummyClassifier(), X, y, plan=plan, metrics=["error"], rng=0)
    e = a["error", {"bootstrap": "loob", "cv": "cv", "nested": "nested_cv"}[plan.kind]]
    assert e.value == pytest.approx(0.3)
    assert e.se == pytest.approx(np.sqrt(0.3 * 0.7 / 100), rel=0.02)


@pytest.mark.parametrize("plan", [trueness.Bootstrap(300), trueness.KFold(5, repeats=4)])
def test_differences_know_random_class_sizes(plan):
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [80, 20])
    X = rng.normal(size=(100, 2)) + y[:, None]
    found = {}
    for stratified in (True, "fixed"):
        design = replace(plan, stratified=stratified).draw(y, rng=1)
        a, b = (trueness.fit(m, X, y, design) for m in (LDA(), LDA(priors=[0.5, 0.5])))
        found[stratified] = trueness.difference(a, b, "error", "loob" if plan.kind == "bootstrap" else "cv")
    assert found[True].se > found["fixed"].se
    note = found["fixed"].noted("fixed-class-sizes")
    assert note is None or note.data["se"] == pytest.approx(found[True].se, rel=0.1)
    assert found[True].noted("fixed-class-sizes") is None


def test_three_classes_have_no_positive_one(two_gaussians):
    X, _ = two_gaussians
    with pytest.raises(InputError) as e:
        trueness.assess(LDA(), X, np.arange(40) % 3, positive=1)
    assert e.value.param == "positive"


def test_groups_of_another_index(two_gaussians):
    X, y = two_gaussians
    with pytest.raises(InputError, match="different indexes") as e:
        trueness.assess(LDA(), X, pd.Series(y), groups=pd.Series(np.arange(40) // 2, index=range(1, 41)))
    assert e.value.param == "groups"


@pytest.mark.parametrize("n_jobs", ["a", 0, 1.5, True, [2]])
def test_workers_are_a_whole_number(two_gaussians, n_jobs):
    X, y = two_gaussians
    two = {"a": LDA(), "b": GaussianNB()}
    for call in (
        lambda: trueness.fit(LDA(), X, y, trueness.KFold(3), n_jobs=n_jobs),
        lambda: trueness.assess(LDA(), X, y, n_jobs=n_jobs),
        lambda: trueness.compare(two, X, y, n_jobs=n_jobs),
        lambda: trueness.studies.run("stratified-folds", trials=2, n_jobs=n_jobs),
    ):
        with pytest.raises(InputError, match=rf"^n_jobs must be a whole number.*Got {re.escape(repr(n_jobs))}.*Use 1"):
            call()


def test_the_engine_can_be_chosen(two_gaussians):
    X, y = two_gaussians
    plan = trueness.KFold(4)
    fast, slow = (trueness.assess(LDA(), X, y, plan=plan, rng=0, engine=e) for e in ("auto", "generic"))
    assert (fast.fits.engine, slow.fits.engine) == ("closed-form lda", "generic")
    assert fast["auc", "cv"].value == pytest.approx(slow["auc", "cv"].value)
    two = {"a": LDA(), "b": GaussianNB()}
    k = trueness.compare(two, X, y, plan=plan, rng=0, engine="generic")
    assert {f.engine for f in k.fits.values()} == {"generic"}
    for call in (trueness.assess, trueness.compare):
        with pytest.raises(InputError, match="^engine must be"):
            call(two if call is trueness.compare else LDA(), X, y, plan=plan, engine="fast")
    with pytest.raises(InputError, match="Remove engine"):
        trueness.compare(k.fits, engine="generic")


def test_an_assessment_can_be_pickled():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + y[:, None]
    made = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(150), rng=0)
    copied = pickle.loads(pickle.dumps(made))
    assert str(copied) == str(made)
    assert trueness.estimate(copied.fits, "error", "loob").se == trueness.estimate(made.fits, "error", "loob").se


def test_a_function_that_expects_predictions_is_told_that_it_gets_scores(two_gaussians):
    def agreement(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    def ranks(y, score):
        return float(np.mean(score[y == 1]))

    with pytest.warns(TruenessWarning):
        a = trueness.assess(LDA(), *two_gaussians, plan=trueness.KFold(5), metrics=[agreement, ranks], rng=0)
    assert [n.data["metric"] for n in a.notes if n.code == "function-gets-scores"] == ["agreement"]
    scorer = make_scorer(agreement)
    b = trueness.assess(LDA(), *two_gaussians, plan=trueness.KFold(5), metrics={"agreement": scorer}, rng=0)
    assert b["agreement"].value > 0.5
    assert not any(n.code == "function-gets-scores" for n in b.notes)


def test_the_answer_writes_roc_auc_in_capitals(two_gaussians):
    a = trueness.assess(LDA(), *two_gaussians, plan=trueness.KFold(5), metrics=["roc_auc"], rng=0)
    assert a.answer().startswith("ROC AUC 0.")


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_the_answer_leaves_the_capitals_of_a_label(two_gaussians):
    X, y = two_gaussians
    labels = np.where(np.asarray(y) == 1, "Yes", "No")
    labels[np.flatnonzero(labels == "Yes")[:5]] = "No"
    a = trueness.assess(LDA(), X, labels, plan=trueness.KFold(5), positive="Yes", rng=0)
    assert "Always predicting No has" in a.answer()


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_constant_scores_are_an_assessment_without_a_standard_error(two_gaussians):
    a = trueness.assess(DummyClassifier(), *two_gaussians, metrics=["auc"], rng=0)
    assert (a["auc"].value, a["auc"].se) == (0.5, None)


def test_a_metric_of_ones_own_has_the_default_interval(two_gaussians):
    X, y = two_gaussians

    def highest(truth, scores):
        return float(scores[truth == 1].max())

    a = trueness.assess(LDA(), X, y, metrics={"mine": highest, "accuracy": "accuracy"}, rng=0)
    assert [note for note in a.notes if note.code == "interval-of-folds"] == []
    assert (a["mine"].method, a["mine"].se > 0) == ("cv+training", True)


def test_a_note_about_the_standard_error_of_another_estimator_is_not_told_of_the_answer():
    """With this seed LOOB has few replicates; the recommended interval does not rest on them."""
    X, y = load_breast_cancer(return_X_y=True)
    a = trueness.assess(LDA(), X, y, plan=trueness.CvBootstrap(), rng=0, checks=False)
    assert a["error", "loob"].noted("few-replicates") is not None
    assert "few-replicates" not in [note.code for note in a.notes]


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_the_folds_and_bootstrap_samples_that_were_drawn_are_told():
    y = np.repeat([0, 1], [30, 3])
    x = np.random.default_rng(0).normal(size=(33, 2))
    for plan, drawn in ((trueness.CvBootstrap(), 100), (trueness.CvBootstrap(n_resamples=50), 50)):
        a = trueness.assess(LDA(), x, y, plan, rng=0, checks=False)
        words = f"3-fold cross-validation, 10 times, and {drawn} bootstrap samples; {30 + drawn} fits"
        assert a.provenance["design"].endswith(words)


def test_a_declared_threshold_decides(two_gaussians):
    """Of log-odds, probabilities and decision values the table is that of diagnose; the report starts there."""
    X, y = two_gaussians
    for model, threshold in ((LDA(), 0.35), (RandomForestClassifier(20, random_state=0), 0.3), (LinearSVC(), -0.2)):
        model.fit(X[::2], y[::2])
        test, truth = X[1::2], y[1::2]
        scores = model.predict_proba(test)[:, 1] if hasattr(model, "predict_proba") else model.decision_function(test)
        d = trueness.diagnose(truth, (scores >= threshold).astype(int))
        a = trueness.assess(
            model, test, truth, plan="prefit", metrics=["tpf", "fpf"], threshold=threshold, checks=False
        )
        assert (a["tpf"].value, a["fpf"].value) == (d.tpf.value, d.fpf.value)
        unit = "score" if isinstance(model, LinearSVC) else "probability"
        said = f"{unit} ≥ {threshold:g}"
        assert said in str(a)
        assert said in a.methods()
        own = trueness.assess(model, test, truth, plan="prefit", metrics=["tpf", "fpf"], checks=False)
        assert trueness.assess(own.fits, metrics="tpf", threshold=threshold)["tpf"].value == d.tpf.value
        page = a.report()
        (data,) = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
        k = data["start"]
        assert (data["named"], data["tp"][k], data["fp"][k]) == (said, *d.design.table[::-1, 1])


def test_a_declared_threshold_of_a_model_that_is_trained_anew(two_gaussians):
    X, y = two_gaussians
    plan = trueness.KFold(5).draw(y, rng=0)
    found = trueness.assess(LDA(), X, y, plan=plan, metrics="tpf", threshold=0.35, checks=False)["tpf"].value
    p = np.empty(len(y))
    for row in plan.counts:
        p[row == 0] = LDA().fit(X[row > 0], y[row > 0]).predict_proba(X[row == 0])[:, 1]
    folds = [np.mean(p[(row == 0) & (y == 1)] >= 0.35) for row in plan.counts]
    assert found == pytest.approx(np.mean(folds), abs=0.02)
    assert found == pytest.approx(np.mean(p[y == 1] >= 0.35))


def test_a_threshold_that_cannot_decide(two_gaussians):
    X, y = two_gaussians
    model = LDA().fit(X, y)
    with pytest.raises(InputError, match="of a probability here. Got 35. Give it between 0 and 1"):
        trueness.assess(model, X, y, plan="prefit", threshold=35, checks=False)
    with pytest.raises(InputError, match="A threshold needs two classes. Got 3 classes"):
        trueness.assess(LDA(), X, np.arange(len(y)) % 3, threshold=0.3, checks=False)
    decided = trueness.Fits.from_arrays(y, None, None, predictions=[y])
    with pytest.raises(InputError, match="predictions only"):
        trueness.assess(decided, threshold=0.3)


def test_losses_of_probabilities_stand_beside_those_of_the_shares_of_the_classes():
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(GaussianNB(), X, y, metrics=["log_loss", "brier"], rng=0)
    assert a["log_loss", "shares"].value == pytest.approx(np.log(3))
    assert a["brier", "shares"].value == pytest.approx(2 / 3)
    assert "Always predicting the shares of the classes has log loss 1.099 and Brier score 0.667." in a.answer()
    two = trueness.assess(GaussianNB(), X[:90], y[:90], metrics="brier", rng=0, checks=False)
    assert two["brier", "shares"].value == pytest.approx(5 / 9 * 4 / 9)


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_probabilities_worse_than_the_shares_of_the_classes_are_warned_of():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = (rng.uniform(size=500) < 1 / (1 + np.exp(3 - 0.6 * X[:, 0]))).astype(int)
    metrics = ["log_loss", "brier", "average_precision"]
    plain, balanced = (
        trueness.assess(LogisticRegression(class_weight=w), X, y, plan=trueness.KFold(5), metrics=metrics, rng=0)
        for w in (None, "balanced")
    )
    notes = [n for n in balanced.notes if n.code == "dearer-than-constant"]
    assert [(n.data["metric"], n.severity) for n in notes] == [("log_loss", "warning"), ("brier", "warning")]
    assert [n.data["constant"] for n in notes] == [balanced[m, "shares"].value for m in metrics[:2]]
    assert not [n for n in plain.notes if n.code == "dearer-than-constant"]
    k = trueness.compare({"a": balanced.fits, "b": balanced.fits}, metric="log_loss")
    assert [n.severity for n in k.notes if n.code == "dearer-than-constant"] == ["warning"]
    assert balanced["average_precision", "shares"].value == pytest.approx(y.mean())
    pooled = average_precision_score(y, balanced.fits.pooled().scores[0])
    assert balanced["average_precision"].value == pytest.approx(pooled)
    assert "pooled" in balanced["average_precision"].estimand


def test_a_model_in_the_place_of_the_labels_is_named():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=r"y is a model.*assess\(model, X, y\)"):
        trueness.assess(X, y, GaussianNB())


def test_fits_with_warnings_are_counted_once():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = trueness.assess(model, X, y, metrics="error", rng=0, fits=60, engine="generic")
    (note,) = (note for note in a.notes if note.code == "fit-warnings")
    assert note.data["of"] == 60


def test_others_than_the_recommended_estimates_are_computed_when_they_are_asked_for(two_gaussians, monkeypatch):
    X, y = two_gaussians
    methods = []

    def counted(fits, metric, method, **how):
        methods.append(method)
        return trueness.estimate(fits, metric, method, **how)

    monkeypatch.setattr("trueness.api.assess.estimate", counted)
    a = trueness.assess(LDA(), X, y, rng=0, fits=60)
    str(a), a.answer(), a["auc"]
    assert set(methods) == {"cv+training"}
    assert a["error", "loob"] is a["error", "loob"]
    assert methods.count("loob") == 1
    again = pickle.loads(pickle.dumps(a))
    assert list(again) == list(a)
    assert len(a.estimates) > 10
    assert again.to_json() == a.to_json()
    assert methods.count("632+") == 2  # of two metrics
