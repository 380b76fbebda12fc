"""Cases in groups: numbers of R (survey, sandwich), and of Obuchowski's formulas written out in R.

groups.R made groups.json. They have G/(G − 1) where trueness has 1/(1 − w_g) of each group; `as_in_r` exchanges the two.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness import comparisons
from trueness.formulas.groups import group_factor, group_sums

SETS = json.loads((Path(__file__).parent / "groups.json").read_text())["sets"]


@pytest.fixture(params=SETS, ids=lambda s: s["name"])
def given(request):
    arrays = {k: np.array(request.param[k]) for k in ("y", "g", "s1", "s2")}
    arrays["said"], arrays["said2"] = (arrays[k] > 0.6 for k in ("s1", "s2"))
    return {**request.param, **{k: v.astype(int) if k.startswith("said") else v for k, v in arrays.items()}}


def as_in_r(e, groups, codes):
    """The standard error with G/(G − 1) of the groups of each class."""
    counts = np.array([len(np.unique(groups[codes == code])) for code in np.unique(codes)])[codes]
    scaled = e.influence * np.sqrt(counts / (counts - 1) / group_factor(groups, codes))
    if len(np.unique(np.bincount(groups)[groups])) == 1:  # equal groups: the same factor
        assert np.linalg.norm(group_sums(scaled, groups)) == pytest.approx(e.se, rel=1e-9)
    return np.linalg.norm(group_sums(scaled, groups))


def test_the_auc_of_groups_has_obuchowskis_variance(given):
    found = trueness.roc(given["y"], given["s1"], groups=given["g"]).auc
    se = as_in_r(found, given["g"], given["y"])
    assert found.value == pytest.approx(given["obuchowski"]["auc"][0], abs=1e-12)
    assert se**2 == pytest.approx(given["obuchowski"]["variance_geometric"][0][0], rel=1e-10)
    # the factor of the covariance of the classes differs where only some groups have both classes
    printed = given["obuchowski"]["variance"][0][0]
    assert se**2 == pytest.approx(printed, rel=1e-10 if given["name"] != "mixed" else 0.01)


def test_the_difference_of_aucs_has_obuchowskis_variance(given):
    t = comparisons.delong(given["y"], given["s1"], given["s2"], groups=given["g"])
    v = np.array(given["obuchowski"]["variance_geometric"])
    assert as_in_r(t.difference, given["g"], given["y"]) ** 2 == pytest.approx(
        v[0, 0] + v[1, 1] - 2 * v[0, 1], rel=1e-9
    )
    many = comparisons.delong_many(given["y"], np.c_[given["s1"], given["s2"]], groups=given["g"])
    assert many.p_value == pytest.approx(t.p_value, rel=1e-9)
    assert many.statistic == pytest.approx(t.statistic**2, rel=1e-9)


def test_shares_of_groups_are_those_of_survey(given):
    d = trueness.diagnose(given["y"], given["said"], groups=given["g"])
    for name, codes in (("accuracy", np.zeros_like(given["y"])), ("tpf", given["y"])):
        expected, e = given[name], d[name]
        se, n = as_in_r(e, given["g"], codes), e.provenance["n"]
        assert e.value == pytest.approx(expected["value"], abs=1e-12)
        assert se == pytest.approx(expected["se"], rel=1e-10)
        effect = e.provenance["design_effect"]
        assert effect * (se / e.se) ** 2 == pytest.approx(expected["design_effect"], rel=1e-9)
        if effect > 1:  # fewer effective cases than cases, also after Student's quantiles
            trials = n / effect * (stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, e.df)) ** 2
            x, rest = e.value * trials, (1 - e.value) * trials
            assert e.ci(method="exact").low == pytest.approx(stats.beta.ppf(0.025, x, rest + 1), abs=1e-9)
            assert e.ci(method="exact").high == pytest.approx(stats.beta.ppf(0.975, x + 1, rest), abs=1e-9)
            limits = stats.beta.ppf([0.025, 0.975], x + 0.5, rest + 0.5)
            assert list(e.ci(method="jeffreys")) == pytest.approx(limits, abs=1e-9)


def test_a_share_of_what_is_decided_is_the_ratio_of_survey(given):
    d = trueness.diagnose(given["y"], given["said"], groups=given["g"])
    value, se = given["ratio_ppv"]
    g = len(np.unique(given["g"]))
    decided = len(np.unique(given["g"][given["said"] == 1]))
    # survey counts all groups, trueness those with a positive decision
    factor = math.sqrt(decided / (decided - 1) * (g - 1) / g)
    assert d.ppv.value == pytest.approx(value, abs=1e-12)
    assert as_in_r(d.ppv, given["g"], given["said"]) == pytest.approx(se * factor, rel=1e-9)


def test_a_difference_of_error_rates_has_the_cluster_robust_se_of_a_regression(given):
    t = comparisons.mcnemar(given["y"], given["said"], given["said2"], groups=given["g"])
    assert t.difference.value == pytest.approx(given["difference"]["value"], abs=1e-12)
    se = as_in_r(t.difference, given["g"], np.zeros_like(given["y"]))
    assert se == pytest.approx(given["difference"]["se"], rel=1e-10)


def test_mcnemar_of_groups_is_obuchowskis_test(given):
    t = comparisons.mcnemar(given["y"], given["said"], given["said2"], groups=given["g"])
    assert t.statistic == pytest.approx(given["mcnemar"]["statistic"], rel=1e-10)
    assert t.p_value == pytest.approx(given["mcnemar"]["p_value"], rel=1e-9)


def test_statsmodels_has_the_same_se_of_a_difference_of_proportions(given):
    sm = pytest.importorskip("statsmodels.api")
    wrong = np.concatenate([given["said"] != given["y"], given["said2"] != given["y"]]).astype(float)
    first = np.repeat([1.0, 0.0], len(given["y"]))
    fit = sm.OLS(wrong, sm.add_constant(first)).fit(
        cov_type="cluster", cov_kwds={"groups": np.tile(given["g"], 2), "use_correction": False}
    )
    g = len(np.unique(given["g"]))
    t = comparisons.mcnemar(given["y"], given["said"], given["said2"], groups=given["g"])
    se = as_in_r(t.difference, given["g"], np.zeros_like(given["y"]))
    assert se == pytest.approx(fit.bse[1] * math.sqrt(g / (g - 1)), rel=1e-9)
