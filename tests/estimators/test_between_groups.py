"""AUCs where groups hold both classes: every method compares cases of different groups, and says what else there is."""

import itertools

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import FitError, UndefinedError
from trueness.kernels.auc import weighted_auc_rows


def sites(n_sites=8, cases=6, effect=1.0, seed=0):
    rng = np.random.default_rng(seed)
    site = np.repeat(np.arange(n_sites), cases)
    y = (rng.random(len(site)) < 0.45).astype(int)
    X = rng.normal(size=(len(site), 2))
    X[:, 0] += 1.2 * y + effect * rng.normal(size=n_sites)[site]
    return X, y, site


X, Y, SITE = sites()
DESIGN = trueness.CvBootstrap(3, 3, 40).draw(Y, groups=SITE, rng=1)
FITS = trueness.fit(LDA(), X, Y, DESIGN)


def by_loop(scores, weights, y, site, which=lambda i, j: SITE[i] != SITE[j]):
    won = made = 0.0
    for i, j in itertools.product(np.flatnonzero(y == 1), np.flatnonzero(y == 0)):
        if weights[i] and weights[j] and which(i, j):
            made += weights[i] * weights[j]
            won += weights[i] * weights[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
    return won / made if made else np.nan


def test_rows_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    scores, weights = np.round(rng.normal(size=(5, len(Y))), 1), rng.integers(0, 3, size=(5, len(Y))).astype(float)
    expected = [by_loop(s, w, Y, SITE) for s, w in zip(scores, weights, strict=True)]
    assert weighted_auc_rows(scores, Y == 1, weights, SITE) == pytest.approx(expected)
    alone = weighted_auc_rows(scores[:, :6], Y[:6] == 1, np.ones((5, 6)), SITE[:6])
    assert np.isnan(alone).all()


def test_every_method_compares_cases_of_different_groups():
    cv, bootstrap = FITS.parts
    one = np.ones(len(Y))
    left_out = (bootstrap.counts == 0).astype(float)
    values = {
        name: trueness.estimate(FITS, "auc", name, undefined="skip").value for name in ("apparent", "star", "sb", "cv")
    }
    assert values["apparent"] == pytest.approx(by_loop(FITS.full_scores, one, Y, SITE))
    assert values["sb"] == pytest.approx(np.mean([by_loop(s, one, Y, SITE) for s in bootstrap.scores]))
    each = [by_loop(s, w, Y, SITE) for s, w in zip(bootstrap.scores, left_out, strict=True)]
    assert values["star"] == pytest.approx(np.nanmean(each))
    folds = [by_loop(np.nan_to_num(s), c == 0, Y, SITE) for s, c in zip(cv.scores, cv.counts, strict=True)]
    assert values["cv"] == pytest.approx(np.nanmean(folds))


def test_lpob_is_the_mean_over_pairs_of_different_groups():
    bootstrap = FITS.parts[1]
    out = bootstrap.counts == 0
    means = []
    for i, j in itertools.product(np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)):
        both = out[:, i] & out[:, j]
        if SITE[i] != SITE[j] and both.any():
            s = bootstrap.scores[both]
            means.append(np.mean((s[:, i] > s[:, j]) + 0.5 * (s[:, i] == s[:, j])))
    e = trueness.estimate(FITS, "auc", "lpob", undefined="skip")
    assert e.value == pytest.approx(np.mean(means))
    assert e.se > 0
    other = trueness.fit(GaussianNB(), X, Y, DESIGN)
    d = trueness.difference(FITS, other, "auc", "lpob", undefined="skip")
    assert d.value == pytest.approx(e.value - trueness.estimate(other, "auc", "lpob", undefined="skip").value)


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_within_groups_and_all_pairs_stand_beside_it():
    X, y, site = sites(10, 20)
    a = trueness.assess(LDA(), X, y, groups=site, rng=0, checks=False)
    note = next(n for n in a.notes if n.code == "between-groups")
    assert note.data["between"] == pytest.approx(a["auc"].value)
    assert note.data["between"] < note.data["all_pairs"] < note.data["within"]
    assert f"{note.data['within']:.3f}" in str(a)
    k = trueness.compare({"a": LDA(), "b": GaussianNB()}, X, y, groups=site, rng=0, checks=False)
    assert any(n.code == "between-groups" for n in k.notes)


def test_models_are_compared_where_a_fold_is_one_group():
    """A site with most of the cases: its fold has no AUC between groups, which is no obstacle for one model either."""
    rng = np.random.default_rng(0)
    site, y = np.r_[np.zeros(30, int), 1:13], np.r_[np.arange(30) % 2, np.arange(12) % 3 == 0].astype(int)
    x = rng.normal(size=(42, 2)) + y[:, None]
    design = trueness.CvBootstrap(5, 2, 30).draw(y, groups=site, rng=0)
    assert any(len(np.unique(site[test])) < 2 for test in design.parts[0].tests())
    a, b = (trueness.fit(model, x, y, design) for model in (LDA(), GaussianNB()))
    each = [trueness.estimate(fits, "auc", "cv+training").value for fits in (a, b)]
    d = trueness.difference(a, b, "auc", "cv+training")
    assert d.value == pytest.approx(each[0] - each[1])
    assert d.se > 0


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_rare_class_in_mixed_groups_has_an_auc_or_an_error():
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(60), 3)
    for seed in range(4):
        y = (np.random.default_rng(seed).random(180) < 0.1).astype(int)
        X = rng.normal(size=(180, 2)) + y[:, None]
        a = trueness.assess(LDA(), X, y, groups=site, rng=seed, checks=False)
        assert a["auc"].method == "cv+training"
        assert a["auc"].se > 0
    y = np.isin(np.arange(180), (0, 3)).astype(int)  # two groups of sixty have a positive

    for call in (
        lambda: trueness.assess(LDA(), X, y, groups=site, rng=0, checks=False),
        lambda: trueness.compare({"a": LDA(), "b": LDA()}, X, y, groups=site, rng=0, checks=False),
    ):
        with pytest.raises((FitError, UndefinedError)):
            call()
