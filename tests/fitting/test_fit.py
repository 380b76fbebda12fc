"""fit: any classifier, any table, never mutated, same bits for any way of working."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import FitError, InputError, TruenessWarning


def same(a, b):
    assert (a.scores.view(np.int64) == b.scores.view(np.int64)).all()
    assert (a.full_scores.view(np.int64) == b.full_scores.view(np.int64)).all()
    assert (np.asarray(a.held_predictions[0 : a.n_fits]) == np.asarray(b.held_predictions[0 : b.n_fits])).all()


@pytest.mark.parametrize(
    "plan", [trueness.Bootstrap(24), trueness.KFold(4, repeats=2), trueness.plans.MonteCarlo(6)], ids=str
)
@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(5), make_pipeline(StandardScaler(), SelectKBest(k=2), SVC()), SGDClassifier()],
    ids=["forest", "pipeline", "sgd"],
)
def test_same_bits_for_any_jobs_and_batches(two_gaussians, plan, model):
    X, y = two_gaussians
    design = plan.draw(y, rng=0)
    reference = trueness.fit(model, X, y, design, n_jobs=1)
    same(reference, trueness.fit(model, X, y, design, n_jobs=2))
    for batch_size in (1, 7, 100):
        same(reference, trueness.fit(model, X, y, design, n_jobs=1, batch_size=batch_size))
    same(reference, trueness.fit(model, X, y, plan, rng=0))


def test_a_model_is_cloned_never_changed(two_gaussians):
    X, y = two_gaussians
    model = RandomForestClassifier(3)
    before = model.get_params()
    trueness.fit(model, X, y, trueness.Bootstrap(3), rng=0)
    assert model.get_params() == before
    assert not hasattr(model, "estimators_")


def test_open_random_states_are_filled_and_set_ones_left_alone(two_gaussians):
    X, y = two_gaussians
    design = trueness.Bootstrap(4).draw(y, rng=0)
    seeds = []

    class Spy(ClassifierMixin, BaseEstimator):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def fit(self, X, y):
            seeds.append(self.random_state)
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

        def decision_function(self, X):
            return X[:, 0]

    trueness.fit(Spy(), X, y, design)
    assert len(set(seeds)) == 5
    assert None not in seeds
    seeds.clear()
    trueness.fit(Spy(random_state=3), X, y, design)
    assert set(seeds) == {3}


def test_every_kind_of_table_gives_the_same(two_gaussians):
    X, y = two_gaussians
    names = ["a", "b", "c"]
    design = trueness.Bootstrap(5).draw(y, rng=0)
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
    reference = trueness.fit(model, X, y, design).scores
    frame = pd.DataFrame(X, columns=names)
    tables = [frame, pl.DataFrame(dict(zip(names, X.T, strict=True)))]
    for table in (*tables, sp.csr_matrix(X)):  # columns in another order of memory round differently
        np.testing.assert_allclose(trueness.fit(model, table, y, design).scores, reference, atol=1e-9)
    series = pd.Series(y, name="target")
    np.testing.assert_allclose(trueness.fit(model, frame, series, design).scores, reference, atol=1e-9)


def test_the_positive_class_turns_the_scores(two_gaussians):
    X, y = two_gaussians
    labels = np.array(["well", "sick"])[y]
    for model in (LinearDiscriminantAnalysis(), DecisionTreeClassifier(max_depth=2, random_state=0)):
        design = trueness.Bootstrap(30).draw(labels, rng=0)
        sick = trueness.fit(model, X, labels, design, positive="sick")
        well = trueness.fit(model, X, labels, design, positive="well")
        a, b = (trueness.estimate(f, "auc", "star").value for f in (sick, well))
        assert a == pytest.approx(b, abs=1e-12)  # both orient the score: AUC(sick) of s is AUC(well) of −s
        assert a > 0.5
        assert trueness.estimate(sick, "fnf", "loob").value == trueness.estimate(well, "fpf", "loob").value
        with pytest.raises(InputError, match=r"'sick' and 'well'.*positive="):
            trueness.estimate(trueness.fit(model, X, labels, design), "auc", "star")
        assert trueness.estimate(trueness.fit(model, X, labels, design), "error", "loob").value > 0


def test_probabilities_or_decisions(two_gaussians):
    X, y = two_gaussians
    design = trueness.Bootstrap(3).draw(y, rng=0)
    lda = LinearDiscriminantAnalysis()
    assert not trueness.fit(lda, X, y, design).probabilities
    p = trueness.fit(lda, X, y, design, scores="predict_proba")
    assert p.probabilities
    assert ((p.scores >= 0) & (p.scores <= 1)).all()
    with pytest.raises(InputError, match="no predict_proba"):
        trueness.fit(SVC(), X, y, design, scores="predict_proba")
    with pytest.raises(InputError, match="scores must be"):
        trueness.fit(lda, X, y, design, scores="proba")


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails where the first case is not in its training set at least `times` times."""

    def __init__(self, times=1, how="raise"):
        self.times, self.how = times, how

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.bad_ = (X[:, 0] == 99).sum() < self.times
        if self.bad_ and self.how == "raise":
            raise np.linalg.LinAlgError("singular matrix")
        return self

    def predict(self, X):
        return (X[:, 1] > 0).astype(int)

    def decision_function(self, X):
        return np.where(X[:, 0] == 99, np.nan if self.bad_ and self.how == "nan" else 0, X[:, 1])


