"""Models that split their training set: copies of a case stay on one side, groups reach the splitters that ask."""

import numpy as np
import pandas as pd
import pytest
from copies import choices
from scipy.sparse import csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, StackingClassifier
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, RidgeClassifierCV, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import trueness
from trueness.errors import FitError
from trueness.fitting.inner import Together, apart, inner_splits, stops_early
from trueness.fitting.one import fit_rows, seeded
from trueness.sample import Sample

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 3)) + Y[:, None]
COUNTS = trueness.Bootstrap(1).draw(Y, rng=0).counts[0]
ROWS = np.repeat(np.arange(N), COUNTS)
SEED = np.random.SeedSequence(0)

SPLITTERS = [
    KFold(3),
    KFold(3, shuffle=True, random_state=0),
    StratifiedKFold(4, shuffle=True, random_state=0),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ShuffleSplit(5, random_state=0),
    StratifiedShuffleSplit(2, random_state=0),
    LeaveOneOut(),
    GroupKFold(3),
    StratifiedGroupKFold(3),
]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_copies_are_on_one_side_of_any_splitter(splitter):
    groups = (np.arange(N) // 4)[ROWS]
    together = Together(splitter, ROWS, groups)
    splits = list(together.split(X[ROWS], Y[ROWS]))
    assert len(splits) == together.get_n_splits(X[ROWS], Y[ROWS])
    for train, test in splits:
        assert not set(ROWS[train]) & set(ROWS[test])
        assert len(test)
        if "Group" in type(splitter).__name__:
            assert not set(groups[train]) & set(groups[test])


def test_distinct_cases_are_split_as_the_splitter_does():
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    for (a, b), (c, d) in zip(splitter.split(X, Y), Together(splitter, np.arange(N), None).split(X, Y), strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


@pytest.mark.parametrize(
    "form", [np.asarray, pd.DataFrame, lambda X: [str(x) for x in X]], ids=["array", "frame", "texts"]
)
def test_in_a_part_of_the_rows_copies_are_neighbours_that_are_alike(form):
    together = Together(KFold(3, shuffle=True, random_state=0), ROWS, None)
    part = ROWS[:40]
    for train, test in together.split(form(X[part]), Y[part]):
        assert not set(part[train]) & set(part[test])


class Watching(GaussianNB):
    """Remembers which cases it was fitted on and asked about; the first feature is the number of the case."""

    seen = ()

    def fit(self, X, y, sample_weight=None):
        self.cases_ = set(np.asarray(X)[:, 0].tolist())
        return super().fit(X, y)

    def predict(self, X):
        self._check(X)
        return super().predict(X)

    def predict_proba(self, X):
        self._check(X)
        return super().predict_proba(X)

    def _check(self, X):
        asked = set(np.asarray(X)[:, 0].tolist())
        if asked != self.cases_:  # not the training set again
            Watching.seen = (*Watching.seen, len(asked & self.cases_))


NUMBERED = np.column_stack([np.arange(N), X])
INNER = {
    "search": GridSearchCV(Watching(), {"var_smoothing": [1e-9, 1e-3]}, cv=StratifiedKFold(5, shuffle=True)),
    "search, cv=None": GridSearchCV(Watching(), {"var_smoothing": [1e-9, 1e-3]}),
    "calibrated": CalibratedClassifierCV(Watching(), cv=3),
    "threshold": TunedThresholdClassifierCV(Watching(), cv=3),
    "threshold, a share": TunedThresholdClassifierCV(Watching(), cv=0.3),
    "stacking": StackingClassifier([("a", Watching()), ("b", Watching())], LogisticRegression(), cv=3),
    "in a search": GridSearchCV(CalibratedClassifierCV(Watching()), {"method": ["sigmoid", "isotonic"]}, cv=3),
    "in a pipeline": make_pipeline("passthrough", TunedThresholdClassifierCV(Watching())),
}


@pytest.mark.parametrize("name", INNER)
def test_no_model_is_asked_about_a_copy_of_its_training_cases(name):
    model, sample = INNER[name], Sample.of(Y, X=NUMBERED)
    Watching.seen = ()
    fit_rows(seeded(model, SEED), sample, Y, ROWS, inner_splits(model), copied=True)
    assert len(Watching.seen) > 0
    assert set(Watching.seen) == {0}


def test_without_care_the_same_model_is_asked_about_copies():
    Watching.seen = ()
    seeded(INNER["search"], SEED).fit(NUMBERED[ROWS], Y[ROWS])
    assert min(Watching.seen) > 0


def test_on_noise_a_search_does_not_choose_the_nearest_neighbour():
    found = choices(5)
    assert (found["copies apart"][:, 0] == 1).sum() >= 4
    assert (found["copies together"][:, 0] == 1).sum() <= 2
    assert found["copies apart"][:, 1].mean() - found["copies together"][:, 1].mean() > 0.1


def test_without_copies_a_search_is_scikit_learns():
    model = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=3)
    design = trueness.KFold(3).draw(Y, rng=0)
    fits = trueness.fit(model, X, Y, design, scores="predict_proba")
    for f in range(3):
        test = design.tested(f)
        train = np.setdiff1d(np.arange(N), test)
        rule = seeded(model, SEED).fit(X[train], Y[train])
        np.testing.assert_array_equal(fits.held[0, test], rule.predict_proba(X[test])[:, 1])


@pytest.mark.parametrize("plan", [trueness.Bootstrap(3), trueness.KFold(3)], ids=lambda p: type(p).__name__)
def test_groups_reach_the_splitters_that_ask_for_them(plan):
    groups = np.arange(N) // 5
    model = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=GroupKFold(2))
    a = trueness.assess(model, X, Y, plan=plan, groups=groups, metrics="error", rng=0)
    assert not a.fits.failed
    assert "inner-split-mixes-groups" not in [note.code for note in a.notes]
    with pytest.raises(FitError, match="'groups' parameter"):
        trueness.assess(model, X, Y, plan=plan)
    mixing = trueness.assess(model.set_params(cv=2), X, Y, plan=plan, groups=groups, metrics="error", rng=0)
    assert "inner-split-mixes-groups" in [note.code for note in mixing.notes]


