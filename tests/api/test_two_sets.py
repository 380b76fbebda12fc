"""trueness.two_sets: estimands, laws, and input that is refused before any fit."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import trueness
from trueness.errors import InputError, TruenessWarning, UndefinedError
from trueness.metrics import Error

B = trueness.Bootstrap(30)


def normal(n, shift, rng):
    y = np.repeat([0, 1], n)
    return rng.normal(size=(2 * n, 3)) + shift * y[:, None], y


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    return *normal(20, 0.7, rng), *normal(25, 0.7, rng)


@pytest.fixture(scope="module")
def auc(data):
    return trueness.two_sets(LDA(), *data, plan=B, rng=1)


def test_fixed_is_the_rule_of_the_training_set_on_the_test_set(data, auc):
    Xt, yt, X, y = data
    scores = LDA().fit(Xt, yt).decision_function(X)
    curve = trueness.roc(y, scores).auc
    assert (auc.fixed.value, auc.fixed.se) == pytest.approx((curve.value, curve.se))
    assert auc.fixed.ci() == pytest.approx(curve.ci())
    error = trueness.two_sets(LDA(), *data, metric="error", plan=B, train_sizes=(), rng=1)
    wrong = int((LDA().fit(Xt, yt).predict(X) != y).sum())
    assert error.fixed.ci() == pytest.approx(trueness.tables.proportion_interval(wrong, len(y), "wilson"))


class ProbabilitiesOnly(ClassifierMixin, BaseEstimator):
    """Naive Bayes without log-odds."""

    def fit(self, X, y):
        self.rule_ = GaussianNB().fit(X, y)
        self.classes_ = self.rule_.classes_
        return self

    def predict_proba(self, X):
        return self.rule_.predict_proba(X)

    def predict(self, X):
        return self.rule_.predict(X)


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_losses_of_probabilities_are_those_of_models_without_log_odds(data, metric):
    one, other = (
        trueness.two_sets(model, *data, metric=metric, plan=B, train_sizes=(0.5,), rng=1)
        for model in (GaussianNB(), ProbabilitiesOnly())
    )
    assert one.means == pytest.approx(other.means)
    assert one.variance == pytest.approx(other.variance)
    assert one.bootstrap.value == pytest.approx(other.bootstrap.value)


def test_the_mean_over_training_sets_has_the_total_variance(auc):
    v = auc.variance
    assert min(v.values()) > 0
    assert v["total"] == pytest.approx(v["training"] + v["testing"], rel=1e-14)
    assert auc.mean.value == auc.fixed.value
    assert auc.mean.se**2 == pytest.approx(v["total"])
    assert auc.mean.estimand != auc.fixed.estimand
    assert auc.mean.noted("bootstrap-training-sets")
    assert auc.bootstrap.value == pytest.approx(auc.bootstrap.replicates.mean())


def test_rules_and_moments_of_plain_loops(data, auc):
    """The bootstrap rules fitted by hand, from the same draws."""
    Xt, yt, X, y = data
    counts = B.draw(yt, rng=1).counts
    rules = [LDA().fit(np.repeat(Xt, c, axis=0), np.repeat(yt, c)) for c in counts]
    psi = np.array([[a > b for a in s[y == 1] for b in s[y == 0]] for s in (r.decision_function(X) for r in rules)])
    np.testing.assert_allclose(auc.bootstrap.replicates, psi.mean(axis=1), atol=1e-12)
    # the variance between rules on one test set is the training variance and what two rules do not share of the testing
    c = auc.components
    assert psi.mean(axis=1).var(ddof=1) == pytest.approx(c.training + c.testing - c.shared)


@pytest.mark.parametrize("model", [LDA(), RandomForestClassifier(5)])
def test_workers_do_not_change_a_number(data, model):
    one, two = (trueness.two_sets(model, *data, plan=trueness.Bootstrap(6), rng=2, n_jobs=n) for n in (1, 2))
    assert one.variance == two.variance
    one, two = ({**t.to_dict(), "provenance": t.provenance["seed"]} for t in (one, two))  # without the times
    assert one == two


def test_order_of_test_cases_does_not_matter(data, auc):
    Xt, yt, X, y = data
    order = np.random.default_rng(0).permutation(len(y))
    other = trueness.two_sets(LDA(), Xt, yt, X[order], y[order], plan=B, rng=1)
    assert other.variance == pytest.approx(auc.variance)
    assert other.mean.ci() == pytest.approx(auc.mean.ci())


def test_the_other_class_as_positive_gives_the_same_auc_and_variance(data, auc):
    other = trueness.two_sets(LDA(), *data, plan=B, rng=1, positive=0)
    assert other.fixed.value == pytest.approx(auc.fixed.value)
    assert other.variance == pytest.approx(auc.variance)


def test_labels_turned_around_give_one_minus_auc(data, auc):
    Xt, yt, X, y = data
    other = trueness.two_sets(LDA(), Xt, yt, X, 1 - y, plan=B, rng=1)
    assert other.fixed.value == pytest.approx(1 - auc.fixed.value)
    assert other.variance == pytest.approx(auc.variance)


@pytest.mark.parametrize("metric", ["auc", "error"])
def test_a_difference_is_antisymmetric_and_paired(data, metric):
    models = {"lda": LDA(), "qda": QDA()}
    t = trueness.two_sets(models, *data, metric=metric, plan=B, rng=3)
    r = trueness.two_sets(dict(reversed(models.items())), *data, metric=metric, plan=B, rng=3)
    assert t.difference.fixed.value == pytest.approx(t["lda"].fixed.value - t["qda"].fixed.value)
    assert t.difference.bootstrap.value == pytest.approx(t["lda"].bootstrap.value - t["qda"].bootstrap.value)
    assert r.difference.mean.value == pytest.approx(-t.difference.mean.value)
    assert r.difference.variance == pytest.approx(t.difference.variance)
    alone = trueness.two_sets(LDA(), *data, metric=metric, plan=B, rng=3)
    assert alone.variance == t["lda"].variance
    assert t.difference.variance["total"] < t["lda"].variance["total"] + t["qda"].variance["total"]
    assert set(t.frame().model) == {"lda", "qda", "lda − qda"}


def test_equal_models_have_no_difference_and_no_standard_error(data):
    t = trueness.two_sets({"a": LDA(), "b": LDA()}, *data, plan=B, rng=3).difference
    assert t.mean.value == 0
    assert t.mean.se is None
    assert t.mean.noted("no-se-zero-variance")


def test_separated_classes_have_an_interval_and_no_standard_error_of_0():
    rng = np.random.default_rng(0)
    data = *normal(10, 30.0, rng), *normal(12, 30.0, rng)
    for metric in ("auc", "error"):
        t = trueness.two_sets(LDA(), *data, metric=metric, plan=B, rng=0)
        for e in (t.mean, t.bootstrap):
            assert e.se is None
            low, high = e.ci()
            assert high - low > 0.1
        assert t.variance["total"] == 0
        str(t)


def test_a_negative_component_is_said_and_counts_as_0():
    """The training variance of many cases is small against its error; some seed among a few makes it negative."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        t = trueness.two_sets(
            LDA(), *normal(60, 0.6, rng), *normal(6, 0.6, rng), metric="error", plan=B, train_sizes=(), rng=0
        )
        if t.variance["training"] < 0:
            break
    note = t.mean.noted("negative-component")
    assert note.severity == "warning"
    assert note.data["training"] == t.variance["training"]
    assert t.mean.se**2 == pytest.approx(t.variance["testing"])
    assert note in t.notes
    assert "below 0" in str(t)


