"""Two tests compared."""

import math

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness.errors import InputError
from trueness.formulas import mover
from trueness.tables.two_tests import COMPARED

approx = pytest.approx

# cells (truth, first, second) of a paired study
CELLS = [
    (1, 1, 1, 80),
    (1, 0, 1, 12),
    (1, 1, 0, 25),
    (1, 0, 0, 30),
    (0, 1, 1, 20),
    (0, 0, 1, 30),
    (0, 1, 0, 15),
    (0, 0, 0, 200),
]


def study(cells=CELLS, order=None):
    y, a, b = (np.concatenate([np.full(k, row[i]) for *row, k in ((*c[:3], c[3]) for c in cells)]) for i in range(3))
    order = np.arange(len(y)) if order is None else order
    return y[order], a[order], b[order]


def pair(**options):
    y, a, b = study()
    return trueness.diagnose(y, a, **options), trueness.diagnose(y, b, **options)


def test_paired_differences_have_the_norm_of_the_difference_of_their_influences():
    a, b = pair()
    v = a.versus(b)
    for name in COMPARED:
        d = v.difference(name)
        assert d.value == approx(a[name].value - b[name].value)
        assert d.se == approx(np.linalg.norm(a[name].influence - b[name].influence))
        assert d.se < math.hypot(a[name].se, b[name].se)  # the tests agree on most cases


def test_paired_fractions_have_the_closed_form():
    """Var(p1 − p2) = (b + c − (b − c)²/n)/n² with the discordant b, c; se ln(p1/p2) = √((b + c)/((a + b)(a + c)))."""
    a, b = pair()
    v = a.versus(b)
    assert v.difference("tpf").se == approx(math.sqrt((37 - 13**2 / 147) / 147**2))
    assert v.difference("fpf").se == approx(math.sqrt((45 - 15**2 / 265) / 265**2))
    assert v.ratio("tpf").se / v.ratio("tpf").value == approx(math.sqrt(37 / (92 * 105)))


def test_paired_intervals_are_newcombe_s():
    """Newcombe (1998, Statistics in Medicine 17:2635): 43/50 − 39/50 with 36, 7, 3, 4 has the score limits of
    method 10, φ with its correction for continuity: checked by its formula."""
    cells = [
        (1, 1, 1, 36),
        (1, 1, 0, 7),
        (1, 0, 1, 3),
        (1, 0, 0, 4),
        (0, 0, 0, 30),
        (0, 1, 1, 10),
        (0, 1, 0, 5),
        (0, 0, 1, 5),
    ]
    y, p, q = study(cells)
    d = trueness.diagnose(y, p).versus(trueness.diagnose(y, q)).difference("tpf")
    l1, u1 = trueness.tables.proportion_interval(43, 50)
    l2, u2 = trueness.tables.proportion_interval(39, 50)
    phi = (36 * 4 - 7 * 3 - 50 / 2) / math.sqrt(43 * 7 * 39 * 11)
    delta = math.sqrt((0.86 - l1) ** 2 - 2 * phi * (0.86 - l1) * (u2 - 0.78) + (u2 - 0.78) ** 2)
    epsilon = math.sqrt((u1 - 0.86) ** 2 - 2 * phi * (u1 - 0.86) * (0.78 - l2) + (0.78 - l2) ** 2)
    assert tuple(d.ci(method="mover")) == approx((0.08 - delta, 0.08 + epsilon), abs=1e-9)
    assert tuple(d.ci()) == approx(trueness.comparisons.tango(7, 3, 50))


def paired_tpf(e, f, g, h):
    y, p, q = study([(1, 1, 1, e), (1, 1, 0, f), (1, 0, 1, g), (1, 0, 0, h), (0, 0, 0, 20), (0, 1, 1, 10)])
    return trueness.diagnose(y, p).versus(trueness.diagnose(y, q)).difference("tpf")