def fragile_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    X[:, 1] += y
    return X, y


def test_failed_fits_are_counted_and_named_never_dropped_silently():
    X, y = fragile_data()
    X[0:6, 0] = 99  # six marked cases: few replicates miss all of them
    for how, reason in (("raise", "singular matrix"), ("nan", "NaN or infinite")):
        fits = trueness.fit(Fragile(how=how), X, y, trueness.Bootstrap(400), rng=1)
        missed = (fits.counts[:, :6].sum(axis=1) < 1).nonzero()[0]
        assert [f.fit for f in fits.failed] == missed.tolist()
        assert 0 < len(missed) < 40
        assert all(reason in f.error for f in fits.failed)
        e = trueness.estimate(fits, "error", "loob")
        assert e.noted("failed-fits").data["failed"] == len(missed)
        ok = np.setdiff1d(np.arange(400), missed)
        kept = trueness.Fits.from_arrays(
            y, fits.counts[ok], fits.scores[ok], predictions=np.asarray(fits.held_predictions)[ok], stratified=True
        )
        assert e.value == trueness.estimate(kept, "error", "loob").value


def test_too_many_failures_and_a_failing_full_fit_are_errors():
    X, y = fragile_data()
    X[0, 0] = 99
    with pytest.raises(FitError, match=r"of 50 fits failed, more than 10 %.*singular matrix"):
        trueness.fit(Fragile(), X, y, trueness.Bootstrap(50), rng=0)
    with pytest.raises(FitError, match="does not fit on all 40 cases"):
        trueness.fit(Fragile(times=2), X, y, trueness.Bootstrap(50), rng=0)


def test_a_lost_class_is_a_failure():
    X, y = fragile_data()
    y = np.array([0] * 37 + [1] * 3)
    X[:, 1] += 3 * y
    fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.Bootstrap(200, stratified=False), rng=0)
    lost = (fits.counts[:, y == 1].sum(axis=1) == 0).nonzero()[0]
    assert [f.fit for f in fits.failed] == lost.tolist()
    assert len(lost) > 0


def test_a_model_without_scores():
    X, y = fragile_data()

    class Silent(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X[:, 1] > 0).astype(int)

    fits = trueness.fit(Silent(), X, y, trueness.Bootstrap(30), rng=0)
    assert fits.scores is None
    assert trueness.estimate(fits, "error", "loob").se > 0
    with pytest.raises(InputError, match="needs scores, and this model predicts labels only"):
        trueness.estimate(fits, "auc", "lpob")


