"""Models that use scikit-learn's metadata routing, with it on and off: requests, groups of inner splitters, workers."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import trueness

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
GROUPS = np.arange(N) // 5
X = RNG.normal(size=(N, 3)) + Y[:, None]
PLANS = [trueness.Bootstrap(4), trueness.KFold(3)]
GRID = {"C": [0.01, 1.0]}


@pytest.fixture(params=[True, False], ids=["routing on", "routing off"], autouse=True)
def routing(request):
    with config_context(enable_metadata_routing=request.param):
        yield request.param


def asking(model):
    """A model that asks for weights; the request can be set while routing is on only."""
    with config_context(enable_metadata_routing=True):
        return model.set_fit_request(sample_weight=True)


MODELS = {
    "search": lambda: GridSearchCV(asking(LogisticRegression()), GRID, cv=3),
    "search in a pipeline": lambda: make_pipeline(StandardScaler(), GridSearchCV(asking(LogisticRegression()), GRID)),
    "pipeline in a search": lambda: GridSearchCV(
        make_pipeline(asking(StandardScaler()), asking(LogisticRegression())),
        {"logisticregression__C": [0.01, 1.0]},
        cv=3,
    ),
    "calibrated": lambda: CalibratedClassifierCV(asking(GaussianNB()), cv=3),
    "threshold": lambda: TunedThresholdClassifierCV(asking(LogisticRegression()), thresholds=9, cv=3),
    "stacking": lambda: StackingClassifier([("a", asking(GaussianNB()))], asking(LogisticRegression()), cv=3),
    "ridge": lambda: asking(RidgeClassifierCV()),
    "counts": lambda: make_pipeline(FunctionTransformer(np.abs), asking(MultinomialNB())),
    "early": lambda: asking(HistGradientBoostingClassifier(max_iter=5, early_stopping=True, min_samples_leaf=5)),
}


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("routing", [True], indirect=True)  # the test itself takes the other
def test_requests_for_weights_change_nothing(name, plan, routing):
    """trueness passes no weights of cases, so a model that asks for them is the model that does not."""
    fits = trueness.fit(MODELS[name](), X, Y, plan, rng=0)
    with config_context(enable_metadata_routing=not routing):
        other = trueness.fit(MODELS[name](), X, Y, plan, rng=0)
    assert not fits.failed
    assert not other.failed
    np.testing.assert_array_equal(fits.scores, other.scores)


class Recording(LogisticRegression):
    """Remembers the groups that it was trained on and asked about; the first feature is the group."""

    seen = ()

    def fit(self, X, y, sample_weight=None):
        self.groups_ = set(X[:, 0].tolist())
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        if len(X) < N:  # a rule of a bootstrap sample is asked about all cases at the end
            Recording.seen = (*Recording.seen, len(set(X[:, 0].tolist()) & self.groups_))
        return super().predict(X)


SPLITTERS = [GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut()]
WITH_GROUPS = np.column_stack([GROUPS, X])


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("wrapped", [False, True], ids=["alone", "pipeline"])
def test_inner_splitters_get_the_groups_of_their_training_set(plan, splitter, wrapped):
    search = GridSearchCV(asking(Recording()), GRID, cv=splitter, scoring="accuracy")
    model = make_pipeline(FunctionTransformer(), search) if wrapped else search
    Recording.seen = ()
    a = trueness.assess(model, WITH_GROUPS, Y, plan=plan, groups=GROUPS, metrics="error", rng=0)
    assert not a.fits.failed
    assert "inner-split-mixes-groups" not in [note.code for note in a.notes]
    assert len(Recording.seen) > 0
    assert set(Recording.seen) == {0}


def test_a_searched_fit_on_groups_has_scikit_learns_numbers(routing):
    model = GridSearchCV(LogisticRegression(), GRID, cv=GroupKFold(3))
    fits = trueness.fit(model, X, Y, trueness.plans.Splits(GroupKFold(4)), groups=GROUPS, scores="predict_proba")
    for train, test in GroupKFold(4).split(X, Y, GROUPS):
        rule = GridSearchCV(LogisticRegression(), GRID, cv=GroupKFold(3)).fit(X[train], Y[train], groups=GROUPS[train])
        np.testing.assert_array_equal(fits.held[0, test], rule.predict_proba(X[test])[:, 1])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_have_the_routing_of_the_caller(routing, n_jobs):
    def checked(X):
        from sklearn import get_config

        if get_config()["enable_metadata_routing"] != routing:
            raise ValueError("a worker has a configuration of its own")
        return X

    model = make_pipeline(FunctionTransformer(checked), GaussianNB())
    assert not trueness.fit(model, X, Y, trueness.Bootstrap(6), rng=0, n_jobs=n_jobs).failed
