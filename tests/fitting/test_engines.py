"""Batched engines give what scikit-learn gives, fail where it fails, and have the same bits for any workers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting.engines.discriminant import unbiased

OLD = pytest.mark.skipif(unbiased(), reason="QDA of this scikit-learn has another divisor and is fitted one by one")
MODELS = {
    "closed-form lda": [LDA(), make_pipeline(StandardScaler(), LDA())],
    "closed-form qda": [
        QDA(),
        QDA(reg_param=0.1),
        make_pipeline(StandardScaler(), QDA()),
        make_pipeline(StandardScaler(), QDA(reg_param=0.1)),
    ],
    "closed-form ridge": [
        RidgeClassifier(),
        RidgeClassifier(alpha=30.0),
        make_pipeline(StandardScaler(), RidgeClassifier()),
    ],
    "closed-form k-nn": [
        KNeighborsClassifier(),
        KNeighborsClassifier(1),
        KNeighborsClassifier(4),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
    ],
    "closed-form naive bayes": [
        GaussianNB(),
        GaussianNB(var_smoothing=1e-3),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
}
CASES = [
    pytest.param(name, model, marks=OLD if "qda" in name else ()) for name, models in MODELS.items() for model in models
]
PLANS = [
    trueness.Bootstrap(40),
    trueness.KFold(5, repeats=2),
    trueness.plans.MonteCarlo(7),
    trueness.plans.LeaveOneOut(),
    trueness.Holdout(0.3),
]


def data(n=60, p=3, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + 5 + y[:, None] * rng.normal(size=p)
    return X, y


def agree(a, b, atol=1e-8):
    np.testing.assert_allclose(a.scores, b.scores, atol=atol, rtol=1e-8)
    np.testing.assert_allclose(a.full_scores, b.full_scores, atol=atol, rtol=1e-8)
    rows = len(a.design.folds) if a.design.folds is not None else a.n_fits
    np.testing.assert_array_equal(a.held_predictions[0:rows], b.held_predictions[0:rows])
    np.testing.assert_array_equal(a.full_predictions, b.full_predictions)
    assert a.probabilities == b.probabilities


@pytest.mark.parametrize(("name", "model"), CASES, ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_engines_give_what_scikit_learn_gives(name, model, plan, classes):
    X, y = data(classes=classes)
    design = plan.draw(y, rng=1)
    fast, slow = (trueness.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
    assert slow.engine == "generic"
    assert fast.engine == name
    agree(fast, slow)


@pytest.mark.parametrize("model", [LDA(), QDA(), GaussianNB()], ids=repr)
@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
def test_responses_positive_class_and_tables(model, response):
    if response == "decision_function" and isinstance(model, GaussianNB):
        with pytest.raises(trueness.errors.InputError, match="no decision_function"):
            trueness.fit(model, *data(), trueness.Bootstrap(3), scores=response)
        return
    X, y = data()
    labels = np.array(["z", "a"])[y]
    design = trueness.Bootstrap(20).draw(labels, rng=0)
    for table in (X, pd.DataFrame(X, columns=["a", "b", "c"])):
        for positive in ("z", "a"):
            options = {"scores": response, "positive": positive}
            agree(*(trueness.fit(model, table, labels, design, engine=e, **options) for e in ("auto", "generic")))


@pytest.mark.parametrize(
    "model",
    [LDA(), QDA(), GaussianNB(), RidgeClassifier(), LogisticRegression(), KNeighborsClassifier()],
    ids=repr,
)
def test_same_bits_for_any_jobs(model):
    X, y = data(200, 4)
    design = trueness.Bootstrap(500).draw(y, rng=0)
    one, two = (trueness.fit(model, X, y, design, n_jobs=j) for j in (1, 2))
    assert (one.scores.view(np.int64) == two.scores.view(np.int64)).all()


@pytest.mark.parametrize("model", [LDA(), QDA(), GaussianNB()], ids=repr)
@pytest.mark.parametrize("plan", [trueness.KFold(10, repeats=4), trueness.KFold(2, repeats=20)], ids=repr)
def test_as_many_fits_as_cases_need_not_be_leave_one_out(model, plan):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + y[:, None]
    design = plan.draw(y, rng=1)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
    assert (ours.engine == "generic") == (isinstance(model, (LDA, QDA)) and unbiased())
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
    for metric in ("error", "auc"):
        value = trueness.estimate(ours, metric, "cv_pooled").value
        assert value == pytest.approx(trueness.estimate(generic, metric, "cv_pooled").value, abs=1e-12)


@OLD
def test_a_singular_covariance_is_the_failure_of_its_replicate_under_both_engines():
    X, y = data(16, 3, seed=3)  # eight cases a class: some replicates hold three different ones
    design = trueness.Bootstrap(300).draw(y, rng=0)
    fast, slow = (trueness.fit(QDA(), X, y, design, engine=e) for e in ("auto", "generic"))
    assert fast.engine.startswith("closed-form qda")
    assert [f.fit for f in fast.failed] == [f.fit for f in slow.failed]
    assert [f.error for f in fast.failed] == [f.error for f in slow.failed]
    assert 0 < len(fast.failed) < 30
    np.testing.assert_allclose(fast.scores[fast.kept], slow.scores[slow.kept], atol=1e-8, rtol=1e-8)


def test_collinear_features_and_lost_classes_are_fitted_one_by_one():
    X, y = data(40, 3)
    X = np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1]])
    design = trueness.Bootstrap(30).draw(y, rng=0)
    agree(*(trueness.fit(LDA(), X, y, design, engine=e) for e in ("auto", "generic")), atol=1e-6)
    X, y = data(40, 2)
    y = (np.arange(40) < 3).astype(int)
    plan = trueness.Bootstrap(200, stratified=False)
    for model in (LDA(), GaussianNB()):
        fast, slow = (trueness.fit(model, X, y, plan, rng=0, engine=e) for e in ("auto", "generic"))
        assert fast.failed == slow.failed
        assert fast.failed
        np.testing.assert_allclose(fast.scores[fast.kept], slow.scores[slow.kept], atol=1e-8, rtol=1e-7)


@pytest.mark.parametrize(
    "model",
    [
        LDA(shrinkage="auto", solver="lsqr"),
        LDA(priors=[0.5, 0.5]),
        QDA(priors=[0.5, 0.5]),
        GaussianNB(priors=[0.5, 0.5]),
        make_pipeline(StandardScaler(with_mean=False), LDA()),
        RidgeClassifier(class_weight="balanced"),
        KNeighborsClassifier(weights="distance"),
        KNeighborsClassifier(metric="manhattan"),
        make_pipeline(StandardScaler(), StandardScaler(), LDA()),
    ],
    ids=repr,
)
def test_what_is_not_covered_goes_the_generic_way(model):
    X, y = data()
    assert trueness.fit(model, X, y, trueness.Bootstrap(5), rng=0).engine == "generic"


def test_equal_distances_go_the_generic_way():
    X, y = data()
    X = np.round(X)
    X[:, 0] += 1e-3 * np.arange(60)  # no copies, but equal distances
    X[1] = X[0] + [1, 0, 0]
    X[2] = X[0] - [1, 0, 0]
    assert trueness.fit(KNeighborsClassifier(), X, y, trueness.Bootstrap(5), rng=0).engine == "generic"


def test_tables_that_are_no_numbers_go_the_generic_way():
    X, y = data()
    assert trueness.fit(LDA(), X.astype(np.float32), y, trueness.Bootstrap(5), rng=0).engine == "generic"

    class Child(LDA):
        pass

    assert trueness.fit(Child(), X, y, trueness.Bootstrap(5), rng=0).engine == "generic"
    X[0, 0] = np.nan
    for engine in ("auto", "generic"):
        with pytest.raises(trueness.errors.FitError, match="NaN"):
            trueness.fit(LDA(), X, y, trueness.Bootstrap(5), rng=0, engine=engine)
    with pytest.raises(trueness.errors.InputError, match="engine must be"):
        trueness.fit(LDA(), *data(), trueness.Bootstrap(5), engine="gpu")


@pytest.mark.parametrize("shift", [0.5, 3.0])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("plan", [trueness.Bootstrap(60), trueness.KFold(5)], ids=lambda p: type(p).__name__)
def test_logistic_regression_is_scikit_learns_minimum(shift, C, plan):
    """To 1e-6 of scikit-learn's solution at tol=1e-10, by Newton's method there: lbfgs stops earlier."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) * [1, 5, 0.2] + 3
    X[y == 1, :2] += shift
    design = plan.draw(y, rng=0)
    exact = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    for model in (exact, make_pipeline(StandardScaler(), exact)):
        fast, slow = (trueness.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
        assert fast.engine == "closed-form logistic"
        agree(fast, slow, atol=1e-6)
    assert trueness.fit(LogisticRegression(C=C), X, y, design).engine == "closed-form logistic"


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(fit_intercept=False),
        LogisticRegression(solver="saga"),
        LogisticRegression(l1_ratio=0.5, solver="saga"),
        LogisticRegression(C=np.inf),
        LogisticRegression(tol=1e-2),
        LogisticRegression(max_iter=3),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_other_logistic_regressions_go_the_generic_way(model):
    X, y = data()
    assert trueness.fit(model, X, y, trueness.Bootstrap(3), rng=0).engine == "generic"


def test_a_logistic_regression_that_stops_before_its_minimum_is_left_to_scikit_learn():
    """Raw features of very different size: lbfgs gives up after 100 steps, and warns."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = (rng.normal(size=(200, 6)) + 0.5 * y[:, None]) * np.array([1, 10, 100, 1e3, 1e4, 1e5])
    design = trueness.Bootstrap(5).draw(y, rng=0)
    early = trueness.fit(LogisticRegression(max_iter=20), X, y, design)
    assert early.engine == "generic"
    assert [note.code for note in early.notes] == ["solver-stops-early", "fit-warnings"]
    assert "failed to converge" in early.notes[1].data["first"]
    scaled = trueness.fit(make_pipeline(StandardScaler(), LogisticRegression(max_iter=20)), X, y, design)
    assert scaled.engine == "closed-form logistic"


def test_logistic_regression_of_several_classes_is_generic():
    X, y = data(classes=3)
    assert trueness.fit(LogisticRegression(), X, y, trueness.Bootstrap(3), rng=0).engine == "generic"


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(
    "plan", [trueness.Bootstrap(30), trueness.KFold(5), trueness.plans.LeaveOneOut()], ids=lambda p: p.kind
)
@pytest.mark.parametrize(
    "model",
    [
        LDA(),
        GaussianNB(),
        RidgeClassifier(),
        LogisticRegression(solver="newton-cholesky", tol=1e-10),
        KNeighborsClassifier(),
    ],
    ids=repr,
)
def test_constant_columns_stay_in_the_engines(model, plan, scaled):
    X, y = data()
    X = np.column_stack([np.zeros(60), X, np.full(60, 3.0)])
    model = make_pipeline(StandardScaler(), model) if scaled else model
    design = plan.draw(y, rng=0)
    fast, slow = (trueness.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
    assert fast.engine.startswith("closed-form")
    assert "one by one" not in fast.engine
    agree(fast, slow, atol=1e-6 if "Logistic" in repr(model) else 1e-8)


def test_a_constant_column_whose_mean_is_rounded_goes_the_generic_way():
    X, y = data()
    assert (
        trueness.fit(LDA(), np.column_stack([X, np.full(60, 0.1)]), y, trueness.Bootstrap(3), rng=0).engine == "generic"
    )


@pytest.mark.parametrize("kind", ["heavy tails", "whole numbers", "few cases", "many features"])
def test_scaled_neighbours_on_other_tables(kind):
    rng = np.random.default_rng(1)
    n, p = (25, 2) if kind == "few cases" else (150, 12) if kind == "many features" else (150, 3)
    y = np.arange(n) % 2
    X = (
        rng.standard_cauchy(size=(n, p))
        if kind == "heavy tails"
        else rng.normal(size=(n, p)) * np.exp(rng.normal(size=p))
    )
    X = np.rint(3 * X) + 1e-3 * np.arange(n)[:, None] if kind == "whole numbers" else X
    design = trueness.Bootstrap(60).draw(y, rng=0)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    fast, slow = (trueness.fit(model, X, y, design, engine=e) for e in ("auto", "generic"))
    assert fast.engine.startswith("closed-form")
    agree(fast, slow)
