"""How far few replicates can tell the second-order variance: its noise, its weight, and the words about it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import UndefinedError
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast, second_order
from trueness.estimators.influence.case_influence import CaseMeans, FirstOrder, sd_of_larger
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.influence.second_order import VarianceOrders, orders_of, pade
from trueness.estimators.loob import case_means


def two_blocks(seed, per_class):
    """LDA on two independent blocks of four features: no difference."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], per_class)
    return rng.normal(size=(2 * per_class, 8)) + 0.4 * y[:, None], y


def fitted(X, y, resamples, seed):
    design = trueness.Bootstrap(resamples).draw(y, rng=seed)
    return trueness.fit(LDA(), X[:, :4], y, design), trueness.fit(LDA(), X[:, 4:], y, design)


def orders(a, b, metric):
    bound = bind(a, metric)
    if metric == "auc":
        return orders_of(PairMeans.over(Contrast(a, bound, b)))
    return orders_of(CaseMeans.over(Contrast(a, bound, b)))


@pytest.mark.parametrize("trusted", [np.inf, 0.0], ids=["all pairs", "with a test case"])
@pytest.mark.parametrize(("metric", "resamples"), [("error", 60), ("error", 200), ("auc", 120)])
def test_noise_of_the_second_term(metric, resamples, trusted, monkeypatch):
    """SD(V_2) over repetitions of the resampling of ONE data set."""
    monkeypatch.setattr(second_order, "TRUSTED_NOISE", trusted)
    X, y = two_blocks(3, 25)
    repeated = [orders(*fitted(X, y, resamples, seed), metric) for seed in range(80)]
    sd = np.std([o.v2 for o in repeated], ddof=1)
    assert np.mean([o.sd_v2 for o in repeated]) == pytest.approx(sd, rel=0.3)  # an SD of 80 values is known to 8 %


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_both_forms_give_the_same_standard_error_in_the_mean(metric, monkeypatch):
    """60 cases in each of 8 data sets; the form for few replicates has less noise, in fewer replicates."""
    found = {}
    for trusted, resamples in ((np.inf, 3000), (0.0, 300)):
        monkeypatch.setattr(second_order, "TRUSTED_NOISE", trusted)
        each = [orders(*fitted(*two_blocks(seed, 30), resamples, seed), metric) for seed in range(8)]
        found[trusted] = np.mean([np.sqrt(pade(o.v1, o.v2)) for o in each]), np.mean([o.sd_v2 / o.v1 for o in each])
    assert found[0.0][0] == pytest.approx(found[np.inf][0], rel=0.1)
    assert found[0.0][1] < found[np.inf][1]


def test_weight_of_the_second_term():
    """All of it up to a noise of ½, without a jump; a quarter at 1; next to nothing at 5."""

    def variance(noise):
        return VarianceOrders(2.0, 1.0, 2.0 * noise, 0.002, cases=100, replicates=1000).variance

    assert variance(0.1) == variance(0.5) == pytest.approx(pade(2.0, 1.0))
    assert variance(0.5001) == pytest.approx(variance(0.5), rel=1e-3)
    assert variance(1.0) == pytest.approx(2 / (1 + 0.25 * 0.5))
    assert 1.98 < variance(5.0) < 2.0
    assert VarianceOrders(-1.0, 1.0, 1.0, 0.01, 100, 1000).variance == 0.0
    few = VarianceOrders(2.0, 1.0, 0.2, 0.002, cases=100, replicates=100)
    assert few.variance == pytest.approx(pade(2.0, 1.0) + 0.002)  # with the Monte-Carlo variance


def test_a_note_where_replicates_are_few():
    enough, few = (VarianceOrders(2.0, 1.0, 2 * noise, 0.002, 100, 300).too_few() for noise in (0.5, 1.0))
    assert enough is None
    assert few.code == "few-replicates"
    assert few.data == {"replicates": 300, "cases": 100, "noise": 1.0, "needed": 600}
    assert "about 600 are needed" in str(few)
    for per_class in (40, 200):
        X, y = two_blocks(1, per_class)
        few, enough = (trueness.difference(*fitted(X, y, b, 1), "error", "loob") for b in (30, 120))
        assert few.noted("few-replicates").data["replicates"] == 30
        assert enough.noted("few-replicates") is None
        assert few.se_method == enough.se_method == "second-order"