def test_paired_interval_by_numbers_worked_out_elsewhere():
    """20, 2, 1, 27 of 50 pairs: −.056 to .096 by method 10, where method 8 has −.046 to .086."""
    assert tuple(paired_tpf(20, 2, 1, 27).ci(method="mover")) == approx((-0.056, 0.096), abs=5e-4)
    for method in (None, "mover"):
        low, high = paired_tpf(20, 1, 2, 27).ci(method=method)  # the tests exchanged
        assert (-high, -low) == approx(tuple(paired_tpf(20, 2, 1, 27).ci(method=method)))


def test_predictive_values_of_as_many_cases_are_not_of_the_same_cases():
    y, p, q = study(
        [(1, 1, 1, 20), (1, 1, 0, 3), (1, 0, 1, 2), (0, 1, 1, 10), (0, 1, 0, 4), (0, 0, 1, 5), (0, 0, 0, 30)]
    )
    d = trueness.diagnose(y, p).versus(trueness.diagnose(y, q)).difference("ppv")
    a, b = d.interval.first, d.interval.second
    assert a.cases == b.cases == 37
    assert d.interval.correlation == approx((a.se**2 + b.se**2 - d.se**2) / (2 * a.se * b.se))


def test_a_negative_correlation_is_not_corrected():
    low, high = paired_tpf(5, 20, 15, 5).ci()
    assert mover.paired_correlation(-0.4, 45, 0.07, 0.07) == -0.4
    assert mover.paired_correlation(0.05, 20, 0.1, 0.1) == 0.0
    assert low < 5 / 45 < high


def test_exact_coverage_of_tests_that_seldom_differ():
    """50 pairs, P = (.48, .03, 0, .49): summed over all tables; method 8 covers 80 %."""
    n, p = 50, (0.48, 0.03, 0.49)
    held = 0.0
    for f in range(12):  # P(f ≥ 12) < 1e-6
        for e in range(1, n - f):
            h = n - e - f
            one, other = (e + f) / n, e / n
            se = [math.sqrt(s * (1 - s) / n) for s in (one, other)]
            phi = e * h / n**2 / (n * se[0] * se[1])
            phi = mover.paired_correlation(phi, n, *se)
            limits = [trueness.tables.proportion_interval(x, n) for x in (e + f, e)]
            low, high = mover.difference(one, tuple(limits[0]), other, tuple(limits[1]), phi)
            held += stats.multinomial.pmf([e, f, h], n, p) * (low <= 0.03 <= high)
    assert held > 0.99


def test_unpaired():
    """Two samples: variances add. Newcombe's example 56/70 − 48/80 has the limits .0524 and .3339."""
    a = trueness.diagnose(tp=56, fn=14, fp=30, tn=70)
    b = trueness.diagnose(tp=48, fn=32, fp=10, tn=40)
    v = a.versus(b, paired=False)
    for name in COMPARED:
        assert v.difference(name).se == approx(math.hypot(a[name].se, b[name].se))
        r = v.ratio(name)
        assert r.se / r.value == approx(math.hypot(a[name].se / a[name].value, b[name].se / b[name].value))
    assert tuple(v.difference("tpf").ci()) == approx((0.0524, 0.3339), abs=5e-5)


def test_standard_errors_by_simulation():
    rng = np.random.default_rng(4)
    shares = np.array([k for *_, k in CELLS]) / 412
    a, b = pair()
    v = a.versus(b)
    spread = {name: [] for name in COMPARED}
    for k in rng.multinomial(412, shares, size=4000):
        t = dict(zip([c[:3] for c in CELLS], k.tolist(), strict=True))
        one, two = _rates(t, 1), _rates(t, 2)
        for name in COMPARED:
            spread[name].append(math.log(one[name] / two[name]))
    for name in COMPARED:
        r = v.ratio(name)
        assert r.se / r.value == approx(np.std(spread[name]), rel=0.05)


