"""How many fits a call makes: by the model, by fits=, by seconds= with a clock that models move."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.api import runs
from trueness.errors import InputError, LongRunWarning, TruenessWarning
from trueness.fitting import generic, progress
from trueness.plans import (
    Bootstrap,
    CvBootstrap,
    CvHalves,
    Holdout,
    KFold,
    LeaveOneOut,
    MonteCarlo,
    NestedKFold,
    PairedSubsampling,
)
from trueness.sample import Sample


class Clock:
    """A clock that stands still unless a model moves it."""

    now = 0.0

    def __call__(self):
        return Clock.now


class Sleeper(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose fit takes so many seconds on the clock."""

    def __init__(self, seconds=1.0):
        self.seconds = seconds

    def fit(self, X, y):
        Clock.now += self.seconds
        self.rule_ = GaussianNB().fit(X, y)
        self.classes_ = self.rule_.classes_
        return self

    def predict(self, X):
        return self.rule_.predict(X)

    def predict_proba(self, X):
        return self.rule_.predict_proba(X)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    Clock.now = 0.0
    for module in (progress, runs, generic):
        monkeypatch.setattr(module, "clock", Clock())


@pytest.fixture
def cases():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2))
    X[:, 0] += y
    return X, y


def quiet(function, *args, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruenessWarning)
        return function(*args, **more)


def test_a_third_of_the_fits_are_folds_and_longer_plans_begin_with_shorter(cases):
    sample = Sample.of(cases[1])
    for fits, repeats, replicates in ((60, 2, 40), (100, 3, 70), (200, 6, 140), (1600, 53, 1070), (2400, 80, 1600)):
        plan = CvBootstrap.of_fits(fits, sample)
        assert (plan.repeats, plan.n_resamples) == (repeats, replicates)
        assert 10 * repeats + replicates == fits
    short, long = (CvBootstrap.of_fits(n, sample).draw(sample, rng=1) for n in (61, 97))
    for a, b in zip(short.parts, long.parts, strict=True):
        assert (b.counts[: a.n_fits] == a.counts).all()
    few = Sample.of([0] * 40 + [1] * 4)  # 4 folds
    plan = CvBootstrap.of_fits(60, few)
    assert plan.draw(few, rng=0).n_fits == 60
    assert plan.draw(few, rng=0).parts[0].n_fits == 20


def test_fits_is_the_number_of_fits_and_the_degrees_of_freedom_follow(cases):
    a = quiet(trueness.assess, Sleeper(0), *cases, fits=60, rng=0)
    assert a.fits.n_fits == 60
    assert a["error"].df == 19
    assert a["error"].method == "cv+training"
    k = quiet(trueness.compare, {"a": Sleeper(0), "b": DecisionTreeClassifier()}, *cases, fits=97, rng=0)
    assert {f.n_fits for f in k.fits.values()} == {97}
    assert k.difference.df == 29


def test_the_default_number_is_that_of_one_by_one_or_of_closed_forms(cases, monkeypatch):
    X, y = cases
    sample = Sample.of(y, X=X)
    assert runs.default_fits([LinearDiscriminantAnalysis()], sample) == runs.CLOSED_FORM_FITS
    assert runs.default_fits([DecisionTreeClassifier()], sample) == runs.FITS
    assert runs.default_fits([GaussianNB(), DecisionTreeClassifier()], sample) == runs.FITS
    many = np.random.default_rng(0).normal(size=(4000, 3)), np.arange(4000) % 2
    assert runs.default_fits([GaussianNB()], Sample.of(many[1], X=many[0])) == 400
    wide = np.random.default_rng(0).normal(size=(40, 60)), np.arange(40) % 2  # covariances are singular
    assert runs.default_fits([LinearDiscriminantAnalysis()], Sample.of(wide[1], X=wide[0])) == runs.FITS
    monkeypatch.setattr(runs, "CLOSED_FORM_FITS", 300)
    fast, slow = (quiet(trueness.assess, GaussianNB(), X, y, rng=0, engine=e) for e in ("auto", "generic"))
    assert fast.fits.n_fits == slow.fits.n_fits == runs.CLOSED_FORM_FITS
    assert (fast["auc"].value, fast["auc"].se) == pytest.approx((slow["auc"].value, slow["auc"].se), rel=1e-9)
    for metrics in (["error", "f1_macro"], [lambda y, score: float(np.mean(score))]):  # called for every fit
        assert quiet(trueness.assess, GaussianNB(), X, y, rng=0, metrics=metrics).fits.n_fits == runs.FITS


