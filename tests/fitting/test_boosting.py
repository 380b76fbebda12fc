"""XGBoost, LightGBM and CatBoost through fit, assess and compare: labels, tables, threads, messages."""

import warnings

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from xgboost import XGBClassifier, XGBRegressor

import trueness
from trueness.errors import FitError, InputError
from trueness.fitting.one import seeded
from trueness.fitting.store import RunStore

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

N = 80
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
CODES = (X[:, 0] + 0.5 * RNG.normal(size=N) > 0).astype(int)
BOOSTERS = {
    "xgboost": lambda **more: XGBClassifier(n_estimators=5, max_depth=2, **more),
    "lightgbm": lambda **more: LGBMClassifier(n_estimators=5, min_child_samples=5, **more),
    "catboost": lambda **more: CatBoostClassifier(iterations=5, depth=2, **more),
}
LABELS = {
    "texts": np.array(["no", "yes"]),
    "turned": np.array(["sick", "healthy"]),
    "signs": np.array([-1, 1]),
    "numbers": np.array([1, 2]),
    "booleans": np.array([False, True]),
}


def table():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[::7, "a"] = np.nan
    frame["kind"] = pd.Categorical(np.where(CODES, RNG.choice(["u", "v"], N), "w"))
    return frame


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("booster", BOOSTERS)
def test_any_two_labels_give_the_numbers_of_0_and_1(booster, labels):
    plan = StratifiedKFold(4)
    y = LABELS[labels][CODES]
    a = trueness.assess(BOOSTERS[booster](), X, y, plan=plan, positive=LABELS[labels][1], rng=0)
    same = trueness.assess(BOOSTERS[booster](), X, CODES, plan=plan, rng=0)
    assert a["auc"].value == same["auc"].value > 0.7
    assert a["error"].value == same["error"].value < 0.3
    encoded = booster == "xgboost" and labels != "booleans"
    assert ("labels-encoded" in [note.code for note in a.notes]) == encoded
    assert a.fits.sample.classes.tolist() == sorted(LABELS[labels].tolist())


WEIGHTED = XGBClassifier(n_estimators=5, max_depth=2, scale_pos_weight=9)


def test_the_positive_class_has_the_weight_whatever_its_name(tmp_path):
    y = np.array(["good", "bad"])[CODES]
    ways = (StratifiedKFold(4), {"metrics": ["tpf", "fpf"], "rng": 0})
    expected = trueness.assess(WEIGHTED, X, CODES, plan=ways[0], **ways[1])
    assert expected["tpf"].value > 0.9
    for plan, more in ((ways[0], {}), (trueness.KFold(4), {"store": tmp_path / "runs"})):
        same = expected if not more else trueness.assess(WEIGHTED, X, CODES, plan=plan, **ways[1])
        for _ in range(2):  # the second time from the store
            a = trueness.assess(WEIGHTED, X, y, plan=plan, positive="bad", **ways[1], **more)
            (note,) = [note for note in a.notes if note.code == "labels-encoded"]
            assert note.data["codes"] == {"bad": 1, "good": 0}
            if not more:
                assert [a[m].value for m in ("tpf", "fpf")] == [same[m].value for m in ("tpf", "fpf")]
        assert a["tpf"].value > max(0.9, a["fpf"].value + 0.2)
    other = trueness.assess(WEIGHTED, X, y, plan=plan, positive="good", store=tmp_path / "others", **ways[1])
    assert other["tpf"].value > 0.9
    k = trueness.compare([WEIGHTED, LGBMClassifier()], X, y, positive="bad", metric="tpf", plan=ways[0], rng=0)
    assert k.estimates["XGBClassifier"].value == expected["tpf"].value
    halves = {"metric": "tpf", "plan": trueness.Bootstrap(5), "train_sizes": (), "rng": 0}
    t = trueness.two_sets(WEIGHTED, X[:40], y[:40], X[40:], y[40:], positive="bad", **halves)
    assert t.fixed.value == trueness.two_sets(WEIGHTED, X[:40], CODES[:40], X[40:], CODES[40:], **halves).fixed.value


def test_fits_of_other_labels_in_a_store_are_not_used(tmp_path):
    design = trueness.KFold(3).draw(CODES, rng=0)
    store = RunStore(tmp_path / "runs", design.sample, design)
    runs = [store.run(WEIGHTED, design, "auto", labels).number for labels in (None, np.arange(2), np.array([1, 0]))]
    assert len(set(runs)) == 3


