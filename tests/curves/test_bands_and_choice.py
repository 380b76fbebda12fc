"""Bands around an empirical curve, and choosing a point on it."""

import math
import pickle

import numpy as np
import pytest
from scipy import special, stats

import trueness
from trueness.errors import InputError


def scores(n1=60, n0=80, shift=1.3, rng=0, digits=None):
    generator = np.random.default_rng(rng)
    s = np.r_[shift + generator.standard_normal(n1), generator.standard_normal(n0)]
    return np.repeat([1, 0], [n1, n0]), s if digits is None else np.round(s, digits)


def true_roc(shift):
    return lambda t: special.ndtr(shift + special.ndtri(t))


@pytest.mark.parametrize("method", ["fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap"])
def test_band_stays_in_the_square_around_the_curve(method):
    c = trueness.roc(*scores(digits=1))
    band = c.band(0.9, method, n_resamples=200, rng=0)
    table = band.frame()
    assert ((table["tpf_low"] >= 0) & (table["tpf_high"] <= 1)).all()
    assert (table["tpf_low"] <= table["tpf"] + 1e-9).all()
    assert (table["tpf_high"] >= table["tpf"] - 1e-9).all()
    wider = c.band(0.99, method, n_resamples=200, rng=0)
    assert (wider.high - wider.low).mean() > (band.high - band.low).mean()
    assert band.simultaneous == (method in ("fixed-width", "kolmogorov"))


def test_kolmogorov_band_is_the_curve_moved():
    c = trueness.roc(*scores())
    band = c.band(0.95, "kolmogorov")
    d, e = (stats.kstwo.ppf(math.sqrt(0.95), n) for n in (80, 60))
    for t in (0.2, 0.5):
        assert band.at(t).high == pytest.approx(min(1, c(t + d) + e), abs=0.02)
        assert band.at(t).low == pytest.approx(max(0, c(t - d) - e), abs=0.02)


def test_simultaneous_bands_hold_the_whole_curve():
    hits = {"fixed-width": 0, "kolmogorov": 0}
    for r in range(60):
        c = trueness.roc(*scores(40, 40, 1.2, r))
        for method in hits:
            b = c.band(0.95, method, n_resamples=150, rng=r)
            truth = true_roc(1.2)(b.fpf)
            hits[method] += bool(((b.low <= truth + 1e-9) & (truth <= b.high + 1e-9)).all())
    assert hits["kolmogorov"] >= 57
    assert hits["fixed-width"] >= 52


def test_fixed_width_band_has_length_where_classes_do_not_overlap():
    b = trueness.roc(np.repeat([1, 0], 20), np.r_[np.arange(20) + 100, np.arange(20)]).band(rng=0, n_resamples=50)
    assert b.at(0.5).low == pytest.approx((1 - math.sqrt(0.95)) ** (1 / 20), abs=1e-6)


def test_binomial_band_is_wilson_at_each_threshold():
    c = trueness.roc(*scores(digits=0))
    table = c.band(0.95, "binomial").frame()
    for row in table.itertuples():
        point = c.at(row.threshold)
        assert (row.tpf_low, row.tpf_high) == pytest.approx(tuple(point.tpf.ci()))
        assert (row.fpf_low, row.fpf_high) == pytest.approx(tuple(point.fpf.ci()))
    with pytest.raises(InputError, match="thresholds"):
        c.band(0.95, "binomial").at(0.1)


def test_vertical_band_is_the_interval_of_tpf_at():
    c = trueness.roc(*scores())
    band = c.band(0.95, "vertical")
    assert band.at(0.3) == pytest.approx(tuple(c.tpf_at(0.3).ci()), abs=0.02)


def test_same_seed_same_band():
    c = trueness.roc(*scores())
    a, b, other = (c.band(0.95, "bootstrap", n_resamples=100, rng=r) for r in (1, 1, 2))
    assert (a.low == b.low).all()
    assert (a.low != other.low).any()


# -- choosing ------------------------------------------------------------------------------------


def brute(y, s, merit, allowed=lambda t, f: True):
    """Best of all thresholds and of labelling every case negative, by trying them."""
    best = None
    for threshold in [np.inf, *sorted(set(s), reverse=True)]:
        t, f = np.mean(s[y == 1] >= threshold), np.mean(s[y == 0] >= threshold)
        if allowed(t, f) and (best is None or merit(t, f) > best[0] + 1e-12):
            best = (merit(t, f), threshold, t, f)
    return best


COSTS = [[0, 10], [200, 30]]