def test_weights_instead_of_copies_in_a_leave_one_out_formula():
    for alphas in ([1.0], [0.1, 1.0, 10.0, 100.0]):
        model = RidgeClassifierCV(alphas)
        fits = trueness.fit(model, X, Y, trueness.Bootstrap(4), rng=0, engine="generic")
        for f, counts in enumerate(fits.counts):
            rows = np.repeat(np.arange(N), counts)
            if len(alphas) == 1:  # the same rule as with copies
                np.testing.assert_allclose(fits.scores[f], model.fit(X[rows], Y[rows]).decision_function(X), rtol=1e-9)
    assert apart(RidgeClassifierCV(), N) == []
    assert apart(make_pipeline(StandardScaler(), RidgeClassifierCV()), N) == ["RidgeClassifierCV"]


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(max_iter=40, early_stopping=True, min_samples_leaf=5),
        make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=40, early_stopping=True)),
    ],
    ids=["alone", "pipeline"],
)
def test_early_stopping_validates_on_whole_cases(model, monkeypatch):
    seen = []
    fit = HistGradientBoostingClassifier.fit

    def watched(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        seen.append((set(X[:, 0].tolist()), None if X_val is None else set(X_val[:, 0].tolist())))
        return fit(self, X, y, sample_weight, X_val=X_val, y_val=y_val, sample_weight_val=sample_weight_val)

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", watched)
    fits = trueness.fit(model, X, Y, trueness.Bootstrap(3), rng=0)
    assert not fits.failed
    assert seen[0][1] is None  # all cases, no copies: scikit-learn's own split
    for train, val in seen[1:]:
        assert val
        assert not train & val
    assert "copies-in-inner-split" not in [note.code for note in fits.notes]


@pytest.mark.parametrize(
    "model",
    [
        SGDClassifier(early_stopping=True),
        GradientBoostingClassifier(n_estimators=3, n_iter_no_change=2),
        GridSearchCV(HistGradientBoostingClassifier(max_iter=3, early_stopping=True), {"max_depth": [2]}, cv=2),
    ],
    ids=lambda m: type(m).__name__,
)
def test_splits_that_cannot_be_changed_are_noted(model):
    noted = [note.code for note in trueness.fit(model, X, Y, trueness.Bootstrap(2), rng=0).notes]
    assert "copies-in-inner-split" in noted
    assert "copies-in-inner-split" not in [
        note.code for note in trueness.fit(model, X, Y, trueness.KFold(2), rng=0).notes
    ]


def test_only_active_splits_count():
    assert apart(SGDClassifier(), N) == apart(GradientBoostingClassifier(), N) == []
    assert apart(HistGradientBoostingClassifier(), N) == []
    stopping = HistGradientBoostingClassifier()
    assert stops_early(stopping, 20_000) is stopping
    assert stops_early(make_pipeline(StandardScaler(), stopping), 20_000) is stopping
    cached = make_pipeline(StandardScaler(), stopping, memory="somewhere")
    assert stops_early(cached, 20_000) is None
    assert apart(cached, 20_000) == ["HistGradientBoostingClassifier"]
    assert inner_splits(LogisticRegressionCV()) == ["cv"]
    assert inner_splits(StackingClassifier([("a", GaussianNB())], cv="prefit")) == []
    names = inner_splits(make_pipeline(RFECV(GaussianNB()), SelectFromModel(LassoCV()), GaussianNB()))
    assert names == ["rfecv__cv", "selectfrommodel__estimator__cv"]


@pytest.mark.parametrize("plan", [trueness.Bootstrap(3), trueness.KFold(3)], ids=lambda p: type(p).__name__)
def test_an_encoder_that_shuffles_has_the_seed_of_its_fit(plan):
    kinds = RNG.choice(["a", "b", "c"], size=(N, 2))
    model = make_pipeline(TargetEncoder(), LogisticRegression())
    one, two = (trueness.fit(model, pd.DataFrame(kinds), Y, plan, rng=3) for _ in range(2))
    np.testing.assert_array_equal(one.scores, two.scores)


def test_sparse_tables():
    model = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    dense, sparse = (trueness.fit(model, table, Y, trueness.Bootstrap(2), rng=0) for table in (X, csr_array(X)))
    np.testing.assert_allclose(dense.scores, sparse.scores, rtol=1e-3, atol=1e-3)
