"""Metrics of a set of scores under resampling: values of other programs, laws, scores that cannot be pooled."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.metrics import Scorer
from trueness.plans import CvHalves, PairedSubsampling

AP = "average_precision"
PLAN = trueness.CvBootstrap(5, 3, 60)


def tpf_at(y, score):
    """TPF at an FPF of 0.1."""
    fpf, tpf, _ = sk.roc_curve(y, score, drop_intermediate=False)
    return float(np.interp(0.1, fpf, tpf))


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    y = (rng.random(160) < 0.15).astype(int)
    X = rng.normal(size=(160, 4))
    X[:, 0] += 1.3 * y
    return X, y


@pytest.fixture(scope="module")
def fits(rare):
    return trueness.fit(LDA(), *rare, PLAN, rng=0)


def test_the_value_is_that_of_all_held_out_scores_of_a_repetition(rare, fits):
    y, pooled = rare[1], fits.parts[0].pooled().scores
    expected = np.mean([sk.average_precision_score(y, s) for s in pooled])
    for method in ("cv+training", "cv", "cv_pooled"):
        assert trueness.estimate(fits, AP, method).value == pytest.approx(expected)
    own = trueness.estimate(fits, tpf_at, "cv+training")
    assert own.value == pytest.approx(np.mean([tpf_at(y, s) for s in pooled]))
    e = trueness.estimate(fits, AP, "cv+training")
    assert e.estimand == "metric of the pooled left-out scores of a repetition, mean over training sets of n cases"
    assert trueness.estimate(fits, AP, "cv").estimand.endswith("of the folds, smaller than n")
    assert e.df == y.sum() - 1
    assert 0 < e.ci().low < e.value < e.ci().high < 1


def test_the_variance_is_that_of_the_test_cases_times_what_training_adds_to_the_auc(fits):
    e, auc = (trueness.estimate(fits, m, "cv+training") for m in (AP, "auc"))
    of_auc = auc.provenance["variance"]
    factor = 1 + of_auc["training"] / of_auc["test"]
    parts = e.provenance["variance"]
    assert e.se**2 == pytest.approx(parts["test"] * factor)
    assert parts["test"] + parts["training"] == pytest.approx(e.se**2)
    assert np.linalg.norm(e.influence) == pytest.approx(e.se)
    # the influence function and resamples of the cases agree about the test cases
    by_resamples = trueness.estimate(fits, sk.average_precision_score, "cv+training")
    assert by_resamples.value == pytest.approx(e.value)
    assert by_resamples.se == pytest.approx(e.se, rel=0.3)
    assert by_resamples.ci().method == "logit"
    assert trueness.estimate(fits, sk.average_precision_score, "cv+training").se == by_resamples.se


def test_one_pass_has_a_value_and_splits_say_that_they_are_small(rare):
    one = trueness.estimate(trueness.fit(LDA(), *rare, trueness.KFold(5), rng=0), AP, "cv")
    assert one.se is None
    assert one.noted("no-se-one-pass")
    splits = trueness.estimate(trueness.fit(LDA(), *rare, trueness.plans.MonteCarlo(8), rng=0), AP, "cv")
    assert splits.se > 0
    assert splits.noted("metric-of-splits")


def test_order_alone_counts_and_a_difference_turns_its_sign(rare, fits):
    y, p = rare[1], fits.parts
    other = trueness.fit(GaussianNB(), *rare, fits.design)
    d, turned = trueness.difference(fits, other, AP, "cv+training"), trueness.difference(other, fits, AP, "cv+training")
    assert (d.value, d.se) == pytest.approx((-turned.value, turned.se))
    assert d.value == pytest.approx(
        trueness.estimate(fits, AP, "cv+training").value - trueness.estimate(other, AP, "cv+training").value
    )
    same = trueness.compare({"a": fits, "b": fits}, metric=AP)
    assert same.outcome == "identical"
    assert len(y) == p[0].sample.n
    k = trueness.compare({"a": fits, "b": other}, metric=Scorer(tpf_at, limits=(0, 1), higher_is_better=True))
    assert 0 < k.p_value <= 1
    assert k.method == "cv+training"


def test_halves_and_conservative_z_take_the_metric_of_all_held_out_scores(rare):
    y, fits = rare[1], trueness.fit(LDA(), *rare, CvHalves(5, 2, 4, 3), rng=0)
    e = trueness.estimate(fits, AP, "half_samples")
    assert e.value == pytest.approx(np.mean([sk.average_precision_score(y, s) for s in fits.parts[0].pooled().scores]))
    assert e.provenance["variance"]["half"] > 0
    assert e.estimand == "metric of the pooled left-out scores of a repetition, mean over training sets of n cases"
    fits = trueness.fit(LDA(), *rare, PairedSubsampling(4, 3), rng=0)
    e = trueness.estimate(fits, AP, "conservative_z")
    tests = list(fits.parts[0].tests())
    labels, scores = (np.concatenate(each) for each in ([b.codes for b in tests], [b.scores[0] for b in tests]))
    assert e.value == pytest.approx(sk.average_precision_score(labels, scores))
    assert e.se > 0
    assert e.estimand.endswith("smaller than n")


class OtherScale(ClassifierMixin, BaseEstimator):
    """LDA whose scores have another scale and level after each fit."""

    def fit(self, X, y):
        self.rule_ = LDA().fit(X, y)
        self.classes_ = self.rule_.classes_
        rng = np.random.default_rng(int(1e6 * abs(X[0, 0]) + len(X) + 1e6 * abs(X.sum())))
        self.scale_, self.level_ = np.exp(2 * rng.normal()), 5 * rng.normal()
        return self

    def decision_function(self, X):
        return self.scale_ * self.rule_.decision_function(X) + self.level_

    def predict(self, X):
        return self.rule_.predict(X)


def test_scores_that_cannot_be_pooled_are_ranked_within_folds(rare, fits):
    other = trueness.fit(OtherScale(), *rare, fits.design)
    assert trueness.estimate(fits, AP, "cv+training").noted("scores-not-comparable") is None
    e = trueness.estimate(other, AP, "cv+training")
    note = e.noted("scores-not-comparable")
    assert note.data["ranked"]
    assert note.data["pooled"] < note.data["within"]
    pooled = trueness.estimate(other, AP, "cv_pooled").value
    right = trueness.estimate(fits, AP, "cv+training").value
    assert abs(e.value - right) < abs(pooled - right)
    mean = trueness.estimate(other, lambda y, score: float(np.mean(score)), "cv+training")
    assert mean.noted("scores-not-comparable").data["ranked"] is False
    assert trueness.difference(fits, other, AP, "cv+training").noted("scores-not-comparable")


def test_groups_several_classes_and_labels_alone():
    rng = np.random.default_rng(0)
    y, X = np.tile([0, 0, 1], 40), rng.normal(size=(120, 3))
    X[:, 0] += y
    groups = np.repeat(np.arange(30), 4)
    e = trueness.assess(LDA(), X, y, PLAN, [AP, tpf_at], groups=groups, rng=0)
    assert 20 < e[AP].df < 29  # groups hold one positive or two
    assert e["tpf_at"].se > 0
    alone = trueness.assess(LDA(), X[:30], y[:30], PLAN, AP, groups=np.arange(30), rng=0)[AP]
    assert alone.ci() == trueness.assess(LDA(), X[:30], y[:30], PLAN, AP, rng=0)[AP].ci()
    three = rng.integers(0, 3, 120)
    X[:, 0] += 2 * three
    e = trueness.assess(GaussianNB(), X, three, PLAN, [AP, "jaccard_macro"], rng=0)
    assert e[AP].se > 0
    assert e["jaccard_macro"].ci().low > 0


def test_a_perfect_rule_has_an_interval_with_length(rare):
    y = rare[1]
    fits = trueness.fit(LDA(), (10.0 * y + np.arange(len(y)) / 1000)[:, None], y, PLAN, rng=0)
    e = trueness.estimate(fits, AP, "cv+training")
    assert e.value == 1
    assert e.ci().low < e.ci().high == 1