@pytest.mark.coverage
@pytest.mark.parametrize(("metric", "resamples"), [("error", 50), ("error", 200), ("auc", 100)])
def test_level_with_few_replicates(metric, resamples):
    """100 + 100 cases without a difference: at most 7 % of 600 rejected, with three standard errors of room."""
    rejected = []
    for seed in range(600):
        a, b = fitted(*two_blocks(10_000 + seed, 100), resamples, seed)
        try:
            rejected.append(trueness.compare({"a": a, "b": b}, metric=metric).p_value < 0.05)
        except UndefinedError:  # a pair that was never left out: refused
            continue
    assert len(rejected) > 550
    assert np.mean(rejected) <= 0.07 + 3 * np.sqrt(0.07 * 0.93 / len(rejected))


def test_a_first_order_that_is_next_to_nothing_is_not_believed():
    """Few replicates and models that are alike: V_1 may be small by chance, and the standard error but noise."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 4)) + 0.5 * y[:, None]
    k = trueness.compare({"a": LDA(), "b": GaussianNB()}, X, y, metric="error", plan=trueness.Bootstrap(100), rng=12)
    assert k.difference.noted("few-replicates")
    assert k.p_value > 0.1


def tree_fits(n, resamples):
    X, y = make_classification(n, 10, n_informative=5, flip_y=0.1, random_state=1)
    return trueness.fit(DecisionTreeClassifier(min_samples_leaf=3), X, y, trueness.Bootstrap(resamples), rng=0)


@pytest.mark.parametrize(("metric", "method"), [("error", "loob"), ("auc", "lpob")])
def test_noise_of_few_replicates_is_not_reported_as_standard_error(metric, method):
    """The influence of 1000 cases is mostly noise of 100 replicates, five times the standard error."""
    fits = tree_fits(1000, 100)
    e, exact = (trueness.estimate(fits, metric, method, se=se) for se in (None, "influence"))
    binomial = np.sqrt(e.value * (1 - e.value) / 1000)
    assert exact.se > 4 * binomial
    assert 0.9 * binomial < e.se < 1.5 * binomial
    assert e.noted("few-replicates").data["needed"] > 100


def test_differences_of_few_replicates_keep_a_standard_error_of_the_right_size():
    X, y = make_classification(1000, 10, n_informative=5, flip_y=0.1, random_state=1)
    design = trueness.Bootstrap(60).draw(y, rng=0)
    a, b = (trueness.fit(m, X, y, design) for m in (DecisionTreeClassifier(min_samples_leaf=3), GaussianNB()))
    d = trueness.difference(a, b, "error", "loob")
    paired = [trueness.estimate(f, "error", "loob").value for f in (a, b)]
    most = np.sqrt(sum(p * (1 - p) for p in paired) / 1000)
    assert 0.3 * most < d.se < 1.5 * most


def test_the_variance_of_one_rule_is_binomial():
    """b and what rules vary by within a case are p(1 − p)/n together."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    design = trueness.Bootstrap(400, stratified=False).draw(y, rng=0)
    hard = rng.uniform(size=200)
    wrong = rng.uniform(size=(400, 200)) < hard
    fits = trueness.Fits.from_arrays(
        y, design.counts, None, predictions=np.where(wrong, 1 - y, y), plan="bootstrap", stratified=False
    )
    first = case_means(Contrast(fits, bind(fits, "error"))).first_order()
    p = wrong[design.counts == 0].mean()
    assert first.of_one_rule == pytest.approx(p * (1 - p) / 200, rel=0.03)
    assert first.tested == pytest.approx(hard.var() / 200, rel=0.05)
    assert abs(first.trained) < 0.5 * first.tested  # rules have no error rate of their own


