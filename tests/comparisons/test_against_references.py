"""Every test against R (pROC, stats) or a Python peer; how the numbers were made is documented in tests/reference/."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from trueness import comparisons as C

HERE = Path(__file__).parent.parent / "reference"
R = json.loads((HERE / "comparisons.json").read_text())
UNPAIRED = json.loads((HERE / "venkatraman_unpaired.json").read_text())
PEERS = json.loads((HERE / "comparisons_peers.json").read_text())
y, s1, s2, s3, p1, p2, p3 = (np.array(R["data"][k]) for k in ("y", "s1", "s2", "s3", "p1", "p2", "p3"))
e1, e2 = np.array(R["values"]["e1"]), np.array(R["values"]["e2"])
table = np.array(R["friedman"]["table"])


def near(value, rel=1e-9):
    return pytest.approx(value, rel=rel, abs=1e-12)


def test_delong_paired():
    t, r = C.delong(y, s1, s2), R["delong"]
    assert t.statistic == near(r["statistic"])
    assert t.p_value == near(r["p"])
    assert list(t.difference.ci()) == near(r["ci"])
    assert C.delong(y, s1, s2, alternative="less").p_value == near(r["less"])


def test_delong_unpaired():
    a, b = np.r_[0:20, 30:60], np.r_[20:30, 60:75]
    t, r = C.delong_unpaired(y[a], s1[a], y[b], s2[b]), R["delong_unpaired"]
    assert (t.statistic, t.df, t.p_value) == (near(r["statistic"]), near(r["df"]), near(r["p"]))


def test_delong_many():
    t, r = C.delong_many(y, np.stack([s1, s2, s3], axis=1)), R["delong_many"]
    assert (t.statistic, t.df, t.p_value) == (near(r["statistic"]), 2, near(r["p"]))


def test_venkatraman():
    r = R["venkatraman"]
    t = C.venkatraman(y, np.array(r["u"]), np.array(r["v"]), n_permutations=10_000, rng=1)
    assert t.statistic == r["statistic"]
    assert t.p_value == pytest.approx(r["p"], abs=4 * math.sqrt(2 * 0.05 * 0.95 / 10_000))
    ties = C.venkatraman(y, s1, s2, n_permutations=10_000, rng=2)
    assert ties.p_value == pytest.approx(r["p_ties"], abs=0.02)


@pytest.mark.parametrize("r", UNPAIRED["same_sizes"])
def test_venkatraman_unpaired(r):
    t = C.venkatraman_unpaired(r["y1"], r["s1"], r["y2"], r["s2"], n_permutations=2000, rng=1)
    assert t.statistic == near(r["statistic"])
    assert t.p_value == pytest.approx(r["p"], abs=4 * math.sqrt(r["p"] * (1 / 2000 + 1 / 10_000)) + 1 / 2000)


def test_venkatraman_unpaired_of_other_sizes():
    """The statistic of pROC's own function, given the share of positives in both sets."""
    r = UNPAIRED["other_sizes"]
    t = C.venkatraman_unpaired(r["y1"], r["s1"], r["y2"], r["s2"], n_permutations=50, rng=1)
    assert t.statistic == near(r["statistic"])
    back = C.venkatraman_unpaired(r["y2"], r["s2"], r["y1"], r["s1"], n_permutations=50, rng=1)
    assert back.statistic == near(t.statistic)
    assert back.difference.value == near(-t.difference.value)


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("bootstrap", lambda: C.bootstrap(y, s1, s2, n_resamples=10_000, rng=1)),
        ("at_fpf", lambda: C.at_fpf(y, s1, s2, 1 - 0.83, n_resamples=10_000, rng=2)),
        ("at_tpf", lambda: C.at_tpf(y, s1, s2, 0.78, n_resamples=10_000, rng=3)),
        ("partial_auc", lambda: C.partial_auc(y, s1, s2, fpf=(0, 0.2), n_resamples=10_000, rng=4)),
    ],
)
def test_bootstrap_family(name, test):
    """The same difference; the SD of 10 000 resamples has a Monte-Carlo error of 0.7 % in each program.

    pROC refers z to the normal law; so few cases are exchanged here instead, and p is usually a little larger.
    """
    t, r = test(), R[name]
    sign = -1 if name == "at_tpf" else 1  # pROC tests specificities, trueness FPFs
    assert t.difference.value / t.difference.se == pytest.approx(sign * r["statistic"], rel=0.04)
    assert t.p_value == pytest.approx(r["p"], rel=0.15) if name == "bootstrap" else r["p"] / 2 < t.p_value < 2 * r["p"]
    if "difference" in r:
        assert t.difference.value == near(r["difference"])
    if "auc" in r:
        assert t.difference.value == near(r["auc"][0] - r["auc"][1])