@pytest.mark.parametrize(
    ("ask", "merit", "allowed"),
    [
        ({"criterion": "youden"}, lambda t, f: t - f, lambda t, f: True),
        ({}, lambda t, f: t - f, lambda t, f: True),
        ({"criterion": "closest"}, lambda t, f: -math.hypot(f, 1 - t), lambda t, f: True),
        ({"tpf": 0.9}, lambda t, f: -f + 1e-6 * t, lambda t, f: t >= 0.9),
        ({"fpf": 0.1}, lambda t, f: t - 1e-6 * f, lambda t, f: f <= 0.1),
        (
            {"costs": COSTS, "prevalence": 0.02},
            lambda t, f: -(0.02 * (200 * (1 - t) + 30 * t) + 0.98 * 10 * f),
            lambda t, f: True,
        ),
    ],
)
@pytest.mark.parametrize("digits", [None, 0, 1])
def test_best_point_by_brute_force(ask, merit, allowed, digits):
    y, s = scores(digits=digits)
    chosen = trueness.roc(y, s).best(**ask, n_resamples=0)
    _, threshold, t, f = brute(y, s, merit, allowed)
    assert (chosen.threshold, chosen.tpf, chosen.fpf) == (threshold, t, f)


def test_prevalence_moves_the_cheapest_point():
    c = trueness.roc(*scores(400, 400))
    rare, common = (c.best(costs=[[0, 1], [1, 0]], prevalence=p, n_resamples=0) for p in (0.05, 0.95))
    assert rare.threshold > common.threshold
    assert rare.fpf < 0.05
    assert common.tpf > 0.95
    own = c.best(costs=[[0, 1], [1, 0]], n_resamples=0)
    assert own.notes[0].code == "prevalence-of-sample"
    assert own.notes[0].data["prevalence"] == 0.5
    # the cheapest point lies on the concave hull (where the likelihood ratio meets the cost ratio)
    hull = c.hull()
    for chosen in (rare, common, own):
        assert np.interp(chosen.fpf, hull.fpf, hull.tpf) == pytest.approx(chosen.tpf)


def test_the_choice_knows_how_sure_it_is():
    y, s = scores(60, 60, 1.5, 3)
    c = trueness.roc(y, s)
    chosen = c.best("youden", n_resamples=400, rng=0)
    low, high = chosen.ci("threshold")
    assert low <= chosen.threshold <= high
    assert high - low > 0.2
    assert low <= 0.75 <= high  # the true best threshold, half-way
    assert chosen.optimism > 0  # the best of many looks better than it is
    assert len(chosen.replicates) == 400
    again = c.best("youden", n_resamples=400, rng=0)
    assert again.replicates.equals(chosen.replicates)
    larger = trueness.roc(*scores(3000, 3000, 1.5, 4)).best("youden", n_resamples=200, rng=0)
    assert larger.ci().high - larger.ci().low < high - low
    assert larger.optimism < chosen.optimism
    table = chosen.frame()
    assert table["of"].tolist() == ["threshold", "tpf", "fpf", "merit"]
    assert chosen.criterion.startswith("largest Youden index")


def test_replicates_are_the_choices_on_resamples():
    """Against resampling rows and making every curve anew."""
    y, s = scores(30, 40, 1.0, 5)
    chosen = trueness.roc(y, s).best(tpf=0.8, n_resamples=2000, rng=1)
    generator = np.random.default_rng(2)
    slow = []
    for _ in range(400):
        rows = np.r_[generator.integers(0, 30, 30), 30 + generator.integers(0, 40, 40)]
        slow.append(trueness.roc(y[rows], s[rows]).best(tpf=0.8, n_resamples=0).threshold)
    assert chosen.replicates["threshold"].mean() == pytest.approx(np.mean(slow), abs=0.06)
    assert chosen.replicates["threshold"].std() == pytest.approx(np.std(slow), rel=0.15)
    assert (chosen.replicates["tpf"] >= 0.8 - 1e-12).all()


def test_choice_without_resamples_has_no_interval():
    chosen = trueness.roc(*scores()).best(n_resamples=0)
    assert chosen.optimism is None
    with pytest.raises(InputError, match="without resamples"):
        chosen.ci()
    with pytest.raises(InputError, match="threshold, tpf, fpf, merit"):
        trueness.roc(*scores()).best(n_resamples=5, rng=0).ci("auc")


def test_an_fpf_attained_only_by_labelling_all_cases_negative():
    chosen = trueness.roc([0, 0, 1, 1], [3, 4, 1, 2]).best(fpf=0.1, n_resamples=20, rng=0)
    assert (chosen.tpf, chosen.fpf) == (0, 0)
    assert "criterion-not-met" in [note.code for note in chosen.notes]
    assert chosen.ci().high == np.inf


# -- what the chosen threshold does --------------------------------------------------------------


