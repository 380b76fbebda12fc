"""The numbers of R's pROC (tests/reference/roc.R) on two data sets full of ties."""

import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trueness

HERE = Path(__file__).parents[1] / "reference"
PROC = json.loads((HERE / "roc.json").read_text())
COLUMNS = {"roc_ratings": ("abnormal", "rating", "second"), "roc_rounded": ("y", "a", "b")}
RANGES = ((0.9, 1), (0.7, 1), (0.6, 0.8), (0.05, 0.95))  # of specificity or sensitivity


@pytest.fixture(params=COLUMNS)
def case(request):
    label, *scores = COLUMNS[request.param]
    folder = HERE if request.param == "roc_ratings" else files("trueness.studies") / "data"
    data = pd.read_csv(folder / f"{request.param}.csv")
    return PROC[request.param], [trueness.roc(data[label], data[s]) for s in scores]


def test_the_data_have_ties(case):
    _, curves = case
    for c in curves:
        assert len(c.thresholds) - 1 < c.data.n / 2


def test_delong_variance_covariance_z_and_p(case):
    proc, (a, b) = case
    assert [a.auc.value, b.auc.value] == pytest.approx(proc["auc"], abs=1e-10)
    assert [a.auc.se**2, b.auc.se**2] == pytest.approx(proc["variance"], abs=1e-10)
    assert a.auc.influence @ b.auc.influence == pytest.approx(proc["covariance"][0], abs=1e-10)
    z = (a.auc.value - b.auc.value) / np.linalg.norm(a.auc.influence - b.auc.influence)
    assert z == pytest.approx(proc["z"][0], abs=1e-10)
    assert 2 * stats.norm.sf(abs(z)) == pytest.approx(proc["p"][0], abs=1e-10)


def test_wald_interval(case):
    proc, (a, _) = case
    assert tuple(a.auc.ci(method="wald")) == pytest.approx(proc["ci_first"], abs=1e-10)


@pytest.mark.parametrize(("axis", "focus"), [("fpf", "specificity"), ("tpf", "sensitivity")])
def test_partial_area_and_mcclish(case, axis, focus):
    proc, curves = case
    ours, standardized = [], []
    for low, high in RANGES:
        over = (1 - high, 1 - low) if axis == "fpf" else (low, high)
        for c in curves:
            ours.append(c.partial_auc(**{axis: over}).value)
            standardized.append(c.partial_auc(**{axis: over}, standardized=True).value)
    assert ours == pytest.approx(proc[f"partial_{focus}"], abs=1e-10)
    assert standardized == pytest.approx(proc[f"mcclish_{focus}"], abs=1e-10)


def test_standard_error_of_the_partial_area_is_near_procs_bootstrap(case):
    proc, (a, _) = case
    assert a.partial_auc(fpf=(0, 0.3)).se == pytest.approx(proc["partial_se_bootstrap"][0], rel=0.06)


def test_points(case):
    proc, (a, _) = case
    assert (1 - a.fpf)[::-1] == pytest.approx(proc["all_specificity"], abs=1e-12)
    assert a.tpf[::-1] == pytest.approx(proc["all_sensitivity"], abs=1e-12)


@pytest.mark.parametrize("criterion", ["youden", "closest"])
def test_best_point(case, criterion):
    proc, (a, _) = case
    best = a.best(criterion, n_resamples=0)
    threshold, specificity, sensitivity = proc[criterion]
    assert (1 - best.fpf, best.tpf) == pytest.approx((specificity, sensitivity), abs=1e-12)
    below = a.data.scores[a.data.scores < best.threshold].max()
    assert threshold == pytest.approx((below + best.threshold) / 2)  # pROC cuts half-way between two scores


def test_interval_of_tpf_at_fpf_is_near_procs_bootstrap(case):
    proc, (a, _) = case
    for fpf, low, high in zip((0.1, 0.2, 0.5), proc["ci_se_low"], proc["ci_se_high"], strict=True):
        ours = a.tpf_at(fpf).ci()
        assert ours.high - ours.low == pytest.approx(high - low, rel=0.35, abs=0.02)
        assert ours == pytest.approx((low, high), abs=0.11)


def test_interval_of_the_rates_at_a_threshold_is_near_procs_bootstrap(case):
    proc, (a, _) = case
    point = a.at(a.best("youden", n_resamples=0).threshold)
    low, middle, high = proc["ci_thresholds_sensitivity"]
    assert point.tpf.value == pytest.approx(middle)
    assert point.tpf.ci() == pytest.approx((low, high), abs=0.035)
    low, middle, high = proc["ci_thresholds_specificity"]
    assert 1 - point.fpf.value == pytest.approx(middle)
    assert point.fpf.ci() == pytest.approx((1 - high, 1 - low), abs=0.035)


def test_hanley_mcneil_as_they_print_it():
    # Hanley & McNeil (1982): the CT ratings have an area of .893 with a standard error of .032
    data = pd.read_csv(HERE / "roc_ratings.csv")
    area = trueness.roc(data["abnormal"], data["rating"]).auc_with("hanley-mcneil")
    assert area.value == pytest.approx(0.893, abs=5e-4)
    assert area.se == pytest.approx(0.032, abs=6e-4)
    a, n1, n0 = area.value, 51, 58
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    assert area.se == pytest.approx(
        math.sqrt((a * (1 - a) + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0)), abs=1e-12
    )
