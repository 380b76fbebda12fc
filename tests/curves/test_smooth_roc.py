"""Binormal, normal-theory and semiparametric curves: theory, another program, and themselves."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

import trueness
from trueness.errors import InputError
from trueness.formulas import binormal as kernel

HERE = Path(__file__).parents[1] / "reference"


def binormal(n, auc=0.85, beta=0.7, rng=0):
    generator = np.random.default_rng(rng)
    alpha = stats.norm.ppf(auc) * math.sqrt(1 + beta**2)
    y = np.repeat([1, 0], n)
    s = np.r_[(alpha + generator.standard_normal(n)) / beta, generator.standard_normal(n)]
    return y, s, alpha


@pytest.mark.parametrize("case", json.loads((HERE / "binormal.json").read_text()))
def test_maximum_likelihood_against_r(case):
    """Ratings in ordered categories; tests/reference/binormal.R maximizes the same likelihood by BFGS."""
    up, down = np.array(case["up"]), np.array(case["down"])
    s = np.r_[np.repeat(np.arange(len(up)), up), np.repeat(np.arange(len(up)), down)]
    c = trueness.roc(np.repeat([1, 0], [up.sum(), down.sum()]), s, "binormal")
    assert c.alpha.value == pytest.approx(case["alpha"], abs=3e-6)
    assert c.beta.value == pytest.approx(case["beta"], abs=3e-6)
    assert c.auc.value == pytest.approx(case["auc"], abs=1e-6)
    _, _, cuts, _, reached = kernel.fit(up.astype(float), down.astype(float))
    assert reached
    ours = kernel.log_likelihood(c.a, c.b, cuts, up, down)
    assert ours >= case["loglik"] - 1e-8


def test_dorfman_and_alf_on_the_ct_ratings():
    # known since 1982: a = 1.66, b = 0.71, area .911 (Hanley & McNeil's example, fitted by ROCFIT)
    data = pd.read_csv(HERE / "roc_ratings.csv")
    c = trueness.roc(data["abnormal"], data["rating"], "binormal")
    assert (c.alpha.value, c.beta.value) == pytest.approx((1.66, 0.71), abs=5e-3)
    assert c.auc.value == pytest.approx(0.911, abs=5e-4)
    assert len(c.thresholds) == 6  # five ratings, and the threshold above all


def test_near_the_truth_and_calibrated():
    values, ses = [], []
    for rng in range(200):
        y, s, alpha = binormal(100, rng=rng)
        c = trueness.roc(y, s, "binormal")
        values.append((c.alpha.value - alpha, c.beta.value - 0.7, c.auc.value - 0.85))
        ses.append((c.alpha.se, c.beta.se, c.auc.se))
    mean, sd, se = np.mean(values, axis=0), np.std(values, axis=0), np.mean(ses, axis=0)
    assert np.abs(mean) == pytest.approx([0, 0, 0], abs=0.035)
    assert se == pytest.approx(sd, rel=0.15)


def test_unchanged_under_exp_and_cubes():
    y, s, _ = binormal(150)
    c = trueness.roc(y, s, "binormal")
    for other in (np.exp(s), s**3, stats.rankdata(s)):
        d = trueness.roc(y, other, "binormal")
        assert (d.a, d.b) == (c.a, c.b)
        assert (d.fpf == c.fpf).all()
    assert trueness.roc(y, np.exp(s), "normal").auc.value != trueness.roc(y, s, "normal").auc.value


def test_swapping_classes_turns_the_binormal_curve_about():
    y, s, _ = binormal(120)
    c, d = trueness.roc(y, s, "binormal"), trueness.roc(1 - y, -s, "binormal")
    # 1 − ROC⁻¹(1 − t) has α' = α/β, β' = 1/β
    assert d.a == pytest.approx(c.a / c.b, abs=1e-5)
    assert d.b == pytest.approx(1 / c.b, abs=1e-5)
    assert d.auc.value == pytest.approx(c.auc.value, abs=1e-6)
    assert d.auc.se == pytest.approx(c.auc.se, rel=1e-4)


def test_score_is_the_derivative_of_the_likelihood():
    up, down = np.array([3.0, 2, 0, 5, 20]), np.array([30.0, 0, 4, 3, 1])
    a, b, cuts = 1.2, 0.8, np.array([-0.3, 0.4, 0.9, 1.5])
    score, score_cuts, *_ = kernel.information(a, b, cuts, up, down)
    h = 1e-6

    def slope(move):
        values = []
        for sign in (1, -1):
            x = np.concatenate([[a, b], cuts]) + sign * h * move
            values.append(kernel.log_likelihood(x[0], x[1], x[2:], up, down))
        return (values[0] - values[1]) / (2 * h)

    numeric = [slope(np.eye(6)[i]) for i in range(6)]
    assert np.concatenate([score, score_cuts]) == pytest.approx(numeric, abs=1e-5)


def test_merging_truth_state_runs_changes_nothing():
    y, s, _ = binormal(40)
    c = trueness.roc(y, s, "binormal")
    order = np.argsort(s)
    up, down = y[order].astype(float), 1.0 - y[order]
    begins = kernel.truth_runs(up, down)
    assert len(begins) == np.sum(np.diff(y[order]) != 0) + 1
    # a merged fit is at least as likely, per run, as any way to cut inside the runs: check a small perturbation
    fused = np.add.reduceat(up, begins), np.add.reduceat(down, begins)
    a, b, _, _, _ = kernel.fit(*fused)
    assert (a, b) == (c.a, c.b)


@pytest.mark.parametrize("method", ["binormal", "normal"])
def test_formulas_of_a_binormal_curve(method):
    y, s, _ = binormal(200, rng=4)
    c = trueness.roc(y, s, method)
    assert c.auc.value == pytest.approx(special.ndtr(c.a / math.sqrt(1 + c.b**2)))
    assert c.auc.value == pytest.approx(integrate.quad(c, 0, 1, limit=200)[0], abs=1e-7)
    assert c.partial_auc(fpf=(0, 1)).value == pytest.approx(c.auc.value, abs=1e-9)
    assert c.partial_auc(fpf=(0, 1)).se == pytest.approx(c.auc.se, rel=1e-6)
    assert c.partial_auc(tpf=(0, 1)).se == pytest.approx(c.auc.se, rel=1e-6)
    assert c.partial_auc(fpf=(0.1, 0.3)).value == pytest.approx(integrate.quad(c, 0.1, 0.3)[0], abs=1e-9)
    inverse = lambda u: 1 - special.ndtr((special.ndtri(u) - c.a) / c.b)  # noqa: E731
    assert c.partial_auc(tpf=(0.7, 0.9)).value == pytest.approx(integrate.quad(inverse, 0.7, 0.9)[0], abs=1e-9)
    assert c.fpf_at(c.tpf_at(0.2).value).value == pytest.approx(0.2)
    assert c.tpf_at(0.0).value == 0
    assert c.fpf_at(1.0).value == 1
    # the points lie on the curve, from (0, 0) to (1, 1)
    assert c(c.fpf[1:-1]) == pytest.approx(c.tpf[1:-1], abs=1e-9)
    assert (c.fpf[0], c.tpf[0], c.fpf[-1], c.tpf[-1]) == (0, 0, 1, 1)
    assert len(c.thresholds) == len(c.fpf) == len(c.tpf)


@pytest.mark.parametrize("method", ["binormal", "normal"])
def test_delta_method_by_finite_differences(method):
    from dataclasses import replace

    y, s, _ = binormal(100, rng=5)
    c = trueness.roc(y, s, method)
    h = 1e-5
    for ask in (
        lambda c: c.auc.value,
        lambda c: c.tpf_at(0.1).value,
        lambda c: c.fpf_at(0.8).value,
        lambda c: c.partial_auc(fpf=(0, 0.2)).value,
        lambda c: c.partial_auc(tpf=(0.7, 0.9)).value,
    ):
        gradient = np.array(
            [
                (ask(replace(c, a=c.a + h)) - ask(replace(c, a=c.a - h))) / (2 * h),
                (ask(replace(c, b=c.b + h)) - ask(replace(c, b=c.b - h))) / (2 * h),
            ]
        )
        expected = math.sqrt(gradient @ c.covariance @ gradient)
        estimate = {0: c.auc, 1: c.tpf_at(0.1), 2: c.fpf_at(0.8)}
        ours = [e.se for e in estimate.values()] + [
            c.partial_auc(fpf=(0, 0.2)).se,
            c.partial_auc(tpf=(0.7, 0.9)).se,
        ]
        assert min(abs(o - expected) for o in ours) < 1e-6 * expected + 1e-9


def test_normal_theory_is_means_and_sds():
    y, s, _ = binormal(60, rng=1)
    c = trueness.roc(y, s, "normal")
    up, down = s[y == 1], s[y == 0]
    assert c.a == pytest.approx((up.mean() - down.mean()) / up.std(ddof=1))
    assert c.b == pytest.approx(down.std(ddof=1) / up.std(ddof=1))
    values = [(d.a, d.b) for d in (trueness.roc(*binormal(60, rng=r)[:2], "normal") for r in range(400))]
    assert np.cov(np.transpose(values)) == pytest.approx(c.covariance, rel=0.3, abs=0.002)


def test_semiparametric_formula():
    y, s, _ = binormal(25, rng=2)
    c = trueness.roc(y, s, "semiparametric")
    up, down = s[y == 1], s[y == 0]
    (m1, s1), (m0, s0) = ((v.mean(), v.std(ddof=1)) for v in (up, down))
    residuals = np.r_[(up - m1) / s1, (down - m0) / s0]

    def survival(t):
        return np.mean(residuals >= t)

    # ROC(t) = S((μ0 − μ1)/σ1 + (σ0/σ1) S⁻¹(t)) at every value that S takes
    for r in residuals:
        at = np.abs(c.thresholds[1:] - (m0 + s0 * r)).argmin() + 1
        assert c.fpf[at] == pytest.approx(survival(r), abs=1e-9)
        assert c.tpf[at] == pytest.approx(survival((m0 - m1) / s1 + s0 / s1 * r), abs=1e-9)
    pairs = np.subtract.outer(m1 + s1 * residuals, m0 + s0 * residuals)
    assert c.auc.value == pytest.approx(np.mean((pairs > 0) + 0.5 * (np.abs(pairs) < 1e-12)), abs=1e-9)
    # located and scaled scores give the same curve
    assert trueness.roc(y, 3 * s - 8, "semiparametric").auc.value == pytest.approx(c.auc.value)


def test_semiparametric_standard_errors_are_calibrated():
    areas, rates = [], []
    for r in range(150):
        c = trueness.roc(*binormal(25, rng=r)[:2], "semiparametric")
        areas.append((c.auc.value, c.auc.se))
        if r < 25:
            rate = c.tpf_at(0.2)
            rates.append((rate.value, rate.se))
    value, se = np.transpose(areas)
    assert se.mean() == pytest.approx(value.std(), rel=0.15)
    value, se = np.transpose(rates)
    assert se.mean() == pytest.approx(value.std(), rel=0.4)


def test_semiparametric_questions():
    y, s, _ = binormal(150, rng=3)
    c, e = trueness.roc(y, s, "semiparametric"), trueness.roc(y, s)
    assert c.fpf_at(0.9).value == pytest.approx(e.fpf_at(0.9).value, abs=0.15)
    assert c.fpf_at(0.9).se == pytest.approx(e.fpf_at(0.9).se, rel=0.5)
    assert c.partial_auc(fpf=(0, 0.3)).value == pytest.approx(e.partial_auc(fpf=(0, 0.3)).value, abs=0.03)
    assert c.partial_auc(tpf=(0.7, 1)).se > 0
    assert c.best(rng=0, n_resamples=30).tpf > 0.5
    assert trueness.roc([0, 0, 1, 1], [1, 2.5, 2, 3], "semiparametric").auc.noted("no-se-few-cases")


def test_working_hotelling_band():
    y, s, _ = binormal(80, rng=6)
    c = trueness.roc(y, s, "binormal")
    wide, narrow = c.band(0.95), c.band(0.95, "vertical")
    assert wide.method == "working-hotelling"
    assert wide.simultaneous
    assert not narrow.simultaneous
    inner = slice(1, -1)
    assert (wide.low[inner] <= narrow.low[inner]).all()
    assert (wide.high[inner] >= narrow.high[inner]).all()
    z = special.ndtri(0.2)
    se = math.sqrt(np.array([1, z]) @ c.covariance @ np.array([1, z]))
    half = math.sqrt(2 * stats.f.ppf(0.95, 2, c.data.n - 2)) * se
    expected = special.ndtr([c.a + c.b * z - half, c.a + c.b * z + half])
    assert wide.at(0.2) == pytest.approx(expected, abs=1e-3)


def test_degenerate_data_say_so():
    from trueness.errors import UndefinedError

    # a positive below all negatives, the rest above: ROC through (0, .9) and (1, 1), no binormal curve does that
    with pytest.raises(UndefinedError, match="degenerate|no maximum"):
        trueness.roc(np.repeat([1, 0], [10, 10]), np.r_[np.full(9, 5.0), 0, np.full(10, 2.0)], "binormal")
    with pytest.raises(InputError, match="infinite scores"):
        trueness.roc([0, 1, 0, 1, 1], [1, 2, np.inf, 3, 1.5], "normal")


def test_the_interval_of_beta_is_one_of_its_logarithm():
    y, s, _ = binormal(40, rng=3)
    for method in ("binormal", "normal"):
        beta = trueness.roc(y, s, method).beta
        low, high = beta.ci()
        assert 0 < low < beta.value < high
        assert low * high == pytest.approx(beta.value**2)
        q = float(special.ndtri(0.975))
        assert math.log(high / beta.value) == pytest.approx(q * beta.se / beta.value)
        assert beta.ci(method="wald").high == pytest.approx(beta.value + q * beta.se)
    # the classes exchanged and the scores negated: σ1/σ0 in place of σ0/σ1
    turned = trueness.roc(1 - y, -s, "normal").beta
    assert turned.ci() == pytest.approx(tuple(1 / x for x in trueness.roc(y, s, "normal").beta.ci()[::-1]))


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (1.2, 0.5), (-1.0, 7.0), (10.0, 30.0)])
@pytest.mark.parametrize("span", [(0, 0.05), (0.1, 0.3), (0, 1), (0.9, 1)])
def test_partial_areas_are_integrals_of_flat_and_of_steep_curves(a, b, span):
    y, s, _ = binormal(20, rng=1)
    c = dataclasses.replace(trueness.roc(y, s, "normal"), a=a, b=b)
    z = special.ndtri(span)
    density = stats.norm.pdf
    value, _ = integrate.quad(lambda x: float(c(special.ndtr(x))) * density(x), *z, epsabs=1e-12, limit=400)
    assert c.partial_auc(fpf=span).value == pytest.approx(value, abs=1e-10)


def test_ties_between_classes_stay_ties_in_the_semiparametric_curve():
    """μ + σ (x − μ)/σ need not be x to the last bit, which broke these ties in an order of its own."""
    y = np.array([0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1])
    scores = np.array([1.0, 208.5, 2, 1, 0, 0, 0, 0, 0, 0, 0])
    up, down = scores[y == 1], scores[y == 0]
    as_positive = up.mean() + up.std(ddof=1) * (down - down.mean()) / down.std(ddof=1)
    as_negative = down.mean() + down.std(ddof=1) * (up - up.mean()) / up.std(ddof=1)
    apart = np.subtract.outer(np.r_[up, as_positive], np.r_[as_negative, down])
    wanted = np.mean((apart > 0) + 0.5 * (apart == 0))
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(y))
        assert trueness.roc(y[order], scores[order], method="semiparametric").auc.value == pytest.approx(
            wanted, abs=1e-15
        )
