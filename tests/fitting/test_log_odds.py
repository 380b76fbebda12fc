"""Models whose probabilities round to 1 are ranked by their log-odds; metrics of probabilities get probabilities."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.errors import TruenessWarning


def far_apart(n=120, p=60):
    """Many correlated features: naive Bayes is far too sure."""
    rng = np.random.default_rng(5)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 1)) * 3 + 0.3 * rng.normal(size=(n, p)) + 2.5 * y[:, None], y


class Turned(GaussianNB):
    """Has probabilities of its own."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


def test_probabilities_of_a_subclass_are_its_scores():
    X, y = far_apart(p=2)
    own, other = (trueness.fit(model, X, y, trueness.KFold(4), rng=0).held[0] for model in (Turned(), GaussianNB()))
    assert 0 <= own.min() <= own.max() <= 1
    assert own == pytest.approx(1 - expit(other))


MODELS = [
    GaussianNB(),
    make_pipeline(StandardScaler(), GaussianNB()),
    GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3),
    make_pipeline(StandardScaler(), BernoulliNB()),
]


@pytest.mark.parametrize("engine", ["auto", "generic"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__ + str(len(str(m))))
def test_naive_bayes_is_ranked_by_log_odds(model, engine):
    X, y = far_apart()
    fits = trueness.fit(model, X, y, trueness.Holdout(0.4), rng=0, engine=engine)
    assert fits.log_odds
    assert not fits.probabilities
    train, test = np.flatnonzero(fits.counts[0]), np.flatnonzero(fits.counts[0] == 0)
    logs = model.fit(X[train], y[train]).predict_log_proba(X[test])
    np.testing.assert_allclose(fits.held[0, test], logs[:, 1] - logs[:, 0], rtol=1e-7, atol=1e-7)
    auc = roc_auc_score(y[test], logs[:, 1] - logs[:, 0])
    assert trueness.estimate(fits, "auc", "holdout").value == pytest.approx(auc, abs=1e-12)


def test_saturated_probabilities_would_rank_worse():
    X, y = far_apart()
    fits = trueness.fit(GaussianNB(), X, y, trueness.KFold(5), rng=0)
    with pytest.warns(TruenessWarning, match="have rounded to 0 or 1"):
        saturated = trueness.fit(GaussianNB(), X, y, trueness.KFold(5), rng=0, scores="predict_proba")
    assert saturated.notes[-1].code == "saturated-probabilities"
    assert saturated.notes[-1].data["number"] == np.isin(saturated.full_scores, [0.0, 1.0]).sum() > 20
    assert len(np.unique(fits.full_scores)) == len(y) > len(np.unique(saturated.full_scores))
    assert not any(note.code == "saturated-probabilities" for note in fits.notes)


@pytest.mark.parametrize("positive", [0, 1])
def test_engines_agree_and_the_other_class_has_the_opposite_log_odds(positive):
    X, y = far_apart()
    design = trueness.Bootstrap(30).draw(y, rng=1)
    ours, generic = (
        trueness.fit(GaussianNB(), X, y, design, positive=positive, engine=engine) for engine in ("auto", "generic")
    )
    assert ours.log_odds
    assert generic.log_odds
    assert ours.engine != generic.engine
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-6)
    assert (ours.held_predictions == generic.held_predictions).all()
    sign = 1 if positive == 1 else -1
    jll = GaussianNB().fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(generic.full_scores, sign * (jll[:, 1] - jll[:, 0]))


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # the log-loss depends on the training cases
@pytest.mark.parametrize("plan", [trueness.KFold(4), trueness.Bootstrap(40), None], ids=repr)
def test_metrics_of_probabilities_get_probabilities(plan):
    X, y = far_apart(80, 4)
    a = trueness.assess(GaussianNB(), X, y, plan=plan, metrics=("auc", "brier", "log_loss"), rng=0)
    assert a.fits.log_odds
    fits = trueness.fit(GaussianNB(), X, y, a.fits.design, scores="predict_proba")
    for metric in ("brier", "log_loss"):
        method = "cv" if plan != trueness.Bootstrap(40) else "star"
        assert a[metric, method].value == pytest.approx(trueness.estimate(fits, metric, method).value, abs=1e-12)
    assert a["brier", "apparent"].value == pytest.approx(brier_score_loss(y, expit(a.fits.full_scores)))


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # worse than the shares of the classes
def test_a_comparison_by_brier_score_reads_probabilities():
    X, y = far_apart(80, 4)
    models = {"all": GaussianNB(), "scaled": make_pipeline(StandardScaler(), GaussianNB(var_smoothing=0.1))}
    c = trueness.compare(models, X, y, plan=trueness.KFold(5), metric="brier", rng=0)
    assert abs(c.estimates["all"].value) < 1


def test_fitted_models_and_cross_validate_results_are_ranked_alike():
    X, y = far_apart()
    results = cross_validate(GaussianNB(), X, y, cv=4, return_estimator=True, return_indices=True)
    fits = trueness.Fits.from_cv_results(results, X, y)
    assert fits.log_odds
    first, test = results["estimator"][0], results["indices"]["test"][0]
    odds = np.diff(first.predict_joint_log_proba(X[test]), axis=1)[:, 0]
    np.testing.assert_array_equal(fits.held[0, test], odds)
    a = trueness.assess(first, X[test], y[test], plan="prefit", metrics="auc")
    np.testing.assert_array_equal(a.fits.held[0], odds)


class Sure(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = expit(40 * X[:, 0])
        return np.stack([1 - p, p], axis=1)

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_other_saturated_models_get_a_warning_and_votes_do_not():
    X, y = far_apart(60, 2)
    with pytest.warns(TruenessWarning, match="have rounded to 0 or 1"):
        fits = trueness.fit(Sure(), X - X.mean(axis=0), y, trueness.Holdout(0.3), rng=0)
    note = fits.notes[-1]
    assert note.code == "saturated-probabilities"
    assert note.severity == "warning"
    assert note.data["share"] == note.data["number"] / 60
    for votes in (KNeighborsClassifier(), RandomForestClassifier(5, random_state=0)):
        fits = trueness.fit(votes, X, y, trueness.Holdout(0.3), rng=0)
        assert np.isin(fits.full_scores, [0.0, 1.0]).mean() > 0.1
        assert not any(n.code == "saturated-probabilities" for n in fits.notes)
