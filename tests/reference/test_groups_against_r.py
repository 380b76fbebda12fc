"""Cases in groups: numbers of R (survey, sandwich), and of Obuchowski's formulas written out in R.

groups.R made groups.json.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import trueness
from trueness import comparisons

SETS = json.loads((Path(__file__).parent / "groups.json").read_text())["sets"]


@pytest.fixture(params=SETS, ids=lambda s: s["name"])
def given(request):
    arrays = {k: np.array(request.param[k]) for k in ("y", "g", "s1", "s2")}
    arrays["said"], arrays["said2"] = (arrays[k] > 0.6 for k in ("s1", "s2"))
    return {**request.param, **{k: v.astype(int) if k.startswith("said") else v for k, v in arrays.items()}}


def test_the_auc_of_groups_has_obuchowskis_variance(given):
    found = trueness.roc(given["y"], given["s1"], groups=given["g"]).auc
    assert found.value == pytest.approx(given["obuchowski"]["auc"][0], abs=1e-12)
    assert found.se**2 == pytest.approx(given["obuchowski"]["variance_geometric"][0][0], rel=1e-10)
    # the factor of the covariance of the classes differs where only some groups have both classes
    printed = given["obuchowski"]["variance"][0][0]
    assert found.se**2 == pytest.approx(printed, rel=1e-10 if given["name"] != "mixed" else 0.01)


def test_the_difference_of_aucs_has_obuchowskis_variance(given):
    t = comparisons.delong(given["y"], given["s1"], given["s2"], groups=given["g"])
    v = np.array(given["obuchowski"]["variance_geometric"])
    assert t.difference.se**2 == pytest.approx(v[0, 0] + v[1, 1] - 2 * v[0, 1], rel=1e-9)
    many = comparisons.delong_many(given["y"], np.c_[given["s1"], given["s2"]], groups=given["g"])
    assert many.p_value == pytest.approx(t.p_value, rel=1e-9)
    assert many.statistic == pytest.approx(t.statistic**2, rel=1e-9)


def test_shares_of_groups_are_those_of_survey(given):
    d = trueness.diagnose(given["y"], given["said"], groups=given["g"])
    for name in ("accuracy", "tpf"):
        expected, e = given[name], d[name]
        assert e.value == pytest.approx(expected["value"], abs=1e-12)
        assert e.se == pytest.approx(expected["se"], rel=1e-10)
        assert e.provenance["design_effect"] == pytest.approx(expected["design_effect"], rel=1e-9)
        if expected["design_effect"] > 1:  # fewer effective cases than cases, also after Student's quantiles
            for method in ("exact", "jeffreys"):
                assert list(e.ci(method=method)) == pytest.approx(expected[method], abs=1e-9)


def test_a_share_of_what_is_decided_is_the_ratio_of_survey(given):
    d = trueness.diagnose(given["y"], given["said"], groups=given["g"])
    value, se = given["ratio_ppv"]
    g = len(np.unique(given["g"]))
    decided = len(np.unique(given["g"][given["said"] == 1]))
    # survey counts all groups, trueness those with a positive decision
    factor = math.sqrt(decided / (decided - 1) * (g - 1) / g)
    assert d.ppv.value == pytest.approx(value, abs=1e-12)
    assert d.ppv.se == pytest.approx(se * factor, rel=1e-9)


def test_a_difference_of_error_rates_has_the_cluster_robust_se_of_a_regression(given):
    t = comparisons.mcnemar(given["y"], given["said"], given["said2"], groups=given["g"])
    assert t.difference.value == pytest.approx(given["difference"]["value"], abs=1e-12)
    assert t.difference.se == pytest.approx(given["difference"]["se"], rel=1e-10)


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
    assert t.difference.se == pytest.approx(fit.bse[1] * math.sqrt(g / (g - 1)), rel=1e-9)