def test_the_variance_over_training_sets_is_found():
    """Every rule is wrong with a probability of its own: T is the variance of these."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 200)
    design = trueness.Bootstrap(2000, stratified=False).draw(y, rng=0)
    of_rule = rng.uniform(0.2, 0.4, size=(2000, 1))
    predictions = np.where(rng.uniform(size=(2000, 400)) < of_rule, 1 - y, y)
    fits = trueness.Fits.from_arrays(
        y, design.counts, None, predictions=predictions, plan="bootstrap", stratified=False
    )
    first = case_means(Contrast(fits, bind(fits, "error"))).first_order()
    assert first.trained == pytest.approx(0.2**2 / 12, rel=0.1)


def test_a_first_order_that_is_not_determined_is_held_to_its_limits():
    known = FirstOrder(total=0.5, tested=1.0, of_one_rule=1.5, trained=4.0, sd=0.4, replicates=100)
    assert (known.variance, known.doubt().code if known.sd > known.variance / 2 else None) == (0.5, "few-replicates")
    noisy = {"tested": 1.0, "of_one_rule": 1.5, "trained": 4.0, "sd": 3.0, "replicates": 100}
    assert [FirstOrder(total=t, **noisy).variance for t in (-2.0, 5.0, 20.0)] == [1.5, 5.0, 9.0]
    assert FirstOrder(total=-2.0, **noisy).doubt().data["needed"] == 400
    assert FirstOrder(0.01, 1.0, 1.5, 4.0, 0.1, 100).doubt().code == "variance-not-positive"
    assert FirstOrder(0.0, 0.0, 0.0, 0.0, 0.0, 100).doubt() is None


def test_sd_of_the_larger_is_that_of_draws():
    draws = np.random.default_rng(0).normal(size=200_000)
    for mean, sd, least in ((0.0, 1.0, 1.0), (2.0, 0.5, 1.0), (-3.0, 1.0, 0.5), (1.0, 2.0, 1.0)):
        drawn = np.maximum(mean + sd * draws, least).std()
        assert sd_of_larger(mean, sd, least) == pytest.approx(drawn, rel=0.02, abs=1e-3)
    assert sd_of_larger(1.0, 0.0, 3.0) == 0.0


def test_a_value_that_training_offsets_has_at_least_the_variance_of_one_rule():
    known = {"tested": 1.0, "of_one_rule": 1.5, "trained": 4.0, "sd": 0.4, "replicates": 100}
    found = [FirstOrder(total=t, **known).not_below_one_rule() for t in (-0.5, 0.2, 1.4, 3.0)]
    assert [f.variance for f in found] == [1.5, 1.5, 1.5, 3.0]
    assert [f.doubt() and f.doubt().code for f in found] == ["training-offsets-testing"] * 3 + [None]
    assert found[0].noise < found[1].noise < found[2].noise < 0.4  # far below the limit no seed matters


def test_the_standard_error_of_a_calibration_slope_is_that_of_testing_one_rule():
    """In a plain loop: the variance over cases of what each adds to the slope under one rule, over n. The slope of a maximum
    likelihood fit moves the other way with its training cases, and without the limit the standard error of few replicates
    is anything between 0 and this."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (rng.random(150) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    errors = []
    for seed in range(4):
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(60, stratified=False), rng=seed, scores="predict_proba")
        e = trueness.estimate(fits, "calibration_slope", "loob")
        out = fits.design.counts == 0
        p = np.where(out, np.concatenate([block.scores for block in fits.blocks()]), 0.5)
        weight = out / out.sum(axis=0) / len(y)
        x = np.log(p / (1 - p))
        b = np.zeros(2)
        for _ in range(30):  # logistic regression on all left-out log-odds
            m = 1 / (1 + np.exp(-b[0] - b[1] * x))
            inner = np.array([[(weight * m * (1 - m) * x**k).sum() for k in (j, j + 1)] for j in (0, 1)])
            b += np.linalg.solve(inner, [(weight * (y - m)).sum(), (weight * (y - m) * x).sum()])
        inverse = np.linalg.inv(inner)
        moves = (inverse[1, 0] + inverse[1, 1] * x) * (y - m)
        errors.append(e.se)
        assert e.value == pytest.approx(b[1], abs=1e-6)
        assert e.se == pytest.approx(np.sqrt((weight * moves**2).sum() / len(y)), rel=0.1)
        assert e.se_mc_se < 0.25 * e.se
    assert np.std(errors) < 0.05 * np.mean(errors)


def test_the_sd_of_the_variance_is_that_over_repetitions_of_the_resampling():
    """u of units whose influence is well known, and squared residuals of which a few replicates have most."""
    rng, (replicates, units, times) = np.random.default_rng(0), (60, 40, 400)
    mean, c = rng.normal(size=units), 0.3 * rng.normal(size=units)
    total, one_rule, claimed, claimed_one = np.empty((4, times))
    for k in range(times):
        y = 0.1 * rng.normal(size=(replicates, units))
        each = rng.normal(size=(replicates, units)) * np.where(rng.random((replicates, 1)) < 0.1, 3.0, 0.3)
        within = float((each**2).sum())
        noise = (y**2).sum(axis=0)
        first = FirstOrder.of(
            mean + y.sum(axis=0), noise, c, 0 * noise, within, 1.0, (0 * y) @ c, (each**2).sum(axis=1)
        )
        total[k], one_rule[k], claimed[k], claimed_one[k] = first.total, within, first.sd_by_u, first.sd_of_one_rule
    assert np.sqrt((claimed**2).mean()) == pytest.approx(total.std(), rel=0.1)
    assert np.sqrt((claimed_one**2).mean()) == pytest.approx(one_rule.std(), rel=0.1)
    assert FirstOrder(1.0, 1.0, 1.5, 4.0, 0.1, 60, sd_of_one_rule=0.3, least=1.5).noise == pytest.approx(0.2, rel=0.01)