@pytest.mark.parametrize("r", R["mcnemar"])
def test_mcnemar(r):
    b, c, n = r["b"], r["c"], r["n"]
    assert C.mcnemar_counts(b, c, "chi2").statistic == near(r["chi2"])
    assert C.mcnemar_counts(b, c, "chi2").p_value == near(r["p_chi2"])
    assert C.mcnemar_counts(b, c, "chi2-cc").statistic == near(r["cc"])
    assert C.mcnemar_counts(b, c, "chi2-cc").p_value == near(r["p_cc"])
    exact = C.mcnemar_counts(b, c, "exact", n=n)
    assert exact.p_value == near(r["p_exact"])
    assert C.mcnemar_counts(b, c, "exact", alternative="less").p_value == near(r["p_less"])
    assert C.mcnemar_counts(b, c, "mid-p").p_value == near(r["p_midp"])
    assert list(exact.difference.ci()) == near(r["tango"], rel=1e-6)


def test_mcnemar_of_decisions():
    r = R["mcnemar"][0]
    t = C.mcnemar(y, p1, p2)
    assert (t.b, t.c, t.n, t.p_value) == (r["b"], r["c"], 75, near(r["p_exact"]))
    assert t.difference.value == near(np.mean(p1 != y) - np.mean(p2 != y))


def test_paired_t():
    r = R["paired_t"]
    t = C.paired_t(e1, e2)
    assert (t.statistic, t.df, t.p_value) == (near(r["statistic"]), 11, near(r["p"]))
    assert list(t.difference.ci(method="t")) == near(r["ci"])
    assert C.paired_t(e1, e2, alternative="greater").p_value == near(r["greater"])


def test_corrected_t():
    r = R["corrected_t"]
    t = C.corrected_t(e1 - e2, 90, 10)
    assert (t.statistic, t.p_value) == (near(r["statistic"]), near(r["p"]))


def test_five_by_two():
    r = R["five_by_two"]
    t, f = C.five_by_two_t(r["d"]), C.five_by_two_f(r["d"])
    assert (t.statistic, t.df, t.p_value) == (near(r["t"]), 5, near(r["p_t"]))
    assert (f.statistic, f.df, f.p_value) == (near(r["f"]), (10, 5), near(r["p_f"]))


def test_wilcoxon_and_sign():
    r = R["wilcoxon"]
    t = C.wilcoxon(e1, e2)
    assert (t.statistic, t.p_value) == (r["statistic"], near(r["p"]))
    assert t.difference.value == near(r["hl"], rel=1e-6)
    for side in ("less", "greater"):
        assert C.wilcoxon(e1, e2, alternative=side).p_value == near(r[side])
    assert C.sign(e1, e2).p_value == near(R["sign"]["p"])
    assert C.sign(e1, e2, alternative="greater").p_value == near(R["sign"]["greater"])


def test_wilcoxon_of_many_pairs():
    r = R["wilcoxon_large"]
    x = np.array(r["x"])
    t = C.wilcoxon(x, np.zeros_like(x))
    assert (t.statistic, t.p_value) == (r["statistic"], near(r["p"]))
    assert C.wilcoxon(x, np.zeros_like(x), alternative="greater").p_value == near(r["greater"])


