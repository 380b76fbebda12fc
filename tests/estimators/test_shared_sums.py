"""Sums that several estimators share are computed once, and never for another metric or other fits."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.estimators.influence import pair_influence
from trueness.metrics import AUC, Cost, Error
from trueness.sample.fits import Failure


@pytest.fixture
def fits(two_gaussians):
    X, y = two_gaussians
    return trueness.fit(LDA(), X, y, trueness.Bootstrap(80), rng=0)


@pytest.mark.parametrize(("metric", "kind"), [("auc", AUC), ("error", Error)])
def test_each_set_of_cases_is_scored_once(fits, monkeypatch, metric, kind):
    calls, rows = [], kind.rows

    def counted(self, block, weights):
        calls.append(weights.sum())
        return rows(self, block, weights)

    monkeypatch.setattr(kind, "rows", counted)
    for method in ("apparent", "sb", "rb", "star", "632", "632+"):
        trueness.estimate(fits, metric, method)
    blocks = len(list(fits.blocks()))
    assert len(calls) == 1 + 3 * blocks  # the full rule; all cases, as drawn, left out


def test_the_pairs_of_a_rule_are_counted_once(two_gaussians, monkeypatch):
    X, y = two_gaussians
    a, b = (trueness.fit(model, X, y, trueness.Bootstrap(300).draw(y, rng=0)) for model in (LDA(), GaussianNB()))
    alone = trueness.difference(replace(a), replace(b), "auc", "lpob")
    calls, pair_wins = [], pair_influence.pair_wins
    monkeypatch.setattr(pair_influence, "pair_wins", lambda *ranks: calls.append(1) or pair_wins(*ranks))
    for fits in (a, b):
        trueness.estimate(fits, "auc", "lpob")
        trueness.estimate(fits, "auc", "lpob", undefined="skip")
    shared = trueness.difference(a, b, "auc", "lpob")
    assert len(calls) == 2 * len(list(a.blocks()))
    assert (shared.value, shared.se) == (alone.value, alone.se)


def test_the_order_of_questions_does_not_matter(fits):
    methods = ("loob", "632", "632+", "star", "sb", "rb")
    once = [trueness.estimate(replace(fits), "error", m).value for m in methods]
    shared = [trueness.estimate(fits, "error", m).value for m in reversed(methods)]
    assert once == shared[::-1]


def test_metrics_that_differ_share_nothing(fits):
    y = fits.sample.codes
    for metric in (
        "error",
        Error(priors=[0.9, 0.1]),
        Error(priors=[0.5, 0.5]),
        Cost(matrix=[[0, 1], [3, 0]]),
        Cost(matrix=[[0, 3], [1, 0]]),
        "brier" if fits.probabilities else "auc",
    ):
        fresh = replace(fits)
        for method in ("632", "star"):
            assert trueness.estimate(fits, metric, method).value == trueness.estimate(fresh, metric, method).value
    assert len(y) == 40


def test_a_copy_with_other_failures_starts_afresh(fits):
    before = trueness.estimate(fits, "error", "star").value
    fewer = replace(fits, failed=tuple(Failure(f, "singular") for f in range(5)))
    assert trueness.estimate(fewer, "error", "star").value != before


def test_keys_of_metrics():
    sample = trueness.sample.Sample.of([0, 1] * 5)
    assert Error().bind(sample).key == Error().bind(sample).key
    assert Error().bind(sample).key != Error(priors=[0.5, 0.5]).bind(sample).key
    assert AUC().bind(sample).key != AUC().bind(trueness.sample.Sample.of([0, 1] * 5, positive=0)).key
    assert hash(trueness.metrics.Scorer(np.mean).bind(sample).key)