def stopped(booster):
    more = {"use_best_model": True} if booster == "catboost" else {"early_stopping_rounds": 2}
    return BOOSTERS[booster](**more)


@pytest.mark.parametrize("labels", ["texts", "signs", "numbers", "booleans"])  # turned around, others are drawn
def test_two_sets_with_any_two_labels(labels):
    y, plan = LABELS[labels][CODES], trueness.Bootstrap(10)
    options = {"metric": "auc", "plan": plan, "train_sizes": (), "rng": 0}
    t = trueness.two_sets(BOOSTERS["xgboost"](), X[:40], y[:40], X[40:], y[40:], positive=LABELS[labels][1], **options)
    same = trueness.two_sets(BOOSTERS["xgboost"](), X[:40], CODES[:40], X[40:], CODES[40:], **options)
    assert (t.fixed.value, t.mean.se) == pytest.approx((same.fixed.value, same.mean.se))
    assert t.variance == pytest.approx(same.variance)
    assert ("labels-encoded" in [note.code for note in t.notes]) == (labels != "booleans")


def test_selection_with_texts_as_labels():
    model = make_pipeline(SelectKBest(k=1), BOOSTERS["xgboost"]())
    sets = trueness.selection.selected(model, X, np.array(["p", "q"])[CODES], trueness.Bootstrap(5), rng=0)
    assert sets.equals(trueness.selection.selected(model, X, CODES, trueness.Bootstrap(5), rng=0))