def test_friedman_family():
    r = R["friedman"]
    f = C.friedman(table)
    assert (f.statistic, f.p_value) == (near(r["chi2"]), near(r["p"]))
    assert (f.f_statistic, f.f_p_value) == (near(r["f"]), near(r["p_f"]))
    assert f.ranks.tolist() == near(r["ranks"])
    n = C.nemenyi(table)
    assert n.critical_difference == near(r["cd"], rel=1e-6)
    assert n.p_values.to_numpy().tolist() == [near(row, rel=1e-5) for row in r["nemenyi"]]
    assert n.p_values.to_numpy().tolist() == [near(row, rel=1e-5) for row in PEERS["nemenyi"]]
    lower = np.tril_indices(4, -1)  # R's upper.tri runs down the columns
    assert C.conover(table).p_values.to_numpy()[lower].tolist() == near(r["conover_holm"])
    against = C.holm_ranks(table, control="model 1")
    assert against.p_values.loc["model 1"].iloc[1:].tolist() == near(r["control_holm"])
    unadjusted = np.array(PEERS["conover"])[lower]
    assert C.holm(unadjusted).tolist() == near(r["conover_holm"])


def test_holm():
    assert C.holm(R["holm"]["p"]).tolist() == near(R["holm"]["adjusted"])


def test_cochran_q():
    correct = np.stack([p == y for p in (p1, p2, p3)], axis=1)
    t, r = C.cochran_q(correct), PEERS["cochran_q"]
    assert (t.statistic, t.df, t.p_value) == (near(r["statistic"]), 2, near(r["p"]))


def test_tost():
    d = C.paired_t(e1, e2).difference
    t = C.equivalence(d, 0.03)
    assert t.p_value == near(PEERS["tost"]["p"])
    assert t.statistic == near(-PEERS["tost"]["upper"][0])
    assert C.non_inferiority(d, 0.03, higher_is_better=True).p_value == near(PEERS["tost"]["lower"][1])
    assert C.non_inferiority(d, 0.03, higher_is_better=False).p_value == near(PEERS["tost"]["upper"][1])


def test_bayes():
    t = C.bayes_correlated_t(e1 - e2, 11, 1, rope=0.01)
    assert list(t.probabilities.values()) == near(PEERS["bayes_correlated_t"])
    assert t.p_value == near(C.corrected_t(e1 - e2, 11, 1).p_value)
    s = C.bayes_signed_rank(e1, e2, rope=0.01, rng=1)
    assert list(s.probabilities.values()) == pytest.approx(PEERS["bayes_signed_rank"], abs=0.006)


# Demšar 2006, table 6: AUC of C4.5 and three variants on 14 data sets
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],  # both printed .975; the paper ranks the third model before the fourth
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsar_example():
    """Ranks, CD and Iman–Davenport as printed; the printed χ² = 9.28 is without the correction for ties."""
    f = C.friedman(DEMSAR)
    assert f.ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    n, k = DEMSAR.shape
    plain = 12 * n / (k * (k + 1)) * ((f.ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert round(plain, 2) == 9.28
    assert round((n - 1) * plain / (n * (k - 1) - plain), 2) == 3.69
    assert f.f_df == (3, 39)
    ties = sum(t**3 - t for row in DEMSAR for t in np.unique(row, return_counts=True)[1])
    assert f.statistic == pytest.approx(plain / (1 - ties / (n * (k**3 - k))))
    assert f.p_value < 0.05
    assert round(C.nemenyi(DEMSAR).critical_difference, 2) == 1.25
    assert round(C.nemenyi(DEMSAR, level=0.9).critical_difference, 2) == 1.12
    # "at p = 0.10 C4.5 is worse than C4.5+m and C4.5+m+cf"; Nemenyi at .05 finds no pair
    assert (C.nemenyi(DEMSAR).frame()["p_value"] > 0.05).all()
    found = C.nemenyi(DEMSAR, level=0.9).frame().query("p_value < 0.1")
    assert {tuple(r) for r in found[["first", "second"]].to_numpy()} == {
        ("model 1", "model 2"),
        ("model 1", "model 4"),
    }