@pytest.mark.parametrize("ask", [{"tpf": 0.9}, {"fpf": 0.1}, {"criterion": "youden"}])
def test_rates_of_a_choice_are_those_of_its_threshold(ask):
    c = trueness.roc(*scores(40, 50, 1.0, 7))
    chosen = c.best(**ask, n_resamples=50, rng=0)
    point = c.at(chosen.threshold)
    alone = c.best(**ask, n_resamples=0)
    assert alone.ci("tpf", 0.9) == point.tpf.ci(0.9)  # no resample is needed for it
    assert alone.ci("fpf", 0.9) == point.fpf.ci(0.9)
    # with resamples they reach further towards the worse, by what the choice gained on each resample
    gained = chosen.replicates.assign(on_all=[c.rates_at(t) for t in chosen.replicates["threshold"]])
    tpf = (gained["tpf"] - gained["on_all"].str[1]).mean()
    fpf = (gained["on_all"].str[0] - gained["fpf"]).mean()
    assert chosen.rate_optimism == pytest.approx((max(tpf, 0), max(fpf, 0)))
    assert chosen.ci("tpf", 0.9) == pytest.approx((point.tpf.ci(0.9).low - max(tpf, 0), point.tpf.ci(0.9).high))
    assert chosen.ci("fpf", 0.9) == pytest.approx((point.fpf.ci(0.9).low, point.fpf.ci(0.9).high + max(fpf, 0)))


def test_merit_of_a_choice_is_newcombes_for_youden_and_a_rate_for_a_rate():
    c = trueness.roc(*scores(40, 50, 1.0, 7))
    youden = c.best("youden", n_resamples=0)
    assert youden.ci("merit") == pytest.approx(tuple(c.at(youden.threshold).youden.ci()))
    bound = c.best(tpf=0.9, n_resamples=0)
    assert bound.ci("merit") == pytest.approx(tuple(bound.ci("fpf")))
    cost = c.best(costs=[[0, 1], [3, 0]], prevalence=0.3, n_resamples=0)
    low, high = cost.ci("merit")
    assert 0 <= low < cost.merit < high <= 0.9
    again = c.best("youden", n_resamples=200, rng=0)
    assert again.ci("merit").low == pytest.approx(youden.ci("merit").low - again.optimism)
    assert again.ci("merit").high == youden.ci("merit").high


def test_rates_and_merit_of_a_choice_hold_the_truth():
    """best(tpf=.9): percentiles over resamples can never go below .9 and held the truth in .43 of the trials."""
    hits = {"tpf": 0, "merit": 0}
    for r in range(300):
        c = trueness.roc(*scores(50, 50, 1.2, r))
        s = c.best(tpf=0.9, n_resamples=0)
        low, high = s.ci("tpf")
        hits["tpf"] += low <= special.ndtr(1.2 - s.threshold) <= high
        s = c.best(n_resamples=30, rng=r)
        low, high = s.ci("merit")
        hits["merit"] += low <= special.ndtr(1.2 - s.threshold) - special.ndtr(-s.threshold) <= high
    assert hits["tpf"] / 300 > 0.91
    assert hits["merit"] / 300 > 0.91


def test_rates_of_a_choice_on_a_fitted_curve_hold_the_truth():
    hits = 0
    for r in range(60):
        c = trueness.roc(*scores(40, 40, 1.2, r), "normal")
        s = c.best(tpf=0.9, n_resamples=80, rng=r)
        low, high = s.ci("tpf")
        assert low < s.tpf < high
        hits += low <= special.ndtr(1.2 - s.threshold) <= high
    assert hits >= 50


@pytest.mark.parametrize("method", ["normal", "binormal", "semiparametric"])
def test_optimism_of_a_fitted_curve_is_between_curves_of_its_kind(method):
    """The merit of the threshold on the whole sample's fitted curve is at most the best of that curve, so what a
    resample gains over it is the gain of its own curve plus something that is not negative."""
    y, s = scores(60, 60, 1.2, 2)
    s = np.exp(1.5 * s)  # no normal scores: the fitted curve is far from the shares of the cases
    c = trueness.roc(y, s, method)
    chosen = c.best(n_resamples=30, rng=0)
    gained = chosen.replicates["merit"].mean() - chosen.merit
    assert chosen.optimism >= gained - 1e-9
    on_fit = [c.rates_at(t) for t in chosen.replicates["threshold"]]
    assert chosen.optimism == pytest.approx(chosen.replicates["merit"].mean() - np.mean([t - f for f, t in on_fit]))