def test_designs_and_labels_must_belong_together(two_gaussians):
    X, y = two_gaussians
    design = trueness.Bootstrap(5).draw(y, rng=0)
    model = LinearDiscriminantAnalysis()
    with pytest.raises(InputError, match="drawn for other labels"):
        trueness.fit(model, X, 1 - y, design)
    with pytest.raises(InputError, match="its own seed"):
        trueness.fit(model, X, y, design, rng=1)
    with pytest.raises(InputError, match="other groups"):
        trueness.fit(model, X, y, design, groups=np.arange(40) // 2)
    with pytest.raises(InputError, match="a design"):
        trueness.fit(model, X, y, 1000)
    with pytest.raises(InputError, match="fit and predict"):
        trueness.fit("lda", X, y, design)


def test_scores_of_a_full_tree_are_no_labels_and_hard_labels_are_warned_of(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(DecisionTreeClassifier(random_state=0), X, y, trueness.Bootstrap(3), rng=0)
    assert fits.notes == ()
    with pytest.warns(TruenessWarning, match="look like class labels"):
        trueness.Fits.from_arrays(y, counts=np.zeros((1, len(y)), int), scores=[y])


def test_an_interrupt_ends_the_work(two_gaussians):
    X, y = two_gaussians

    class Interrupted(Fragile):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trueness.fit(Interrupted(), X, y, trueness.Bootstrap(3), rng=0)


def test_scores_larger_than_memory_go_to_a_file_with_the_same_numbers(two_gaussians, monkeypatch):
    X, y = two_gaussians
    design = trueness.Bootstrap(300).draw(y, rng=0)
    model = LinearDiscriminantAnalysis()
    here = trueness.fit(model, X, y, design)
    monkeypatch.setattr("trueness.sample.rows.SPILL_BYTES", 1000)
    monkeypatch.setattr(
        "trueness.sample.design.Design.slices", lambda self, cells=0: (slice(i, i + 100) for i in (0, 100, 200))
    )
    there = trueness.fit(model, X, y, design)
    assert type(there.held).__name__ == "FileRows"
    for metric, method in (("error", "loob"), ("auc", "lpob"), ("auc", "star")):
        a, b = (trueness.estimate(f, metric, method) for f in (here, there))
        assert a.value == pytest.approx(b.value, abs=1e-14)
        if a.se is not None:
            assert a.se == pytest.approx(b.se, rel=1e-12)
    same(here, there)


class Noisy(DecisionTreeClassifier):
    """A model that warns, each time in other words."""

    def fit(self, X, y):
        import warnings

        for k in range(100_000):
            warnings.warn(f"warning {k}", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_of_very_many_warnings_only_the_first_is_kept(two_gaussians):
    from trueness.fitting.one import Fitter

    X, y = two_gaussians
    fitter = Fitter(Noisy(), trueness.sample.Sample.of(y, X=X), "predict_proba", held_out_only=False)
    tracemalloc.start()
    (answer,) = fitter.fits(np.ones((1, len(y)), dtype=np.uint8), [np.random.SeedSequence(0)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.warned == "UserWarning: warning 0"
    assert peak < 2**22  # all of them take 50 MB


def test_a_model_that_can_predict_only_once_it_is_fitted():
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    stack = StackingClassifier([("nb", GaussianNB())], LogisticRegression(), cv=3)
    fits = trueness.fit(stack, X, y, trueness.KFold(3), rng=0)
    assert not fits.failed


def without(*missing):
    """Naive Bayes without these methods and attributes."""

    class Some(BaseEstimator, ClassifierMixin):
        def fit(self, X, y):
            self.rule_ = GaussianNB().fit(X, y)
            self.classes_ = self.rule_.classes_
            for name in {"classes_"} & {*missing}:
                delattr(self, name)
            return self

        def predict(self, X):
            return self.rule_.predict(X)

        def predict_proba(self, X):
            return self.rule_.predict_proba(X)

    for name in {*missing} - {"classes_"}:
        delattr(Some, name)
    return Some()


@pytest.mark.parametrize("missing", [["predict"], ["classes_"], ["predict", "classes_"]], ids=" and ".join)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_with_probabilities_alone_or_without_classes(missing, classes):
    rng = np.random.default_rng(0)
    y = np.array(["c", "a", "b"])[np.arange(60) % classes]
    X = rng.normal(size=(60, 2)) + (np.arange(60) % classes)[:, None]
    model = without(*missing)
    model.fit(X, y)  # fitted before: no remark
    design = trueness.KFold(3).draw(y, rng=0)
    one, all_ = (trueness.fit(m, X, y, design, scores="predict_proba") for m in (model, without()))
    assert np.array_equal(one.held_predictions, all_.held_predictions)
    assert np.array_equal(one.held, all_.held)
    assert one.notes == all_.notes


def test_what_a_model_lacks_is_named():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    for missing in (["fit"], ["predict", "predict_proba"]):
        with pytest.raises(InputError, match=", ".join(f"no {name}" for name in missing)):
            trueness.fit(without(*missing), X, y, trueness.KFold(2))


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_sample_takes_features_where_it_has_none():
    y, X = np.tile([0, 1], 15), np.random.default_rng(0).normal(size=(30, 2))
    whole = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.KFold(3), rng=0)
    for features, sample in (
        (X, trueness.sample.Sample.of(y)),
        (None, trueness.sample.Sample.of(y, X=X)),
        (X, trueness.sample.Sample.of(y, X=X)),
    ):
        np.testing.assert_array_equal(
            trueness.fit(LinearDiscriminantAnalysis(), features, sample, trueness.KFold(3), rng=0).held, whole.held
        )
    assert (
        trueness.assess(LinearDiscriminantAnalysis(), X, trueness.sample.Sample.of(y), plan=3, metrics="error", rng=0)[
            "error"
        ].value
        >= 0
    )
    assert (
        trueness.compare(
            [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis()],
            X,
            trueness.sample.Sample.of(y),
            plan=3,
            metric="error",
            rng=0,
        ).p_value
        == 1
    )


@pytest.mark.parametrize(
    ("X", "sample", "options", "param"),
    [
        (None, {}, {}, "X"),
        (np.ones((30, 2)), {"X": np.zeros((30, 2))}, {}, "X"),
        (np.ones((29, 2)), {}, {}, "X"),
        (np.ones((30, 2)), {}, {"positive": 0}, "positive"),
        (np.ones((30, 2)), {}, {"groups": np.arange(30) // 2}, "groups"),
        (np.ones((30, 2)), {"groups": np.arange(30) // 3}, {"groups": np.arange(30) // 2}, "groups"),
    ],
)
def test_nothing_contradicts_a_sample(X, sample, options, param):
    with pytest.raises(InputError) as e:
        trueness.fit(
            LinearDiscriminantAnalysis(),
            X,
            trueness.sample.Sample.of(np.tile([0, 1], 15), **sample),
            trueness.KFold(3),
            **options,
        )
    assert e.value.param == param


def test_a_model_without_features_is_an_error_about_X():
    for call in (lambda *data: trueness.assess(*data, plan=3), lambda *data: trueness.fit(*data, trueness.KFold(3))):
        with pytest.raises(InputError) as e:
            call(LinearDiscriminantAnalysis(), None, np.tile([0, 1], 15))
        assert e.value.param == "X"
