"""How often the intervals of corrected and compared measures hold the truth."""

import math

import numpy as np
import pytest
from scipy import stats

import trueness


@pytest.mark.parametrize(("tpf", "fpf"), [(0.8, 0.15), (0.95, 0.4)])
def test_predictive_values_of_a_case_control_study(tpf, fpf):
    """All 31 × 61 tables of 30 cases and 60 controls, at a known prevalence: exact sums."""
    rho, n1, n0 = 0.1, 30, 60
    truth = {
        "ppv": rho * tpf / (rho * tpf + (1 - rho) * fpf),
        "npv": (1 - rho) * (1 - fpf) / ((1 - rho) * (1 - fpf) + rho * (1 - tpf)),
    }
    held = dict.fromkeys(truth, 0.0)
    total = dict.fromkeys(truth, 0.0)
    for tp in range(n1 + 1):
        for fp in range(n0 + 1):
            chance = stats.binom.pmf(tp, n1, tpf) * stats.binom.pmf(fp, n0, fpf)
            if chance < 1e-9:
                continue
            d = trueness.diagnose(tp=tp, fn=n1 - tp, fp=fp, tn=n0 - fp, design="case-control", prevalence=rho)
            for name, value in truth.items():
                low, high = d[name].ci()
                held[name] += chance * (low <= value <= high)
                total[name] += chance
    for name in truth:
        assert held[name] / total[name] > 0.93


def test_fractions_of_a_selected_study():
    rng = np.random.default_rng(0)
    p = np.array([[0.6, 0.1], [0.06, 0.24]])
    verified = np.array([0.3, 0.8])
    six = np.concatenate([p * verified, [(p * (1 - verified)).sum(axis=0)]]).ravel()
    held = []
    for tn, fp, fn, tp, hidden0, hidden1 in rng.multinomial(300, six, size=1500).tolist():
        d = trueness.diagnose(
            tp=tp, fn=fn, fp=fp, tn=tn, design="selected", unverified_negative=hidden0, unverified_positive=hidden1
        )
        (low, high), (low0, high0) = d.tpf.ci(), d.fpf.ci()
        held.append((low <= 0.8 <= high, low0 <= 1 / 7 <= high0))
    assert (np.mean(held, axis=0) > 0.93).all()


@pytest.mark.parametrize("measure", ["tpf", "ppv", "dlr_positive"])
def test_differences_of_paired_tests(measure):
    """Two tests of 25 positives and 50 negatives that agree more often than chance."""
    rng = np.random.default_rng(1)
    joint = {1: np.array([[0.10, 0.10], [0.20, 0.60]]), 0: np.array([[0.70, 0.05], [0.15, 0.10]])}  # [first, second]
    rate = {truth: (t[1].sum(), t[:, 1].sum()) for truth, t in joint.items()}

    def value(which):
        tpf, fpf = rate[1][which], rate[0][which]
        return {"tpf": tpf, "ppv": 25 * tpf / (25 * tpf + 50 * fpf), "dlr_positive": tpf / fpf}[measure]

    held = []
    for _ in range(800):
        y = np.repeat([1, 0], [25, 50])
        cell = np.concatenate([rng.choice(4, size=k, p=joint[t].ravel()) for t, k in ((1, 25), (0, 50))])
        v = trueness.diagnose(y, cell // 2).versus(trueness.diagnose(y, cell % 2))
        low, high = v.difference(measure).ci()
        ratio_low, ratio_high = v.ratio(measure).ci()
        held.append((low <= value(0) - value(1) <= high, ratio_low <= value(0) / value(1) <= ratio_high))
    assert (np.mean(held, axis=0) > 0.95 - 3 * math.sqrt(0.05 * 0.95 / 800)).all()