def test_where_the_bootstrap_serves_no_metric_its_fits_are_not_made(monkeypatch, cases):
    monkeypatch.setattr(runs, "needs_bootstrap", lambda metric, method: metric.name == "auc")
    a = quiet(trueness.assess, Sleeper(0), *cases, metrics="average_precision", rng=0)
    assert a.fits.design.plan == KFold(10, repeats=10)
    assert a["average_precision"].se is not None
    both = quiet(trueness.assess, Sleeper(0), *cases, metrics=["average_precision", "auc"], rng=0)
    assert both.fits.design.kind == "cv+bootstrap"
    some = quiet(trueness.assess, Sleeper(0), *cases, metrics="average_precision", fits=60, rng=0)
    assert some.fits.design.plan == KFold(10, repeats=6)


def test_a_method_of_the_folds_alone_makes_no_bootstrap(cases):
    auc = trueness.metrics.AUC().bind(Sample.of(cases[1]))
    assert runs.needs_bootstrap(auc, None)
    assert runs.needs_bootstrap(auc, "lpob")
    assert not runs.needs_bootstrap(auc, "cv")
    k = quiet(trueness.compare, [Sleeper(0), DecisionTreeClassifier()], *cases, "auc", "cv", rng=0)
    assert k.provenance["plan"] == str(KFold(10, repeats=10))


@pytest.mark.parametrize(("seconds", "fits"), [(60, 60), (100, 93), (300, 288), (1e6, 320)])
def test_as_many_fits_are_made_as_fit_into_the_time(monkeypatch, cases, seconds, fits):
    """A fit takes 1 s; the fit on all cases comes before each part and each time that the design grows."""
    monkeypatch.setattr(runs, "MOST_FITS", 320)
    a = quiet(trueness.assess, Sleeper(), *cases, seconds=seconds, rng=0)
    assert a.fits.n_fits == pytest.approx(fits, rel=0.08)
    assert seconds > Clock.now / 1.1 or a.fits.n_fits == 60
    note = next(n for n in a.notes if n.code == "within-seconds")
    assert note.data["fits"] == a.fits.n_fits
    assert a.provenance["stopped"] == str(note)
    again = quiet(trueness.assess, Sleeper(), *cases, fits=a.fits.n_fits, rng=0)
    assert [(e.value, e.se) for e in again.estimates.values()] == [(e.value, e.se) for e in a.estimates.values()]


def test_too_little_time_is_said_after_the_first_fits(cases):
    with pytest.raises(
        InputError, match="At least 59 more fits are needed for an interval, which take about 59 s"
    ) as e:
        trueness.assess(Sleeper(), *cases, seconds=30, rng=0)
    assert Clock.now == 2
    assert e.value.param == "seconds"
    Clock.now = 0.0
    with pytest.raises(InputError, match="Allow more time") as e:
        trueness.compare({"fast": Sleeper(0.1), "slow": Sleeper(100)}, *cases, seconds=30, rng=0)
    assert Clock.now < 120


@pytest.mark.parametrize(
    ("plan", "made"),
    [
        (KFold(10, repeats=10), KFold(10, repeats=4)),
        (KFold(5), KFold(5)),
        (5, KFold(5)),
        (NestedKFold(3, repeats=20), NestedKFold(3, repeats=10)),
        (Bootstrap(1000), Bootstrap(100)),
        (CvBootstrap(repeats=3, n_resamples=50), CvBootstrap(repeats=2, n_resamples=40)),
        (CvBootstrap(repeats=2, n_resamples=40), CvBootstrap(repeats=2, n_resamples=40)),
        (MonteCarlo(100), MonteCarlo(60)),
        (MonteCarlo(7), MonteCarlo(7)),
        (CvHalves(), CvHalves(repeats=2, halvings=5)),
        (CvHalves(n_folds=5, halvings=3, inner_folds=2), CvHalves(5, repeats=9, halvings=3, inner_folds=2)),
        (PairedSubsampling(5), PairedSubsampling(5, inner=5)),
    ],
)
def test_every_plan_that_can_grow_is_limited(cases, plan, made):
    seconds = {"KFold": 47, "NestedKFold": 64, "Bootstrap": 105}.get(type(plan).__name__, 63)
    a = quiet(trueness.assess, Sleeper(), *cases, plan=plan, metrics="error", seconds=seconds, rng=0)
    assert a.fits.design.plan == made
    again = quiet(trueness.assess, Sleeper(), *cases, plan=made, metrics="error", rng=0)
    assert a["error"].value == again["error"].value