@pytest.mark.parametrize("method", ["empirical", "normal", "binormal", "semiparametric"])
def test_rates_at_a_threshold_are_those_of_the_points(method):
    c = trueness.roc(*scores(30, 30, 1.0, 1), method)
    for k in (0, 1, len(c.fpf) // 2, len(c.fpf) - 1):
        assert c.rates_at(float(c.thresholds[k])) == pytest.approx((c.fpf[k], c.tpf[k]), abs=1e-9)


@pytest.mark.parametrize("n_resamples", [0, -1, 2.5, True, "many"])
def test_a_number_of_resamples_is_a_whole_number(n_resamples):
    c = trueness.roc(*scores())
    for method in ("bootstrap", "fixed-width"):
        with pytest.raises(InputError, match="n_resamples must be a whole number of at least 1"):
            c.band(0.95, method, n_resamples=n_resamples)
    if n_resamples != 0:
        with pytest.raises(InputError, match="n_resamples must be a whole number of at least 0"):
            c.best(n_resamples=n_resamples)


@pytest.mark.parametrize(
    "asked", [{}, {"criterion": "closest"}, {"tpf": 0.9}, {"fpf": 0.1}, {"costs": [[0, 1], [5, 0]]}]
)
@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_a_choice_can_be_pickled(method, asked):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    chosen = trueness.roc(y, rng.normal(size=40) + y, method).best(**asked, n_resamples=40, rng=0)
    assert pickle.loads(pickle.dumps(chosen)).to_dict() == chosen.to_dict()


@pytest.mark.parametrize("seed", range(6))
def test_the_kolmogorov_band_is_what_its_two_gaps_imply(seed):
    # Where |FPF̂ − FPF| ≤ d and |TPF̂ − TPF| ≤ e, the threshold c with FPF(c) = t has t − d ≤ FPF̂(c) ≤ t + d, so that
    # TPF(c) lies between min {TPF̂: FPF̂ ≥ t − d} − e and max {TPF̂: FPF̂ ≤ t + d} + e. A vertical step at t − d counts
    # with its lower end: (FPF̂ + d) − d may be one unit in the last place beside FPF̂, beyond the step.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 80))
    y = np.repeat([0, 1], n)
    curve = trueness.roc(y, rng.normal(size=2 * n) + 1.5 * y)
    band = curve.band(0.95, "kolmogorov")
    gap = float(stats.kstwo.ppf(math.sqrt(0.95), n))
    close = 1e-12
    for t in np.concatenate([band.fpf, (band.fpf[1:] + band.fpf[:-1]) / 2]):
        low, high = band.at(t)
        least = curve.tpf[curve.fpf >= t - gap - close].min() - gap
        most = curve.tpf[curve.fpf <= t + gap + close].max() + gap
        assert low <= max(least, 0) + close
        assert high >= min(most, 1) - close
    at_points = np.isclose(band.fpf[:, None] - gap, curve.fpf[None], rtol=0, atol=close)
    for i in np.flatnonzero(at_points.any(axis=1)):  # no wider than needed
        assert band.low[i] == pytest.approx(max(curve.tpf[at_points[i]].min() - gap, 0), abs=close)


def test_the_interval_of_a_chosen_score_begins_above_a_score_that_was_not_chosen():
    """Scores 1 to 5, as the grades of 113 patients in pROC's aSAH; in a plain loop 1, which calls everybody positive, is
    never the choice."""
    s = np.repeat([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [39, 21, 2, 8, 2, 1, 12, 3, 17, 8])
    y = np.repeat([0, 1], [72, 41])
    chosen = trueness.roc(y, s).best(n_resamples=500, rng=0)
    rng, loop = np.random.default_rng(1), []
    for _ in range(500):
        up, down = rng.choice(s[y == 1], 41), rng.choice(s[y == 0], 72)
        loop.append(max((5, 4, 3, 2, 1), key=lambda t: round((up >= t).mean() - (down >= t).mean(), 12)))
    assert min(loop) == 2
    least, most = np.quantile(loop, [0.025, 0.975], method="inverted_cdf")
    found = chosen.ci()
    assert (found.low, found.high) == (least - 1, most)
    assert (chosen.replicates["threshold"] > found.low).mean() >= 0.975


Y_OF_LIMITS = np.repeat([0, 1], 60)
SCORES_OF_LIMITS = np.random.default_rng(8).normal(size=120) + Y_OF_LIMITS


def test_limits_of_a_chosen_threshold_are_scores():
    """Percentiles without interpolation: the lower limit is the next lower score of a choice."""
    scores = np.round(SCORES_OF_LIMITS, 1)
    c = trueness.roc(Y_OF_LIMITS, scores)
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        low, high = c.best("youden", n_resamples=200).ci("threshold", level)
        assert low in scores
        assert high in scores