def test_fixed_class_sizes_and_priors_make_a_stratified_test_set(data):
    iid = trueness.two_sets(LDA(), *data, metric="error", plan=trueness.Bootstrap(30), rng=1)
    fixed = trueness.two_sets(LDA(), *data, metric="error", plan=trueness.Bootstrap(30, stratified="fixed"), rng=1)
    priors = trueness.two_sets(LDA(), *data, metric=Error(priors=(0.5, 0.5)), plan=trueness.Bootstrap(30), rng=1)
    assert fixed.fixed.value == pytest.approx(iid.fixed.value)
    assert fixed.strata == (25, 25)
    assert iid.strata == (50,)
    assert fixed.variance == pytest.approx(priors.variance)
    turned = trueness.two_sets(LDA(), *data, metric=Error(priors=(0.5, 0.5)), plan=B, positive=0, rng=1)
    assert turned.variance == pytest.approx(priors.variance)


def test_sizes_hold_the_study_itself_and_fall_with_more_cases(auc):
    table = auc.sizes()
    here = table[(table.n_train == auc.n_train) & (table.n_test == auc.n_test)].iloc[0]
    assert {k: here[k] for k in ("training", "testing", "total")} == pytest.approx(auc.variance)
    by_test = table[table.n_train == auc.n_train].sort_values("n_test")
    assert (np.diff(by_test.testing) < 0).all()
    assert by_test.training.nunique() == 1
    assert table.n_train.drop_duplicates().tolist() == [10, 20, 40, 80, 160]
    assert (table.fitted == (table.n_train <= 40)).all()
    twice = auc.sizes(n_train=[80], n_test=[50]).iloc[0]
    assert twice.training == pytest.approx(auc.variance["training"] / 2)
    with pytest.raises(InputError, match="so few"):
        auc.sizes(n_train=[5])
    with pytest.raises(InputError, match="test cases"):
        auc.sizes(n_test=[1])