def _rates(t, which):
    total = {
        (truth, said): sum(k for c, k in t.items() if c[0] == truth and c[which] == said)
        for truth in (0, 1)
        for said in (0, 1)
    }
    tp, fn, fp, tn = total[1, 1], total[1, 0], total[0, 1], total[0, 0]
    tpf, fpf = tp / (tp + fn), fp / (fp + tn)
    return {
        "tpf": tpf, "fpf": fpf, "ppv": tp / (tp + fp), "npv": tn / (tn + fn),
        "dlr_positive": tpf / fpf, "dlr_negative": (1 - tpf) / (1 - fpf),
    }  # fmt: skip


def test_turning_the_pair_turns_the_signs():
    a, b = pair()
    one, other = a.versus(b).frame(), b.versus(a).frame()
    assert one["difference"].to_numpy() == approx(-other["difference"].to_numpy())
    assert one["low"].to_numpy() == approx(-other["high"].to_numpy())
    assert one["ratio"].to_numpy() == approx(1 / other["ratio"].to_numpy())
    assert one["ratio_low"].to_numpy() == approx(1 / other["ratio_high"].to_numpy())


def test_order_of_the_cases_does_not_matter():
    y, p, q = study()
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = trueness.diagnose(y[order], p[order]).versus(trueness.diagnose(y[order], q[order])).frame()
    assert shuffled["se"].to_numpy() == approx(pair()[0].versus(pair()[1]).frame()["se"].to_numpy())


def test_a_test_against_itself():
    a, _ = pair()
    v = a.versus(a)
    for name in COMPARED:
        d = v.difference(name)
        assert d.value == 0
        low, high = d.ci()
        assert low < 0 < high  # the same decisions on these cases, not on all
        apart = a.versus(a, paired=False).difference(name).ci()
        assert high - low < (apart.high - apart.low) / 2
        assert v.ratio(name).value == approx(1)
        assert d.noted("no-se-zero-variance" if name in ("tpf", "fpf") else "se-half-added")


def test_a_perfect_test_against_one_that_is_always_wrong():
    y = np.arange(40) % 2
    d = trueness.diagnose(y, y).versus(trueness.diagnose(y, 1 - y)).difference("tpf")
    assert d.value == 1
    assert d.ci().low < 0.9
    assert d.noted("no-se-zero-variance")


def test_case_control_with_an_uncertain_prevalence_shared_by_both():
    a, b = pair(design="case-control", prevalence=(0.05, 0.2))
    known = pair(design="case-control", prevalence=a.prevalence.value)
    v, sure = a.versus(b), known[0].versus(known[1])
    assert v.difference("ppv").value == approx(sure.difference("ppv").value)
    assert v.difference("ppv").se > sure.difference("ppv").se
    # both lean on the one prevalence, so its error largely cancels in the ratio
    assert v.ratio("ppv").se < math.hypot(a.ppv.se / a.ppv.value, b.ppv.se / b.ppv.value)
    assert v.difference("tpf").se == approx(sure.difference("tpf").se)


def test_two_tests_of_a_selected_study():
    y, p, _ = study()
    y = y.astype(float)
    y[::3] = np.nan
    d = trueness.diagnose(y, p, design="selected")
    assert d.versus(d, paired=False).difference("tpf").value == 0
    with pytest.raises(InputError, match="selected"):
        d.versus(d)
    with pytest.raises(InputError, match="same design"):
        trueness.diagnose(y, p, design="selected").versus(trueness.diagnose(*study()[:2])).frame()


def test_fractions_of_zero_and_one():
    a, b = trueness.diagnose(tp=10, fn=0, fp=0, tn=20), trueness.diagnose(tp=8, fn=2, fp=2, tn=18)
    frame = a.versus(b, paired=False).frame()
    assert np.isfinite(frame[["ratio", "ratio_low", "ratio_high", "low", "high"]].to_numpy(dtype=float)).all()
    assert (frame["ratio_low"] < frame["ratio_high"]).all()


