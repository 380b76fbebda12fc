"""Numbers of the literature and of other programs: MRMCaov and iMRMC (tests/reference/readers.R), RJafroc."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.reading.analysis import Analysis
from trueness.reading.merits import Merits
from trueness.reading.readings import readings_of

HERE = Path(__file__).parents[1]
REFERENCE = json.loads((HERE / "reference/readers.json").read_text())
TEXT = {"case2": str, "case3": str}
KINDS = {"DeLong": "delong", "jackknife": "jackknife", "unbiased": "unbiased", "none": "delong"}


def data(name):
    folder = files("trueness.studies") / "data" if name == "VanDyke" else HERE / "data"
    return pd.read_csv(folder / f"{name}.csv", dtype=TEXT)


def analysed(frame, **options):
    return trueness.readers(frame, modality="treatment", score="rating", **options)


def test_van_dyke():
    """Hillis (2007) and many others; the numbers to six digits."""
    r = analysed(data("VanDyke"))
    assert [round(e.value, 6) for e in r.auc.values()] == [0.897037, 0.940837]
    c = r.components
    found = [f"{v:.6g}" for v in (c.ms_t, c.ms_r, c.ms_tr, c.cov1, c.cov2, c.cov3)]
    assert found == ["0.00479617", "0.0038362", "0.000551031", "0.000342009", "0.000339527", "0.00023585"]
    assert r.equality.statistic == pytest.approx(4.48485, abs=5e-6)
    assert r.df == pytest.approx(15.0661, abs=5e-5)
    assert r.p_value == pytest.approx(0.051233, abs=5e-7)
    assert np.round(r.difference.ci(), 6).tolist() == [-0.087867, 0.000267]
    jackknife, fixed_readers, fixed_cases = (
        analysed(data("VanDyke"), **options).p_value
        for options in ({"covariance": "jackknife"}, {"random": "cases"}, {"random": "readers"})
    )
    assert (round(jackknife, 6), round(fixed_readers, 6), round(fixed_cases, 6)) == (0.051666, 0.018525, 0.041959)
    u = analysed(data("VanDyke"), method="u")
    assert u.difference.se**2 == pytest.approx(0.000427313, abs=5e-10)
    assert u.p_value == pytest.approx(r.p_value, abs=0.005)


@pytest.mark.parametrize("key", [k for k in REFERENCE["mrmcaov"] if "partial" not in k])
def test_mrmcaov(key):
    expected, words = REFERENCE["mrmcaov"][key], key.split()
    options = {"random": words[-1], "covariance": KINDS.get(words[-2])}
    if words[1] in ("case2", "case3"):
        options["case"] = words[1]
    if words[1] in ("sens", "spec"):
        metric = "sensitivity" if words[1] == "sens" else "specificity"
        options = {"metric": metric, "threshold": 3, "covariance": "jackknife"}
    r = analysed(data(words[0]), **options)
    test, means, differences = expected["equality"][0], expected["means"], expected["differences"]
    assert r.equality.statistic == pytest.approx(test.get("F", test.get("X2")), rel=1e-9)
    assert r.p_value == pytest.approx(test["p-value"], rel=1e-9)
    assert r.df == pytest.approx(test.get("df2", test.get("df")), rel=1e-9)
    for e, row in zip(r.auc.values(), means, strict=True):
        assert (e.value, e.se) == pytest.approx((row["Estimate"], row["StdErr"]), rel=1e-9)
        low, high = e.ci(method="wald")  # theirs is symmetric
        assert (low, high) == pytest.approx((row["CI.Lower"], row["CI.Upper"]), rel=1e-8)
    if r.design == "mixed":  # every pair has its own variance here: theirs is the mean of all pairs
        return
    for d, row in zip(r.differences.values(), differences, strict=True):
        assert (d.value, d.se) == pytest.approx((row["Estimate"], row["StdErr"]), rel=1e-9)
        assert tuple(d.ci()) == pytest.approx((row["CI.Lower"], row["CI.Upper"]), rel=1e-8)


def test_components_of_mrmcaov():
    c = analysed(data("VanDyke")).components
    rows = {row["_row"]: row["Estimate"] for row in REFERENCE["mrmcaov"]["VanDyke DeLong both"]["components"]}
    assert (c.var_r, c.var_tr, c.var) == pytest.approx(
        (rows["reader"], rows["treatment:reader"], rows["Error"]), rel=1e-9
    )


def test_partial_area_of_mrmcaov():
    """Specificity from 0.8 to 1, by the jackknife; not standardized."""
    expected = REFERENCE["mrmcaov"]["VanDyke partial"]
    r = analysed(data("VanDyke"), metric=trueness.metrics.PartialAUC(fpf=(0, 0.2)))
    values = [e.value for e in r.auc.values()]
    theirs = [row["Estimate"] for row in expected["means"]]
    scale = theirs[0] / values[0]  # they may divide by the range
    assert values[1] * scale == pytest.approx(theirs[1], rel=1e-9)
    assert r.p_value == pytest.approx(expected["equality"][0]["p-value"], rel=1e-8)


def cut(name):
    """The designs that tests/reference/readers.R makes of Van Dyke's study."""
    if not name.startswith("VanDyke "):
        return data(name)
    v = data("VanDyke")
    return {
        "case2": lambda: v.assign(case=v.case2),
        "case3": lambda: v.assign(case=v.case3),
        "missing": lambda: v[(v.case * 7 + v.reader * 3 + v.treatment) % 11 != 0],
        "own readers": lambda: v.assign(reader=v.reader + 10 * v.treatment),
        "split": lambda: v[(v.reader <= 2) == (v.case % 2 == 0)],
        "one reader in one modality": lambda: v[~((v.reader == 5) & (v.treatment == 2))],
    }[name.removeprefix("VanDyke ")]()