def test_a_size_at_which_the_model_cannot_be_fitted_is_skipped():
    rng = np.random.default_rng(1)

    class Needs(LDA):
        def fit(self, X, y):
            if len(y) < 15:
                raise ValueError("too few")
            return super().fit(X, y)

    t = trueness.two_sets(Needs(), *normal(20, 1, rng), *normal(10, 1, rng), plan=B, rng=0)
    assert list(t.moments) == [20, 40]
    assert [n.data["n_train"] for n in t.notes if n.code == "training-size-skipped"] == [10]


def test_frames_and_json(auc, data):
    assert auc.frame()["method"].tolist() == [e.method for e in auc.estimates()]
    assert all(e.estimand in str(auc) for e in auc.estimates())
    found = json.loads(auc.to_json())
    assert found["variance"] == auc.variance
    assert str(trueness.load(auc.to_json())) == str(auc)
    frames = [pd.DataFrame(X, columns=list("abc")) for X in (data[0], data[2])]
    same = trueness.two_sets(LDA(), frames[0], data[1], frames[1], data[3], plan=B, rng=1)
    assert same.variance == auc.variance
    with pytest.raises(InputError) as error:
        trueness.two_sets(LDA(), frames[0], data[1], frames[1][["a", "b"]], data[3])
    assert error.value.param == "X_test"


def test_what_cannot_be_answered(data):
    Xt, yt, X, y = data
    with pytest.raises(UndefinedError) as undefined:
        trueness.two_sets(LDA(), *data, plan=trueness.Bootstrap(1))
    assert undefined.value.param == "plan"
    with pytest.raises(UndefinedError) as undefined:
        trueness.two_sets(LDA(), Xt, yt, X[24:], y[24:])
    assert undefined.value.param == "y_test"
    bad = {
        "plan": dict(plan=trueness.KFold(5)),
        "metric": dict(metric="average_precision"),
        "model": dict(model={"a": LDA(), "b": LDA(), "c": LDA()}),
        "model ": dict(model=LDA),
        "X_test": dict(X_test=X[:, :2]),
        "y_test": dict(y_test=y + 1),
        "train_sizes": dict(train_sizes=(2,)),
        "train_sizes ": dict(train_sizes=["half"]),
    }
    good = dict(model=LDA(), X_train=Xt, y_train=yt, X_test=X, y_test=y)
    for param, change in bad.items():
        with pytest.raises(InputError) as error:
            trueness.two_sets(**{**good, **change})
        assert error.value.param == param.strip()
    with pytest.raises(InputError) as error:
        trueness.two_sets(LDA(), Xt, np.arange(40) % 3, X, np.arange(50) % 3, metric="auc")
    assert error.value.param == "metric"


def test_several_classes_have_an_error_rate():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + y[:, None]
    t = trueness.two_sets(RidgeClassifier(), X[:30], y[:30], X[30:], y[30:], metric="error", plan=B, rng=0)
    assert t.mean.se > 0


def test_test_cases_that_are_in_the_training_set_are_counted(data):
    Xt, yt, X, y = data
    with pytest.warns(TruenessWarning) as issued:
        t = trueness.two_sets(LDA(), Xt, yt, np.concatenate([X, Xt[:3]]), np.append(y, yt[:3]), plan=B, rng=0)
    (note,) = (n for n in t.notes if n.code.startswith("test-rows"))
    assert issued[0].message.args[0] == note
    assert (note.data["rows"], note.severity) == (3, "warning")
    coarse = np.round(Xt), np.round(X)  # equal rows by chance
    t = trueness.two_sets(LDA(), pd.DataFrame(coarse[0]), yt, pd.DataFrame(coarse[1]), y, plan=B, rng=0)
    (note,) = (n for n in t.notes if n.code == "test-rows-in-training")
    assert note.severity == "info"


