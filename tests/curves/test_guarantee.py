"""Thresholds with a guarantee: exact laws, order statistics, and what cannot be promised."""

import numpy as np
import pytest
from scipy import stats

from trueness.curves import guarantee
from trueness.curves.promised import guaranteed, least_units, p_not_met
from trueness.errors import InputError, UndefinedError

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], [90, 70])
S = RNG.normal(size=160) + 1.5 * Y


@pytest.mark.parametrize(("wanted", "delta"), [(0.9, 0.05), (0.8, 0.1), (0.95, 0.2)])
def test_tpf_is_the_order_statistic_of_the_beta_law(wanted, delta):
    """TPF(s_(r)) is 1 − Beta(r, n − r + 1): the largest r that keeps it above `wanted` with confidence 1 − δ."""
    up, n = np.sort(S[Y == 1]), 70
    kept = [r for r in range(1, n + 1) if stats.beta.cdf(1 - wanted, r, n - r + 1) >= 1 - delta]
    assert guarantee(Y, S, tpf=wanted, confidence=1 - delta).threshold == up[max(kept) - 1]


@pytest.mark.parametrize(("wanted", "delta"), [(0.1, 0.05), (0.3, 0.1)])
def test_fpf_is_that_of_the_classes_swapped(wanted, delta):
    down = np.sort(S[Y == 0])[::-1]
    kept = [r for r in range(1, 91) if stats.beta.cdf(wanted, r, 91 - r) >= 1 - delta]
    t = guarantee(Y, S, fpf=wanted, confidence=1 - delta).threshold
    assert t == S[down[max(kept) - 1] < S].min()  # the next score above that order statistic
    swapped = guarantee(1 - Y, -S, tpf=1 - wanted, confidence=1 - delta).threshold
    assert ((t <= S) == (swapped > -S)).all()


def test_the_clopper_pearson_limit_at_the_threshold_is_the_wanted_rate():
    g = guarantee(Y, S, tpf=0.85, confidence=0.95)
    hits = int((S[Y == 1] >= g.threshold).sum())
    assert stats.beta.ppf(0.05, hits, 70 - hits + 1) >= 0.85
    assert stats.beta.ppf(0.05, hits - 1, 70 - hits + 2) < 0.85


def test_exact_coverage_of_a_discrete_score():
    """All samples of 8 positives with three scores: the promise is broken with probability at most δ."""
    law, wanted, delta = np.array([0.2, 0.3, 0.5]), 0.6, 0.2
    broken = 0.0
    for a in range(9):
        for b in range(9 - a):
            counts = np.array([a, b, 8 - a - b])
            scores = np.repeat([0.0, 1.0, 2.0], counts)
            t = guaranteed(np.append(scores, -1.0), np.arange(9) < 8, None, "tpf", wanted, delta)
            met = law[np.array([0.0, 1.0, 2.0]) >= t].sum() >= wanted
            broken += stats.multinomial.pmf(counts, 8, law) * (not met)
    assert broken <= delta


def test_ppv_is_met_by_clopper_pearson():
    g = guarantee(Y, S, ppv=0.6, confidence=0.9)
    called = g.threshold <= S
    assert stats.beta.ppf(0.1, Y[called].sum(), called.sum() - Y[called].sum() + 1) > 0.55
    strict = guarantee(Y, S, ppv=0.8, confidence=0.9)
    assert strict.threshold >= g.threshold


def test_groups_are_the_units():
    groups = np.arange(160) // 2
    alone, together = (guarantee(Y, S, tpf=0.7, confidence=0.9, groups=g) for g in (None, groups))
    assert together.threshold <= alone.threshold  # half as many units
    copies = guarantee(np.repeat(Y, 3), np.repeat(S, 3), tpf=0.7, confidence=0.9, groups=np.repeat(np.arange(160), 3))
    single = guarantee(Y, S, tpf=0.7, confidence=0.9, groups=np.arange(160))
    assert copies.threshold == single.threshold  # copies within a group tell nothing
    assert guarantee(Y, S, fpf=0.3, confidence=0.9, groups=groups).threshold >= guarantee(Y, S, fpf=0.3).threshold - 1


def test_hoeffding_bentkus_is_never_below_the_exact_tail():
    wrong = np.arange(0, 12) / 40
    exact, bound = (p_not_met(wrong, 40, 0.3, how) for how in (True, False))
    assert (bound >= exact - 1e-12).all()


@pytest.mark.parametrize(
    ("rate", "wanted", "delta", "n"), [("tpf", 0.9, 0.05, 29), ("tpf", 0.95, 0.05, 59), ("fpf", 0.1, 0.05, 29)]
)
def test_how_many_are_needed(rate, wanted, delta, n):
    assert least_units(rate, wanted, delta) == n  # the well-known 59 of 95/95
    y = np.repeat([0, 1], n - 1)
    with pytest.raises(UndefinedError, match=f"impossible with {n - 1} .*at least {n} are needed"):
        guarantee(y, np.arange(2.0 * n - 2), confidence=1 - delta, **{rate: wanted})
    y = np.repeat([0, 1], n)
    assert guarantee(y, np.arange(2.0 * n), confidence=1 - delta, **{rate: wanted}).to_dict()["rate"] == rate


