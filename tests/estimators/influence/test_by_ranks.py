"""LPOB and cv_pairs by ranks against the sums pair by pair: the difference is small against the standard error."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import pair_influence
from trueness.estimators.influence.pair_influence import by_ranks
from trueness.metrics import AUC
from trueness.sample.fits import Failure


def cases(n=160, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, 3))
    X[:, 0] += 0.8 * y
    return X, y


PLANS = {
    "bootstrap": (trueness.Bootstrap(300), "lpob"),
    "unstratified": (trueness.Bootstrap(300, stratified=False), "lpob"),
    "fixed": (trueness.Bootstrap(300, stratified="fixed"), "lpob"),
    "folds": (trueness.KFold(4, repeats=40), "cv_pairs"),
    "splits": (trueness.plans.MonteCarlo(200, 0.4), "cv_pairs"),
}


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("case", ["two classes", "three classes", "ties", "groups"])
def test_ranks_agree_with_sums_over_single_pairs(plan, case):
    X, y = cases(classes=3 if case == "three classes" else 2)
    if case == "ties":
        X = np.round(X)
    plan, method = PLANS[plan]
    groups = np.arange(len(y)) // 2 * 3 + y if case == "groups" else None  # pure groups of one or two cases
    design = plan.draw(y, groups=groups, rng=1)
    model = KNeighborsClassifier(15) if case == "ties" else LDA()
    fits = trueness.fit(model, X, y, design)
    for se in ("influence", "influence-corrected"):
        exact, fast = (
            trueness.estimate(fits, "auc", method, se=se, undefined="skip", sums=sums) for sums in ("exact", "ranks")
        )
        assert abs(fast.value - exact.value) < 0.05 * exact.se
        assert fast.se == pytest.approx(exact.se, rel=0.06 if method == "lpob" else 0.1)  # few splits test a pair
        assert np.corrcoef(exact.influence, fast.influence)[0, 1] > 0.97
        assert fast.mc_se == pytest.approx(exact.mc_se, rel=0.15)
        assert [n.code for n in fast.notes if n.code == "pairs-by-ranks"]
        assert not exact.noted("pairs-by-ranks")


def test_one_large_group_of_both_classes_has_exact_sums(monkeypatch):
    """Its cases are left out together, which ranks do not know: they were up to a quarter of a standard error off."""
    X, y = cases(120)
    groups = np.where(np.arange(120) < 30, 0, np.arange(120))
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(100), groups=groups, rng=0)
    exact = trueness.estimate(fits, "auc", "lpob", undefined="skip", sums="exact")
    monkeypatch.setattr(pair_influence, "MAX_PAIRS", 1)
    auto = trueness.estimate(fits, "auc", "lpob", undefined="skip")
    assert (auto.value, auto.se) == (exact.value, exact.se)
    with pytest.raises(InputError, match="sums='exact'"):
        trueness.estimate(fits, "auc", "lpob", undefined="skip", sums="ranks")
    monkeypatch.setattr("trueness.sample.rows.free_memory", lambda: 1e4)
    with pytest.raises(InputError, match="not enough memory.*or method='cv'"):
        trueness.estimate(fits, "auc", "lpob", undefined="skip")


def test_more_replicates_bring_them_closer():
    X, y = cases(100)
    gaps = []
    for replicates in (100, 1600):
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(replicates), rng=3)
        exact, fast = (trueness.estimate(fits, "auc", "lpob", undefined="skip", sums=s) for s in ("exact", "ranks"))
        gaps.append(abs(fast.value - exact.value) / exact.se)
    assert gaps[1] < 0.01
    assert gaps[0] < 0.1


def test_a_difference_of_many_pairs_is_by_ranks_and_of_the_first_order(monkeypatch):
    X, y = cases(200)
    design = trueness.Bootstrap(400).draw(y, rng=0)
    a, b = (trueness.fit(model, X, y, design) for model in (LDA(), GaussianNB()))
    exact = trueness.difference(a, b, "auc", "lpob", se="influence-corrected")
    monkeypatch.setattr(pair_influence, "MAX_PAIRS", 1)
    monkeypatch.setattr(pair_influence, "MAX_PAIRS_OF_SECOND_ORDER", 1)
    fast = trueness.difference(a, b, "auc", "lpob")
    assert abs(fast.value - exact.value) < 0.1 * exact.se
    assert fast.se == pytest.approx(exact.se, rel=0.15)
    assert {"pairs-by-ranks", "first-order-se"} <= {note.code for note in fast.notes}
    asked = trueness.difference(a, b, "auc", "lpob", se="second-order")  # needs single pairs, and gets them
    assert asked.se_method == "second-order"
    assert not asked.noted("pairs-by-ranks")


def test_the_choice_is_one_of_numbers_of_pairs_and_of_room():
    metric = AUC()

    def chosen(n, replicates, sums="auto", **more):
        design = trueness.Bootstrap(replicates).draw(np.arange(n) % 2, rng=0)
        return by_ranks(design, metric.bind(design.sample), sums, **more)

    assert not chosen(2000, 1000)  # 10⁹
    assert chosen(4000, 1000)  # 4·10⁹
    assert not chosen(4000, 1000, rules=2, second_order=True)
    assert chosen(20_000, 20)  # 2·10⁹ pairs, but tables of 3 GB
    assert chosen(100, 10, "ranks")
    assert not chosen(4000, 1000, "exact")
    with pytest.raises(InputError, match=r"sums must be") as caught:
        chosen(100, 10, "fast")
    assert caught.value.param == "sums"


def test_no_room_is_said_before_anything_is_summed(monkeypatch):
    X, y = cases()
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(60), rng=0)
    monkeypatch.setattr("trueness.sample.rows.free_memory", lambda: 1e5)
    with pytest.raises(InputError, match=r"not enough memory.*GB needed.*Use sums='ranks'"):
        trueness.estimate(fits, "auc", "lpob", sums="exact")
    assert trueness.estimate(fits, "auc", "lpob", sums="ranks").se > 0


def test_cases_that_were_never_left_out():
    y = np.arange(12) % 2
    counts = np.ones((4, 12), dtype=int)
    counts[:, 2:] = trueness.Bootstrap(4).draw(y[2:], rng=1).counts
    counts[0, 2:] = 0
    fits = trueness.Fits.from_arrays(y, counts, np.random.default_rng(0).normal(size=(4, 12)), plan="bootstrap")
    with pytest.raises(UndefinedError, match="never left out"):
        trueness.estimate(fits, "auc", "lpob", sums="ranks")
    skipping = trueness.estimate(fits, "auc", "lpob", sums="ranks", undefined="skip")
    assert skipping.noted("pairs-skipped").data["skipped"] == 36 - 25
    failed = replace(fits, failed=(Failure(0, "singular"),))
    with pytest.raises(UndefinedError):
        trueness.estimate(failed, "auc", "lpob", sums="ranks", undefined="failed")