def test_a_bootstrap_that_stops_by_itself_takes_the_limit(cases):
    a = quiet(trueness.assess, Sleeper(), *cases, plan=Bootstrap(until=0.001), metrics="error", seconds=120, rng=0)
    assert a.fits.n_fits == 100
    assert "seconds" in a.provenance["stopped"]


def fixed(n):
    return {
        "leave-one-out": LeaveOneOut(),
        "holdout": Holdout(0.3),
        "splitter": StratifiedKFold(n),
        "splits": [(np.arange(60)[np.arange(60) % n != k], np.arange(60)[np.arange(60) % n == k]) for k in range(n)],
        "design": KFold(n).draw(np.arange(60) % 2, rng=0),
    }


@pytest.mark.parametrize("plan", list(fixed(6)))
def test_a_plan_without_a_shorter_form_is_made_whole_or_refused_after_the_first_fits(cases, plan):
    n = {"leave-one-out": 60, "holdout": 1}.get(plan, 6)
    more = {} if plan == "design" else {"rng": 0}
    a = quiet(trueness.assess, Sleeper(), *cases, plan=fixed(6)[plan], metrics="error", seconds=100, **more)
    assert a.fits.n_fits == n
    assert a.provenance["stopped"] == f"The fits made in 100 seconds: {n}; fits= with the same seed repeats the run."
    if n > 1:
        Clock.now = 0.0
        with pytest.raises(InputError, match="At least .* more fits are needed .* Allow more time") as e:
            trueness.assess(Sleeper(20), *cases, plan=fixed(6)[plan], seconds=60, **more)
        assert e.value.param == "seconds"
        assert Clock.now <= 40


def test_a_fitted_model_takes_no_time(cases):
    with pytest.raises(InputError, match="nothing is fitted"):
        trueness.assess(Sleeper(0).fit(*cases), *cases, plan="prefit", seconds=10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fits": 59}, "at least 60"),
        ({"fits": 0}, "fits must"),
        ({"fits": 70.5}, "fits must"),
        ({"fits": 100, "plan": KFold(5)}, "Leave plan= or fits= out"),
        ({"fits": 100, "seconds": 5}, "Leave seconds= or fits= out"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"seconds": float("inf")}, "seconds must be a positive number"),
        ({"seconds": "10"}, "seconds must be a positive number"),
    ],
)
def test_what_makes_no_sense_is_refused(cases, given, said):
    for call in (lambda: trueness.assess(Sleeper(), *cases, **given), lambda: compared(cases, given)):
        with pytest.raises(InputError, match=said):
            call()
    assert Clock.now == 0


def compared(cases, given):
    return trueness.compare([Sleeper(), GaussianNB()], *cases, **given)


def test_fits_that_were_made_already_take_neither(cases):
    fits = quiet(trueness.fit, Sleeper(0), *cases, KFold(3), rng=0)
    for given in ({"fits": 100}, {"seconds": 10}):
        with pytest.raises(InputError, match="made already"):
            trueness.assess(fits, **given)
        with pytest.raises(InputError, match="made already"):
            trueness.compare({"a": fits, "b": fits}, **given)


def test_a_long_run_that_nobody_sees_is_told_of_once_after_the_first_fits(cases):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trueness.assess(Sleeper(), *cases, rng=0)
    (said,) = [w for w in caught if issubclass(w.category, LongRunWarning)]
    assert said.filename == __file__
    text = str(said.message)
    assert text.startswith("Sleeper: 99 fits are left and take about 99 seconds.")
    assert "fits=60" in text
    assert "seconds=600" in text
    assert "n_jobs=" in text
    note = said.message.args[0]
    assert (note.code, note.data["fits"], note.data["seconds"]) == ("long-run", 99, 99)


def test_advice_exists_in_the_call(cases):
    with pytest.warns(LongRunWarning) as caught:
        quiet(trueness.assess, Sleeper(), *cases, plan=KFold(10, repeats=10), rng=0)
    assert "fits=60" not in str(caught[0].message)
    assert "seconds=600" in str(caught[0].message)
    with pytest.warns(LongRunWarning) as caught:
        quiet(trueness.fit, Sleeper(), *cases, KFold(10, repeats=10), rng=0)
    assert str(caught[0].message) == "Sleeper: 99 fits are left and take about 99 seconds. n_jobs= uses more workers."


@pytest.mark.parametrize("more", [{"seconds": 300}, {"fits": 60, "plan": None}])
def test_a_limited_or_a_short_run_is_not_told_of(cases, more):
    with warnings.catch_warnings():
        warnings.simplefilter("error", LongRunWarning)
        quiet(trueness.assess, Sleeper(0.9), *cases, rng=0, **more)
