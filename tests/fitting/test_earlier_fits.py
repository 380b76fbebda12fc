"""A run that goes on from earlier fits has the numbers of a single run, to the last bit."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import InputError

MODELS = {
    "closed form": LDA(),
    "iterated": LogisticRegression(),
    "one by one, random": DecisionTreeClassifier(max_depth=3, max_features=1),
}
PLANS = [  # with a closed form, a block is 512 training sets here
    (trueness.Bootstrap(90), 700),
    (trueness.Bootstrap(600, stratified=False), 50),
    (trueness.KFold(5, repeats=3), 2),
    (trueness.plans.NestedKFold(4, repeats=1), 2),
    (trueness.CvBootstrap(5, repeats=2, n_resamples=20), 3),
]


def same(one, two):
    assert one.design.fingerprint == two.design.fingerprint
    assert (one.engine, one.failed, one.warned, one.one_by_one) == (two.engine, two.failed, two.warned, two.one_by_one)
    assert one.notes == two.notes
    np.testing.assert_array_equal(one.full_scores, two.full_scores)
    for a, b in zip(one.parts or (one,), two.parts or (two,), strict=True):
        np.testing.assert_array_equal(a.held, b.held)
        np.testing.assert_array_equal(a.held_predictions, b.held_predictions)


def longer(plan, n, y, groups=None):
    design = plan.draw(y, groups=groups, rng=3)
    return design, plan.longer(n, design).draw(y, groups=groups, rng=3)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("plan", "n"), PLANS, ids=str)
def test_a_continued_run_is_a_single_run(two_gaussians, plan, n, name):
    if name == "one by one, random" and plan.kind == "bootstrap":
        plan, n = plan.of_size(10), 7
    X, y = two_gaussians
    short, long = longer(plan, n, y)
    earlier = trueness.fit(MODELS[name], X, y, short)
    jobs = 1 if name == "one by one, random" and plan.kind != "cv+bootstrap" else 2
    same(trueness.fit(MODELS[name], X, y, long, earlier=earlier, n_jobs=jobs), trueness.fit(MODELS[name], X, y, long))


def test_with_groups_and_fits_that_fail_or_warn():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 2)
    y, X = groups % 2, rng.normal(size=(60, 2))
    short, long = longer(trueness.Bootstrap(40), 25, y, groups)
    model = Moody()
    whole = trueness.fit(model, X, y, long)
    assert len(whole.failed) > 0
    assert len(whole.warned) > 0
    same(trueness.fit(model, X, y, long, earlier=trueness.fit(model, X, y, short)), whole)


def test_fitted_training_sets_are_not_fitted_again(two_gaussians):
    X, y = two_gaussians
    short, long = longer(trueness.Bootstrap(10), 5, y)
    earlier = trueness.fit(Counted(), X, y, short)
    Counted.fits = 0
    trueness.fit(Counted(), X, y, long, earlier=earlier)
    assert Counted.fits == 5 + 1  # and the fit on all cases


def test_training_sets_the_engine_leaves_to_the_model(two_gaussians):
    """A column that only two cases have: a training set without them is fitted by scikit-learn."""
    X, y = two_gaussians
    X = np.column_stack([X, np.zeros(len(y))])
    X[:2, -1] = 1.0
    short, long = longer(trueness.Bootstrap(100), 500, y)
    whole = trueness.fit(LDA(), X, y, long)
    assert 0 < len(whole.one_by_one) < 600
    same(trueness.fit(LDA(), X, y, long, earlier=trueness.fit(LDA(), X, y, short)), whole)


def test_earlier_fits_of_another_design_are_refused(two_gaussians):
    X, y = two_gaussians
    earlier = trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(20).draw(y, rng=0))
    for plan, rng in ((trueness.Bootstrap(30), 1), (trueness.Bootstrap(10), 0), (trueness.KFold(5, repeats=6), 0)):
        with pytest.raises(InputError) as raised:
            trueness.fit(GaussianNB(), X, y, plan.draw(y, rng=rng), earlier=earlier)
        assert raised.value.param == "earlier"


@pytest.mark.parametrize(
    "plan",
    [
        trueness.plans.PairedSubsampling(5),
        trueness.Holdout(0.3),
        trueness.plans.LeaveOneOut(),
        trueness.plans.CvHalves(),
    ],
)
def test_plans_without_a_longer_form_say_so(plan):
    with pytest.raises(InputError) as raised:
        plan.longer(5, plan.draw([0] * 30 + [1] * 30, rng=0))
    assert raised.value.param == "plan"


class Counted(ClassifierMixin, BaseEstimator):
    """Counts its fits."""

    fits = 0

    def fit(self, X, y):
        Counted.fits += 1
        self.classes_ = np.unique(y)
        self.inner_ = GaussianNB().fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)


class Moody(Counted):
    """Fails on some training sets, warns on others."""

    def fit(self, X, y):
        import warnings

        copies = len(X) - len(np.unique(X[:, 0]))
        if copies == 16:
            raise ValueError("not today")
        if copies == 24:
            warnings.warn("not sure", UserWarning, stacklevel=2)
        return super().fit(X, y)
