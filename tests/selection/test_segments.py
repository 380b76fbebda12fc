"""Weak segments: found on some cases, judged on others."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from statsmodels.stats.proportion import confint_proportions_2indep

import trueness
from trueness.errors import InputError
from trueness.selection import weak_segments


def planted(n=800, rate=0.5, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.uniform(20, 90, n), "site": rng.choice(list("abc"), n), "x": rng.normal(size=n)})
    X.loc[::50, "x"] = np.nan
    y = rng.integers(0, 2, n)
    wrong = rng.random(n) < np.where((X["site"] == "b") & (X["age"] > 60), rate, 0.1)
    zeros = np.zeros((1, n))
    return X, y, wrong, trueness.Fits.from_arrays(y, zeros, None, predictions=np.where(wrong, 1 - y, y)[None])


def test_a_planted_segment_is_found_and_its_numbers_are_those_of_the_other_half():
    X, _, wrong, fits = planted()
    s = weak_segments(fits, X, rng=0)
    assert len(s.found) > 0
    assert s.found["segment"].str.contains("site = b").any()
    row = s.table.iloc[0]
    half = np.zeros(800, dtype=bool)
    half[np.random.default_rng(np.random.SeedSequence(0)).permutation(800)[:400]] = True
    inside = np.ones(800, dtype=bool)
    for part in row["segment"].split(" and "):
        name, sign, value = part.split(" ")
        inside &= (
            (X[name] == value)
            if sign == "="
            else (X[name] > float(value))
            if sign == ">"
            else (X[name] <= float(value))
        )
    rates = [wrong[inside & of].mean() for of in (half, ~half)]
    assert min(abs(row["value"] - rate) for rate in rates) < 0.02  # words are rounded to four digits
    assert abs(row["cases"] - inside.sum()) <= 10
    assert row["n"] < row["cases"]
    assert "judged on" in str(s)
    assert "Segments may overlap" in str(s)
    assert row["low"] < row["difference"] < row["high"]
    assert "Weak: " in str(s)
    assert trueness.load(s.to_json()).frame().equals(s.frame())


def test_noise_is_silent():
    found = 0
    for seed in range(100):
        X, _, _, fits = planted(300, 0.1, seed)
        s = weak_segments(fits, X, rng=seed)
        found += len(s.found) > 0
        assert len(s.table) <= 6
    assert stats.binom.sf(found - 1, 100, 0.05) > 0.001  # 1 when this was written


def test_the_exact_test_of_two_shares():
    X, _, _, fits = planted()
    row = weak_segments(fits, X, rng=1).table.iloc[0]
    n, m = row["n"], 800 // 2 - row["n"]
    table = [
        [round(row["value"] * n), round((1 - row["value"]) * n)],
        [round(row["rest"] * m), round((1 - row["rest"]) * m)],
    ]
    assert stats.fisher_exact(table, alternative="greater").pvalue == pytest.approx(row["p_value"])


@pytest.mark.parametrize("plan", [trueness.KFold(5), trueness.Bootstrap(50), trueness.CvBootstrap(repeats=2)])
def test_any_plan_and_the_columns_of_the_assessment(plan):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame(rng.normal(size=(300, 2)) + y[:, None], columns=["u", "v"])
    X.loc[X["u"] > 1.5, "v"] *= -1
    a = trueness.assess(LDA(), X, y, plan=plan, rng=0, checks=False)
    for metric in ("error", "fnf"):
        s = weak_segments(a, metric=metric, rng=0, least=10)
        assert s.frame()["p_adjusted"].between(0, 1).all()
        s.figure()


def test_groups_are_not_split():
    X, y, wrong, _ = planted(400)
    groups = np.arange(400) // 4
    zeros = np.zeros((1, 400))
    fits = trueness.Fits.from_arrays(y, zeros, None, predictions=np.where(wrong, 1 - y, y)[None], groups=groups)
    s = weak_segments(fits, X, rng=0)
    assert (s.table["p_value"] > 0).all()


def test_bad_input():
    X, y, _, fits = planted(100)
    with pytest.raises(InputError, match="mean loss"):
        weak_segments(fits, X, "accuracy")
    with pytest.raises(InputError, match="different lengths"):
        weak_segments(fits, X.iloc[:50])
    with pytest.raises(InputError, match="required"):
        weak_segments(fits)
    with pytest.raises(InputError):
        weak_segments(y, X)
    few = weak_segments(fits, X, rng=0, least=60)
    assert few.answer() == "Segments judged on other cases: 0. Weak: none."


def test_a_segment_in_which_all_are_wrong_has_newcombes_interval():
    """It was Student's with a variance of 0 in the segment: 0.575 to 0.622 of 22/22 and 633/1578."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.repeat([0, 1], [60, 940])})
    wrong = np.where(X["x"] == 0, True, rng.random(1000) < 0.4)
    y = rng.integers(0, 2, 1000)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 1000)), None, predictions=np.where(wrong, 1 - y, y)[None])
    row = weak_segments(fits, X, rng=0).found.iloc[0]
    rest = 500 - row["n"]
    expected = confint_proportions_2indep(row["n"], row["n"], round(row["rest"] * rest), rest, method="newcomb")
    assert row["value"] == 1.0
    assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-12)