@pytest.mark.parametrize("name", REFERENCE["imrmc"])
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_imrmc(name):
    """Means and variances; degrees of freedom where both follow one rule."""
    readings = readings_of(
        cut(name), reader="reader", case="case", truth="truth", score="rating", modality="treatment", design="crossed",
        positive=None,
    )  # fmt: skip
    a = Analysis(Merits.of(readings, "auc", None, "unbiased"), "u", "both")
    for row in REFERENCE["imrmc"][name]:
        i, j = (readings.modalities.index(int(row[f"modalityID.{k}"])) for k in (1, 2))
        assert a.moments.means[i] == pytest.approx(row["AUC.1"], rel=1e-10)
        assert a.moments.covariance(i, j) == pytest.approx(row["covAUC"], rel=1e-8, abs=1e-13)
        variance, df = (row["covAUC"], row["dfBDG"]) if i == j else (row["varAUC1minusAUC2"], row["dfBDG.diff"])
        s = a.mean(i) if i == j else a.difference(i, j)
        if variance > 0:
            assert s.variance == pytest.approx(variance, rel=1e-8)
        else:
            assert s.truncated
            assert s.variance > 0
        # they round effective numbers of cases, and square sums where readers or cases differ between modalities
        if df is not None and name in ("VanDyke", "Franken", "VanDyke case2"):
            assert s.df == pytest.approx(df, rel=1e-9)


def test_a_detector_among_radiologists():
    """What RJafroc keeps of StCadVsRad, 1T-RRRC and 1T-RRFC, radiologists − detector (tests/reference/readers_cad.R)."""
    frame = pd.read_csv(files("trueness.studies") / "data" / "Hupse.csv")
    r = trueness.readers(frame, model="detector", covariance="jackknife")
    d, test = r.model.minus_mean["all"], r.model.tests["all"]
    assert r.model.alone.value == pytest.approx(0.8169270833)
    assert r.auc["all"].value == pytest.approx(0.8486631944)
    assert (-d.value, d.df, test.p_value) == pytest.approx((0.03173611111, 877.8863783, 0.3210474343), rel=1e-9)
    assert tuple(d.ci()) == pytest.approx((-0.09447099100, 0.03099876877), rel=1e-9)
    assert r.analysis.mean(0).ms == pytest.approx(0.0008777926975)


def test_degrees_of_freedom_of_independent_groups():
    """Two squares, not the square of a sum: Welch's degrees of freedom when only readers vary."""
    v = data("VanDyke")
    own = analysed(v.assign(reader=v.reader + 10 * v.treatment), random="readers")
    first, second = (v[v.treatment == t] for t in (1, 2))
    parts = []
    for frame in (first, second):
        aucs = [trueness.roc(g.truth, g.rating).auc.value for _, g in frame.groupby("reader")]
        parts.append(np.var(aucs, ddof=1) / 5)
    welch = sum(parts) ** 2 / sum(p**2 / 4 for p in parts)
    assert own.difference.df == pytest.approx(welch)
    assert own.difference.se**2 == pytest.approx(sum(parts))
    u = analysed(v.assign(reader=v.reader + 10 * v.treatment), random="readers", method="u")
    assert (u.difference.df, u.difference.se) == pytest.approx((welch, own.difference.se))
