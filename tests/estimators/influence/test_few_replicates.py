"""How far few replicates can tell the second-order variance: its noise, its weight, and the words about it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import karat
from karat.errors import UndefinedError
from karat.estimators.estimation import bind
from karat.estimators.influence.case_influence import CaseMeans, difference_of_losses
from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.influence.second_order import VarianceOrders, orders_of, pade


def two_blocks(seed, per_class):
    """LDA on two independent blocks of four features: no difference."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], per_class)
    return rng.normal(size=(2 * per_class, 8)) + 0.4 * y[:, None], y


def fitted(X, y, resamples, seed):
    design = karat.Bootstrap(resamples).draw(y, rng=seed)
    return karat.fit(LDA(), X[:, :4], y, design), karat.fit(LDA(), X[:, 4:], y, design)


def orders(a, b, metric):
    bound = bind(a, metric)
    if metric == "auc":
        return orders_of(PairMeans.difference(a, b, bound, "raise"))
    return orders_of(CaseMeans.over(a.design, difference_of_losses(a, b, bound, a.kept), bound, "raise"))


@pytest.mark.parametrize(("metric", "resamples"), [("error", 60), ("error", 200), ("auc", 120)])
def test_noise_of_the_second_term(metric, resamples):
    """SD(V_2) over repetitions of the resampling of ONE data set is n times the Monte-Carlo variance."""
    X, y = two_blocks(3, 25)
    repeated = [orders(*fitted(X, y, resamples, seed), metric) for seed in range(80)]
    sd = np.std([o.v2 for o in repeated], ddof=1)
    said = np.mean([o.cases * o.monte_carlo for o in repeated])
    assert said == pytest.approx(sd, rel=0.3)  # an SD of 80 values is known to 8 %


def test_weight_of_the_second_term():
    """All of it up to a noise of ½, without a jump; a quarter at 1; next to nothing at 5."""

    def variance(noise):
        return VarianceOrders(2.0, 1.0, 2.0 * noise / 100, cases=100, replicates=1000).variance

    assert variance(0.1) == variance(0.5) == pytest.approx(pade(2.0, 1.0))
    assert variance(0.5001) == pytest.approx(variance(0.5), rel=1e-3)
    assert variance(1.0) == pytest.approx(2 / (1 + 0.25 * 0.5))
    assert 1.98 < variance(5.0) < 2.0
    assert VarianceOrders(-1.0, 1.0, 1.0, 100, 1000).variance == 0.0
    few = VarianceOrders(2.0, 1.0, 0.002, cases=100, replicates=100)
    assert few.variance == pytest.approx(pade(2.0, 1.0) + 0.002)  # with the Monte-Carlo variance


def test_a_note_where_replicates_are_few():
    enough, few = (VarianceOrders(2.0, 1.0, 0.02 * noise, 100, 300).too_few() for noise in (0.5, 1.0))
    assert enough is None
    assert few.code == "few-replicates"
    assert few.data == {"replicates": 300, "cases": 100, "noise": 1.0, "needed": 600}
    assert str(few).endswith("About 600 replicates are needed.")
    X, y = two_blocks(1, 40)
    for metric in ("error", "auc"):
        few, many = (karat.compare(dict(zip("ab", fitted(X, y, b, 1), strict=True)), metric=metric) for b in (60, 1000))
        assert few.difference.noted("few-replicates").data["replicates"] == 60
        assert many.difference.noted("few-replicates") is None
        assert few.difference.se_method == many.difference.se_method == "second-order"


def test_advice_for_cases_that_were_never_left_out():
    X, y = two_blocks(2, 60)
    with pytest.raises(UndefinedError, match=r"Use about .* replicates \(1000 or more to compare models"):
        karat.estimate(fitted(X, y, 8, 0)[0], "error", "loob")


@pytest.mark.coverage
@pytest.mark.parametrize(("metric", "resamples"), [("error", 50), ("error", 200), ("auc", 100)])
def test_level_with_few_replicates(metric, resamples):
    """100 + 100 cases without a difference: at most 7 % of 600 rejected, with three standard errors of room."""
    rejected = []
    for seed in range(600):
        a, b = fitted(*two_blocks(10_000 + seed, 100), resamples, seed)
        try:
            rejected.append(karat.compare({"a": a, "b": b}, metric=metric).p_value < 0.05)
        except UndefinedError:  # a pair that was never left out: refused
            continue
    assert len(rejected) > 550
    assert np.mean(rejected) <= 0.07 + 3 * np.sqrt(0.07 * 0.93 / len(rejected))


def test_a_first_order_that_is_next_to_nothing_is_not_believed():
    """Few replicates and models that are alike: V_1 may be small by chance, and the standard error but noise."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 4)) + 0.5 * y[:, None]
    k = karat.compare({"a": LDA(), "b": GaussianNB()}, X, y, metric="error", plan=karat.Bootstrap(100), rng=12)
    assert k.difference.se_method == "influence"
    assert k.p_value > 0.1