def test_useless_scores_promise_by_calling_nothing_positive():
    y = np.tile([0, 1], 200)
    g = guarantee(y, np.zeros(400), fpf=0.1)
    assert g.threshold == np.inf
    assert g.notes[0].code == "all-negative"
    assert guarantee(y, np.zeros(400), ppv=0.8).threshold == np.inf
    assert guarantee(y, np.zeros(400), tpf=0.9).threshold == 0


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({}, "tpf"),
        ({"tpf": 0.9, "fpf": 0.1}, "fpf"),
        ({"tpf": 1.0}, "tpf"),
        ({"fpf": 0.0}, "fpf"),
        ({"ppv": 1.2}, "ppv"),
        ({"tpf": 0.9, "confidence": 1.0}, "confidence"),
        ({"tpf": 0.9, "confidence": "high"}, "confidence"),
    ],
)
def test_bad_input(given, param):
    with pytest.raises(InputError) as error:
        guarantee(Y, S, **given)
    assert error.value.param == param


def test_order_and_increasing_transformations_do_not_matter():
    order = RNG.permutation(160)
    t = guarantee(Y, S, tpf=0.8).threshold
    assert guarantee(Y[order], S[order], tpf=0.8).threshold == t
    assert guarantee(Y, np.exp(S), tpf=0.8).threshold == pytest.approx(np.exp(t))


def patients():
    """60 patients with 20 positives that are hard to find, 340 with one that is easy, and 300 negatives."""
    rng = np.random.default_rng(0)
    size = np.where(np.arange(400) < 60, 20, 1)
    group = np.repeat(np.arange(400), size)
    up = rng.normal(size=len(group)) + np.where(size[group] == 20, 1.0, 4.0)
    y = np.repeat([1, 0], [len(group), 300])
    return y, np.r_[up, rng.normal(size=300)], np.r_[group, np.arange(1000, 1300)]


def test_a_promise_of_groups_says_that_it_is_a_mean_over_groups():
    y, s, group = patients()
    g = guarantee(y, s, tpf=0.9, groups=group)
    called = s >= g.threshold
    each = [called[(group == k) & (y == 1)].mean() for k in np.unique(group[y == 1])]
    assert g.mean_over_groups == pytest.approx(np.mean(each))
    assert g.mean_over_groups > 0.9 > 0.7 > g.tpf == called[y == 1].mean()
    assert g.promise == "a TPF, as mean over groups, of at least 0.9 with confidence 0.95"
    (note,) = g.notes
    assert (note.code, note.severity, note.data["pooled"]) == ("mean-over-groups-only", "warning", g.tpf)
    assert f"mean over groups {np.mean(each):.2f}" in g.text()
    assert g.frame().loc[0, "mean_over_groups"] == g.mean_over_groups
    with pytest.raises(UndefinedError, match=r"A TPF, as mean over groups, of at least 0\.9 .* groups with positives"):
        guarantee(y[-310:], s[-310:], tpf=0.9, groups=group[-310:])


@pytest.mark.parametrize("rate", ["fpf", "ppv"])
def test_the_mean_over_groups_of_other_rates(rate):
    y, s, group = patients()
    group = np.r_[group[y == 1], 1000 + np.arange(300) // np.r_[np.full(150, 30), np.full(150, 1)]]
    g = guarantee(y, s, groups=group, **{rate: 0.3 if rate == "fpf" else 0.5})
    called = s >= g.threshold
    of = called if rate == "ppv" else y == 0
    right = y == 1 if rate == "ppv" else called
    each = [right[of & (group == k)].mean() for k in np.unique(group[of])]
    assert g.mean_over_groups == pytest.approx(np.mean(each))
    assert g.ppv == pytest.approx(y[called].mean())


def test_cases_have_no_mean_over_groups():
    g = guarantee(Y, S, tpf=0.8)
    assert g.mean_over_groups is None
    assert g.notes == ()
    assert "group" not in g.text()


def test_methods_say_how_the_confidence_comes_about():
    said = guarantee(Y, S, tpf=0.8).methods()
    assert "binomial test" in said
    assert "fixed sequence" in said
    for key in ("angelopoulos_2021", "bates_2021", "clopper_pearson_1934"):
        assert key in said
        assert f"{{{key}," in guarantee(Y, S, tpf=0.8).bibtex()
    grouped = guarantee(Y, S, tpf=0.7, confidence=0.9, groups=np.arange(160)).methods()
    assert "Hoeffding's and Bentkus's" in grouped
    assert "as mean over groups" in grouped
    assert "clopper" not in grouped
    assert "4 starting points" in guarantee(Y, S, ppv=0.6).methods()
    assert guarantee(Y, S, tpf=0.8).flat()["tpf"] == guarantee(Y, S, tpf=0.8).tpf