@pytest.mark.filterwarnings("ignore:Test rows with the features")  # every text stands once in either set
def test_texts_and_sparse_tables():
    texts = [f"{'good fine' if k % 3 else 'bad poor'} word{k % 7}" for k in range(40)]
    y = (np.arange(40) % 2).tolist()
    model = make_pipeline(CountVectorizer(), RidgeClassifier())
    t = trueness.two_sets(model, texts[:20], y[:20], texts[20:], y[20:], metric="error", plan=B, rng=0)
    table = CountVectorizer().fit_transform(texts)
    s = trueness.two_sets(RidgeClassifier(), table[:20], y[:20], table[20:], y[20:], metric="error", plan=B, rng=0)
    assert t.variance == pytest.approx(s.variance)


def repeated(X, y, times, start=0):
    return np.repeat(X, times, axis=0), np.repeat(y, times), np.repeat(np.arange(len(y)) + start, times)


@pytest.mark.parametrize("metric", ["auc", "error"])
def test_groups_of_one_case_are_no_groups(data, metric):
    _, yt, _, y = data
    options = {"metric": metric, "plan": trueness.Bootstrap(20), "rng": 1}
    plain = trueness.two_sets(LDA(), *data, **options)
    groups = {"groups_train": np.arange(len(yt))[::-1], "groups_test": [f"t{k}" for k in range(len(y))]}
    single = trueness.two_sets(LDA(), *data, **options, **groups)
    assert plain.frame().equals(single.frame())
    assert plain.sizes().equals(single.sizes())


@pytest.mark.parametrize("metric", ["error", trueness.metrics.Error(priors=(0.3, 0.7)), "auc"])
def test_cases_written_several_times_in_groups_tell_no_more_than_once(data, metric):
    Xt, yt, X, y = data
    options = {"metric": metric, "plan": trueness.Bootstrap(30), "train_sizes": (), "rng": 1}
    once = trueness.two_sets(GaussianNB(), *data, **options)
    many, labels, groups = repeated(X, y, 4, 1000)
    whole = trueness.two_sets(GaussianNB(), Xt, yt, many, labels, groups_test=groups, **options)
    assert whole.strata == (len(y),)
    assert (whole.fixed.value, whole.bootstrap.value) == pytest.approx((once.fixed.value, once.bootstrap.value))
    assert whole.fixed.se == pytest.approx(once.fixed.se, rel=0.03)
    near = 1e-9 if metric == "error" else 0.15  # the moments of an AUC, or of several strata, to first order
    assert whole.variance["testing"] == pytest.approx(once.variance["testing"], rel=near)
    assert whole.variance["total"] == pytest.approx(once.variance["total"], rel=near)
    alone = trueness.two_sets(GaussianNB(), Xt, yt, many, labels, **options)
    assert alone.variance["testing"] < whole.variance["testing"] / 2


def test_training_sets_hold_whole_groups(data):
    Xt, yt, X, y = data
    many, labels, groups = repeated(Xt, yt, 3)
    options = {"metric": "error", "plan": trueness.Bootstrap(30), "rng": 1}
    once = trueness.two_sets(GaussianNB(), *data, **options)
    whole = trueness.two_sets(GaussianNB(), many, labels, X, y, groups_train=groups, **options)
    assert [whole.n_train, *whole.moments] == [3 * m for m in (once.n_train, *once.moments)]
    assert whole.frame()["value"].tolist() == pytest.approx(once.frame()["value"].tolist())
    assert whole.variance == pytest.approx(once.variance)
    assert f"in {len(yt)} groups" in str(whole)


def test_a_difference_with_groups_is_antisymmetric_and_its_order_of_cases_does_not_matter(data):
    Xt, yt, X, y = data
    many, labels, groups = repeated(X, y, 2, 1000)
    options = {"plan": trueness.Bootstrap(20), "train_sizes": (), "rng": 1}
    models = {"lda": LDA(), "nb": GaussianNB()}
    one = trueness.two_sets(models, Xt, yt, many, labels, groups_test=groups, **options)
    order = np.random.default_rng(0).permutation(len(labels))
    other = trueness.two_sets(
        dict(reversed(models.items())), Xt, yt, many[order], labels[order], groups_test=groups[order], **options
    )
    assert one.difference.fixed.value == pytest.approx(-other.difference.fixed.value)
    assert one.difference.variance == pytest.approx(other.difference.variance)


def test_a_group_in_both_sets_is_an_error(data):
    _, yt, _, y = data
    with pytest.raises(InputError) as error:
        trueness.two_sets(LDA(), *data, groups_train=np.arange(len(yt)) // 2, groups_test=np.arange(len(y)) // 2)
    assert error.value.param == "groups_test"
    with pytest.raises(InputError) as error:
        trueness.two_sets(LDA(), *data, groups_train=[1, 2])
    assert error.value.param == "groups_train"