def test_undefined_measures_stay_undefined():
    a, b = trueness.diagnose(tp=0, fn=9, fp=0, tn=50), trueness.diagnose(tp=5, fn=4, fp=3, tn=47)
    v = a.versus(b, paired=False)
    assert math.isnan(v.difference("ppv").value)
    assert math.isnan(v.ratio("ppv").value)
    assert v.ratio("ppv").noted("empty-margin").data["decisions"] == ["positive"]
    assert v.frame().set_index("measure").loc["ppv", ["low", "ratio_low"]].isna().all()


def test_bad_pairs():
    a, b = pair()
    y, p, _ = study()
    with pytest.raises(InputError, match="decision for every case"):
        trueness.diagnose(tp=1, fn=1, fp=1, tn=1).versus(a).difference("tpf")
    with pytest.raises(InputError, match="need the same cases"):
        trueness.diagnose(y[:-1], p[:-1]).versus(a).difference("tpf")
    with pytest.raises(InputError, match="need the same cases"):
        trueness.diagnose(y[::-1].copy(), p).versus(a).difference("tpf")
    with pytest.raises(InputError, match="not compared"):
        a.versus(b).difference("auc")
    with pytest.raises(InputError, match="same design and prevalence"):
        pair(design="case-control", prevalence=0.1)[0].versus(
            pair(design="case-control", prevalence=0.2)[1]
        ).difference("ppv")


# -- four regions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "rates", "dlrs"),
    [
        ((900, 100, 100, 900), "A", "A"),  # TPF .9, FPF .1 around a current test at (.3, .8)
        ((950, 50, 450, 550), "B", "B"),
        ((700, 300, 100, 900), "C", "C"),
        ((500, 500, 500, 500), "D", "D"),
        ((780, 220, 100, 900), "C", "A"),  # a little less found, far fewer false alarms: clear by the DLRs
    ],
)
def test_regions_around_a_known_test(new, rates, dlrs):
    tp, fn, fp, tn = new
    r = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn).four_regions((0.3, 0.8))
    assert (r.rates.region, r.dlrs.region) == (rates, dlrs)
    assert r.frame()["by"].tolist() == ["rates", "dlrs"]


def test_sure_or_not():
    many = trueness.diagnose(tp=900, fn=100, fp=100, tn=900).four_regions((0.3, 0.8))
    assert many.rates.reached == many.dlrs.reached == "A"
    assert many.rates.shown == many.rates.estimated == "better"
    few = trueness.diagnose(tp=9, fn=1, fp=1, tn=9).four_regions((0.3, 0.8))
    assert few.rates.region == "A"
    assert set(few.rates.reached) >= {"A", "C"}
    assert few.rates.estimated == "better"
    assert "not shown to differ" in few.rates.shown


def test_a_test_is_not_better_than_itself():
    a, _ = pair()
    for paired in (True, False):
        r = a.four_regions(a, paired=paired)
        for placed in (r.rates, r.dlrs):
            assert (placed.region, placed.reached) == ("=", "ABCD")
            assert (placed.shown, placed.estimated) == ("not shown to differ", "the same")
    assert "not shown to differ" in str(r)


def test_what_is_shown_is_what_the_regions_have_in_common():
    """A test with fewer false alarms: a lower FPF is shown, a difference of the TPF is not."""
    r = trueness.diagnose(tp=80, fn=20, fp=50, tn=450).four_regions((0.3, 0.8))
    assert r.rates.reached == "AC"
    assert r.rates.shown == "TPF not shown to differ, FPF better"
    (low, high), fpf = r.rates.limits
    assert low < 0 < high
    assert fpf[1] < 0
    r = trueness.diagnose(tp=490, fn=10, fp=30, tn=70).four_regions((0.3, 0.8))
    assert r.rates.reached == "AB"
    assert r.rates.shown == "TPF better, FPF not shown to differ"