@pytest.mark.parametrize("booster", BOOSTERS)
def test_three_classes(booster):
    y = np.array(["p", "q", "r"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    a = trueness.assess(BOOSTERS[booster](), X, y, plan=StratifiedKFold(4), rng=0)
    assert a["error"].value < 0.3
    assert a["auc"].value > 0.8


@pytest.mark.parametrize("booster", BOOSTERS)
def test_scikit_learns_numbers(booster):
    splits = StratifiedKFold(4)
    plan = trueness.plans.Splits(list(splits.split(X, CODES)))
    fits = trueness.fit(BOOSTERS[booster](random_state=0), X, CODES, plan, scores="predict_proba")
    quiet = {
        "xgboost": {"n_jobs": 1},
        "lightgbm": {"n_jobs": 1, "verbose": -1},
        "catboost": {"thread_count": 1, "verbose": 0, "allow_writing_files": False},
    }
    model = BOOSTERS[booster](random_state=0, **quiet[booster])
    expected = cross_val_predict(model, X, CODES, cv=splits, method="predict_proba")[:, 1]
    held = fits.scores[np.isfinite(fits.scores)]
    np.testing.assert_allclose(np.sort(held), np.sort(expected), rtol=1e-6)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_categories_and_missing_values(booster):
    more = {"xgboost": {"enable_categorical": True}, "catboost": {"cat_features": ["kind"]}}.get(booster, {})
    y = LABELS["texts"][CODES]
    a = trueness.assess(BOOSTERS[booster](**more), table(), y, plan=trueness.Bootstrap(5), positive="yes", rng=0)
    assert a["auc"].value > 0.8
    assert not a.fits.failed


@pytest.mark.parametrize("booster", BOOSTERS)
def test_at_the_end_of_a_pipeline_inside_a_search_and_compared(booster):
    y = LABELS["texts"][CODES]
    depth = {"lightgbm": "num_leaves", "xgboost": "max_depth", "catboost": "depth"}[booster]
    pipeline = make_pipeline(SimpleImputer(), BOOSTERS[booster]())
    search = GridSearchCV(pipeline, {f"{pipeline.steps[-1][0]}__{depth}": [2, 4]}, cv=2, scoring="roc_auc")
    k = trueness.compare([pipeline, search], X, y, metric="auc", positive="yes", plan=trueness.KFold(3), rng=0)
    assert abs(k.difference.value) < 0.2


def test_texts_in_a_list():
    texts = ["win cash now" if code else "see you at lunch" for code in CODES]
    texts = [f"{text} {word}" for text, word in zip(texts, RNG.choice(["a1", "b2", "c3"], N), strict=True)]
    model = make_pipeline(TfidfVectorizer(), XGBClassifier(n_estimators=3))
    for given in (texts, pd.Series(texts)):
        a = trueness.assess(model, given, LABELS["texts"][CODES], plan=trueness.KFold(3), positive="yes", rng=0)
        assert a["error"].value == 0


@pytest.mark.parametrize("booster", BOOSTERS)
def test_workers_change_no_bit(booster):
    one, two = (trueness.fit(BOOSTERS[booster](), X, CODES, trueness.Bootstrap(6), rng=1, n_jobs=j) for j in (1, 2))
    np.testing.assert_array_equal(one.scores, two.scores)


def test_open_threads_become_one_and_those_that_are_set_stay():
    seed = np.random.SeedSequence(0)
    for booster, name in (("xgboost", "n_jobs"), ("lightgbm", "n_jobs"), ("catboost", "thread_count")):
        assert seeded(BOOSTERS[booster](), seed).get_params()[name] == 1
        assert seeded(BOOSTERS[booster](**{name: 3}), seed).get_params()[name] == 3
        inside = seeded(make_pipeline(SimpleImputer(), BOOSTERS[booster]()), seed)
        assert inside.steps[-1][1].get_params()[name] == 1
    assert "num_threads" in seeded(LGBMClassifier(num_threads=2), seed).get_params()
    assert seeded(LGBMClassifier(num_threads=2), seed).get_params()["n_jobs"] is None


@pytest.mark.parametrize("booster", BOOSTERS)
def test_no_line_per_fit(booster, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trueness.fit(BOOSTERS[booster](), X, CODES, trueness.Bootstrap(5), rng=0)
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")
    assert not list(tmp_path.iterdir())


class Warns(ClassifierMixin, BaseEstimator):
    """A model that warns at every step of every fit."""

    def fit(self, X, y):
        for i in range(100):
            warnings.warn(f"step {i}", UserWarning, stacklevel=2)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_warnings_of_fits_are_one_note_and_labels_alone_are_assessed():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        a = trueness.assess(Warns(), X, CODES, plan=trueness.Bootstrap(30), metrics="error", rng=0)
    assert not [w for w in caught if w.category is UserWarning]  # nor of the fit on all cases
    (note,) = [note for note in a.notes if note.code == "fit-warnings"]
    assert note.data["fits"] == 30
    with pytest.raises(InputError):
        trueness.assess(Warns(), X, CODES, plan=trueness.Bootstrap(3), metrics="auc", rng=0)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        XGBRegressor(),
        make_pipeline(SimpleImputer(), LinearRegression()),
        GridSearchCV(LinearRegression(), {}),
    ],
    ids=lambda m: type(m).__name__,
)
def test_regressors_of_texts_are_refused_before_anything_is_fitted(model):
    with pytest.raises(InputError) as e:
        trueness.assess(model, X, LABELS["texts"][CODES])
    assert e.value.param == "y"


def test_a_model_that_fails_with_any_labels_shows_its_own_error():
    with pytest.raises(FitError, match="alpha"):
        trueness.assess(RidgeClassifier(alpha=-1.0), X, LABELS["texts"][CODES], positive="yes")


def test_a_fitted_model_with_other_labels_is_an_error():
    model = XGBClassifier(n_estimators=2).fit(X, CODES)
    with pytest.raises(InputError) as e:
        trueness.assess(model, X, LABELS["texts"][CODES], plan="prefit", positive="yes")
    assert e.value.param == "y"


def test_classes_in_the_order_of_the_model():
    y = LABELS["texts"][CODES]
    model = CatBoostClassifier(iterations=5, class_names=["yes", "no"])
    plain = CatBoostClassifier(iterations=5)
    for metric in ("error", "auc"):
        a, b = (trueness.assess(m, X, y, plan=4, metrics=metric, positive="yes", rng=0)[metric] for m in (model, plain))
        assert a.value == pytest.approx(b.value, abs=0.05)


def test_decision_values_of_a_pipeline_with_other_labels():
    y = LABELS["turned"][CODES]
    a = trueness.assess(LinearSVC(), X, y, plan=4, positive="sick", rng=0)
    b = trueness.assess(LinearSVC(), X, y, plan=4, positive="healthy", rng=0)
    assert a["auc"].value == pytest.approx(b["auc"].value)


def test_the_error_is_that_with_labels_that_the_model_takes():
    xgboost = pytest.importorskip("xgboost")
    X = pd.DataFrame({"plan": ["yes", "no"] * 20, "minutes": range(40)})
    with pytest.raises(trueness.errors.FitError, match="plan") as raised:
        trueness.assess(xgboost.XGBClassifier(), X, ["churned", "stayed"] * 20, positive="churned", rng=0, checks=False)
    assert "inferred from unique values" not in str(raised.value)
