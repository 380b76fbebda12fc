"""A bootstrap without a number stops by itself, with the numbers of one that has it."""

import pickle
import time

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.api.runs import enough_replicates, is_precise
from trueness.errors import InputError, TruenessWarning
from trueness.result import Estimate
from trueness.sample import Sample

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # of models that predict little

Y = np.repeat([0, 1], 30)


@pytest.fixture(scope="module")
def cases():
    """30 + 20 cases, 10 features, classes a little apart."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [30, 20])
    return rng.normal(size=(50, 10)) + 0.4 * y[:, None], y


def sizes(plan, precise_from, seconds=0.0):
    """The sizes of the designs that are fitted, where estimates are precise from so many replicates on."""
    seen = []

    def fit_all(design, earlier):
        time.sleep(seconds)
        seen.append(design.n_fits)
        if earlier:
            before = earlier["m"].design
            np.testing.assert_array_equal(design.rows(slice(0, before.n_fits)), before.rows(slice(None)))
        return {"m": trueness.Fits(design)}

    def estimates(fits):
        error = 0.01 if fits["m"].n_fits >= precise_from else 0.2
        return [Estimate(0.5, se=1.0, mc_se=0.05, se_mc_se=0.05), Estimate(0.5, se=1.0, mc_se=error, se_mc_se=0.01)]

    return seen, enough_replicates(plan.draw_first(Sample.of(Y), rng=0), fit_all, estimates)["m"]


@pytest.mark.parametrize(
    ("until", "mc_se", "se_mc_se", "precise"),
    [
        (0.1, 0.1, 0.1, True),
        (0.1, 0.11, 0.0, False),
        (0.1, 0.0, 0.11, False),
        (0.05, 0.06, 0.0, False),
        (0.1, 0.05, None, True),  # a method that does not know how well its standard error is known
    ],
)
def test_both_monte_carlo_errors_must_be_small(until, mc_se, se_mc_se, precise):
    assert is_precise(Estimate(0.3, se=1.0, mc_se=mc_se, se_mc_se=se_mc_se), until) is precise


def test_without_a_standard_error_the_first_block_must_do():
    assert is_precise(Estimate(0.3, mc_se=0.2), 0.1)
    assert is_precise(Estimate(0.0, se=0.0, mc_se=0.0, se_mc_se=0.0), 0.1)  # no error at all


def test_an_estimate_that_asks_for_more_replicates_is_not_precise():
    assert not is_precise(Estimate(0.3, se=1.0, mc_se=0.0, needed=2200), 0.5)


def test_blocks_grow_by_a_quarter_and_the_last_is_the_answer():
    seen, fits = sizes(trueness.Bootstrap(), precise_from=1000)
    assert seen == [100, 200, 300, 400, 500, 700, 900, 1200]
    assert fits.design.plan == trueness.Bootstrap(1200)
    assert fits.design.fingerprint == trueness.Bootstrap(1200).draw(Y, rng=0).fingerprint
    assert fits.notes[-1].code == "enough-replicates"
    assert sizes(trueness.Bootstrap(), precise_from=0)[0] == [100]


def test_at_most_so_many():
    seen, fits = sizes(trueness.Bootstrap(at_most=450), precise_from=10_000)
    assert seen == [100, 200, 300, 400, 450]
    note = fits.notes[-1]
    assert (note.code, note.severity, note.data["why"], note.data["replicates"]) == (
        "stopped-early",
        "warning",
        "at_most",
        450,
    )
    assert sizes(trueness.Bootstrap(at_most=30), precise_from=10_000)[0] == [30]


def test_a_budget_of_seconds():
    """200 replicates would end at about .4 s."""
    seen, fits = sizes(trueness.Bootstrap(seconds=0.3), precise_from=10_000, seconds=0.2)
    assert seen == [100]
    assert fits.notes[-1].data["why"] == "seconds"
    assert sizes(trueness.Bootstrap(seconds=3600.0), precise_from=250)[0] == [100, 200, 300]


@pytest.mark.parametrize("stratified", [True, False])
def test_a_run_that_stops_equals_one_of_that_number(cases, stratified):
    X, y = cases
    plan = trueness.Bootstrap(stratified=stratified)
    a = trueness.assess(LDA(), X, y, plan=plan, rng=7)
    size = a.fits.n_fits
    assert 100 < size < 1000
    b = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(size, stratified), rng=7)
    assert a.frame().equals(b.frame())
    assert a.fits.design.fingerprint == b.fits.design.fingerprint
    np.testing.assert_array_equal(a.fits.scores, b.fits.scores)
    assert a.provenance["design"] == b.provenance["design"]
    assert str(size) in a.provenance["stopped"]
    assert "stopped" not in b.provenance
    assert [n.code for n in a.notes if n not in b.notes] == ["enough-replicates"]
    for metric in ("error", "auc"):
        assert is_precise(a[metric], 0.1)
        assert a[metric].se_mc_se is not None


def test_same_bits_for_any_number_of_workers(cases):
    X, y = cases
    model = DecisionTreeClassifier(max_depth=2, max_features=1)
    plan = trueness.Bootstrap(until=0.01, at_most=120)
    with pytest.warns(TruenessWarning):
        one, two = (trueness.assess(model, X, y, plan=plan, rng=1, n_jobs=jobs, metrics="error") for jobs in (1, 2))
    assert one.frame().equals(two.frame())


def test_a_smaller_share_takes_more_replicates(cases):
    X, y = cases
    rough, fine = (
        trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(until=until), rng=0, metrics="error").fits.n_fits
        for until in (0.3, 0.06)
    )
    assert rough == 100
    assert fine > 400


def test_the_limit_is_a_warning_of_the_assessment(cases):
    X, y = cases
    with pytest.warns(TruenessWarning, match="Stopped after 120 replicates") as caught:
        a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(until=0.01, at_most=120), rng=0)
    assert all(w.filename == __file__ for w in caught)
    assert a.fits.n_fits == 120
    assert "stopped-early" in [n.code for n in a.notes]


def test_metrics_without_a_standard_error_and_constant_scores(cases):
    X, y = cases
    with pytest.warns(TruenessWarning):
        a = trueness.assess(DummyClassifier(), X, y, plan=trueness.Bootstrap(), rng=0, metrics="auc")
    assert a.fits.n_fits == 100


def test_all_models_of_a_comparison_share_the_replicates(cases):
    X, y = cases
    models = {"LDA": LDA(), "naive Bayes": GaussianNB(), "5-NN": KNeighborsClassifier()}
    k = trueness.compare(models, X, y, metric="error", plan=trueness.Bootstrap(until=0.2), rng=2)
    size = k.fits["LDA"].n_fits
    assert {f.n_fits for f in k.fits.values()} == {size}
    assert all(is_precise(e, 0.2) for e in (*k.estimates.values(), *k.differences.values()))
    assert str(size) in k.provenance["stopped"]
    assert "enough-replicates" in [n.code for n in k.notes]
    fixed = trueness.compare(models, X, y, metric="error", plan=trueness.Bootstrap(size), rng=2)
    assert k.frame().equals(fixed.frame())


@pytest.mark.parametrize(
    ("plan", "n", "single"),
    [
        (trueness.Bootstrap(120), 60, trueness.Bootstrap(180)),
        (trueness.KFold(5, repeats=2), 3, trueness.KFold(5, repeats=5)),
        (trueness.CvBootstrap(5, repeats=2), 1, trueness.CvBootstrap(5, repeats=3, n_resamples=105)),
    ],
    ids=str,
)
def test_an_assessment_can_go_on(cases, plan, n, single):
    X, y = cases
    a = trueness.assess(LDA(), X, y, plan=plan, rng=5)
    for start in (a, pickle.loads(pickle.dumps(a))):
        more = start.continue_(n)
        assert more.fits.design.plan == single
        assert more.frame().equals(trueness.assess(LDA(), X, y, plan=single, rng=5).frame())
    assert more.continue_(n).fits.n_fits > more.fits.n_fits


def test_a_run_that_stopped_by_itself_can_go_on(cases):
    X, y = cases
    a = trueness.assess(LDA(), X, y, plan=trueness.Bootstrap(until=1), rng=0).continue_(30)
    assert a.fits.design.plan == trueness.Bootstrap(130)
    assert "stopped" not in a.provenance


def test_random_splits_go_on_as_a_longer_plan(cases):
    X, y = cases
    a = trueness.assess(LDA(), X, y, plan=trueness.plans.MonteCarlo(20), rng=0).continue_(5)
    assert a.frame().equals(trueness.assess(LDA(), X, y, plan=trueness.plans.MonteCarlo(25), rng=0).frame())


def test_what_cannot_go_on_says_so(cases):
    X, y = cases
    a = trueness.assess(LDA(), X, y, plan=trueness.plans.LeaveOneOut(), rng=0)
    for wrong, param in ((5, "plan"), (0, "n"), (1.5, "n")):
        with pytest.raises(InputError) as raised:
            a.continue_(wrong)
        assert raised.value.param == param
    with pytest.raises(InputError):
        trueness.assess(LDA().fit(X, y), X, y, plan="prefit").continue_(5)


def test_draw_and_fit_need_a_number(cases):
    X, y = cases
    for call in (lambda: trueness.Bootstrap().draw(y), lambda: trueness.fit(LDA(), X, y, trueness.Bootstrap())):
        with pytest.raises(InputError) as raised:
            call()
        assert raised.value.param == "n_resamples"


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"until": 0}, "until"),
        ({"until": "small"}, "until"),
        ({"until": True}, "until"),
        ({"at_most": 0}, "at_most"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"n_resamples": 100, "until": 0.05}, "n_resamples"),
        ({"n_resamples": 100, "seconds": 5}, "n_resamples"),
    ],
)
def test_wrong_numbers_of_the_plan(options, param):
    with pytest.raises(InputError) as raised:
        trueness.Bootstrap(**options)
    assert raised.value.param == param
