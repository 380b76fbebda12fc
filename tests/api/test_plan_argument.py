"""plan= of assess and compare: numbers, splitters, pairs, fitted models."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.errors import InputError
from trueness.estimators.registry import available
from trueness.metrics import AUC

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


@pytest.fixture
def cases():
    rng = np.random.default_rng(5)
    y = np.tile([0, 1, 1], 24)
    X = rng.normal(size=(72, 3))
    X[y == 1] += 0.8
    return X, y, np.repeat(np.arange(12), 6)


SPLITTERS = [
    KFold(4),
    StratifiedKFold(5, shuffle=True, random_state=1),
    RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=1),
    RepeatedKFold(n_splits=4, n_repeats=2, random_state=1),
    LeaveOneOut(),
    ShuffleSplit(15, random_state=2),
    ShuffleSplit(15, test_size=0.25, train_size=0.5, random_state=2),
    StratifiedShuffleSplit(15, random_state=2),
    TimeSeriesSplit(5),
    PredefinedSplit(np.repeat([-1, 0, 1], 24)),
    PredefinedSplit(np.repeat([-1, -1, 0], 24)),
    GroupKFold(4),
    StratifiedGroupKFold(4),
    LeaveOneGroupOut(),
    LeavePGroupsOut(2),
    GroupShuffleSplit(15, random_state=2),
]


def test_they_are_all_of_scikit_learns_splitters():
    tested = {type(splitter).__name__ for splitter in SPLITTERS} | {"LeavePOut"}
    kinds = {name: kind for name, kind in vars(model_selection).items() if isinstance(kind, type)}
    named = {name for name, kind in kinds.items() if hasattr(kind, "split")}
    assert {name for name in named if not name.startswith("Base")} == tested


def between_groups(X, y, groups, train, test):
    """AUC of a fold by a plain loop over pairs of cases of different groups."""
    scores = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    pairs = [
        (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j])
        for i in range(len(test))
        for j in range(len(test))
        if y[test[i]] == 1 and y[test[j]] == 0 and groups[test[i]] != groups[test[j]]
    ]
    return np.mean(pairs)


@pytest.mark.parametrize("splitter", SPLITTERS, ids=str)
def test_every_splitter_gives_scikit_learns_scores(cases, splitter):
    X, y, groups = cases
    groups = groups if "Group" in type(splitter).__name__ else None
    a = trueness.assess(GaussianNB(), X, y, plan=splitter, groups=groups, engine="generic", rng=0)
    method = "holdout" if a.fits.n_fits == 1 else "cv"
    errors = 1 - cross_val_score(GaussianNB(), X, y, groups=groups, cv=splitter, scoring="accuracy")
    assert a["error", method].value == pytest.approx(errors.mean(), abs=1e-12)
    if not isinstance(splitter, LeaveOneOut):
        single = groups is None or isinstance(splitter, LeaveOneGroupOut)
        areas = cross_val_score(GaussianNB(), X, y, groups=groups, cv=splitter, scoring="roc_auc")
        if not single:  # these groups hold both classes: cases of different ones are compared
            areas = np.array([between_groups(X, y, groups, *split) for split in splitter.split(X, y, groups)])
        assert a["auc", method].value == pytest.approx(areas.mean(), abs=1e-12)
    assert a["error", method].se > 0
    wanted = {"cv", "cv_pooled", "cv_pairs"} if method == "cv" else {"holdout"}
    named = {m for metric, m in (*a, *a.skipped) if metric == "auc"}
    assert wanted < named == {e.name for e in available(a.fits.design.kind, AUC())}  # also what is not estimated
    closed = trueness.assess(GaussianNB(), X, y, plan=splitter, groups=groups, rng=0)
    assert closed["error", method].value == a["error", method].value


def test_leaving_out_every_two_cases_gives_scikit_learns_scores(cases):
    X, y, _ = (part[:20] for part in cases)
    a = trueness.assess(GaussianNB(), X, y, plan=LeavePOut(2), metrics="error")
    assert a.fits.n_fits == 190
    assert a["error", "cv"].value == pytest.approx(1 - cross_val_score(GaussianNB(), X, y, cv=LeavePOut(2)).mean())


def test_the_naive_error_of_a_time_series_is_that_of_the_tested_cases(cases):
    X, y, _ = cases
    a = trueness.assess(GaussianNB(), X, y, plan=TimeSeriesSplit(5), metrics="error", engine="generic")
    wrong = []
    for train, test in TimeSeriesSplit(5).split(X):
        wrong += (GaussianNB().fit(X[train], y[train]).predict(X[test]) != y[test]).tolist()
    assert a["error"].value == pytest.approx(np.mean(wrong), abs=1e-14)
    assert a["error"].se == pytest.approx(np.std(wrong) / np.sqrt(len(wrong)), abs=1e-14)
    assert a["error"].cases == 60
    assert a["error"].noted("cases-skipped").data["skipped"] == 12
    pooled = trueness.estimate(a.fits, "error", "cv_pooled", undefined="skip")
    assert pooled.value == pytest.approx(np.mean(wrong), abs=1e-14)
    for method in ("error", "cv"), ("auc", "cv_pairs"):
        with pytest.raises(InputError):
            trueness.estimate(a.fits, *method, se="influence")


def test_nadeau_bengio_uses_the_sizes_of_training_sets(cases):
    X, y, _ = cases
    plan = ShuffleSplit(15, test_size=18, train_size=36, random_state=2)
    e = trueness.assess(GaussianNB(), X, y, plan=plan, metrics="error", engine="generic")["error"]
    values = 1 - cross_val_score(GaussianNB(), X, y, cv=plan)
    assert e.se == pytest.approx(np.sqrt((1 / 15 + 18 / 36) * values.var(ddof=1)), abs=1e-14)


def test_a_number_is_a_number_of_folds(cases):
    X, y, _ = cases
    one = trueness.assess(LDA(), X, y, plan=5, rng=3)
    two = trueness.assess(LDA(), X, y, plan=trueness.KFold(5), rng=3)
    assert one.fits.design.fingerprint == two.fits.design.fingerprint
    for wrong in (1, 0, -3, True, 2.5, "five", b"x", {}):
        with pytest.raises(InputError) as e:
            trueness.assess(LDA(), X, y, plan=wrong)
        assert e.value.param == "plan"


def test_pairs_are_the_same_as_their_splitter(cases):
    X, y, _ = cases
    splitter = StratifiedKFold(5)
    one = trueness.compare([LDA(), GaussianNB()], X, y, plan=splitter, metric="error", rng=1)
    two = trueness.compare([LDA(), GaussianNB()], X, y, plan=splitter.split(X, y), metric="error", rng=1)
    assert one.difference.value == two.difference.value
    assert one.difference.se == two.difference.se


def test_its_own_folds_and_the_same_folds_as_pairs(cases):
    X, y, _ = cases
    design = trueness.KFold(5, repeats=3).draw(y, rng=0)
    given = [(np.flatnonzero(row), design.tested(f)) for f, row in enumerate(design.counts)]
    one = trueness.assess(LDA(), X, y, plan=design)
    two = trueness.assess(LDA(), X, y, plan=given)
    assert two.fits.design.fingerprint == design.fingerprint
    for key in one:
        assert two[key].value == one[key].value
        assert two[key].se == one[key].se


def test_a_fitted_model_is_not_fitted_again(cases):
    X, y, _ = cases
    model = LogisticRegression().fit(X[:36], y[:36])
    before = model.coef_.copy()
    a = trueness.assess(model, X[36:], y[36:], plan="prefit")
    scores = model.decision_function(X[36:])
    assert (model.coef_ == before).all()
    assert a["auc"].value == pytest.approx(roc_auc_score(y[36:], scores), abs=1e-14)
    assert a["auc"].se == trueness.roc(y[36:], scores).auc.se
    assert a["error", "holdout"].value == pytest.approx(1 - model.score(X[36:], y[36:]), abs=1e-14)
    assert not a.skipped  # nobody asks a test set for the apparent estimate
    assert (a.fits.held_predictions[0:1] == model.predict(X[36:])).all()
    assert "refitted" not in str(a)


def test_fitted_models_are_compared_on_their_test_set(cases):
    X, y, _ = cases
    labels = np.array(["ill", "well"])[y]
    models = {"a": LDA().fit(X[:36], labels[:36]), "b": GaussianNB().fit(X[:36, :], labels[:36])}
    k = trueness.compare(models, X[36:], labels[36:], plan="prefit", positive="ill")
    first, second = (
        roc_auc_score(labels[36:] == "ill", -m.decision_function(X[36:]))
        if n == "a"
        else roc_auc_score(labels[36:] == "ill", m.predict_proba(X[36:])[:, 0])
        for n, m in models.items()
    )
    assert k.difference.value == pytest.approx(first - second, abs=1e-14)
    assert k.method == "holdout"


def test_a_test_set_may_lack_a_class_of_the_model():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(list("abc"), 20)
    model = GaussianNB().fit(X, y)
    test = np.r_[0:5, 20:21]  # five of a, one of b, none of c
    a = trueness.assess(model, X[test], y[test], plan="prefit", metrics="error")
    assert a["error"].value == pytest.approx(1 - model.score(X[test], y[test]))


def test_models_that_are_not_fitted_or_know_other_labels(cases):
    X, y, _ = cases
    with pytest.raises(InputError, match="not fitted") as e:
        trueness.assess(LDA(), X, y, plan="prefit")
    assert e.value.param == "plan"
    with pytest.raises(InputError) as e:
        trueness.assess(LDA().fit(X, y), X, y + 1, plan="prefit")
    assert e.value.param == "y"
    with pytest.raises(InputError) as e:
        trueness.compare([LDA().fit(X, y), LDA().fit(X, y + 1)], X, y, plan="prefit")
    assert e.value.param == "models"


def test_a_fitted_model_is_what_the_estimate_is_about():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    fitted = LDA().fit(X[:30], y[:30])
    prefit = trueness.assess(fitted, X[30:], y[30:], plan="prefit", metrics="error")["error"]
    assert prefit.estimand == "this rule, as it was fitted"
    held = trueness.assess(LDA(), X, y, plan=trueness.Holdout(0.5), metrics="error", rng=0)["error"]
    assert held.estimand == "the rule trained on the training part"


def test_folds_of_one_group_compare_cases_within_it_and_say_so(cases):
    X, y, groups = cases
    a = trueness.assess(GaussianNB(), X, y, plan=LeaveOneGroupOut(), groups=groups, metrics="auc", rng=0)
    assert "within-groups" in [note.code for note in a["auc", "cv"].notes]
    b = trueness.assess(GaussianNB(), X, y, plan=GroupKFold(4), groups=groups, metrics="auc", rng=0)
    assert "within-groups" not in [note.code for note in b["auc", "cv"].notes]


def test_a_fitted_model_that_is_trained_anew_is_no_remark():
    X, y = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), GaussianNB())
    fresh = trueness.assess(pipe, X[300:], y[300:], plan=3, rng=0)
    anew = trueness.assess(pipe.fit(X[:300], y[:300]), X[300:], y[300:], plan=3, rng=0)
    assert (anew["error"].value, anew.notes) == (fresh["error"].value, fresh.notes)


def test_a_model_that_was_trained_on_numbers_and_texts_as_labels():
    X, y = load_breast_cancer(return_X_y=True)
    texts = np.where(y == 0, "bad", "good")
    model = GaussianNB().fit(X[:300], (texts[:300] == "bad").astype(int))
    with pytest.raises(InputError, match=r"not among the classes. Got 'bad', 'good'; the classes are \[0, 1\]"):
        trueness.assess(model, X[300:], texts[300:], plan="prefit", positive="bad")
    assert trueness.assess(model, X[300:], (texts[300:] == "bad").astype(int), plan="prefit")["auc"].value > 0.9
    other = GaussianNB().fit(X[:300], texts[:300])
    with pytest.raises(InputError, match="Train all of them on the same labels"):
        trueness.compare({"a": model, "b": other}, X[300:], texts[300:], plan="prefit")
