"""Numbers of R (ipred, pROC, boot): the .R files beside this one made the .json files. R is not needed here."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

import trueness
from trueness.statistics import bootstrap, influence, jackknife
from trueness.statistics.cases import adjusted_levels, bias_correction
from trueness.statistics.resampling import summary

HERE = Path(__file__).parent


def numbers(name):
    return json.loads((HERE / f"{name}.json").read_text())


IPRED = numbers("ipred_bootstrap")["sets"]
PROC = numbers("proc_delong")
BOOT = numbers("boot_statistics")["sets"]


def names(sets):
    return [s["name"] for s in sets]


# -- ipred: the leave-one-out bootstrap and .632+ ------------------------------------------------


def ipred_fits(s):
    n = len(s["y"])
    counts = np.array([np.bincount(rows, minlength=n) for rows in s["rows"]])
    predictions = np.array(s["predictions"], dtype=float)  # null, in the bag: NaN
    return trueness.Fits.from_arrays(
        s["y"],
        counts,
        None,
        predictions=predictions,
        full_predictions=s["full_predictions"],
        plan="bootstrap",
        stratified=False,
    )


@pytest.mark.parametrize("s", IPRED, ids=names(IPRED))
def test_loob_is_that_of_ipred(s):
    assert trueness.estimate(ipred_fits(s), "error", "loob").value == pytest.approx(s["loob"], abs=1e-12)


@pytest.mark.parametrize("s", IPRED, ids=names(IPRED))
def test_632plus_is_that_of_ipred_below_the_no_information_rate(s):
    fits = ipred_fits(s)
    y, full = np.array(s["y"]), np.array(s["full_predictions"])
    gamma = np.mean(y[:, None] != full[None, :])
    assert np.mean(y != full) < s["loob"] < gamma  # where ipred, which does not clip, is right
    assert trueness.estimate(fits, "error", "632+").value == pytest.approx(s["plus632"], abs=1e-12)
    assert trueness.estimate(fits, "error", "632+", rule="printed").value == pytest.approx(s["plus632"], abs=1e-12)


@pytest.mark.parametrize("s", IPRED, ids=names(IPRED))
def test_what_ipred_calls_sd_is_the_monte_carlo_error(s):
    e = trueness.estimate(ipred_fits(s), "error", "loob")
    # ipred deletes replicates, trueness differentiates: D - 1 for D left-out replicates a case, D about .368 B
    assert e.mc_se == pytest.approx(s["sd"], rel=0.1)
    assert e.se > 2 * s["sd"]


# -- pROC: DeLong ----------------------------------------------------------------------------------


def on_test_set(y, score):
    return trueness.Fits.from_arrays(y, [[0] * len(y)], [score])


@pytest.mark.parametrize("s", PROC["single"], ids=names(PROC["single"]))
def test_delong_is_that_of_proc(s):
    e = trueness.estimate(on_test_set(s["y"], s["score"]), "auc", "holdout")
    assert e.value == pytest.approx(s["auc"], abs=1e-12)
    assert e.se**2 == pytest.approx(s["var"], abs=1e-12)
    assert np.linalg.norm(e.influence) == pytest.approx(e.se, abs=1e-15)
    assert list(e.ci(0.9, "wald")) == pytest.approx(s["ci90"], abs=1e-10)


@pytest.mark.parametrize("s", PROC["paired"], ids=names(PROC["paired"]))
def test_paired_delong_is_that_of_proc(s):
    a, b = on_test_set(s["y"], s["a"]), on_test_set(s["y"], s["b"])
    one, two = (trueness.estimate(f, "auc", "holdout") for f in (a, b))
    d = trueness.difference(a, b, "auc", "holdout")
    assert one.influence @ two.influence == pytest.approx(s["cov"], abs=1e-12)
    assert d.value == pytest.approx(s["difference"], abs=1e-12)
    assert d.se**2 == pytest.approx(one.se**2 + two.se**2 - 2 * s["cov"], abs=1e-12)
    assert d.value / d.se == pytest.approx(s["z"], abs=1e-9)
    assert 2 * stats.norm.sf(abs(d.value / d.se)) == pytest.approx(s["p_value"], abs=1e-10)


# -- boot: statistics of any statistic ---------------------------------------------------------------


def ratio(x, w=None):
    w = np.full(len(x), 1 / len(x)) if w is None else w
    return (w @ x[:, 1]) / (w @ x[:, 0])


def correlation(x, w=None):
    w = np.full(len(x), 1 / len(x)) if w is None else w
    d = x - w @ x
    return (w @ (d[:, 0] * d[:, 1])) / math.sqrt((w @ d[:, 0] ** 2) * (w @ d[:, 1] ** 2))


STATISTICS = {"city ratio": ratio, "law correlation": correlation}


@pytest.mark.parametrize("s", BOOT, ids=names(BOOT))
def test_jackknife_and_influence_are_those_of_boot(s):
    statistic, x = STATISTICS[s["name"]], np.array(s["data"])
    j, n = jackknife(statistic, x), len(x)
    assert j.value == pytest.approx(s["value"], abs=1e-12)
    assert (n - 1) * (j.value - j.values) == pytest.approx(s["jack"], abs=1e-10)
    u = influence(statistic, x)
    assert u.curve == pytest.approx(s["influence"], abs=2e-5)  # boot's are forward differences with eps = 1e-5 / n
    assert u.curve.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("s", BOOT, ids=names(BOOT))
def test_bootstrap_of_the_same_resamples_is_that_of_boot(s):
    statistic, x, rows = STATISTICS[s["name"]], np.array(s["data"]), np.array(s["rows"])
    t = np.array([statistic(x[r]) for r in rows])
    b = summary(statistic(x), t).with_(delete=lambda: jackknife(statistic, x))
    assert b.value + b.bias == pytest.approx(s["mean"], abs=1e-10)
    assert b.se == pytest.approx(s["se"], abs=1e-10)
    assert b.acceleration == pytest.approx(s["acceleration"], abs=1e-10)
    # boot counts only the resamples below the value, trueness half of those equal to it too (one of the city's)
    ties = np.isclose(t, b.value, rtol=1e-13).sum()
    below = len(t) * special.ndtr(s["z0"])
    assert bias_correction(b.value, t) == pytest.approx(special.ndtri((below + ties / 2) / len(t)), abs=1e-10)
    assert ties == (s["name"] == "city ratio")
    levels = adjusted_levels(s["z0"], b.acceleration, 0.9)
    assert np.array(levels) * (len(t) + 1) == pytest.approx(s["bca_ranks"], abs=0.0051)  # printed to two places
    # boot interpolates between order statistics on the normal scale at (B + 1) p, trueness linearly at (B - 1) p + 1
    ordered = np.sort(t)
    for method in ("percentile", "bca"):
        for ours, theirs, rank in zip(b.ci(0.9, method), s[method], s[f"{method}_ranks"], strict=True):
            k = int(rank) - 1
            assert ordered[k - 1] <= ours <= ordered[k + 2]
            assert ordered[k - 1] <= theirs <= ordered[k + 2]


@pytest.mark.parametrize("s", BOOT, ids=names(BOOT))
def test_bootstrap_of_other_resamples_is_that_of_boot_within_its_monte_carlo_error(s):
    b = bootstrap(STATISTICS[s["name"]], np.array(s["data"]), n_resamples=4000, rng=3)
    assert b.se == pytest.approx(s["se"], abs=4 * math.hypot(b.se_mc_se, b.se_mc_se * 2))
    assert b.value + b.bias == pytest.approx(s["mean"], abs=4 * math.hypot(b.mc_se, b.mc_se * 2))
