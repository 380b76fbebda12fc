"""Near copies, encodings of the target, gaps, pairs and selections: found where planted, silent on clean data."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from planted import clean

import trueness
from trueness.leaks import columns
from trueness.leaks.columns import impure
from trueness.leaks.relations import _is_encoded, _nearly_copies

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs" / "programs"))
import check_power


def warned(X, y, **options):
    return [f.code for f in trueness.check(X, y, **options) if f.severity == "warning"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", check_power.CLEAN)
def test_clean_data_raise_no_warning(name, seed):
    X, y, options = check_power.CLEAN[name](np.random.default_rng([7, seed]), 200)
    assert warned(X, y, **options) == warned(X, y, fast=True, **options) == []


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", check_power.LEAKS)
def test_planted_leaks_are_found(name, seed):
    code, make = check_power.LEAKS[name]
    X, y, options = make(np.random.default_rng([8, seed]), 400)
    assert warned(X, y, **options) == warned(X, y, fast=True, **options) == [code]


def test_near_copies_of_one_group_stay_together():
    X, y, _ = check_power.patients_unknown(np.random.default_rng(0), 200)
    (finding,) = trueness.check(X, y)
    assert finding.code == "L013"
    assert finding.data["share"] > 0.9
    assert warned(X, y, groups=np.arange(200) // 4) == []


def test_ratios_of_distances_have_their_distribution():
    """On evenly spread points the share of rows that count is at most what their rarity says."""
    rng = np.random.default_rng(0)
    for dimensions in (2, 5):
        assert _nearly_copies(rng.random((3000, dimensions)), 10**9).mean() < 0.001


def test_the_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(3)
    for code, make in check_power.LEAKS.values():
        X, y, _ = make(np.random.default_rng(1), 300)
        rows = rng.permutation(len(y))
        mixed = X.iloc[rows, rng.permutation(X.shape[1])].reset_index(drop=True)
        assert warned(mixed, y[rows]) == [code]


@pytest.mark.parametrize("m", [0, 1, 10])
def test_smoothed_shares_and_log_odds_are_encodings(m):
    rng = np.random.default_rng(m)
    y, category = rng.integers(0, 2, 600), rng.integers(0, 40, 600)
    k, n = np.bincount(category, y), np.bincount(category)
    shares = (k + m * y.mean()) / (n + m)
    assert _is_encoded(shares[category], y)
    assert _is_encoded(1 - shares[category], y)  # of the other class
    assert _is_encoded(np.log(k / (n - k))[category] + 3, y)
    assert not _is_encoded(rng.permutation(shares)[category], y)
    assert not _is_encoded(np.round(shares, 2)[category] + 0.001, y)


def test_a_copy_of_the_target_is_found_whatever_the_spelling_of_the_labels():
    X, y = clean(120)
    spelled = np.where(y == 0, "no", np.where(np.arange(120) % 3 == 0, "Yes", "yes"))
    with pytest.warns(trueness.errors.TruenessWarning, match="differ only in case"):
        found = trueness.check(X.assign(copy=y), spelled)
    assert [(f.code, f.columns) for f in found] == [("L001", ("copy",))]


def test_gaps_and_selected_columns_of_several_classes():
    X, y = clean(300, classes=3)
    X.loc[np.random.default_rng(0).random(300) < np.array([0.05, 0.05, 0.6])[y], "b"] = np.nan
    (finding,) = trueness.check(X, y)
    assert (finding.code, finding.columns, finding.severity) == ("L015", ("b",), "warning")
    assert "missing values go along with the target" in finding.message


def test_a_covariate_of_the_patient_does_not_determine_the_target_where_groups_are_given():
    X, y, options = check_power.constant_in_patient(np.random.default_rng(0), 200)
    assert warned(X, y, **options) == []
    site = np.where(y == 1, "ward", "home")  # but a list of values that holds for all patients does
    assert warned(X.assign(site=site), y, **options) == ["L001"]


def test_ranks_are_no_identifiers_but_a_named_one_is():
    X, y = clean()
    ranked = X[["a", "b", "c"]].rank()
    assert list(trueness.check(ranked, y)) == []
    assert [f.columns for f in trueness.check(ranked.rename(columns={"a": "id"}), y)] == [("id",)]


def test_flips_up_to_four_per_cent_beyond_chance():
    y = np.arange(200) % 2
    for flips, found in ((0, True), (8, True), (9, False)):
        flag = np.where(np.arange(200) < flips, 1 - y, y)
        assert (impure(flag, y, columns=1) is not None) == found
    assert impure(np.r_[1 - y[:1], y[1:8]], y[:8], columns=1) is None  # eight cases


def test_near_copies_of_numbers_do_not_speak_of_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X[1::20] = X[::20] + 1e-6
    message = str(trueness.check(X, rng.normal(size=200)))
    assert "much nearer to another row" in message
    assert "label" not in message


def test_numbers_of_rows_that_come_in_stretches_of_a_class_are_a_warning():
    """An exact law: of 5 + 5 cases in random order, the probability of at most r runs by enumeration."""
    orders = np.array([[k in up for k in range(10)] for up in combinations(range(10), 5)], dtype=int)
    runs = 1 + (orders[:, 1:] != orders[:, :-1]).sum(axis=1)
    for r in (3, 4, 5):
        of = orders[np.flatnonzero(runs == r)[0]]
        assert columns.few_runs(np.arange(10.0), of) == pytest.approx((runs <= r).mean(), abs=0.02)
    rng = np.random.default_rng(0)
    y = np.repeat(rng.integers(0, 2, 60), 5)  # five of a class in a row, no trend
    X = pd.DataFrame({"rownames": np.arange(1, 301), "a": rng.normal(size=300), "b": rng.normal(size=300)})
    assert warned(X, y) == ["L003"]
    assert warned(X, rng.permutation(y)) == []