def test_regions_around_an_estimated_test_use_the_pairing():
    a, b = pair()
    paired, apart = a.four_regions(b), a.four_regions(b, paired=False)
    assert paired.rates.region == apart.rates.region == "A"
    assert len(paired.rates.reached) <= len(apart.rates.reached)
    assert b.four_regions(a).rates.region == "D"


def test_regions_need_a_point_inside():
    d = trueness.diagnose(tp=9, fn=1, fp=1, tn=9)
    for bad in ((0, 0.5), (0.2, 1.0), 3, "here", (0.1, 0.2, 0.3)):
        with pytest.raises(InputError) as error:
            d.four_regions(bad)
        assert error.value.param == "current"


def test_a_half_in_one_test_leaves_the_other_alone():
    a, b = trueness.diagnose(tp=40, fn=10, fp=0, tn=100), trueness.diagnose(tp=30, fn=20, fp=7, tn=93)
    v = a.versus(b, paired=False)
    assert v.difference("dlr_positive").value == approx(a.dlr_positive.value - b.dlr_positive.value)
    assert v.ratio("dlr_positive").value == approx(a.dlr_positive.value / b.dlr_positive.value)
    assert v.frame().set_index("measure").loc["dlr_positive", "second"] == approx(0.6 / 0.07)
    assert v.ratio("dlr_positive").ci().low < v.ratio("dlr_positive").value < v.ratio("dlr_positive").ci().high
    # DLR− is finite in both: no ½ anywhere
    assert v.ratio("dlr_negative").notes == ()


def test_a_wrong_partner_is_an_error_at_once():
    a, _ = pair()
    for wrong in (3, "the other", trueness.diagnose(["a", "b", "c"], ["a", "b", "c"]), None):
        with pytest.raises(InputError) as error:
            a.versus(wrong)
        assert error.value.param == "other"
    with pytest.raises(InputError, match="decision for every case"):
        a.versus(trueness.diagnose(tp=1, fn=1, fp=1, tn=1))
    with pytest.raises(InputError, match="same design"):
        a.versus(pair(design="case-control")[1])


def test_groups_of_one_case_leave_the_ratio_of_a_rate_of_0_as_it_is():
    """½ is added to every cell once, with and without groups."""
    cells = [(1, 1, 1, 20), (1, 0, 1, 6), (1, 1, 0, 4), (1, 0, 0, 5), (0, 0, 1, 7), (0, 0, 0, 30)]
    y, a, b = study(cells)
    alone = np.arange(len(y))
    plain = trueness.diagnose(y, a).versus(trueness.diagnose(y, b)).ratio("fpf")
    grouped = trueness.diagnose(y, a, groups=alone).versus(trueness.diagnose(y, b, groups=alone)).ratio("fpf")
    assert (grouped.value, grouped.se) == approx((plain.value, plain.se), rel=1e-3)


def test_many_classes_need_no_table_of_tables():
    """The slopes of 3,600 cells, a table each, are taken some at a time."""
    import tracemalloc

    rng, y = np.random.default_rng(0), np.arange(600) % 60
    answers = [np.where(rng.random(600) < 0.7, y, rng.integers(0, 60, 600)) for _ in range(2)]
    fits = [
        trueness.Fits.from_arrays(y, np.zeros((1, 600), int), None, predictions=a[None], plan="holdout")
        for a in answers
    ]
    tracemalloc.start()
    d = trueness.difference(*fits, "balanced_accuracy", "holdout")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    right = np.stack([a == y for a in answers]).astype(float)
    gap = right[0] - right[1]
    means = np.array([gap[y == c].mean() for c in range(60)])
    spread = sum(((gap[y == c] - means[c]) ** 2).sum() / (y == c).sum() ** 2 for c in range(60)) / 60**2
    assert (d.value, d.se) == (approx(means.mean()), approx(math.sqrt(spread)))
    assert most < 300e6  # 16 · 3600² = 207 MB and as much again, all at once
