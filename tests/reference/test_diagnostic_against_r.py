"""Intervals of proportions and measures of tables against R: proportions.R, diagnostic.R."""

import json
from pathlib import Path

import pytest

import trueness

approx = pytest.approx

HERE = Path(__file__).parent
PROPORTIONS = json.loads((HERE / "proportions.json").read_text())
TABLES = json.loads((HERE / "diagnostic.json").read_text())
BINOM = json.loads((HERE / "proportions_binom.json").read_text())


def ours(row, method):
    return trueness.tables.proportion_interval(row["x"], row["n"], method, level=row["level"])


@pytest.mark.parametrize("row", PROPORTIONS, ids=lambda r: f"{r['x']}/{r['n']} {r['level']}")
def test_equal_r(row):
    x, n = row["x"], row["n"]
    edge = x in (0, n)
    assert tuple(ours(row, "wilson")) == approx(row["wilson"], abs=1e-12)  # base R, prop.test
    assert tuple(ours(row, "exact")) == approx(row["exact"], abs=1e-10)  # base R, binom.test
    assert tuple(ours(row, "exact")) == approx(row["hmisc_exact"], abs=1e-10)
    assert tuple(ours(row, "likelihood")) == approx(row["likelihood"], abs=1e-9)
    assert tuple(ours(row, "mid-p")) == approx(row["mid_p"], abs=1e-9)
    if x not in (1, n - 1):  # there Hmisc replaces one limit, which is then no longer Wilson's
        assert tuple(ours(row, "wilson")) == approx(row["hmisc_wilson"], abs=1e-12)
    if not edge:
        clipped = [max(0.0, row["hmisc_asymptotic"][0]), min(1.0, row["hmisc_asymptotic"][1])]
        assert tuple(ours(row, "wald")) == approx(clipped, abs=1e-12)
        assert tuple(ours(row, "logit")) == approx(row["logit"], abs=1e-8)  # glm stops at 1e-13 of the deviance
        assert tuple(ours(row, "cloglog")) == approx(row["cloglog"], abs=1e-8)
    for method in ("jeffreys", "uniform"):  # at x = 0 and x = n the limit on the edge is the edge itself
        low, high = row[method]
        assert tuple(ours(row, method)) == approx((0 if x == 0 else low, 1 if x == n else high), abs=1e-10)


@pytest.mark.parametrize("method", ["cloglog", "logit", "agresti-coull"])
def test_equal_the_package_binom(method):
    for level, rows in BINOM[method].items():
        for x, (low, high) in enumerate(rows):
            found = trueness.tables.proportion_interval(x, BINOM["n"], method, level=float(level))
            assert tuple(found) == approx((max(0, low), min(1, high)), abs=1e-7)


@pytest.mark.parametrize("row", TABLES, ids=lambda r: f"{r['tp']}-{r['fn']}-{r['fp']}-{r['tn']}")
def test_ratios_equal_epir(row):
    d = trueness.diagnose(tp=row["tp"], fn=row["fn"], fp=row["fp"], tn=row["tn"], interval="exact")
    for measure, name in (("dlr_positive", "lr_pos"), ("dlr_negative", "lr_neg"), ("odds_ratio", "odds_ratio")):
        assert [d[measure].value, *d[measure].ci()] == approx(row[name], rel=1e-9)
    for measure, name in (("tpf", "se_exact"), ("tnf", "sp_exact"), ("ppv", "ppv_exact"), ("npv", "npv_exact")):
        assert [d[measure].value, *d[measure].ci()] == approx(row[name], abs=1e-9)


def test_relative_measures_of_paired_tests_equal_dtcompair():
    row = json.loads((HERE / "paired_tests.json").read_text())
    y, first, second = [], [], []
    for truth, counts in ((1, row["diseased"]), (0, row["not_diseased"])):
        for (a, b), k in zip(((1, 1), (0, 1), (1, 0), (0, 0)), counts, strict=True):
            y += [truth] * k
            first += [a] * k
            second += [b] * k
    v = trueness.diagnose(y, first).versus(trueness.diagnose(y, second))
    for measure in ("ppv", "npv"):
        ratio = v.ratio(measure)
        assert ratio.value == approx(row[f"relative_{measure}"], rel=1e-10)
        assert ratio.se / ratio.value == approx(row[f"se_log_relative_{measure}"], rel=1e-9)
    assert 1 / v.ratio("tpf").value == approx(row["relative_tpf_second_to_first"], rel=1e-10)
    assert v.ratio("tpf").se / v.ratio("tpf").value == approx(row["se_log_relative_tpf"], rel=1e-9)
